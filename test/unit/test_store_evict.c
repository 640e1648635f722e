/*
 * test_store_evict.c
 *		What of the store makes room for what: the rule of store_evict.h, and random
 *		loads, uses and pins that must not break it.
 *
 *	test_store_evict [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/store_evict.h"
#include "test/unit/check.h"
#include "test/unit/test_extent.h"

#define RELATIONS 4
#define EXTENTS   4
#define ROWS      40
#define PLENTY    ((uint64_t) 1 << 40)
#define LONG_NS   ((int64_t) 1 << 60)

/* Integers of 64 bits, and of 32. */
#define WIDE   ((uint64_t) 4)
#define NARROW ((uint64_t) 2)

static uint64_t random_state = 3;
static uint8_t *parcel;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Returns which attributes an extent has. */
static uint64_t
attributes_of(WaStore *store, uint64_t relation, uint32_t number)
{
	const WaRelation name = wa_test_relation(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	WaExtentState state;

	wa_test_extent_state(
		store, &name, number, names,
		wa_test_names(((uint64_t) 1 << WA_TEST_ATTRIBUTES) - 1, names), &state);
	return state.columns;
}

/* Returns how many of the first extents of a relation have all of some attributes. */
static int
count_extents(WaStore *store, uint64_t relation, uint64_t attributes)
{
	int count = 0;

	for (uint32_t i = 0; i < 8; i++)
		count += (attributes_of(store, relation, i) & attributes) == attributes;
	return count;
}

/* Loads extents of a relation from the first on; returns how many had room. */
static int
load(WaStore *store, uint64_t relation, int count, uint64_t attributes,
	 uint64_t asked)
{
	for (int i = 0; i < count; i++)
		if (wa_test_load_asked(store, parcel, relation, (uint32_t) i, 1, 400,
							   ROWS, attributes, asked) != WA_OK)
			return i;
	return count;
}

/* Queries attributes of a relation, of which nothing is fresh. */
static bool
use(WaStore *store, uint64_t relation, uint64_t attributes)
{
	const WaRelation name = wa_test_relation(relation);
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	const uint32_t ncolumns = wa_test_names(attributes, names);
	WaUse found = wa_test_use(UINT32_MAX);

	if (!wa_store_use_begin(store, &name, names, ncolumns, &found))
		return false;
	wa_store_use_end(store, &found);
	return true;
}

/* Pins a relation, or unpins it. */
static WaStatus
pin(WaStore *store, uint64_t relation, bool pinned)
{
	const WaRelation name = wa_test_relation(relation);
	char error[WA_MAX_ERROR_BYTES];

	return wa_store_pin(store, &name, pinned, error, sizeof(error));
}

/* Empties a store. */
static bool
end(WaStore *store)
{
	wa_store_set_limit(store, 0);
	EXPECT(wa_memory_used(&store->memory) == 0);
	return true;
}

/* What nobody has asked for never takes the place of what somebody has. */
static bool
test_asked(void)
{
	static WaStore store;

	wa_store_init(&store, PLENTY, 1);
	EXPECT(load(&store, 0, 4, WIDE, WIDE) == 4);
	wa_store_set_limit(&store, wa_memory_used(&store.memory) * 17 / 8);
	EXPECT(load(&store, 1, 8, WIDE, 0) == 4);
	EXPECT(count_extents(&store, 0, WIDE) == 4);
	/* The same as others that nobody has asked for, which go. */
	EXPECT(load(&store, 2, 2, WIDE, 0) == 2);
	EXPECT(count_extents(&store, 1, WIDE) == 2);
	/* What is asked for takes the place of these first, though used later. */
	EXPECT(load(&store, 3, 4, WIDE, WIDE) == 4);
	EXPECT(count_extents(&store, 0, WIDE) == 4);
	EXPECT(count_extents(&store, 1, WIDE) + count_extents(&store, 2, WIDE) ==
		   0);
	EXPECT(load(&store, 1, 1, WIDE, WIDE) == 1);
	EXPECT(count_extents(&store, 0, WIDE) == 3);
	return end(&store);
}

/* What was used or loaded lately stays, whoever asks. */
static bool
test_needed(void)
{
	static WaStore store;

	wa_store_init(&store, PLENTY, 1);
	wa_store_set_keeping(&store, 1000, LONG_NS);
	EXPECT(load(&store, 0, 4, WIDE, 0) == 4);
	wa_store_set_limit(&store, wa_memory_used(&store.memory));
	EXPECT(load(&store, 1, 1, WIDE, WIDE) == 0);
	EXPECT(count_extents(&store, 0, WIDE) == 4);
	/* It may replace itself. */
	EXPECT(wa_test_load(&store, parcel, 0, 0, 1, 401 + 415, ROWS, WIDE) ==
		   WA_OK);
	wa_store_set_keeping(&store, 1000, 0);
	EXPECT(load(&store, 1, 4, WIDE, WIDE) >= 3);
	EXPECT(count_extents(&store, 0, WIDE) <= 1);
	/* A lower limit takes it all the same. */
	wa_store_set_keeping(&store, 1000, LONG_NS);
	wa_store_set_limit(&store, wa_memory_used(&store.memory) / 2);
	EXPECT(wa_memory_excess(&store.memory) == 0);
	EXPECT(count_extents(&store, 1, WIDE) > 0);
	return end(&store);
}

/* Of an extent only the columns go that may. */
static bool
test_columns(void)
{
	static WaStore store;

	wa_store_init(&store, PLENTY, 1);
	EXPECT(load(&store, 0, 4, WIDE | NARROW, NARROW) == 4);
	wa_store_set_limit(&store, wa_memory_used(&store.memory) + 10000);
	EXPECT(load(&store, 1, 1, WIDE | NARROW, 0) == 1);
	EXPECT(count_extents(&store, 0, NARROW) == 4);
	EXPECT(count_extents(&store, 0, WIDE) < 4);
	/* Once asked for is asked for, also if it is loaded again by itself. */
	EXPECT(wa_test_load(&store, parcel, 0, 0, 2, 400, ROWS, NARROW) == WA_OK);
	(void) load(&store, 1, 8, WIDE, 0);
	EXPECT(count_extents(&store, 0, NARROW) == 4);
	return end(&store);
}

/* What nobody has asked for keeps to its share. */
static bool
test_share(void)
{
	static WaStore store;
	uint64_t used;

	wa_store_init(&store, PLENTY, 1);
	EXPECT(load(&store, 0, 4, WIDE, 0) == 4);
	used = wa_memory_used(&store.memory);
	wa_store_set_limit(&store, used * 4);
	wa_store_set_keeping(&store, 250, LONG_NS);
	EXPECT(load(&store, 1, 8, WIDE, 0) < 4);
	EXPECT(load(&store, 2, 4, WIDE, WIDE) == 4);
	/* What there is can be brought up to date. */
	EXPECT(wa_test_load(&store, parcel, 0, 1, 2, 400, ROWS, WIDE) == WA_OK);
	EXPECT(wa_test_load(&store, parcel, 0, 1, 2, 400 + 416, ROWS, WIDE) ==
		   WA_OK);
	wa_store_set_keeping(&store, 250, 0);
	EXPECT(load(&store, 1, 4, WIDE, 0) == 4);
	EXPECT(count_extents(&store, 2, WIDE) == 4);
	EXPECT(count_extents(&store, 0, WIDE) < 4);
	/* Asked for, it counts no more. */
	EXPECT(load(&store, 1, 4, WIDE, WIDE) == 4);
	EXPECT(load(&store, 0, 4, WIDE, 0) == 4);
	EXPECT(count_extents(&store, 1, WIDE) == 4);
	wa_store_set_keeping(&store, 0, 0);
	EXPECT(load(&store, 3, 1, WIDE, 0) == 0);
	EXPECT(load(&store, 3, 1, WIDE, WIDE) == 1);
	return end(&store);
}

/* What is pinned stays, and is not too much. */
static bool
test_pins(void)
{
	static WaStore store;
	const WaRelation name = wa_test_relation(0);
	WaResidentColumn listed;

	wa_store_init(&store, PLENTY, 1);
	EXPECT(pin(&store, 0, true) == WA_BAD_REQUEST);
	EXPECT(pin(&store, 0, false) == WA_OK);
	EXPECT(load(&store, 0, 4, WIDE, 0) == 4);
	wa_store_set_limit(&store, wa_memory_used(&store.memory) * 3 / 2);
	EXPECT(pin(&store, 0, true) == WA_OUT_OF_MEMORY);
	wa_store_set_limit(&store, wa_memory_used(&store.memory) * 17 / 8);
	EXPECT(pin(&store, 0, true) == WA_OK);
	EXPECT(pin(&store, 0, true) == WA_OK);
	EXPECT(wa_store_list(&store, 0, &listed, 1) == 1);
	EXPECT(listed.is_pinned == 1 && listed.is_asked == 0);
	EXPECT(load(&store, 1, 8, WIDE, WIDE) == 4);
	EXPECT(count_extents(&store, 0, WIDE) == 4);
	EXPECT(pin(&store, 1, true) == WA_OUT_OF_MEMORY);
	/* More of it is not to be had beyond half of the memory, ... */
	EXPECT(load(&store, 0, 8, WIDE, WIDE) < 8);
	EXPECT(count_extents(&store, 1, WIDE) >= 3);
	/* ... and it goes last. */
	wa_store_set_limit(&store, wa_memory_used(&store.memory) * 5 / 8);
	EXPECT(count_extents(&store, 1, WIDE) <= 1);
	EXPECT(count_extents(&store, 0, WIDE) >= 4);
	EXPECT(pin(&store, 0, false) == WA_OK);
	EXPECT(load(&store, 1, 1, WIDE, WIDE) == 1);
	EXPECT(count_extents(&store, 0, WIDE) < 5);
	/* Who unloads all unpins. */
	wa_store_set_limit(&store, PLENTY);
	EXPECT(pin(&store, 0, true) == WA_OK);
	wa_store_unload(&store, &name, 0);
	EXPECT(load(&store, 0, 1, WIDE, 0) == 1);
	EXPECT(wa_store_list(&store, name.database, &listed, 1) == 1);
	EXPECT(listed.is_pinned == 0);
	return end(&store);
}

/* What there is, to be compared with what is left. */
typedef struct Picture
{
	uint64_t attributes[RELATIONS][EXTENTS];
	uint64_t seeds[RELATIONS][EXTENTS];
	uint64_t asked[RELATIONS];
	bool pinned[RELATIONS];
	uint64_t unasked_bytes;
	uint64_t pinned_bytes;
} Picture;

/* Looks at all that there is. */
static void
take_picture(WaStore *store, Picture *picture)
{
	static WaResidentColumn list[RELATIONS * WA_TEST_ATTRIBUTES];
	const uint32_t count =
		wa_store_list(store, 0, list, RELATIONS * WA_TEST_ATTRIBUTES);

	memset(picture, 0, sizeof(*picture));
	for (uint32_t i = 0; i < count; i++)
	{
		const uint32_t relation = list[i].relation.file - 1000;

		picture->pinned[relation] = list[i].is_pinned != 0;
		if (list[i].is_asked != 0)
			picture->asked[relation] |= (uint64_t) 1
										<< (list[i].name.attribute - 1);
		if (list[i].is_pinned != 0)
			picture->pinned_bytes += list[i].bytes;
		else if (list[i].is_asked == 0)
			picture->unasked_bytes += list[i].bytes;
	}
	for (uint64_t r = 0; r < RELATIONS; r++)
		for (uint32_t i = 0; i < EXTENTS; i++)
		{
			const WaRelation name = wa_test_relation(r);
			WaExtentState state;

			picture->attributes[r][i] = attributes_of(store, r, i);
			wa_test_extent_state(store, &name, i, NULL, 0, &state);
			picture->seeds[r][i] = state.block_lsn[0];
		}
}

/* Tells whether a LOAD has cost others only what it may. */
static bool
losses_are_right(const Picture *before, const Picture *after, uint64_t loaded,
				 bool asked, bool keeps)
{
	for (uint64_t r = 0; r < RELATIONS; r++)
		for (uint32_t i = 0; i < EXTENTS; i++)
		{
			const uint64_t lost =
				before->attributes[r][i] & ~after->attributes[r][i];

			if (r == loaded)
				continue;
			EXPECT(lost == 0 || (!before->pinned[r] && !keeps));
			EXPECT(asked || (lost & before->asked[r]) == 0);
		}
	return true;
}

/* Tells whether the loaded relation lost no more than the extent that was replaced. */
static bool
own_losses_are_right(const Picture *before, const Picture *after,
					 uint64_t loaded, uint32_t number, uint64_t seed)
{
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT((before->attributes[loaded][i] &
				~after->attributes[loaded][i]) == 0 ||
			   (i == number && before->seeds[loaded][i] != seed));
	return true;
}

/* Tells whether a LOAD has not gone beyond a share, nor farther if that was so. */
static bool
keeps_to_share(uint64_t before, uint64_t after, uint64_t share)
{
	return after <= (before > share ? before : share) +
						(uint64_t) WA_TEST_ATTRIBUTES * 4 * WA_MEMORY_ALIGNMENT;
}

/* Loads something at random, and compares. */
static bool
load_at_random(WaStore *store, bool keeps, int *failed)
{
	const uint64_t relation = pick(RELATIONS);
	const uint32_t number = (uint32_t) pick(EXTENTS);
	const uint64_t seed = 400 + pick(3);
	/* No texts: how large a dictionary gets is not known before. */
	const uint64_t attributes = pick((uint64_t) 1 << WA_TEST_ATTRIBUTES) &
								~((uint64_t) 1 << WA_FORM_TEXT);
	const uint64_t asked = pick(2) == 0 ? 0 : attributes & pick(1024);
	Picture before;
	Picture after;
	WaStatus status;

	take_picture(store, &before);
	status = wa_test_load_asked(store, parcel, relation, number, 1, seed, ROWS,
								attributes, asked);
	take_picture(store, &after);
	EXPECT(status == WA_OK || status == WA_OUT_OF_MEMORY);
	*failed += status != WA_OK;
	EXPECT(losses_are_right(&before, &after, relation, asked != 0, keeps));
	EXPECT(own_losses_are_right(&before, &after, relation, number, seed));
	EXPECT(keeps_to_share(before.unasked_bytes, after.unasked_bytes,
						  wa_memory_limit(&store->memory) / 1000 *
							  store->autoload_permille));
	EXPECT(keeps_to_share(before.pinned_bytes, after.pinned_bytes,
						  wa_memory_limit(&store->memory) / 2));
	EXPECT(wa_memory_excess(&store->memory) == 0);
	return true;
}

/* Whatever is loaded, used and pinned, the rule holds. */
static bool
test_random(void)
{
	static WaStore store;
	int failed = 0;

	wa_store_init(&store, 1200000, 1);
	for (int i = 0; i < 4000; i++)
	{
		const bool keeps = pick(3) == 0;
		const WaRelation name = wa_test_relation(pick(RELATIONS));

		wa_store_set_keeping(&store, 400, keeps ? LONG_NS : 0);
		EXPECT(load_at_random(&store, keeps, &failed));
		(void) use(&store, pick(RELATIONS), (uint64_t) 1 << pick(5));
		(void) use(&store, pick(RELATIONS), 0);
		if (pick(10) == 0)
			(void) pin(&store, pick(RELATIONS), pick(3) == 0);
		if (pick(40) == 0)
			wa_store_unload(&store, &name, (int32_t) pick(5));
	}
	EXPECT(failed > 200 && failed < 3800);
	return end(&store);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		random_state = strtoull(argv[1], NULL, 10);
	parcel = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	check(test_asked(), "what was asked for");
	check(test_needed(), "what was used lately");
	check(test_columns(), "columns of an extent");
	check(test_share(), "the share of what nobody asked for");
	check(test_pins(), "pins");
	check(test_random(), "random loads, uses and pins");
	free(parcel);
	return finish_checks();
}
