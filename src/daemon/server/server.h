/*
 * server.h
 *		The main thread's loop over sockets, finished jobs and time.
 */
#ifndef WA_DAEMON_SERVER_H
#define WA_DAEMON_SERVER_H

#include "daemon/server/connection.h"

#define WA_MAX_CONNECTIONS 1024

/* Keeps many like lines out of the log. */
typedef struct WaLogLimit
{
	int64_t since_ns; /* when counting began */
	unsigned lines;   /* how many there were since then */
} WaLogLimit;

/* All of it belongs to the main thread. */
typedef struct WaServer
{
	WaService *service;
	int epoll_fd;
	const char *socket_path;
	WaFileIdentity socket; /* what is there if it is listen_fd's */
	int listen_fd;
	int spare_fd;     /* to accept whom we cannot serve; -1: there is none */
	int event_fd;     /* something is to be collected */
	int control_fd;   /* -1: there is no supervisor */
	bool accepting;   /* the listening socket is being watched */
	bool hanging;     /* it has been logged that a device hangs */
	int64_t heard_ns; /* when there was something to do */
	int64_t next_tick_ns;
	int64_t exit_at_ns; /* 0: not to end */
	WaLogLimit breaches;
	uint32_t last_number; /* of the connection accepted last */
	unsigned nconnections;
	WaConnection *connections[WA_MAX_CONNECTIONS];
} WaServer;

/*
 * Listens at the path, and prepares to serve that socket, the eventfd for what is
 * finished and, unless it is -1, the supervisor's socket.  Returns false, having
 * logged why, if the system lacks the means.
 */
bool wa_server_init(WaServer *server, WaService *service,
					const char *socket_path, int event_fd, int control_fd);

/*
 * Serves until the supervisor has gone, or says so, or a device is lost, and returns what
 * the process should end with: it has to end at once, by _exit, as workers may
 * be stuck inside a device.
 */
int wa_server_run(WaServer *server);

#endif /* WA_DAEMON_SERVER_H */
