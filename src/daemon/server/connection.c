/*
 * connection.c
 *		Answers that say little; see connection.h.
 */
#include <stdio.h>
#include <string.h>

#include "daemon/base/socket.h"
#include "daemon/server/connection.h"

bool
wa_connection_break(WaConnection *connection, const char *breach)
{
	connection->breach = breach;
	return false;
}

void
wa_connection_submit(WaConnection *connection, WaWork work, uint32_t request,
					 WaPool *pool, WaPoolJob *job)
{
	job->finished.owner = connection;
	connection->work = work;
	connection->request = request;
	connection->pool = pool;
	connection->pooled = job;
	wa_pool_submit(pool, job);
}

bool
wa_connection_fail(const WaConnection *connection, uint32_t request,
				   WaStatus status, const char *text)
{
	WaFailedMessage failed;

	memset(&failed, 0, sizeof(failed));
	wa_message_begin(&failed.header, WA_MSG_FAILED, sizeof(failed), request);
	failed.status = (uint32_t) status;
	(void) snprintf(failed.text, sizeof(failed.text), "%s", text);
	return wa_socket_send(connection->fd, &failed.header, NULL, 0);
}

bool
wa_connection_say(const WaConnection *connection, WaMessageType type,
				  uint32_t request, uint32_t bulk)
{
	WaSimpleMessage simple;

	memset(&simple, 0, sizeof(simple));
	wa_message_begin(&simple.header, type, sizeof(simple), request);
	simple.header.bulk = bulk;
	simple.version = WA_PROTOCOL_VERSION;
	return wa_socket_send(connection->fd, &simple.header, NULL, 0);
}
