/*
 * server.c
 *		The main thread's loop; see server.h.
 *
 * Nothing in the loop waits but epoll_wait.  An event names its connection by
 * place and number, so that one which was closed earlier in the same round,
 * or has been replaced since, is not mistaken for another.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/socket.h"
#include "daemon/server/connection_requests.h"
#include "daemon/server/control.h"
#include "daemon/server/server.h"

#define EVENTS_PER_ROUND  64
#define ACCEPTS_PER_ROUND 16
#define TICK_NS           (WA_HEARTBEAT_MS * WA_NS_PER_MS)

/* Lines about broken rules that the log takes in so long a time. */
#define BREACH_LINES 10
#define BREACH_NS    (10 * WA_NS_PER_S)

/* Time for the replies to other requests when a device is lost. */
#define EXIT_DELAY_NS (100 * WA_NS_PER_MS)

/* Sources of events other than connections, whose number is never 0. */
typedef enum EventSource
{
	SOURCE_LISTEN = 0,
	SOURCE_CONTROL,
	SOURCE_JOBS
} EventSource;

/* Makes the tag of an event: a connection's place and number, or a source. */
static uint64_t
event_tag(uint32_t number, unsigned index)
{
	return (uint64_t) number << 32 | index;
}

/* Watches a descriptor for input; tells whether that could be done. */
static bool
watch(const WaServer *server, int fd, uint64_t tag)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};

	return epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Watches the listening socket, or leaves connections in its backlog. */
static void
set_accepting(WaServer *server, bool accepting)
{
	struct epoll_event event = {.events = accepting ? EPOLLIN : 0,
								.data.u64 = event_tag(0, SOURCE_LISTEN)};

	if (server->accepting != accepting &&
		epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, server->listen_fd, &event) ==
			0)
		server->accepting = accepting;
}

bool
wa_server_init(WaServer *server, WaService *service, const char *socket_path,
			   int event_fd, int control_fd)
{
	memset(server, 0, sizeof(*server));
	server->service = service;
	server->socket_path = socket_path;
	server->event_fd = event_fd;
	server->control_fd = control_fd;
	server->accepting = true;
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	server->listen_fd = wa_socket_listen(socket_path, &server->socket);
	if (server->listen_fd < 0)
		return false;
	server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (server->epoll_fd >= 0 &&
		watch(server, server->listen_fd, event_tag(0, SOURCE_LISTEN)) &&
		watch(server, event_fd, event_tag(0, SOURCE_JOBS)) &&
		(control_fd < 0 ||
		 watch(server, control_fd, event_tag(0, SOURCE_CONTROL))))
		return true;
	wa_log_write(WA_LOG_WARNING, "could not watch sockets: %m");
	return false;
}

/* Tells whether a connection, closed ones with a job included, is there. */
static bool
is_connection(void *arg, uint32_t number)
{
	const WaServer *server = arg;

	for (unsigned i = 0; i < WA_MAX_CONNECTIONS; i++)
		if (server->connections[i] != NULL &&
			server->connections[i]->number == number)
			return true;
	return false;
}

/* Returns a number for a new connection. */
static uint32_t
new_number(WaServer *server)
{
	do
		server->last_number++;
	while (server->last_number == 0 ||
		   is_connection(server, server->last_number));
	return server->last_number;
}

/* Listens to a connection, or leaves what it sends in its socket. */
static void
set_held(const WaServer *server, WaConnection *connection, bool held)
{
	struct epoll_event event = {
		.events = held ? 0 : EPOLLIN,
		.data.u64 = event_tag(connection->number, connection->index)};

	if (connection->held != held &&
		epoll_ctl(server->epoll_fd, EPOLL_CTL_MOD, connection->fd, &event) == 0)
		connection->held = held;
}

/* Forgets a connection at whose work nobody is, and frees what it held. */
static void
release_connection(WaServer *server, WaConnection *connection)
{
	(void) close(connection->fd);
	wa_connection_release(connection, server->service);
	server->connections[connection->index] = NULL;
	server->nconnections--;
	free(connection);
}

/*
 * Writes to the log what rule a connection has broken, unless there was too
 * much of that lately.
 */
static void
log_breach(WaServer *server, const WaConnection *connection)
{
	WaLogLimit *limit = &server->breaches;
	int64_t now_ns = wa_clock_ns();

	if (now_ns - limit->since_ns > BREACH_NS)
	{
		limit->since_ns = now_ns;
		limit->lines = 0;
	}
	if (limit->lines < BREACH_LINES)
		wa_log_write(WA_LOG_LOG, "closing connection of process %d: %s",
					 (int) connection->pid, connection->breach);
	else if (limit->lines == BREACH_LINES)
		wa_log_write(WA_LOG_LOG, "closing more connections, unlogged");
	if (limit->lines <= BREACH_LINES)
		limit->lines++;
}

/*
 * Closes a connection.  Its record, its slots, its parcel and its descriptor stay
 * while somebody is at its work; answer releases them then.
 */
