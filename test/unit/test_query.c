/*
 * test_query.c
 *		Groups, records and runs of queries (src/query) against a reference.
 */
#include <stdlib.h>
#include <string.h>

#include "query/message/query_wire.h"
#include "query/run/run_parts.h"
#include "query/run/run_slice.h"
#include "test/unit/test_query_data.h"

#define NRUNS     3
#define MAX_ROWS  6000
#define NO_LIMIT  SIZE_MAX
#define ALL_WORDS SIZE_MAX

/* Rows, what is expected of them, and how they are computed. */
typedef struct Trial
{
	const WaQuery *query;
	Row *rows;
	size_t nrows;
	size_t batch_ends[MAX_ROWS]; /* ascending */
	size_t nbatches;
	ExpectedGroup *groups;
	size_t ngroups;
} Trial;

/* Makes rows in batches of random sizes, and what is expected of them. */
static void
make_trial(Trial *trial, uint32_t nkeys, size_t nrows, uint64_t variety)
{
	trial->query = test_query(nkeys);
	trial->rows = malloc((nrows + 1) * sizeof(Row));
	trial->groups = malloc((nrows + 1) * sizeof(ExpectedGroup));
	trial->nrows = nrows;
	trial->nbatches = 0;
	trial->ngroups = 0;
	for (size_t row = 0; row < nrows;)
	{
		size_t batch = random_below(WA_VECTOR_ROWS) + 1;

		batch = batch < nrows - row ? batch : nrows - row;
		make_batch(&trial->rows[row], batch, variety);
		row += batch;
		trial->batch_ends[trial->nbatches++] = row;
	}
	for (size_t i = 0; i < nrows; i++)
		trial->ngroups =
			expect_row(trial->groups, trial->ngroups, &trial->rows[i], nkeys);
}

static void
free_trial(Trial *trial)
{
	free(trial->rows);
	free(trial->groups);
}

/* Returns the first row of a batch. */
static size_t
begin_of_batch(const Trial *trial, size_t number)
{
	return number == 0 ? 0 : trial->batch_ends[number - 1];
}

/* Makes inputs of the rows of a batch; returns how many there are. */
static size_t
fill_batch(const Trial *trial, size_t number, Inputs *inputs)
{
	const size_t begin = begin_of_batch(trial, number);
	const size_t nrows = trial->batch_ends[number] - begin;

	fill_inputs(inputs, &trial->rows[begin], nrows);
	return nrows;
}

/* Has runs take batches, each a share of them, in order. */
static WaRunOutcome
take_batches(const Trial *trial, WaQueryRun **runs, size_t nruns)
{
	static Inputs inputs;

	for (size_t i = 0; i < trial->nbatches; i++)
	{
		const size_t nrows = fill_batch(trial, i, &inputs);
		WaQueryRun *run = runs[i * nruns / trial->nbatches];
		WaRunOutcome outcome;

		outcome = wa_query_run_take(run, inputs.rows, nrows);
		if (outcome != WA_RUN_TAKEN)
			return outcome;
	}
	return WA_RUN_TAKEN;
}

/* Has several runs take a trial's rows; false if there is no memory. */
static bool
take_trial(const Trial *trial, WaArena *arena, WaQueryRun **runs)
{
	for (int i = 0; i < NRUNS; i++)
	{
		runs[i] = make_run(arena, trial->query, &test_texts);
		if (runs[i] == NULL)
			return false;
	}
	return take_batches(trial, runs, NRUNS) == WA_RUN_TAKEN;
}

/* Computes a trial by several runs that are merged; NULL if there is no memory. */
static WaQueryRun *
compute(const Trial *trial, WaArena *arena)
{
	WaQueryRun *runs[NRUNS];

	if (!take_trial(trial, arena, runs))
		return NULL;
	for (int i = 1; i < NRUNS; i++)
		if (wa_query_merge(runs[0], runs[i]) != WA_RUN_TAKEN)
			return NULL;
	return runs[0];
}

/* Tells whether a group that was read is one of those expected, for once. */
static bool
is_group(const Trial *trial, const WaPartialReader *reader)
{
	ExpectedGroup *group = find_expected(trial->groups, trial->ngroups,
										 reader->keys, trial->query->nkeys);

	EXPECT(group != NULL && !group->found);
	group->found = true;
	for (uint32_t i = 0; i < trial->query->ncolumns; i++)
		EXPECT(is_expected(&group->columns[i], &trial->query->columns[i],
						   &reader->cells[i]));
	return true;
}

