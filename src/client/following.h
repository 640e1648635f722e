/*
 * following.h
 *		How the supervisor has warpaggd know what WAL has changed.
 *
 * Once somebody has begun it (wal/wal.h) the supervisor goes on, by one FOLLOW after the
 * other: at short intervals while much is written, at longer ones while little is.
 */
#ifndef WA_CLIENT_FOLLOWING_H
#define WA_CLIENT_FOLLOWING_H

#include "client/spawn.h"
#include "core/protocol.h"

/*
 * Fills in a FOLLOW, but for its header, of what lies behind a position; returns false if
 * there is nothing new.
 */
typedef bool (*WaFollowNext)(uint64 from, WaFollowMessage *follow);

typedef struct WaFollowing
{
	bool under_way; /* FOLLOWED has yet to come */
	uint32 request; /* number of the last FOLLOW */
	int64
		due_ms; /* when to look at WAL next, or no longer to wait for FOLLOWED */
	int pause_ms;
} WaFollowing;

/* Says what reads WAL.  Called once, from _PG_init. */
extern void wa_following_init(WaFollowNext next);

/*
 * Looks at WAL if that is due, behind `followed` if that is not 0, and tells warpaggd;
 * returns for how many milliseconds there is nothing to do.
 */
extern int wa_following_turn(WaFollowing *following,
							 const WaDaemonProcess *process, uint64 followed,
							 int64 now_ms);

/* Takes warpaggd's answer. */
extern void wa_following_hear(WaFollowing *following,
							  const WaFollowedMessage *message, int64 now_ms);

#endif /* WA_CLIENT_FOLLOWING_H */
