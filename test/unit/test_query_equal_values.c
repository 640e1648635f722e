/*
 * test_query_equal_values.c
 *		Which of equal keys and values that look different a run shows, whatever the
 *		order of rows is, against looking at all rows.
 */
#include <math.h>
#include <string.h>

#include "query/run/run_internal.h"
#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define ROUNDS   3000
#define MAX_ROWS 40
#define MAX_RUNS 3

/* The registers of all queries. */
enum
{
	DECIMAL,
	FLOAT,
	NINPUTS,
	YES = NINPUTS, /* a constant: true */
	NREGISTERS
};

#define BOTH (WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

static const WaVectorKind kinds[NREGISTERS] = {
	[DECIMAL] = WA_VECTOR_DECIMAL,
	[FLOAT] = WA_VECTOR_FLOAT,
	[YES] = WA_VECTOR_BOOL,
};

static const WaQueryConstant constants[] = {{YES, {.integer = 1}}};
static const WaQueryFilter all_rows[] = {{0, 0, YES}};

static const WaQueryColumn columns[] = {
	{DECIMAL, -1, WA_VECTOR_DECIMAL, BOTH},
	{FLOAT, -1, WA_VECTOR_FLOAT, BOTH},
};

/* A key is an input, or this. */
#define SIGNED_FLOAT NINPUTS

static const WaQueryKey keys[] = {
	[DECIMAL] = {.kind = WA_VECTOR_DECIMAL},
	[FLOAT] = {.kind = WA_VECTOR_FLOAT},
	[SIGNED_FLOAT] = {.kind = WA_VECTOR_FLOAT, .keeps_zeros = true},
};

static const uint16_t numbers[] = {DECIMAL, FLOAT, FLOAT};

static uint64_t seed = 4711;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* Rows, in the units of a scale that they share. */
typedef struct Rows
{
	size_t nrows;
	uint8_t scale;
	bool is_mixed;
	int64_t decimals[MAX_ROWS];
	uint8_t display[MAX_ROWS];
	double floats[MAX_ROWS];
	uint8_t valid[MAX_ROWS]; /* of all columns */
} Rows;

/* Makes rows, few of which look unlike others. */
static void
make_rows(Rows *rows)
{
	static const int64_t units[] = {1, 10, 100};
	static const double floats[] = {0.0, 0.0, -1.5, 2.0};
	const bool has_negative_zeros = random_below(8) == 0;

	rows->nrows = random_below(MAX_ROWS + 1);
	rows->scale = (uint8_t) (random_below(4) == 0 ? random_below(3) : 2);
	rows->is_mixed = random_below(4) == 0;
	for (size_t i = 0; i < rows->nrows; i++)
	{
		rows->valid[i] = random_below(5) != 0;
		rows->decimals[i] =
			((int64_t) random_below(5) - 2) * units[rows->scale];
		rows->display[i] = rows->scale;
		if (rows->is_mixed && random_below(20) == 0)
			rows->display[i] = (uint8_t) random_below(rows->scale + 1);
		rows->floats[i] = floats[random_below(LENGTH(floats))];
		if (has_negative_zeros && random_below(20) == 0)
			rows->floats[i] = -0.0;
	}
}

/* Has a run take rows. */
static bool
take(WaQueryRun *run, const Rows *rows)
{
	const WaColumnRows inputs[NINPUTS] = {
		{.form = WA_FORM_DECIMAL64,
		 .scale = rows->scale,
		 .values = rows->decimals,
		 .validity = rows->valid,
		 .display = rows->is_mixed ? rows->display : NULL},
		{.form = WA_FORM_FLOAT8,
		 .values = rows->floats,
		 .validity = rows->valid},
	};

	return rows->nrows == 0 ||
		   wa_query_run_take(run, inputs, rows->nrows) == WA_RUN_TAKEN;
}

