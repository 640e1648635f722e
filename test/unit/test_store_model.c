/*
 * test_store_model.c
 *		The store of resident columns against a model of it: random operations.
 *
 *	test_store_model [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define RELATIONS  3
#define EXTENTS    5
#define MAPS       2
#define ROWS       4
#define PLENTY     ((uint64_t) 1 << 40)
#define OPERATIONS 5000

/* The numbers of the extents; some of them of another page of the map. */
static const uint32_t numbers[EXTENTS] = {0, 1, 62, 63, 64};

static uint64_t random_state = 3;

/* What the store has to have of an extent. */
typedef struct Model
{
	uint64_t seed; /* 0: nothing */
	uint64_t map_lsn;
	uint64_t attributes;
	uint64_t cached[WA_EXTENT_WORDS];
} Model;

static Model models[RELATIONS][EXTENTS];
static uint8_t *parcel;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Gives the model the blocks that a fresh extent has. */
static void
model_cached(Model *model)
{
	const WaExtentHead *head = (const WaExtentHead *) (const void *) parcel;

	memset(model->cached, 0, sizeof(model->cached));
	for (uint32_t i = 0; i < head->nblocks; i++)
		if (head->block_lsn[i] != 0)
			model->cached[i / 64] |= (uint64_t) 1 << i % 64;
}

/* Loads something at random, and notes it in the model. */
static bool
do_load(WaStore *store)
{
	const uint64_t relation = pick(RELATIONS);
	const uint64_t extent = pick(EXTENTS);
	Model *model = &models[relation][extent];
	const uint64_t seed =
		model->seed != 0 && pick(2) == 0 ? model->seed : 1 + pick(100000);
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	const uint64_t lsn = 1 + pick(10);

	EXPECT(wa_test_load(store, parcel, relation, numbers[extent], lsn, seed,
						ROWS, attributes) == WA_OK);
	if (model->seed != seed)
		model->attributes = 0;
	model->seed = seed;
	model->attributes |= attributes;
	model->map_lsn = lsn;
	model_cached(model);
	return true;
}

/* Confirms something at random. */
static bool
do_confirm(WaStore *store)
{
	const uint64_t relation = pick(RELATIONS);
	const uint64_t extent = pick(EXTENTS);
	Model *model = &models[relation][extent];
	WaConfirmMessage confirm = {.relation = wa_test_relation(relation)};

	confirm.extent = numbers[extent];
	confirm.old_lsn = pick(3) == 0 ? 1 + pick(10) : model->map_lsn;
	confirm.new_lsn = 1 + pick(10);
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		confirm.kept[i] =
			next_random(&random_state) | next_random(&random_state);
	wa_store_confirm(store, &confirm);
	if (model->seed != 0 && confirm.old_lsn == model->map_lsn)
	{
		model->map_lsn = confirm.new_lsn;
		for (int i = 0; i < WA_EXTENT_WORDS; i++)
			model->cached[i] &= confirm.kept[i];
	}
	return true;
}