static void
close_connection(WaServer *server, WaConnection *connection)
{
	if (connection->breach != NULL)
		log_breach(server, connection);
	if (wa_connection_cancel(connection))
	{
		release_connection(server, connection);
		return;
	}
	connection->closed = true;
	(void) epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
	(void) shutdown(connection->fd, SHUT_RDWR);
}

/* Replies to a connection whose work was collected, if it is still there. */
static void
answer(WaServer *server, WaConnection *connection)
{
	if (connection->closed)
		release_connection(server, connection);
	else if (!wa_connection_reply(connection, server->service))
		close_connection(server, connection);
	else
		set_held(server, connection, false);
}

/* Has the process end soon, if that is not so yet, because a device is lost. */
static void
end_soon(WaServer *server, const char *reason)
{
	if (server->exit_at_ns != 0)
		return;
	server->exit_at_ns = wa_clock_ns() + EXIT_DELAY_NS;
	wa_log_write(WA_LOG_WARNING, "ending because a device is lost: %s", reason);
}

/* Sends the replies to all that other threads have done. */
static void
collect(WaServer *server)
{
	WaFinished *finished;
	uint64_t number;
	ssize_t got = read(server->event_fd, &number, sizeof(number));

	(void) got; /* it only resets the event */
	finished = wa_finished_collect(&server->service->finished);
	while (finished != NULL)
	{
		WaConnection *connection = finished->owner;
		const char *reason;

		finished = finished->next;
		reason = wa_connection_lost_device(connection);
		if (reason != NULL)
			end_soon(server, reason);
		answer(server, connection);
	}
}

/* Makes the record of a new connection and watches it; may return NULL. */
static WaConnection *
add_connection(WaServer *server, int fd, pid_t pid)
{
	WaConnection *connection;
	unsigned index = 0;

	if (server->nconnections == WA_MAX_CONNECTIONS)
		return NULL;
	connection = calloc(1, sizeof(*connection));
	if (connection == NULL)
		return NULL;
	while (server->connections[index] != NULL)
		index++;
	connection->fd = fd;
	connection->pid = pid;
	connection->index = index;
	connection->number = new_number(server);
	if (!watch(server, fd, event_tag(connection->number, index)))
	{
		free(connection);
		return NULL;
	}
	server->connections[index] = connection;
	server->nconnections++;
	return connection;
}

/*
 * Closes a connection that we cannot serve, having told the peer why.  What it has
 * sent is taken out of the socket, or it would learn of a reset first.
 */
static void
refuse(int fd, const char *why)
{
	const WaConnection refused = {.fd = fd};
	char text[WA_MAX_ERROR_BYTES];
	char byte;

	(void) snprintf(text, sizeof(text), "connections are refused: %s", why);
	wa_log_write(WA_LOG_WARNING, "%s", text);
	(void) wa_connection_fail(&refused, 0, WA_OUT_OF_FILES, text);
	(void) shutdown(fd, SHUT_RDWR);
	while (recv(fd, &byte, 1, MSG_DONTWAIT) > 0)
		continue;
	(void) close(fd);
}

/* Serves a new connection, or refuses it. */
static void
welcome(WaServer *server, int fd)
{
	pid_t pid;

	if (!wa_socket_peer_is_ours(fd, &pid))
		(void) close(fd);
	else if (server->nconnections == WA_MAX_CONNECTIONS)
		refuse(fd, "there are too many");
	else if (add_connection(server, fd, pid) == NULL)
		refuse(fd, "there is no memory for more");
}