/* Begins to read groups of a trial, none of which has been found. */
static bool
begin_reading(const Trial *trial, WaPartialReader *reader,
			  WaPartialShape *shape, WaArena *arena)
{
	static WaPartialColumn columns[NCOLUMNS];

	for (int i = 0; i < NCOLUMNS; i++)
		columns[i] = (WaPartialColumn){trial->query->columns[i].kind,
									   trial->query->columns[i].ops, 0};
	*shape = (WaPartialShape){(int) trial->query->nkeys, NCOLUMNS,
							  trial->query->keys, columns};
	for (size_t i = 0; i < trial->ngroups; i++)
		trial->groups[i].found = false;
	return wa_partial_reader_init(reader, arena, shape);
}

/* Reads a message, looks whether its groups are right, and counts them. */
static bool
read_groups(const Trial *trial, WaPartialReader *reader, const uint64_t *words,
			size_t nwords, size_t *count)
{
	EXPECT(wa_partial_open(reader, words, nwords * sizeof(uint64_t)));
	for (; wa_partial_next(reader); (*count)++)
		EXPECT(trial->ngroups == 0 || is_group(trial, reader));
	return !reader->reader.failed;
}

/* Reads all groups from messages of a run and looks whether they are right. */
static bool
are_groups(const Trial *trial, WaQueryRun *run, size_t max_words)
{
	WaPartialShape shape;
	WaPartialReader reader;
	WaWriter writer;
	WaArena arena;
	size_t count = 0;

	wa_arena_init(&arena, NO_LIMIT);
	wa_writer_init(&writer, &arena);
	EXPECT(begin_reading(trial, &reader, &shape, &arena));
	for (uint32_t next = 0; next < wa_query_run_groups(run);)
	{
		wa_query_run_write(run, &next, max_words, &writer);
		EXPECT(
			read_groups(trial, &reader, writer.words, writer.nwords, &count));
	}
	EXPECT(count == trial->ngroups ||
		   (trial->query->nkeys == 0 && trial->ngroups == 0));
	wa_arena_reset(&arena);
	EXPECT(arena.bytes == 0);
	return true;
}

/* A trial with so many keys, rows, and values of each key. */
static bool
test_trial(uint32_t nkeys, size_t nrows, uint64_t variety, size_t max_words)
{
	Trial *trial = malloc(sizeof(Trial));
	WaQueryRun *run;
	WaArena arena;
	bool passed;

	make_trial(trial, nkeys, nrows, variety);
	wa_arena_init(&arena, NO_LIMIT);
	run = compute(trial, &arena);
	passed = run != NULL && are_groups(trial, run, max_words);
	wa_arena_reset(&arena);
	free_trial(trial);
	free(trial);
	return passed;
}

/* All numbers of keys, rows around the size of a vector. */
static bool
test_sizes(void)
{
	static const size_t sizes[] = {0, 1, 2, 63, 1023, 1024, 1025, 4000};

	for (uint32_t nkeys = 0; nkeys <= NKEYS; nkeys++)
		for (size_t i = 0; i < LENGTH(sizes); i++)
			EXPECT(test_trial(nkeys, sizes[i], 6, ALL_WORDS));
	return true;
}

/* Keys that outgrow the direct table, in messages of a few groups. */
static bool
test_many_groups(void)
{
	for (uint32_t nkeys = 1; nkeys <= NKEYS; nkeys++)
		EXPECT(test_trial(nkeys, MAX_ROWS, 1000, 500));
	return true;
}

/* A run ends well or says that there is no memory, however little there is. */
static bool
test_memory(void)
{
	Trial *trial = malloc(sizeof(Trial));
	size_t limit = 0;
	size_t nfailed = 0;
	bool done = false;

	make_trial(trial, NKEYS, MAX_ROWS, 1000);
	for (; !done; limit += random_below(200000) + 1)
	{
		WaQueryRun *run;
		WaArena arena;

		wa_arena_init(&arena, limit);
		run = compute(trial, &arena);
		EXPECT(arena.bytes <= limit);
		EXPECT((run == NULL) == arena.failed);
		done = run != NULL;
		EXPECT(!done || are_groups(trial, run, ALL_WORDS));
		nfailed += !done;
		wa_arena_reset(&arena);
		EXPECT(arena.bytes == 0 && !arena.failed);
	}
	free_trial(trial);
	free(trial);
	return nfailed > 10;
}

