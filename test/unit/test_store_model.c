/*
 * test_store_model.c
 *		The store of resident columns against a model of it: random operations, of
 *		loaders and followers of WAL that are late, too.
 *
 * Blocks change, and WAL tells of it (test_store_world.h).  Loaders read a position and
 * then blocks, and load them later; others confirm blocks later.  Whatever the store
 * takes for fresh is what the model says, and has not been changed by any WAL that the
 * store knows.
 *
 *	test_store_model [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/store/store_blocks.h"
#include "daemon/store/store_stamp.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_store_rules.h"

#define ROWS       4
#define PLENTY     ((uint64_t) 1 << 40)
#define OPERATIONS 12000

/* Loaders, and confirmers, at work at the same time. */
#define READERS 4

/* Somebody who has read some blocks of an extent, and the position before. */
typedef struct Reader
{
	bool is_active;
	uint64_t relation;
	uint64_t extent;
	uint64_t position;
	uint32_t nread; /* blocks so far */
	uint64_t lsn[WA_EXTENT_BLOCKS];
	WaExtentState state; /* of who confirms: before all that */
} Reader;

static World world;
static Rules rules;
static Reader loaders[READERS];
static Reader confirmers[READERS];
static uint32_t roots[WORLD_RELATIONS]; /* of their families, as loaded last */
static long used_blocks;
static long used_overlays;
static uint64_t contents[OPERATIONS]; /* of stamps, by when they were made */
static long stamps_seen;              /* that were not new */
static long identities_seen;          /* of blocks */
static uint64_t first_content;
static uint8_t *parcel;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return world_pick(&world, bound);
}

/* Somebody begins to read an extent. */
static void
begin_reading(Reader *reader)
{
	memset(reader, 0, sizeof(*reader));
	reader->is_active = true;
	reader->relation = pick(WORLD_RELATIONS);
	reader->extent = pick(WORLD_EXTENTS);
	reader->position = world.position;
}

/* Goes on to read blocks, up to all of them. */
static void
read_blocks(Reader *reader, uint32_t end)
{
	for (; reader->nread < end; reader->nread++)
		reader->lsn[reader->nread] =
			world.lsn[reader->relation][reader->extent][reader->nread];
}

/* Returns a seed of values: those of all have the same scales, for patches to fit. */
static uint64_t
pick_seed(void)
{
	return 1 + (uint64_t) 19 * (WA_WIDE_MAX_SCALE + 1) * pick(300);
}

/*
 * Has the relation of a reader come to another family, now and then, which forgets what
 * there is of it; returns the model of the extent.
 */
static Model *
change_family(const Reader *reader)
{
	uint32_t *root = &roots[reader->relation];
	const uint32_t before = *root;

	if (pick(20) == 0)
		*root = (uint32_t) pick(3);
	if (*root != before)
		rules_unload(&rules, reader->relation, 0);
	wa_test_family.root = *root;
	return &rules.models[reader->relation][reader->extent];
}

/* Loads what a loader has read. */
static bool
load(WaStore *store, const Reader *reader)
{
	Model *model = change_family(reader);
	const uint64_t seed =
		model->seed != 0 && pick(3) != 0 ? model->seed : pick_seed();
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	const uint64_t edition = model->edition;
	const WaRelation name = wa_test_relation(reader->relation);
	char error[WA_MAX_ERROR_BYTES];
	WaExtentState state;
	WaExtentHead head;

	wa_test_write_extent_of(parcel, name, world_numbers[reader->extent],
							reader->position, seed, ROWS, attributes,
							reader->lsn);
	wa_test_write_xids((WaExtentHead *) (void *) parcel, pick(100000));
	memcpy(&head, parcel, sizeof(head));
	wa_test_join(&head);
	EXPECT(wa_extent_is_sound(&head, WA_TEST_EXTENT_BYTES));
	EXPECT(wa_store_load(store, &head, parcel, error, sizeof(error)) == WA_OK);
	rules_load(&rules, reader->relation, reader->extent, &head, seed,
			   attributes);
	wa_test_extent_state(store, &name, head.number, NULL, 0, &state);
	EXPECT(state.edition != 0);
	EXPECT(model->edition == 0 ? state.edition != edition
							   : state.edition == edition || model->is_patched);
	model->edition = state.edition;
	return true;
}

