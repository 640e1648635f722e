/*
 * connection.h
 *		One backend's connection: its state, and what its messages do.
 *
 * All of it belongs to the main thread, but for the job, which belongs to the
 * scheduler while busy is set.
 */
#ifndef WA_DAEMON_CONNECTION_H
#define WA_DAEMON_CONNECTION_H

#include <sys/types.h>

#include "daemon/service.h"

typedef struct WaConnection
{
	int fd;             /* -1: closed, only the job is still to be collected */
	uint32_t number;    /* its name, never 0, unique among living connections */
	unsigned index;     /* its place in the server's table */
	pid_t pid;          /* the peer's process, for the log */
	bool greeted;       /* it has said HELLO in our version */
	bool attached;      /* it has the staging file */
	bool busy;          /* a reduction is under way */
	uint32_t request;   /* the number that the asker gave to it */
	const char *breach; /* what rule it has broken, if any */
	WaJob job;
} WaConnection;

/*
 * Takes one message, if there is one, and does what it asks for.  Returns
 * false if the connection has to be closed: it has ended, does not read, or
 * has broken the protocol, which breach then tells.
 */
bool wa_connection_receive(WaConnection *connection, WaService *service);

/*
 * Sends what became of the connection's job, which has been collected.
 * Returns false if the connection has to be closed.
 */
bool wa_connection_reply(WaConnection *connection, WaService *service);

/*
 * Tells the waiting backend that its job is being worked on, if that is true.
 * Returns false if the connection has to be closed.
 */
bool wa_connection_heartbeat(WaConnection *connection, WaService *service);

#endif /* WA_DAEMON_CONNECTION_H */
