/*
 * stamps.c
 *		Whether tables are as they were; see stamps.h.
 *
 * The order is that of the proof (docs/internals/freshness.md): the snapshot was taken
 * before, then come the numbers of blocks and the position of WAL, which is followed, and
 * then the device process is asked, unless it has told of such a snapshot and position.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xlog.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "client/client.h"
#include "client/outage.h"
#include "client/stamps.h"
#include "client/trouble.h"
#include "resident/relation.h"
#include "resident/snapshot.h"
#include "scan/resident/resident_asked.h"
#include "scan/resident/stamps.h"
#include "settings.h"

/* So many blocks are asked for at most: 32 GB of 8 kB each. */
#define MOST_BLOCKS (1 << 22)

/* So many relations are remembered. */
#define MOST_TOLD 32

/*
 * What the device process has told last, of a snapshot at a position: where nothing has been
 * written since, and nobody has begun or ended a transaction, it is so still.
 */
typedef struct Told
{
	uint64 position;
	WaSnapshot snapshot;
	uint32 count;
	WaRunSource sources[MOST_TOLD];
	uint64 stamps[MOST_TOLD]; /* none is 0 */
} Told;

static Told told;

/*
 * Tells whether this transaction has added a column, or changed one: others do not see it,
 * and may have another one of its number when this one is rolled back.
 */
static bool
has_new_column(Relation relation)
{
	for (int i = 0; i < RelationGetNumberOfAttributes(relation); i++)
		if (!TupleDescAttr(RelationGetDescr(relation), i)->attisdropped &&
			wa_resident_column_is_new(relation, (AttrNumber) (i + 1)))
			return true;
	return false;
}

/*
 * Describes those of the relations that may have stamps; places: of each in the list.
 * Returns how many they are.
 */
static uint32
describe(List *relations, WaRunSource *sources, int *places)
{
	uint32 count = 0;
	ListCell *cell;

	foreach (cell, relations)
	{
		Relation relation = (Relation) lfirst(cell);

		if (count == WA_MAX_RUN_SOURCES ||
			wa_resident_refusal(relation) != NULL || has_new_column(relation))
			continue;
		memset(&sources[count], 0, sizeof(sources[count]));
		sources[count].relation = wa_resident_storage(relation);
		sources[count].nblocks = RelationGetNumberOfBlocks(relation);
		places[count++] = foreach_current_index(cell);
	}
	return count;
}

/*
 * Counts that the device process has failed; one that is silent is left alone for a
 * while.
 */
static void
count_failure(void)
{
	const WaTrouble *trouble = wa_trouble();

	ereport(DEBUG1, (errmsg("warpagg could not ask whether tables have "
							"changed: %s",
							trouble->text)));
	if (trouble->exchange == WA_EXCHANGE_TIMEOUT)
		(void) wa_client_fail();
	else
		(void) wa_client_fall_back(wa_client_reason(trouble));
}

/* Tells whether what was told last holds for a snapshot and its position. */
static bool
is_told(const WaSnapshot *snapshot, uint64 position)
{
	return told.position == position &&
		   memcmp(&told.snapshot, snapshot, sizeof(*snapshot)) == 0;
}

/* Returns the stamp that was told of a source last, or 0. */
static uint64
told_stamp(const WaRunSource *source)
{
	for (uint32 i = 0; i < told.count; i++)
		if (memcmp(&told.sources[i], source, sizeof(*source)) == 0)
			return told.stamps[i];
	return 0;
}

/* Stores the stamps of sources if all were told; returns false if not. */
static bool
recall(const WaRunSource *sources, uint32 count, const WaSnapshot *snapshot,
	   uint64 position, uint64 *stamps)
{
	if (!is_told(snapshot, position))
		return false;
	for (uint32 i = 0; i < count; i++)
	{
		stamps[i] = told_stamp(&sources[i]);
		if (stamps[i] == 0)
			return false;
	}
	return true;
}

/* Remembers the stamps of sources, as many as there is room for. */
static void
remember(const WaRunSource *sources, uint32 count, const WaSnapshot *snapshot,
		 uint64 position, const uint64 *stamps)
{
	if (!is_told(snapshot, position))
		told.count = 0;
	told.position = position;
	told.snapshot = *snapshot;
	for (uint32 i = 0; i < count && told.count < MOST_TOLD; i++)
	{
		if (stamps[i] == 0 || told_stamp(&sources[i]) != 0)
			continue;
		told.sources[told.count] = sources[i];
		told.stamps[told.count++] = stamps[i];
	}
}

/* Tells whether an answer for a snapshot is of use, as wa_resident_is_reliable does. */
static bool
is_reliable(Snapshot snapshot)
{
	return !snapshot->takenDuringRecovery || RecoveryInProgress();
}

/*
 * Finds the stamps of sources: those that were told for the same snapshot, or by asking for
 * them.  Returns false if there is no answer.
 */
static bool
ask(const WaRunSource *sources, uint32 count, Snapshot snapshot, uint64 *stamps)
{
	WaSnapshot described;
	uint64 position;

	if (!wa_resident_follow(snapshot, &position))
		return false;
	wa_snapshot_describe(snapshot, &described);
	if (!recall(sources, count, &described, position, stamps))
	{
		ereport(DEBUG2, (errmsg_internal("warpagg asks for stamps of %u "
										 "relations",
										 count)));
		if (!wa_client_stamps(sources, count, &described, position, stamps))
		{
			count_failure();
			return false;
		}
		remember(sources, count, &described, position, stamps);
	}
	return is_reliable(snapshot);
}

bool
wa_resident_stamps(List *relations, Snapshot snapshot, uint64 *stamps)
{
	const int nrelations = list_length(relations);
	WaRunSource *sources = palloc(sizeof(WaRunSource) * (nrelations + 1));
	uint64 *found = palloc(sizeof(uint64) * (nrelations + 1));
	int *places = palloc(sizeof(int) * (nrelations + 1));
	uint32 count;
	bool answered;

	Assert(!IsParallelWorker());
	memset(stamps, 0, sizeof(*stamps) * nrelations);
	if (!wa_enable_resident || !wa_client_is_ready())
		return false;
	count = describe(relations, sources, places);
	answered = count == 0 || ask(sources, count, snapshot, found);
	for (uint32 i = 0; answered && i < count; i++)
		stamps[places[i]] = found[i];
	pfree(places);
	pfree(found);
	pfree(sources);
	return answered;
}

bool
wa_resident_blocks(Relation relation, Snapshot snapshot, uint32 nblocks,
				   uint64 *identities)
{
	WaRunSource source = {.nblocks = nblocks};
	WaSnapshot described;
	uint64 position;

	Assert(!IsParallelWorker());
	/* Without records of all changes a page may have changed, and not its LSN. */
	if (!XLogIsNeeded() || nblocks == 0 || nblocks > MOST_BLOCKS ||
		!wa_enable_resident || !wa_client_is_ready() ||
		wa_resident_refusal(relation) != NULL || has_new_column(relation) ||
		!wa_resident_follow(snapshot, &position))
		return false;
	source.relation = wa_resident_storage(relation);
	wa_snapshot_describe(snapshot, &described);
	if (!wa_client_blocks(&source, &described, position, identities))
	{
		count_failure();
		return false;
	}
	return is_reliable(snapshot);
}
