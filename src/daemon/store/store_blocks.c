/*
 * store_blocks.c
 *		What the blocks of a relation are; see store_blocks.h.
 */
#include <string.h>

#include "daemon/store/store_blocks.h"
#include "daemon/store/store_use.h"

/* What a page counts as that has no LSN: docs/internals/freshness.md, sentence 5. */
#define NO_LSN UINT64_C(1)

/* Stores the LSNs of blocks that can be used; the caller has the lock. */
static void
find_lsns(const WaStore *store, const WaUse *use, uint64_t *blocks)
{
	const WaStoredRelation *relation = use->pins.relation;

	if (use->position > store->known.position)
		return;
	for (uint32_t i = 0; i < relation->nparts; i++)
	{
		const WaExtentPart *part = &relation->parts[i];
		const uint64_t first = (uint64_t) part->number * WA_EXTENT_BLOCKS;

		if (first < use->nblocks)
			wa_store_usable_lsns(use, part, blocks + first);
	}
}

void
wa_store_blocks(WaStore *store, const WaRunSource *source,
				const WaSnapshot *snapshot, uint64_t position, uint64_t *blocks)
{
	WaUse use = {
		.snapshot = snapshot, .position = position, .nblocks = source->nblocks};

	memset(blocks, 0, source->nblocks * sizeof(*blocks));
	if (!wa_store_use_begin(store, &source->relation, NULL, 0, &use))
		return;
	(void) pthread_mutex_lock(&store->lock);
	find_lsns(store, &use, blocks);
	(void) pthread_mutex_unlock(&store->lock);
	wa_store_use_end(store, &use);
	for (uint32_t i = 0; i < source->nblocks; i++)
		if (blocks[i] == NO_LSN)
			blocks[i] = 0;
}
