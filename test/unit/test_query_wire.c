/*
 * test_query_wire.c
 *		Messages of queries and of groups that somebody has tampered with, and
 *		random programs: whatever is accepted can be run.
 *
 * Worth running with -fsanitize=address,undefined.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/message/query_wire.h"
#include "query/run/run_internal.h"
#include "test/unit/finish_lists.h"
#include "test/unit/test_query_data.h"

/* Rows that a query which was read is run over. */
#define NROWS 100

/* Queries with more inputs are not run: no request has as many. */
#define MAX_INPUTS WA_MAX_QUERY_COLUMNS

/* What a run may take; a bad message must not be able to take more. */
#define MEMORY ((size_t) 64 * 1024 * 1024)

/* Returns a copy of a message, of its own size, for sanitizers to watch. */
static uint64_t *
copy_message(const WaWriter *writer)
{
	uint64_t *copy = malloc(writer->nwords * sizeof(uint64_t) + 1);

	memcpy(copy, writer->words, writer->nwords * sizeof(uint64_t));
	return copy;
}

/* Changes a few bits, bytes or words, or the length. */
static size_t
tamper(uint64_t *message, size_t bytes)
{
	static const uint64_t special[] = {
		0, 1, UINT64_MAX, INT64_MAX, UINT32_MAX, 0xffff, UINT64_C(1) << 63};
	uint8_t *at = (uint8_t *) message;
	size_t changes = random_below(3) + 1;

	for (size_t i = 0; i < changes && bytes >= sizeof(uint64_t); i++)
		switch (random_below(6))
		{
			case 0:
			case 1:
				at[random_below(bytes)] ^= (uint8_t) (1 << random_below(8));
				break;
			case 2:
				at[random_below(bytes)] = (uint8_t) random_below(256);
				break;
			case 3:
				message[random_below(bytes / 8)] =
					special[random_below(LENGTH(special))];
				break;
			case 4:
				message[random_below(bytes / 8)] +=
					random_below(2) ? UINT64_C(1) : UINT64_MAX;
				break;
			default:
				if (random_below(8) == 0)
					bytes -= random_below(bytes);
				break;
		}
	return bytes;
}

/* Columns of rows of any query. */
typedef struct Anything
{
	WaColumnRows rows[MAX_INPUTS];
	WaInt128 values[MAX_INPUTS][NROWS];
	uint8_t validity[MAX_INPUTS][NROWS];
	uint8_t display[MAX_INPUTS][NROWS];
} Anything;

#define NTEXTS 40

static WaText
any_text(const void *context, int32_t code)
{
	static const char texts[] = "abc  aabbcc";

	(void) context;
	return (WaText){texts + code / 8, (size_t) (code % 8 % 6)};
}

static const WaTextCodes any_texts = {.ncodes = NTEXTS, .text = any_text};

/* Returns a form of a kind. */
static WaForm
any_form(WaVectorKind kind)
{
	WaForm form;

	do
		form = (WaForm) random_below(WA_FORM_COUNT);
	while (wa_form_kind(form) != kind);
	return form;
}

/* Fills a column with anything that its form holds. */
static void
fill_column(Anything *anything, uint32_t input, WaForm form)
{
	WaColumnRows *rows = &anything->rows[input];
	const bool has_nulls = random_below(2) == 0;
	char *values = (char *) anything->values[input];

	*rows = (WaColumnRows){.form = form, .values = values};
	if (has_nulls)
		rows->validity = anything->validity[input];
	if (wa_form_kind(form) == WA_VECTOR_DECIMAL)
		rows->scale = (uint8_t) random_below(19);
	if (wa_form_kind(form) == WA_VECTOR_DECIMAL && random_below(2) == 0)
		rows->display = anything->display[input];
	for (size_t row = 0; row < NROWS; row++)
	{
		bool is_null = has_nulls && random_below(4) == 0;
		int64_t word =
			(int64_t) (random_below(UINT64_C(1) << 48) << random_below(17));

		word = is_null ? 0 : random_below(3) ? word % 100 : word;
		if (form == WA_FORM_BOOL)
			word &= 1;
		if (form == WA_FORM_TEXT)
			word = (int64_t) ((uint64_t) word % NTEXTS);
		if (form == WA_FORM_BOOL)
			put_bit(values, row, word != 0);
		else
		{
			const WaInt128 wide = {(uint64_t) word, word >> 63};

			memcpy(values + row * wa_form_width(form), &wide,
				   wa_form_width(form));
		}
		anything->validity[input][row] = !is_null;
		anything->display[input][row] =
			(uint8_t) random_below(rows->scale + UINT64_C(1));
	}
}

