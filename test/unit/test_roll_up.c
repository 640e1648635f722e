/*
 * test_roll_up.c
 *		Groups that are rolled up (src/query/run/run_roll_up.h), by runs and by the daemon's runner,
 *		against a reference that goes through finer groups one by one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "daemon/column/dictionary.h"
#include "daemon/run/query_lists.h"
#include "daemon/run/query_runner.h"
#include "query/message/query_wire.h"
#include "query/run/run_internal.h"
#include "query/run/run_parts.h"
#include "query/run/run_roll_up.h"
#include "test/unit/finish_lists.h"
#include "test/unit/test_query_data.h"

#define NRUNS    3
#define NPARTS   8
#define MAX_ROWS 4000
#define NRANKS   4
#define NO_LIMIT SIZE_MAX
#define LARGE    ((uint64_t) 1 << 40)

#define ALL_OPS                                                               \
	(WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES) | WA_OP_BIT(WA_OP_MIN) | \
	 WA_OP_BIT(WA_OP_MAX))

/* Rows, and what is expected of a query that rolls their groups up. */
typedef struct Trial
{
	WaQuery query;
	WaQueryRolled rolled;
	WaQueryRank ranks[NRANKS];
	WaQueryColumn columns[NCOLUMNS + NRANKS]; /* of what groups become */
	Row rows[MAX_ROWS];
	size_t nrows;
	uint64_t kept_rows;
	ExpectedGroup finer[MAX_ROWS];
	size_t nfiner;
	size_t owners[MAX_ROWS]; /* the groups that these become */
	ExpectedGroup groups[MAX_ROWS];
	Expected values[MAX_ROWS]; /* of each of these, once */
	size_t ngroups;
} Trial;

static Trial trial;

/* Finds out what is expected of the rows. */
static void
expect_groups(void)
{
	const uint32_t nkeys = trial.query.nkeys;
	const uint32_t skipped = (uint32_t) trial.rolled.column.argument;

	trial.nfiner = 0;
	trial.ngroups = 0;
	for (size_t i = 0; i < trial.nrows; i++)
	{
		trial.nfiner =
			expect_row(trial.finer, trial.nfiner, &trial.rows[i], nkeys);
		trial.ngroups = expect_row_but(trial.groups, trial.ngroups,
									   &trial.rows[i], nkeys, skipped);
	}
	memset(trial.values, 0, sizeof(trial.values));
	trial.kept_rows = 0;
	for (size_t i = 0; i < trial.nfiner; i++)
	{
		const Cell *cells = trial.finer[i].keys;
		const size_t number =
			find_same(trial.groups, trial.ngroups, cells, nkeys, skipped);

		trial.owners[i] = number;
		trial.kept_rows += trial.finer[i].columns[0].rows;
		if (!cells[skipped].is_null)
			expect_value(&trial.values[number], trial.rolled.column.kind,
						 &cells[skipped]);
	}
}

/*
 * Makes a trial whose groups are rolled up by one of their keys; variety: about how many
 * values a key has.
 */
static void
make_trial(uint32_t nkeys, uint32_t skipped, bool adds, size_t nrows,
		   uint64_t variety)
{
	trial.query = *test_query(nkeys);
	trial.query.rolled = &trial.rolled;
	trial.rolled = (WaQueryRolled){
		.column = {.argument = (int) skipped,
				   .filter = -1,
				   .kind = adds ? WA_VECTOR_INT : WA_VECTOR_BOOL,
				   .ops = adds ? ALL_OPS : 0}};
	memcpy(trial.columns, trial.query.columns,
		   NCOLUMNS * sizeof(trial.columns[0]));
	trial.columns[NCOLUMNS] = trial.rolled.column;
	trial.nrows = nrows;
	for (size_t row = 0; row < nrows; row += WA_VECTOR_ROWS)
		make_batch(&trial.rows[row],
				   nrows - row < WA_VECTOR_ROWS ? nrows - row : WA_VECTOR_ROWS,
				   variety);
	expect_groups();
}

/* Has a run take a batch of rows; codes: as below. */
static WaRunOutcome
take_batch(WaQueryRun *run, size_t first, const int32_t *codes)
{
	static Inputs inputs;
	int32_t *texts = (int32_t *) (void *) inputs.values[KEY_TEXT];
	const size_t some = trial.nrows - first < WA_VECTOR_ROWS
							? trial.nrows - first
							: WA_VECTOR_ROWS;

	fill_inputs(&inputs, &trial.rows[first], some);
	for (size_t i = 0; codes != NULL && i < some; i++)
		texts[i] = codes[texts[i]];
	return wa_query_run_take(run, inputs.rows, some);
}

/*
 * Has runs take the rows, batch after batch; codes: of the texts, NULL if they are those of
 * test_texts.  Returns how the last batch fared.
 */
