/*
 * stamps.h
 *		Answering STAMPS: whether relations are as they were.
 */
#ifndef WA_DAEMON_STAMPS_H
#define WA_DAEMON_STAMPS_H

#include "daemon/server/connection.h"

/* Answers a question.  Returns false if the connection has to be closed. */
bool wa_stamps_handle(WaConnection *connection, WaService *service,
					  const WaStampsMessage *stamps);

#endif /* WA_DAEMON_STAMPS_H */
