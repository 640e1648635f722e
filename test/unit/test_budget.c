/*
 * test_budget.c
 *		What the groups of a query may take over all of its threads: whatever is done
 *		with them keeps to that, fails where it is too little, and gives all back.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run/runner.h"
#include "query/base/budget.h"
#include "query/message/query_wire.h"
#include "query/run/run_parts.h"
#include "test/unit/test_query_data.h"

#define LARGE ((uint64_t) 1 << 40)

/* Threads, the batches of rows that each of them takes, and parts. */
#define THREADS 2
#define BATCHES 12
#define PARTS   16

/* Who counts for all queries. */
typedef struct Process
{
	uint64_t used;
	uint64_t most_used;
	uint64_t limit;
} Process;

/* A thread's groups, or those of a part. */
typedef struct Groups
{
	WaArena arena;
	WaArena vectors;
	WaQueryRun *run;
} Groups;

/* A query at work. */
typedef struct Work
{
	const WaQuery *query;
	WaBudget budget;
	Process process;
	Groups threads[THREADS];
	WaArena message_arenas[PARTS];
	WaWriter messages[PARTS];
	uint64_t most_used; /* of the budget, after a step */
} Work;

/* What came of it. */
typedef struct Answer
{
	uint64_t *words; /* NULL: there was not enough memory */
	size_t nwords;
} Answer;

static Inputs inputs[THREADS][BATCHES];

static bool
take(void *context, uint64_t bytes)
{
	Process *process = context;

	if (bytes > process->limit - process->used)
		return false;
	process->used += bytes;
	if (process->used > process->most_used)
		process->most_used = process->used;
	return true;
}

static void
give(void *context, uint64_t bytes)
{
	((Process *) context)->used -= bytes;
}

/* Makes empty groups; returns false if there is not enough memory. */
static bool
make_groups(Work *work, Groups *groups)
{
	wa_arena_init(&groups->arena, LARGE);
	wa_arena_init(&groups->vectors, LARGE);
	wa_arena_use_budget(&groups->arena, &work->budget);
	wa_arena_use_budget(&groups->vectors, &work->budget);
	groups->arena.vectors = &groups->vectors;
	groups->run = make_run(&groups->arena, work->query, &test_texts);
	wa_arena_begin_groups(&groups->arena);
	return groups->run != NULL;
}

static void
free_groups(Groups *groups)
{
	wa_arena_reset(&groups->arena);
	wa_arena_reset(&groups->vectors);
}

/* Notes what is in use. */
static void
note(Work *work)
{
	if (wa_budget_used(&work->budget) > work->most_used)
		work->most_used = wa_budget_used(&work->budget);
}

/* Has all threads take their rows, and sort their groups by parts. */
static bool
take_rows(Work *work)
{
	for (int i = 0; i < THREADS; i++)
	{
		Groups *groups = &work->threads[i];

		if (!make_groups(work, groups))
			return false;
		for (int j = 0; j < BATCHES; j++)
			if (wa_query_run_take(groups->run, inputs[i][j].rows,
								  WA_VECTOR_ROWS) != WA_RUN_TAKEN)
				return false;
		note(work);
		if (!wa_run_parts_sort(groups->run, PARTS))
			return false;
		note(work);
	}
	return true;
}

/* Merges a part of all threads' groups, chooses some and writes them. */
static bool
merge_part(Work *work, uint32_t part)
{
	WaQueryRun *runs[THREADS];
	WaArena *arena = &work->message_arenas[part];
	Groups merged;
	uint32_t next = 0;
	bool done;

	for (int i = 0; i < THREADS; i++)
		runs[i] = work->threads[i].run;
	wa_arena_init(arena, LARGE);
	wa_arena_use_budget(arena, &work->budget);
	wa_arena_begin_groups(arena);
	wa_writer_init(&work->messages[part], arena);
	done =
		make_groups(work, &merged) &&
		wa_run_parts_merge(merged.run, runs, THREADS, part) == WA_RUN_TAKEN &&
		wa_query_run_choose(merged.run);
	if (done)
		wa_query_run_write(merged.run, &next, SIZE_MAX, &work->messages[part]);
	note(work);
	free_groups(&merged);
	return done && !arena->failed;
}