/* Patches an extent with some of what a loader has read. */
static bool
patch(WaStore *store, Reader *reader)
{
	Model *model = &rules.models[reader->relation][reader->extent];
	const WaRelation name = wa_test_relation(reader->relation);
	const uint64_t edition = model->edition;
	const uint64_t one_in = 1 + pick(100);
	char error[WA_MAX_ERROR_BYTES];
	WaExtentState state;
	WaExtentHead head;

	for (int i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (pick(one_in) != 0)
			reader->lsn[i] = 0;
	wa_test_write_extent_of(parcel, name, world_numbers[reader->extent],
							reader->position, pick_seed(), ROWS,
							model->attributes | pick(8), reader->lsn);
	memcpy(&head, parcel, sizeof(head));
	wa_test_family.root = roots[reader->relation];
	wa_test_join(&head);
	head.is_patch = 1;
	EXPECT(wa_extent_is_sound(&head, WA_TEST_EXTENT_BYTES));
	EXPECT(wa_store_load(store, &head, parcel, error, sizeof(error)) == WA_OK);
	wa_test_extent_state(store, &name, head.number, NULL, 0, &state);
	EXPECT((state.exists != 0) == (model->seed != 0));
	if (model->seed == 0)
		return true;
	rules_patch(&rules, reader->relation, reader->extent, &head);
	EXPECT(state.edition != 0 && state.edition != edition);
	model->edition = state.edition;
	return true;
}

/* Some loader goes on, or another one begins. */
static bool
do_load(WaStore *store)
{
	Reader *loader = &loaders[pick(READERS)];

	if (!loader->is_active)
		begin_reading(loader);
	read_blocks(loader, loader->nread + (uint32_t) pick(WA_EXTENT_BLOCKS -
														loader->nread + 1));
	if (pick(2) == 0)
		return true;
	read_blocks(loader, WA_EXTENT_BLOCKS);
	if (pick(3) == 0)
		return true;
	loader->is_active = false;
	return pick(3) == 0 ? patch(store, loader) : load(store, loader);
}

/* Confirms what somebody has read. */
static void
confirm(WaStore *store, const Reader *reader)
{
	Model *model = &rules.models[reader->relation][reader->extent];
	WaConfirmMessage message = {.relation = wa_test_relation(reader->relation),
								.extent = world_numbers[reader->extent],
								.edition = reader->state.edition,
								.position = reader->position};

	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		put_bit(message.same, i,
				reader->lsn[i] == reader->state.block_lsn[i] && pick(20) != 0);
	wa_store_confirm(store, &message);
	if (model->seed != 0 && model->edition == message.edition)
		rules_refresh(&rules, reader->relation, reader->extent,
					  reader->position, message.same);
}

/* Some confirmer goes on, or another one begins. */
static bool
do_confirm(WaStore *store)
{
	Reader *confirmer = &confirmers[pick(READERS)];
	WaRelation name;

	if (!confirmer->is_active)
	{
		begin_reading(confirmer);
		name = wa_test_relation(confirmer->relation);
		wa_test_extent_state(store, &name, world_numbers[confirmer->extent],
							 NULL, 0, &confirmer->state);
		return true;
	}
	read_blocks(confirmer,
				confirmer->nread +
					(uint32_t) pick(WA_EXTENT_BLOCKS - confirmer->nread + 1));
	if (pick(2) == 0)
		return true;
	read_blocks(confirmer, WA_EXTENT_BLOCKS);
	confirmer->is_active = false;
	confirm(store, confirmer);
	return true;
}

/* Changes the world. */
static bool
do_change(WaStore *store)
{
	(void) store;
	for (uint64_t n = pick(6); n > 0; n--)
		world_change(&world);
	/* More than can be remembered, now and then. */
	if (pick(150) == 0)
		world_change_others(&world,
							pick(2) * (WA_KNOWN_CHANGES - 300) + pick(600));
	return true;
}

/* Follows WAL, somewhere before what is rules.known, and rarely behind that. */
static bool
do_follow(WaStore *store)
{
	static WaFollowMessage follow;
	const uint64_t most =
		pick(4) == 0 ? world.position - pick(4) : world.position;
	uint64_t from = rules.known - pick(3) * pick(20);

	if (rules.known == 0 || pick(700) == 0)
		from = rules.known + (world.position - rules.known) / 2;
	if (from == 0 || from > most)
		return true;
	do
	{
		world_follow(&world, from, most, &follow);
		EXPECT(wa_follow_is_sound(&follow));
		rules_follow(&rules, &follow);
		EXPECT(wa_store_follow(store, &follow) == rules.known);
		from = follow.to;
	} while (follow.to < most);
	world_tell(&world, rules.known);
	return true;
}

/* Unloads something at random. */
static bool
do_unload(WaStore *store)
{
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const int32_t attribute =
		pick(4) == 0 ? 0 : 1 + (int32_t) pick(WA_TEST_ATTRIBUTES);

	wa_store_unload(store, &name, attribute);
	rules_unload(&rules, relation, attribute);
	return true;
}

/* Tells whether an extent, or its overlay, may be used as it is, by the model and WAL. */
static bool
usable_is_right(const WaUsedExtent *used, uint64_t relation, uint64_t extent,
				const WaUse *use, uint64_t *found)
{
	const Model *model = &rules.models[relation][extent];
	const uint32_t number = wa_extent_number(used->number);

	EXPECT(number == world_numbers[extent] &&
		   used->device == (number + use->pins.relation->start) % 3);
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		if (!has_bit(used->usable, i))
			continue;
		EXPECT(rules_have(model, number, i, use) && !has_bit(found, i));
		put_bit(found, i, true);
		EXPECT(used->layout->block_lsn[i] == model->head.block_lsn[i]);
		EXPECT(world.told[relation][extent][i] <= used->layout->block_lsn[i]);
		used_blocks++;
	}
	return true;
}