/* Fills the inputs of any query with anything. */
static void
fill_anything(Anything *anything, const WaQuery *query)
{
	for (uint32_t i = 0; i < query->ninputs; i++)
		fill_column(anything, i, any_form(query->program.kinds[i]));
}

/* Writes the groups of a run that are wanted. */
static void
write_run(WaArena *arena, WaQueryRun *run)
{
	uint32_t next = 0;
	WaWriter writer;

	if (!wa_query_run_choose(run))
		return;
	wa_writer_init(&writer, arena);
	wa_query_run_write(run, &next, SIZE_MAX, &writer);
}

/* Rolls the groups of a run up if they are to be; those that they become are written, too. */
static void
roll_up_anything(WaArena *arena, WaQueryRun *run)
{
	WaQueryRun *made;

	if (run->query->rolled == NULL)
		return;
	made = roll_up_alone(arena, run);
	if (made != NULL)
		write_run(arena, made);
}

/* Runs a query over anything; the groups are written, too. */
static void
run_anything(WaArena *arena, const WaQuery *query)
{
	static Anything anything;
	WaQueryRun *runs[2] = {make_run(arena, query, &any_texts),
						   make_run(arena, query, &any_texts)};
	WaRunOutcome outcome = WA_RUN_TAKEN;

	if (query->ninputs > MAX_INPUTS)
		return;
	for (int i = 0; i < 2; i++)
	{
		if (runs[i] == NULL)
			return;
		for (int batch = 0; batch < 3; batch++)
		{
			fill_anything(&anything, query);
			outcome = wa_query_run_take(runs[i], anything.rows, NROWS);
			if (outcome != WA_RUN_TAKEN && outcome != WA_RUN_TRAPPED)
				return;
		}
	}
	if (wa_query_merge(runs[0], runs[1]) != WA_RUN_TAKEN)
		return;
	roll_up_anything(arena, runs[0]);
	write_run(arena, runs[0]);
}

/* Reads a query; runs it if it is one.  Returns whether it is. */
static bool
try_query(const void *message, size_t bytes)
{
	const WaQuery *query;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	query = wa_query_read(&arena, message, bytes);
	if (query != NULL)
		run_anything(&arena, query);
	wa_arena_reset(&arena);
	return query != NULL;
}

/* Tables for LOOK_UP, of integers and of decimals. */
static const int64_t step_values[] = {7, -1, INT64_MAX, 0, 12};
static const uint8_t step_known[] = {1, 1, 0, 1, 1};
static const WaText step_texts[] = {{"a", 1}, {"", 0}, {"text", 4}};
static const int64_t step_numbers[] = {2, 0, 1, 1, 0};
static const int32_t step_narrow[] = {5, WA_NARROW_NULL, -7};
static const WaLookupSlot step_slots[] = {
	{3, 4}, {0, WA_FREE_SLOT}, {-9, 0}, {0, WA_FREE_SLOT}};
static const WaLookupTable tables[] = {{.base = -100,
										.width = 40,
										.nentries = LENGTH(step_values),
										.values = step_values,
										.known = step_known},
									   {.base = -3,
										.width = 1,
										.nentries = LENGTH(step_values),
										.values = step_values,
										.known = step_known,
										.scale = 3,
										.is_total = true},
									   {.base = -3,
										.width = 9,
										.nentries = LENGTH(step_numbers),
										.values = step_numbers,
										.known = step_known,
										.results = WA_LOOKUP_TEXTS,
										.ntexts = LENGTH(step_texts),
										.texts = step_texts},
									   {.base = 5,
										.width = 2,
										.nentries = LENGTH(step_narrow),
										.narrow = step_narrow,
										.is_total = true},
									   {.width = 1,
										.nentries = LENGTH(step_slots),
										.slots = step_slots,
										.is_total = true}};

