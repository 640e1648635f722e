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

/* Tells whether all blocks can be used; the caller has the lock. */
static bool
is_covered(const WaStore *store, const WaUse *use)
{
	const WaStoredRelation *relation = use->pins.relation;
	uint64_t blocks = 0;

	if (use->position > store->known.position)
		return false;
	for (uint32_t i = 0; i < relation->nparts; i++)
		blocks += wa_store_usable_blocks(use, &relation->parts[i]);
	return blocks == use->nblocks;
}

/* Returns the number of what a covered relation has; the caller has the lock. */
static uint64_t
number_content(WaStore *store, const WaUse *use)
{
	WaStoredRelation *relation = use->pins.relation;

	if (relation->content == 0 || relation->content_stamp != relation->stamp ||
		relation->content_blocks != use->nblocks)
	{
		store->contents = (store->contents + 1) | CONTENT_BIT;
		relation->content = store->contents;
		relation->content_stamp = relation->stamp;
		relation->content_blocks = use->nblocks;
	}
	return relation->content;
}

uint64_t
wa_store_stamp(WaStore *store, const WaRunSource *source,
			   const WaSnapshot *snapshot, uint64_t position)
{
	WaUse use = {
		.snapshot = snapshot, .position = position, .nblocks = source->nblocks};
	uint64_t stamp = 0;

	if (source->nblocks == 0)
		return WA_EMPTY_STAMP;
	if (!wa_store_use_begin(store, &source->relation, NULL, 0, &use))
		return 0;
	(void) pthread_mutex_lock(&store->lock);
	if (is_covered(store, &use))
		stamp = number_content(store, &use);
	(void) pthread_mutex_unlock(&store->lock);
	wa_store_use_end(store, &use);
	return stamp;
}
