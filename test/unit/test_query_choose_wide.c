/*
 * test_query_choose_wide.c
 *		The groups that a query wants by numerics of up to 38 digits and their sums,
 *		against a reference that has these as two numbers, before the point and behind.
 */
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "query/message/partial_groups.h"
#include "query/message/query_wire.h"
#include "test/unit/check.h"
#include "test/unit/make_run.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define ROUNDS     2000
#define MAX_BATCH  60
#define BATCHES    4
#define MAX_GROUPS 50

/* The registers. */
enum
{
	NUMBER,
	WIDE,
	NREGISTERS
};

#define OPS (WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX))

static const WaVectorKind kinds[NREGISTERS] = {WA_VECTOR_INT,
											   WA_VECTOR_DECIMAL};
static const WaQueryKey keys[] = {{.kind = WA_VECTOR_INT},
								  {.kind = WA_VECTOR_DECIMAL}};
static const uint16_t numbers[] = {NUMBER, WIDE};
static const WaQueryColumn columns[] = {{WIDE, -1, WA_VECTOR_DECIMAL, OPS}};

static uint64_t seed = 1931;

static uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* whole + part / 10^38, 0 <= part < 10^38. */
typedef struct Exact
{
	__int128 whole;
	unsigned __int128 part;
} Exact;

/* A group by the reference. */
typedef struct Group
{
	uint64_t rows; /* with a value */
	bool exists;
	bool found; /* was chosen */
	Exact key;  /* if the second key is one; then all values are the same */
	bool key_is_null;
	Exact sum;
	Exact min;
	Exact max;
} Group;

/* Rows of one batch, as a column of 128 or 64 bits. */
typedef struct Batch
{
	size_t nrows;
	WaColumnRows inputs[NREGISTERS];
	int64_t groups[MAX_BATCH];
	WaInt128 wides[MAX_BATCH];
	int64_t narrows[MAX_BATCH];
	uint8_t valid[MAX_BATCH];
} Batch;

static Exact
exact_of(__int128 value, int scale)
{
	__int128 whole = value / wa_wide_power_of_ten(scale);
	__int128 part = value % wa_wide_power_of_ten(scale);

	if (part < 0)
	{
		whole--;
		part += wa_wide_power_of_ten(scale);
	}
	return (Exact){whole, (unsigned __int128) part *
							  (unsigned __int128) wa_wide_power_of_ten(
								  WA_WIDE_MAX_SCALE - scale)};
}

static int
compare(const Exact *a, const Exact *b)
{
	if (a->whole != b->whole)
		return a->whole < b->whole ? -1 : 1;
	return (a->part > b->part) - (a->part < b->part);
}

/* Adds a value to a group. */
static void
add(Group *group, Exact value)
{
	if (group->rows++ == 0)
	{
		group->sum = group->min = group->max = value;
		return;
	}
	if (compare(&value, &group->min) < 0)
		group->min = value;
	if (compare(&value, &group->max) > 0)
		group->max = value;
	group->sum.whole += value.whole;
	group->sum.part += value.part;
	if (group->sum.part >=
		(unsigned __int128) wa_wide_power_of_ten(WA_WIDE_MAX_SCALE))
	{
		group->sum.part -=
			(unsigned __int128) wa_wide_power_of_ten(WA_WIDE_MAX_SCALE);
		group->sum.whole++;
	}
}

/* Returns a random number of up to so many digits, some of which recur. */
static __int128
random_number(int digits)
{
	const int length = (int) random_below((uint64_t) digits + 1);
	__int128 number = 0;

	for (int i = 0; i < length; i++)
		number = number * 10 + (__int128) random_below(10);
	if (random_below(3) == 0)
		number = number / wa_wide_power_of_ten(length / 2) *
				 wa_wide_power_of_ten(length / 2);
	return random_below(2) == 0 ? number : -number;
}

