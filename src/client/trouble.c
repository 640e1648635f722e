/*
 * trouble.c
 *		Why an exchange with the device process was not completed; see trouble.h.
 */
#include "postgres.h"

#include "client/trouble.h"

/* text "": nothing has been noted. */
typedef struct Trouble
{
	WaStatus status;
	char text[WA_MAX_ERROR_BYTES];
} Trouble;

static Trouble trouble = {WA_OK};

/* Returns the status for an error number. */
static WaStatus
status_of(int error)
{
	switch (error)
	{
		case ENOMEM:
		case ENOSPC:
		case ENOBUFS:
		case EFBIG:
			return WA_OUT_OF_MEMORY;
		case EMFILE:
		case ENFILE:
		case ETOOMANYREFS:
			return WA_OUT_OF_FILES;
		default:
			return WA_OK;
	}
}

void
wa_trouble_clear(void)
{
	wa_trouble_note(WA_OK, "");
}

void
wa_trouble_note(WaStatus status, const char *text)
{
	trouble.status = status;
	strlcpy(trouble.text, text, sizeof(trouble.text));
}

void
wa_trouble_note_errno(const char *text)
{
	trouble.status = status_of(errno);
	snprintf(trouble.text, sizeof(trouble.text), "%s: %m", text);
}

void
wa_trouble_note_failed(const WaFailedMessage *failed)
{
	trouble.status = (WaStatus) failed->status;
	snprintf(trouble.text, sizeof(trouble.text), "%.*s",
			 (int) sizeof(failed->text), failed->text);
}

WaStatus
wa_trouble_status(void)
{
	return trouble.status;
}

const char *
wa_trouble_text(void)
{
	return trouble.text[0] != '\0' ? trouble.text
								   : "The connection to it was lost";
}
