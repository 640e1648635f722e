/*
 * test_coarser_groups.c
 *		Groups of a table that has one more key, against groups of the values of the others, and
 *		the values that a key has (src/query/groups).
 */
#include <math.h>

#include "query/groups/groups.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define MEMORY   ((size_t) 1 << 28)
#define MAX_KEYS 70
#define ROWS     1500 /* in random trials, */
#define BASES    3    /* which differ from one of so many by few keys */
#define CHOICES  3    /* of a key: NULL, and two values */

/* All kinds of keys; texts are numbers there. */
static const WaQueryKey all_keys[] = {
	{.kind = WA_VECTOR_INT},
	{.kind = WA_VECTOR_DECIMAL},
	{.kind = WA_VECTOR_FLOAT},
	{.kind = WA_VECTOR_BOOL},
	{.kind = WA_VECTOR_FLOAT, .keeps_zeros = true},
};

/* Tables, and the keys that they have: the coarser ones but for one. */
typedef struct Tables
{
	WaArena arena;
	int nkeys;
	int skipped;
	WaQueryKey keys[MAX_KEYS];
	WaQueryKey others[MAX_KEYS];
	WaQueryGroups *finer;
	WaQueryGroups *coarser;
	WaQueryGroups *by_values; /* of the same keys */
} Tables;

static uint64_t seed = 815;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* Makes tables without groups. */
static bool
make_tables(Tables *tables, int nkeys, int skipped)
{
	*tables = (Tables){.nkeys = nkeys, .skipped = skipped};
	for (int i = 0; i < nkeys; i++)
	{
		tables->keys[i] = all_keys[(size_t) i % LENGTH(all_keys)];
		if (i != skipped)
			tables->others[i < skipped ? i : i - 1] = tables->keys[i];
	}
	wa_arena_init(&tables->arena, MEMORY);
	tables->finer = wa_query_groups_make(&tables->arena, nkeys, tables->keys);
	tables->coarser =
		wa_query_groups_make(&tables->arena, nkeys - 1, tables->others);
	tables->by_values =
		wa_query_groups_make(&tables->arena, nkeys - 1, tables->others);
	return !tables->arena.failed;
}

/*
 * Returns one of a key's values, which are NULL and two that are not equal, in one of the ways
 * in which it may look.
 */
static WaQueryValue
make_value(const WaQueryKey *key, uint64_t choice)
{
	static const WaWideDecimal wide = {.class = WA_WIDE_NAN};
	static const int64_t powers[] = {1, 10, 100};
	WaQueryValue value = {.is_null = choice == 0};

	switch (value.is_null ? WA_VECTOR_BOOL : key->kind)
	{
		case WA_VECTOR_INT:
			value.integer = choice == 1 ? INT64_MIN : 7;
			break;
		case WA_VECTOR_FLOAT:
			value.number = choice > 1 ? (double) NAN : 0.0;
			if (choice == 1 && random_below(2) == 0)
				value.number = -0.0;
			break;
		case WA_VECTOR_DECIMAL:
			value.shown = (uint32_t) random_below(LENGTH(powers));
			value.scale = (uint8_t) value.shown;
			value.integer = 12 * powers[value.scale];
			value.is_wide = choice > 1;
			if (value.is_wide)
				value.text =
					(WaText){(const char *) (const void *) &wide, sizeof(wide)};
			break;
		default:
			value.integer = choice > 1;
			break;
	}
	return value;
}

/* Has the finer table find the group of a row, which is like others. */
static bool
add_row(Tables *tables)
{
	const uint64_t base = random_below(BASES);
	WaQueryValue values[MAX_KEYS];
	uint64_t choices[MAX_KEYS];
	uint32_t group;

	for (int i = 0; i < tables->nkeys; i++)
		choices[i] = ((uint64_t) i + base) % CHOICES;
	choices[tables->skipped] = random_below(CHOICES);
	if (random_below(2) == 0)
		choices[random_below((uint64_t) tables->nkeys)] = random_below(CHOICES);
	for (int i = 0; i < tables->nkeys; i++)
		values[i] = make_value(&tables->keys[i], choices[i]);
	return wa_query_groups_find_values(tables->finer, values, &group);
}

/* Tells whether two values of a key are the same, and look so. */
static bool
is_same(WaVectorKind kind, const WaQueryValue *a, const WaQueryValue *b)
{
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return (isnan(a->number) && isnan(b->number)) ||
				   (a->number == b->number &&
					signbit(a->number) == signbit(b->number));
		case WA_VECTOR_DECIMAL:
			EXPECT(a->shown == b->shown && a->is_wide == b->is_wide);
			return a->is_wide ||
				   (a->integer == b->integer && a->scale == b->scale);
		default:
			return a->integer == b->integer;
	}
}

/*
 * Finds the coarser groups, some at a time and out of order, and tells whether they are those of
 * the values.
 */
