/*
 * test_made_tables.c
 *		Tables that the runner of queries makes of rows: they are those that a session
 *		would make of the same rows, or there is no answer.
 *
 * Worth running with -fsanitize=thread.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run/kept_tables.h"
#include "daemon/run/run_budget.h"
#include "daemon/run/runner.h"
#include "query/message/partial_groups.h"
#include "query/message/query_wire.h"
#include "query/message/table_wire.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The columns of a row: the first ones are the keys of the query. */
enum
{
	KEY,
	SMALL, /* INT */
	LARGE, /* INT */
	FLOAT,
	DECIMAL,
	BOOL,
	TEXT,
	NKEYS,
	DIVISOR = NKEYS, /* INT */
	NCOLUMNS,
	LIMIT = NCOLUMNS, /* a constant */
	ONE,              /* likewise */
	IS_BELOW,
	QUOTIENT,
	NREGISTERS
};

#define MAX_ROWS    70000
#define EXTENT_ROWS 4000
#define BLOCK_ROWS  40
#define MAX_EXTENTS (MAX_ROWS / EXTENT_ROWS + 1)
#define MAX_THREADS 4
#define PLENTY      ((uint64_t) 1 << 32)
#define DISPLAY     2
#define SCALE       4
#define NTEXTS      300 /* those behind them no dictionary has: */
#define NALL_TEXTS  (NTEXTS + 40)
#define MAX_RANGES  (EXTENT_ROWS / BLOCK_ROWS)
#define BIT_WORDS   (MAX_EXTENTS * WA_EXTENT_WORDS)

/* Rows with a smaller divisor are left by WHERE. */
#define LIMIT_VALUE 900

static const WaVectorKind kinds[NREGISTERS] = {
	WA_VECTOR_INT,     WA_VECTOR_INT,  WA_VECTOR_INT,  WA_VECTOR_FLOAT,
	WA_VECTOR_DECIMAL, WA_VECTOR_BOOL, WA_VECTOR_TEXT, WA_VECTOR_INT,
	WA_VECTOR_INT,     WA_VECTOR_INT,  WA_VECTOR_BOOL, WA_VECTOR_INT};

static const WaForm forms[NCOLUMNS] = {
	WA_FORM_INT64,     WA_FORM_INT16, WA_FORM_INT64, WA_FORM_FLOAT8,
	WA_FORM_DECIMAL64, WA_FORM_BOOL,  WA_FORM_TEXT,  WA_FORM_INT32};

static const WaTableDigest digests[NKEYS] = {
	{{1, 0}}, {{0, 2}}, {{3, 3}}, {{4, 0}}, {{0, 5}}, {{6, 6}}, {{7, 0}}};

typedef struct Row
{
	int64_t words[NCOLUMNS]; /* TEXT: of the text, FLOAT: its bits */
	bool nulls[NCOLUMNS];
	uint8_t display;
	bool is_beyond; /* the DECIMAL is so many times as much, beyond 64 bits: */
	bool is_rest;   /* it comes with the query */
} Row;

#define BEYOND ((__int128) 1 << 50)

/* What a trial is about. */
typedef struct Trial
{
	/* Given: */
	size_t nrows;
	unsigned threads;
	int64_t first; /* the smallest key */
	int64_t step;  /* between keys, about */
	int64_t most;  /* what LARGE is, now and then; 0: it is anything */
	bool is_shuffled;
	bool has_nulls;
	uint64_t per_null; /* values, about: then some extents have none */
	bool has_doubles;
	bool is_unique;
	uint32_t nkeys;
	bool filters;
	bool divides;
	bool is_mixed;  /* DECIMALs show several numbers of digits */
	bool is_plain;  /* they are in units of the last digit that they show */
	WaForm decimal; /* their form */
	uint64_t
		per_rest; /* one block in so many, about, comes with the query; 0: none */
	uint64_t budget; /* bytes that groups may take */
	uint64_t memory; /* limit of resident columns */

	/* Made: */
	WaColumn columns[MAX_EXTENTS][NCOLUMNS];
	const WaColumn *of_extent[MAX_EXTENTS][NCOLUMNS];
	WaRunExtent extents[MAX_EXTENTS];
	const WaRunExtent *list[MAX_EXTENTS];
	WaRowRange ranges[MAX_EXTENTS][MAX_RANGES];
	uint64_t rest_blocks[BIT_WORDS];
	uint32_t row_ends[MAX_EXTENTS][EXTENT_ROWS / BLOCK_ROWS];
	WaRunRequest request;
	WaBudget run_budget;
	void *run;
	void *states[MAX_THREADS];
	unsigned nstates;
	uint64_t next; /* state or part; atomic */
	uint64_t left_blocks;
	WaStatus status; /* atomic */
} Trial;

/* An answer. */
typedef struct Answer
{
	WaStatus status;
	uint64_t rows; /* of the tables */
	uint64_t kept_rows;
	bool is_one;
} Answer;

static uint64_t random_state = 97;
static Row rows[MAX_ROWS];
static char texts[NALL_TEXTS][12];
static int32_t codes[NTEXTS];
static WaMemory memory;
static WaMemoryUse shown[WA_MEMORY_KINDS];
static WaKeptTables tables;
static WaDictionary *dictionary;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	return next_random(&random_state) % bound;
}