/* Has a query that was copied look up a table where it added a step. */
static void
use_tables(WaQuery *query, WaInstruction *instructions)
{
	memcpy(instructions, query->program.instructions,
		   query->program.ninstructions * sizeof(WaInstruction));
	instructions[1] =
		(WaInstruction){WA_CODE_LOOK_UP, NEXT, VALUE_INT, 0, 0, 0};
	query->program.instructions = instructions;
	query->program.tables = tables;
	query->ntables = LENGTH(tables);
}

/* How the groups of a query are rolled up: integers are added up, once each. */
static const WaQueryRolled rolled = {
	.column = {.argument = KEY_INT,
			   .filter = -1,
			   .kind = WA_VECTOR_INT,
			   .ops = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_MIN)}};

/* Likewise: floats are looked at in their order. */
static const WaQueryRank some_ranks[] = {{WA_QUERY_RANK_DISC, 0.5},
										 {WA_QUERY_RANK_MODE, 0},
										 {WA_QUERY_RANK_CONT, 1}};
static const WaQueryRolled ranked = {.column = {.argument = KEY_FLOAT,
												.filter = -1,
												.kind = WA_VECTOR_FLOAT,
												.ops = WA_OP_BIT(WA_OP_MIN)},
									 .nranks = LENGTH(some_ranks),
									 .descends = 1,
									 .ranks = some_ranks};

/* Queries that were tampered with are refused, or can be run. */
static bool
test_queries(size_t rounds, const WaQueryRolled *how)
{
	static const int64_t list[] = {-5, 7, 900};
	static const WaIntList lists[] = {{list, LENGTH(list)}};
	WaInstruction instructions[NREGISTERS];
	WaQuery query = *test_query(NKEYS);
	size_t naccepted = 0;
	WaWriter writer;
	WaArena arena;

	query.program.lists = lists;
	query.nlists = LENGTH(lists);
	use_tables(&query, instructions);
	query.rolled = how;
	if (how == NULL || how->nranks == 0)
		query.top_n = (WaTopN){
			.limit = 3,
			.norders = 2,
			.orders = {{WA_ORDER_SUM, how != NULL ? NCOLUMNS : 1, true, false},
					   {WA_ORDER_KEY, how != NULL, false, true}}};
	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	EXPECT(try_query(writer.words, writer.nwords * sizeof(uint64_t)));
	for (size_t i = 0; i < rounds; i++)
	{
		uint64_t *copy = copy_message(&writer);
		size_t bytes = tamper(copy, writer.nwords * sizeof(uint64_t));

		naccepted += try_query(copy, bytes);
		free(copy);
	}
	wa_arena_reset(&arena);
	EXPECT(naccepted > 0 && naccepted < rounds);
	return true;
}

/* Tells whether a query that rolls groups up is sound, and then read as it was written. */
static bool
is_rolled_as(const WaQueryRolled *how, const WaTopN *top_n)
{
	uint8_t scratch[NREGISTERS];
	WaQuery query = *test_query(NKEYS);
	const WaQuery *read;
	WaWriter writer;
	WaArena arena;
	bool is_read;

	query.rolled = how;
	if (top_n != NULL)
		query.top_n = *top_n;
	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	read =
		wa_query_read(&arena, writer.words, writer.nwords * sizeof(uint64_t));
	is_read =
		read != NULL && read->rolled != NULL &&
		memcmp(&read->rolled->column, &how->column, sizeof(how->column)) == 0 &&
		read->rolled->nranks == how->nranks &&
		read->rolled->descends == how->descends &&
		(how->nranks == 0 || memcmp(read->rolled->ranks, how->ranks,
									how->nranks * sizeof(*how->ranks)) == 0) &&
		memcmp(&read->top_n, &query.top_n, sizeof(query.top_n)) == 0;
	if (wa_query_is_sound(&query, scratch) != (read != NULL))
		check(false, "what is sound can be read, and nothing else");
	wa_arena_reset(&arena);
	return is_read;
}