/* Makes a batch; with values that depend on the group if there is a key of them. */
static void
make_batch(Batch *batch, Group *groups, size_t ngroups, bool has_key)
{
	const bool is_wide = random_below(3) != 0;
	const int scale = (int) random_below(is_wide ? 36 : 19);
	const int digits = is_wide ? 36 : 17;

	batch->nrows = 1 + random_below(MAX_BATCH);
	for (size_t i = 0; i < batch->nrows; i++)
	{
		const size_t g = random_below(ngroups);
		__int128 value = random_number(digits);

		batch->groups[i] = (int64_t) g;
		batch->valid[i] = random_below(8) != 0;
		if (has_key && groups[g].exists)
			batch->valid[i] = false; /* the key is in one batch only */
		batch->wides[i] = wa_int128_make(batch->valid[i] ? value : 0);
		batch->narrows[i] = batch->valid[i] ? (int64_t) value : 0;
		if (has_key && groups[g].exists)
			batch->groups[i] = MAX_GROUPS; /* one group of all others */
		if (has_key && !groups[g].exists)
		{
			groups[g].key_is_null = !batch->valid[i];
			groups[g].key = exact_of(value, scale);
		}
		groups[batch->groups[i]].key_is_null |= batch->groups[i] == MAX_GROUPS;
		groups[batch->groups[i]].exists = true;
		if (batch->valid[i])
			add(&groups[batch->groups[i]], exact_of(value, scale));
	}
	batch->inputs[NUMBER] = (WaColumnRows){
		.form = WA_FORM_INT64,
		.values = batch->groups,
	};
	batch->inputs[WIDE] = (WaColumnRows){
		.form = is_wide ? WA_FORM_DECIMAL128 : WA_FORM_DECIMAL64,
		.scale = (uint8_t) scale,
		.values = is_wide ? (void *) batch->wides : (void *) batch->narrows,
		.validity = batch->valid,
	};
}

/* Tells how two groups are sorted: less than 0, 0, more than 0. */
static int
compare_groups(const WaTopN *top_n, const Group *groups, size_t a, size_t b)
{
	const Group *left = &groups[a];
	const Group *right = &groups[b];
	int result = 0;

	for (uint32_t i = 0; i < top_n->norders && result == 0; i++)
	{
		const WaOrderBy *order = &top_n->orders[i];
		const bool by_key = order->of == WA_ORDER_KEY;
		const bool is_number = by_key && order->number == 0;
		const bool left_is_null =
			by_key ? !is_number && left->key_is_null : left->rows == 0;
		const bool right_is_null =
			by_key ? !is_number && right->key_is_null : right->rows == 0;

		if (left_is_null || right_is_null)
		{
			result = (int) left_is_null - (int) right_is_null;
			result = order->nulls_first ? -result : result;
			continue;
		}
		if (is_number)
			result = (a > b) - (a < b);
		else if (by_key)
			result = compare(&left->key, &right->key);
		else if (order->of == WA_ORDER_SUM)
			result = compare(&left->sum, &right->sum);
		else if (order->of == WA_ORDER_MIN)
			result = compare(&left->min, &right->min);
		else
			result = compare(&left->max, &right->max);
		result = order->descending ? -result : result;
	}
	return result;
}

/* Notes the groups that a run writes. */
static bool
read_groups(const WaQuery *query, WaQueryRun *run, WaArena *arena,
			Group *groups)
{
	WaPartialColumn shown[] = {{WA_VECTOR_DECIMAL, OPS, 0}};
	const WaPartialShape shape = {(int) query->nkeys, 1, query->keys, shown};
	WaPartialReader reader;
	WaWriter writer;

	wa_writer_init(&writer, arena);
	EXPECT(wa_partial_reader_init(&reader, arena, &shape));
	for (uint32_t next = 0; next < wa_query_run_groups(run);)
	{
		wa_query_run_write(run, &next, 500, &writer);
		EXPECT(wa_partial_open(&reader, writer.words,
							   writer.nwords * sizeof(uint64_t)));
		while (wa_partial_next(&reader))
		{
			Group *group = &groups[reader.keys[0].integer];

			EXPECT(group->exists && !group->found);
			group->found = true;
		}
		EXPECT(!reader.reader.failed);
	}
	return true;
}

