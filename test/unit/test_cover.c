/*
 * test_cover.c
 *		Covers of a relation: kept ones are what would be found anew, whatever has
 *		been loaded, confirmed, unloaded and evicted, and keep nothing for good.
 *
 *	test_cover [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_renew.h"
#include "daemon/store/cover_take.h"
#include "daemon/store/store_map.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define EXTENTS 8

/* Extents have multiples of this as numbers. */
#define STEP   5
#define ROWS   4
#define PLENTY ((uint64_t) 1 << 40)

/* A position behind all LSNs of blocks. */
#define LATE ((uint64_t) 1 << 40)

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
load(uint32_t i, uint64_t position, uint64_t seed, uint64_t attributes)
{
	return wa_test_load(&store, parcel, 0, i * STEP, position, seed, ROWS,
						attributes) == WA_OK;
}

/* Of the relation, as takers say. */
static uint32_t nblocks = UINT32_MAX;

/* A query's way to a cover. */
typedef struct Taker
{
	WaSnapshot snapshot;
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	uint32_t ncolumns;
	WaUse use;
	WaCover *cover;
} Taker;

/* Takes a cover of some attributes, for which WAL has to be known up to a position. */
static bool
take(Taker *taker, uint64_t attributes, uint64_t position,
	 const WaSnapshot *snapshot)
{
	const WaRelation name = wa_test_relation(0);

	memset(taker, 0, sizeof(*taker));
	taker->snapshot = *snapshot;
	taker->ncolumns = wa_test_names(attributes, taker->names);
	taker->use = (WaUse){
		.snapshot = &taker->snapshot, .position = position, .nblocks = nblocks};
	if (!wa_store_use_begin(&store, &name, taker->names, taker->ncolumns,
							&taker->use))
		return false;
	taker->cover = wa_cover_take(&store, &taker->use, taker->names);
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
	EXPECT(extent->layout == used->layout && run->nrows == used->layout->nrows);
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

/* Tells whether the integers of a cover's columns lie between the bounds for the use. */
static bool
bounds_are_right(Taker *taker)
{
	const WaDictionary *dictionaries[WA_MAX_RESIDENT_COLUMNS];
	WaRunBounds bounds[WA_MAX_RESIDENT_COLUMNS];

	wa_store_use_columns(&store, &taker->use, dictionaries, bounds);
	for (uint64_t i = 0; i < taker->cover->count; i++)
		for (uint32_t j = 0; j < taker->ncolumns; j++)
		{
			const WaColumn *column = taker->cover->list[i]->columns[j];

			EXPECT(column->dictionary == NULL ||
				   column->dictionary == dictionaries[j]);
			EXPECT(column->smallest >= bounds[j].smallest ||
				   column->smallest > column->largest);
			EXPECT(column->largest <= bounds[j].largest ||
				   column->smallest > column->largest);
		}
	return true;
}

/* Extents by their ids, which no other extent ever has. */
#define KNOWN_IDS 8192
static struct
{
	uint64_t id;
	const WaRunExtent *extent;
	const WaColumn *column;
} known[KNOWN_IDS];

/* Tells whether extents of a cover have ids as they have to. */
static bool
ids_are_right(const Taker *taker)
{
	const WaCover *cover = taker->cover;

	EXPECT(cover->placements.ids == cover->ids && cover->placements.id != 0);
	for (uint64_t i = 0; i < cover->count; i++)
	{
		const WaExtentId *id = &cover->ids[i];
		const uint64_t place = id->id % KNOWN_IDS;
		const WaRunExtent *extent = cover->list[i];

		EXPECT(id->id != 0 && (i == 0 || id->order > id[-1].order));
		if (known[place].id == id->id)
			EXPECT(known[place].extent == extent &&
				   known[place].column == extent->columns[0]);
		known[place].id = id->id;
		known[place].extent = extent;
		known[place].column = extent->columns[0];
	}
	return true;
}

/* Tells whether a cover is what is found now. */
static bool
cover_is_right(Taker *taker)
{
	const WaRelation name = wa_test_relation(0);
	WaUse use = {.snapshot = &taker->snapshot,
				 .position = taker->use.position,
				 .nblocks = taker->use.nblocks};
	const WaCover *cover = taker->cover;
	uint64_t rows = 0;
	uint64_t count = 0;
	WaUsedExtent used[2];
	uint32_t next = 0;
	uint32_t found;

	EXPECT(
		wa_store_use_begin(&store, &name, taker->names, taker->ncolumns, &use));
	while ((found = wa_test_use_next(&store, &use, &next, used)) > 0)
		for (uint32_t j = 0; j < found; j++, count++)
		{
			const WaRunExtent *run = cover->list[count];

			EXPECT(count < cover->count);
			EXPECT(run == &wa_cover_extent_of(cover->list[count])->extent);
			EXPECT(extent_is_right(wa_cover_extent_of(cover->list[count]),
								   &used[j], taker->ncolumns));
			for (uint32_t i = 0; i < run->nranges; i++)
				rows += run->ranges[i].end - run->ranges[i].begin;
			wa_store_unuse(&used[j], taker->ncolumns);
		}
	wa_store_use_end(&store, &use);
	EXPECT(cover->count == count && cover->rows == rows);
	EXPECT(cover->blocks == use.blocks && taker->use.blocks == use.blocks);
	return ids_are_right(taker) && bounds_are_right(taker);
}

/* Says that WAL has changed a block, where it is known up to the position before. */
static void
change_block(uint32_t block, uint64_t lsn)
{
	static WaFollowMessage follow;

	follow.from = store.known.position;
	follow.to = lsn;
	follow.nchanges = 1;
	follow.changes[0] =
		(WaChange){.relation = wa_test_relation(0), .block = block, .lsn = lsn};
	(void) wa_store_follow(&store, &follow);
}

/* Tells whether a part of a relation that a use has pinned is kept. */
static bool
is_kept(const WaUse *use, const WaCoverPart *part)
{
	const WaStoredRelation *relation = use->pins.relation;

	for (int i = 0; i < WA_STORE_COVERS; i++)
		for (uint32_t j = 0; j < relation->nparts; j++)
			if (relation->kept[i].names != NULL &&
				relation->kept[i].parts[j].part == part)
				return true;
	return false;
}

/* Tells whether from a place on a cover has the same parts as another. */
static bool
has_parts_of(const WaCover *cover, const WaCover *other, uint32_t from)
{
	EXPECT(cover->nplaces == other->nplaces && from < cover->nplaces);
	for (uint32_t i = from; i < cover->nplaces; i++)
		if (cover->places[i].part != other->places[i].part)
			return false;
	return true;
}

static const WaCover *renewed_cover; /* of two columns, the last one */
static int renewed_covers;

/* Notes that a cover was made ahead of queries: a WaCoverUser. */
static void
note_renewed(WaStore *renewed_store, const WaCover *cover, uint32_t ncolumns)
{
	(void) renewed_store;
	renewed_covers++;
	if (ncolumns == 2)
		renewed_cover = cover;
}

/*
 * What has changed is made anew, once, and used each time; that is no use by a query, but
 * the next one's cover.
 */
static bool
renews_covers(const WaPins *pins)
{
	static Taker taker;
	const WaColumnRecord *record = &pins->relation->records[pins->place[0]];
	const uint64_t queries = record->queries;
	const WaCover *first;

	renewed_covers = 0;
	wa_cover_renew(&store, note_renewed);
	EXPECT(renewed_covers == 2 && renewed_cover != NULL);
	first = renewed_cover;
	wa_cover_renew(&store, note_renewed);
	EXPECT(renewed_covers == 4 && renewed_cover == first);
	EXPECT(record->queries == queries);
	EXPECT(take(&taker, 0x204, 1, &wa_test_snapshot));
	EXPECT(record->queries == queries + 1);
	EXPECT(taker.cover == renewed_cover && cover_is_right(&taker));
	give_back(&taker);
	return true;
}

/* The same question gets the same cover; another one, or changes, another. */
static bool
test_kept(void)
{
	const WaSnapshot *all = &wa_test_snapshot;
	static Taker first;
	static Taker second;
	const WaCoverPart *renewed[WA_STORE_COVERS];
	const WaCover *kept;

	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(i, LATE, 400 + i, 0x204));
	EXPECT(take(&first, 0x204, 1, all));
	kept = first.cover;
	EXPECT(kept->count == EXTENTS && cover_is_right(&first));
	EXPECT(take(&second, 0x204, 1, all) && second.cover == kept);
	give_back(&second);
	EXPECT(take(&second, 0x4, 1, all) && second.cover != kept);
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, all) && second.cover == kept);
	give_back(&second);
	EXPECT(take(&second, 0x204, LATE + 1, all) && second.cover->count == 0);
	give_back(&second);
	give_back(&first);
	EXPECT(take(&first, 0x204, 1, all) && first.cover == kept);
	/* A change of what is not cached is none, nor one of before it was read. */
	change_block(WA_EXTENT_BLOCKS * STEP * EXTENTS, LATE + 2);
	EXPECT(take(&second, 0x204, LATE + 2, all) && second.cover == kept);
	give_back(&second);
	change_block(WA_EXTENT_BLOCKS * STEP, LATE + 3);
	EXPECT(take(&second, 0x204, 1, all) && second.cover != kept);
	EXPECT(second.cover->blocks == kept->blocks - 1);
	EXPECT(cover_is_right(&second));
	/* What has not changed is shared. */
	EXPECT(second.cover->places[0].part == kept->places[0].part);
	EXPECT(second.cover->places[1].part != kept->places[1].part);
	EXPECT(has_parts_of(second.cover, kept, 2));
	give_back(&second);
	/* What is loaded anew is made anew, for both sets of columns. */
	EXPECT(load(7, LATE + 3, 500, 0x204));
	EXPECT(renews_covers(&first.use.pins));
	for (int i = 0; i < WA_STORE_COVERS; i++)
	{
		const WaStoredRelation *relation = first.use.pins.relation;
		const WaKeptCover *kept_one = &relation->kept[i];

		EXPECT(kept_one->names == NULL || kept_one->parts[7].part != NULL);
		renewed[i] = kept_one->names == NULL ? NULL : kept_one->parts[7].part;
	}
	EXPECT(take(&second, 0x204, 1, all) && cover_is_right(&second));
	EXPECT(second.cover->places[6].part == kept->places[6].part);
	EXPECT(second.cover->places[7].part != kept->places[7].part);
	EXPECT(is_kept(&second.use, second.cover->places[7].part));
	for (int i = 0; i < WA_STORE_COVERS; i++)
		EXPECT(renewed[i] == NULL ||
			   second.use.pins.relation->kept[i].parts[7].part == renewed[i]);
	give_back(&second);
	/* Where a relation gets longer what lies before its end is the same. */
	nblocks = WA_EXTENT_BLOCKS * STEP * 7 + 3;
	EXPECT(take(&second, 0x204, 1, all) && cover_is_right(&second));
	EXPECT(second.cover->places[6].part == kept->places[6].part);
	nblocks = UINT32_MAX;
	give_back(&second);
	give_back(&first);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	wa_store_set_limit(&store, PLENTY);
	return true;
}

