/*
 * fuzz_query.c
 *		Messages of queries: whatever is accepted can be run, and comes to the same
 *		groups each time, which can be read, or to the same tables, which can be kept.
 *
 * An input is a word that says what rows there are, and the message, but for its
 * version, which is always the right one.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "query/run/row_fill.h"
#include "query/run/run_internal.h"
#include "query/run/run_parts.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_query_mutate.h"
#include "test/fuzz/fuzz_rows.h"
#include "test/unit/finish_lists.h"
#include "test/unit/make_run.h"

/* Inputs that a request has at most. */
#define MAX_INPUTS WA_MAX_QUERY_COLUMNS

/* Rows that there are in all inputs of a batch, so that it does not take long. */
#define MAX_VALUES 4096

/* What a run may take. */
#define MEMORY ((size_t) 64 * 1024 * 1024)

/* In how many parts groups are merged, where they are. */
#define PARTS 16

#define RUNS 2

/* Runs that take any number of rows get so many times as many. */
#define PLAIN_VECTORS 3

/* How a query is run, out of the first word of the input. */
typedef struct Plan
{
	uint64_t seed;
	size_t nrows; /* of a batch */
	unsigned nbatches;
	bool by_parts;
	bool is_chosen; /* only wanted groups are written */
} Plan;

static Plan
make_plan(uint64_t word, const WaQuery *query)
{
	const size_t most = MAX_VALUES / (query->ninputs + 1);
	Plan plan = {.seed = word,
				 .nrows = 1 + (word & 0x3ff),
				 .nbatches = 1 + (word >> 10 & 3),
				 .by_parts = (word >> 12 & 1) != 0,
				 .is_chosen = (word >> 13 & 1) != 0};

	if (plan.nrows > most)
		plan.nrows = most;
	return plan;
}

/* Brings a batch of rows into a run. */
static WaRunOutcome
take_batch(WaQueryRun *run, const WaQuery *query, size_t nrows, uint64_t *state)
{
	WaColumnRows rows[MAX_INPUTS];
	WaRunOutcome outcome;

	for (uint32_t i = 0; i < query->ninputs; i++)
		fuzz_rows_make(&rows[i], query->program.kinds[i], nrows, state);
	outcome = wa_query_run_take(run, rows, nrows);
	for (uint32_t i = 0; i < query->ninputs; i++)
		fuzz_rows_free(&rows[i]);
	return outcome;
}

/* Makes the runs and brings rows into them; false if they are of no further use. */
static bool
take_rows(const Plan *plan, WaArena *arena, const WaQuery *query,
		  WaQueryRun **runs)
{
	uint64_t state = plan->seed;

	for (int i = 0; i < RUNS; i++)
	{
		runs[i] = make_run(arena, query, &fuzz_texts);
		if (runs[i] == NULL)
			return false;
		for (unsigned batch = 0; batch < plan->nbatches; batch++)
		{
			const size_t nrows = wa_query_run_is_plain(runs[i])
									 ? plan->nrows * PLAIN_VECTORS
									 : plan->nrows;
			const WaRunOutcome outcome =
				take_batch(runs[i], query, nrows, &state);

			if (outcome != WA_RUN_TAKEN && outcome != WA_RUN_TRAPPED)
				return false;
		}
	}
	return true;
}

/* Merges the runs part by part, and writes all groups. */
static bool
merge_parts(WaArena *arena, const WaQuery *query, WaQueryRun **runs,
			WaWriter *writer)
{
	WaWriter messages[PARTS];
	size_t nwords;

	for (int i = 0; i < RUNS; i++)
		if (!wa_run_parts_sort(runs[i], PARTS))
			return false;
	for (uint32_t part = 0; part < PARTS; part++)
	{
		WaQueryRun *into = make_run(arena, query, &fuzz_texts);
		uint32_t next = 0;

		wa_writer_init(&messages[part], arena);
		if (into == NULL ||
			wa_run_parts_merge(into, runs, RUNS, part) != WA_RUN_TAKEN)
			return false;
		wa_query_run_write(into, &next, SIZE_MAX, &messages[part]);
		if (arena->failed)
			return false;
	}
	nwords = wa_run_parts_words(runs[0], messages, PARTS);
	if (!wa_writer_reserve(writer, nwords))
		return false;
	wa_run_parts_join(runs[0], messages, PARTS, writer->words);
	writer->nwords = nwords;
	return true;
}

/* Gives a table of rows, and then its texts, memory of their own, for sanitizers to watch. */
static bool
place_table(WaArena *arena, WaRowTables *tables, uint32_t number)
{
	void *place = wa_arena_alloc(arena, wa_row_tables_bytes(tables, number));

	if (place != NULL)
		wa_row_tables_place(tables, number, place);
	return place != NULL;
}

static bool
place_texts(WaArena *arena, WaRowTables *tables, uint32_t number)
{
	const uint32_t ntexts = tables->tables[number].table.ntexts;
	WaText *texts = wa_arena_alloc(arena, ntexts * sizeof(*texts));
	char *bytes =
		wa_arena_alloc(arena, wa_row_tables_texts_bytes(tables, number));

	if (texts != NULL && bytes != NULL)
		wa_row_tables_place_texts(tables, number, texts, bytes);
	return texts != NULL && bytes != NULL;
}