/* Likewise by a column, without ranks. */
static bool
is_rolled_with(const WaQueryColumn *column, const WaTopN *top_n)
{
	const WaQueryRolled how = {.column = *column};

	return is_rolled_as(&how, top_n);
}

/* Groups can be rolled up by a key, of which integers alone can be added up. */
static bool
test_rolled_columns(void)
{
	const WaQueryColumn count = {KEY_TEXT, -1, WA_VECTOR_BOOL, 0};
	WaQueryColumn column = count;

	for (int key = -2; key <= NKEYS + 1; key++)
	{
		const bool is_key = key >= 0 && key < NKEYS;

		column = count;
		column.argument = key;
		EXPECT(is_rolled_with(&column, NULL) == is_key);
		column = rolled.column;
		column.argument = key;
		EXPECT(is_rolled_with(&column, NULL) == (key == KEY_INT));
		column.kind = WA_VECTOR_DECIMAL;
		EXPECT(!is_rolled_with(&column, NULL));
		column.kind = WA_VECTOR_FLOAT;
		EXPECT(!is_rolled_with(&column, NULL));
	}
	for (int filter = 0; filter < NREGISTERS; filter++)
	{
		column = count;
		column.filter = filter;
		EXPECT(!is_rolled_with(&column, NULL));
	}
	for (WaVectorKind kind = 0; kind <= WA_VECTOR_TEXT + 1; kind++)
	{
		column = count;
		column.kind = kind;
		EXPECT(is_rolled_with(&column, NULL) == (kind == WA_VECTOR_BOOL));
	}
	column = rolled.column;
	column.ops = (WaOpSet) ~0U;
	EXPECT(!is_rolled_with(&column, NULL));
	return true;
}

/* Tells whether a rank can be found of the values of a key, in a column of the kind. */
static bool
has_rank(int key, WaVectorKind kind, WaQueryRank rank)
{
	WaQueryRolled how = ranked;

	how.column.argument = key;
	how.column.kind = kind;
	how.nranks = 1;
	how.ranks = &rank;
	return is_rolled_as(&how, NULL);
}

/* Fractions are from 0 to 1, and what lies between values there is of floats alone. */
static bool
test_ranks_of_keys(void)
{
	static const double odd[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};

	for (int key = 0; key < NKEYS; key++)
		for (uint64_t kind = 0; kind <= WA_QUERY_RANK_KINDS; kind++)
		{
			const bool can_be = kind < WA_QUERY_RANK_KINDS && key != KEY_TEXT &&
								key != KEY_DECIMAL;
			const WaQueryRank rank = {kind, 0};

			EXPECT(has_rank(key, WA_VECTOR_FLOAT, rank) ==
				   (can_be && key == KEY_FLOAT));
			EXPECT(has_rank(key, WA_VECTOR_INT, rank) ==
				   (can_be && key != KEY_FLOAT && kind != WA_QUERY_RANK_CONT));
			EXPECT(!has_rank(key, WA_VECTOR_BOOL, rank));
		}
	for (size_t i = 0; i < LENGTH(odd); i++)
		EXPECT(!has_rank(KEY_FLOAT, WA_VECTOR_FLOAT,
						 (WaQueryRank){WA_QUERY_RANK_DISC, odd[i]}));
	EXPECT(
		has_rank(KEY_INT, WA_VECTOR_INT, (WaQueryRank){WA_QUERY_RANK_DISC, 1}));
	return true;
}