/* Snapshots that find the same blocks settled share a cover. */
static bool
test_snapshots(void)
{
	const WaSnapshot all = {.xmin = WA_TEST_XIDS, .xmax = WA_TEST_XIDS};
	const WaSnapshot later = {.xmin = WA_TEST_XIDS + 3,
							  .xmax = WA_TEST_XIDS + 9,
							  .nxids = 1,
							  .xids = {WA_TEST_XIDS + 4}};
	const WaSnapshot some = {.xmin = WA_TEST_XIDS / 2,
							 .xmax = WA_TEST_XIDS / 2};
	const WaSnapshot other = {.xmin = WA_TEST_XIDS / 2,
							  .xmax = WA_TEST_XIDS / 2 + 1};
	static Taker first;
	static Taker second;

	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(i, LATE + 3, 400 + i, 0x204));
	EXPECT(take(&first, 0x204, 1, &all));
	EXPECT(take(&second, 0x204, 1, &later) && second.cover == first.cover);
	EXPECT(cover_is_right(&second));
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, &some) && second.cover != first.cover);
	EXPECT(cover_is_right(&second) &&
		   second.cover->blocks < first.cover->blocks);
	give_back(&first);
	EXPECT(take(&first, 0x204, 1, &some) && second.cover == first.cover);
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, &other) && second.cover != first.cover);
	EXPECT(cover_is_right(&second));
	give_back(&second);
	EXPECT(take(&second, 0x204, 1, &later) && second.cover != first.cover);
	EXPECT(cover_is_right(&second));
	give_back(&second);
	give_back(&first);
	wa_store_set_limit(&store, 0);
	wa_store_set_limit(&store, PLENTY);
	return true;
}

