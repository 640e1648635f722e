/*
 * residency.h
 *		Answering RESIDENCY: what there is of columns of some relations.
 *
 * The main thread answers at once.
 */
#ifndef WA_DAEMON_RESIDENCY_H
#define WA_DAEMON_RESIDENCY_H

#include "daemon/server/connection.h"

/* Answers; returns false if the connection has to be closed. */
bool wa_residency_handle(WaConnection *connection, WaService *service,
						 const WaResidencyMessage *residency);

#endif /* WA_DAEMON_RESIDENCY_H */