/* Has the rows of runs become tables, which can be kept, and writes these. */
static bool
make_tables(WaArena *arena, WaQueryRun **runs, WaWriter *writer)
{
	WaRowTables tables;

	if (!wa_row_tables_begin(&tables, arena, runs[0]->numbered, runs, RUNS) ||
		wa_row_tables_are_useless(&tables))
		return false;
	for (uint32_t i = 0; i < tables.ntables; i++)
		if (!place_table(arena, &tables, i))
			return false;
	for (uint32_t run = 0; run < RUNS; run++)
		wa_row_tables_sort(&tables, run);
	for (uint32_t part = 0; part < tables.nparts; part++)
		wa_row_fill_part(&tables, part);
	if (!wa_row_tables_finish(&tables) || wa_row_tables_are_useless(&tables))
		return false;
	for (uint32_t i = 0; i < tables.ntables; i++)
	{
		if (!place_texts(arena, &tables, i))
			return false;
		FUZZ_EXPECT(wa_lookup_table_may_be_kept(&tables.tables[i].table));
		wa_table_message_write(writer, &tables.tables[i].table);
	}
	return !arena->failed;
}

/* Tells whether a plan rolls the groups of a run up. */
static bool
rolls(const Plan *plan, const WaQueryRun *run)
{
	return run->query->rolled != NULL && !plan->by_parts;
}

/* Runs a query; returns false if neither groups nor tables have come out of it. */
static bool
run_query(const Plan *plan, WaArena *arena, const WaQuery *query,
		  WaWriter *writer)
{
	WaQueryRun *runs[RUNS];
	WaQueryRun *result;
	uint32_t next = 0;

	wa_writer_init(writer, arena);
	if (!take_rows(plan, arena, query, runs))
		return false;
	if (query->made != NULL)
		return make_tables(arena, runs, writer);
	if (plan->by_parts && query->nkeys > 0)
		return merge_parts(arena, query, runs, writer);
	if (wa_query_merge(runs[0], runs[1]) != WA_RUN_TAKEN)
		return false;
	result = rolls(plan, runs[0]) ? roll_up_alone(arena, runs[0]) : runs[0];
	if (result == NULL)
		return false;
	if (plan->is_chosen && !wa_query_run_choose(result))
		return false;
	wa_query_run_write(result, &next, SIZE_MAX, writer);
	return !arena->failed;
}

/* Reads the groups that were written. */
static void
read_groups(const Plan *plan, WaArena *arena, const WaQuery *query,
			const WaWriter *writer)
{
	WaQueryRun *run = make_run(arena, query, &fuzz_texts);
	WaPartialReader reader;

	if (run != NULL && rolls(plan, run))
		run = roll_up_alone(arena, run);
	if (run == NULL || !wa_partial_reader_init(&reader, arena, &run->shape))
		return;
	FUZZ_EXPECT(wa_partial_open(&reader, writer->words,
								writer->nwords * sizeof(uint64_t)));
	while (wa_partial_next(&reader))
		;
	FUZZ_EXPECT(!reader.reader.failed);
}

/* Runs a query twice. */
static void
try_query(uint64_t word, const WaQuery *query)
{
	const Plan plan = make_plan(word, query);
	WaArena arenas[2];
	WaWriter writers[2];
	bool written[2];

	for (int i = 0; i < 2; i++)
	{
		wa_arena_init(&arenas[i], MEMORY);
		written[i] = run_query(&plan, &arenas[i], query, &writers[i]);
	}
	FUZZ_EXPECT(written[0] == written[1]);
	if (written[0])
	{
		FUZZ_EXPECT_WRITTEN(writers[0].words,
							writers[0].nwords * sizeof(uint64_t));
		FUZZ_EXPECT(writers[0].nwords == writers[1].nwords);
		FUZZ_EXPECT(memcmp(writers[0].words, writers[1].words,
						   writers[0].nwords * sizeof(uint64_t)) == 0);
		if (query->made == NULL)
			read_groups(&plan, &arenas[0], query, &writers[0]);
	}
	for (int i = 0; i < 2; i++)
		wa_arena_reset(&arenas[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput input;
	const uint64_t *rest;
	size_t nwords;
	uint64_t word;
	uint64_t *message;
	const WaQuery *query;
	WaArena arena;

	fuzz_open(&input, data, size);
	word = fuzz_word(&input);
	nwords = fuzz_rest(&input, &rest);
	message = fuzz_copy(rest, nwords);
	if (nwords > 0)
		message[0] = fuzz_query_version();
	wa_arena_init(&arena, MEMORY);
	query = wa_query_read_with(&arena, message, nwords * sizeof(uint64_t),
							   &fuzz_table_finder);
	free(message); /* nothing of it may be kept */
	if (query != NULL && query->ninputs <= MAX_INPUTS)
		try_query(word, query);
	wa_arena_reset(&arena);
	fuzz_close(&input);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
						unsigned seed)
{
	const size_t room = max_size / sizeof(uint64_t);
	const size_t nwords = size / sizeof(uint64_t);
	size_t mutated = 0;
	uint64_t *words;

	if (seed % 2 == 0 || nwords < 2)
		return fuzz_mutate_words(data, size, max_size, seed);
	words = malloc(room * sizeof(uint64_t));
	FUZZ_EXPECT(words != NULL);
	memcpy(words, data, nwords * sizeof(uint64_t));
	mutated = fuzz_mutate_query(words + 1, nwords - 1, room - 1, seed);
	memcpy(data, words, (mutated + 1) * sizeof(uint64_t));
	free(words);
	return mutated > 0 ? (mutated + 1) * sizeof(uint64_t)
					   : fuzz_mutate_words(data, size, max_size, seed);
}