/* So many ranks can be found, in one order or the other, but not by other operations. */
static bool
test_rolled_ranks(void)
{
	static WaQueryRank ranks[WA_QUERY_MAX_RANKS + 1];
	const WaTopN top_n = {
		.limit = 1, .norders = 1, .orders = {{.of = WA_ORDER_ROWS}}};
	WaQueryRolled how = ranked;

	EXPECT(test_ranks_of_keys());
	EXPECT(is_rolled_as(&how, NULL) && !is_rolled_as(&how, &top_n));
	for (how.descends = 0; how.descends < 4; how.descends++)
		EXPECT(is_rolled_as(&how, NULL) == (how.descends < 2));
	how.descends = 0;
	how.ranks = ranks;
	for (how.nranks = WA_QUERY_MAX_RANKS - 1; how.nranks <= LENGTH(ranks);
		 how.nranks++)
		EXPECT(is_rolled_as(&how, NULL) == (how.nranks <= WA_QUERY_MAX_RANKS));
	how = ranked;
	how.column.ops |= WA_OP_BIT(WA_OP_MAX);
	EXPECT(!is_rolled_as(&how, NULL));
	how.column.ops = 0;
	EXPECT(!is_rolled_as(&how, NULL));
	return true;
}

/* Tells whether the first groups of a query that rolls them up can be chosen by an order. */
static bool
has_order(const WaQueryColumn *column, WaOrderOf of, uint16_t number)
{
	const WaTopN top_n = {
		.limit = 1, .norders = 1, .orders = {{.of = of, .number = number}}};

	return is_rolled_with(column, &top_n);
}

/*
 * What the first groups are chosen by are keys, but for the one that is rolled up, or columns,
 * behind which its values are.
 */
static bool
test_rolled_orders(void)
{
	for (int key = 0; key < NKEYS; key++)
	{
		const WaQueryColumn column = {key, -1, WA_VECTOR_BOOL, 0};

		for (uint16_t i = 0; i <= NKEYS; i++)
			EXPECT(has_order(&column, WA_ORDER_KEY, i) ==
				   (i < NKEYS - 1 && (i < key ? i : i + 1) != KEY_TEXT));
		for (uint16_t i = 0; i <= NCOLUMNS + 1; i++)
			EXPECT(has_order(&column, WA_ORDER_ROWS, i) == (i <= NCOLUMNS));
		for (WaOrderOf of = WA_ORDER_SUM; of <= WA_ORDER_MAX; of++)
			EXPECT(!has_order(&column, of, NCOLUMNS));
	}
	EXPECT(has_order(&rolled.column, WA_ORDER_SUM, NCOLUMNS));
	EXPECT(has_order(&rolled.column, WA_ORDER_MIN, NCOLUMNS));
	EXPECT(!has_order(&rolled.column, WA_ORDER_MAX, NCOLUMNS));
	EXPECT(!has_order(&rolled.column, WA_ORDER_SUM, NCOLUMNS + 1));
	return true;
}

/* Rows that become tables are not rolled up; groups may be wanted only if they are. */
static bool
test_rolled_others(void)
{
	const WaTableDigest digests[] = {{{1, 2}}, {{3, 4}}};
	uint8_t scratch[NREGISTERS];
	WaQuery query = *test_query(LENGTH(digests));
	WaWriter writer;
	WaArena arena;
	size_t bytes;

	query.only_wanted = true;
	EXPECT(!wa_query_is_sound(&query, scratch));
	query.rolled = &rolled;
	EXPECT(wa_query_is_sound(&query, scratch));
	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	bytes = writer.nwords * sizeof(uint64_t);
	EXPECT(wa_query_read(&arena, writer.words, bytes) != NULL);
	/* A column less is too little, and one more is too much. */
	EXPECT(wa_query_read(&arena, writer.words, bytes - sizeof(rolled.column)) ==
		   NULL);
	query.rolled = NULL;
	query.only_wanted = false;
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	EXPECT(writer.nwords * sizeof(uint64_t) == bytes - sizeof(rolled.column));
	wa_arena_reset(&arena);
	query.ncolumns = 0;
	query.made = digests;
	query.is_unique = true;
	query.only_wanted = true;
	EXPECT(wa_query_is_sound(&query, scratch));
	query.rolled = &rolled;
	EXPECT(!wa_query_is_sound(&query, scratch));
	return true;
}