/*
 * Merges sorted runs part by part, each in an arena of its own with a limit, into
 * messages.  Returns false if there is no memory.
 */
static bool
merge_parts(const Trial *trial, WaQueryRun **runs, uint32_t nparts,
			size_t limit, WaWriter *messages)
{
	for (uint32_t i = 0; i < nparts; i++)
	{
		uint32_t next = 0;
		WaQueryRun *run;
		WaArena arena;
		bool done;

		wa_arena_init(&arena, limit);
		run = make_run(&arena, trial->query, &test_texts);
		done = run != NULL &&
			   wa_run_parts_merge(run, runs, NRUNS, i) == WA_RUN_TAKEN;
		if (done)
			wa_query_run_write(run, &next, SIZE_MAX, &messages[i]);
		if (done == arena.failed)
			check(false, "an arena fails when a part does");
		wa_arena_reset(&arena);
		if (!done)
			return false;
	}
	return true;
}

/* Reads the joined messages of parts and looks whether the groups are right. */
static bool
are_joined(const Trial *trial, const WaQueryRun *any, const WaWriter *messages,
		   uint32_t nparts)
{
	const size_t nwords = wa_run_parts_words(any, messages, nparts);
	uint64_t *words = malloc(nwords * sizeof(uint64_t));
	WaPartialShape shape;
	WaPartialReader reader;
	WaArena arena;
	size_t count = 0;

	wa_arena_init(&arena, NO_LIMIT);
	wa_run_parts_join(any, messages, nparts, words);
	EXPECT(begin_reading(trial, &reader, &shape, &arena));
	EXPECT(read_groups(trial, &reader, words, nwords, &count));
	EXPECT(count == trial->ngroups);
	wa_arena_reset(&arena);
	free(words);
	return true;
}

#define MOST_PARTS 64

/* Computes a trial by parts, with a limit for each that may be too low. */
static bool
try_parts(const Trial *trial, uint32_t nparts, size_t limit, bool *done)
{
	WaQueryRun *runs[NRUNS];
	WaWriter messages[MOST_PARTS];
	WaArena arena;
	WaArena message_arena;
	bool passed = true;

	wa_arena_init(&arena, NO_LIMIT);
	wa_arena_init(&message_arena, NO_LIMIT);
	for (uint32_t i = 0; i < nparts; i++)
		wa_writer_init(&messages[i], &message_arena);
	EXPECT(take_trial(trial, &arena, runs));
	for (int i = 0; i < NRUNS; i++)
		EXPECT(wa_run_parts_sort(runs[i], nparts));
	*done = merge_parts(trial, runs, nparts, limit, messages);
	if (*done)
		passed = are_joined(trial, runs[0], messages, nparts);
	wa_arena_reset(&message_arena);
	wa_arena_reset(&arena);
	return passed;
}

/* Groups that are merged part by part, empty parts among them. */
static bool
test_parts(void)
{
	static const size_t sizes[] = {0, 1, 1000, MAX_ROWS};
	Trial *trial = malloc(sizeof(Trial));

	for (uint32_t nkeys = 1; nkeys <= NKEYS; nkeys++)
		for (size_t i = 0; i < LENGTH(sizes); i++)
		{
			bool done;

			make_trial(trial, nkeys, sizes[i], i % 2 == 0 ? 1000 : 6);
			for (uint32_t nparts = 1; nparts <= MOST_PARTS; nparts *= 8)
			{
				EXPECT(try_parts(trial, nparts, NO_LIMIT, &done));
				EXPECT(done);
			}
			free_trial(trial);
		}
	free(trial);
	return true;
}

/* Hashes the rows of a trial by the keys that are integers or texts. */
static bool
hash_rows(const Trial *trial, WaQueryRun *run, uint16_t *hashes)
{
	static const uint16_t numbers[] = {KEY_INT, KEY_TEXT};
	const WaHashedRegisters registers = {
		numbers, trial->query->nkeys < 2 ? trial->query->nkeys : 2};
	static Inputs inputs;

	for (size_t i = 0; i < trial->nbatches; i++)
	{
		const size_t begin = begin_of_batch(trial, i);
		const size_t nrows = fill_batch(trial, i, &inputs);

		EXPECT(wa_query_run_hash(run, &registers, inputs.rows, nrows,
								 hashes + begin));
	}
	return true;
}