/* What a row has, as others can be compared with it. */
typedef struct Value
{
	double decimal;
	uint8_t display;
	double real;
	bool is_null;
} Value;

/* Returns what a row of all rows has. */
static Value
value_of(const Rows *rows, size_t row)
{
	return (Value){(double) rows->decimals[row] / pow(10, rows->scale),
				   rows->display[row], rows->floats[row],
				   rows->valid[row] == 0};
}

/* All rows that runs have taken. */
typedef struct Values
{
	Value values[MAX_RUNS * 2 * MAX_ROWS];
	size_t count;
} Values;

/* How many answers there have been in which something looked different. */
static int ntied;

/* Tells whether a row has a group's key. */
static bool
has_key(const Value *value, int key, const WaQueryValue *group)
{
	if (key < 0)
		return true;
	if (value->is_null || group->is_null)
		return value->is_null && group->is_null;
	switch (key)
	{
		case DECIMAL:
			return value->decimal ==
				   (double) group->integer / pow(10, group->scale);
		case SIGNED_FLOAT:
			if (signbit(value->real) != signbit(group->number))
				return false;
			/* fall through */
		default:
			return value->real == group->number;
	}
}

/* Returns how a row's key is shown, as WaQueryValue has it; a FLOAT: 1 if it is -0. */
static uint32_t
shown_of(const Value *value, int input)
{
	return input == DECIMAL ? value->display
							: value->real == 0 && signbit(value->real);
}

/*
 * Returns how the best of a group's rows is shown that have the value, or, if that is
 * NULL, of all of them.
 */
static uint32_t
best_shown(const Values *all, int key, const WaQueryValue *group, int input,
		   const double *wanted)
{
	uint32_t best = 0;
	bool found = false;

	for (size_t i = 0; i < all->count; i++)
	{
		const Value *value = &all->values[i];
		const double x = input == DECIMAL ? value->decimal : value->real;
		const uint32_t shown = shown_of(value, input);

		if (value->is_null || !has_key(value, key, group) ||
			(wanted != NULL && x != *wanted))
			continue;
		if (found && shown != best)
			ntied++;
		if (!found || (input == DECIMAL ? shown > best : shown < best))
			best = shown;
		found = true;
	}
	return best;
}

/* Tells whether a group shows the best of its keys. */
static bool
key_is_best(const Values *all, int key, const WaQueryValue *group)
{
	uint32_t shown = group->shown;

	if (key < 0 || group->is_null)
		return true;
	if (key == FLOAT || key == SIGNED_FLOAT)
		shown = group->number == 0 && signbit(group->number);
	EXPECT(shown == best_shown(all, key, group, (int) numbers[key], NULL));
	return true;
}

/* Tells whether a group's MIN, or MAX, is right and shows the best of its rows. */
static bool
extreme_is_best(const Values *all, int key, const WaQueryValue *group,
				int input, const WaRecord *record, bool is_min)
{
	const WaRecordLayout layout = wa_record_layout(columns[input].kind, BOTH);
	const WaDecimalHeader *header =
		(const WaDecimalHeader *) (record->words + layout.header);
	const uint64_t word = record->words[is_min ? layout.min : layout.max];
	const uint8_t scale = is_min ? header->min_scale : header->max_scale;
	double found = wa_bits_double(word);
	double expected = is_min ? INFINITY : -INFINITY;
	uint32_t shown = found == 0 && signbit(found);

	if (input == DECIMAL)
	{
		found = (double) (int64_t) word / pow(10, scale);
		shown = is_min ? header->min_display : header->max_display;
	}
	for (size_t i = 0; i < all->count; i++)
	{
		const Value *value = &all->values[i];
		const double x = input == DECIMAL ? value->decimal : value->real;

		if (!value->is_null && has_key(value, key, group))
			expected = is_min ? fmin(expected, x) : fmax(expected, x);
	}
	EXPECT(found == expected);
	EXPECT(shown == best_shown(all, key, group, input, &expected));
	return true;
}

