/*
 * test_gpu_look_up.c
 *		Look-ups as GPUs have them (daemon/gpu/gpu_query.h): the instructions that they
 *		become are run here, and compared with the look-up itself.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu/gpu_query.h"
#include "test/unit/check.h"

#define MEMORY ((size_t) 1 << 24)
#define NSTEPS 7
#define NROWS  200

/* Registers. */
enum
{
	ARGUMENT, /* an input */
	RESULT,
	NREGISTERS
};

static int64_t values[NSTEPS];
static uint8_t known[NSTEPS];

/* Makes a table with steps of any state, of which all is known. */
static WaLookupTable
make_table(uint8_t results, bool has_nulls)
{
	static const int64_t bases[] = {0, -3, INT64_MIN, INT64_MAX - NSTEPS + 1};
	WaLookupTable table = {.base = bases[random() % 4],
						   .width = 1,
						   .nentries = NSTEPS,
						   .values = values,
						   .known = known,
						   .results = results,
						   .is_total = random() % 2 == 0,
						   .null_has_value = random() % 2 == 0};

	for (int i = 0; i < NSTEPS; i++)
	{
		known[i] =
			has_nulls && random() % 3 == 0 ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		values[i] = known[i] == WA_ENTRY_NULL ? 0 : random() % 2;
	}
	if (table.null_has_value)
		table.null_value = random() % 2;
	return table;
}

/* Places a register in memory of the arena. */
static void
place(WaVector *vector, WaVectorKind kind, WaArena *arena)
{
	wa_vector_place(vector, kind,
					wa_arena_alloc_aligned(arena, wa_vector_bytes(kind)));
}

/* Returns an integer that has a step, or, if the table is total, may have none. */
static int64_t
draw_step(const WaLookupTable *table)
{
	static const int64_t far[] = {INT64_MIN, -1, 0, INT64_MAX};
	const uint64_t step = (uint64_t) random() % (NSTEPS + 2) - 1;

	if (table->is_total && random() % 8 == 0)
		return far[random() % 4];
	return (int64_t) ((uint64_t) table->base +
					  (table->is_total ? step : (step + 1) % NSTEPS));
}

/* Fills the argument: steps, some of which are NULL. */
static void
fill(const WaLookupTable *table, WaVector *argument)
{
	argument->has_nulls = true;
	for (int i = 0; i < NROWS; i++)
	{
		argument->valid[i] = random() % 4 != 0;
		wa_vector_ints(argument)[i] =
			argument->valid[i] != 0 ? draw_step(table) : 0;
	}
}

/* Fills the constants of a query for GPUs. */
static void
fill_constants(const WaCudaQuery *cuda, WaVector *registers)
{
	for (unsigned i = 0; i < cuda->nconstants; i++)
	{
		const WaProgramConstant *constant = &cuda->constants[i];
		WaVector *vector = &registers[constant->number];

		vector->has_nulls = constant->is_null;
		for (int row = 0; row < NROWS; row++)
		{
			vector->valid[row] = !constant->is_null;
			wa_vector_ints(vector)[row] =
				constant->is_null ? 0 : constant->value.i;
		}
	}
}

/* Runs the program of a query for GPUs, which know values that are words alone. */
static bool
run(const WaCudaQuery *cuda, const WaVector *argument, WaVector *registers,
	WaArena *arena)
{
	for (uint16_t i = 0; i < cuda->program.nregisters; i++)
		place(&registers[i], cuda->program.kinds[i], arena);
	registers[ARGUMENT] = *argument;
	for (size_t i = 0; i < cuda->program.ninstructions; i++)
	{
		const WaInstruction *instruction = &cuda->program.instructions[i];
		const WaLookupTable *table;

		if (instruction->code != WA_CODE_LOOK_UP)
			continue;
		table = &cuda->program.tables[instruction->extra];
		EXPECT(table->results == WA_LOOKUP_WORDS && !table->null_has_value);
	}
	fill_constants(cuda, registers);
	return wa_program_run(&cuda->program, 0, cuda->program.ninstructions,
						  registers, NROWS);
}

/* Compares results with those of the look-up. */
static bool
compare(const WaLookupTable *table, WaVectorKind kind, const WaVector *argument,
		const WaVector *result, WaArena *arena)
{
	WaVector expected;

	place(&expected, kind, arena);
	EXPECT(wa_lookup_table_call(table, argument, &expected, NROWS));
	for (size_t i = 0; i < NROWS; i++)
	{
		const bool valid = wa_vector_is_valid(&expected, i);

		EXPECT(wa_vector_is_valid(result, i) == valid);
		if (!valid)
			continue;
		if (table->results == WA_LOOKUP_BOOLS)
			EXPECT(wa_vector_bools(result)[i] == wa_vector_bools(&expected)[i]);
		else
			EXPECT(wa_vector_ints(result)[i] == wa_vector_ints(&expected)[i]);
	}
	return true;
}

/* Translates a look-up in a table, and compares what comes of both. */
static bool
test_table(const WaLookupTable *table, WaVectorKind kind, WaArena *arena)
{
	const WaVectorKind kinds[] = {WA_VECTOR_INT, kind};
	const WaInstruction look_up = {
		.code = WA_CODE_LOOK_UP, .out = RESULT, .a = ARGUMENT};
	const WaQueryColumn column = {
		.argument = RESULT, .filter = -1, .kind = kind};
	const WaNumberedQuery numbered = {
		.query = {.program = {.nregisters = NREGISTERS,
							  .kinds = kinds,
							  .instructions = &look_up,
							  .ninstructions = 1,
							  .tables = table},
				  .ntables = 1,
				  .ninputs = 1,
				  .end = 1,
				  .ncolumns = 1,
				  .columns = &column}};
	const WaCudaQuery *cuda = wa_gpu_query_translate(arena, &numbered);
	WaVector registers[64];
	WaVector argument;

	EXPECT(wa_lookup_table_is_sound(table));
	EXPECT(cuda != NULL && cuda->program.nregisters <= 64);
	place(&argument, WA_VECTOR_INT, arena);
	fill(table, &argument);
	EXPECT(run(cuda, &argument, registers, arena));
	return compare(table, kind, &argument, &registers[RESULT], arena);
}

/* Tests tables with results of a sort. */
static bool
test_results(uint8_t results, WaVectorKind kind)
{
	for (int i = 0; i < 200; i++)
	{
		const WaLookupTable table = make_table(results, i % 3 != 0);
		WaArena arena;
		bool same;

		wa_arena_init(&arena, MEMORY);
		same = test_table(&table, kind, &arena);
		wa_arena_reset(&arena);
		EXPECT(same);
	}
	return true;
}

int
main(void)
{
	srandom(11);
	check(test_results(WA_LOOKUP_WORDS, WA_VECTOR_INT), "integers");
	check(test_results(WA_LOOKUP_WORDS, WA_VECTOR_DECIMAL), "decimals");
	check(test_results(WA_LOOKUP_BOOLS, WA_VECTOR_BOOL), "booleans");
	return finish_checks();
}
