/*
 * test_family.c
 *		What relations of a family share: dictionaries of texts in the store, and the rows
 *		and flat columns of the mirror, on GPUs that are none.
 *
 *	test_family [SEED]
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/replies.h"
#include "daemon/mirror/mirror_internal.h"
#include "daemon/store/store_family.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"
#include "test/unit/test_mirror_device.h"
#include "test/unit/test_mirror_extent.h"

#define PLENTY  ((uint64_t) 1 << 40)
#define PIECES  4096
#define ROWS    2500
#define MANY    300 /* relations: more than are looked at under one lock */
#define MEMBERS 6

static uint64_t random_state = 7;
static uint8_t *parcel;
static WaStore store;

/* Returns which of the relations of test_extent.h one is: those of one database. */
static uint64_t
numbered(uint64_t relation)
{
	return 2 * relation;
}

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Has what is loaded from now on be of a family. */
static void
join(uint32_t root, int32_t shift)
{
	wa_test_family = (WaTestFamily){root, shift};
}

/* Makes an empty store with a mirror on so many devices, or none. */
static void
begin(unsigned devices, unsigned pieces)
{
	join(0, 0);
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 1);
	if (devices == 0)
		return;
	store.mirror = wa_mirror_make(&store);
	for (unsigned i = 0; i < devices; i++)
	{
		wa_test_device_limit(i, pieces);
		wa_mirror_add_device(store.mirror, i, PLENTY);
	}
	wa_mirror_start(store.mirror);
}

/* Empties the store; tells whether that leaves nothing. */
static bool
end(void)
{
	wa_test_device_fail(0);
	wa_store_set_limit(&store, 0);
	if (store.mirror != NULL)
		wa_test_mirror_settle(store.mirror);
	EXPECT(wa_memory_used(&store.memory) == 0);
	EXPECT(store.families == NULL);
	for (unsigned i = 0; store.mirror != NULL && i < WA_TEST_DEVICES; i++)
	{
		EXPECT(wa_test_mirror_bytes(store.mirror, i) == 0);
		EXPECT(wa_test_device_pieces(i) == 0);
	}
	EXPECT(!wa_test_device_abused());
	return true;
}

/* Loads an extent of a single column. */
static bool
load(uint64_t relation, uint32_t number, uint64_t seed, WaTestColumn column)
{
	return wa_test_load_columns(&store, parcel, numbered(relation), number,
								seed, ROWS, &column, 1) == WA_OK;
}

/* Loads an extent of a column of texts. */
static bool
load_text(uint64_t relation, uint32_t number, int16_t attribute)
{
	return load(
		relation, number, 1 + pick(1000),
		(WaTestColumn){attribute, WA_FORM_TEXT, 0, 1, false, false, false});
}

/* Returns the number of the dictionary of a column of texts, 0 if there is none. */
static uint64_t
dictionary_of(uint64_t relation, int16_t attribute)
{
	const WaRelation name = wa_test_relation(numbered(relation));
	const WaColumnName column = wa_test_name(attribute, WA_FORM_TEXT);
	WaResidency residency;

	(void) wa_store_residency(&store, &name, &column, 1, &residency);
	return residency.dictionary;
}

/* Tells whether something of an extent is there. */
static bool
is_there(uint64_t relation, uint32_t number)
{
	const WaRelation name = wa_test_relation(numbered(relation));
	WaExtentState state;

	wa_test_extent_state(&store, &name, number, NULL, 0, &state);
	return state.exists != 0;
}

/* Forgets a relation. */
static void
unload(uint64_t relation)
{
	const WaRelation name = wa_test_relation(numbered(relation));

	wa_store_unload(&store, &name, 0);
}

/* Columns with the same number in a family have one dictionary, others have others. */
static bool
test_dictionaries(void)
{
	uint64_t shared;

	begin(0, 0);
	join(9, 4);
	EXPECT(load_text(0, 0, 1) && load_text(0, 1, 2));
	join(9, 2);
	EXPECT(load_text(1, 0, 3));
	shared = dictionary_of(0, 1);
	EXPECT(shared != 0 && dictionary_of(1, 3) == shared);
	EXPECT(dictionary_of(0, 2) != shared);
	join(9, -9);
	EXPECT(load_text(2, 0, 5) && load_text(3, 0, 5));
	EXPECT(dictionary_of(2, 5) != dictionary_of(3, 5));
	join(8, 4);
	EXPECT(load_text(4, 0, 1));
	join(0, 0);
	EXPECT(load_text(5, 0, 5));
	for (uint64_t i = 2; i < 6; i++)
		EXPECT(dictionary_of(i, i == 4 ? 1 : 5) != shared);
	return end();
}

