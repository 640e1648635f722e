/*
 * spill.h
 *		Groups beyond the memory: rows on disk, to be brought into groups later.
 *
 * When the groups outgrow work_mem * hash_mem_multiplier they are closed.  Rows
 * of groups that are there go on into them; other rows are written to files, by
 * the partition of their keys' hash (scan/groups/partition.h).  When all rows have been
 * read, the groups are complete, and each partition follows, which is treated in
 * the same way.
 *
 * Where several processes read the table, a group may be in the memory of one
 * when another one spills its rows.  Once a process has spilled, all groups that
 * processes have in the end are written to the partitions, too, as messages
 * (query/message/partial_groups.h).  A partition is then read by the leader alone.
 */
#ifndef WA_SCAN_SPILL_H
#define WA_SCAN_SPILL_H

#include "core/must_check.h"
#include "query/base/wire.h"
#include "scan/spill/spill_file.h"
#include "scan/state/scan_batch.h"
#include "scan/state/scan_store.h"
#include "storage/fileset.h"

/* What processes that read a table together share of what they spill. */
typedef struct WaSpillShare
{
	FileSet set;
	int nprocesses;
	pg_atomic_uint32 bits; /* of the first partitions; 0: nobody spills */
} WaSpillShare;

/* Has the leader spill together with its workers; fills in the share. */
extern void wa_spill_share(WaScanStore *store, WaSpillShare *share,
						   int nprocesses);

/* Has a worker do so, as process 1 or more. */
extern void wa_spill_join(WaScanStore *store, WaSpillShare *share, int process);

/*
 * Returns how many rows to take before wa_spill_check is to be called: fewer than a
 * batch has if their groups could outgrow the memory by much.
 */
extern int wa_spill_piece(WaScanStore *store);

/*
 * To be called when rows have been taken: closes the groups if they are too
 * large.  Should those that are closed go on growing, they are spilled.
 */
extern void wa_spill_check(WaScanStore *store);

/*
 * Spills those rows of a batch, which are also in vectors, that have no group; their
 * group becomes 0.  Stores in *found what tells for each row whether
 * it has a group; NULL: all have.  Returns how many have.
 */
extern size_t wa_spill_missing(WaScanStore *store, WaScanBatch *batch,
							   size_t nrows, const uint8 **found);

/* Spills a row, with the hash of its keys. */
extern void wa_spill_row(WaScanStore *store, uint32 hash, const WaRow *row);

/* Likewise a row of the query's table that lies in a slot, and was not spilled before. */
extern void wa_spill_slot(WaScanStore *store, uint32 hash,
						  TupleTableSlot *slot);

/* Spills a message of groups of the same part as the hash. */
extern void wa_spill_message(WaScanStore *store, uint32 hash,
							 const WaWriter *message);

/* Tells whether something is being spilled. */
extern bool wa_spill_has_spilled(const WaScanStore *store);

/* Spills all groups; there are none then. */
extern void wa_spill_groups(WaScanStore *store);

/*
 * To be called when all rows of the table or of the partition have been taken.
 * Deletes what was read, and puts the partitions that were spilled, by processes
 * 0 to nprocesses - 1, among those that are to come.
 */
extern void wa_spill_finish(WaScanStore *store, int nprocesses);

/* Tells whether a partition is to come. */
extern bool wa_spill_is_left(const WaScanStore *store);

/* Opens the next partition, which there is; it is the last that was put there. */
extern void wa_spill_open(WaScanStore *store);

/*
 * Reads on in the partition, as wa_spill_reader_next.  The rows have fulfilled
 * WHERE.
 */
extern WA_MUST_CHECK int wa_spill_read(WaScanStore *store, WaRow *rows,
									   WaSpilledGroups *groups);

/* Tells whether rows come from a partition. */
extern bool wa_spill_is_reading(const WaScanStore *store);

/* Deletes all files; nothing is spilled any more. */
extern void wa_spill_end(WaScanStore *store);

#endif /* WA_SCAN_SPILL_H */
