/*
 * test_lookup_table.c
 *		Tables of functions that are constant on entries.
 */
#include <stdlib.h>
#include <string.h>

#include "core/lookup_table.h"
#include "test/unit/check.h"

#define MAX_STEPS 500
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static int64_t values[MAX_STEPS];
static uint8_t known[MAX_STEPS];
static _Alignas(64) uint8_t memory[2][WA_VECTOR_ROWS * (sizeof(int64_t) + 2)];

/* Returns a random number of 64 bits. */
static uint64_t
random_bits(void)
{
	return (uint64_t) random() << 62 ^ (uint64_t) random() << 31 ^
		   (uint64_t) random();
}

/* Makes a table with random entries; where all is known, some is NULL. */
static WaLookupTable
make_steps(bool is_total)
{
	static const uint64_t widths[] = {1, 2, 7, 1000, 900000000};
	WaLookupTable steps = {.width = widths[random() % LENGTH(widths)],
						   .nentries = 1 + (uint64_t) random() % MAX_STEPS,
						   .base = (int64_t) random_bits() >> (random() % 64),
						   .values = values,
						   .known = known,
						   .scale = 3,
						   .is_total = is_total};

	if (random() % 4 == 0) /* the widest that there may be */
		steps.width = WA_MAX_LOOKUP_SPAN / steps.nentries;
	for (uint64_t i = 0; i < steps.nentries; i++)
	{
		values[i] = (int64_t) random_bits();
		known[i] = random() % 8 != 0;
		if (steps.is_total && known[i] == WA_ENTRY_UNKNOWN)
			known[i] = WA_ENTRY_NULL;
	}
	return steps;
}

/* Returns an argument near the borders of the entries, or outside. */
static int64_t
random_argument(const WaLookupTable *steps)
{
	uint64_t step = (uint64_t) random() % (steps->nentries + 1);
	uint64_t offset = step * steps->width + (uint64_t) (random() % 5) - 2;

	if (random() % 3 == 0)
		offset = random_bits() % (steps->nentries * steps->width);
	return (int64_t) ((uint64_t) steps->base + offset);
}

/* Returns an argument of an entry, with its ends, or seldom one beside it. */
static int64_t
argument_of_step(const WaLookupTable *steps, uint64_t step)
{
	uint64_t offset = random() % 2 == 0 ? random_bits() % steps->width
										: random() % 2 * (steps->width - 1);

	if (random() % 4096 == 0)
		offset = random() % 2 == 0 ? steps->width : UINT64_MAX;
	return (int64_t) ((uint64_t) steps->base + step * steps->width + offset);
}

/* Returns what is known of the function at x, and stores its value; 0: it has none. */
static WaEntryState
reference(const WaLookupTable *steps, int64_t x, int64_t *value)
{
	unsigned __int128 offset = (uint64_t) x - (uint64_t) steps->base;
	unsigned __int128 step = offset / steps->width;

	*value = 0;
	if (step >= steps->nentries)
		return steps->is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN;
	if (known[step] == WA_ENTRY_VALUE)
		*value = values[step];
	return (WaEntryState) known[step];
}

/* Fills a vector; tells whether the look-up has to trap, and where its results are. */
static bool
fill(const WaLookupTable *steps, WaVector *a, size_t nrows, int64_t *expected,
	 uint8_t *valid)
{
	const bool is_one = random() % 3 == 0;
	const uint64_t step = (uint64_t) random() % steps->nentries;
	bool traps = false;

	for (size_t i = 0; i < nrows; i++)
	{
		int64_t x =
			is_one ? argument_of_step(steps, step) : random_argument(steps);
		bool is_null = a->has_nulls && random() % 3 == 0;
		WaEntryState state = reference(steps, x, &expected[i]);

		if (!is_one && random() % 1024 != 0) /* seldom one that is not known */
			for (int tries = 0; state == WA_ENTRY_UNKNOWN && tries < 100;
				 tries++)
			{
				x = random_argument(steps);
				state = reference(steps, x, &expected[i]);
			}
		a->valid[i] = !is_null;
		wa_vector_ints(a)[i] = is_null ? 0 : x;
		if (is_null)
			expected[i] = 0;
		valid[i] = !is_null && state == WA_ENTRY_VALUE;
		traps |= !is_null && state == WA_ENTRY_UNKNOWN;
	}
	return traps;
}

