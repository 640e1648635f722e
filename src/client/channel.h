/*
 * channel.h
 *		What goes between the supervisor and warpaggd: messages one way, lines of
 *		the log the other.
 */
#ifndef WA_CLIENT_CHANNEL_H
#define WA_CLIENT_CHANNEL_H

#include "client/spawn.h"
#include "core/protocol.h"

/* What has been read of warpaggd's log. */
typedef struct WaChannelLog
{
	char warning[WA_REASON_BYTES]; /* the last WARNING; "": there was none */
	char line[1024];               /* so far without its end */
	int line_length;
} WaChannelLog;

/* Forwards what warpaggd has logged to the server's log. */
extern void wa_channel_forward_log(const WaDaemonProcess *process,
								   WaChannelLog *log);

/* Sends a message without contents; it does not matter if that fails. */
extern void wa_channel_send(const WaDaemonProcess *process, WaMessageType type,
							uint32 request);

/* Likewise sends the settings that warpaggd goes by. */
extern void wa_channel_send_settings(const WaDaemonProcess *process);

/* Likewise sends a FOLLOW, whose header is filled in here. */
extern void wa_channel_follow(const WaDaemonProcess *process,
							  WaFollowMessage *follow, uint32 request);

#endif /* WA_CLIENT_CHANNEL_H */