/* Tells whether the columns of a used extent are those that were loaded. */
static bool
columns_are_right(const WaUsedExtent *used, uint64_t relation, uint64_t extent,
				  const WaColumnName *names, uint32_t ncolumns)
{
	const Model *model = &rules.models[relation][extent];

	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const int16_t attribute = names[i].attribute;

		EXPECT(used->columns[i]->nrows == used->layout->nrows);
		EXPECT(model->is_patched ||
			   wa_test_column_is_right(used->columns[i],
									   wa_test_relation(relation),
									   model->seeds[attribute - 1], attribute));
	}
	return true;
}

/* Returns the place of an extent, or that of its overlay, in the world. */
static uint32_t
extent_of(uint32_t number)
{
	uint32_t extent = 0;

	while (extent < WORLD_EXTENTS &&
		   world_numbers[extent] != wa_extent_number(number))
		extent++;
	return extent;
}

/* Uses all that a query finds; tells whether it is what the model has. */
static bool
uses_are_right(WaStore *store, WaUse *use, uint64_t relation,
			   uint64_t attributes, const WaColumnName *names)
{
	const uint32_t ncolumns = use->pins.ncolumns;
	uint64_t usable[WORLD_EXTENTS][WA_EXTENT_WORDS] = {{0}};
	WaUsedExtent used[2];
	uint32_t next = 0;
	uint32_t found;
	int64_t last =
		-1; /* twice the extent's number, and 1 if it was an overlay */

	while ((found = wa_test_use_next(store, use, &next, used)) > 0)
		for (uint32_t i = 0; i < found; i++)
		{
			const uint32_t extent = extent_of(used[i].number);

			const int64_t place =
				2 * (int64_t) wa_extent_number(used[i].number) +
				(used[i].number >= WA_OVERLAY);

			EXPECT(place > last && extent < WORLD_EXTENTS);
			last = place;
			used_overlays += used[i].number >= WA_OVERLAY;
			EXPECT(usable_is_right(&used[i], relation, extent, use,
								   usable[extent]));
			EXPECT(
				columns_are_right(&used[i], relation, extent, names, ncolumns));
			wa_store_unuse(&used[i], ncolumns);
		}
	for (uint32_t e = 0; e < WORLD_EXTENTS; e++)
		for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
			EXPECT(has_bit(usable[e], i) ==
				   (rules_use(&rules, relation, e, attributes, use) &&
					rules_have(&rules.models[relation][e], world_numbers[e], i,
							   use)));
	return true;
}