/* Joins the messages of all parts. */
static Answer
join(const Work *work)
{
	Answer answer;

	answer.nwords =
		wa_run_parts_words(work->threads[0].run, work->messages, PARTS);
	answer.words = calloc(answer.nwords, sizeof(uint64_t));
	wa_run_parts_join(work->threads[0].run, work->messages, PARTS,
					  answer.words);
	return answer;
}

/* Runs a query, whose groups, and all of it, may take so much. */
static Answer
compute(Work *work, const WaQuery *query, uint64_t limit,
		uint64_t process_limit)
{
	Answer answer = {0};
	bool done;

	memset(work, 0, sizeof(*work));
	work->query = query;
	work->process.limit = process_limit;
	work->budget = (WaBudget){
		.limit = limit, .take = take, .give = give, .context = &work->process};
	done = take_rows(work);
	for (uint32_t part = 0; part < PARTS && done; part++)
		done = merge_part(work, part);
	if (done)
		answer = join(work);
	for (int i = 0; i < THREADS; i++)
		free_groups(&work->threads[i]);
	for (uint32_t part = 0; part < PARTS; part++)
		wa_arena_reset(&work->message_arenas[part]);
	return answer;
}

/* Tells whether all was given back, and no more taken than there was. */
static bool
is_sound(const Work *work)
{
	EXPECT(work->budget.used == 0 && work->process.used == 0);
	EXPECT(work->most_used <= work->budget.limit);
	EXPECT(work->process.most_used <= work->process.limit);
	return true;
}

/* Tells whether two answers are the same; frees the second. */
static bool
is_same(const Answer *a, Answer *b)
{
	const bool same =
		a->nwords == b->nwords &&
		memcmp(a->words, b->words, a->nwords * sizeof(uint64_t)) == 0;

	free(b->words);
	return same;
}

/*
 * Has a query run with one limit after the other, of its groups or of all that it takes,
 * until there is enough.
 */
static bool
raise_limit(const WaQuery *query, const Answer *right, bool of_groups)
{
	static Work work;
	uint64_t limit = 1;
	unsigned failures = 0;

	for (;; failures++, limit += limit / 4 + WA_BUDGET_STEP)
	{
		Answer answer = compute(&work, query, of_groups ? limit : LARGE,
								of_groups ? LARGE : limit);

		EXPECT(is_sound(&work));
		if (answer.words == NULL)
			continue;
		EXPECT(is_same(right, &answer));
		break;
	}
	EXPECT(failures > 8);
	return true;
}

/* Groups by numbers or texts, all of them or the first ones. */
static bool
test_query_of(uint32_t nkeys, bool chooses)
{
	static const WaOrderBy order = {.of = WA_ORDER_ROWS, .descending = true};
	static Work work;
	WaQuery query = *test_query(nkeys);
	Answer right;

	if (chooses)
	{
		query.top_n.norders = 1;
		query.top_n.orders[0] = order;
		query.top_n.limit = 5;
	}
	right = compute(&work, &query, LARGE, LARGE);
	EXPECT(right.words != NULL && is_sound(&work));
	/* What vectors need is no groups', but counts. */
	EXPECT(work.most_used > (uint64_t) 1 << 20);
	EXPECT(work.process.most_used > work.most_used + ((uint64_t) 64 << 10));
	EXPECT(raise_limit(&query, &right, true));
	EXPECT(raise_limit(&query, &right, false));
	free(right.words);
	return true;
}

/* Steps are taken, and given back, and what was taken before is exempt. */
static bool
test_lookup_table(void)
{
	Process process = {.limit = 10 * WA_BUDGET_STEP};
	WaBudget budget = {.limit = 4 * WA_BUDGET_STEP,
					   .take = take,
					   .give = give,
					   .context = &process};
	WaArena arena;
	WaArena other;
	void *memory;

	wa_arena_init(&arena, LARGE);
	wa_arena_init(&other, LARGE);
	wa_arena_use_budget(&arena, &budget);
	wa_arena_use_budget(&other, &budget);
	wa_arena_begin_groups(&other);
	EXPECT(wa_arena_alloc(&arena, 5 * WA_BUDGET_STEP) != NULL);
	EXPECT(process.used == 6 * WA_BUDGET_STEP && budget.used == 0);
	wa_arena_begin_groups(&arena);
	memory = wa_arena_alloc(&arena, 3 * WA_BUDGET_STEP);
	EXPECT(memory != NULL && budget.used == 3 * WA_BUDGET_STEP);
	for (int i = 0; i < 100; i++)
		EXPECT(wa_arena_alloc(&other, 100) != NULL);
	EXPECT(budget.used == 4 * WA_BUDGET_STEP);
	EXPECT(wa_arena_alloc(&other, WA_BUDGET_STEP) == NULL && other.failed);
	EXPECT(process.used == 10 * WA_BUDGET_STEP);
	EXPECT(wa_arena_resize(&arena, &memory, 100));
	EXPECT(budget.used == 2 * WA_BUDGET_STEP);
	wa_arena_reset(&other);
	EXPECT(wa_arena_alloc(&other, 2 * WA_BUDGET_STEP) != NULL);
	EXPECT(budget.used == 4 * WA_BUDGET_STEP);
	wa_arena_reset(&other);
	wa_arena_reset(&arena);
	EXPECT(budget.used == 0 && process.used == 0);
	return true;
}

