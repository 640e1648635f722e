/*
 * follow.c
 *		How a session tells warpaggd what WAL has changed.
 */
#include "postgres.h"

#include "client/client.h"
#include "client/connection.h"
#include "client/follow.h"

/* Tells whether there is a connection that a FOLLOW can be sent over. */
static bool
may_send(void)
{
	wa_client_guard();
	wa_client_finish();
	return wa_connection_state()->open;
}

bool
wa_client_follow(WaMessage *follow, uint64 *position)
{
	const uint64 to = follow->follow.to;
	WaMessage reply;

	follow->follow.no_reply = 0;
	if (!may_send() || wa_connection_exchange(follow, WA_MSG_FOLLOW,
											  wa_follow_length(&follow->follow),
											  &reply) != WA_EXCHANGE_DONE)
		return false;
	if (reply.header.type != WA_MSG_FOLLOWED || reply.followed.position < to)
	{
		wa_connection_close();
		return false;
	}
	*position = reply.followed.position;
	return true;
}

bool
wa_client_tell_follow(WaMessage *follow)
{
	follow->follow.no_reply = 1;
	return may_send() && wa_connection_tell(follow, WA_MSG_FOLLOW,
											wa_follow_length(&follow->follow));
}