/* Looks up a vector; returns false if that does not go as it should. */
static bool
test_vector(bool has_nulls, bool is_total, size_t *ntraps)
{
	WaLookupTable steps = make_steps(is_total);
	int64_t expected[WA_VECTOR_ROWS];
	uint8_t valid[WA_VECTOR_ROWS];
	size_t nrows = (size_t) random() % (WA_VECTOR_ROWS + 1);
	bool traps;
	WaVector a;
	WaVector out;

	wa_vector_place(&a, WA_VECTOR_INT, memory[0]);
	wa_vector_place(&out, WA_VECTOR_INT, memory[1]);
	a.has_nulls = has_nulls;
	traps = fill(&steps, &a, nrows, expected, valid);
	EXPECT(wa_lookup_table_call(&steps, &a, &out, nrows) == !traps);
	*ntraps += traps;
	if (traps)
		return true;
	EXPECT(out.scale == 3 && !out.mixed);
	EXPECT(has_nulls || is_total || !out.has_nulls);
	EXPECT(memcmp(out.values, expected, nrows * sizeof(int64_t)) == 0);
	for (size_t i = 0; i < nrows; i++)
		EXPECT(wa_vector_is_valid(&out, i) == (valid[i] != 0));
	return true;
}

/* Codes are looked up, and results may be NULL, booleans or texts. */
static bool
test_results(void)
{
	static const int64_t numbers[] = {1, 0, 0, 1};
	static const uint8_t states[] = {WA_ENTRY_VALUE, WA_ENTRY_NULL,
									 WA_ENTRY_VALUE, WA_ENTRY_UNKNOWN};
	static const WaText texts[] = {{"no", 2}, {"yes", 3}};
	int64_t codes[] = {2, 0, 1, 0};
	uint8_t valid[] = {1, 1, 1, 0};
	WaLookupTable steps = {.width = 1,
						   .nentries = LENGTH(numbers),
						   .values = numbers,
						   .known = states,
						   .results = WA_LOOKUP_BOOLS,
						   .dictionary = 5,
						   .ntexts = LENGTH(texts),
						   .texts = texts};
	WaVector a = {.values = codes, .valid = valid, .has_nulls = true};
	int64_t ints[] = {2, 0, 1, 3};
	_Alignas(64) uint8_t room[WA_VECTOR_ROWS * (sizeof(WaText) + 2)];
	WaVector out;

	wa_vector_place(&out, WA_VECTOR_BOOL, room);
	EXPECT(wa_lookup_table_call(&steps, &a, &out, LENGTH(codes)));
	EXPECT(out.has_nulls && memcmp(out.valid, "\1\1\0\0", 4) == 0);
	EXPECT(memcmp(out.values, "\0\1\0\0", 4) == 0);
	/* NULL has a value, and texts are those of the table. */
	steps.null_has_value = true;
	steps.null_value = 1;
	steps.results = WA_LOOKUP_TEXTS;
	wa_vector_place(&out, WA_VECTOR_TEXT, room);
	EXPECT(wa_lookup_table_call(&steps, &a, &out, LENGTH(codes)));
	EXPECT(out.has_nulls && memcmp(out.valid, "\1\1\0\1", 4) == 0);
	EXPECT(wa_vector_texts(&out)[0].length == 2);
	EXPECT(wa_vector_texts(&out)[2].data == NULL);
	EXPECT(wa_vector_texts(&out)[3].data == texts[1].data);
	/* What is not known, or no code of the table, traps; a NULL does not. */
	a = (WaVector){.values = ints, .valid = valid, .has_nulls = true};
	EXPECT(wa_lookup_table_call(&steps, &a, &out, LENGTH(ints)));
	valid[3] = 1;
	EXPECT(!wa_lookup_table_call(&steps, &a, &out, LENGTH(ints)));
	ints[3] = 4;
	EXPECT(!wa_lookup_table_call(&steps, &a, &out, LENGTH(ints)));
	return true;
}

/* Looks up many vectors, some of which trap and some of which do not. */
static bool
test_vectors(bool has_nulls)
{
	const size_t nvectors = 3000;
	size_t ntraps = 0;

	for (size_t i = 0; i < nvectors; i++)
		EXPECT(test_vector(has_nulls, false, &ntraps));
	return ntraps > nvectors / 100 && ntraps < nvectors * 9 / 10;
}

