/*
 * test_store.c
 *		The store of resident columns under small limits, in use, with values that
 *		cannot be, and used by several threads at once.
 *
 *	test_store [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define RELATIONS 3
#define ROWS      4
#define PLENTY    ((uint64_t) 1 << 40)

static uint64_t random_state = 3;
static uint8_t *parcel;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Returns the first words of the states of all extents: what is there. */
static uint64_t
extents_there(WaStore *store, uint64_t relation, uint32_t count)
{
	const WaRelation name = wa_test_relation(relation);
	uint64_t there = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		WaExtentState state;

		wa_test_extent_state(store, &name, i, NULL, 0, &state);
		if (state.exists != 0)
			there |= (uint64_t) 1 << i;
	}
	return there;
}

/* Uses a relation without columns. */
static bool
use_relation(WaStore *store, uint64_t relation)
{
	const WaRelation name = wa_test_relation(relation);
	WaUse use = wa_test_use(UINT32_MAX);

	EXPECT(wa_store_use_begin(store, &name, NULL, 0, &use));
	wa_store_use_end(store, &use);
	return true;
}

/* The extents that were not used for longest go, and none of the loader's. */
static bool
test_eviction(void)
{
	static WaStore store;
	uint64_t bytes;

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	EXPECT(wa_test_load(&store, parcel, 0, 0, 1, 400, ROWS, 4) == WA_OK);
	bytes = wa_memory_used(&store.memory);
	for (uint32_t i = 5; i > 0; i--)
		EXPECT(wa_test_load(&store, parcel, i < 3 ? 0 : 1, i, 1, 400, ROWS,
							4) == WA_OK);
	EXPECT(use_relation(&store, 1));
	/* by use now: 0, 2, 1 of the first, 5, 4, 3 of the second */
	wa_store_set_limit(&store, wa_memory_used(&store.memory) + bytes / 2);
	EXPECT(extents_there(&store, 0, 8) == 7);
	EXPECT(wa_test_load(&store, parcel, 2, 6, 1, 400, ROWS, 4) == WA_OK);
	EXPECT(extents_there(&store, 0, 8) == 6);
	EXPECT(wa_test_load(&store, parcel, 2, 7, 1, 400, ROWS, 4) == WA_OK);
	EXPECT(extents_there(&store, 0, 8) == 2);
	EXPECT(extents_there(&store, 1, 8) == 8 + 16 + 32);
	EXPECT(wa_test_load(&store, parcel, 1, 6, 1, 400, ROWS, 4) == WA_OK);
	EXPECT(extents_there(&store, 0, 8) == 0);
	EXPECT(wa_test_load(&store, parcel, 1, 1, 1, 400, ROWS, 4) == WA_OK);
	EXPECT(wa_test_load(&store, parcel, 1, 2, 1, 400, ROWS, 4) == WA_OK);
	EXPECT(extents_there(&store, 2, 8) == 0);
	EXPECT(wa_test_load(&store, parcel, 1, 7, 1, 400, ROWS, 4) ==
		   WA_OUT_OF_MEMORY);
	EXPECT(extents_there(&store, 1, 8) == 0x7e);
	/* what is of other blocks may take the place of what there was */
	EXPECT(wa_test_load(&store, parcel, 1, 5, 1, 401 + 416, ROWS, 4) == WA_OK);
	wa_store_set_limit(&store, 3 * bytes + bytes / 2);
	EXPECT(extents_there(&store, 1, 8) == 2 + 4 + 32);
	EXPECT(wa_test_load(&store, parcel, 0, 0, 1, 400, ROWS, 0x3ff) ==
		   WA_OUT_OF_MEMORY);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

/* What a query uses stays, and goes later if it has to. */
static bool
test_in_use(void)
{
	static WaStore store;
	const WaRelation name = wa_test_relation(0);
	const WaColumnName text = wa_test_column_name(10);
	WaUse use = wa_test_use(UINT32_MAX);
	const WaDictionary *dictionary;
	WaRunBounds bounds;
	WaUsedExtent used[2];
	uint32_t next = 0;

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	EXPECT(wa_test_load(&store, parcel, 0, 0, 1, 400, ROWS, 0x200) == WA_OK);
	EXPECT(wa_store_use_begin(&store, &name, &text, 1, &use));
	EXPECT(wa_test_use_next(&store, &use, &next, used) == 1);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) > 0);
	EXPECT(extents_there(&store, 0, 1) == 1);
	wa_store_unload(&store, &name, 0);
	EXPECT(extents_there(&store, 0, 1) == 0);
	EXPECT(wa_memory_used(&store.memory) > 0);
	EXPECT(wa_test_used_is_right(&used[0], name, &text, 1));
	wa_store_use_columns(&store, &use, &dictionary, &bounds);
	EXPECT(dictionary == used[0].columns[0]->dictionary);
	wa_store_unuse(&used[0], 1);
	wa_store_use_end(&store, &use);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