/* Queries some columns. */
static bool
do_use(WaStore *store)
{
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES) &
								pick((uint64_t) 1 << WA_TEST_ATTRIBUTES) &
								pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	const WaSnapshot snapshot =
		pick(2) == 0 ? wa_test_snapshot
					 : wa_test_random_snapshot(&world.random_state);
	WaUse use = {.snapshot = &snapshot,
				 .position =
					 pick(10) == 0 ? rules.known + 1 : rules.known - pick(2)};
	uint64_t there = 0;
	bool exists = false;

	use.nblocks = (uint32_t) (pick(2) == 0 ? UINT32_MAX : pick(40000));
	for (int i = 0; i < WORLD_EXTENTS; i++)
	{
		there |= rules.models[relation][i].attributes;
		exists = exists || rules.models[relation][i].seed != 0;
	}
	EXPECT(wa_store_use_begin(store, &name, names, ncolumns, &use) ==
		   (exists && (attributes & ~there) == 0));
	if (!exists || (attributes & ~there) != 0)
		return true;
	EXPECT(uses_are_right(store, &use, relation, attributes, names));
	wa_store_use_end(store, &use);
	return true;
}

/* Returns what stands for some blocks of a relation, and for the pages that they were. */
static uint64_t
content_of(uint64_t relation, uint32_t nblocks)
{
	uint64_t content = relation + 1 + (uint64_t) nblocks * WORLD_RELATIONS;

	for (uint32_t i = 0; i < nblocks; i++)
		content =
			content * 1000003 + rules.models[relation][0].head.block_lsn[i];
	return content;
}

/*
 * Asks for a stamp of a relation's first blocks: there is one if, and only if, the model
 * has all of them, and it is only there again for the same pages.
 */
static bool
do_stamp(WaStore *store)
{
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaSnapshot snapshot =
		pick(2) == 0 ? wa_test_snapshot
					 : wa_test_random_snapshot(&world.random_state);
	const uint64_t position =
		pick(10) == 0 ? rules.known + 1 : rules.known - pick(2);
	const WaRunSource source = {wa_test_relation(relation),
								1 + (uint32_t) pick(3)};
	const WaUse use = {
		.snapshot = &snapshot, .position = position, .nblocks = source.nblocks};
	const uint64_t first = store->contents;
	const uint64_t stamp = wa_store_stamp(store, &source, &snapshot, position);
	bool has_all = position <= rules.known;

	for (uint32_t i = 0; i < source.nblocks && has_all; i++)
		has_all = rules_have(&rules.models[relation][0], 0, i, &use);
	EXPECT((stamp != 0) == has_all);
	if (stamp == 0)
		return true;
	EXPECT(stamp > first_content && stamp - first_content < OPERATIONS);
	if (stamp > first)
		contents[stamp - first_content] = content_of(relation, source.nblocks);
	else
		stamps_seen++;
	EXPECT(contents[stamp - first_content] ==
		   content_of(relation, source.nblocks));
	return true;
}

