/*
 * follow.c
 *		How a session tells warpaggd what WAL has changed.
 */
#include "postgres.h"

#include "client/client.h"
#include "client/connection.h"
#include "client/follow.h"

bool
wa_client_follow(WaMessage *follow, uint64 *position)
{
	const size_t length = offsetof(WaFollowMessage, changes) +
						  follow->follow.nchanges * sizeof(WaChange);
	const uint64 to = follow->follow.to;
	WaMessage reply;

	wa_client_guard();
	wa_client_finish();
	if (!wa_connection_state()->open ||
		wa_connection_exchange(follow, WA_MSG_FOLLOW, length, &reply) !=
			WA_EXCHANGE_DONE)
		return false;
	if (reply.header.type != WA_MSG_FOLLOWED || reply.followed.position < to)
	{
		wa_connection_close();
		return false;
	}
	*position = reply.followed.position;
	return true;
}
