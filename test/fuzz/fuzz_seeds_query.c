/*
 * fuzz_seeds_query.c
 *		First inputs of fuzz_query: the unit tests' query, with and without keys,
 *		lists, tables and an order, and random programs.
 */
#include <string.h>

#include "query/query_wire.h"
#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_seeds.h"
#include "test/unit/test_query_data.h"

#define MEMORY ((size_t) 16 * 1024 * 1024)

/* Of random programs: their registers, inputs and instructions. */
#define NRANDOM_REGISTERS 20
#define NRANDOM_INPUTS    5
#define NRANDOM           24

/* Queries before those that compute nothing. */
#define COMPUTING 8

static const int64_t step_values[] = {7, -1, INT64_MAX, 0, 12};
static const uint8_t step_known[] = {1, 1, 0, 2, 1};
static const int64_t step_numbers[] = {2, 0, 1, 1, 0};
static const WaText step_texts[] = {{"a", 1}, {"", 0}, {"text", 4}};
static const uint8_t code_known[12] = {1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 0};
static const int64_t code_bools[12] = {1, 0, 1, 1, 0, 0, 1};
static const int64_t code_numbers[12] = {0, 1, 2, 2, 1, 0, 1, 1, 1, 2};

static const WaSteps tables[] = {{.base = -100,
								  .width = 40,
								  .nsteps = LENGTH(step_values),
								  .values = step_values,
								  .known = step_known},
								 {.base = -3,
								  .width = 1,
								  .nsteps = LENGTH(step_values),
								  .values = step_values,
								  .known = step_known,
								  .null_has_value = true,
								  .null_value = 5,
								  .scale = 3},
								 {.base = -3,
								  .width = 9,
								  .nsteps = LENGTH(step_numbers),
								  .values = step_numbers,
								  .known = step_known,
								  .results = WA_STEPS_TEXTS,
								  .ntexts = LENGTH(step_texts),
								  .texts = step_texts},
								 {.width = 1,
								  .nsteps = LENGTH(code_known),
								  .values = code_bools,
								  .known = code_known,
								  .results = WA_STEPS_BOOLS,
								  .dictionary = 3},
								 {.width = 1,
								  .nsteps = LENGTH(code_known),
								  .values = code_numbers,
								  .known = code_known,
								  .results = WA_STEPS_TEXTS,
								  .dictionary = 3,
								  .ntexts = LENGTH(step_texts),
								  .texts = step_texts}};

static const int64_t list[] = {-5, 7, 900};
static const WaIntList lists[] = {{list, LENGTH(list)}};

/* Makes any instruction. */
static WaInstruction
make_instruction(uint64_t *state)
{
	static const uint32_t extras[] = {0, 1, 2, 3, 4, 5, 8, 18, 0xff03, 0x0604};

	return (WaInstruction){
		.code = (uint16_t) fuzz_below(state, WA_OPCODE_COUNT),
		.out = (uint16_t) fuzz_below(state, NRANDOM_REGISTERS),
		.a = (uint16_t) fuzz_below(state, NRANDOM_REGISTERS),
		.b = (uint16_t) fuzz_below(state, NRANDOM_REGISTERS),
		.c = (uint16_t) fuzz_below(state, NRANDOM_REGISTERS),
		.extra = extras[fuzz_below(state, LENGTH(extras))]};
}

/* Writes a random program that is sound, with all that it computes as columns. */
static void
write_random(uint64_t seed, WaWriter *writer)
{
	WaVectorKind kinds[NRANDOM_REGISTERS];
	WaInstruction instructions[NRANDOM];
	WaQueryColumn columns[NRANDOM_REGISTERS];
	uint8_t scratch[NRANDOM_REGISTERS];
	WaQuery query = {.program = {.nregisters = NRANDOM_REGISTERS,
								 .kinds = kinds,
								 .instructions = instructions,
								 .lists = lists,
								 .tables = tables},
					 .nlists = LENGTH(lists),
					 .ntables = LENGTH(tables),
					 .ninputs = NRANDOM_INPUTS,
					 .columns = columns};

	for (int i = 0; i < NRANDOM_REGISTERS; i++)
		kinds[i] = (WaVectorKind) (i % (WA_VECTOR_TEXT + 1));
	for (int i = 0; i < NRANDOM * 200 && query.end < NRANDOM; i++)
	{
		instructions[query.end] = make_instruction(&seed);
		query.program.ninstructions = ++query.end;
		if (!wa_query_is_sound(&query, scratch))
			query.program.ninstructions = --query.end;
	}
	for (int i = 0; i < NRANDOM_REGISTERS; i++)
	{
		columns[query.ncolumns] =
			(WaQueryColumn){.argument = i,
							.filter = -1,
							.kind = kinds[i],
							.ops = kinds[i] <= WA_VECTOR_DECIMAL
									   ? (WaOpSet) fuzz_below(&seed, 16)
									   : 0};
		query.ncolumns++;
		if (!wa_query_is_sound(&query, scratch))
			query.ncolumns--;
	}
	wa_query_write(writer, &query);
}

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
			(WaInstruction){WA_CODE_STEPS, NEXT, VALUE_INT, 0, 0, 0};
	if (number % 3 == 0)
		instructions[2] =
			(WaInstruction){WA_CODE_STEPS, IS_ODD, KEY_TEXT, 0, 0, 3};
	query.program.instructions = instructions;
	if (query.nkeys > 0 && number % 4 != 0)
		query.wanted = (WaWanted){.limit = 3,
								  .norders = 2,
								  .orders = {{WA_ORDER_SUM, 1, true, false},
											 {WA_ORDER_KEY, 0, false, true}}};
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

void
fuzz_seed_query(int number, WaWriter *writer)
{
	if (number < COMPUTING)
		write_plain(number, writer);
	else if (number < FUZZ_SEED_PLAIN_QUERIES)
		write_simple(number, writer);
	else
		write_random((uint64_t) number * 7919, writer);
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