/* Makes texts, of which some are equal but for blanks, and one is empty. */
static bool
make_texts(void)
{
	WaDictionaryQuestion questions[NTEXTS];

	for (int i = 0; i < NALL_TEXTS; i++)
		(void) snprintf(texts[i], sizeof(texts[i]), i % 3 == 0 ? "%d " : "%d",
						i / 3 * 3 + (i % 3 == 1));
	texts[0][0] = 0;
	for (int i = 0; i < NTEXTS; i++)
	{
		questions[i].data = texts[i];
		questions[i].length = (uint32_t) strlen(texts[i]);
		questions[i].hash =
			wa_dictionary_hash(dictionary, texts[i], questions[i].length);
	}
	EXPECT(wa_dictionary_add_all(dictionary, &memory, questions, NTEXTS));
	for (int i = 0; i < NTEXTS; i++)
		codes[i] = questions[i].code;
	return true;
}

/* Makes a value of a column. */
static int64_t
make_value(const Trial *trial, int column, size_t row)
{
	double number = (double) pick(1000) / 8 - 20;
	int64_t word;

	switch (column)
	{
		case KEY:
			return (int64_t) ((uint64_t) trial->first +
							  row * (uint64_t) trial->step +
							  pick((uint64_t) trial->step));
		case SMALL:
			return (int64_t) pick(60000) - 30000;
		case LARGE:
			if (trial->most == 0)
				return (int64_t) (pick(UINT64_C(1) << 50) << pick(14));
			return pick(1000) == 0 ? trial->most : (int64_t) pick(1000);
		case FLOAT:
			number = pick(10) == 0 ? -0.0 : number;
			memcpy(&word, &number, sizeof(word));
			return word;
		case DECIMAL:
			return (int64_t) pick(1000000) - 500000;
		case BOOL:
			return (int64_t) pick(2);
		case TEXT:
			return (int64_t) pick(1 + pick(NTEXTS));
		default:
			return (int64_t) (trial->divides ? pick(1000) : 1 + pick(1000));
	}
}

/* Makes the rows of a trial. */
static void
make_rows(const Trial *trial)
{
	for (size_t i = 0; i < trial->nrows; i++)
	{
		Row *row = &rows[i];

		for (int column = 0; column < NCOLUMNS; column++)
		{
			row->nulls[column] = trial->has_nulls && column != DIVISOR &&
								 pick(trial->per_null) == 0;
			row->words[column] = make_value(trial, column, i);
			if (row->nulls[column])
				row->words[column] = 0;
		}
		row->is_beyond = false;
		row->is_rest = false;
		row->display = (uint8_t) (trial->is_mixed ? pick(3) : DISPLAY);
		if (trial->has_doubles && i > 0 && pick(3) == 0)
		{
			row->words[KEY] = rows[i - 1].words[KEY];
			row->nulls[KEY] = rows[i - 1].nulls[KEY];
		}
		/* What is not in the tables may be anything. */
		if (row->nulls[KEY] ||
			(trial->filters && row->words[DIVISOR] >= LIMIT_VALUE))
		{
			row->display = (uint8_t) (trial->is_plain ? DISPLAY : pick(3));
			row->is_beyond = trial->decimal == WA_FORM_DECIMAL128;
		}
	}
	for (size_t i = trial->nrows; trial->is_shuffled && i > 1; i--)
	{
		const size_t other = pick(i);
		const Row row = rows[i - 1];

		rows[i - 1] = rows[other];
		rows[other] = row;
	}
}

/*
 * Has the rows of some blocks come with the query, with texts of their own now and then.
 * What these blocks have in extents is something else.
 */
static void
choose_rest(Trial *trial)
{
	memset(trial->rest_blocks, 0, sizeof(trial->rest_blocks));
	for (size_t i = 0; i < trial->nrows; i++)
	{
		const size_t block = i % EXTENT_ROWS / BLOCK_ROWS;
		uint64_t *word =
			&trial->rest_blocks[i / EXTENT_ROWS * WA_EXTENT_WORDS + block / 64];

		if (trial->per_rest > 0 && i % EXTENT_ROWS % BLOCK_ROWS == 0 &&
			pick(trial->per_rest) == 0)
			*word |= UINT64_C(1) << block % 64;
		rows[i].is_rest = (*word >> block % 64 & 1) != 0;
		if (rows[i].is_rest && !rows[i].nulls[TEXT] && pick(3) == 0)
			rows[i].words[TEXT] = NTEXTS + (int64_t) pick(NALL_TEXTS - NTEXTS);
	}
}

/* Returns a key of a row as a session sends it. */
static WaQueryValue
value_of(const Row *row, int column)
{
	WaQueryValue value = {.is_null = row->nulls[column],
						  .integer = row->words[column]};

	if (value.is_null)
		return value;
	if (column == TEXT)
		value.text =
			(WaText){texts[value.integer], strlen(texts[value.integer])};
	if (column != DECIMAL)
		return value;
	value.shown = row->display;
	value.scale = row->display;
	for (; value.scale > 0 && value.integer % 10 == 0; value.scale--)
		value.integer /= 10;
	return value;
}

/* Writes the rows that come with the query of a trial. */
static void
write_rest(const Trial *trial, const WaQueryKey *keys, WaWriter *writer)
{
	const WaPartialShape shape = {.nkeys = (int) trial->nkeys, .keys = keys};
	uint32_t count = 0;

	wa_partial_begin(writer, &shape);
	for (size_t i = 0; i < trial->nrows; i++)
	{
		if (!rows[i].is_rest ||
			(trial->filters && rows[i].words[DIVISOR] >= LIMIT_VALUE))
			continue;
		for (uint32_t key = 0; key < trial->nkeys; key++)
		{
			const WaQueryValue value = value_of(&rows[i], (int) key);

			wa_partial_put_key(writer, &keys[key], &value);
		}
		count++;
	}
	wa_partial_end(writer, count);
}

