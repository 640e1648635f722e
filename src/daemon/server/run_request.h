/*
 * run_request.h
 *		RUN, as the main thread sees it.
 */
#ifndef WA_DAEMON_RUN_REQUEST_H
#define WA_DAEMON_RUN_REQUEST_H

#include "daemon/server/connection.h"

/*
 * Has the pool do a RUN.  Returns false, like the next one, if the connection has to be closed.
 */
bool wa_run_request_handle(WaConnection *connection, WaService *service,
						   const WaRunMessage *message);

/* Frees a run that is finished, and was answered by the thread that did so. */
bool wa_run_request_end(WaConnection *connection);

#endif /* WA_DAEMON_RUN_REQUEST_H */
