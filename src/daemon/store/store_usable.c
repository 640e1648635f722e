/*
 * store_usable.c
 *		What a query may use of extents; see store_usable.h.
 */
#include <string.h>

#include "daemon/store/store_find.h"
#include "daemon/store/store_usable.h"

/* Takes those blocks of a word out that are not settled for the snapshot. */
static uint64_t
leave_unsettled(const WaUse *use, const WaLayout *layout, uint32_t word,
				uint64_t bits)
{
	const WaSnapshot *snapshot = use->snapshot;
	const uint64_t settled = layout->deciders.settled;
	const uint64_t *first_xid = &layout->first_xid[word * (size_t) 64];
	const uint64_t *last_xid = &layout->last_xid[word * (size_t) 64];
	uint64_t left = bits;

	for (; bits != 0; bits &= bits - 1)
	{
		const uint32_t i = (uint32_t) __builtin_ctzll(bits);

		if (last_xid[i] >= snapshot->xmin &&
			(snapshot->xmin < settled ||
			 !wa_snapshot_settles(snapshot, settled, first_xid[i],
								  last_xid[i])))
			left &= ~((uint64_t) 1 << i);
	}
	return left;
}

/* Returns how many bits of a word are set: often all. */
static inline uint32_t
count_bits(uint64_t word)
{
	return word == UINT64_MAX ? 64 : (uint32_t) __builtin_popcountll(word);
}

/*
 * Finds the blocks of an extent that are cached, fresh, the relation's, and settled for
 * the snapshot.  Returns how many they are.
 */
static uint32_t
find_usable(const WaUse *use, const WaExtent *extent, WaUsedPart *part,
			uint64_t *usable)
{
	const WaDeciders *deciders = &extent->layout->deciders;
	const bool is_settled =
		wa_snapshot_settles(use->snapshot, deciders->settled,
							deciders->first_xid, deciders->last_xid);
	const uint32_t nblocks =
		wa_extent_nblocks(wa_extent_number(extent->number), use->nblocks);
	uint32_t blocks = 0;

	wa_deciders_add(&part->deciders, deciders);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		const uint64_t fresh =
			extent->cached[i] & extent->fresh[i] & wa_extent_word(nblocks, i);

		usable[i] =
			is_settled ? fresh : leave_unsettled(use, extent->layout, i, fresh);
		part->has_left |= usable[i] != fresh;
		blocks += count_bits(usable[i]);
	}
	return blocks;
}

/* Takes those blocks out that a column lacks; returns how many are left. */
static uint32_t
leave_odd(const WaColumn *column, uint64_t *usable)
{
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
	{
		usable[i] &= ~column->odd[i];
		blocks += (uint32_t) __builtin_popcountll(usable[i]);
	}
	return blocks;
}

/*
 * Takes references of an extent if it has all the columns, and blocks of use; leaves
 * these in *blocks.
 */
static bool
take_columns(const WaPins *pins, const WaExtent *extent, WaUsedExtent *used,
			 uint32_t *blocks)
{
	for (uint32_t i = 0; i<pins->ncolumns && * blocks> 0; i++)
	{
		used->columns[i] = wa_map_column(extent, pins->place[i]);
		if (used->columns[i] == NULL)
			return false;
		if (used->columns[i]->has_odd)
			*blocks = leave_odd(used->columns[i], used->usable);
	}
	if (*blocks == 0)
		return false;
	for (uint32_t i = 0; i < pins->ncolumns; i++)
		wa_column_retain(used->columns[i]);
	wa_layout_retain(extent->layout);
	used->layout = extent->layout;
	used->all_rows =
		extent->cached_rows == extent->layout->nrows &&
		memcmp(used->usable, extent->cached, sizeof(used->usable)) == 0;
	used->number = extent->number;
	used->device = extent->device;
	return true;
}

/* Takes an extent, or NULL, if there is something of use in it. */
static void
take_extent(const WaUse *use, const WaExtent *extent, WaUsedPart *part)
{
	WaUsedExtent *used = &part->extents[part->count];
	uint32_t blocks;

	if (extent == NULL)
		return;
	blocks = find_usable(use, extent, part, used->usable);
	if (!take_columns(&use->pins, extent, used, &blocks))
		return;
	part->blocks += blocks;
	part->count++;
}

void
wa_store_use_part(const WaStore *store, const WaUse *use,
				  const WaExtentPart *part, WaUsedPart *used)
{
	used->blocks = 0;
	used->deciders = (WaDeciders){0};
	used->has_left = false;
	used->count = 0;
	if (use->position > store->known.position)
		return;
	take_extent(use, part->extent, used);
	take_extent(use, part->overlay, used);
}

uint32_t
wa_store_usable_blocks(const WaUse *use, const WaExtentPart *part,
					   WaDeciders *deciders)
{
	uint64_t of_extent[WA_EXTENT_WORDS] = {0};
	uint64_t of_overlay[WA_EXTENT_WORDS] = {0};
	uint32_t blocks = 0;
	WaUsedPart used; /* what is noted there is of no use here */

	used.deciders = (WaDeciders){0};
	used.has_left = false;
	if (part->extent != NULL)
		(void) find_usable(use, part->extent, &used, of_extent);
	if (part->overlay != NULL)
		(void) find_usable(use, part->overlay, &used, of_overlay);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		blocks += count_bits(of_extent[i] | of_overlay[i]);
	wa_deciders_add(deciders, &used.deciders);
	return blocks;
}

/* Stores the LSNs of the blocks of an extent, or NULL, that can be used. */
static void
add_lsns(const WaUse *use, const WaExtent *extent, uint64_t *lsns)
{
	uint64_t usable[WA_EXTENT_WORDS];
	WaUsedPart used = {.blocks = 0}; /* what is noted there is of no use here */

	if (extent == NULL)
		return;
	(void) find_usable(use, extent, &used, usable);
	for (uint32_t i = 0; i < WA_EXTENT_WORDS; i++)
		for (uint64_t bits = usable[i]; bits != 0; bits &= bits - 1)
		{
			const uint32_t block = i * 64 + (uint32_t) __builtin_ctzll(bits);

			lsns[block] = extent->layout->block_lsn[block];
		}
}

void
wa_store_usable_lsns(const WaUse *use, const WaExtentPart *part, uint64_t *lsns)
{
	add_lsns(use, part->extent, lsns);
	add_lsns(use, part->overlay, lsns);
}

void
wa_store_unuse(WaUsedExtent *used, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
		wa_column_release(used->columns[i]);
	wa_layout_release(used->layout);
}
