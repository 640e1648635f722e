/*
 * control.c
 *		Answering the supervisor; see control.h.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/base/socket.h"
#include "daemon/server/control.h"

bool
wa_control_is_usable(int fd)
{
	int type;
	socklen_t length = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 &&
		   type == SOCK_SEQPACKET;
}

/*
 * Answers PING, unless a device hangs: the silence makes the supervisor start
 * a new process.
 */
static void
answer_ping(int fd, WaService *service, const WaSimpleMessage *ping,
			const WaControlState *state)
{
	WaPongMessage pong;

	if (wa_service_hangs(service))
		return;
	memset(&pong, 0, sizeof(pong));
	wa_message_begin(&pong.header, WA_MSG_PONG, sizeof(pong),
					 ping->header.request);
	pong.version = WA_PROTOCOL_VERSION;
	pong.working = state->working;
	pong.socket = state->socket;
	/* A PONG that cannot be sent is a PONG less, which is what it means. */
	(void) wa_socket_send(fd, &pong.header, NULL, 0);
}

/* Takes over new settings. */
static void
take_settings(WaService *service, const WaSettingsMessage *settings)
{
	if (settings->version != WA_PROTOCOL_VERSION ||
		settings->device > WA_WANT_GPU || settings->autoload_permille > 1000)
	{
		wa_log_write(WA_LOG_WARNING, "cannot understand the new settings");
		return;
	}
	wa_opening_allow_gpus(&service->opening, settings->device != WA_WANT_CPU);
	wa_store_set_keeping(&service->store, settings->autoload_permille,
						 settings->keep_seconds * WA_NS_PER_S);
	wa_store_set_limit(&service->store, settings->memory_limit != 0
											? settings->memory_limit
											: service->memory_limit);
}

/* Answers FOLLOW. */
static void
answer_follow(int fd, WaService *service, const WaFollowMessage *follow)
{
	WaFollowedMessage followed;

	if (!wa_follow_is_sound(follow))
	{
		wa_log_write(WA_LOG_WARNING, "cannot understand what WAL has changed");
		return;
	}
	wa_service_follow(service, follow, &followed);
	wa_cover_renewer_wake(&service->covers);
	/* Who does not get it asks again, by saying more. */
	(void) wa_socket_send(fd, &followed.header, NULL, 0);
}

/* Does what a message says; returns what is left to do. */
static WaOrder
obey(int fd, WaService *service, const WaMessage *message,
	 const WaControlState *state)
{
	switch (message->header.type)
	{
		case WA_MSG_PING:
			answer_ping(fd, service, &message->simple, state);
			break;
		case WA_MSG_SETTINGS:
			take_settings(service, &message->settings);
			break;
		case WA_MSG_FOLLOW:
			answer_follow(fd, service, &message->follow);
			break;
		case WA_MSG_LISTEN:
			return WA_ORDER_LISTEN;
		case WA_MSG_RETIRE:
			return WA_ORDER_RETIRE;
		default:
			wa_log_write(WA_LOG_WARNING,
						 "unexpected message %u of the supervisor",
						 message->header.type);
			break;
	}
	return WA_ORDER_NONE;
}

WaOrder
wa_control_receive(int fd, WaService *service, const WaControlState *state)
{
	WaMessage message;
	int passed;

	switch (wa_socket_receive(fd, &message, &passed))
	{
		case WA_RECEIVED_MESSAGE:
			break;
		case WA_RECEIVED_NOTHING:
			return WA_ORDER_NONE;
		case WA_RECEIVED_END:
			return WA_ORDER_END;
		case WA_RECEIVED_UNSOUND:
		case WA_RECEIVED_DAMAGED:
		case WA_RECEIVED_STRIPPED: /* it sends no descriptors */
			wa_log_write(WA_LOG_WARNING,
						 "cannot understand a message of the supervisor");
			return WA_ORDER_NONE;
	}
	if (passed >= 0)
		(void) close(passed);
	return obey(fd, service, &message, state);
}