/* Returns what a block is told to be: the LSN that the model has of it, or 0. */
static uint64_t
identity_of(uint64_t relation, uint64_t block, const WaUse *use)
{
	for (int i = 0; i < WORLD_EXTENTS; i++)
	{
		const Model *model = &rules.models[relation][i];
		const uint64_t first = wa_extent_first_block(world_numbers[i]);

		if (block >= first && block < first + WA_EXTENT_BLOCKS)
			return use->position > rules.known ||
						   !rules_have(model, world_numbers[i],
									   (uint32_t) (block - first), use) ||
						   model->head.block_lsn[block - first] == 1
					   ? 0
					   : model->head.block_lsn[block - first];
	}
	return 0;
}

/* Asks what the first blocks of a relation are. */
static bool
do_blocks(WaStore *store)
{
	static uint64_t found[2 * WA_EXTENT_BLOCKS];
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaSnapshot snapshot =
		pick(2) == 0 ? wa_test_snapshot
					 : wa_test_random_snapshot(&world.random_state);
	const uint64_t position =
		pick(10) == 0 ? rules.known + 1 : rules.known - pick(2);
	const WaRunSource source = {wa_test_relation(relation),
								1 + (uint32_t) pick(2 * WA_EXTENT_BLOCKS)};
	const WaUse use = {
		.snapshot = &snapshot, .position = position, .nblocks = source.nblocks};

	memset(found, 0xff, sizeof(found));
	wa_store_blocks(store, &source, &snapshot, position, found);
	for (uint32_t i = 0; i < source.nblocks; i++)
	{
		EXPECT(found[i] == identity_of(relation, i, &use));
		identities_seen += found[i] != 0;
	}
	EXPECT(source.nblocks == 2 * WA_EXTENT_BLOCKS ||
		   found[source.nblocks] == UINT64_MAX);
	return true;
}

/* Tells whether a state is that of the model. */
static bool
state_is_right(const WaExtentState *state, const Model *model)
{
	EXPECT(state->exists == (model->seed != 0));
	EXPECT(state->edition == model->edition);
	EXPECT(state->ncolumns ==
		   (uint64_t) __builtin_popcountll(model->attributes));
	EXPECT(memcmp(state->cached, model->cached, sizeof(state->cached)) == 0);
	EXPECT(memcmp(state->fresh, model->fresh, sizeof(state->fresh)) == 0);
	EXPECT(memcmp(state->block_lsn, model->head.block_lsn,
				  sizeof(state->block_lsn)) == 0);
	return true;
}

/* Compares what is told of a relation's extents with the model. */
static bool
do_states(WaStore *store)
{
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns =
		wa_test_names(((uint64_t) 1 << WA_TEST_ATTRIBUTES) - 1, names);

	for (int i = 0; i < WORLD_EXTENTS; i++)
	{
		const Model *model = &rules.models[relation][i];
		WaExtentState state;

		wa_test_extent_state(store, &name, world_numbers[i], names, ncolumns,
							 &state);
		EXPECT(state.number == world_numbers[i]);
		EXPECT(state.columns == model->attributes);
		EXPECT(state_is_right(&state, model));
		wa_test_extent_state(store, &name, world_numbers[i], names, 1, &state);
		EXPECT(state.columns == (model->attributes & 1));
		EXPECT(state_is_right(&state, model));
	}
	return true;
}

/* Returns what the model has of an extent by its number. */
static const Model *
model_of(uint64_t relation, uint32_t number)
{
	static const Model nothing;

	for (int i = 0; i < WORLD_EXTENTS; i++)
		if (world_numbers[i] == number)
			return &rules.models[relation][i];
	return &nothing;
}

/* Tells whether all blocks of an extent are fresh, of a relation of so many. */
static bool
is_all_fresh(const Model *model, uint32_t number, uint32_t nblocks)
{
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (wa_extent_first_block(number) + i < nblocks &&
			!has_bit(model->fresh, i))
			return false;
	return true;
}