/* Tells whether a query with the table, for a register of the kind, is sound. */
static bool
is_sound_with(const WaLookupTable *table, WaVectorKind kind)
{
	const WaVectorKind kinds[] = {WA_VECTOR_INT, kind};
	const WaInstruction instruction = {WA_CODE_LOOK_UP, 1, 0, 0, 0, 0};
	const WaQuery query = {.program = {.nregisters = LENGTH(kinds),
									   .kinds = kinds,
									   .instructions = &instruction,
									   .ninstructions = 1,
									   .tables = table},
						   .ntables = 1,
						   .ninputs = 1,
						   .end = 1};
	uint8_t scratch[LENGTH(kinds)];

	return wa_query_is_sound(&query, scratch);
}

/* Tables with counts, spans, scales or kinds that cannot be are not sound. */
static bool
test_tables(void)
{
	const WaLookupTable good = tables[0];
	WaLookupTable table = good;

	EXPECT(is_sound_with(&good, WA_VECTOR_INT));
	EXPECT(is_sound_with(&good, WA_VECTOR_FLOAT));
	EXPECT(is_sound_with(&good, WA_VECTOR_DECIMAL));
	EXPECT(!is_sound_with(&good, WA_VECTOR_BOOL));
	EXPECT(!is_sound_with(&good, WA_VECTOR_TEXT));
	table.scale = WA_DECIMAL_MAX_SCALE;
	EXPECT(is_sound_with(&table, WA_VECTOR_DECIMAL));
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table.scale++;
	EXPECT(!is_sound_with(&table, WA_VECTOR_DECIMAL));
	table = good;
	table.nentries = 0;
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table.nentries = WA_MAX_ENTRIES + 1;
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table = good;
	table.width = 0;
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table.width = WA_MAX_LOOKUP_SPAN / table.nentries;
	EXPECT(is_sound_with(&table, WA_VECTOR_INT));
	table.width++;
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table = good;
	table.base = INT64_MAX - (int64_t) (table.nentries * table.width) + 1;
	EXPECT(is_sound_with(&table, WA_VECTOR_INT));
	table.base++;
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	return true;
}

/* So are tables of codes that have a base, and values that are none. */
static bool
test_table_values(void)
{
	static const uint8_t states[] = {1, 2, 0, 1, 3};
	WaLookupTable table = tables[2];

	EXPECT(is_sound_with(&table, WA_VECTOR_TEXT));
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table.results = WA_LOOKUP_BOOLS;
	EXPECT(!is_sound_with(&table, WA_VECTOR_BOOL));
	table.results = WA_LOOKUP_TEXTS;
	table.ntexts = 2;
	EXPECT(!is_sound_with(&table, WA_VECTOR_TEXT));
	table.ntexts = 3;
	table.null_has_value = true;
	table.null_value = 3;
	EXPECT(!is_sound_with(&table, WA_VECTOR_TEXT));
	table.null_value = 2;
	EXPECT(is_sound_with(&table, WA_VECTOR_TEXT));
	table.known = states;
	EXPECT(!is_sound_with(&table, WA_VECTOR_TEXT));
	table = tables[0];
	table.dictionary = 1;
	table.base = 0;
	table.width = 1;
	EXPECT(wa_lookup_table_is_sound(&table));
	/* The argument is an integer. */
	EXPECT(!is_sound_with(&table, WA_VECTOR_INT));
	table.width = 2;
	EXPECT(!wa_lookup_table_is_sound(&table));
	table.width = 1;
	table.base = 1;
	EXPECT(!wa_lookup_table_is_sound(&table));
	return true;
}

/* Makes an instruction of any registers; it may not be sound. */
static WaInstruction
make_instruction(uint16_t nregisters)
{
	static const uint32_t extras[] = {0, 1, 2, 3, 4, 5, 8, 18, 0xff03, 0x0604};

	return (WaInstruction){.code = (uint16_t) random_below(WA_OPCODE_COUNT),
						   .out = (uint16_t) random_below(nregisters),
						   .a = (uint16_t) random_below(nregisters),
						   .b = (uint16_t) random_below(nregisters),
						   .c = (uint16_t) random_below(nregisters),
						   .extra = extras[random_below(LENGTH(extras))]};
}