/* Narrow entries are like wide ones; returns false if they are not. */
static bool
test_narrow_vector(bool is_total)
{
	static const uint64_t widths[] = {1, 1, 3, 1000};
	static int32_t narrow[MAX_STEPS];
	WaLookupTable wide = make_steps(true);
	WaLookupTable table;
	const size_t nrows = (size_t) random() % (WA_VECTOR_ROWS + 1);
	uint8_t room[WA_VECTOR_ROWS * (sizeof(int64_t) + 2) + 64];
	WaVector vectors[3]; /* the argument, and results */

	wide.width = widths[random() % LENGTH(widths)];
	wide.base = (int64_t) random() % 1000 - 500;
	wide.is_total = is_total;
	for (uint64_t i = 0; i < wide.nentries; i++)
	{
		values[i] = known[i] == WA_ENTRY_NULL ? 0 : (int32_t) values[i];
		if (values[i] == WA_NARROW_NULL)
			values[i]++;
		narrow[i] =
			known[i] == WA_ENTRY_NULL ? WA_NARROW_NULL : (int32_t) values[i];
	}
	table = wide;
	table.narrow = narrow;
	table.values = NULL;
	table.known = NULL;
	EXPECT(wa_lookup_table_can_be_narrow(&wide));
	EXPECT(wa_lookup_table_may_be_kept(&table));
	wa_vector_place(&vectors[0], WA_VECTOR_INT, memory[0]);
	wa_vector_place(&vectors[1], WA_VECTOR_INT, memory[1]);
	wa_vector_place(&vectors[2], WA_VECTOR_INT,
					room + 64 - (uintptr_t) room % 64);
	vectors[0].has_nulls = random() % 2 == 0;
	for (size_t i = 0; i < nrows; i++)
	{
		const uint64_t span = wide.nentries * wide.width;
		const int64_t offset = is_total
								   ? (int64_t) (random_bits() % (span + 4)) - 2
								   : (int64_t) (random_bits() % span);

		vectors[0].valid[i] = !vectors[0].has_nulls || random() % 3 != 0;
		wa_vector_ints(&vectors[0])[i] =
			vectors[0].valid[i] != 0 ? wide.base + offset : 0;
	}
	EXPECT(wa_lookup_table_call(&wide, &vectors[0], &vectors[1], nrows));
	EXPECT(wa_lookup_table_call(&table, &vectors[0], &vectors[2], nrows));
	EXPECT(memcmp(vectors[1].values, vectors[2].values,
				  nrows * sizeof(int64_t)) == 0);
	for (size_t i = 0; i < nrows; i++)
		EXPECT(wa_vector_is_valid(&vectors[1], i) ==
			   wa_vector_is_valid(&vectors[2], i));
	values[0] = (int64_t) INT32_MAX + 1;
	known[0] = WA_ENTRY_VALUE;
	EXPECT(!wa_lookup_table_can_be_narrow(&wide));
	known[0] = WA_ENTRY_UNKNOWN;
	EXPECT(!wa_lookup_table_can_be_narrow(&wide));
	return true;
}

static bool
test_narrow(void)
{
	for (int i = 0; i < 3000; i++)
		EXPECT(test_narrow_vector(i % 2 == 0));
	return true;
}

/* Keys that slots are made of, in pairs of near ones, in any order. */
static int64_t
slot_key(uint64_t number)
{
	return (int64_t) (wa_lookup_hash((int64_t) (number / 2)) + number % 2);
}

/* Slots have the values of the keys that were added, and nothing else. */
static bool
test_slots_of(uint64_t nkeys)
{
	const uint64_t count = wa_lookup_slots_count(nkeys);
	WaLookupSlot *slots = calloc(count, sizeof(*slots));
	const WaLookupTable table = {
		.width = 1, .nentries = count, .slots = slots, .is_total = true};
	WaVector a;
	WaVector out;

	EXPECT(slots != NULL && count > nkeys && (count & (count - 1)) == 0);
	wa_lookup_slots_clear(slots, count);
	for (uint64_t i = 0; i < nkeys; i++)
		EXPECT(wa_lookup_slots_add(slots, count, slot_key(i), (int64_t) i));
	for (uint64_t i = 0; i < nkeys; i++)
		EXPECT(!wa_lookup_slots_add(slots, count, slot_key(i), 1));
	EXPECT(wa_lookup_table_is_sound(&table));
	EXPECT(wa_lookup_table_may_be_kept(&table));
	EXPECT(!wa_lookup_table_can_be_narrow(&table));
	wa_vector_place(&a, WA_VECTOR_INT, memory[0]);
	wa_vector_place(&out, WA_VECTOR_INT, memory[1]);
	for (uint64_t first = 0; first < 2 * nkeys + 2; first += WA_VECTOR_ROWS)
	{
		a.has_nulls = first % 2048 == 0;
		for (uint64_t i = 0; i < WA_VECTOR_ROWS; i++)
		{
			a.valid[i] = i % 9 != 3;
			wa_vector_ints(&a)[i] = slot_key(first + i);
		}
		EXPECT(wa_lookup_table_call(&table, &a, &out, WA_VECTOR_ROWS));
		for (uint64_t i = 0; i < WA_VECTOR_ROWS; i++)
		{
			const bool is_there =
				first + i < nkeys && (!a.has_nulls || a.valid[i] != 0);

			EXPECT(wa_vector_is_valid(&out, i) == is_there);
			EXPECT(wa_vector_ints(&out)[i] ==
				   (is_there ? (int64_t) (first + i) : 0));
		}
	}
	free(slots);
	return true;
}

