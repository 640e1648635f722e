/*
 * connection.h
 *		One backend's connection: its state, and answers that say little.
 *
 * All of it belongs to the main thread, but for what other threads work at: the
 * job is the scheduler's while work is WA_WORK_REDUCE, the task its pool's while it is
 * WA_WORK_TASK, the run, and whether its answer was sent, its pool's while it is
 * WA_WORK_RUN.
 */
#ifndef WA_DAEMON_CONNECTION_H
#define WA_DAEMON_CONNECTION_H

#include <sys/types.h>

#include "daemon/base/parcel.h"
#include "daemon/server/service.h"

/* What request is under way. */
typedef enum WaWork
{
	WA_WORK_NONE = 0,
	WA_WORK_REDUCE,
	WA_WORK_TASK,
	WA_WORK_RUN
} WaWork;

typedef struct WaConnection
{
	int fd;
	bool closed;        /* only its work is still to be collected */
	bool held;          /* it is not listened to until that is */
	uint32_t number;    /* its name, never 0, unique among living connections */
	unsigned index;     /* its place in the server's table */
	pid_t pid;          /* the peer's process, for the log */
	bool greeted;       /* it has said HELLO in our version */
	bool attached;      /* it has the staging file */
	WaWork work;        /* what is under way */
	uint32_t request;   /* the number that the asker gave to it */
	const char *breach; /* what rule it has broken, if any */
	WaPool *pool;       /* that has what is under way; REDUCE: a device's */
	WaPoolJob *pooled;  /* what this is there */
	WaJob job;
	struct WaResidentTask *task; /* NULL: there is none */
	struct WaRun *run;           /* likewise */
	struct WaCounters *counters; /* that the run adds to */
	bool sent;                   /* the answer to the run */
	WaParcel parcel;
} WaConnection;

/* Notes what rule was broken; the result, false, ends the connection. */
bool wa_connection_break(WaConnection *connection, const char *breach);

/* Has a pool do a request, which is under way until it is collected. */
void wa_connection_submit(WaConnection *connection, WaWork work,
						  uint32_t request, WaPool *pool, WaPoolJob *job);

/* Answers a request with a failure; false if that could not be sent. */
bool wa_connection_fail(const WaConnection *connection, uint32_t request,
						WaStatus status, const char *text);

/* Sends a message without contents but a checksum of bulk data, or 0; likewise. */
bool wa_connection_say(const WaConnection *connection, WaMessageType type,
					   uint32_t request, uint32_t bulk);

#endif /* WA_DAEMON_CONNECTION_H */