/* Unloads something at random. */
static bool
do_unload(WaStore *store)
{
	const uint64_t relation = pick(RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const int32_t attribute =
		pick(4) == 0 ? 0 : 1 + (int32_t) pick(WA_TEST_ATTRIBUTES);

	wa_store_unload(store, &name, attribute);
	for (int i = 0; i < EXTENTS; i++)
	{
		Model *model = &models[relation][i];
		const uint64_t bit =
			attribute == 0 ? 0 : (uint64_t) 1 << (attribute - 1);

		if (attribute == 0 || model->attributes == bit)
			memset(model, 0, sizeof(*model));
		model->attributes &= ~bit;
	}
	return true;
}

/* Makes a page of the visibility map, some of whose blocks are all-visible. */
static void
make_page(WaMapPage *page, uint64_t lsn)
{
	page->lsn = lsn;
	page->is_whole = next_random(&random_state) % 4 == 0;
	for (int i = 0; i < WA_EXTENTS_PER_MAP; i++)
		for (int j = 0; j < WA_EXTENT_WORDS; j++)
			page->visible[i][j] =
				next_random(&random_state) | next_random(&random_state);
}

/* Tells whether a block of an extent of a page is all-visible. */
static bool
is_visible(const WaMapPage *page, uint32_t number, uint32_t block)
{
	return page->is_whole != 0 ||
		   (page->visible[number % 64][block / 64] >> block % 64 & 1) != 0;
}

/* Tells whether an extent may be used as it is, by the model. */
static bool
usable_is_right(const WaUsedExtent *used, const Model *model,
				const WaMapPage *maps, uint32_t nblocks)
{
	const WaMapPage *page = &maps[used->number / WA_EXTENTS_PER_MAP];
	const uint32_t first = wa_extent_first_block(used->number);

	EXPECT(used->shape->block_lsn[0] == model->seed);
	EXPECT(page->lsn == model->map_lsn);
	EXPECT(used->device == used->number % 3);
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		EXPECT((used->usable[i / 64] >> i % 64 & 1) ==
			   (first + i < nblocks &&
				(model->cached[i / 64] >> i % 64 & 1) != 0 &&
				is_visible(page, used->number, i)));
	return true;
}

/* Whether the model says that a query finds something in an extent. */
static bool
model_is_used(const Model *model, uint32_t number, uint64_t attributes,
			  const WaMapPage *maps, uint32_t nblocks)
{
	const WaMapPage *page = &maps[number / WA_EXTENTS_PER_MAP];

	if (model->seed == 0 || (attributes & ~model->attributes) != 0 ||
		page->lsn != model->map_lsn)
		return false;
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (wa_extent_first_block(number) + i < nblocks &&
			(model->cached[i / 64] >> i % 64 & 1) != 0 &&
			is_visible(page, number, i))
			return true;
	return false;
}

/* Uses all that a query finds; tells whether it is what the model has. */
static bool
uses_are_right(WaStore *store, WaUse *use, uint64_t relation,
			   uint64_t attributes, const WaColumnName *names)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	WaUsedExtent used[2];
	uint32_t found;
	uint32_t next = 0;

	while ((found = wa_store_use_next(store, use, used, 1 + pick(2) % 2)) > 0)
		for (uint32_t i = 0; i < found; i++, next++)
		{
			while (next < EXTENTS &&
				   !model_is_used(&models[relation][next], numbers[next],
								  attributes, use->maps, use->nblocks))
				next++;
			EXPECT(next < EXTENTS && used[i].number == numbers[next]);
			EXPECT(usable_is_right(&used[i], &models[relation][next], use->maps,
								   use->nblocks));
			EXPECT(wa_test_used_is_right(&used[i], wa_test_relation(relation),
										 names, ncolumns));
			wa_store_unuse(&used[i], ncolumns);
		}
	for (; next < EXTENTS; next++)
		EXPECT(!model_is_used(&models[relation][next], numbers[next],
							  attributes, use->maps, use->nblocks));
	return true;
}

/* Queries some columns. */
static bool
do_use(WaStore *store)
{
	static WaMapPage maps[MAPS];
	const uint64_t relation = pick(RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES) &
								pick((uint64_t) 1 << WA_TEST_ATTRIBUTES) &
								pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	const uint64_t lsn = models[relation][pick(EXTENTS)].map_lsn;
	WaUse use = {.maps = maps, .nmaps = MAPS};
	uint64_t there = 0;
	bool exists = false;

	make_page(&maps[0], lsn);
	make_page(&maps[1], lsn);
	use.nblocks = (uint32_t) (pick(2) == 0 ? UINT32_MAX : pick(40000));
	for (int i = 0; i < EXTENTS; i++)
	{
		there |= models[relation][i].attributes;
		exists = exists || models[relation][i].seed != 0;
	}
	EXPECT(wa_store_use_begin(store, &name, names, ncolumns, &use) ==
		   (exists && (attributes & ~there) == 0));
	if (!exists || (attributes & ~there) != 0)
		return true;
	EXPECT(uses_are_right(store, &use, relation, attributes, names));
	wa_store_use_end(store, &use);
	return true;
}