/* Slots that cannot be are not sound. */
static bool
test_unsound_slots(void)
{
	WaLookupSlot slots[4] = {{5, 0}, {6, 1}, {7, 2}, {0, WA_FREE_SLOT}};
	const WaLookupTable good = {
		.width = 1, .nentries = 4, .slots = slots, .is_total = true};
	WaLookupTable table = good;

	EXPECT(wa_lookup_table_is_sound(&good));
	table.nentries = 3;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table = good;
	table.is_total = false;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table = good;
	table.base = 1;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table = good;
	table.width = 2;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table = good;
	table.results = WA_LOOKUP_TEXTS;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table = good;
	table.null_has_value = true;
	EXPECT(!wa_lookup_table_is_sound(&table));
	slots[3].value = 0; /* none is free: a look-up would not end */
	EXPECT(!wa_lookup_table_is_sound(&good));
	return true;
}

/* Keys have entries where these are few, or take little more memory than slots. */
static bool
test_keys(void)
{
	const uint64_t nkeys = (uint64_t) 1 << 22;
	const uint64_t nslots = wa_lookup_slots_count(nkeys);
	const int64_t most =
		(int64_t) (nslots * sizeof(WaLookupSlot) * 2 / sizeof(int32_t));
	WaLookupTable table;

	EXPECT(wa_lookup_table_begin_keys(&table, 0, 0, 0));
	EXPECT(table.nentries == 1 && table.width == 1 && table.is_total);
	EXPECT(wa_lookup_table_begin_keys(&table, -5, (1 << 20) - 6, 2));
	EXPECT(table.base == -5 && table.nentries == 1 << 20);
	EXPECT(!wa_lookup_table_begin_keys(&table, -5, (1 << 20) - 5, 2));
	EXPECT(table.base == 0 && table.nentries == wa_lookup_slots_count(2));
	EXPECT(wa_lookup_table_begin_keys(&table, 7, most + 6, nkeys));
	EXPECT(table.base == 7 && table.nentries == (uint64_t) most);
	EXPECT(!wa_lookup_table_begin_keys(&table, 7, most + 7, nkeys));
	EXPECT(table.base == 0 && table.nentries == nslots);
	EXPECT(!wa_lookup_table_begin_keys(&table, INT64_MIN, INT64_MAX, nkeys));
	return true;
}

static bool
test_slots(void)
{
	EXPECT(wa_lookup_slots_count(UINT64_MAX / 3) == 0);
	for (uint64_t nkeys = 0; nkeys < 200; nkeys++)
		EXPECT(test_slots_of(nkeys));
	EXPECT(test_slots_of(30000));
	return test_unsound_slots();
}

/* Looks up many vectors in tables of which all is known, so that none traps. */
static bool
test_total(bool has_nulls)
{
	size_t ntraps = 0;

	for (size_t i = 0; i < 3000; i++)
		EXPECT(test_vector(has_nulls, true, &ntraps));
	return ntraps == 0;
}

int
main(void)
{
	srandom(7);
	check(test_vectors(false), "without NULLs");
	check(test_vectors(true), "with NULLs");
	check(test_total(false) && test_total(true), "NULL beyond the entries");
	check(test_narrow(), "narrow entries");
	check(test_slots(), "keys that lie far apart");
	check(test_keys(), "which form a table of keys has");
	check(test_results(), "results that are booleans, texts and NULL");
	return finish_checks();
}