/* Has a run take the rows of a slice. */
static bool
take_slice(const Trial *trial, WaQueryRun *run, const WaRowSlice *slice,
		   const uint16_t *hashes)
{
	static Inputs inputs;

	for (size_t i = 0; i < trial->nbatches; i++)
	{
		const size_t begin = begin_of_batch(trial, i);
		const size_t nrows = fill_batch(trial, i, &inputs);

		EXPECT(wa_query_run_take_slice(run, slice, inputs.rows, hashes + begin,
									   nrows) == WA_RUN_TAKEN);
	}
	return true;
}

/* Computes a trial slice by slice, of so many hashes at most: no group is in two of them. */
static bool
try_slices(const Trial *trial, uint32_t most_hashes)
{
	static uint16_t hashes[MAX_ROWS];
	size_t ngroups = 0;
	WaQueryRun *all;
	WaArena arena;
	uint32_t last;

	wa_arena_init(&arena, NO_LIMIT);
	all = make_run(&arena, trial->query, &test_texts);
	EXPECT(
		hash_rows(trial, make_run(&arena, trial->query, &test_texts), hashes));
	for (uint32_t first = 0; first < WA_NO_ROW_HASH; first = last + 1)
	{
		WaQueryRun *run = make_run(&arena, trial->query, &test_texts);
		WaRowSlice slice;

		last = first + (uint32_t) random_below(most_hashes);
		if (last >= WA_NO_ROW_HASH)
			last = WA_NO_ROW_HASH - 1;
		slice = (WaRowSlice){(uint16_t) first, (uint16_t) last};
		EXPECT(take_slice(trial, run, &slice, hashes));
		ngroups += wa_query_run_groups(run);
		EXPECT(wa_query_merge(all, run) == WA_RUN_TAKEN);
	}
	EXPECT(ngroups == trial->ngroups);
	EXPECT(are_groups(trial, all, ALL_WORDS));
	wa_arena_reset(&arena);
	return true;
}

/* Rows that are taken slice by slice, which have few groups or many. */
static bool
test_slices(void)
{
	static const size_t sizes[] = {0, 1, 7, 1000, MAX_ROWS};
	Trial *trial = malloc(sizeof(Trial));
	bool passed = true;

	for (uint32_t nkeys = 1; nkeys <= NKEYS && passed; nkeys++)
		for (size_t i = 0; i < LENGTH(sizes) && passed; i++)
		{
			make_trial(trial, nkeys, sizes[i], i % 2 == 0 ? 6 : 1000);
			passed = try_slices(trial, 30000) && try_slices(trial, 65535);
			free_trial(trial);
		}
	free(trial);
	return passed;
}

/* A part ends well or says that there is no memory, as sorting does. */
static bool
test_parts_memory(void)
{
	Trial *trial = malloc(sizeof(Trial));
	WaQueryRun *runs[NRUNS];
	size_t nfailed = 0;
	bool done = false;
	WaArena arena;

	make_trial(trial, NKEYS, MAX_ROWS, 1000);
	for (size_t limit = 0; !done; limit += random_below(100000) + 1)
	{
		EXPECT(try_parts(trial, 8, limit, &done));
		nfailed += !done;
	}
	wa_arena_init(&arena, NO_LIMIT);
	EXPECT(take_trial(trial, &arena, runs));
	arena.limit = arena.bytes;
	EXPECT(!wa_run_parts_sort(runs[0], 8) && arena.failed);
	wa_arena_reset(&arena);
	free_trial(trial);
	free(trial);
	return nfailed > 3;
}

/* Few groups, and those of a single run, are not divided; many are. */
static bool
test_dividing(void)
{
	static Inputs inputs;
	static Row rows[WA_VECTOR_ROWS];
	WaQueryRun *runs[2];
	WaArena arena;

	wa_arena_init(&arena, NO_LIMIT);
	for (int i = 0; i < 2; i++)
		runs[i] = make_run(&arena, test_query(NKEYS), &test_texts);
	EXPECT(wa_run_parts_choose(runs, 2) == 0);
	for (int i = 0; i < 200; i++)
	{
		make_batch(rows, WA_VECTOR_ROWS, 1000000);
		fill_inputs(&inputs, rows, WA_VECTOR_ROWS);
		EXPECT(wa_query_run_take(runs[i % 2], inputs.rows, WA_VECTOR_ROWS) ==
			   WA_RUN_TAKEN);
	}
	EXPECT(wa_run_parts_choose(runs, 2) >= 2);
	EXPECT(wa_run_parts_choose(runs, 1) == 0);
	wa_arena_reset(&arena);
	return true;
}