/* Tells whether a run shows of each group what it should. */
static bool
shows_best(WaQueryRun *run, const Values *all, int key)
{
	const uint32_t ngroups = wa_query_run_groups(run);

	for (uint32_t i = 0; i < ngroups; i++)
	{
		WaQueryValue group = {0};

		if (key >= 0)
			wa_query_groups_key(run->groups, i, 0, &group);
		EXPECT(key_is_best(all, key, &group));
		for (int input = DECIMAL; input <= FLOAT; input++)
		{
			WaRecord record;

			wa_records_get(run->tables[input], i, &record);
			if (record.words[0] == 0)
				continue;
			EXPECT(extreme_is_best(all, key, &group, input, &record, true));
			EXPECT(extreme_is_best(all, key, &group, input, &record, false));
		}
	}
	return true;
}

/* Merges runs: one into the other, or by their groups' keys and records. */
static bool
merge(WaQueryRun *into, WaQueryRun *from, int key, bool by_values)
{
	const uint32_t ngroups = wa_query_run_groups(from);

	if (!by_values)
		return wa_query_merge(into, from) == WA_RUN_TAKEN;
	for (uint32_t i = 0; i < ngroups; i++)
	{
		WaQueryValue group = {0};
		WaRecord records[LENGTH(columns)];

		if (key >= 0)
			wa_query_groups_key(from->groups, i, 0, &group);
		for (size_t j = 0; j < LENGTH(columns); j++)
			wa_records_get(from->tables[j], i, &records[j]);
		EXPECT(wa_query_run_add(into, &group, records) == WA_RUN_TAKEN);
	}
	return true;
}

/* Runs a query by several runs, which are merged; key: -1 for none. */
static bool
test_round(int key, bool is_plain)
{
	static Values all;
	const WaQuery query = {
		.program = {.nregisters = NREGISTERS, .kinds = kinds},
		.ninputs = NINPUTS,
		.nconstants = LENGTH(constants),
		.constants = constants,
		.nfilters = is_plain ? 0 : LENGTH(all_rows),
		.filters = all_rows,
		.nkeys = key < 0 ? 0 : 1,
		.keys = key < 0 ? NULL : &keys[key],
		.key_numbers = key < 0 ? NULL : &numbers[key],
		.ncolumns = LENGTH(columns),
		.columns = columns,
	};
	WaQueryRun *runs[MAX_RUNS];
	WaArena arena;

	all.count = 0;
	wa_arena_init(&arena, SIZE_MAX);
	for (int i = 0; i < MAX_RUNS; i++)
	{
		runs[i] = make_run(&arena, &query, NULL);
		for (int batch = 0; batch < 2; batch++)
		{
			Rows rows;

			make_rows(&rows);
			EXPECT(take(runs[i], &rows));
			for (size_t row = 0; row < rows.nrows; row++)
				all.values[all.count++] = value_of(&rows, row);
		}
	}
	for (int i = 1; i < MAX_RUNS; i++)
		EXPECT(merge(runs[0], runs[i], key, random_below(2) == 0));
	EXPECT(shows_best(runs[0], &all, key));
	wa_arena_reset(&arena);
	return true;
}

/* Runs queries of a sort, of some of which equal values look different. */
static bool
test_rounds(int key, bool is_plain)
{
	ntied = 0;
	for (int i = 0; i < ROUNDS; i++)
		EXPECT(test_round(key, is_plain));
	EXPECT(ntied > ROUNDS / 100);
	return true;
}

int
main(void)
{
	check(test_rounds(-1, true), "what whole columns show");
	check(test_rounds(-1, false), "without keys");
	check(test_rounds(DECIMAL, false), "by a numeric");
	check(test_rounds(FLOAT, false), "by a float");
	check(test_rounds(SIGNED_FLOAT, false), "by a float with its sign");
	return finish_checks();
}