#define NRANDOM_REGISTERS 15
#define NRANDOM_INPUTS    5
#define NRANDOM           20

/* A random program that is sound can be run. */
static bool
test_program(bool *accepted)
{
	WaVectorKind kinds[NRANDOM_REGISTERS];
	WaInstruction instructions[NRANDOM];
	uint8_t scratch[NRANDOM_REGISTERS];
	WaQuery query = {.program = {.nregisters = NRANDOM_REGISTERS,
								 .kinds = kinds,
								 .instructions = instructions,
								 .tables = tables},
					 .ntables = LENGTH(tables),
					 .ninputs = NRANDOM_INPUTS};
	WaQueryColumn column = {.argument = NRANDOM_REGISTERS - 1, .filter = -1};
	WaArena arena;

	for (int i = 0; i < NRANDOM_REGISTERS; i++)
		kinds[i] = (WaVectorKind) (i % 5);
	for (int i = 0; i < NRANDOM * 200 && query.end < NRANDOM; i++)
	{
		instructions[query.end] = make_instruction(NRANDOM_REGISTERS);
		query.end++;
		query.program.ninstructions = query.end;
		if (!wa_query_is_sound(&query, scratch))
			query.program.ninstructions = --query.end;
	}
	*accepted = query.end == NRANDOM;
	column.kind = kinds[NRANDOM_REGISTERS - 1];
	query.columns = &column;
	query.ncolumns = 1;
	query.ncolumns = wa_query_is_sound(&query, scratch) ? 1 : 0;
	wa_arena_init(&arena, MEMORY);
	run_anything(&arena, &query);
	wa_arena_reset(&arena);
	return true;
}

/* Tells whether a query that counts rows, and names a kind for them, comes through. */
static bool
counting_is_read(WaVectorKind kind)
{
	const WaQueryColumn column = {.argument = -1, .filter = -1, .kind = kind};
	const WaQuery query = {.ncolumns = 1, .columns = &column};
	WaWriter writer;
	WaArena arena;
	bool is_read;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	is_read = wa_query_read(&arena, writer.words,
							writer.nwords * sizeof(uint64_t)) != NULL;
	wa_arena_reset(&arena);
	return is_read;
}

static bool
test_counting(void)
{
	EXPECT(counting_is_read(WA_VECTOR_BOOL));
	EXPECT(!counting_is_read((WaVectorKind) (WA_VECTOR_TEXT + 1)));
	EXPECT(!counting_is_read((WaVectorKind) INT32_MAX));
	return true;
}

static bool
test_programs(size_t rounds)
{
	size_t naccepted = 0;

	for (size_t i = 0; i < rounds; i++)
	{
		bool accepted;

		EXPECT(test_program(&accepted));
		naccepted += accepted;
	}
	return naccepted > rounds / 2;
}

/* What groups are merged into. */
typedef struct Target
{
	WaArena arena;
	WaQueryGroups *groups;
	WaRecordTable *tables[NCOLUMNS];
	int nleft; /* records that these have no room for */
} Target;

static void
make_target(Target *target, const WaQuery *query)
{
	wa_arena_init(&target->arena, MEMORY);
	target->nleft = 0;
	target->groups =
		wa_query_groups_make(&target->arena, (int) query->nkeys, query->keys);
	for (int i = 0; i < NCOLUMNS; i++)
		target->tables[i] =
			wa_records_make(&target->arena, query->columns[i].kind,
							query->columns[i].ops, NULL);
}

