/*
 * follow.h
 *		How a session tells warpaggd what WAL has changed.
 */
#ifndef WA_CLIENT_FOLLOW_H
#define WA_CLIENT_FOLLOW_H

#include "core/must_check.h"
#include "core/protocol.h"

/* Returns the length of a FOLLOW, in bytes. */
static inline uint32_t
wa_follow_length(const WaFollowMessage *follow)
{
	return (uint32_t) (offsetof(WaFollowMessage, changes) +
					   follow->nchanges * sizeof(WaChange));
}

/*
 * Sends a FOLLOW, whose header is filled in here, over the open connection, and sets
 * how far WAL is followed then.  Returns false if there is no connection or it failed,
 * and so has been closed; nothing is raised.
 */
extern WA_MUST_CHECK bool wa_client_follow(WaMessage *follow, uint64 *position);

/*
 * Likewise, but waits for nothing: what is sent over the connection afterwards finds WAL
 * followed so far.
 */
extern WA_MUST_CHECK bool wa_client_tell_follow(WaMessage *follow);

#endif /* WA_CLIENT_FOLLOW_H */