/* A cover that is kept does not keep extents from being evicted or replaced. */
static bool
test_memory(void)
{
	static Taker taker;
	uint64_t bytes;

	EXPECT(load(0, LATE + 3, 400, 0x204));
	bytes = wa_memory_used(&store.memory);
	EXPECT(take(&taker, 0x204, 1, &wa_test_snapshot));
	EXPECT(load(0, LATE + 3, 400, 0x204));
	EXPECT(wa_memory_used(&store.memory) > bytes);
	EXPECT(taker.cover->list[0]->columns[0]->nrows == taker.cover->rows);
	give_back(&taker);
	EXPECT(wa_memory_used(&store.memory) == bytes);
	EXPECT(take(&taker, 0x204, 1, &wa_test_snapshot));
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == bytes); /* in use */
	give_back(&taker);
	EXPECT(wa_memory_used(&store.memory) == 0);
	wa_store_set_limit(&store, PLENTY);
	return true;
}

/* Says at random what WAL has changed, often with a gap. */
static void
follow_at_random(void)
{
	static WaFollowMessage follow;
	const uint64_t known = store.known.position;

	follow.from = pick(6) == 0 ? known + 1 : known - pick(5);
	follow.to = follow.from + pick(20);
	follow.nchanges = (uint32_t) pick(4);
	for (uint32_t i = 0; i < follow.nchanges; i++)
		follow.changes[i] =
			(WaChange){.relation = wa_test_relation(0),
					   .block = (uint32_t) pick(EXTENTS * WA_EXTENT_BLOCKS),
					   .kind = pick(8) == 0 ? WA_CHANGE_REST : WA_CHANGE_BLOCK,
					   .lsn = follow.to - pick(follow.to - follow.from + 1)};
	(void) wa_store_follow(&store, &follow);
}