/* Stores a value as a column of a form has it. */
static void
store(const WaColumn *column, void *out, const Row *row, int number, size_t i)
{
	__int128 word = row->words[number];
	WaInt128 wide;

	if (number == TEXT && !row->nulls[TEXT])
		word = codes[row->words[TEXT] % NTEXTS];
	/* Stored with more digits than are shown. */
	if (number == DECIMAL)
		for (int digit = row->display; digit < column->scale; digit++)
			word *= 10;
	if (number == DECIMAL && row->is_beyond)
		word *= BEYOND;
	if (number == BOOL)
	{
		put_bit(out, i, word != 0);
		return;
	}
	wide = wa_int128_make(word);
	memcpy((char *) out + i * wa_form_width(column->form), &wide,
		   wa_form_width(column->form));
}

/* Returns the scale of the DECIMALs of a trial. */
static uint8_t
scale_of(const Trial *trial)
{
	return trial->is_plain ? DISPLAY : SCALE;
}

/* Makes a column of an extent, of so many rows from one on. */
static void
make_column(const Trial *trial, WaColumn *column, int number, size_t first,
			uint32_t nrows)
{
	uint8_t *validity = malloc(nrows);
	uint8_t *display = malloc(nrows);
	void *values = calloc(nrows + 8, sizeof(WaInt128));
	bool has_nulls = false;

	*column = (WaColumn){.nrows = nrows,
						 .form = forms[number],
						 .values = values,
						 .validity = validity};
	if (number == DECIMAL)
	{
		column->form = trial->decimal;
		column->scale = scale_of(trial);
		column->display = trial->is_plain ? NULL : display;
	}
	for (uint32_t i = 0; i < nrows; i++)
	{
		const Row *row = &rows[first + i];

		store(column, values, row, number, i);
		validity[i] = !row->nulls[number];
		display[i] = row->nulls[number] ? 0 : row->display;
		has_nulls |= row->nulls[number];
	}
	if (column->display == NULL)
		free(display);
	if (has_nulls)
		return;
	free(validity);
	column->validity = NULL;
}

/* Has an extent have the ranges of the rows that do not come with the query. */
static void
find_ranges(Trial *trial, WaRunExtent *extent)
{
	WaRowRange *ranges = trial->ranges[extent->number];

	for (uint32_t i = 0; i < extent->nblocks; i++)
	{
		const uint32_t first = i * BLOCK_ROWS;

		if (rows[extent->number * EXTENT_ROWS + first].is_rest)
			continue;
		if (extent->nranges > 0 && ranges[extent->nranges - 1].end == first)
			ranges[extent->nranges - 1].end = extent->row_end[i];
		else
			ranges[extent->nranges++] = (WaRowRange){first, extent->row_end[i]};
	}
}

/* Makes the extents of the rows. */
static void
make_extents(Trial *trial)
{
	uint64_t count = 0;

	for (size_t first = 0; first < trial->nrows; first += EXTENT_ROWS, count++)
	{
		const size_t left = trial->nrows - first;
		const uint32_t nrows =
			(uint32_t) (left < EXTENT_ROWS ? left : EXTENT_ROWS);
		WaRunExtent *extent = &trial->extents[count];

		*extent =
			(WaRunExtent){.number = (uint32_t) count,
						  .nblocks = (nrows + BLOCK_ROWS - 1) / BLOCK_ROWS,
						  .nrows = nrows,
						  .row_end = trial->row_ends[count],
						  .ranges = trial->ranges[count],
						  .columns = trial->of_extent[count]};
		for (uint32_t i = 0; i < extent->nblocks; i++)
			trial->row_ends[count][i] =
				i + 1 < extent->nblocks ? (i + 1) * BLOCK_ROWS : nrows;
		find_ranges(trial, extent);
		for (int i = 0; i < NCOLUMNS; i++)
		{
			make_column(trial, &trial->columns[count][i], i, first, nrows);
			trial->of_extent[count][i] = &trial->columns[count][i];
		}
		trial->list[count] = extent;
	}
	trial->request.nextents = count;
	trial->request.extents = trial->list;
}

static void
free_extents(Trial *trial)
{
	for (uint64_t i = 0; i < trial->request.nextents; i++)
		for (int column = 0; column < NCOLUMNS; column++)
		{
			free((void *) (uintptr_t) trial->columns[i][column].values);
			free((void *) (uintptr_t) trial->columns[i][column].validity);
			free((void *) (uintptr_t) trial->columns[i][column].display);
		}
}

/* Writes the query of a trial. */
static void
write_query(const Trial *trial, WaWriter *writer, WaWriter *rest)
{
	static const WaInstruction instructions[] = {
		{WA_CODE_COMPARE_INT, IS_BELOW, DIVISOR, LIMIT, 0, WA_LESS},
		{WA_CODE_INT_DIVIDE, QUOTIENT, ONE, DIVISOR, 0, 8}};
	static const WaQueryConstant constants[] = {
		{LIMIT, {.integer = LIMIT_VALUE}}, {ONE, {.integer = 1}}};
	static const WaQueryFilter filter = {0, 1, IS_BELOW, 0};
	WaQueryKey keys[NKEYS];
	uint16_t numbers[NKEYS];
	WaQuery query = {.program = {.nregisters = NREGISTERS,
								 .kinds = kinds,
								 .instructions = instructions,
								 .ninstructions = LENGTH(instructions)},
					 .ninputs = NCOLUMNS,
					 .nconstants = LENGTH(constants),
					 .constants = constants,
					 .nfilters = trial->filters,
					 .filters = &filter,
					 .begin = 1,
					 .end = trial->divides ? 2 : 1,
					 .nkeys = trial->nkeys,
					 .keys = keys,
					 .key_numbers = numbers,
					 .only_wanted = true,
					 .made = digests,
					 .is_unique = trial->is_unique};

	for (uint16_t i = 0; i < NKEYS; i++)
	{
		keys[i] = (WaQueryKey){.kind = kinds[i]};
		numbers[i] = i;
	}
	if (trial->divides)
		numbers[SMALL] = QUOTIENT;
	if (trial->per_rest > 0)
	{
		write_rest(trial, keys, rest);
		query.rest = rest->words;
		query.nrest = rest->nwords;
	}
	wa_query_write(writer, &query);
}

