/*
 * channel.c
 *		What goes between the supervisor and warpaggd; see channel.h.
 */
#include "postgres.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/channel.h"
#include "client/follow.h"
#include "settings.h"

/* Pieces of the log that are read one after the other. */
#define LOG_ROUNDS 16

/* Logs one line of the daemon's: "LEVEL: text". */
static void
forward_line(WaChannelLog *log, const char *line)
{
	const bool warns = strncmp(line, "WARNING: ", 9) == 0;
	const char *colon = strstr(line, ": ");
	const char *text = colon ? colon + 2 : line;

	if (warns)
		strlcpy(log->warning, text, sizeof(log->warning));
	ereport(warns ? WARNING : LOG, (errmsg("warpaggd: %s", text)));
}

/* Forwards part of what the daemon has logged; returns false if there is none. */
static bool
forward_some(const WaDaemonProcess *process, WaChannelLog *log)
{
	char bytes[4096];
	ssize_t length = read(process->log_fd, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < length; i++)
	{
		bool full = log->line_length >= (int) sizeof(log->line) - 1;

		if (bytes[i] == '\n' || full)
		{
			log->line[log->line_length] = '\0';
			forward_line(log, log->line);
			log->line_length = 0;
		}
		if (bytes[i] != '\n')
			log->line[log->line_length++] = bytes[i];
	}
	return length > 0;
}

void
wa_channel_forward_log(const WaDaemonProcess *process, WaChannelLog *log)
{
	for (int i = 0; i < LOG_ROUNDS && forward_some(process, log); i++)
		continue;
}

/* Sends a message to the daemon; it does not matter if that fails. */
static void
send_control(const WaDaemonProcess *process, WaHeader *message)
{
	wa_message_seal(message);
	if (send(process->control_fd, message, message->length,
			 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		ereport(DEBUG1, (errmsg("could not write to warpaggd: %m")));
}

void
wa_channel_send(const WaDaemonProcess *process, WaMessageType type,
				uint32 request)
{
	WaSimpleMessage message = {0};

	wa_message_begin(&message.header, type, sizeof(message), request);
	message.version = WA_PROTOCOL_VERSION;
	send_control(process, &message.header);
}

void
wa_channel_send_settings(const WaDaemonProcess *process)
{
	WaSettingsMessage message = {0};

	wa_message_begin(&message.header, WA_MSG_SETTINGS, sizeof(message), 0);
	message.version = WA_PROTOCOL_VERSION;
	message.device = wa_device == WA_WANT_CPU ? WA_WANT_CPU : WA_WANT_ANY;
	message.staging_bytes = (uint64) wa_staging_memory_kb * 1024;
	message.memory_limit = (uint64) wa_memory_limit_kb * 1024;
	message.autoload_permille = (uint32) rint(wa_autoload_share * 1000);
	message.keep_seconds = (uint32) wa_keep_used_s;
	send_control(process, &message.header);
}

void
wa_channel_follow(const WaDaemonProcess *process, WaFollowMessage *follow,
				  uint32 request)
{
	follow->no_reply = 0;
	wa_message_begin(&follow->header, WA_MSG_FOLLOW, wa_follow_length(follow),
					 request);
	send_control(process, &follow->header);
}
