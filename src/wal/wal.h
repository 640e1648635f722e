/*
 * wal.h
 *		Positions of WAL, and following it for warpaggd; see docs/internals/freshness.md.
 */
#ifndef WA_WAL_WAL_H
#define WA_WAL_WAL_H

#include "core/must_check.h"
#include "core/resident_messages.h"
#include "utils/snapshot.h"

/*
 * Returns a position before which lies all that is in the heap now: where the next
 * record begins or, in recovery, where the last that was replayed has ended.
 */
extern uint64 wa_wal_insert_position(void);

/*
 * Returns a position such that whatever has changed for who sees what the snapshot does
 * was changed by records that end at or before it, and up to which WAL can be read.  May
 * flush WAL, as what was committed with synchronous_commit = off can be seen before.
 */
extern uint64 wa_wal_required(Snapshot snapshot);

/*
 * Sees to it that warpaggd, to which there is a connection, knows of all changes of WAL
 * that the snapshot sees, a snapshot of type SNAPSHOT_MVCC, and sets the position up to
 * which that is so.  Returns false if that cannot be: then the query uses nothing that is
 * resident.  Raises no errors but for interrupts and lack of memory.  Not for parallel
 * workers, which do not know where the records of their transaction end.
 */
extern WA_MUST_CHECK bool wa_wal_follow(Snapshot snapshot, uint64 *position);

/*
 * Sees to it, for what is to be loaded, that WAL is being followed, from here on if it is
 * not yet or cannot be from where it was.  Returns false if warpaggd cannot be told.
 */
extern WA_MUST_CHECK bool wa_wal_begin(void);

/*
 * Fills in a FOLLOW, but for its header, of what follows on a position up to which WAL has
 * been followed: for the supervisor, which has no transaction.  Where WAL is gone, or too
 * much of it lies behind, it tells of a gap.  Returns false if there is nothing new.
 */
extern WA_MUST_CHECK bool wa_wal_next(uint64 from, WaFollowMessage *follow);

#endif /* WA_WAL_WAL_H */