/* Whatever is the limit, loads only fail, and nothing is lost count of. */
static bool
test_limits(void)
{
	static WaStore store;
	int failed = 0;

	wa_store_init(&store, 0, 2);
	for (int i = 0; i < 2000; i++)
	{
		const uint64_t limit = pick(600000);
		const WaRelation name = wa_test_relation(pick(RELATIONS));
		WaStatus status;

		wa_store_set_limit(&store, limit);
		EXPECT(wa_memory_used(&store.memory) <= limit);
		status =
			wa_test_load(&store, parcel, pick(RELATIONS), (uint32_t) pick(4), 1,
						 1 + pick(1000), ROWS, pick(1024));
		EXPECT(status == WA_OK || status == WA_OUT_OF_MEMORY);
		EXPECT(wa_memory_used(&store.memory) <= limit);
		failed += status != WA_OK;
		if (pick(20) == 0)
			wa_store_unload(&store, &name, 0);
	}
	EXPECT(failed > 100 && failed < 1900);
	wa_store_set_limit(&store, 0);
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

/* Returns where a part of a column begins: its values, validity and so on. */
static uint64_t
part_of(const WaExtentColumn *column, int part)
{
	const uint64_t parts[] = {column->values, column->validity, column->display,
							  column->text_ends};

	return parts[part];
}

/*
 * Returns which byte of a part makes a row's value one that cannot be if it is large:
 * the highest of a number of a text, or of one of 128 bits.
 */
static uint32_t
bad_byte(const WaExtentColumn *column, int part, uint32_t row)
{
	if (column->form == WA_FORM_TEXT && part % 3 == 0)
		return 4 * row + 3;
	return column->form == WA_FORM_DECIMAL128 && part == 0 ? 16 * row + 15
														   : row;
}

/* Values that cannot be are refused, and leave nothing behind. */
static bool
test_bad_values(void)
{
	static WaStore store;
	static WaExtentHead head;
	char error[WA_MAX_ERROR_BYTES];
	const WaRelation relation = wa_test_relation(0);
	const uint64_t seed = 412; /* even: some have NULLs, decimals a display */

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	for (int16_t attribute = 1; attribute <= WA_TEST_ATTRIBUTES; attribute++)
		for (int part = 0; part < 4; part++)
		{
			const WaExtentColumn *column = &head.columns[0];
			uint64_t offset;

			wa_test_write_extent(parcel, relation, 0, 1, seed, ROWS,
								 (uint64_t) 1 << (attribute - 1));
			memcpy(&head, parcel, sizeof(head));
			offset = part_of(column, part);
			if (offset == 0 || (part == 0 && column->form != WA_FORM_BOOL &&
								column->form != WA_FORM_DECIMAL128 &&
								column->form != WA_FORM_TEXT))
				continue;
			EXPECT(wa_store_load(&store, &head, parcel, error, sizeof(error)) ==
				   WA_OK);
			parcel[offset + bad_byte(column, part, head.nrows / 2)] = 0x7f;
			EXPECT(wa_store_load(&store, &head, parcel, error, sizeof(error)) ==
				   WA_BAD_REQUEST);
			wa_store_unload(&store, &relation, 0);
		}
	EXPECT(wa_memory_used(&store.memory) == 0);
	return true;
}

/* What the threads of test_threads have in common. */
static WaStore shared;
static bool shared_failed;

/* Loads extents at random. */
static void *
loading_thread(void *arg)
{
	uint8_t *memory = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	uint64_t state = 17 + (uintptr_t) arg;

	for (int i = 0; i < 300; i++)
	{
		const uint64_t bits = next_random(&state);
		WaStatus status =
			wa_test_load(&shared, memory, bits % 2, (uint32_t) (bits >> 8) % 4,
						 1, 1 + (bits >> 16) % 3, ROWS, (bits >> 24) % 1024);

		if (status != WA_OK && status != WA_OUT_OF_MEMORY)
			__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
	}
	free(memory);
	return NULL;
}

/* Looks at all columns that a query finds. */
static bool
look(uint64_t relation, uint64_t attributes)
{
	const WaRelation name = wa_test_relation(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	WaUse use = wa_test_use(UINT32_MAX);
	WaUsedExtent used[2];
	uint32_t next = 0;
	uint32_t found;

	if (!wa_store_use_begin(&shared, &name, names, ncolumns, &use))
		return true;
	while ((found = wa_test_use_next(&shared, &use, &next, used)) > 0)
		for (uint32_t i = 0; i < found; i++)
		{
			EXPECT(wa_test_used_is_right(&used[i], name, names, ncolumns));
			wa_store_unuse(&used[i], ncolumns);
		}
	wa_store_use_end(&shared, &use);
	return true;
}

/* Queries at random. */
static void *
using_thread(void *arg)
{
	uint64_t state = 91 + (uintptr_t) arg;

	for (int i = 0; i < 300; i++)
	{
		const uint64_t bits = next_random(&state);

		if (!look(bits % 2, (bits >> 8) & (bits >> 18) & 1023))
			__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Has WAL change a block. */
static void
follow(uint64_t position, WaRelation relation, uint32_t block)
{
	static WaFollowMessage follow; /* of one thread */

	follow.from = position;
	follow.to = position + 1;
	follow.nchanges = 1;
	follow.changes[0] =
		(WaChange){.relation = relation, .block = block, .lsn = position + 1};
	(void) wa_store_follow(&shared, &follow);
}

/* Follows, confirms, unloads, asks and changes the limit at random. */
static void *
disturbing_thread(void *arg)
{
	uint64_t state = 5 + (uintptr_t) arg;
	static WaResidentColumn list[64];

	for (int i = 0; i < 600; i++)
	{
		const uint64_t bits = next_random(&state);
		const WaRelation name = wa_test_relation(bits % 2);
		WaConfirmMessage confirm = {.relation = name,
									.extent = (uint32_t) (bits >> 8) % 4,
									.edition = bits >> 30 & 63,
									.position = 1};
		WaResidency residency;
		const WaColumnName text = wa_test_column_name(10);

		memset(confirm.same, 0xfe, sizeof(confirm.same));
		wa_store_confirm(&shared, &confirm);
		follow((uint64_t) i + 1, name,
			   (uint32_t) (bits >> 40) % (4 * WA_EXTENT_BLOCKS));
		if (i % 10 == 0)
			wa_store_unload(&shared, &name, (int32_t) (bits >> 12) % 11);
		if (i % 7 == 0)
			wa_store_set_limit(&shared, (bits >> 20) % 1000000);
		(void) wa_store_list(&shared, 0, list, 64);
		(void) wa_store_residency(&shared, &name, &text, 1, &residency);
	}
	return NULL;
}

static bool
test_threads(void)
{
	static void *(*const mains[])(void *) = {loading_thread, loading_thread,
											 using_thread, using_thread,
											 disturbing_thread};
	pthread_t threads[5];

	wa_store_init(&shared, PLENTY, 2);
	wa_test_know(&shared, 1);
	for (uintptr_t i = 0; i < 5; i++)
		EXPECT(pthread_create(&threads[i], NULL, mains[i], (void *) i) == 0);
	for (int i = 0; i < 5; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	EXPECT(!shared_failed);
	wa_store_set_limit(&shared, 0);
	EXPECT(wa_memory_used(&shared.memory) == 0);
	return true;
}

/* Loads an extent of the attributes 1 and 2, the first of which lacks some blocks. */
static bool
load_odd(WaStore *store, uint64_t odd)
{
	WaExtentHead *head = malloc(sizeof(*head));
	char error[WA_MAX_ERROR_BYTES];
	WaStatus status;

	wa_test_write_extent(parcel, wa_test_relation(0), 0, 1, 400, ROWS, 3);
	memcpy(head, parcel, sizeof(*head));
	head->columns[0].odd[0] = odd;
	status = wa_store_load(store, head, parcel, error, sizeof(error));
	free(head);
	return status == WA_OK;
}

/* Stores which of the first blocks of the extent can be used with some columns. */
static bool
find_usable(WaStore *store, const WaColumnName *columns, uint32_t ncolumns,
			uint64_t *usable)
{
	const WaRelation name = wa_test_relation(0);
	WaUse use = wa_test_use(UINT32_MAX);
	WaUsedExtent used[2];
	uint32_t next = 0;
	uint64_t blocks = 0;

	EXPECT(wa_store_use_begin(store, &name, columns, ncolumns, &use));
	EXPECT(wa_test_use_next(store, &use, &next, used) == 1);
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		blocks += (uint64_t) __builtin_popcountll(used[0].usable[i]);
	EXPECT(use.blocks == blocks);
	*usable = used[0].usable[0];
	wa_store_unuse(&used[0], ncolumns);
	wa_store_use_end(store, &use);
	return true;
}

/* Blocks that a column lacks are of no use to who asks for it, and to no others. */
static bool
test_odd(void)
{
	static WaStore store;
	const WaRelation name = wa_test_relation(0);
	const WaColumnName columns[] = {wa_test_column_name(1),
									wa_test_column_name(2)};
	WaResidency residency[2];
	uint64_t odd = 0;
	uint64_t all;
	uint64_t usable;

	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	EXPECT(load_odd(&store, 0));
	EXPECT(find_usable(&store, columns, 2, &all));
	for (int i = 0; i < 64 && __builtin_popcountll(odd) < 3; i += 5)
		odd |= all & (uint64_t) 1 << i;
	EXPECT(__builtin_popcountll(odd) == 3);
	EXPECT(load_odd(&store, odd));
	EXPECT(find_usable(&store, &columns[1], 1, &usable));
	EXPECT(usable == all);
	EXPECT(find_usable(&store, &columns[0], 1, &usable));
	EXPECT(usable == (all & ~odd));
	EXPECT(find_usable(&store, columns, 2, &usable));
	EXPECT(usable == (all & ~odd));
	EXPECT(wa_store_residency(&store, &name, columns, 2, residency) ==
		   residency[1].blocks - 3);
	EXPECT(residency[0].blocks == residency[1].blocks - 3);
	EXPECT(residency[0].rows < residency[1].rows);
	EXPECT(wa_store_residency(&store, &name, &columns[1], 1, residency) ==
		   residency[0].blocks);
	wa_store_set_limit(&store, 0);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"eviction by use", test_eviction},
	{"blocks that a column lacks", test_odd},
	{"extents in use", test_in_use},
	{"random limits", test_limits},
	{"values that cannot be", test_bad_values},
	{"threads", test_threads},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel);
	return finish_checks();
}