static WaRunOutcome
take_rows(WaQueryRun **runs, int nruns, const int32_t *codes)
{
	for (size_t row = 0; row < trial.nrows; row += WA_VECTOR_ROWS)
	{
		const WaRunOutcome outcome =
			take_batch(runs[row / WA_VECTOR_ROWS % (size_t) nruns], row, codes);

		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return WA_RUN_TAKEN;
}

/* Tells whether a rank of the values of a group, integers, is to be that one. */
static bool
is_rank(size_t number, const WaQueryRank *rank, int64_t value)
{
	const int64_t sign = trial.rolled.descends != 0 ? -1 : 1;
	uint64_t before = 0;
	uint64_t there = 0;
	uint64_t all = 0;
	uint64_t most = 0;
	int64_t mode = 0;
	double nth;

	for (size_t i = 0; i < trial.nfiner; i++)
	{
		const Cell *cell = &trial.finer[i].keys[trial.rolled.column.argument];
		const uint64_t rows = trial.finer[i].columns[0].rows;

		if (trial.owners[i] != number || cell->is_null)
			continue;
		all += rows;
		before += cell->i * sign < value * sign ? rows : 0;
		there += cell->i == value ? rows : 0;
		if (rows < most || (rows == most && cell->i * sign > mode * sign))
			continue;
		most = rows;
		mode = cell->i;
	}
	if (rank->kind == WA_QUERY_RANK_MODE)
		return value == mode;
	nth = fmax(1, ceil(rank->fraction * (double) all));
	return (double) before < nth && nth <= (double) (before + there);
}

/* Tells whether a group has what is rolled up to it. */
static bool
are_rolled(size_t number, const WaPartialCell *cells)
{
	const WaQueryColumn *column = &trial.rolled.column;
	const WaRecordLayout layout = wa_record_layout(column->kind, column->ops);

	if (trial.rolled.nranks == 0)
		return is_expected(&trial.values[number], column, cells);
	for (uint32_t i = 0; i < trial.rolled.nranks; i++)
	{
		const uint64_t *words = cells[i].record.words;

		EXPECT((words == NULL) == (trial.values[number].rows == 0));
		EXPECT(words == NULL ||
			   (words[0] == 1 &&
				is_rank(number, &trial.ranks[i], (int64_t) words[layout.min])));
	}
	return true;
}

/*
 * Reads the groups of a message; those that are rolled up, or the finer ones, have to be as they
 * are expected, and are noted.
 */
static bool
read_groups(const void *message, size_t bytes, bool is_rolled, size_t *count)
{
	const uint32_t nkeys = trial.query.nkeys;
	const uint32_t skipped =
		is_rolled ? (uint32_t) trial.rolled.column.argument : NO_KEY;
	ExpectedGroup *groups = is_rolled ? trial.groups : trial.finer;
	const size_t ngroups = is_rolled ? trial.ngroups : trial.nfiner;
	const int ncolumns =
		NCOLUMNS +
		(is_rolled ? (int) wa_query_rolled_columns(&trial.rolled) : 0);
	WaQueryKey keys[NKEYS];
	WaPartialColumn columns[NCOLUMNS + NRANKS];
	const WaPartialShape shape = {(int) nkeys - is_rolled, ncolumns, keys,
								  columns};
	WaPartialReader reader;
	WaArena arena;

	for (uint32_t i = 0; i < nkeys; i++)
		if (i != skipped)
			keys[i < skipped ? i : i - 1] = trial.query.keys[i];
	for (int i = 0; i < ncolumns; i++)
		columns[i] =
			(WaPartialColumn){trial.columns[i].kind, trial.columns[i].ops, 0};
	wa_arena_init(&arena, NO_LIMIT);
	EXPECT(wa_partial_reader_init(&reader, &arena, &shape));
	EXPECT(wa_partial_open(&reader, message, bytes));
	for (*count = 0; wa_partial_next(&reader); (*count)++)
	{
		ExpectedGroup *group =
			find_expected_but(groups, ngroups, reader.keys, nkeys, skipped);

		/* Without keys there is a group even if there are no rows. */
		if (group == NULL && ngroups == 0 && shape.nkeys == 0)
			continue;
		EXPECT(group != NULL && !group->found);
		group->found = true;
		for (int i = 0; i < NCOLUMNS; i++)
			EXPECT(is_expected(&group->columns[i], &trial.columns[i],
							   &reader.cells[i]));
		if (is_rolled)
			EXPECT(
				are_rolled((size_t) (group - groups), &reader.cells[NCOLUMNS]));
	}
	EXPECT(!reader.reader.failed);
	wa_arena_reset(&arena);
	return true;
}

/* What a group has of an order; there is none of floats and texts. */
typedef struct Place
{
	bool is_null;
	__int128 value;
} Place;

/* Returns what a group, that is rolled up, has of the first order. */
static Place
place_of(size_t number)
{
	const WaOrderBy *order = &trial.query.top_n.orders[0];
	const uint32_t key =
		order->number +
		(order->number >= trial.rolled.column.argument ? 1U : 0U);
	const Cell *cell = &trial.groups[number].keys[key % NKEYS];
	const Expected *column = order->number == NCOLUMNS
								 ? &trial.values[number]
								 : &trial.groups[number].columns[order->number];
	const bool is_none = column->rows == 0;

	switch (order->of)
	{
		case WA_ORDER_KEY:
			return (Place){cell->is_null,
						   (__int128) cell->i *
							   wa_powers_of_ten[REFERENCE_SCALE - cell->scale]};
		case WA_ORDER_ROWS:
			return (Place){false, (__int128) column->rows};
		case WA_ORDER_SUM:
			return (Place){is_none, column->sum};
		case WA_ORDER_MIN:
			return (Place){is_none, column->min.i};
		default:
			return (Place){is_none, column->max.i};
	}
}

/* Tells how two groups are sorted: less than 0, 0, more than 0. */
static int
compare_groups(size_t a, size_t b)
{
	const WaOrderBy *order = &trial.query.top_n.orders[0];
	const Place left = place_of(a);
	const Place right = place_of(b);
	int result;

	if (left.is_null || right.is_null)
	{
		result = (int) left.is_null - (int) right.is_null;
		return order->nulls_first ? -result : result;
	}
	result = (left.value > right.value) - (left.value < right.value);
	return order->descending ? -result : result;
}

/* Tells whether those groups were read that are wanted, and as many as these. */
static bool
are_wanted(size_t count, bool is_rolled)
{
	const WaTopN *top_n = &trial.query.top_n;
	size_t nwanted = 0;

	if (!is_rolled || top_n->limit == 0)
	{
		const size_t ngroups = is_rolled ? trial.ngroups : trial.nfiner;

		EXPECT(count == ngroups ||
			   (count == 1 && ngroups == 0 && trial.query.nkeys == 1));
		return true;
	}
	for (size_t i = 0; i < trial.ngroups; i++)
	{
		size_t before = 0;

		for (size_t j = 0; j < trial.ngroups; j++)
			before += compare_groups(j, i) < 0;
		nwanted += before < top_n->limit;
		EXPECT(trial.groups[i].found == (before < top_n->limit));
	}
	EXPECT(count == nwanted);
	return true;
}

/* Draws which of the groups that are rolled up are wanted, with those equal to the last. */
static void
draw_top_n(void)
{
	static const uint16_t added[] = {1, 2, NCOLUMNS};
	WaTopN *top_n = &trial.query.top_n;
	WaOrderBy *order = &top_n->orders[0];
	uint8_t scratch[NREGISTERS];

	*top_n = (WaTopN){.limit = 1 + random_below(trial.ngroups + 1),
					  .norders = 1,
					  .keeps_ties = true};
	do
	{
		*order = (WaOrderBy){.of = (WaOrderOf) random_below(5),
							 .number = (uint16_t) random_below(NCOLUMNS + 1),
							 .descending = random_below(2) == 0,
							 .nulls_first = random_below(2) == 0};
		if (order->of == WA_ORDER_SUM)
			order->number = added[random_below(LENGTH(added))];
		if (order->of == WA_ORDER_MIN || order->of == WA_ORDER_MAX)
			order->number = random_below(2) == 0 ? 1 : NCOLUMNS;
	} while (!wa_query_is_sound(&trial.query, scratch) ||
			 (order->of == WA_ORDER_KEY &&
			  order->number + (order->number >= trial.rolled.column.argument) ==
				  KEY_FLOAT));
}

/* Forgets which groups were found. */
static void
begin_finding(void)
{
	for (size_t i = 0; i < trial.ngroups; i++)
		trial.groups[i].found = false;
	for (size_t i = 0; i < trial.nfiner; i++)
		trial.finer[i].found = false;
}

/* Tells whether the groups that a run writes are those that are wanted. */
static bool
are_groups(WaQueryRun *rolled)
{
	WaArena arena;
	WaWriter writer;
	uint32_t next = 0;
	size_t count;

	wa_arena_init(&arena, NO_LIMIT);
	wa_writer_init(&writer, &arena);
	begin_finding();
	EXPECT(wa_query_run_choose(rolled));
	wa_query_run_write(rolled, &next, SIZE_MAX, &writer);
	EXPECT(read_groups(writer.words, writer.nwords * sizeof(uint64_t), true,
					   &count));
	EXPECT(are_wanted(count, true));
	wa_arena_reset(&arena);
	return true;
}

/* Makes an empty run of what the groups of another one become; NULL: no memory. */
static WaQueryRun *
make_rolled(WaArena *arena, const WaQueryRun *finer)
{
	const WaNumberedQuery *query =
		wa_query_roll_up_query(arena, finer->numbered);

	return query != NULL ? wa_query_run_make(arena, query) : NULL;
}

/*
 * Merges runs of what groups become, and what they list, if they do; returns the first one, which
 * has all then, or NULL if there is not enough memory.
 */
static WaQueryRun *
merge_rolled(WaArena *arena, WaQueryRun **rolled, uint32_t nrolled)
{
	WaValueRun lists[NPARTS] = {{.list = wa_query_run_list(rolled[0])}};

	for (uint32_t i = 1; i < nrolled; i++)
	{
		uint32_t *numbers = wa_arena_alloc(
			arena, wa_query_run_groups(rolled[i]) * sizeof(uint32_t));

		lists[i] = (WaValueRun){.list = wa_query_run_list(rolled[i]),
								.numbers = numbers};
		if (numbers == NULL ||
			wa_query_merge(rolled[0], rolled[i]) != WA_RUN_TAKEN ||
			!wa_query_run_numbers(rolled[0], rolled[i], numbers))
			return NULL;
	}
	return lists[0].list == NULL || finish_lists(arena, trial.query.rolled,
												 rolled[0], lists, nrolled)
			   ? rolled[0]
			   : NULL;
}

/* Merges runs and rolls up what they come to; NULL if there is no memory. */
static WaQueryRun *
roll_up_merged(WaArena *arena, WaQueryRun **runs)
{
	WaQueryRun *rolled = make_rolled(arena, runs[0]);

	for (int i = 1; i < NRUNS; i++)
		if (wa_query_merge(runs[0], runs[i]) != WA_RUN_TAKEN)
			return NULL;
	return rolled != NULL &&
				   wa_query_run_roll_up(rolled, runs[0]) == WA_RUN_TAKEN
			   ? merge_rolled(arena, &rolled, 1)
			   : NULL;
}

/* Merges runs part by part, rolls each part up, and merges what these come to. */
static WaQueryRun *
roll_up_parts(WaArena *arena, WaQueryRun **runs)
{
	WaQueryRun *rolled[NPARTS];

	for (int i = 0; i < NRUNS; i++)
		if (!wa_run_parts_sort(runs[i], NPARTS))
			return NULL;
	for (uint32_t part = 0; part < NPARTS; part++)
	{
		WaQueryRun *finer = make_run(arena, &trial.query, &test_texts);

		rolled[part] = make_rolled(arena, runs[0]);
		if (wa_run_parts_merge(finer, runs, NRUNS, part) != WA_RUN_TAKEN ||
			wa_query_run_roll_up(rolled[part], finer) != WA_RUN_TAKEN)
			return NULL;
	}
	return merge_rolled(arena, rolled, NPARTS);
}

/*
 * Has runs of what groups become take the rows, but for the first batch, whose groups they roll
 * up.
 */
static WaQueryRun *
roll_up_rows(WaArena *arena, WaQueryRun **runs)
{
	WaQueryRun *rolled[NRUNS];

	for (int i = 0; i < NRUNS; i++)
		rolled[i] = make_rolled(arena, runs[0]);
	if (trial.nrows > 0 &&
		(take_batch(runs[0], 0, NULL) != WA_RUN_TAKEN ||
		 wa_query_run_roll_up(rolled[NRUNS - 1], runs[0]) != WA_RUN_TAKEN))
		return NULL;
	for (size_t row = WA_VECTOR_ROWS; row < trial.nrows; row += WA_VECTOR_ROWS)
		if (take_batch(rolled[row / WA_VECTOR_ROWS % NRUNS], row, NULL) !=
			WA_RUN_TAKEN)
			return NULL;
	return merge_rolled(arena, rolled, NRUNS);
}

/* Computes the trial by runs, whose groups are rolled up in one of these ways. */
static bool
test_runs(WaQueryRun *(*roll_up)(WaArena *arena, WaQueryRun **runs))
{
	WaQueryRun *runs[NRUNS];
	WaQueryRun *rolled;
	WaArena arena;

	wa_arena_init(&arena, NO_LIMIT);
	for (int i = 0; i < NRUNS; i++)
		runs[i] = make_run(&arena, &trial.query, &test_texts);
	if (roll_up != roll_up_rows)
		EXPECT(take_rows(runs, NRUNS, NULL) == WA_RUN_TAKEN);
	rolled = roll_up(&arena, runs);
	EXPECT(rolled != NULL && are_groups(rolled));
	wa_arena_reset(&arena);
	return true;
}

/* A dictionary with the texts of the rows, and the codes that they have there. */
static WaMemory memory;
static WaDictionary *dictionary;
static int32_t codes[16];

/* Puts all texts into the dictionary. */
static bool
make_dictionary(void)
{
	wa_ledger_set_limit(&memory.ledger, (uint64_t) 1 << 26);
	dictionary = wa_dictionary_make(&memory, NULL);
	EXPECT(dictionary != NULL && test_texts.ncodes <= LENGTH(codes));
	for (int32_t i = 0; i < (int32_t) test_texts.ncodes; i++)
	{
		const WaText text = test_texts.text(test_texts.context, i);
		WaDictionaryQuestion question = {.data = text.data,
										 .length = text.length};

		question.hash = wa_dictionary_hash(dictionary, text.data, text.length);
		EXPECT(wa_dictionary_add_all(dictionary, NULL, &question, 1));
		codes[i] = question.code;
	}
	return true;
}

/* A query in the hands of the daemon's runner. */
typedef struct Work
{
	WaColumnName names[NINPUTS];
	const WaDictionary *dictionaries[NINPUTS];
	WaRunRequest request;
	WaArena arena;
	WaWriter message;
	void *run; /* NULL: there is no use in an answer */
	void *states[NRUNS];
	bool is_alone; /* the first state was made in the end, as there was none */
	uint32_t nparts;
	char error[WA_MAX_ERROR_BYTES];
} Work;

/* Begins with a query, whose groups keep to a budget. */
static WaStatus
begin_work(Work *work, const WaQuery *query, bool is_complete, WaBudget *budget)
{
	WaStatus status;

	memset(work, 0, sizeof(*work));
	wa_arena_init(&work->arena, NO_LIMIT);
	wa_writer_init(&work->message, &work->arena);
	wa_query_write(&work->message, query);
	for (int i = 0; i < NINPUTS; i++)
		work->names[i] =
			(WaColumnName){.kind = query->program.kinds[i], .typmod = -1};
	work->dictionaries[KEY_TEXT] = dictionary;
	work->request =
		(WaRunRequest){.query = (const uint8_t *) work->message.words,
					   .query_bytes = work->message.nwords * sizeof(uint64_t),
					   .ncolumns = NINPUTS,
					   .columns = work->names,
					   .dictionaries = work->dictionaries,
					   .is_complete = is_complete,
					   .budget = budget};
	status = wa_query_runner.begin(&work->request, &work->run, work->error);
	for (int i = 0; i < NRUNS && status == WA_OK && work->run != NULL; i++)
		status = wa_query_runner.make_state(work->run, &work->states[i],
											work->error);
	return status;
}

/* Merges the states, in parts if the runner wants to. */
static WaStatus
merge_work(Work *work)
{
	WaStatus status = wa_query_runner.divide(work->run, work->states, NRUNS,
											 &work->nparts, work->error);

	for (int i = 0; i < NRUNS && status == WA_OK; i++)
		if (work->nparts > 0)
			status =
				wa_query_runner.sort(work->run, work->states[i], work->error);
		else if (i > 0)
			status = wa_query_runner.merge(work->run, work->states[0],
										   work->states[i], work->error);
	for (uint32_t i = 0; i < work->nparts && status == WA_OK; i++)
		status = wa_query_runner.merge_part(work->run, i, work->error);
	return status;
}

/*
 * Merges the states, and writes what they come to into memory of the work; *message is NULL
 * if there is no use in an answer.
 */
static WaStatus
finish_work(Work *work, WaRunResult *result, uint8_t **message)
{
	WaStatus status = work->is_alone ? WA_OK : merge_work(work);

	*message = NULL;
	if (status == WA_OK)
		status = wa_query_runner.finish(work->run, work->states[0], result,
										work->error);
	if (status != WA_OK || result->groups_bytes == 0)
		return status;
	*message = wa_arena_alloc_aligned(&work->arena, result->groups_bytes);
	wa_query_runner.write_groups(work->run, work->states[0], *message);
	return status;
}

/* Ends with a query; its budget has all back then. */
static void
end_work(Work *work)
{
	for (int i = 0; i < NRUNS; i++)
		if (work->states[i] != NULL)
			wa_query_runner.free_state(work->run, work->states[i]);
	if (work->run != NULL)
		wa_query_runner.end(work->run);
	wa_arena_reset(&work->arena);
}

/* Has the states of a query take the rows of the trial. */
static WaRunOutcome
work_takes_rows(const Work *work)
{
	WaQueryRun *runs[NRUNS];

	for (int i = 0; i < NRUNS; i++)
		runs[i] = wa_query_runner_groups(work->states[i]);
	return take_rows(runs, NRUNS, codes);
}

/* Computes the trial by the daemon's runner, which rolls up what is complete. */
static bool
test_runner(bool is_complete)
{
	WaBudget budget = {.limit = LARGE};
	WaRunResult result = {0};
	uint8_t *message;
	size_t count;
	Work work;

	EXPECT(begin_work(&work, &trial.query, is_complete, &budget) == WA_OK);
	EXPECT(work.run != NULL && work_takes_rows(&work) == WA_RUN_TAKEN);
	work.is_alone = trial.nrows == 0;
	EXPECT(finish_work(&work, &result, &message) == WA_OK);
	EXPECT(message != NULL && result.is_rolled == is_complete);
	EXPECT(result.kept_rows == trial.kept_rows);
	begin_finding();
	EXPECT(read_groups(message, result.groups_bytes, result.is_rolled, &count));
	EXPECT(are_wanted(count, result.is_rolled));
	end_work(&work);
	EXPECT(wa_budget_used(&budget) == 0);
	return true;
}

/* All that is done with the trial. */
static bool
test_trial(void)
{
	EXPECT(test_runs(roll_up_merged));
	if (trial.query.nkeys > 1)
		EXPECT(test_runs(roll_up_parts));
	if (trial.rolled.column.argument != KEY_DECIMAL)
		EXPECT(test_runs(roll_up_rows));
	EXPECT(test_runner(true));
	EXPECT(test_runner(false));
	return true;
}

/* All keys, each of which is rolled up, and rows around the size of a vector. */
static bool
test_sizes(void)
{
	static const size_t sizes[] = {0, 1, 63, 1024, 1025, MAX_ROWS};

	for (uint32_t nkeys = 1; nkeys <= NKEYS; nkeys++)
		for (uint32_t skipped = 0; skipped < nkeys; skipped++)
			for (size_t i = 0; i < LENGTH(sizes); i++)
			{
				make_trial(nkeys, skipped, skipped == KEY_INT && i % 2 == 1,
						   sizes[i], i % 3 == 0 ? 1000 : 6);
				EXPECT(test_trial());
			}
	return true;
}

/* The first of the groups that are rolled up. */
static bool
test_first_groups(int rounds)
{
	size_t nchosen = 0;

	for (int i = 0; i < rounds; i++)
	{
		const uint32_t nkeys = 2 + (uint32_t) random_below(NKEYS - 1);
		const uint32_t skipped = (uint32_t) random_below(nkeys);

		make_trial(nkeys, skipped, skipped == KEY_INT, random_below(700),
				   4 + random_below(30));
		draw_top_n();
		EXPECT(test_trial());
		nchosen += trial.query.top_n.limit < trial.ngroups;
	}
	EXPECT(nchosen > (size_t) rounds / 4);
	return true;
}

/* What lies at some places in the order of the values. */
static bool
test_ranks(int rounds)
{
	for (int i = 0; i < rounds; i++)
	{
		const bool of_ints = random_below(2) == 0;
		const uint32_t nkeys =
			of_ints ? 1 + (uint32_t) random_below(NKEYS) : NKEYS;

		make_trial(nkeys, of_ints ? KEY_INT : KEY_BOOL, false,
				   random_below(MAX_ROWS), 2 + random_below(200));
		trial.rolled.column.kind = WA_VECTOR_INT;
		trial.rolled.column.ops = WA_OP_BIT(WA_OP_MIN);
		trial.rolled.nranks = 1 + (uint32_t) random_below(NRANKS);
		trial.rolled.descends = (uint32_t) random_below(2);
		trial.rolled.ranks = trial.ranks;
		for (uint32_t j = 0; j < trial.rolled.nranks; j++)
		{
			trial.columns[NCOLUMNS + j] = trial.rolled.column;
			trial.ranks[j] =
				random_below(3) == 0
					? (WaQueryRank){.kind = WA_QUERY_RANK_MODE}
					: (WaQueryRank){.kind = WA_QUERY_RANK_DISC,
									.fraction = (double) random_below(9) / 8};
		}
		EXPECT(test_trial());
	}
	return true;
}

/* A text and an integer; NULL: the least of those. */
typedef struct Pair
{
	int64_t text;
	int64_t integer;
} Pair;

static int
compare_pairs(const void *a, const void *b)
{
	const Pair *left = a;
	const Pair *right = b;
	const int texts = (left->text > right->text) - (left->text < right->text);

	return texts != 0 ? texts
					  : (left->integer > right->integer) -
							(left->integer < right->integer);
}

#define MANY_BATCHES 170

/* What groups by texts are to have of integers, once each, and how many rows. */
static uint64_t expected_rows[16];
static uint64_t expected_values[16];
static __int128 expected_sums[16];

/* Counts pairs, which it sorts: a text's are in the place behind its number, of NULL the first. */
static void
expect_pairs(Pair *pairs, size_t npairs)
{
	qsort(pairs, npairs, sizeof(*pairs), compare_pairs);
	for (size_t i = 0; i < npairs; i++)
	{
		const size_t text = (size_t) (pairs[i].text + 1);

		expected_rows[text]++;
		if (pairs[i].integer == INT64_MIN ||
			(i > 0 && compare_pairs(&pairs[i - 1], &pairs[i]) == 0))
			continue;
		expected_values[text]++;
		expected_sums[text] += pairs[i].integer;
	}
}

/*
 * Has the states take many rows, and notes the pairs of those that count.  All but the first one
 * go on with a list once their groups are many.
 */
static bool
take_many_rows(Work *work, Pair *pairs, size_t *npairs)
{
	static Inputs inputs;
	static Row rows[WA_VECTOR_ROWS];
	int32_t *texts = (int32_t *) (void *) inputs.values[KEY_TEXT];

	*npairs = 0;
	for (int batch = 0; batch < MANY_BATCHES; batch++)
	{
		make_batch(rows, WA_VECTOR_ROWS, 1000000);
		fill_inputs(&inputs, rows, WA_VECTOR_ROWS);
		for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
		{
			const Cell *cells = rows[i].cells;

			if (!cells[VALUE_INT].is_null && cells[VALUE_INT].i < LIMIT_VALUE)
				pairs[(*npairs)++] = (Pair){
					cells[KEY_TEXT].is_null ? -1 : texts[i],
					cells[KEY_INT].is_null ? INT64_MIN : cells[KEY_INT].i};
			texts[i] = codes[texts[i]];
		}
		EXPECT(wa_query_run_take(
				   wa_query_runner_groups(work->states[batch % NRUNS]),
				   inputs.rows, WA_VECTOR_ROWS) == WA_RUN_TAKEN);
		EXPECT(batch % NRUNS == 0 ||
			   wa_query_lists_watch(work->run, work->states[batch % NRUNS],
									work->error) == WA_OK);
	}
	for (int i = 0; i < NRUNS; i++)
		EXPECT((((WaQueryState *) work->states[i])->listing != NULL) ==
			   (i > 0));
	return true;
}

/* Returns the place of a text among what is expected. */
static size_t
place_of_text(const WaQueryValue *value)
{
	int32_t code = 0;

	if (value->is_null)
		return 0;
	for (; code < (int32_t) test_texts.ncodes; code++)
	{
		const WaText text = test_texts.text(test_texts.context, code);

		if (text.length == value->text.length &&
			memcmp(text.data, value->text.data, text.length) == 0)
			break;
	}
	return (size_t) code + 1;
}

/* Tells whether groups by texts are those that are expected. */
static bool
are_texts(const void *message, size_t bytes)
{
	const WaRecordLayout layout = wa_record_layout(WA_VECTOR_INT, ALL_OPS);
	const WaQueryKey key = {.kind = WA_VECTOR_TEXT};
	const WaPartialColumn columns[] = {{WA_VECTOR_BOOL, 0, 0},
									   {WA_VECTOR_INT, ALL_OPS, 0}};
	const WaPartialShape shape = {1, 2, &key, columns};
	WaPartialReader reader;
	WaArena arena;
	size_t count = 0;

	wa_arena_init(&arena, NO_LIMIT);
	EXPECT(wa_partial_reader_init(&reader, &arena, &shape));
	EXPECT(wa_partial_open(&reader, message, bytes));
	for (; wa_partial_next(&reader); count++)
	{
		const size_t place = place_of_text(&reader.keys[0]);
		WaInt128 sum;

		EXPECT(place <= test_texts.ncodes && expected_rows[place] > 0);
		EXPECT(reader.cells[0].record.words[0] == expected_rows[place]);
		EXPECT(reader.cells[1].record.words[0] == expected_values[place]);
		memcpy(&sum, reader.cells[1].record.words + layout.sum, sizeof(sum));
		EXPECT(wa_int128_get(sum) == expected_sums[place]);
		expected_rows[place] = 0;
	}
	wa_arena_reset(&arena);
	EXPECT(count == test_texts.ncodes + 1 && !reader.reader.failed);
	return true;
}

/*
 * So many groups that some states list values before all rows are there.  If others turn out to be
 * missing then there is no answer.
 */
static bool
test_many_groups(bool is_complete)
{
	Pair *pairs = malloc(sizeof(Pair) * MANY_BATCHES * WA_VECTOR_ROWS);
	WaBudget budget = {.limit = LARGE};
	WaRunResult result = {0};
	uint8_t *message;
	size_t npairs;
	Work work;

	make_trial(2, KEY_INT, true, 0, 1);
	trial.query.ncolumns = 1;
	EXPECT(begin_work(&work, &trial.query, true, &budget) == WA_OK);
	EXPECT(work.run != NULL && take_many_rows(&work, pairs, &npairs));
	work.request.is_complete = is_complete;
	EXPECT(finish_work(&work, &result, &message) == WA_OK);
	EXPECT((message != NULL) == is_complete);
	if (is_complete)
	{
		expect_pairs(pairs, npairs);
		EXPECT(work.nparts > 0 && result.is_rolled);
		EXPECT(result.kept_rows == npairs);
		EXPECT(are_texts(message, result.groups_bytes));
	}
	end_work(&work);
	EXPECT(wa_budget_used(&budget) == 0);
	free(pairs);
	return true;
}

/* Runs the trial with a budget; what fails for lack of memory gives all of it back. */
static bool
try_budget(uint64_t limit, bool *done)
{
	WaBudget budget = {.limit = limit};
	WaRunResult result = {0};
	uint8_t *message;
	WaStatus status;
	Work work;

	status = begin_work(&work, &trial.query, true, &budget);
	EXPECT(status == WA_OK);
	if (work_takes_rows(&work) == WA_RUN_NO_MEMORY)
		status = WA_OUT_OF_MEMORY;
	if (status == WA_OK)
		status = finish_work(&work, &result, &message);
	*done = status == WA_OK;
	EXPECT(*done || status == WA_OUT_OF_MEMORY);
	end_work(&work);
	EXPECT(wa_budget_used(&budget) == 0);
	return true;
}

/* Groups that are rolled up keep to the budget, which those that these become are part of. */
static bool
test_budget(uint32_t skipped)
{
	unsigned failures = 0;
	bool done = false;

	make_trial(NKEYS, skipped, false, MAX_ROWS, 1000);
	for (uint64_t limit = 0; !done; limit += WA_BUDGET_STEP)
	{
		EXPECT(try_budget(limit, &done));
		failures += !done;
	}
	EXPECT(failures > 8);
	return true;
}

/* Rolling up, into an arena of its own, ends well or says that there is no memory. */
static bool
test_memory(void)
{
	size_t nfailed = 0;
	bool done = false;
	WaQueryRun *runs[NRUNS];
	WaArena arena;

	make_trial(NKEYS, KEY_INT, true, MAX_ROWS, 1000);
	wa_arena_init(&arena, NO_LIMIT);
	runs[0] = make_run(&arena, &trial.query, &test_texts);
	EXPECT(take_rows(runs, 1, NULL) == WA_RUN_TAKEN);
	for (size_t limit = 0; !done; limit += random_below(100000) + 1)
	{
		WaQueryRun *rolled;
		WaArena own;

		wa_arena_init(&own, limit);
		rolled = make_rolled(&own, runs[0]);
		done = rolled != NULL &&
			   wa_query_run_roll_up(rolled, runs[0]) == WA_RUN_TAKEN &&
			   merge_rolled(&own, &rolled, 1) != NULL;
		EXPECT(own.failed == !done);
		EXPECT(!done || are_groups(rolled));
		nfailed += !done;
		wa_arena_reset(&own);
	}
	wa_arena_reset(&arena);
	EXPECT(nfailed > 10);
	return true;
}

/*
 * Groups of bpchars are not rolled up, nor are the first chosen, where those that are equal
 * may have numbers of their own; if only these are wanted there is no answer.
 */
static bool
test_blanks(bool is_rolled_key)
{
	WaQueryKey keys[2] = {{.kind = WA_VECTOR_INT},
						  {.kind = WA_VECTOR_TEXT, .blank_padded = true}};
	WaTextCodes padded = test_texts;
	WaBudget budget = {.limit = LARGE};
	const WaNumberedQuery *numbered;
	WaArena arena;
	Work work;

	make_trial(2, is_rolled_key ? 1 : 0, false, 0, 1);
	trial.query.keys = keys;
	trial.query.top_n =
		(WaTopN){.limit = 1, .norders = 1, .orders = {{.of = WA_ORDER_ROWS}}};
	wa_arena_init(&arena, NO_LIMIT);
	numbered = make_run(&arena, &trial.query, &padded)->numbered;
	EXPECT(numbered->query.rolled == NULL && numbered->query.top_n.limit == 0);
	padded.is_padded = true;
	numbered = make_run(&arena, &trial.query, &padded)->numbered;
	EXPECT(numbered->query.rolled != NULL && numbered->query.top_n.limit == 0 &&
		   numbered->rolled_top_n.limit == 1);
	wa_arena_reset(&arena);
	for (int only_wanted = 0; only_wanted < 2; only_wanted++)
	{
		trial.query.only_wanted = only_wanted != 0;
		EXPECT(begin_work(&work, &trial.query, true, &budget) == WA_OK);
		EXPECT((work.run == NULL) == (only_wanted != 0));
		end_work(&work);
	}
	return true;
}

/* Where only groups that are rolled up are wanted all rows have to be there. */
static bool
test_only_wanted(void)
{
	WaBudget budget = {.limit = LARGE};
	Work work;

	make_trial(3, 1, false, 1000, 6);
	trial.query.only_wanted = true;
	EXPECT(test_runner(true));
	EXPECT(begin_work(&work, &trial.query, false, &budget) == WA_OK);
	EXPECT(work.run == NULL);
	end_work(&work);
	return true;
}

/* That there are too many groups is said of those that are sent. */
static bool
test_max_groups(void)
{
	WaBudget budget = {.limit = LARGE};
	WaRunResult result = {0};
	uint8_t *message;
	Work work;

	make_trial(3, KEY_INT, true, MAX_ROWS, 1000);
	trial.query.max_groups = (uint32_t) trial.nfiner - 1;
	EXPECT(trial.ngroups < trial.nfiner - 1);
	EXPECT(test_runner(true));
	EXPECT(begin_work(&work, &trial.query, false, &budget) == WA_OK);
	EXPECT(work_takes_rows(&work) == WA_RUN_TAKEN);
	EXPECT(finish_work(&work, &result, &message) == WA_OK);
	EXPECT(message == NULL);
	end_work(&work);
	return true;
}

int
main(void)
{
	check(make_dictionary(), "texts have codes");
	check(test_sizes(), "groups of all kinds of keys are rolled up");
	check(test_first_groups(80), "the first of them");
	check(test_ranks(30), "what lies at some places in the order of values");
	check(test_many_groups(true) && test_many_groups(false),
		  "many groups, in parts");
	check(test_budget(KEY_DECIMAL) && test_budget(KEY_INT),
		  "what is rolled up keeps to a budget");
	check(test_memory(), "too little memory is noticed");
	check(test_blanks(false) && test_blanks(true),
		  "bpchars whose blanks differ are left alone");
	check(test_only_wanted(), "only groups that are rolled up are wanted");
	check(test_max_groups(), "too many groups are those that are sent");
	wa_dictionary_release(dictionary);
	return finish_checks();
}
