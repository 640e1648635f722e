/*
 * connection_requests.h
 *		What a connection's messages ask for, and what becomes of that.
 */
#ifndef WA_DAEMON_CONNECTION_REQUESTS_H
#define WA_DAEMON_CONNECTION_REQUESTS_H

#include "daemon/server/connection.h"

/*
 * Takes one message, if there is one, and does what it asks for.  Returns
 * false if the connection has to be closed: it has ended, does not read, or
 * has broken the protocol, which breach then tells.
 */
bool wa_connection_receive(WaConnection *connection, WaService *service);

/*
 * Sends what became of the connection's work, which has been collected.
 * Returns false if the connection has to be closed.
 */
bool wa_connection_reply(WaConnection *connection, WaService *service);

/*
 * Ends interest in the connection's work.  Returns true if nobody is at it any
 * more; else it is to be collected as usual, soon.
 */
bool wa_connection_cancel(WaConnection *connection);

/* Frees what a connection, at whose work nobody is, holds of ours. */
void wa_connection_release(WaConnection *connection, WaService *service);

/*
 * Tells the waiting backend that its job is being worked on, if that is true.
 * Returns false if the connection has to be closed.
 */
bool wa_connection_heartbeat(WaConnection *connection);

/* Tells why, if the work that was collected has found a device lost; else NULL. */
const char *wa_connection_lost_device(const WaConnection *connection);

/*
 * Tells whether the connection's work has been answered, but is still to be
 * collected: until then it must not be listened to.
 */
bool wa_connection_is_answered(const WaConnection *connection);

#endif /* WA_DAEMON_CONNECTION_REQUESTS_H */
