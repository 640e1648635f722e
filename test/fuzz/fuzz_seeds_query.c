/*
 * fuzz_seeds_query.c
 *		First inputs of fuzz_query: the unit tests' query, with and without keys,
 *		lists, tables and an order, with groups that are rolled up, or with tables that
 *		are made of its rows, and what random changes make of it.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_query_mutate.h"
#include "test/fuzz/fuzz_seeds.h"
#include "test/unit/test_query_data.h"

#define MEMORY ((size_t) 16 * 1024 * 1024)

/* How often a query is changed, and the words that it has then at most. */
#define CHANGES   80
#define MAX_WORDS 600

/* Queries before those that compute nothing. */
#define COMPUTING 8

static const int64_t step_values[] = {7, -1, INT64_MAX, 0, 12};
static const uint8_t step_known[] = {1, 1, 0, 2, 1};
static const int64_t step_numbers[] = {2, 0, 1, 1, 0};
static const WaText step_texts[] = {{"a", 1}, {"", 0}, {"text", 4}};
static const uint8_t code_known[12] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 0};
static const int64_t code_bools[12] = {1, 0, 1, 1, 0, 0, 1};
static const int64_t code_numbers[12] = {0, 1, 2, 2, 1, 0, 1, 1, 1, 2};

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
										.is_total = true,
										.null_has_value = true,
										.null_value = 5,
										.scale = 3},
									   {.base = -3,
										.width = 9,
										.nentries = LENGTH(step_numbers),
										.values = step_numbers,
										.known = step_known,
										.results = WA_LOOKUP_TEXTS,
										.ntexts = LENGTH(step_texts),
										.texts = step_texts},
									   {.width = 1,
										.nentries = LENGTH(code_known),
										.values = code_bools,
										.known = code_known,
										.results = WA_LOOKUP_BOOLS,
										.dictionary = 3},
									   {.width = 1,
										.nentries = LENGTH(code_known),
										.values = code_numbers,
										.known = code_known,
										.results = WA_LOOKUP_TEXTS,
										.dictionary = 3,
										.ntexts = LENGTH(step_texts),
										.texts = step_texts},
									   {.width = 1, .digest = {{1, 0}}},
									   {.base = 5,
										.width = 2,
										.nentries = LENGTH(step_narrow),
										.narrow = step_narrow,
										.is_total = true},
									   {.width = 1,
										.nentries = LENGTH(step_slots),
										.slots = step_slots,
										.is_total = true}};

static const int64_t list[] = {-5, 7, 900};
static const WaIntList lists[] = {{list, LENGTH(list)}};

static const WaTableDigest digests[NKEYS] = {
	{{2, 0}}, {{3, 0}}, {{0, 4}}, {{5, 5}}, {{6, 0}}};

/* How the groups of some queries are rolled up: by their last keys. */
static const WaQueryRank ranks[] = {{WA_QUERY_RANK_CONT, 0.5},
									{WA_QUERY_RANK_DISC, 1},
									{WA_QUERY_RANK_MODE, 0}};
static const WaQueryRolled rolled[] = {
	{.column = {KEY_TEXT, -1, WA_VECTOR_BOOL, 0}},
	{.column = {KEY_DECIMAL, -1, WA_VECTOR_BOOL, 0}},
	{.column = {KEY_FLOAT, -1, WA_VECTOR_FLOAT, WA_OP_BIT(WA_OP_MIN)},
	 .nranks = LENGTH(ranks),
	 .ranks = ranks}};

/* Writes the unit tests' query, with what the number says. */
static void
write_plain(int number, WaWriter *writer)
{
	WaInstruction instructions[NREGISTERS];
	WaQuery query = *test_query((uint32_t) number % (NKEYS + 1));

	memcpy(instructions, query.program.instructions,
		   query.program.ninstructions * sizeof(WaInstruction));
	query.program.lists = lists;
	query.nlists = LENGTH(lists);
	query.program.tables = tables;
	query.ntables = LENGTH(tables);
	if (number % 2 == 0)
		instructions[1] =
			(WaInstruction){WA_CODE_LOOK_UP, NEXT, VALUE_INT, 0, 0, 0};
	if (number % 3 == 0)
		instructions[2] =
			(WaInstruction){WA_CODE_LOOK_UP, IS_ODD, KEY_TEXT, 0, 0, 3};
	query.program.instructions = instructions;
	if (query.nkeys > 0 && number % 4 != 0)
		query.top_n = (WaTopN){.limit = 3,
							   .norders = 2,
							   .orders = {{WA_ORDER_SUM, 1, true, false},
										  {WA_ORDER_KEY, 0, false, true}}};
	if (number >= 2 && number <= 4)
		query.rolled = &rolled[number - 2];
	if (fuzz_seed_makes(number))
	{
		query.top_n = (WaTopN){0};
		query.ncolumns = 0;
		query.made = digests;
		query.only_wanted = true;
		query.is_unique = query.nkeys > 1;
	}
	wa_query_write(writer, &query);
}

/* Writes a query over the same inputs that computes nothing. */
static void
write_simple(int number, WaWriter *writer)
{
	WaQueryColumn columns[NINPUTS];
	WaQuery query = *test_query((uint32_t) number % (NKEYS + 1));

	for (int i = 0; i < NINPUTS; i++)
	{
		const WaVectorKind kind = query.program.kinds[i];

		columns[i] =
			(WaQueryColumn){i, -1, kind, kind <= WA_VECTOR_DECIMAL ? 0xfU : 0U};
	}
	query.program.ninstructions = 0;
	query.nfilters = 0;
	query.begin = 0;
	query.end = 0;
	query.columns = columns;
	query.ncolumns = NINPUTS;
	wa_query_write(writer, &query);
}

/* Writes a query that has been changed many times. */
static void
write_changed(int number, WaWriter *writer)
{
	uint64_t words[MAX_WORDS];
	size_t nwords;

	write_plain(number, writer);
	nwords = writer->nwords;
	FUZZ_EXPECT(nwords <= MAX_WORDS);
	memcpy(words, writer->words, nwords * sizeof(uint64_t));
	for (int i = 0; i < CHANGES; i++)
	{
		const size_t changed = fuzz_mutate_query(
			words, nwords, MAX_WORDS, (uint64_t) (number * CHANGES + i));

		nwords = changed > 0 ? changed : nwords;
	}
	writer->nwords = 0;
	wa_writer_words(writer, words, nwords);
}

void
fuzz_seed_query(int number, WaWriter *writer)
{
	if (number < COMPUTING)
		write_plain(number, writer);
	else if (number < FUZZ_SEED_PLAIN_QUERIES)
		write_simple(number, writer);
	else
		write_changed(number, writer);
}

void
fuzz_seeds_query(void)
{
	static FuzzSeed seed;

	for (int i = 0; i < FUZZ_SEED_QUERIES; i++)
	{
		WaWriter writer;
		WaArena arena;

		wa_arena_init(&arena, MEMORY);
		wa_writer_init(&writer, &arena);
		fuzz_seed_query(i, &writer);
		fuzz_seed_word(&seed, (uint64_t) i * UINT64_C(0x9e3779b97f4a7c15));
		fuzz_seed_bytes(&seed, writer.words, writer.nwords * sizeof(uint64_t));
		fuzz_seed_write(&seed, "fuzz_query");
		wa_arena_reset(&arena);
	}
}
