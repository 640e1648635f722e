/*
 * connection.c
 *		One backend's connection to warpaggd; see connection.h.
 *
 * The connection belongs to the backend, not to a query: it is opened at first
 * use and kept.  When it is closed warpaggd drops the work that is under way
 * for it and frees its slots.
 */
#include "postgres.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "client/connection.h"
#include "client/counters.h"
#include "client/staging.h"
#include "client/trouble.h"
#include "compat.h"
#include "settings.h"

/* Sentences for wa_trouble_note. */
#define CANNOT_CONNECT "It could not be connected to"
#define NOT_UNDERSTOOD "Its reply could not be understood"

/* Descriptors that an ATTACHED message brings. */
#define ATTACHED_FDS 2

/*
 * For how long a backend looks for a reply before it sleeps, where there are enough
 * processors for that and the last reply was as quick: being woken may take longer
 * than the query (see LOOK_NS of the daemon's main.c).
 */
#define LOOK_US         1000
#define MANY_PROCESSORS 8

/* Damage that is seen again so soon is not told of again. */
#define DAMAGE_QUIET_MS 60000

typedef struct Connection
{
	WaConnectionState state;
	bool connected; /* the socket and its wait event set are there */
	int socket;
	WaitEventSet *events;
	uint32_t number; /* that warpaggd gave this connection */
	uint32_t requests;
	int wait_limit_ms; /* 0: there is none but the setting */
	int64 waited_us;   /* for the last reply */
	WaStaging staging;
	int received_fds[ATTACHED_FDS];
	int nreceived_fds;
} Connection;

static Connection connection = {.socket = -1};

const WaConnectionState *
wa_connection_state(void)
{
	return &connection.state;
}

/* Closes the descriptors that a message has brought. */
static void
close_received_fds(void)
{
	while (connection.nreceived_fds > 0)
		close(connection.received_fds[--connection.nreceived_fds]);
}

void
wa_connection_close(void)
{
	close_received_fds();
	wa_staging_unmap(&connection.staging);
	if (connection.events != NULL)
		FreeWaitEventSet(connection.events);
	connection.events = NULL;
	if (connection.socket >= 0)
	{
		close(connection.socket);
		ReleaseExternalFD();
	}
	connection.socket = -1;
	connection.connected = false;
	connection.state.busy = false;
	if (connection.state.waiting) /* which an error has put an end to */
		connection.wait_limit_ms = 0;
	connection.state.waiting = false;
	connection.state.open = false;
	connection.state.attached = false;
}

/*
 * Connects the socket; false if nobody listens.  An error that left this
 * function half-way is cleaned up after.
 */
static bool
open_socket(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	wa_connection_close();
	wa_trouble_clear();
	if (!AcquireExternalFD())
		return wa_trouble_note_errno(WA_EXCHANGE_LOST, CANNOT_CONNECT);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
	{
		(void) wa_trouble_note_errno(WA_EXCHANGE_LOST, CANNOT_CONNECT);
		ReleaseExternalFD();
		return false;
	}
	connection.socket = fd;
	strlcpy(address.sun_path, WA_SOCKET_PATH, sizeof(address.sun_path));
	if (connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0)
	{
		(void) wa_trouble_note_errno(WA_EXCHANGE_LOST, CANNOT_CONNECT);
		wa_connection_close();
		return false;
	}
	connection.events = create_wait_event_set_compat(3);
	AddWaitEventToSet(connection.events, WL_LATCH_SET, PGINVALID_SOCKET,
					  MyLatch, NULL);
	AddWaitEventToSet(connection.events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET,
					  NULL, NULL);
	AddWaitEventToSet(connection.events, WL_SOCKET_READABLE, fd, NULL, NULL);
	connection.connected = true;
	connection.state.generation++;
	return true;
}