/* Tells whether those groups were chosen that are wanted, and no others. */
static bool
are_wanted(const WaTopN *top_n, const Group *groups)
{
	size_t ngroups = 0;
	size_t nfound = 0;

	for (size_t i = 0; i <= MAX_GROUPS; i++)
	{
		size_t before = 0;
		size_t equal = 0;

		if (!groups[i].exists)
			continue;
		ngroups++;
		nfound += groups[i].found;
		for (size_t j = 0; j <= MAX_GROUPS; j++)
			if (groups[j].exists)
			{
				const int order = compare_groups(top_n, groups, j, i);

				before += order < 0;
				equal += order == 0;
			}
		if (top_n->keeps_ties || before + equal <= top_n->limit)
			EXPECT(groups[i].found == (before < top_n->limit));
		else
			EXPECT(!groups[i].found || before < top_n->limit);
	}
	if (!top_n->keeps_ties)
		EXPECT(nfound == (top_n->limit < ngroups ? top_n->limit : ngroups));
	return true;
}

/* Chooses groups of random rows, unless a sum has no room. */
static bool
test_round(int *nchosen)
{
	static Batch batch;
	static Group groups[MAX_GROUPS + 1];
	const bool has_key = random_below(2) == 0;
	const size_t ngroups = 1 + random_below(MAX_GROUPS);
	WaQuery query = {
		.program = {.nregisters = NREGISTERS, .kinds = kinds},
		.ninputs = NREGISTERS,
		.nkeys = has_key ? 2 : 1,
		.keys = keys,
		.key_numbers = numbers,
		.ncolumns = LENGTH(columns),
		.columns = columns,
		.top_n = {.limit = 1 + random_below(ngroups),
				  .keeps_ties = random_below(2) == 0,
				  .norders = 1 + (uint32_t) random_below(3)},
	};
	WaRunOutcome outcome = WA_RUN_TAKEN;
	uint8_t scratch[NREGISTERS];
	WaQueryRun *run;
	WaArena arena;

	for (uint32_t i = 0; i < query.top_n.norders; i++)
	{
		static const WaOrderOf of[] = {WA_ORDER_SUM, WA_ORDER_MIN, WA_ORDER_MAX,
									   WA_ORDER_KEY};
		WaOrderBy *order = &query.top_n.orders[i];

		*order = (WaOrderBy){.of = of[random_below(LENGTH(of))],
							 .descending = random_below(2) == 0,
							 .nulls_first = random_below(2) == 0};
		if (order->of == WA_ORDER_KEY)
			order->number = (uint16_t) random_below(query.nkeys);
	}
	memset(groups, 0, sizeof(groups));
	wa_arena_init(&arena, SIZE_MAX);
	EXPECT(wa_query_is_sound(&query, scratch));
	run = make_run(&arena, &query, NULL);
	EXPECT(run != NULL);
	for (int i = 0; i < BATCHES && outcome == WA_RUN_TAKEN; i++)
	{
		make_batch(&batch, groups, ngroups, has_key);
		outcome = wa_query_run_take(run, batch.inputs, batch.nrows);
		EXPECT(outcome == WA_RUN_TAKEN || outcome == WA_RUN_OVERFLOWED);
	}
	if (outcome == WA_RUN_OVERFLOWED)
	{
		wa_arena_reset(&arena);
		return true;
	}
	(*nchosen)++;
	EXPECT(wa_query_run_choose(run) &&
		   read_groups(&query, run, &arena, groups) &&
		   are_wanted(&query.top_n, groups));
	wa_arena_reset(&arena);
	return true;
}

static bool
test_rounds(void)
{
	int nchosen = 0;

	for (int i = 0; i < ROUNDS; i++)
		EXPECT(test_round(&nchosen));
	EXPECT(nchosen > ROUNDS / 2);
	return true;
}

int
main(void)
{
	check(test_rounds(), "groups chosen by wide numerics and sums");
	return finish_checks();
}