static bool
find_coarser(Tables *tables, uint32_t *numbers)
{
	const uint32_t ngroups = wa_query_groups_count(tables->finer);

	for (uint32_t done = 0; done < ngroups;)
	{
		uint32_t some = 1 + (uint32_t) random_below(WA_VECTOR_ROWS);
		uint32_t theirs[WA_VECTOR_ROWS];

		some = some < ngroups - done ? some : ngroups - done;
		for (uint32_t i = 0; i < some; i++)
			theirs[i] = done + some - 1 - i;
		EXPECT(wa_query_groups_find_coarser(tables->coarser, tables->finer,
											tables->skipped, theirs, some,
											numbers + done));
		done += some;
		for (uint32_t i = 0; i < some; i++)
		{
			WaQueryValue values[MAX_KEYS];
			uint32_t group;

			for (int key = 0; key < tables->nkeys; key++)
				if (key != tables->skipped)
					wa_query_groups_key(
						tables->finer, theirs[i], key,
						&values[key < tables->skipped ? key : key - 1]);
			EXPECT(
				wa_query_groups_find_values(tables->by_values, values, &group));
			EXPECT(group == numbers[done - some + i]);
		}
	}
	return true;
}

/* Tells whether the groups of both coarser tables have the same keys. */
static bool
are_same(const Tables *tables)
{
	const uint32_t ngroups = wa_query_groups_count(tables->by_values);

	EXPECT(wa_query_groups_count(tables->coarser) == ngroups);
	for (uint32_t group = 0; group < ngroups; group++)
		for (int key = 0; key < tables->nkeys - 1; key++)
		{
			WaQueryValue found;
			WaQueryValue expected;

			wa_query_groups_key(tables->coarser, group, key, &found);
			wa_query_groups_key(tables->by_values, group, key, &expected);
			EXPECT(is_same(tables->others[key].kind, &found, &expected));
		}
	return true;
}

/* Tells whether a key's values, of groups in any order, are those that it has. */
static bool
are_values(const Tables *tables, int key)
{
	const uint32_t ngroups = wa_query_groups_count(tables->finer);
	int64_t words[WA_VECTOR_ROWS];
	uint8_t valid[WA_VECTOR_ROWS];
	uint32_t theirs[WA_VECTOR_ROWS];
	WaVector values = {.values = words, .valid = valid};

	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		theirs[i] = (uint32_t) random_below(ngroups);
		words[i] = 815;
	}
	wa_query_groups_values(tables->finer, key, theirs, WA_VECTOR_ROWS, &values);
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		WaQueryValue value;

		wa_query_groups_key(tables->finer, theirs[i], key, &value);
		EXPECT(wa_vector_is_valid(&values, i) == !value.is_null);
		if (tables->keys[key].kind != WA_VECTOR_INT)
			EXPECT(words[i] == 815);
		else if (!value.is_null)
			EXPECT(words[i] == value.integer);
	}
	return true;
}

/* Groups by so many keys become groups without one of these. */
static bool
test_keys(int nkeys, int skipped)
{
	static uint32_t numbers[ROWS];
	Tables tables;

	EXPECT(make_tables(&tables, nkeys, skipped));
	for (int i = 0; i < ROWS; i++)
		EXPECT(add_row(&tables));
	EXPECT(find_coarser(&tables, numbers));
	EXPECT(wa_query_groups_count(tables.coarser) <
		   wa_query_groups_count(tables.finer));
	EXPECT(are_same(&tables));
	for (int key = 0; key < nkeys; key++)
		EXPECT(are_values(&tables, key));
	wa_arena_reset(&tables.arena);
	return true;
}

/* All kinds of keys, each of them left out. */
static bool
test_kinds(void)
{
	for (int nkeys = 2; nkeys <= (int) LENGTH(all_keys); nkeys++)
		for (int skipped = 0; skipped < nkeys; skipped++)
			EXPECT(test_keys(nkeys, skipped));
	return true;
}

/* Keys around 64, whose NULLs are noted in one word, and more. */
static bool
test_many_keys(void)
{
	for (int nkeys = 63; nkeys <= MAX_KEYS; nkeys++)
	{
		EXPECT(test_keys(nkeys, 0));
		EXPECT(test_keys(nkeys, nkeys - 1));
		EXPECT(test_keys(nkeys, (int) random_below((uint64_t) nkeys)));
	}
	return true;
}

/* Where there is no memory for a group the table is of no further use. */
static bool
test_memory(void)
{
	static uint32_t numbers[ROWS];
	uint32_t theirs[WA_VECTOR_ROWS];
	Tables tables;

	EXPECT(make_tables(&tables, (int) LENGTH(all_keys), 0));
	for (int i = 0; i < ROWS; i++)
		EXPECT(add_row(&tables));
	for (uint32_t i = 0; i < WA_VECTOR_ROWS; i++)
		theirs[i] = i % wa_query_groups_count(tables.finer);
	tables.arena.limit = tables.arena.bytes;
	EXPECT(!wa_query_groups_find_coarser(tables.coarser, tables.finer, 0,
										 theirs, WA_VECTOR_ROWS, numbers));
	EXPECT(tables.arena.failed);
	wa_arena_reset(&tables.arena);
	return true;
}

int
main(void)
{
	check(test_kinds(), "keys of all kinds, each of them left out");
	check(test_many_keys(), "more keys than a word has bits");
	check(test_memory(), "too little memory is noticed");
	return finish_checks();
}