/* Confirms blocks of an extent at random. */
static void
confirm_at_random(void)
{
	WaConfirmMessage confirm = {.relation = wa_test_relation(0),
								.extent = STEP * (uint32_t) pick(EXTENTS)};
	WaExtentState state;

	wa_test_extent_state(&store, &confirm.relation, confirm.extent, NULL, 0,
						 &state);
	confirm.edition = state.edition;
	confirm.position = store.known.position - pick(20);
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		confirm.same[i] =
			next_random(&random_state) | next_random(&random_state);
	wa_store_confirm(&store, &confirm);
}

/* Changes something at random. */
static void
change(void)
{
	static const uint32_t devices[] = {0, 1, 2};
	const WaRelation name = wa_test_relation(0);
	const uint64_t what = pick(20);

	if (what < 8)
		(void) load((uint32_t) pick(EXTENTS),
					store.known.position + 1 - pick(10), 400 + pick(3),
					1 + pick(15));
	else if (what < 12)
		confirm_at_random();
	else if (what < 16)
		follow_at_random();
	else if (what == 16)
		wa_cover_renew(&store, NULL);
	else if (what < 18)
		wa_store_unload(&store, &name, (int32_t) pick(5));
	else if (what == 18)
	{
		wa_store_set_limit(&store, wa_memory_used(&store.memory) / 2);
		wa_store_set_limit(&store, PLENTY);
	}
	else
		wa_store_set_devices(&store, devices, 1 + (unsigned) pick(3));
}

/* Tells whether a cover that was kept is what has become the taker's. */
static bool
is_next(const Taker *taker, const WaCover *kept, uint64_t id)
{
	return taker->cover == kept && taker->cover->placements.id != id;
}

/* Returns the cover that is kept of such columns, or NULL. */
static const WaCover *
kept_of(uint64_t attributes)
{
	const WaRelation name = wa_test_relation(0);
	const WaStoredRelation *relation = wa_map_find_relation(&store, &name);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);

	for (int i = 0; relation != NULL && i < WA_STORE_COVERS; i++)
		if (relation->kept[i].names != NULL &&
			relation->kept[i].ncolumns == ncolumns &&
			memcmp(relation->kept[i].names, names, ncolumns * sizeof(*names)) ==
				0)
			return relation->kept[i].cover;
	return NULL;
}

/* Covers between random changes, with others in use. */
static bool
test_random(void)
{
	static Taker takers[3];
	WaSnapshot snapshot = wa_test_snapshot;
	bool has_cover[3] = {false};
	int next = 0;

	for (int i = 0; i < 4000; i++)
	{
		const uint64_t r = pick(3);
		const uint64_t attributes = 1 + pick(4);
		const WaCover *kept;
		uint64_t id;

		if (pick(6) == 0)
			snapshot = pick(2) == 0 ? wa_test_snapshot
									: wa_test_random_snapshot(&random_state);
		if (pick(6) == 0)
			nblocks = pick(3) != 0
						  ? UINT32_MAX
						  : (uint32_t) pick(EXTENTS * STEP * WA_EXTENT_BLOCKS);
		if (pick(3) == 0)
			change();
		if (has_cover[r])
			give_back(&takers[r]);
		kept = kept_of(attributes);
		id = kept == NULL ? 0 : kept->placements.id;
		has_cover[r] = take(&takers[r], attributes,
							store.known.position + pick(20) / 19, &snapshot);
		if (has_cover[r])
			EXPECT(cover_is_right(&takers[r]));
		if (has_cover[r] && kept != NULL)
			next += is_next(&takers[r], kept, id);
	}
	EXPECT(next > 100);
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
	wa_test_know(&store, LATE);
	check(test_kept(), "kept");
	check(test_snapshots(), "kept for other snapshots");
	check(test_memory(), "memory");
	check(test_random(), "random changes");
	free(parcel);
	return finish_checks();
}
