/*
 * store_follow.h
 *		Which blocks are fresh.
 *
 * A cached block is fresh while no change of it is known since it had its LSN.  A
 * LOAD, or CONFIRM, makes blocks fresh that were read behind a position, unless a
 * change since then is known, or changes have been forgotten that would have to be
 * looked at.  A FOLLOW takes what is changed.  So what is fresh is as it was when it
 * was read, up to the position that is known; a gap in what is known takes all.
 */
#ifndef WA_DAEMON_STORE_FOLLOW_H
#define WA_DAEMON_STORE_FOLLOW_H

#include "daemon/store/store_map.h"

/*
 * Makes cached blocks of an extent (a bit for each) fresh as far as is known, which were
 * read behind a position, with the LSNs that the extent's layout has.  Others stay what
 * they are.  The caller has the store's lock.
 */
void wa_follow_refresh(const WaStore *store, WaExtent *extent,
					   uint64_t position, const uint64_t *blocks);

/* Does what a sound FOLLOW says; returns how far WAL is known then. */
uint64_t wa_store_follow(WaStore *store, const WaFollowMessage *follow);

#endif /* WA_DAEMON_STORE_FOLLOW_H */