/* Compares what is told of a relation's extents with the model. */
static bool
do_states(WaStore *store)
{
	const uint64_t relation = pick(RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns =
		wa_test_names(((uint64_t) 1 << WA_TEST_ATTRIBUTES) - 1, names);

	for (int i = 0; i < EXTENTS; i++)
	{
		const Model *model = &models[relation][i];
		WaExtentState state;

		wa_store_extent_state(store, &name, numbers[i], names, ncolumns,
							  &state);
		EXPECT(state.map_lsn == model->map_lsn);
		EXPECT(state.columns == model->attributes);
		EXPECT(state.ncolumns ==
			   (uint64_t) __builtin_popcountll(model->attributes));
		EXPECT(memcmp(state.cached, model->cached, sizeof(state.cached)) == 0);
		EXPECT(state.block_lsn[0] == model->seed);
		wa_store_extent_state(store, &name, numbers[i], names, 1, &state);
		EXPECT(state.columns == (model->attributes & 1));
		EXPECT(state.ncolumns ==
			   (uint64_t) __builtin_popcountll(model->attributes));
	}
	return true;
}

/* Returns the blocks that the model has cached of an extent. */
static uint64_t
model_blocks(const Model *model)
{
	uint64_t blocks = 0;

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		blocks += (uint64_t) __builtin_popcountll(model->cached[i]);
	return blocks;
}

/* Compares what is told of a relation's columns with the model. */
static bool
do_residency(WaStore *store)
{
	const uint64_t relation = pick(RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	WaResidency residency[WA_MAX_RESIDENT_COLUMNS];
	uint64_t complete = 0;
	uint64_t told =
		wa_store_residency(store, &name, names, ncolumns, residency);

	for (int i = 0; i < EXTENTS; i++)
		if ((attributes & ~models[relation][i].attributes) == 0)
			complete += model_blocks(&models[relation][i]);
	EXPECT(told == complete);
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		uint64_t blocks = 0;

		for (int i = 0; i < EXTENTS; i++)
			if ((models[relation][i].attributes >> (names[c].attribute - 1) &
				 1) != 0)
				blocks += model_blocks(&models[relation][i]);
		EXPECT(residency[c].blocks == blocks);
		EXPECT((residency[c].bytes > 0) >= (blocks > 0));
		EXPECT(residency[c].rows <= blocks * ROWS);
	}
	return true;
}

/* Compares the list of columns with the model. */
static bool
do_list(WaStore *store)
{
	static WaResidentColumn list[RELATIONS * WA_TEST_ATTRIBUTES];
	const uint32_t database = (uint32_t) pick(3) == 0 ? 0 : 5;
	uint32_t expected = 0;
	uint32_t told =
		wa_store_list(store, database, list, sizeof(list) / sizeof(list[0]));

	for (uint64_t r = 0; r < RELATIONS; r++)
	{
		uint64_t attributes = 0;

		for (int i = 0; i < EXTENTS; i++)
			attributes |= models[r][i].attributes;
		if (database == 0 || wa_test_relation(r).database == database)
			expected += (uint32_t) __builtin_popcountll(attributes);
	}
	EXPECT(told == expected);
	for (uint32_t i = 0; i < told; i++)
		EXPECT(list[i].extents > 0 && list[i].extents <= EXTENTS &&
			   list[i].blocks_used <= list[i].blocks_asked);
	EXPECT(wa_store_list(store, database, NULL, 0) == expected);
	return true;
}

static bool
test_model(void)
{
	static bool (*const operations[])(WaStore *) = {
		do_load, do_load,   do_load,      do_confirm, do_unload,
		do_use,  do_states, do_residency, do_list,    do_use};
	static WaStore store;

	wa_store_init(&store, PLENTY, 3);
	memset(models, 0, sizeof(models));
	for (int i = 0; i < OPERATIONS; i++)
		EXPECT(operations[pick(sizeof(operations) / sizeof(operations[0]))](
			&store));
	EXPECT(wa_memory_used(&store.memory) > 0);
	for (uint64_t r = 0; r < RELATIONS; r++)
	{
		const WaRelation name = wa_test_relation(r);

		wa_store_unload(&store, &name, 0);
	}
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	check(test_model(), "random operations");
	free(parcel);
	return finish_checks();
}
