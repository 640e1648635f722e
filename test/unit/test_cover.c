/*
 * test_cover.c
 *		Covers of a relation: kept ones are what would be found anew, whatever has
 *		been loaded, confirmed, unloaded and evicted, and keep nothing for good.
 *
 *	test_cover [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/cover.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define EXTENTS 8
#define ROWS    4
#define PLENTY  ((uint64_t) 1 << 40)

static uint64_t random_state = 5;
static uint8_t *parcel;
static WaStore store;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Loads an extent of the first relation. */
static bool
load(uint32_t number, uint64_t map_lsn, uint64_t seed, uint64_t attributes)
{
	return wa_test_load(&store, parcel, 0, number, map_lsn, seed, ROWS,
						attributes) == WA_OK;
}

static bool whole_pages =
	false; /* takers say so of pages without hidden blocks */

/* A query's way to a cover. */
typedef struct Taker
{
	WaMapPage maps[1];
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	uint32_t ncolumns;
	WaUse use;
	WaCover *cover;
} Taker;

/* Takes a cover of some attributes, with all blocks visible but some. */
static bool
take(Taker *taker, uint64_t attributes, uint64_t lsn, uint64_t hidden)
{
	const WaRelation name = wa_test_relation(0);

	memset(taker, 0, sizeof(*taker));
	taker->maps[0].lsn = lsn;
	taker->maps[0].is_whole = whole_pages && hidden == 0;
	if (taker->maps[0].is_whole == 0)
		memset(taker->maps[0].visible, 0xff, sizeof(taker->maps[0].visible));
	for (int i = 0; i < EXTENTS; i++)
		taker->maps[0].visible[i][0] &= ~hidden;
	taker->ncolumns = wa_test_names(attributes, taker->names);
	taker->use.nmaps = 1;
	taker->use.nblocks = UINT32_MAX;
	if (!wa_store_use_begin(&store, &name, taker->names, taker->ncolumns,
							&taker->use))
		return false;
	taker->cover =
		wa_cover_take(&store, &taker->use, taker->names, taker->maps);
	return taker->cover != NULL;
}

static void
give_back(Taker *taker)
{
	wa_cover_release(taker->cover);
	wa_store_use_end(&store, &taker->use);
}

/* Tells whether an extent of a cover is what is found now. */
static bool
extent_is_right(const WaCoverExtent *extent, const WaUsedExtent *used,
				uint32_t ncolumns)
{
	const WaRunExtent *run = &extent->extent;
	uint32_t range = 0;

	EXPECT(run->number == used->number && run->device == used->device);
	EXPECT(memcmp(extent->usable, used->usable, sizeof(used->usable)) == 0);
	EXPECT(extent->shape == used->shape && run->nrows == used->shape->nrows);
	for (uint32_t i = 0; i < ncolumns; i++)
		EXPECT(run->columns[i] == used->columns[i]);
	for (uint32_t block = 0; block < run->nblocks; block++)
	{
		const uint32_t begin = block == 0 ? 0 : run->row_end[block - 1];
		const bool is_usable =
			(used->usable[block / 64] >> block % 64 & 1) != 0;

		for (uint32_t row = begin; row < run->row_end[block]; row++)
		{
			while (range < run->nranges && run->ranges[range].end <= row)
				range++;
			EXPECT((range < run->nranges && run->ranges[range].begin <= row) ==
				   is_usable);
		}
	}
	return true;
}

/* Tells whether a cover is what is found now. */
static bool
cover_is_right(Taker *taker)
{
	const WaRelation name = wa_test_relation(0);
	WaUse use = {.maps = taker->maps, .nmaps = 1, .nblocks = UINT32_MAX};
	const WaCover *cover = taker->cover;
	uint64_t rows = 0;
	uint64_t count = 0;
	WaUsedExtent used;

	EXPECT(
		wa_store_use_begin(&store, &name, taker->names, taker->ncolumns, &use));
	while (wa_store_use_next(&store, &use, &used, 1) > 0)
	{
		EXPECT(count < cover->count);
		EXPECT(cover->list[count] == &cover->extents[count].extent);
		EXPECT(extent_is_right(&cover->extents[count], &used, taker->ncolumns));
		for (uint32_t i = 0; i < cover->list[count]->nranges; i++)
			rows += cover->list[count]->ranges[i].end -
					cover->list[count]->ranges[i].begin;
		wa_store_unuse(&used, taker->ncolumns);
		count++;
	}
	wa_store_use_end(&store, &use);
	EXPECT(cover->count == count && cover->rows == rows);
	EXPECT(cover->blocks == use.blocks && taker->use.blocks == use.blocks);
	return true;
}