void
wa_connection_note_damage(void)
{
	static TimestampTz told = 0;
	const TimestampTz now = GetCurrentTimestamp();

	(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_OK,
						   "What it sent was damaged on its way");
	if (told != 0 && !TimestampDifferenceExceeds(told, now, DAMAGE_QUIET_MS))
		return;
	told = now;
	ereport(LOG, (errmsg("what the device process of warpagg has sent was "
						 "damaged on its way"),
				  errdetail("It is left aside, and the connection closed.")));
}

/* Keeps the descriptors that came with a message, closing any too many. */
static void
keep_fds(struct msghdr *header)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(header);
	int nfds;
	int fds[ATTACHED_FDS];

	if (control == NULL || control->cmsg_level != SOL_SOCKET ||
		control->cmsg_type != SCM_RIGHTS)
		return;
	nfds = (int) ((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	nfds = Min(nfds, ATTACHED_FDS);
	memcpy(fds, CMSG_DATA(control), nfds * sizeof(int));
	close_received_fds();
	for (int i = 0; i < nfds; i++)
		connection.received_fds[connection.nreceived_fds++] = fds[i];
}

/*
 * Reads one message if there is one.  Returns its length, 0 if there is none
 * yet, or -1 if the connection has ended, the message is not sound, or a
 * descriptor that came with it could not be taken.
 */
static ssize_t
receive(WaMessage *message)
{
	union
	{
		char bytes[CMSG_SPACE(ATTACHED_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {message, sizeof(*message)};
	struct msghdr header = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control)};
	ssize_t length =
		recvmsg(connection.socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (length < 0 &&
		(errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return 0;
	if (length < 0 && errno != ECONNRESET)
		(void) wa_trouble_note_errno(WA_EXCHANGE_LOST,
									 "Nothing could be received from it");
	if (length <= 0)
		return -1;
	keep_fds(&header);
	if ((header.msg_flags & MSG_CTRUNC) != 0)
		(void) wa_trouble_note(
			WA_EXCHANGE_LOST, WA_OUT_OF_FILES,
			"A file that it sent could not be received: too many "
			"files are open");
	else if ((header.msg_flags & MSG_TRUNC) != 0 ||
			 !wa_message_is_sound(message, (size_t) length))
		(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   NOT_UNDERSTOOD);
	else if (!wa_message_is_intact(message, (size_t) length))
		wa_connection_note_damage();
	else
		return length;
	return -1;
}

/* Tells whether a reply is worth looking for. */
static bool
may_look(void)
{
	static long processors = 0;

	if (processors == 0)
		processors = sysconf(_SC_NPROCESSORS_ONLN);
	return processors >= MANY_PROCESSORS && connection.waited_us < LOOK_US;
}

/* As receive, but looks for a message for a while. */
static ssize_t
look_for_message(TimestampTz since, WaMessage *message)
{
	ssize_t length = receive(message);

	while (length == 0 && !InterruptPending &&
		   GetCurrentTimestamp() - since < LOOK_US)
		length = receive(message);
	return length;
}

/*
 * Tells whether a message is the reply to the request.  If there will be none it
 * may say why.
 */
static WaExchange
take_reply(uint32_t request, const WaMessage *reply)
{
	if (reply->header.request == request)
		return WA_EXCHANGE_DONE;
	if (reply->header.type == WA_MSG_FAILED && reply->header.request == 0)
		(void) wa_trouble_note_reply(WA_EXCHANGE_LOST, reply);
	else
		(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   NOT_UNDERSTOOD);
	return WA_EXCHANGE_LOST;
}

/* Waits for the reply to the request; heartbeats put off the deadline. */
static WaExchange
wait_reply(uint32_t request, WaMessage *reply)
{
	TimestampTz last_heard = GetCurrentTimestamp();
	int limit_ms = wa_device_timeout_ms;
	bool looks = may_look();

	if (connection.wait_limit_ms > 0)
		limit_ms = Min(limit_ms, connection.wait_limit_ms);
	for (;;)
	{
		WaitEvent event;
		ssize_t length =
			looks ? look_for_message(last_heard, reply) : receive(reply);

		looks = false;
		if (length < 0)
			return WA_EXCHANGE_LOST;
		if (length > 0 && reply->header.type != WA_MSG_HEARTBEAT)
			return take_reply(request, reply);
		if (length > 0)
		{
			last_heard = GetCurrentTimestamp();
			continue;
		}
		if (TimestampDifferenceExceeds(last_heard, GetCurrentTimestamp(),
									   limit_ms))
		{
			(void) wa_trouble_note(WA_EXCHANGE_TIMEOUT, WA_OK,
								   "It did not answer in time");
			return WA_EXCHANGE_TIMEOUT;
		}
		if (WaitEventSetWait(connection.events, Min(limit_ms, WA_HEARTBEAT_MS),
							 &event, 1, PG_WAIT_EXTENSION) == 1 &&
			(event.events & WL_LATCH_SET) != 0)
		{
			ResetLatch(MyLatch);
			CHECK_FOR_INTERRUPTS();
		}
	}
}

/* Completes a message that is to be sent: something new begins. */
static void
complete(WaMessage *message, WaMessageType type, size_t length)
{
	const uint32_t bulk = message->header.bulk;

	wa_message_begin(&message->header, type, (uint32_t) length,
					 ++connection.requests);
	message->header.bulk = bulk;
	wa_message_seal(&message->header);
	connection.state.busy = true;
	wa_trouble_clear();
}

/*
 * Tells whether all of a message was sent; if not, notes why, which the device
 * process may have said before it closed the connection, and closes it.
 */
static bool
was_sent(ssize_t sent, size_t length)
{
	WaMessage message;

	if (sent == (ssize_t) length)
		return true;
	if (sent < 0 && errno != EPIPE && errno != ECONNRESET)
		(void) wa_trouble_note_errno(WA_EXCHANGE_LOST,
									 "Nothing could be sent to it");
	else if (receive(&message) > 0)
		(void) take_reply(connection.requests, &message);
	wa_connection_close();
	return false;
}

bool
wa_connection_send(WaMessage *message, WaMessageType type, size_t length)
{
	ereport(DEBUG3,
			(errmsg_internal("warpagg asks warpaggd: message of type %d",
							 (int) type)));
	complete(message, type, length);
	return was_sent(
		send(connection.socket, message, length, MSG_DONTWAIT | MSG_NOSIGNAL),
		length);
}

bool
wa_connection_tell(WaMessage *message, WaMessageType type, size_t length)
{
	const bool sent = wa_connection_send(message, type, length);

	connection.state.busy = false;
	return sent;
}

bool
wa_connection_send_file(WaMessage *message, WaMessageType type, size_t length,
						int fd)
{
	union
	{
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {message, length};
	struct msghdr header = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &fd, sizeof(fd));
	complete(message, type, length);
	return was_sent(
		sendmsg(connection.socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL),
		length);
}

WaExchange
wa_connection_receive(WaMessage *reply)
{
	const TimestampTz since = GetCurrentTimestamp();
	WaExchange result;

	connection.state.waiting = true;
	result = wait_reply(connection.requests, reply);
	connection.state.waiting = false;
	connection.waited_us = GetCurrentTimestamp() - since;
	if (result == WA_EXCHANGE_DONE)
		connection.state.busy = reply->header.type == WA_MSG_COVER;
	return result;
}

void
wa_connection_limit_wait(int limit_ms)
{
	connection.wait_limit_ms = limit_ms;
}

WaExchange
wa_connection_exchange(WaMessage *message, WaMessageType type, size_t length,
					   WaMessage *reply)
{
	WaExchange result = WA_EXCHANGE_LOST;

	if (wa_connection_send(message, type, length))
		result = wa_connection_receive(reply);
	if (result != WA_EXCHANGE_DONE)
		wa_connection_close();
	return result;
}

void
wa_connection_refresh(void)
{
	char byte;

	if (connection.connected && !connection.state.busy &&
		recv(connection.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		wa_connection_close();
}

bool
wa_connection_greet(void)
{
	WaMessage message = {0};

	if (connection.state.busy)
		return true;
	if (!connection.connected && !open_socket())
		return false;
	message.simple.version = WA_PROTOCOL_VERSION;
	return wa_connection_send(&message, WA_MSG_HELLO, sizeof(message.simple));
}

/*
 * Closes a connection to a device process of another version, which is said in
 * the log once a session.
 */
static WaExchange
refuse_version(void)
{
	static bool said = false;

	wa_connection_close();
	(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_UNSUPPORTED,
						   "It is of another version than the library "
						   "of this session");
	if (!said && !IsParallelWorker())
		ereport(LOG, (errmsg("the running device process of warpagg is of "
							 "another version than the library of this "
							 "session"),
					  errdetail("Queries of this session go on on the CPU."),
					  errhint("Reconnect, or else restart the server.")));
	said = true;
	return WA_EXCHANGE_LOST;
}

WaExchange
wa_connection_hello(void)
{
	WaMessage reply;
	WaExchange result;

	if (!wa_connection_greet())
		return WA_EXCHANGE_LOST;
	result = wa_connection_receive(&reply);
	/* What cannot be understood is another version's, as it comes first. */
	if (result == WA_EXCHANGE_LOST && wa_trouble()->status == WA_BAD_REQUEST)
		return refuse_version();
	if (result != WA_EXCHANGE_DONE)
	{
		wa_connection_close();
		return result;
	}
	if (reply.header.type != WA_MSG_WELCOME ||
		reply.welcome.version != WA_PROTOCOL_VERSION ||
		reply.welcome.connection == 0)
		return refuse_version();
	connection.number = reply.welcome.connection;
	connection.state.open = true;
	connection.state.state = reply.welcome.state == WA_DAEMON_READY
								 ? WA_DAEMON_READY
								 : WA_DAEMON_STARTING;
	connection.state.gpus = reply.welcome.gpus;
	reply.welcome.gpu_error[WA_MAX_ERROR_BYTES - 1] = '\0';
	strlcpy(connection.state.gpu_error, reply.welcome.gpu_error,
			sizeof(connection.state.gpu_error));
	return WA_EXCHANGE_DONE;
}

bool
wa_connection_attach(void)
{
	WaMessage message = {0};
	WaMessage reply;

	if (connection.state.attached)
		return true;
	message.simple.version = WA_PROTOCOL_VERSION;
	if (wa_connection_exchange(&message, WA_MSG_ATTACH, sizeof(message.simple),
							   &reply) != WA_EXCHANGE_DONE)
		return false;
	if (reply.header.type != WA_MSG_ATTACHED ||
		connection.nreceived_fds != ATTACHED_FDS)
		(void) wa_trouble_note_reply(WA_EXCHANGE_LOST, &reply);
	else if (wa_staging_map(&connection.staging, &reply.attached,
							connection.received_fds[0]) &&
			 wa_counters_adopt(connection.received_fds[1]))
	{
		close_received_fds();
		connection.state.attached = true;
		return true;
	}
	wa_connection_close();
	return false;
}

const void *
wa_connection_map_file(uint64 bytes)
{
	const void *memory = NULL;

	if (connection.nreceived_fds != 1)
		(void) wa_trouble_note(WA_EXCHANGE_LOST, WA_BAD_REQUEST,
							   NOT_UNDERSTOOD);
	else
		memory = wa_staging_map_file(connection.received_fds[0], bytes);
	close_received_fds();
	return memory;
}

void *
wa_connection_take_slot(uint32_t *slot, size_t *bytes)
{
	if (!wa_staging_take(&connection.staging, connection.number, slot))
		return NULL;
	*bytes = connection.staging.slot_bytes;
	return connection.staging.slots + *slot * connection.staging.slot_bytes;
}

void
wa_connection_free_slot(uint32_t slot)
{
	if (connection.state.attached)
		wa_staging_free(&connection.staging, connection.number, slot);
}