/* Accepts the next connection; returns its descriptor, or -1 with errno set. */
static int
accept_next(const WaServer *server)
{
	return accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/*
 * Without a free descriptor, accepts a connection in the place of the spare one
 * and refuses it.  Returns false if that cannot be done.
 */
static bool
refuse_next(WaServer *server)
{
	int fd;

	if (server->spare_fd < 0)
		return false;
	(void) close(server->spare_fd);
	fd = accept_next(server);
	if (fd >= 0)
		refuse(fd, "too many files are open");
	server->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

/* Accepts waiting connections; those we cannot serve are closed at once. */
static void
accept_connections(WaServer *server)
{
	for (int i = 0; i < ACCEPTS_PER_ROUND; i++)
	{
		const int fd = accept_next(server);

		if (fd >= 0)
			welcome(server, fd);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR && errno != ECONNABORTED &&
				 !((errno == EMFILE || errno == ENFILE) && refuse_next(server)))
		{
			/* Out of descriptors or memory: try again at the next tick. */
			wa_log_write(WA_LOG_WARNING, "could not accept a connection: %m");
			set_accepting(server, false);
			return;
		}
	}
}

/*
 * Listens on a new socket at the same path.  Whoever is connected, or waits to be
 * at the old one, is served as ever.
 */
static void
listen_anew(WaServer *server)
{
	WaFileIdentity identity;
	const int fd = wa_socket_listen(server->socket_path, &identity);

	if (fd < 0)
		return;
	for (int i = 0; i < WA_MAX_CONNECTIONS / ACCEPTS_PER_ROUND; i++)
		accept_connections(server);
	if (!watch(server, fd, event_tag(0, SOURCE_LISTEN)))
	{
		wa_log_write(WA_LOG_WARNING, "could not watch the new socket: %m");
		(void) close(fd);
		return;
	}
	(void) close(server->listen_fd); /* which ends its being watched */
	server->listen_fd = fd;
	server->socket = identity;
	server->accepting = true;
}

/* Tells whether a connection has sent what has not been read. */
static bool
has_input(const WaConnection *connection)
{
	char byte;

	return recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Counts connections for which something is under way, or about to be. */
static uint32_t
count_working(const WaServer *server, bool or_about_to_be)
{
	uint32_t working = 0;

	for (unsigned i = 0; i < WA_MAX_CONNECTIONS; i++)
	{
		const WaConnection *connection = server->connections[i];

		if (connection != NULL && (connection->work != WA_WORK_NONE ||
								   (or_about_to_be && has_input(connection))))
			working++;
	}
	return working;
}

/* Does what the supervisor says; returns false if the process is to end. */
static bool
obey_supervisor(WaServer *server)
{
	const WaControlState state = {
		.socket = server->socket,
		.working = count_working(server, false),
	};

	switch (wa_control_receive(server->control_fd, server->service, &state))
	{
		case WA_ORDER_NONE:
			break;
		case WA_ORDER_LISTEN:
			listen_anew(server);
			break;
		case WA_ORDER_RETIRE:
			return count_working(server, true) > 0;
		case WA_ORDER_END:
			return false;
	}
	return true;
}

/* Takes a message from the connection that the event names. */
static void
serve_connection(WaServer *server, uint64_t tag)
{
	unsigned index = (uint32_t) tag;
	WaConnection *connection =
		index < WA_MAX_CONNECTIONS ? server->connections[index] : NULL;

	if (connection == NULL || connection->number != tag >> 32 ||
		connection->closed)
		return;
	if (wa_connection_is_answered(connection))
		set_held(server, connection, true);
	else if (!wa_connection_receive(connection, server->service))
		close_connection(server, connection);
}

/* Handles one event; returns false if the process is to end. */
static bool
handle_event(WaServer *server, uint64_t tag)
{
	if (tag >> 32 != 0)
		serve_connection(server, tag);
	else if (tag == SOURCE_LISTEN)
		accept_connections(server);
	else if (tag == SOURCE_JOBS)
		collect(server);
	else
		return obey_supervisor(server);
	return true;
}

/* Logs, once each time, that a device hangs or answers again. */
static void
log_hanging(WaServer *server)
{
	bool hanging = wa_service_hangs(server->service);

	if (hanging && !server->hanging)
		wa_log_write(WA_LOG_WARNING, "a device has not answered for %d ms",
					 WA_HANG_MS);
	else if (!hanging && server->hanging)
		wa_log_write(WA_LOG_LOG, "all devices answer again");
	server->hanging = hanging;
}

/* Does what is due once a second. */
static void
tick(WaServer *server)
{
	set_accepting(server, true);
	log_hanging(server);
	for (unsigned i = 0; i < WA_MAX_CONNECTIONS; i++)
	{
		WaConnection *connection = server->connections[i];

		if (connection != NULL && !connection->closed &&
			!wa_connection_heartbeat(connection))
			close_connection(server, connection);
	}
	wa_staging_sweep(&server->service->staging, is_connection, server);
}

/*
 * Returns how long epoll_wait may wait, in milliseconds; -1: for ever.  Where a thread
 * of the pool looks for the next query we do so, too.
 */
static int
wait_ms(const WaServer *server, int64_t now_ns)
{
	int64_t until_ns = server->next_tick_ns;

	if (now_ns - server->heard_ns < server->service->pool.look_ns)
	{
		(void) sched_yield();
		return 0;
	}
	if (server->exit_at_ns != 0)
		until_ns = server->exit_at_ns;
	else if (server->nconnections == 0 && server->accepting && !server->hanging)
		return -1;
	if (until_ns <= now_ns)
		return 0;
	return (int) ((until_ns - now_ns) / WA_NS_PER_MS) + 1;
}

int
wa_server_run(WaServer *server)
{
	server->next_tick_ns = wa_clock_ns() + TICK_NS;
	for (;;)
	{
		struct epoll_event events[EVENTS_PER_ROUND];
		int64_t now_ns = wa_clock_ns();
		int nevents = epoll_wait(server->epoll_fd, events, EVENTS_PER_ROUND,
								 wait_ms(server, now_ns));

		for (int i = 0; i < nevents; i++)
			if (!handle_event(server, events[i].data.u64))
				return EXIT_SUCCESS;
		now_ns = wa_clock_ns();
		if (nevents > 0)
			server->heard_ns = now_ns;
		if (server->exit_at_ns != 0 && now_ns >= server->exit_at_ns)
			return WA_EXIT_DEVICE_LOST;
		if (now_ns >= server->next_tick_ns)
		{
			tick(server);
			server->next_tick_ns = now_ns + TICK_NS;
		}
	}
}