/* Has a run begin, and end, where all queries may take so much. */
static WaStatus
begin_within(const WaQuery *query, const WaWriter *message, uint64_t limit)
{
	WaColumnName columns[NINPUTS] = {{0}};
	const WaDictionary *dictionaries[NINPUTS] = {NULL};
	Process process = {.limit = limit};
	WaBudget budget = {
		.limit = LARGE, .take = take, .give = give, .context = &process};
	const WaRunRequest request = {.query = (const uint8_t *) message->words,
								  .query_bytes =
									  message->nwords * sizeof(uint64_t),
								  .ncolumns = query->ninputs,
								  .columns = columns,
								  .dictionaries = dictionaries,
								  .is_complete = true,
								  .budget = &budget};
	char error[WA_MAX_ERROR_BYTES];
	WaStatus status;
	void *run;

	for (uint32_t i = 0; i < query->ninputs; i++)
		columns[i].kind = query->program.kinds[i];
	status = wa_query_runner.begin(&request, &run, error);
	if (status == WA_OK)
		wa_query_runner.end(run);
	return process.used == 0 ? status : WA_UNSUPPORTED;
}

/* That there is no memory to read a query says nothing against the query. */
static bool
test_reading(void)
{
	const WaQuery *query = test_query(NKEYS);
	WaStatus status = WA_OUT_OF_MEMORY;
	unsigned failures = 0;
	WaArena arena;
	WaWriter message;

	wa_arena_init(&arena, LARGE);
	wa_writer_init(&message, &arena);
	wa_query_write(&message, query);
	for (uint64_t limit = 0; status == WA_OUT_OF_MEMORY; failures++)
	{
		status = begin_within(query, &message, limit);
		limit += WA_BUDGET_STEP;
	}
	EXPECT(status == WA_OK && failures > 1);
	message.words[0]++;
	EXPECT(begin_within(query, &message, LARGE) == WA_BAD_REQUEST);
	wa_arena_reset(&arena);
	return true;
}

/* Numbers that a hostile backend may send are limits like others. */
static bool
test_odd_limits(void)
{
	WaBudget budget = {.limit = 0};

	EXPECT(wa_budget_take(&budget, UINT64_MAX, 0));
	EXPECT(!wa_budget_take(&budget, 1, 1));
	budget.limit = UINT64_MAX;
	EXPECT(wa_budget_take(&budget, UINT64_MAX, UINT64_MAX));
	EXPECT(!wa_budget_take(&budget, 1, 1));
	wa_budget_give(&budget, UINT64_MAX, UINT64_MAX);
	EXPECT(wa_budget_used(&budget) == 0);
	return true;
}

int
main(void)
{
	Row rows[WA_VECTOR_ROWS];

	for (int i = 0; i < THREADS; i++)
		for (int j = 0; j < BATCHES; j++)
		{
			make_batch(rows, WA_VECTOR_ROWS, 5000);
			fill_inputs(&inputs[i][j], rows, WA_VECTOR_ROWS);
		}
	check(test_lookup_table(), "steps of arenas");
	check(test_odd_limits(), "odd limits");
	check(test_reading(), "a query is read");
	check(test_query_of(1, false), "groups by numbers");
	check(test_query_of(2, false), "and by texts");
	check(test_query_of(NKEYS, false), "and by all kinds of keys");
	check(test_query_of(2, true), "the first groups");
	return finish_checks();
}
