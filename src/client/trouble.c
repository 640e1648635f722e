/*
 * trouble.c
 *		Why an exchange with the device process was not completed; see trouble.h.
 */
#include "postgres.h"

#include "client/trouble.h"

#define LOST "The connection to it was lost"

static WaTrouble trouble = {WA_EXCHANGE_LOST, WA_OK, LOST};

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

const WaTrouble *
wa_trouble(void)
{
	return &trouble;
}

void
wa_trouble_clear(void)
{
	(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_OK, LOST);
}

bool
wa_trouble_note(WaExchange exchange, WaStatus status, const char *text)
{
	trouble.exchange = exchange;
	trouble.status = status;
	strlcpy(trouble.text, text, sizeof(trouble.text));
	return false;
}

bool
wa_trouble_note_errno(WaExchange exchange, const char *text)
{
	trouble.exchange = exchange;
	trouble.status = status_of(errno);
	snprintf(trouble.text, sizeof(trouble.text), "%s: %m", text);
	return false;
}

bool
wa_trouble_note_reply(WaExchange exchange, const WaMessage *reply)
{
	const WaFailedMessage *failed = &reply->failed;

	if (reply->header.type != WA_MSG_FAILED)
		return wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   "Its reply could not be understood");
	trouble.exchange = exchange;
	trouble.status = (WaStatus) failed->status;
	snprintf(trouble.text, sizeof(trouble.text), "%.*s",
			 (int) sizeof(failed->text), failed->text);
	return false;
}