/* Compares the extents that lack something with the model. */
static bool
do_changed(WaStore *store)
{
	static WaExtentState states[80];
	const uint64_t relation = pick(WORLD_RELATIONS);
	WaExtentsMessage changed = {.relation = wa_test_relation(relation),
								.first = (uint32_t) pick(3),
								.nblocks = (uint32_t) pick(34000),
								.room = 1 + (uint32_t) pick(80)};
	uint32_t bulk = 0;
	uint32_t found = 0;
	uint32_t told;

	if (pick(2) == 0)
		changed.nblocks = (uint32_t) pick(1100);
	told = wa_store_extents(store, &changed, (uint8_t *) states, &bulk);
	EXPECT(bulk == wa_checksum(0, states, told * sizeof(states[0])));
	for (uint32_t i = changed.first;
		 i < wa_extents_of(changed.nblocks) && found < changed.room; i++)
	{
		const Model *model = model_of(relation, i);

		if (is_all_fresh(model, i, changed.nblocks))
			continue;
		EXPECT(found < told && states[found].number == i);
		EXPECT(states[found].columns == 0);
		EXPECT(state_is_right(&states[found], model));
		found++;
	}
	EXPECT(found == told);
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
	const uint64_t relation = pick(WORLD_RELATIONS);
	const WaRelation name = wa_test_relation(relation);
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	WaResidency residency[WA_MAX_RESIDENT_COLUMNS];
	uint64_t complete = 0;
	uint64_t told =
		wa_store_residency(store, &name, names, ncolumns, residency);

	for (int i = 0; i < WORLD_EXTENTS; i++)
		if ((attributes & ~rules.models[relation][i].attributes) == 0)
			complete += model_blocks(&rules.models[relation][i]);
	EXPECT(told == complete);
	for (uint32_t c = 0; c < ncolumns; c++)
	{
		uint64_t blocks = 0;

		for (int i = 0; i < WORLD_EXTENTS; i++)
			if ((rules.models[relation][i].attributes >>
					 (names[c].attribute - 1) &
				 1) != 0)
				blocks += model_blocks(&rules.models[relation][i]);
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
	static WaResidentColumn list[WORLD_RELATIONS * WA_TEST_ATTRIBUTES];
	const uint32_t database = (uint32_t) pick(3) == 0 ? 0 : 5;
	uint32_t expected = 0;
	uint32_t told =
		wa_store_list(store, database, list, sizeof(list) / sizeof(list[0]));

	for (uint64_t r = 0; r < WORLD_RELATIONS; r++)
	{
		uint64_t attributes = 0;

		for (int i = 0; i < WORLD_EXTENTS; i++)
			attributes |= rules.models[r][i].attributes;
		if (database == 0 || wa_test_relation(r).database == database)
			expected += (uint32_t) __builtin_popcountll(attributes);
	}
	EXPECT(told == expected);
	for (uint32_t i = 0; i < told; i++)
		EXPECT(list[i].extents > 0 && list[i].extents <= WORLD_EXTENTS &&
			   list[i].blocks_used <= list[i].blocks_asked);
	EXPECT(wa_store_list(store, database, NULL, 0) == expected);
	return true;
}

static bool
test_model(void)
{
	static bool (*const operations[])(WaStore *) = {
		do_load,    do_load,   do_load,   do_load,    do_load,   do_confirm,
		do_confirm, do_follow, do_follow, do_change,  do_change, do_unload,
		do_use,     do_use,    do_states, do_changed, do_list,   do_residency,
		do_stamp,   do_stamp,  do_blocks};
	static WaStore store;

	wa_store_init(&store, PLENTY, 3);
	first_content = store.contents;
	for (int i = 0; i < OPERATIONS; i++)
		EXPECT(operations[pick(sizeof(operations) / sizeof(operations[0]))](
			&store));
	EXPECT(used_blocks > OPERATIONS && used_overlays > 0);
	EXPECT(identities_seen > OPERATIONS);
	EXPECT(stamps_seen > 0 && store.contents > first_content + 10);
	for (uint64_t r = 0; r < WORLD_RELATIONS; r++)
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
	world_init(&world, argc > 1 ? strtoull(argv[1], NULL, 10) : 3);
	rules_init(&rules);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	check(test_model(), "random operations");
	free(parcel);
	rules_free(&rules);
	world_free(&world);
	return finish_checks();
}