/* Fills words of memory from one on with numbers, or looks whether they are there. */
static bool
use_words(uint64_t *words, size_t begin, size_t end, bool fill)
{
	for (size_t i = begin; i < end; i++)
	{
		if (fill)
			words[i] = i * 7 + 1;
		EXPECT(words[i] == i * 7 + 1);
	}
	return true;
}

/* Memory keeps what it has in all sizes, and what is zeroed is so. */
static bool
test_arena(void)
{
	static const size_t sizes[] = {100,     5000000, 9000000, 5000000,
								   8000000, 2000,    9000000, 20000000};
	uint64_t *words[3] = {NULL};
	size_t nwords[3] = {0};
	uint64_t *zeros;
	WaArena arena;

	wa_arena_init(&arena, 100000000);
	for (size_t i = 0; i < LENGTH(sizes) * 3; i++)
	{
		const size_t next = sizes[i / 3 * 5 % LENGTH(sizes)] / 8;
		const size_t number = i % 3;
		const size_t kept = next < nwords[number] ? next : nwords[number];

		EXPECT(wa_arena_resize(&arena, &words[number], next * 8));
		EXPECT((uintptr_t) words[number] % 16 == 0);
		EXPECT(use_words(words[number], 0, kept, false));
		EXPECT(use_words(words[number], kept, next, true));
		nwords[number] = next;
	}
	wa_arena_free(&arena, words[1]);
	zeros = wa_arena_alloc_zero(&arena, 6000000);
	for (size_t i = 0; i < 6000000 / 8; i++)
		EXPECT(zeros[i] == 0);
	EXPECT(!wa_arena_resize(&arena, &words[0], 90000000) && arena.failed);
	EXPECT(use_words(words[0], 0, nwords[0], false));
	EXPECT(use_words(words[2], 0, nwords[2], false));
	wa_arena_reset(&arena);
	EXPECT(arena.bytes == 0);
	return true;
}

/* A batch that traps leaves the run as it was. */
static bool
test_trap(void)
{
	static Inputs inputs;
	Trial *trial = malloc(sizeof(Trial));
	Row rows[10];
	WaQueryRun *run;
	WaArena arena;

	make_trial(trial, 1, 500, 6);
	wa_arena_init(&arena, NO_LIMIT);
	run = make_run(&arena, trial->query, &test_texts);
	EXPECT(take_batches(trial, &run, 1) == WA_RUN_TAKEN);
	memcpy(rows, trial->rows, sizeof(rows));
	for (int i = 0; i < 10; i++)
		rows[i].cells[VALUE_INT] = (Cell){.i = i == 7 ? INT64_MIN : 5};
	fill_inputs(&inputs, rows, 10);
	EXPECT(wa_query_run_take(run, inputs.rows, 10) == WA_RUN_TRAPPED);
	EXPECT(are_groups(trial, run, ALL_WORDS));
	wa_arena_reset(&arena);
	free_trial(trial);
	free(trial);
	return true;
}

/* Makes *vector a DECIMAL of one value in memory of the caller. */
static void
make_decimal(WaVector *vector, int64_t *memory, int64_t value, uint8_t scale)
{
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
		memory[i] = value;
	*vector = (WaVector){.values = memory, .scale = scale};
}

/* What the owner of a table has taken. */
typedef struct Taken
{
	WaRecordTable *table;
	uint64_t rows;
	int flushes;
} Taken;

static void
flush_record(void *context, uint32_t group)
{
	Taken *taken = (Taken *) context;
	WaRecord record;

	wa_records_get(taken->table, group, &record);
	taken->rows += record.words[0];
	taken->flushes++;
	wa_records_clear(taken->table, group);
}

static void
take_value(void *context, uint32_t group, int64_t value, uint8_t scale,
		   uint8_t display)
{
	Taken *taken = (Taken *) context;

	(void) group, (void) value, (void) scale, (void) display;
	taken->rows++;
}