/* Notes that something has failed. */
static void
note(Trial *trial, WaStatus status)
{
	if (status != WA_OK)
		__atomic_store_n(&trial->status, status, __ATOMIC_RELAXED);
}

/* Has a thread process every so many extents. */
static void *
process(void *context)
{
	Trial *trial = context;
	char error[WA_MAX_ERROR_BYTES];
	void *state;
	unsigned thread;

	if (wa_query_runner.make_state(trial->run, &state, error) != WA_OK)
	{
		note(trial, WA_OUT_OF_MEMORY);
		return NULL;
	}
	thread = __atomic_fetch_add(&trial->nstates, 1, __ATOMIC_RELAXED);
	trial->states[thread] = state;
	for (uint64_t i = thread; i < trial->request.nextents; i += trial->threads)
	{
		uint64_t left_out[WA_EXTENT_WORDS] = {0};

		note(trial, wa_query_runner.process(trial->run, state, trial->list[i],
											left_out, error));
		for (int word = 0; word < WA_EXTENT_WORDS; word++)
			if (left_out[word] != 0)
				(void) __atomic_fetch_add(&trial->left_blocks, 1,
										  __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Has a thread sort states, as they come. */
static void *
sort(void *context)
{
	Trial *trial = context;
	char error[WA_MAX_ERROR_BYTES];
	uint64_t i;

	while ((i = __atomic_fetch_add(&trial->next, 1, __ATOMIC_RELAXED)) <
		   trial->nstates)
		note(trial, wa_query_runner.sort(trial->run, trial->states[i], error));
	return NULL;
}

static uint32_t nparts;

/* Has a thread merge parts, as they come. */
static void *
merge(void *context)
{
	Trial *trial = context;
	char error[WA_MAX_ERROR_BYTES];
	uint64_t i;

	while ((i = __atomic_fetch_add(&trial->next, 1, __ATOMIC_RELAXED)) < nparts)
		note(trial,
			 wa_query_runner.merge_part(trial->run, (uint32_t) i, error));
	return NULL;
}

/* Has all threads of a trial do something. */
static void
in_threads(Trial *trial, void *(*function)(void *) )
{
	pthread_t threads[MAX_THREADS];

	trial->next = 0;
	for (unsigned i = 0; i < trial->threads; i++)
		(void) pthread_create(&threads[i], NULL, function, trial);
	for (unsigned i = 0; i < trial->threads; i++)
		(void) pthread_join(threads[i], NULL);
}

/* Merges, as a run does; stores what comes of it. */
static void
finish(Trial *trial, Answer *answer)
{
	char error[WA_MAX_ERROR_BYTES];
	WaRunResult result = {0};
	uint64_t word __attribute__((aligned(64)));

	nparts = 0;
	if (trial->left_blocks > 0)
		trial->request.is_complete = false;
	note(trial, wa_query_runner.divide(trial->run, trial->states,
									   trial->nstates, &nparts, error));
	if (nparts > 0 && trial->status == WA_OK)
	{
		in_threads(trial, sort);
		in_threads(trial, merge);
	}
	for (unsigned i = 1; nparts == 0 && i < trial->nstates; i++)
		note(trial, wa_query_runner.merge(trial->run, trial->states[0],
										  trial->states[i], error));
	if (trial->status == WA_OK)
		note(trial, wa_query_runner.finish(trial->run, trial->states[0],
										   &result, error));
	answer->kept_rows = result.kept_rows;
	answer->is_one = result.groups_bytes == sizeof(word);
	if (result.groups_bytes != sizeof(word))
		return;
	wa_query_runner.write_groups(trial->run, trial->states[0],
								 (uint8_t *) &word);
	answer->rows = word;
}

/* Begins the memory, without any tables. */
static void
begin_memory(const Trial *trial)
{
	wa_ledger_init(&memory.ledger, shown, 0, trial->memory);
	wa_kept_tables_init(&tables, &memory);
}

/* Runs the query over the rows. */
static Answer
run_trial(Trial *trial, bool is_complete)
{
	const WaDictionary *dictionaries[NCOLUMNS] = {[TEXT] = dictionary};
	WaColumnName names[NCOLUMNS] = {{0}};
	Answer answer = {WA_OK, 0, 0, false};
	char error[WA_MAX_ERROR_BYTES];
	WaArena arena;
	WaWriter writer;
	WaWriter rest;

	trial->nstates = 0;
	trial->left_blocks = 0;
	trial->status = WA_OK;
	wa_arena_init(&arena, PLENTY);
	wa_writer_init(&writer, &arena);
	wa_writer_init(&rest, &arena);
	write_query(trial, &writer, &rest);
	make_extents(trial);
	for (int i = 0; i < NCOLUMNS; i++)
		names[i].kind = (uint16_t) kinds[i];
	trial->run_budget =
		wa_run_budget_make(&memory, trial->budget, trial->threads);
	trial->request.query = (const uint8_t *) writer.words;
	trial->request.query_bytes = writer.nwords * sizeof(uint64_t);
	trial->request.ncolumns = NCOLUMNS;
	trial->request.columns = names;
	trial->request.dictionaries = dictionaries;
	trial->request.rows = trial->nrows;
	trial->request.rest_blocks =
		trial->per_rest > 0 ? trial->rest_blocks : NULL;
	trial->request.is_complete = is_complete;
	trial->request.threads = trial->threads;
	trial->request.budget = &trial->run_budget;
	trial->request.tables = &tables;
	note(trial, wa_query_runner.begin(&trial->request, &trial->run, error));
	if (trial->run != NULL && trial->status == WA_OK)
	{
		in_threads(trial, process);
		if (trial->status == WA_OK)
			finish(trial, &answer);
		for (unsigned i = 0; i < trial->nstates; i++)
			wa_query_runner.free_state(trial->run, trial->states[i]);
		wa_query_runner.end(trial->run);
	}
	answer.status = trial->status;
	free_extents(trial);
	wa_arena_reset(&arena);
	return answer;
}

/* Returns the bytes that kept tables take. */
static uint64_t
kept_bytes(void)
{
	uint64_t bytes = 0;

	for (const WaKeptTable *table = tables.newest; table != NULL;
		 table = table->older)
		bytes += table->bytes;
	return bytes;
}

/* Tells whether nothing is taken but what is kept. */
static bool
is_given_back(const Trial *trial)
{
	EXPECT(wa_budget_used(&trial->run_budget) == 0);
	EXPECT(tables.made_bytes == 0);
	EXPECT(memory.ledger.used[WA_MEMORY_QUERIES] == kept_bytes());
	return true;
}

/* Drops all tables, which nobody uses. */
static bool
drop_all(void)
{
	while (wa_kept_tables_drop_oldest(&tables))
		;
	EXPECT(tables.newest == NULL);
	EXPECT(memory.ledger.used[WA_MEMORY_QUERIES] == 0);
	return true;
}

static int
compare_rows(const void *a, const void *b)
{
	const Row *x = *(const Row *const *) a;
	const Row *y = *(const Row *const *) b;

	return (x->words[KEY] > y->words[KEY]) - (x->words[KEY] < y->words[KEY]);
}

/* The rows that are to be in tables, in the order of their keys, each key once. */
typedef struct Model
{
	const Row *rows[MAX_ROWS];
	size_t nrows;
	size_t kept_rows; /* of extents, that fulfil WHERE */
	size_t with_key;  /* of these */
	bool has_doubles;
} Model;

static void
make_model(const Trial *trial, Model *model)
{
	size_t count = 0;

	*model = (Model){.nrows = 0};
	for (size_t i = 0; i < trial->nrows; i++)
	{
		if (trial->filters && rows[i].words[DIVISOR] >= LIMIT_VALUE)
			continue;
		model->kept_rows += !rows[i].is_rest;
		if (!rows[i].nulls[KEY])
			model->rows[model->with_key++] = &rows[i];
	}
	qsort(model->rows, model->with_key, sizeof(model->rows[0]), compare_rows);
	for (size_t i = 0; i < model->with_key; i++)
		if (count == 0 ||
			compare_rows(&model->rows[i], &model->rows[count - 1]) != 0)
			model->rows[count++] = model->rows[i];
	model->has_doubles = count < model->with_key;
	model->nrows = count;
}

/* Tells whether a table has the same message as another one. */
static bool
has_same_message(const WaLookupTable *a, const WaLookupTable *b)
{
	WaWriter writers[2];
	WaArena arena;
	bool same;

	wa_arena_init(&arena, PLENTY);
	wa_writer_init(&writers[0], &arena);
	wa_writer_init(&writers[1], &arena);
	wa_table_message_write(&writers[0], a);
	wa_table_message_write(&writers[1], b);
	same = writers[0].nwords == writers[1].nwords &&
		   memcmp(writers[0].words, writers[1].words,
				  writers[0].nwords * sizeof(uint64_t)) == 0;
	wa_arena_reset(&arena);
	return same;
}

/* Returns the number of the row with a key, or -1. */
static int64_t
look_up(const WaLookupTable *table, int64_t key)
{
	uint64_t word = 0;
	uint8_t valid = 0;
	WaVector vector = {.values = &key};
	WaVector out = {.values = &word, .valid = &valid};

	if (!wa_lookup_table_call(table, &vector, &out, 1))
		return -2;
	return wa_vector_is_valid(&out, 0) ? (int64_t) word : -1;
}

/* Tells whether the bits of a table say what its entries are. */
static bool
bits_are_right(const WaLookupTable *table)
{
	const uint32_t *before =
		(const uint32_t *) (table->bits +
							wa_lookup_bits_words(table->nentries));

	for (uint64_t i = 0; i < table->nentries; i++)
	{
		const uint64_t word = table->bits[i / 64];
		const uint64_t below = word & ((UINT64_C(1) << i % 64) - 1);
		const int32_t number =
			(int32_t) before[i / 64] + __builtin_popcountll(below);

		EXPECT(table->narrow[i] ==
			   ((word >> i % 64 & 1) != 0 ? number : WA_NARROW_NULL));
	}
	return true;
}

/* Tells whether the table of the keys is that of a model. */
static bool
keys_are_right(const Model *model, const WaLookupTable *table)
{
	WaLookupTable like;
	const bool has_entries = wa_lookup_table_begin_keys(
		&like, model->nrows > 0 ? model->rows[0]->words[KEY] : 0,
		model->nrows > 0 ? model->rows[model->nrows - 1]->words[KEY] : 0,
		model->with_key);

	EXPECT(table->base == like.base && table->nentries == like.nentries);
	EXPECT((table->narrow != NULL) == has_entries);
	EXPECT((table->slots != NULL) == !has_entries);
	EXPECT((table->bits != NULL) == has_entries);
	EXPECT(!has_entries || bits_are_right(table));
	for (size_t i = 0; i < model->nrows; i++)
	{
		const int64_t key = model->rows[i]->words[KEY];

		EXPECT(look_up(table, key) == (int64_t) i);
		if (i + 1 < model->nrows && model->rows[i + 1]->words[KEY] != key + 1)
			EXPECT(look_up(table, key + 1) == -1);
	}
	if (model->nrows == 0)
		EXPECT(look_up(table, 0) == -1);
	EXPECT(look_up(table, 12345) < (int64_t) model->nrows);
	return true;
}

/* Tells whether the table of a column is what a session makes of the rows. */
static bool
values_are_right(const Model *model, int column, const WaLookupTable *table)
{
	static int64_t values[MAX_ROWS];
	static uint8_t known[MAX_ROWS];
	static int64_t numbers[NALL_TEXTS];
	static WaText in_order[NALL_TEXTS];
	WaLookupTable like = {.width = 1,
						  .nentries = model->nrows > 0 ? model->nrows : 1,
						  .values = values,
						  .known = known,
						  .is_total = true,
						  .texts = in_order};

	memset(numbers, 0, sizeof(numbers));
	values[0] = 0;
	known[0] = WA_ENTRY_NULL;
	for (size_t i = 0; i < model->nrows; i++)
	{
		const Row *row = model->rows[i];

		known[i] = row->nulls[column] ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		values[i] = row->words[column];
		if (row->nulls[column])
			continue;
		if (column == DECIMAL)
			like.scale = row->display;
		if (column != TEXT)
			continue;
		if (numbers[values[i]] == 0)
		{
			const char *text = texts[values[i]];

			in_order[like.ntexts] = (WaText){text, strlen(text)};
			numbers[values[i]] = ++like.ntexts;
		}
		values[i] = numbers[values[i]] - 1;
	}
	like.results = column == TEXT   ? WA_LOOKUP_TEXTS
				   : column == BOOL ? WA_LOOKUP_BOOLS
									: WA_LOOKUP_WORDS;
	EXPECT((table->narrow != NULL) == wa_lookup_table_can_be_narrow(&like));
	EXPECT(has_same_message(table, &like));
	return true;
}

/* Tells whether all tables are kept that are to be, and are right. */
static bool
tables_are_right(const Trial *trial, const Model *model)
{
	for (uint32_t i = 0; i < trial->nkeys; i++)
	{
		WaKeptTable *kept = wa_kept_tables_take(&tables, &digests[i]);
		bool right;

		EXPECT(kept != NULL);
		right = wa_lookup_table_may_be_kept(&kept->table) &&
				wa_digest_is_same(&kept->table.digest, &digests[i]) &&
				(i == 0 ? keys_are_right(model, &kept->table)
						: values_are_right(model, (int) i, &kept->table));
		wa_kept_table_release(kept);
		EXPECT(right);
	}
	return true;
}

/* Makes rows and runs the query over them; compares what comes of it. */
static bool
try_trial(Trial *trial)
{
	static Model model;
	Answer answer;

	make_rows(trial);
	choose_rest(trial);
	make_model(trial, &model);
	begin_memory(trial);
	answer = run_trial(trial, true);
	EXPECT(is_given_back(trial));
	EXPECT(answer.status == WA_OK);
	EXPECT(answer.is_one == (!trial->is_unique || !model.has_doubles));
	if (answer.is_one)
	{
		EXPECT(answer.rows == model.nrows);
		EXPECT(answer.kept_rows == model.kept_rows);
		EXPECT(tables_are_right(trial, &model));
	}
	else
		EXPECT(tables.newest == NULL && answer.kept_rows == 0);
	return drop_all();
}

/* Has a trial be one of so many rows, all else at random. */
static void
begin_trial(Trial *trial, size_t nrows)
{
	static const int64_t steps[] = {1, 2, 5, 2000, INT64_C(1) << 40};
	static const int64_t most[] = {0,         0,
								   INT32_MAX, INT64_C(1) + INT32_MAX,
								   INT32_MIN, INT64_C(1) + INT32_MIN,
								   INT64_MIN};

	*trial = (Trial){.nrows = nrows,
					 .threads = 1 + (unsigned) pick(MAX_THREADS),
					 .first = (int64_t) pick(2000000) - 1000000,
					 .step = steps[pick(LENGTH(steps))],
					 .most = most[pick(LENGTH(most))],
					 .is_shuffled = pick(3) != 0,
					 .has_nulls = pick(2) == 0,
					 .per_null = pick(2) == 0 ? 8 : 9000,
					 .is_unique = true,
					 .nkeys = NKEYS,
					 .filters = pick(2) == 0,
					 .decimal =
						 pick(2) == 0 ? WA_FORM_DECIMAL64 : WA_FORM_DECIMAL128,
					 .is_plain = pick(3) == 0,
					 .budget = PLENTY,
					 .memory = PLENTY};
}

/* Rows of any kind, in any order. */
static bool
test_rows(void)
{
	static const size_t counts[] = {1, 2, 40, 999, 4000, 4001, 30000, MAX_ROWS};
	static Trial trial;

	for (size_t i = 0; i < 6 * LENGTH(counts); i++)
	{
		begin_trial(&trial, counts[i % LENGTH(counts)]);
		EXPECT(try_trial(&trial));
	}
	return true;
}

/* Keys that no two of which are close, and the ends of all integers. */
static bool
test_far_keys(void)
{
	static Trial trial;

	for (int i = 0; i < 12; i++)
	{
		begin_trial(&trial, i < 4 ? MAX_ROWS : 1 + pick(3000));
		trial.step = (int64_t) (UINT64_MAX / trial.nrows / 2);
		trial.first = INT64_MIN / 2;
		EXPECT(try_trial(&trial));
	}
	begin_trial(&trial, 2);
	trial.has_nulls = false;
	trial.filters = false;
	trial.step = INT64_MAX;
	trial.first = INT64_MIN;
	return try_trial(&trial);
}

/* Keys that several rows have. */
static bool
test_doubles(void)
{
	static Trial trial;

	for (int i = 0; i < 48; i++)
	{
		begin_trial(&trial, 2 + pick(20000));
		trial.has_doubles = true;
		trial.is_shuffled = i / 2 % 2 == 0;
		trial.is_unique = i % 2 == 0;
		trial.nkeys = trial.is_unique ? 1 + (uint32_t) pick(NKEYS) : 1;
		EXPECT(try_trial(&trial));
	}
	return true;
}

/* Rows of some blocks that come with the query, or of all but those of few. */
static bool
test_rest(void)
{
	static const uint64_t shares[] = {1, 2, 5, 40};
	static Trial trial;

	for (size_t i = 0; i < 12 * LENGTH(shares); i++)
	{
		begin_trial(&trial, 1 + pick(20000));
		trial.per_rest = shares[i % LENGTH(shares)];
		trial.has_doubles = i % 3 == 0;
		trial.is_unique = i % 2 == 0;
		trial.nkeys = trial.is_unique ? 1 + (uint32_t) pick(NKEYS) : 1;
		EXPECT(try_trial(&trial));
	}
	return true;
}

/* No row is left, or none has a key. */
static bool
test_no_rows(void)
{
	static Trial trial;
	static Model model;
	Answer answer;

	for (int i = 0; i < 4; i++)
	{
		begin_trial(&trial, 3000);
		trial.is_unique = i % 2 == 0;
		trial.nkeys = trial.is_unique ? NKEYS : 1;
		trial.filters = i >= 2;
		trial.has_nulls = true;
		make_rows(&trial);
		for (size_t row = 0; row < trial.nrows; row++)
		{
			rows[row].nulls[KEY] = !trial.filters;
			rows[row].words[KEY] *= trial.filters;
			if (trial.filters)
				rows[row].words[DIVISOR] = LIMIT_VALUE;
		}
		make_model(&trial, &model);
		begin_memory(&trial);
		answer = run_trial(&trial, true);
		EXPECT(answer.is_one && answer.rows == 0 && model.nrows == 0);
		EXPECT(answer.kept_rows == (trial.filters ? 0 : trial.nrows));
		EXPECT(is_given_back(&trial) && tables_are_right(&trial, &model));
		EXPECT(drop_all());
	}
	return true;
}

/* Runs a trial that is to have no answer. */
static bool
has_none(Trial *trial, bool is_complete)
{
	Answer answer;

	begin_memory(trial);
	answer = run_trial(trial, is_complete);
	EXPECT(answer.status == WA_OK && !answer.is_one && answer.kept_rows == 0);
	EXPECT(is_given_back(trial) && tables.newest == NULL);
	return drop_all();
}

/* DECIMALs that show several numbers of digits, or have no room: no table can hold them. */
static bool
test_odd_values(void)
{
	static Trial trial;

	for (int i = 0; i < 8; i++)
	{
		begin_trial(&trial, 5000);
		trial.filters = false;
		trial.has_nulls = false;
		trial.is_mixed = i % 2 == 0;
		trial.is_plain = false;
		trial.decimal = WA_FORM_DECIMAL128;
		make_rows(&trial);
		if (!trial.is_mixed)
			rows[0] = (Row){.words = {[KEY] = rows[0].words[KEY],
									  [DECIMAL] = 100000,
									  [DIVISOR] = 1},
							.display = DISPLAY,
							.is_beyond = true};
		EXPECT(has_none(&trial, true));
		trial.nkeys = DECIMAL;
		EXPECT(run_trial(&trial, true).is_one);
		EXPECT(is_given_back(&trial) && drop_all());
	}
	return true;
}

/* Rows that come with the query show another number of digits than the others. */
static bool
test_odd_rest(void)
{
	static Trial trial;

	for (int i = 0; i < 4; i++)
	{
		begin_trial(&trial, 5000);
		trial.filters = false;
		trial.has_nulls = false;
		trial.per_rest = 3;
		make_rows(&trial);
		choose_rest(&trial);
		for (size_t row = 0; row < trial.nrows; row++)
			if (rows[row].is_rest)
				rows[row].display = (uint8_t) (DISPLAY + 1);
		EXPECT(has_none(&trial, true));
		trial.nkeys = DECIMAL;
		EXPECT(run_trial(&trial, true).is_one);
		EXPECT(is_given_back(&trial) && drop_all());
	}
	return true;
}

/* The threads' DECIMALs each show one number of digits, but not the same. */
static bool
test_odd_threads(void)
{
	static Trial trial;

	for (uint8_t display = 1; display <= DISPLAY; display++)
	{
		begin_trial(&trial, (size_t) 2 * EXTENT_ROWS);
		trial.threads = 2;
		trial.filters = false;
		trial.has_nulls = false;
		trial.is_plain = false;
		make_rows(&trial);
		for (size_t i = EXTENT_ROWS; i < trial.nrows; i++)
			rows[i].display = display;
		begin_memory(&trial);
		EXPECT(run_trial(&trial, true).is_one == (display == DISPLAY));
		EXPECT(is_given_back(&trial) && drop_all());
	}
	return true;
}

/* Wide values that have room in units of the last digit that they show. */
static bool
test_wide_values(void)
{
	static Trial trial;
	static Model model;

	for (int i = 0; i < 8; i++)
	{
		begin_trial(&trial, 5000);
		trial.decimal = WA_FORM_DECIMAL128;
		make_rows(&trial);
		for (size_t row = 0; row < trial.nrows; row += 1 + pick(1000))
			if (!rows[row].nulls[DECIMAL])
				rows[row].words[DECIMAL] =
					pick(2) == 0 ? INT64_MAX - 1 : INT64_MIN + 7;
		make_model(&trial, &model);
		begin_memory(&trial);
		EXPECT(run_trial(&trial, true).is_one);
		EXPECT(is_given_back(&trial) && tables_are_right(&trial, &model));
		EXPECT(drop_all());
	}
	return true;
}

/* What traps, or is not there, leaves no answer. */
static bool
test_incomplete(void)
{
	static Trial trial;

	begin_trial(&trial, 9000);
	trial.filters = false;
	trial.divides = true;
	make_rows(&trial);
	rows[pick(trial.nrows)].words[DIVISOR] = 0;
	EXPECT(has_none(&trial, true));
	EXPECT(trial.left_blocks > 0);
	for (size_t i = 0; i < trial.nrows; i++)
		if (rows[i].words[DIVISOR] == 0)
			rows[i].words[DIVISOR] = 7;
	EXPECT(has_none(&trial, false));
	begin_memory(&trial);
	EXPECT(run_trial(&trial, true).is_one && trial.left_blocks == 0);
	return drop_all();
}

/* Too little memory for the rows, or for what is made of them. */
static bool
test_memory(void)
{
	static Trial trial;
	unsigned without = 0;
	unsigned failed = 0;
	unsigned made = 0;

	for (int i = 0; i < 40; i++)
	{
		Answer answer;

		begin_trial(&trial, MAX_ROWS);
		trial.has_nulls = false;
		trial.filters = false;
		trial.budget = i % 2 == 0 ? PLENTY : (uint64_t) i * 400000;
		make_rows(&trial);
		begin_memory(&trial);
		/* Tables may take half of this. */
		if (i % 2 == 0)
			memory.ledger.limit[WA_MEMORY_QUERIES] = (uint64_t) i * 800000;
		answer = run_trial(&trial, true);
		EXPECT(answer.status == WA_OK || answer.status == WA_OUT_OF_MEMORY);
		EXPECT(is_given_back(&trial));
		EXPECT(answer.is_one == (tables.newest != NULL));
		made += answer.is_one;
		failed += answer.status != WA_OK;
		without += answer.status == WA_OK && !answer.is_one;
		EXPECT(drop_all());
	}
	EXPECT(made > 0 && failed > 0 && without > 0);
	return true;
}

/* There is room for all tables, but not for the texts of one. */
static bool
test_memory_of_texts(void)
{
	static Trial trial;
	uint64_t bytes;

	/* Most of it is the table of the keys: the run itself takes less. */
	begin_trial(&trial, 20000);
	trial.has_nulls = false;
	trial.filters = false;
	trial.step = 50;
	make_rows(&trial);
	begin_memory(&trial);
	EXPECT(run_trial(&trial, true).is_one);
	bytes = kept_bytes();
	EXPECT(drop_all());
	for (int i = 0; i < 2; i++)
	{
		memory.ledger.limit[WA_MEMORY_QUERIES] = 2 * (bytes - i);
		EXPECT(run_trial(&trial, true).is_one == (i == 0));
		EXPECT(is_given_back(&trial) && (tables.newest != NULL) == (i == 0));
		EXPECT(drop_all());
	}
	return true;
}

/* Tables take the place of others with their digests, which stay while they are used. */
static bool
test_again(void)
{
	static Trial trial;
	static Model model;
	WaKeptTable *before[NKEYS];

	begin_trial(&trial, 2000);
	make_rows(&trial);
	begin_memory(&trial);
	EXPECT(run_trial(&trial, true).is_one);
	for (int i = 0; i < NKEYS; i++)
		before[i] = wa_kept_tables_take(&tables, &digests[i]);
	begin_trial(&trial, 1500);
	make_rows(&trial);
	make_model(&trial, &model);
	EXPECT(run_trial(&trial, true).is_one);
	EXPECT(tables_are_right(&trial, &model));
	for (int i = 0; i < NKEYS; i++)
	{
		EXPECT(before[i] != NULL && before[i]->references == 1);
		wa_kept_table_release(before[i]);
	}
	EXPECT(is_given_back(&trial));
	return drop_all();
}

int
main(void)
{
	wa_ledger_init(&memory.ledger, shown, 0, PLENTY);
	wa_chunks_init(&memory.chunks);
	dictionary = wa_dictionary_make(&memory, &memory);
	check(dictionary != NULL && make_texts(), "texts");
	check(test_rows(), "rows of any kind become tables");
	check(test_far_keys(), "keys that lie far apart");
	check(test_doubles(), "keys of several rows");
	check(test_rest(), "rows that come with the query");
	check(test_odd_rest(), "some that no table can hold");
	check(test_no_rows(), "no rows");
	check(test_odd_values(), "values that no table can hold");
	check(test_odd_threads(), "values that one cannot hold together");
	check(test_wide_values(), "wide values that one can");
	check(test_incomplete(), "blocks that are left out");
	check(test_memory(), "too little memory");
	check(test_memory_of_texts(), "too little memory for texts");
	check(test_again(), "tables in the place of others");
	wa_dictionary_release(dictionary);
	return finish_checks();
}
