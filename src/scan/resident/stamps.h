/*
 * stamps.h
 *		Whether tables are as they were, as a snapshot sees them.
 */
#ifndef WA_SCAN_RESIDENT_STAMPS_H
#define WA_SCAN_RESIDENT_STAMPS_H

#include "nodes/pg_list.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#include "core/must_check.h"

/*
 * Has WAL be followed as far as a snapshot needs, and asks the device process for stamps of
 * a list of open relations (Relation), of which it stores one for each.
 *
 * Two stamps of a relation that are the same, and not 0, tell that both snapshots see the
 * same rows in it, at the same places, with the same values of all columns; what the
 * columns' types, collations and generation expressions are is the caller's to compare.
 * A stamp is 0 if that cannot be told: not all blocks are resident, fresh and settled for
 * the snapshot, or the relation cannot be resident in this transaction, or has been changed
 * by it.
 *
 * Returns false, with all stamps 0, if the device process is not there, not ready or has
 * failed.  Raises no errors for that.  Not to be called in a parallel worker.
 */
extern WA_MUST_CHECK bool wa_resident_stamps(List *relations, Snapshot snapshot,
											 uint64 *stamps);

/*
 * Asks likewise what the blocks of a relation are, of which there are `nblocks`: since the
 * snapshot was taken it has had no fewer.  Stores an identity for each.
 *
 * Two identities of a block of the same storage that are the same, and not 0, tell of it what
 * stamps tell of a relation, to the same session.
 *
 * Returns false, too, if the relation can have none, or the device process should not be
 * asked for so many.
 */
extern WA_MUST_CHECK bool wa_resident_blocks(Relation relation,
											 Snapshot snapshot, uint32 nblocks,
											 uint64 *identities);

#endif /* WA_SCAN_RESIDENT_STAMPS_H */