/* Reads groups and merges them; returns false if the message is none of them. */
static bool
try_groups(Target *target, const WaPartialShape *shape, const void *message,
		   size_t bytes)
{
	WaPartialReader reader;
	uint32_t group;

	if (!wa_partial_reader_init(&reader, &target->arena, shape) ||
		!wa_partial_open(&reader, message, bytes))
		return false;
	while (wa_partial_next(&reader))
	{
		if (!wa_query_groups_find_values(target->groups, reader.keys, &group))
			return false;
		for (int i = 0; i < NCOLUMNS; i++)
		{
			if (!wa_records_grow(target->tables[i],
								 wa_query_groups_count(target->groups)))
				return false;
			/* Without room nothing changes. */
			if (reader.cells[i].record.words != NULL &&
				!wa_records_merge(target->tables[i], group,
								  &reader.cells[i].record))
				target->nleft++;
		}
	}
	return !reader.reader.failed;
}

/* Writes the groups of random rows. */
static void
write_groups(const WaQuery *query, WaArena *arena, WaWriter *writer)
{
	WaQueryRun *run = make_run(arena, query, &test_texts);
	uint32_t next = 0;
	static Row rows[WA_VECTOR_ROWS];
	static Inputs inputs;

	for (int i = 0; i < 4; i++)
	{
		make_batch(rows, LENGTH(rows), 3);
		fill_inputs(&inputs, rows, LENGTH(rows));
		if (wa_query_run_take(run, inputs.rows, LENGTH(rows)) ==
			WA_RUN_NO_MEMORY)
			abort();
	}
	wa_query_run_write(run, &next, 1200, writer);
}

/* Groups that were tampered with are refused, or can be merged. */
static bool
test_groups(size_t rounds)
{
	const WaQuery *query = test_query(NKEYS);
	WaPartialColumn columns[NCOLUMNS];
	const WaPartialShape shape = {NKEYS, NCOLUMNS, query->keys, columns};
	size_t naccepted = 0;
	Target target;
	WaWriter writer;
	WaArena arena;

	for (int i = 0; i < NCOLUMNS; i++)
		columns[i] =
			(WaPartialColumn){query->columns[i].kind, query->columns[i].ops, 0};
	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	write_groups(query, &arena, &writer);
	make_target(&target, query);
	for (size_t i = 0; i < rounds; i++)
	{
		uint64_t *copy = copy_message(&writer);
		size_t bytes = tamper(copy, writer.nwords * sizeof(uint64_t));

		naccepted += try_groups(&target, &shape, copy, bytes);
		free(copy);
		if (i % 50 == 49 || target.arena.failed)
		{
			wa_arena_reset(&target.arena);
			make_target(&target, query);
		}
	}
	wa_arena_reset(&target.arena);
	wa_arena_reset(&arena);
	EXPECT(naccepted > 0 && naccepted < rounds);
	return true;
}

/* A message has one group where there are no keys, however few words one takes. */
static bool
test_only_group(void)
{
	const WaPartialShape shape = {0};
	WaPartialReader reader;
	WaWriter writer;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	EXPECT(wa_partial_reader_init(&reader, &arena, &shape));
	for (uint32_t ngroups = 0; ngroups < 4; ngroups++)
	{
		wa_partial_begin(&writer, &shape);
		wa_partial_end(&writer, ngroups);
		EXPECT(wa_partial_open(&reader, writer.words,
							   writer.nwords * sizeof(uint64_t)) ==
			   (ngroups <= 1));
	}
	wa_arena_reset(&arena);
	return true;
}

int
main(int argc, char **argv)
{
	size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000;

	check(test_queries(rounds, NULL), "queries that were tampered with");
	check(test_queries(rounds, &rolled), "and such that roll groups up");
	check(test_queries(rounds, &ranked), "and find ranks there");
	check(test_rolled_columns(), "what groups can be rolled up by");
	check(test_rolled_ranks(), "and what is found in the order of its values");
	check(test_rolled_orders(), "and chosen by then");
	check(test_rolled_others(), "and what else a query is then");
	check(test_tables(), "tables that are sound, and that are not");
	check(test_table_values(), "values of tables");
	check(test_counting(), "kinds of what is counted");
	check(test_programs(rounds / 5), "random programs that are sound");
	check(test_groups(rounds), "groups that were tampered with");
	check(test_only_group(), "more groups than there are without keys");
	return finish_checks();
}
