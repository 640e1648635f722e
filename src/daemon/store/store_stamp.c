/*
 * store_stamp.c
 *		Stamps of relations; see store_stamp.h.
 */
#include <sys/random.h>

#include "daemon/base/clock.h"
#include "daemon/store/store_stamp.h"
#include "daemon/store/store_use.h"

/* Numbers of contents have this bit, and WA_EMPTY_STAMP has not. */
#define CONTENT_BIT (UINT64_C(1) << 63)

uint64_t
wa_store_first_content(void)
{
	uint64_t first;

	if (getrandom(&first, sizeof(first), GRND_NONBLOCK) !=
		(ssize_t) sizeof(first))
		first = (uint64_t) wa_clock_ns() << 16;
	return first | CONTENT_BIT;
}

/* Tells whether a number that a relation has is of what it has now, in so many blocks. */
static bool
is_numbered(const WaStoredRelation *relation, const WaUse *use)
{
	return relation->content != 0 &&
		   relation->content_stamp == relation->stamp &&
		   relation->content_blocks == use->nblocks;
}

/* Tells whether all blocks of a numbered relation are settled for a use at a glance. */
static bool
is_settled(const WaStoredRelation *relation, const WaUse *use)
{
	const WaDeciders *deciders = &relation->content_deciders;

	return wa_snapshot_settles(use->snapshot, deciders->settled,
							   deciders->first_xid, deciders->last_xid);
}

/*
 * Tells whether all blocks can be used, and stores which transactions decide about them.  The
 * caller has the lock.
 */
static bool
is_covered(const WaUse *use, WaDeciders *deciders)
{
	const WaStoredRelation *relation = use->pins.relation;
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < relation->nparts; i++)
		blocks += wa_store_usable_blocks(use, &relation->parts[i], deciders);
	return blocks == use->nblocks;
}

/* Gives what a covered relation has a number; the caller has the lock. */
static void
number_content(WaStore *store, const WaUse *use, const WaDeciders *deciders)
{
	WaStoredRelation *relation = use->pins.relation;

	store->contents = (store->contents + 1) | CONTENT_BIT;
	relation->content = store->contents;
	relation->content_stamp = relation->stamp;
	relation->content_blocks = use->nblocks;
	relation->content_deciders = *deciders;
}

/*
 * Returns the number of what a relation has, or 0 if it is not covered; the caller has the
 * lock.  A relation that has a number is covered as long as nothing of it changes, for all
 * snapshots for which it is settled: its extents need not be looked at.
 */
static uint64_t
find_number(WaStore *store, const WaUse *use)
{
	WaStoredRelation *relation = use->pins.relation;
	WaDeciders deciders = {0};

	if (use->position > store->known.position)
		return 0;
	if (is_numbered(relation, use) && is_settled(relation, use))
		return relation->content;
	if (!is_covered(use, &deciders))
		return 0;
	if (!is_numbered(relation, use))
		number_content(store, use, &deciders);
	return relation->content;
}

uint64_t
wa_store_stamp(WaStore *store, const WaRunSource *source,
			   const WaSnapshot *snapshot, uint64_t position)
{
	WaUse use = {
		.snapshot = snapshot, .position = position, .nblocks = source->nblocks};
	uint64_t stamp;

	if (source->nblocks == 0)
		return WA_EMPTY_STAMP;
	if (!wa_store_use_begin(store, &source->relation, NULL, 0, &use))
		return 0;
	(void) pthread_mutex_lock(&store->lock);
	stamp = find_number(store, &use);
	(void) pthread_mutex_unlock(&store->lock);
	wa_store_use_end(store, &use);
	return stamp;
}