/* The same question gets the same cover; another one, or changes, another. */
static bool
test_kept(void)
{
	static Taker first;
	static Taker second;
	const WaCover *kept;
	WaConfirmMessage confirm = {.relation = wa_test_relation(0),
								.extent = 1,
								.old_lsn = 1,
								.new_lsn = 2};

	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(i, 1, 400 + i, 0x204));
	EXPECT(take(&first, 0x204, 1, 0));
	kept = first.cover;
	EXPECT(kept->count == EXTENTS && cover_is_right(&first));
	EXPECT(take(&second, 0x204, 1, 0) && second.cover == kept);
	give_back(&second);
	EXPECT(take(&second, 0x4, 1, 0) && second.cover != kept);
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, 0) && second.cover == kept);
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, 2) && second.cover != kept);
	EXPECT(cover_is_right(&second));
	give_back(&second);
	EXPECT(take(&second, 0x204, 7, 0) && second.cover->count == 0);
	give_back(&second);
	give_back(&first);
	EXPECT(take(&first, 0x204, 1, 0));
	memset(confirm.kept, 0xff, sizeof(confirm.kept));
	wa_store_confirm(&store, &confirm);
	EXPECT(take(&second, 0x204, 1, 0));
	EXPECT(second.cover->count == EXTENTS - 1 && cover_is_right(&second));
	give_back(&second);
	give_back(&first);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	wa_store_set_limit(&store, PLENTY);
	return true;
}

/* A cover that is kept does not keep extents from being evicted or replaced. */
static bool
test_memory(void)
{
	static Taker taker;
	uint64_t bytes;

	EXPECT(load(0, 1, 400, 0x204));
	bytes = wa_memory_used(&store.memory);
	EXPECT(take(&taker, 0x204, 1, 0));
	EXPECT(load(0, 1, 400, 0x204));
	EXPECT(wa_memory_used(&store.memory) > bytes);
	EXPECT(taker.cover->list[0]->columns[0]->nrows == taker.cover->rows);
	give_back(&taker);
	EXPECT(wa_memory_used(&store.memory) == bytes);
	EXPECT(take(&taker, 0x204, 1, 0));
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == bytes); /* in use */
	give_back(&taker);
	EXPECT(wa_memory_used(&store.memory) == 0);
	wa_store_set_limit(&store, PLENTY);
	return true;
}

/* Changes something at random. */
static void
change(void)
{
	static const uint32_t devices[] = {0, 1, 2};
	const WaRelation name = wa_test_relation(0);
	const uint64_t what = pick(16);
	WaConfirmMessage confirm = {.relation = name,
								.extent = (uint32_t) pick(EXTENTS),
								.old_lsn = 1 + pick(2),
								.new_lsn = 1 + pick(2)};

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		confirm.kept[i] =
			next_random(&random_state) | next_random(&random_state);
	if (what < 8)
		(void) load((uint32_t) pick(EXTENTS), 1 + pick(2), 400 + pick(3),
					1 + pick(15));
	else if (what < 12)
		wa_store_confirm(&store, &confirm);
	else if (what < 14)
		wa_store_unload(&store, &name, (int32_t) pick(5));
	else if (what == 14)
	{
		wa_store_set_limit(&store, wa_memory_used(&store.memory) / 2);
		wa_store_set_limit(&store, PLENTY);
	}
	else
		wa_store_set_devices(&store, devices, 1 + (unsigned) pick(3));
}

/* Covers between random changes, with others in use. */
static bool
test_random(void)
{
	static Taker takers[3];
	bool has_cover[3] = {false};

	for (int i = 0; i < 4000; i++)
	{
		const uint64_t r = pick(3);

		whole_pages = pick(2) == 0;
		if (pick(3) == 0)
			change();
		if (has_cover[r])
			give_back(&takers[r]);
		has_cover[r] =
			take(&takers[r], 1 + pick(4), 1 + pick(2), pick(2) * 0x24);
		if (has_cover[r])
			EXPECT(cover_is_right(&takers[r]));
	}
	for (int r = 0; r < 3; r++)
		if (has_cover[r])
			give_back(&takers[r]);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	wa_store_init(&store, PLENTY, 1);
	check(test_kept(), "kept");
	whole_pages = true;
	check(test_kept(), "kept, by whole pages");
	check(test_memory(), "memory");
	check(test_random(), "random changes");
	free(parcel);
	return finish_checks();
}