/* Sums that have no room go to the owner; without one, the table tells. */
static bool
test_overflow(void)
{
	static int64_t memory[WA_VECTOR_ROWS];
	static const uint32_t groups[WA_VECTOR_ROWS];
	const WaOpSet sum = WA_OP_BIT(WA_OP_SUM);
	Taken taken = {0};
	const WaRecordOwner owner = {&taken, flush_record, take_value};
	WaRecordTable *lonely;
	WaRecord record;
	WaVector vector;
	WaArena arena;

	wa_arena_init(&arena, NO_LIMIT);
	taken.table = wa_records_make(&arena, WA_VECTOR_DECIMAL, sum, &owner);
	lonely = wa_records_make(&arena, WA_VECTOR_DECIMAL, sum, NULL);
	EXPECT(wa_records_grow(taken.table, 1) && wa_records_grow(lonely, 1));
	make_decimal(&vector, memory, INT64_MAX, 0);
	wa_records_take(taken.table, groups, NULL, &vector, 1000);
	wa_records_take(lonely, groups, NULL, &vector, 1000);
	EXPECT(taken.flushes == 0 && !wa_records_overflowed(lonely));
	make_decimal(&vector, memory, 1, 18);
	wa_records_take(taken.table, groups, NULL, &vector, 1000);
	wa_records_take(lonely, groups, NULL, &vector, 1000);
	EXPECT(taken.flushes == 1 && taken.rows == 1000);
	EXPECT(wa_records_overflowed(lonely));
	wa_records_get(taken.table, 0, &record);
	EXPECT(record.words[0] == 1000 && record.scale == 20);
	wa_arena_reset(&arena);
	return true;
}

/* A query is read as it was written. */
static bool
test_query_wire(void)
{
	static const int64_t list[] = {-5, 7, 900};
	static const WaIntList lists[] = {{list, LENGTH(list)}, {NULL, 0}};
	static const int64_t values[] = {1, -7, INT64_MIN};
	static const uint8_t known[] = {1, 0, 1};
	static const uint8_t states[] = {WA_ENTRY_VALUE, WA_ENTRY_NULL,
									 WA_ENTRY_VALUE};
	static const int64_t numbers[] = {1, 0, 0};
	static const WaText texts[] = {{"one", 3}, {"", 0}};
	static const WaLookupTable tables[] = {{.base = -9,
											.width = 5,
											.nentries = LENGTH(values),
											.values = values,
											.known = known},
										   {.base = INT64_MIN,
											.width = WA_MAX_LOOKUP_SPAN,
											.nentries = 1,
											.values = values,
											.known = known,
											.scale = 18,
											.is_total = true},
										   {.width = 1,
											.nentries = LENGTH(numbers),
											.values = numbers,
											.known = states,
											.results = WA_LOOKUP_TEXTS,
											.null_has_value = true,
											.null_value = 1,
											.dictionary = 77,
											.ntexts = LENGTH(texts),
											.texts = texts}};
	WaQuery query = *test_query(NKEYS);
	const WaQuery *read;
	WaWriter first;
	WaWriter second;
	WaArena arena;

	query.program.lists = lists;
	query.nlists = LENGTH(lists);
	query.program.tables = tables;
	query.ntables = LENGTH(tables);
	wa_arena_init(&arena, NO_LIMIT);
	wa_writer_init(&first, &arena);
	wa_writer_init(&second, &arena);
	wa_query_write(&first, &query);
	read = wa_query_read(&arena, first.words, first.nwords * sizeof(uint64_t));
	EXPECT(read != NULL);
	wa_query_write(&second, read);
	EXPECT(first.nwords == second.nwords &&
		   memcmp(first.words, second.words, first.nwords * sizeof(uint64_t)) ==
			   0);
	wa_arena_reset(&arena);
	return true;
}

int
main(void)
{
	check(test_sizes(), "groups and records of all kinds and sizes");
	check(test_many_groups(), "many groups, merged and in several messages");
	check(test_memory(), "too little memory is noticed");
	check(test_parts(), "groups merged part by part");
	check(test_parts_memory(), "too little memory for parts is noticed");
	check(test_slices(), "rows taken slice by slice");
	check(test_dividing(), "many groups of several runs are divided");
	check(test_arena(), "memory of all sizes");
	check(test_trap(), "a batch that traps is not taken");
	check(test_overflow(), "sums without room");
	check(test_query_wire(), "a query is read as it was written");
	return finish_checks();
}