/* Loads an extent with a column of texts of such a type modifier. */
static bool
load_typmod(uint64_t relation, int32_t typmod)
{
	static WaExtentHead head;
	char error[WA_MAX_ERROR_BYTES];

	wa_test_write_extent(parcel, wa_test_relation(numbered(relation)), 0, 1,
						 400, 4, (uint64_t) 1 << WA_FORM_TEXT);
	memcpy(&head, parcel, sizeof(head));
	head.columns[0].name.typmod = typmod;
	wa_test_join(&head);
	return wa_store_load(&store, &head, parcel, error, sizeof(error)) == WA_OK;
}

/* So have columns of the same type modifier; what is listed says of which family. */
static bool
test_list(void)
{
	WaResidentColumn list[3];
	WaStoredFamily *family;
	uint64_t bytes = 0;

	begin(0, 0);
	join(9, 4);
	EXPECT(load_typmod(0, 12) && load_typmod(1, 13) && load_typmod(2, 12));
	EXPECT(wa_store_list(&store, 5, list, 3) == 3);
	for (int i = 0; i < 3; i++)
	{
		EXPECT(wa_resident_column_is_sound(&list[i]));
		EXPECT(list[i].family.root == 9 && list[i].family.database == 5);
		EXPECT(list[i].family_attribute == WA_FORM_TEXT + 1 + 4);
	}
	family = wa_family_find(&store, &list[0].family);
	EXPECT(family->columns->next != NULL &&
		   family->columns->next->next == NULL);
	EXPECT(family->columns->users + family->columns->next->users == 3);
	/* What is shared is counted once. */
	for (WaSharedColumn *shared = family->columns; shared != NULL;
		 shared = shared->next)
		bytes += wa_dictionary_bytes(shared->dictionary);
	for (int i = 0; i < 3; i++)
	{
		const WaStoredRelation *relation =
			wa_map_find_relation(&store, &list[i].relation);

		bytes += relation->records[0].all.bytes;
	}
	bytes -= list[0].bytes + list[1].bytes + list[2].bytes;
	EXPECT(bytes <= 1); /* the rest of a division */
	return end();
}

/* A dictionary goes with the last column that has it, and the family likewise. */
static bool
test_last(void)
{
	uint64_t number;
	uint64_t used;

	begin(0, 0);
	join(9, 4);
	EXPECT(load_text(0, 0, 1));
	used = wa_memory_used(&store.memory);
	EXPECT(load_text(1, 0, 1));
	number = dictionary_of(0, 1);
	unload(0);
	EXPECT(!is_there(0, 0) && dictionary_of(1, 1) == number);
	EXPECT(wa_memory_used(&store.memory) == used);
	EXPECT(load_text(0, 1, 1) && dictionary_of(0, 1) == number);
	unload(1);
	EXPECT(dictionary_of(0, 1) == number && store.families != NULL);
	unload(0);
	EXPECT(wa_memory_used(&store.memory) == 0 && store.families == NULL);
	EXPECT(load_text(0, 0, 1) && dictionary_of(0, 1) != number);
	return end();
}

/* Eviction goes on until enough has gone, though only the last takes the dictionary. */
static bool
test_eviction(void)
{
	uint64_t used;

	begin(0, 0);
	join(9, 4);
	for (uint64_t i = 0; i < 8; i++)
		EXPECT(load_text(i, 0, 1));
	used = wa_memory_used(&store.memory);
	wa_store_set_limit(&store, used / 2);
	EXPECT(wa_memory_used(&store.memory) <= used / 2);
	EXPECT(!is_there(0, 0) && is_there(7, 0) && dictionary_of(7, 1) != 0);
	return end();
}

/* Who comes to another family, or by another number, leaves nothing behind. */
static bool
test_change(void)
{
	static const WaTestFamily families[] = {{8, 4}, {9, 4},  {0, 0}, {9, 4},
											{9, 5}, {9, -9}, {9, 4}};
	uint64_t before = 0;

	begin(0, 0);
	join(9, 4);
	EXPECT(load_text(1, 0, 1));
	for (uint32_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
	{
		const bool is_shared = families[i].root == 9 && families[i].shift == 4;

		wa_test_family = families[i];
		EXPECT(load_text(0, 2 * i, 1) && load_text(0, 2 * i + 1, 1));
		EXPECT(is_there(0, 2 * i) && is_there(0, 2 * i + 1));
		EXPECT(i == 0 || !is_there(0, 2 * i - 1));
		EXPECT(dictionary_of(0, 1) != before);
		EXPECT((dictionary_of(0, 1) == dictionary_of(1, 1)) == is_shared);
		before = dictionary_of(0, 1);
	}
	/* another column by the number that one has */
	join(9, 3);
	EXPECT(load_text(0, 0, 2));
	EXPECT(is_there(0, 0) && !is_there(0, 12));
	/* one with a number beside one without */
	join(9, -1);
	EXPECT(load_text(0, 0, 1) && load_text(0, 1, 2));
	EXPECT(is_there(0, 0) && is_there(0, 1));
	EXPECT(is_there(1, 0));
	return end();
}

/* A patch for a family that the relation is not of finds nothing to be patched. */
static bool
test_patch(void)
{
	static WaExtentHead head;
	char error[WA_MAX_ERROR_BYTES];

	begin(0, 0);
	join(9, 4);
	EXPECT(load_typmod(0, 12));
	memcpy(&head, parcel, sizeof(head));
	head.columns[0].name.typmod = 12;
	head.is_patch = 1;
	wa_test_join(&head);
	EXPECT(wa_store_load(&store, &head, parcel, error, sizeof(error)) == WA_OK);
	join(8, 4);
	wa_test_join(&head);
	EXPECT(wa_store_load(&store, &head, parcel, error, sizeof(error)) == WA_OK);
	EXPECT(!is_there(0, 0) && wa_memory_used(&store.memory) == 0);
	return end();
}

/* What a query has begun to use stays until it has ended. */
static bool
test_in_use(void)
{
	const WaRelation name = wa_test_relation(numbered(0));
	const WaColumnName column = wa_test_name(1, WA_FORM_TEXT);
	const WaDictionary *dictionary;
	const WaDictionary *other;
	WaRunBounds bounds;
	WaUse use = wa_test_use(UINT32_MAX);
	WaUse later = use;
	WaUsedExtent used[2];
	WaUsedExtent none[2];
	uint32_t next = 0;

	begin(0, 0);
	join(9, 4);
	EXPECT(load_text(0, 0, 1));
	EXPECT(wa_store_use_begin(&store, &name, &column, 1, &use));
	EXPECT(wa_test_use_next(&store, &use, &next, used) == 1);
	join(8, 4);
	EXPECT(load_text(0, 0, 1));
	wa_store_use_columns(&store, &use, &dictionary, &bounds);
	EXPECT(dictionary == used[0].columns[0]->dictionary);
	EXPECT(wa_dictionary_text(dictionary, 1).length > 0);
	EXPECT(wa_store_use_begin(&store, &name, &column, 1, &later));
	wa_store_use_columns(&store, &later, &other, &bounds);
	EXPECT(other != dictionary);
	next = 0;
	EXPECT(use.pins.relation->is_forgotten && use.pins.relation->nextents == 0);
	EXPECT(wa_test_use_next(&store, &use, &next, none) == 0);
	wa_store_use_end(&store, &later);
	wa_store_unuse(&used[0], 1);
	wa_store_use_end(&store, &use);
	return end();
}

static bool shared_failed;

/* Loads extents of two relations, now of one family, now of another one. */
static void *
loading_thread(void *arg)
{
	WaExtentHead *head = malloc(sizeof(*head));
	uint8_t *memory = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	uint64_t state = 17 + (uint64_t) (uintptr_t) arg;
	char error[WA_MAX_ERROR_BYTES];

	for (int i = 0; i < 400; i++)
	{
		const uint64_t bits = next_random(&state) >> 8;
		const uint32_t root = (uint32_t) (bits >> 8) % 3;

		wa_test_write_extent(memory, wa_test_relation(numbered(bits % 2)),
							 (uint32_t) (bits >> 4) % 3, 1, 400, 4,
							 (uint64_t) 1 << WA_FORM_TEXT);
		memcpy(head, memory, sizeof(*head));
		if (root != 0)
		{
			head->family = (WaFamily){5, root};
			head->columns[0].family_attribute = 1 + (bits >> 12) % 2;
		}
		if (!wa_extent_is_sound(head, WA_TEST_EXTENT_BYTES) ||
			wa_store_load(&store, head, memory, error, sizeof(error)) != WA_OK)
			__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
	}
	free(memory);
	free(head);
	return NULL;
}

/* Uses what there is, whose texts are those of the dictionary that it is told. */
static void *
using_thread(void *arg)
{
	const WaColumnName column = wa_test_column_name(WA_FORM_TEXT + 1);
	uint64_t state = 71 + (uint64_t) (uintptr_t) arg;

	for (int i = 0; i < 1000; i++)
	{
		const WaRelation name =
			wa_test_relation(numbered(next_random(&state) >> 8 & 1));
		WaUse use = wa_test_use(UINT32_MAX);
		const WaDictionary *dictionary;
		WaUsedExtent used[2];
		WaRunBounds bounds;
		uint32_t next = 0;

		if (!wa_store_use_begin(&store, &name, &column, 1, &use))
			continue;
		while (wa_test_use_next(&store, &use, &next, used) > 0)
		{
			wa_store_use_columns(&store, &use, &dictionary, &bounds);
			if (used[0].columns[0]->dictionary != dictionary ||
				!wa_test_used_is_right(&used[0], name, &column, 1))
				__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
			wa_store_unuse(&used[0], 1);
		}
		wa_store_use_end(&store, &use);
	}
	return NULL;
}

/* All of that at the same time. */
static bool
test_threads(void)
{
	static void *(*const mains[])(void *) = {loading_thread, loading_thread,
											 using_thread, using_thread};
	pthread_t threads[4];

	begin(0, 0);
	for (uintptr_t i = 0; i < 4; i++)
		EXPECT(pthread_create(&threads[i], NULL, mains[i], (void *) i) == 0);
	for (int i = 0; i < 4; i++)
		EXPECT(pthread_join(threads[i], NULL) == 0);
	EXPECT(!shared_failed);
	return end();
}

/* A run over several relations, with references to their extents. */
typedef struct Run
{
	uint32_t count;
	WaTestRun *parts; /* of each relation */
	const WaRunExtent **extents;
	WaExtentId *ids;
	WaPlacements placements;
	WaRunRequest request;
} Run;

/* Begins one over the same column of so many relations; attributes: of each. */
static bool
begin_run(Run *run, uint32_t count, const int16_t *attributes, WaForm form)
{
	uint64_t nextents = 0;

	memset(run, 0, sizeof(*run));
	run->count = count;
	run->parts = calloc(count, sizeof(*run->parts));
	run->extents = calloc(4096, sizeof(*run->extents));
	run->ids = calloc(4096, sizeof(*run->ids));
	for (uint32_t i = 0; i < count; i++)
	{
		const WaColumnName name = wa_test_name(attributes[i], form);
		const WaRunRequest *part = &run->parts[i].request;

		EXPECT(
			wa_test_run_begin(&run->parts[i], &store, numbered(i), &name, 1));
		for (uint64_t e = 0; e < part->nextents; e++)
		{
			run->extents[nextents] = part->extents[e];
			run->ids[nextents] =
				(WaExtentId){part->placements->ids[e].id, (uint32_t) nextents};
			nextents++;
		}
	}
	run->placements = (WaPlacements){
		.cache = wa_placement_cache_make(), .id = 1, .ids = run->ids};
	run->request = run->parts[0].request;
	run->request.nextents = nextents;
	run->request.extents = run->extents;
	run->request.placements = &run->placements;
	return true;
}

/* Ends it. */
static void
end_run(Run *run)
{
	wa_placement_cache_release(run->placements.cache);
	for (uint32_t i = 0; i < run->count; i++)
		wa_test_run_end(&run->parts[i]);
	free(run->parts);
	free(run->extents);
	free(run->ids);
}

/*
 * Returns how many extents of relations a use of a device finds, all in one flat column
 * of a form; -1 if something is not right.
 */
static int
count_right(uint32_t count, const int16_t *attributes, WaForm kind,
			unsigned device, WaForm form)
{
	WaMirrorUse use;
	int found = 0;
	Run run;

	if (!begin_run(&run, count, attributes, kind))
		return -1;
	if (wa_mirror_use(store.mirror, &run.request, device, &use))
	{
		found = wa_test_use_is_right(&use, &run.request) &&
						use.columns[0].form == form
					? (int) use.nextents
					: -1;
		wa_mirror_unuse(store.mirror, &use);
	}
	end_run(&run);
	return found;
}

/* Extents of relations of a family lie in the same flat column, those of others not. */
static bool
test_space(void)
{
	static const int16_t attributes[] = {1, 2};
	WaTestColumn column = {1, WA_FORM_INT16, 0, 14, true, false, false};

	for (int is_family = 0; is_family < 2; is_family++)
	{
		begin(1, PIECES);
		join(is_family == 1 ? 9 : 0, 4);
		column.attribute = 1;
		for (uint32_t i = 0; i < 3; i++)
			EXPECT(load(0, i, 1 + i, column));
		join(is_family == 1 ? 9 : 0, 3);
		column.attribute = 2;
		for (uint32_t i = 0; i < 2; i++)
			EXPECT(load(1, i, 9 + i, column));
		wa_test_mirror_settle(store.mirror);
		EXPECT(count_right(1, attributes, WA_FORM_INT16, 0, WA_FORM_INT16) ==
			   3);
		EXPECT(count_right(2, attributes, WA_FORM_INT16, 0, WA_FORM_INT16) ==
			   (is_family == 1 ? 5 : 3));
		EXPECT(wa_test_mirror_bytes(store.mirror, 0) ==
			   (is_family == 1 ? 2 : 4) * WA_CUDA_PIECE_BYTES);
		EXPECT(end());
	}
	return true;
}

/* A column without a number in the family has a flat column of its own. */
static bool
test_own_column(void)
{
	static const int16_t attributes[] = {1, 1};
	const WaTestColumn column = {1, WA_FORM_INT16, 0, 14, false, false, false};

	begin(1, PIECES);
	join(9, -1);
	for (uint64_t i = 0; i < 2; i++)
		EXPECT(load(i, 0, 1 + i, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(1, attributes, WA_FORM_INT16, 0, WA_FORM_INT16) == 1);
	EXPECT(count_right(2, attributes, WA_FORM_INT16, 0, WA_FORM_INT16) == 1);
	EXPECT(wa_test_mirror_bytes(store.mirror, 0) == 2 * WA_CUDA_PIECE_BYTES);
	EXPECT(store.mirror->devices[0]->spaces->next == NULL);
	return end();
}

/* One wide column makes all of the family wide, however many they are. */
static bool
test_wider(void)
{
	static int16_t attributes[MANY];
	WaTestColumn column = {1, WA_FORM_INT16, 0, 14, false, false, false};

	begin(1, PIECES);
	join(9, 4);
	for (uint64_t i = 0; i < MANY; i++)
	{
		attributes[i] = 1;
		EXPECT(wa_test_load_columns(&store, parcel, numbered(i), 0, 1 + i, 40,
									&column, 1) == WA_OK);
	}
	/* One, in the middle, of more extents than are looked at at once. */
	for (uint32_t i = 1; i < MANY; i++)
		EXPECT(wa_test_load_columns(&store, parcel, numbered(MANY / 2), i,
									1 + i, 40, &column, 1) == WA_OK);
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(MANY, attributes, WA_FORM_INT16, 0, WA_FORM_INT16) ==
		   2 * MANY - 1);
	column.form = WA_FORM_INT32;
	column.bits = 30;
	EXPECT(load(1, 1, 77, column));
	wa_test_mirror_settle(store.mirror);
	EXPECT(count_right(MANY, attributes, WA_FORM_INT16, 0, WA_FORM_INT32) ==
		   2 * MANY);
	return end();
}

/* Relations of an extent each lie on all devices, be they of a family or not. */
static bool
test_spread(void)
{
	static const int16_t attributes[] = {1, 1, 1, 1, 1, 1};
	const WaTestColumn column = {1, WA_FORM_INT16, 0, 14, false, false, false};
	static const uint32_t one = 0;

	begin(3, PIECES);
	for (uint64_t i = 0; i < MEMBERS; i++)
	{
		/* Two families by turns, and relations by themselves behind them. */
		join(9, 4);
		EXPECT(load(i, 0, 1 + i, column));
		join(8, 4);
		EXPECT(load(MEMBERS + i, 0, 1 + i, column));
	}
	wa_test_mirror_settle(store.mirror);
	for (unsigned device = 0; device < 3; device++)
	{
		EXPECT(count_right(MEMBERS, attributes, WA_FORM_INT16, device,
						   WA_FORM_INT16) == MEMBERS / 3);
		EXPECT(wa_test_mirror_bytes(store.mirror, device) ==
			   2 * WA_CUDA_PIECE_BYTES);
	}
	join(0, 0);
	for (uint64_t i = 0; i < 3; i++)
		EXPECT(load(2 * MEMBERS + i, 0, 1 + i, column));
	wa_test_mirror_settle(store.mirror);
	for (unsigned device = 0; device < 3; device++)
		EXPECT(wa_test_mirror_bytes(store.mirror, device) ==
			   3 * WA_CUDA_PIECE_BYTES);
	/* What there is moves likewise. */
	wa_store_set_devices(&store, &one, 1);
	for (WaExtent *extent = store.newest; extent != NULL;
		 extent = extent->older)
		EXPECT(extent->device == 0);
	return end();
}

/*
 * Relations of a family make room for each other, and none loses copies while they move
 * to another form: in little memory, with failures, nothing is ever wrong.
 */
static bool
test_little_memory(void)
{
	static const WaForm forms[] = {WA_FORM_INT16, WA_FORM_INT32, WA_FORM_INT64};
	static const int16_t attributes[] = {1, 1, 1, 1, 1, 1};
	int found = 0;

	begin(1, PIECES);
	for (uint64_t i = 0; i < MEMBERS; i++)
	{
		join(9, 4);
		EXPECT(
			load(i, 0, 1,
				 (WaTestColumn){1, WA_FORM_INT16, 0, 14, false, false, false}));
	}
	for (int i = 0; i < 800; i++)
	{
		const WaForm form = forms[pick(8) == 0 ? 1 + pick(2) : 0];
		const bool has_nulls = pick(9) == 0;

		EXPECT(wa_test_load_columns(
				   &store, parcel, numbered(pick(MEMBERS)), (uint32_t) pick(6),
				   1 + pick(90), (uint32_t) (1 + pick(140000)),
				   &(WaTestColumn){1, form, 0, 14, has_nulls, false, false},
				   1) == WA_OK);
		if (pick(30) == 0)
			wa_test_device_limit(0, 1 + (unsigned) pick(12));
		if (pick(60) == 0)
			wa_test_device_fail(pick(2) == 0 ? 0 : 3 + (unsigned) pick(9));
		if (pick(200) == 0)
			wa_store_set_limit(&store, 0);
		wa_store_set_limit(&store, PLENTY);
		if (i % 10 != 0)
			continue;
		wa_test_mirror_settle(store.mirror);
		for (uint32_t m = 0; m < MEMBERS; m++)
			if (!is_there(m, 0))
				EXPECT(load(m, 0, 1,
							(WaTestColumn){1, WA_FORM_INT16, 0, 14, false,
										   false, false}));
		for (int f = 0; f < 3; f++)
			found += count_right(MEMBERS, attributes, WA_FORM_INT16, 0,
								 forms[f]) > 1;
	}
	EXPECT(found > 10);
	return end();
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"dictionaries of a family", test_dictionaries},
	{"columns of a family in a list", test_list},
	{"the last of a family", test_last},
	{"eviction of a family", test_eviction},
	{"another family", test_change},
	{"a patch for another family", test_patch},
	{"another family while in use", test_in_use},
	{"threads", test_threads},
	{"relations in one space", test_space},
	{"columns without a number in the family", test_own_column},
	{"wider columns of a family", test_wider},
	{"small relations on several devices", test_spread},
	{"little memory on a device", test_little_memory},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_PARCEL_BYTES);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel);
	return finish_checks();
}
