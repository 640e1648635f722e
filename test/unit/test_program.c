/*
 * test_program.c
 *		Vectors and the instructions of programs.
 *
 * Every instruction runs over batches of random and special values, of many
 * lengths, with and without NULLs.  A batch first holds only rows that must not
 * trap, then one that must, which becomes NULL in the end.  The reference, one
 * row at a time, is in test_program_reference.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/check.h"
#include "test/unit/opcode_name.h"
#include "test/unit/test_program_reference.h"
#include "test/unit/test_program_values.h"

#define MAX_ARGUMENTS 3
#define OUT           MAX_ARGUMENTS
#define MAX_TRIES     1000

static const size_t sizes[] = {0, 1, 7, 1023, 1024};

/* Registers: three arguments and the result, of the largest kind. */
static _Alignas(
	64) uint8_t memory[OUT + 1][WA_VECTOR_ROWS * (sizeof(WaText) + 2)];

/* The lists of IN. */
static const int64_t short_list[] = {INT64_MIN, -3, 0, 7};
static int64_t long_list[33];
static const WaIntList lists[] = {{short_list, 0},
								  {short_list, 1},
								  {short_list, LENGTH(short_list)},
								  {long_list, 32},
								  {long_list, LENGTH(long_list)}};

/* The tables of LOOK_UP, which make_tables fills. */
#define NSTEPS 64
static int64_t step_values[NSTEPS];
static uint8_t step_known[NSTEPS];
static const WaLookupTable tables[] = {{.base = -1000,
										.width = 7,
										.nentries = NSTEPS,
										.values = step_values,
										.known = step_known},
									   {.base = INT64_MIN,
										.width = UINT64_C(1) << 40,
										.nentries = NSTEPS,
										.values = step_values,
										.known = step_known},
									   {.base = INT64_MAX - NSTEPS + 1,
										.width = 1,
										.nentries = NSTEPS,
										.values = step_values,
										.known = step_known,
										.scale = 3},
									   {.base = INT64_MAX - 3 * NSTEPS + 1,
										.width = 3,
										.nentries = NSTEPS,
										.values = step_values,
										.known = step_known,
										.is_total = true}};
static int ncalls;
static const WaCall calls[] = {{reference_call, &ncalls}};

/* What to try of an instruction. */
typedef struct Case
{
	WaOpcode code;
	const char *kinds; /* of the arguments, and the result: i f d b t */
	bool traps;        /* it does at times */
	uint32_t extras[8];
	size_t nextras;
} Case;

#define NO_EXTRA    {0}, 1
#define INT_BYTES   {2, 4, 8}, 3
#define FLOAT_BYTES {4, 8}, 2
#define COMPARISONS                                        \
	{WA_EQUAL,         WA_NOT_EQUAL, WA_LESS,              \
	 WA_LESS_OR_EQUAL, WA_GREATER,   WA_GREATER_OR_EQUAL}, \
		6

static const Case cases[] = {
	{WA_CODE_INT_ADD, "iii", true, INT_BYTES},
	{WA_CODE_INT_SUBTRACT, "iii", true, INT_BYTES},
	{WA_CODE_INT_MULTIPLY, "iii", true, INT_BYTES},
	{WA_CODE_INT_DIVIDE, "iii", true, INT_BYTES},
	{WA_CODE_INT_REMAINDER, "iii", true, INT_BYTES},
	{WA_CODE_INT_NEGATE, "ii", true, INT_BYTES},
	{WA_CODE_INT_ABS, "ii", true, INT_BYTES},
	{WA_CODE_INT_NARROW, "ii", true, INT_BYTES},
	{WA_CODE_FLOAT_ADD, "fff", true, FLOAT_BYTES},
	{WA_CODE_FLOAT_SUBTRACT, "fff", true, FLOAT_BYTES},
	{WA_CODE_FLOAT_MULTIPLY, "fff", true, FLOAT_BYTES},
	{WA_CODE_FLOAT_DIVIDE, "fff", true, FLOAT_BYTES},
	{WA_CODE_FLOAT_NEGATE, "ff", false, NO_EXTRA},
	{WA_CODE_FLOAT_ABS, "ff", false, NO_EXTRA},
	{WA_CODE_FLOAT_FLOOR, "ff", false, NO_EXTRA},
	{WA_CODE_FLOAT_CEIL, "ff", false, NO_EXTRA},
	{WA_CODE_FLOAT_NARROW, "ff", true, NO_EXTRA},
	{WA_CODE_FLOAT_HIGH_PART, "fff", true, NO_EXTRA},
	{WA_CODE_FLOAT_LOW_PART, "fff", true, NO_EXTRA},
	{WA_CODE_DECIMAL_ADD, "ddd", true, NO_EXTRA},
	{WA_CODE_DECIMAL_SUBTRACT, "ddd", true, NO_EXTRA},
	{WA_CODE_DECIMAL_MULTIPLY, "ddd", true, NO_EXTRA},
	{WA_CODE_DECIMAL_NEGATE, "dd", true, NO_EXTRA},
	{WA_CODE_DECIMAL_ABS, "dd", true, NO_EXTRA},
	{WA_CODE_DECIMAL_FLOOR, "dd", false, NO_EXTRA},
	{WA_CODE_DECIMAL_CEIL, "dd", false, NO_EXTRA},
	{WA_CODE_DECIMAL_ROUND,
	 "dd",
	 true,
	 {255 * 256, 255 * 256 + 2, 255 * 256 + 18, 3 * 256, 2, 10 * 256 + 4,
	  18 * 256, 1 * 256 + 18},
	 8},
	{WA_CODE_DECIMAL_FLOOR_DIVIDE, "ddd", true, NO_EXTRA},
	{WA_CODE_INT_TO_FLOAT, "if", false, FLOAT_BYTES},
	{WA_CODE_INT_TO_DECIMAL, "id", false, NO_EXTRA},
	{WA_CODE_FLOAT_TO_INT, "fi", true, INT_BYTES},
	{WA_CODE_DECIMAL_TO_INT, "di", true, INT_BYTES},
	{WA_CODE_DECIMAL_TO_FLOAT, "df", true, FLOAT_BYTES},
	{WA_CODE_DATE_TO_TIMESTAMP, "ii", true, NO_EXTRA},
	{WA_CODE_TIMESTAMP_TO_DATE, "ii", true, NO_EXTRA},
	{WA_CODE_TIMESTAMP_TO_DECIMAL, "id", true, NO_EXTRA},
	{WA_CODE_TIMESTAMP_TO_FLOAT, "if", true, NO_EXTRA},
	{WA_CODE_DECIMAL_SCALE, "di", false, NO_EXTRA},
	{WA_CODE_COMPARE_INT, "iib", false, COMPARISONS},
	{WA_CODE_COMPARE_FLOAT, "ffb", false, COMPARISONS},
	{WA_CODE_COMPARE_DECIMAL, "ddb", false, COMPARISONS},
	{WA_CODE_COMPARE_BOOL, "bbb", false, COMPARISONS},
	{WA_CODE_COMPARE_TEXT, "ttb", false, COMPARISONS},
	{WA_CODE_TRIM, "tt", false, NO_EXTRA},
	{WA_CODE_IN_INT, "ib", false, {0, 1, 2, 3, 4}, LENGTH(lists)},
	{WA_CODE_AND, "bbb", false, NO_EXTRA},
	{WA_CODE_OR, "bbb", false, NO_EXTRA},
	{WA_CODE_NOT, "bb", false, NO_EXTRA},
	{WA_CODE_IS_NULL, "tb", false, NO_EXTRA},
	{WA_CODE_IS_NOT_NULL, "ib", false, NO_EXTRA},
	{WA_CODE_IS_TRUE, "bb", false, NO_EXTRA},
	{WA_CODE_SELECT, "biii", false, {WA_VECTOR_INT}, 1},
	{WA_CODE_SELECT, "bfff", false, {WA_VECTOR_FLOAT}, 1},
	{WA_CODE_SELECT, "bddd", true, {WA_VECTOR_DECIMAL}, 1},
	{WA_CODE_SELECT, "bbbb", false, {WA_VECTOR_BOOL}, 1},
	{WA_CODE_SELECT, "bttt", false, {WA_VECTOR_TEXT}, 1},
	{WA_CODE_LOOK_UP, "ii", true, {0, 1, 3}, 3},
	{WA_CODE_LOOK_UP, "if", true, {0, 1, 3}, 3},
	{WA_CODE_LOOK_UP, "id", true, {0, 1, 2}, 3},
	{WA_CODE_CALL, "ii", true, NO_EXTRA},
};

/* An instruction that is tried, and its registers. */
typedef struct Trial
{
	const Case *which;
	WaInstruction instruction;
	WaProgram program;
	WaVectorKind kinds[OUT + 1];
	WaVector registers[OUT + 1];
	size_t narguments;
	size_t nrows;
} Trial;

/* Fills the tables of LOOK_UP. */
static void
make_tables(void)
{
	for (size_t i = 0; i < NSTEPS; i++)
	{
		step_values[i] = random_int(8);
		step_known[i] = i % 9 == 4   ? WA_ENTRY_UNKNOWN
						: i % 9 == 7 ? WA_ENTRY_NULL
									 : WA_ENTRY_VALUE;
	}
}

/* Returns a value in a table, or a little outside. */
static int64_t
random_step(const WaLookupTable *steps)
{
	uint64_t offset = random_below(steps->nentries * steps->width + 10) - 5;

	return (int64_t) ((uint64_t) steps->base + offset);
}

/* Returns an integer that an instruction may be given. */
static int64_t
random_argument(const WaInstruction *instruction)
{
	static const uint8_t byte_shifts[] = {2, 4, 8};

	switch ((WaOpcode) instruction->code)
	{
		case WA_CODE_DATE_TO_TIMESTAMP:
		case WA_CODE_TIMESTAMP_TO_DATE:
		case WA_CODE_TIMESTAMP_TO_DECIMAL:
		case WA_CODE_TIMESTAMP_TO_FLOAT:
			return random_time((WaOpcode) instruction->code);
		case WA_CODE_LOOK_UP:
			return random_step(&tables[instruction->extra]);
		case WA_CODE_INT_NARROW:
			return random_int(byte_shifts[random_below(3)]);
		case WA_CODE_INT_TO_FLOAT:
			return random_below(2) == 0 ? random_middle() : random_int(8);
		case WA_CODE_IN_INT:
			return random_below(2) == 0 ? long_list[random_below(33)]
										: random_int(8);
		default:
			return random_int(
				instruction->code <= WA_CODE_INT_ABS ? instruction->extra : 8);
	}
}

/* Puts a random value, or NULL, to a row of an argument. */
static void
fill(Trial *trial, size_t argument, size_t row)
{
	WaVector *vector = &trial->registers[argument];
	WaVectorKind kind = trial->kinds[argument];
	bool narrow = trial->instruction.extra == 4 &&
				  trial->instruction.code <= WA_CODE_FLOAT_DIVIDE;

	vector->valid[row] = !vector->has_nulls || random_below(4) != 0;
	vector->display[row] = (uint8_t) random_below(vector->scale + 1);
	memset((char *) vector->values + row * wa_vector_width(kind), 0,
		   wa_vector_width(kind));
	if (!vector->valid[row])
		return;
	if (kind == WA_VECTOR_INT)
		wa_vector_ints(vector)[row] = random_argument(&trial->instruction);
	else if (kind == WA_VECTOR_DECIMAL)
		wa_vector_ints(vector)[row] = random_decimal();
	else if (kind == WA_VECTOR_FLOAT)
		wa_vector_floats(vector)[row] = random_float(narrow);
	else if (kind == WA_VECTOR_BOOL)
		wa_vector_bools(vector)[row] = (uint8_t) random_below(2);
	else
		wa_vector_texts(vector)[row] = random_text();
}

/* Returns a value of a vector. */
static Cell
cell_of(const WaVector *vector, WaVectorKind kind, size_t row)
{
	Cell cell = {0};

	cell.null = !wa_vector_is_valid(vector, row);
	cell.scale = kind == WA_VECTOR_DECIMAL ? vector->scale : 0;
	cell.display = kind == WA_VECTOR_DECIMAL && vector->mixed
					   ? vector->display[row]
					   : cell.scale;
	if (kind == WA_VECTOR_FLOAT)
		cell.f = wa_vector_floats(vector)[row];
	else if (kind == WA_VECTOR_BOOL)
		cell.i = wa_vector_bools(vector)[row];
	else if (kind == WA_VECTOR_TEXT)
		cell.text = wa_vector_texts(vector)[row];
	else
		cell.i = wa_vector_ints(vector)[row];
	return cell;
}

/*
 * Trials
 */

/* Computes a row by the reference. */
static Outcome
expect(const Trial *trial, size_t row, Cell *expected)
{
	Cell arguments[MAX_ARGUMENTS] = {0};

	for (size_t i = 0; i < trial->narguments; i++)
		arguments[i] = cell_of(&trial->registers[i], trial->kinds[i], row);
	return reference_compute(&trial->program, &trial->instruction, arguments,
							 expected);
}

/* Fills a row until it has an outcome.  Tells whether it ever did. */
static bool
fill_until(Trial *trial, size_t row, Outcome outcome)
{
	Cell unused;

	for (int try = 0; try < MAX_TRIES; try++)
	{
		for (size_t i = 0; i < trial->narguments; i++)
			fill(trial, i, row);
		if (expect(trial, row, &unused) == outcome)
			return true;
	}
	return false;
}

/* Runs the instruction over a result that is full of something else. */
static bool
run(Trial *trial)
{
	WaVector *out = &trial->registers[OUT];

	memset(memory[OUT], 0xa5, sizeof(memory[OUT]));
	out->has_nulls = random_below(2) == 0;
	out->mixed = random_below(2) == 0;
	out->scale = 77;
	return wa_program_run(&trial->program, 0, 1, trial->registers,
						  trial->nrows);
}

/* Tells whether two doubles are the same, all NaNs being one. */
static bool
same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof(a)) == 0;
}

/* Tells whether the result is the expected one. */
static bool
is_right(const Trial *trial)
{
	const WaVector *out = &trial->registers[OUT];
	WaVectorKind kind = trial->kinds[OUT];
	static const uint8_t zeros[sizeof(WaText)];

	for (size_t row = 0; row < trial->nrows; row++)
	{
		Cell got = cell_of(out, kind, row);
		Cell expected;

		EXPECT(expect(trial, row, &expected) == FITS);
		EXPECT(got.null == expected.null);
		if (got.null)
		{
			EXPECT(out->valid[row] == 0);
			EXPECT(memcmp((char *) out->values + row * wa_vector_width(kind),
						  zeros, wa_vector_width(kind)) == 0);
			continue;
		}
		EXPECT(!out->has_nulls || out->valid[row] == 1);
		EXPECT(got.i == expected.i);
		EXPECT(same_double(got.f, expected.f));
		EXPECT(got.text.data == expected.text.data);
		EXPECT(got.text.length == expected.text.length);
		EXPECT(got.scale == expected.scale);
		EXPECT(got.display == expected.display);
	}
	return true;
}

/* Makes a trial's registers; bit i of null_mask: argument i has NULLs. */
static void
start(Trial *trial, const Case *which, uint32_t extra, unsigned null_mask)
{
	static const char letters[] = "ifdbt";
	size_t narguments = strlen(which->kinds) - 1;
	/* Divisors are below 10^12 at the larger scale. */
	uint64_t max_scale = which->code == WA_CODE_DECIMAL_MULTIPLY ||
								 which->code == WA_CODE_DECIMAL_FLOOR_DIVIDE
							 ? 9
							 : 18;
	uint64_t scale = random_below(max_scale + 1);

	trial->which = which;
	trial->narguments = narguments;
	trial->instruction =
		(WaInstruction){(uint16_t) which->code, OUT, 0, 1, 2, extra};
	for (size_t i = 0; i <= OUT; i++)
	{
		size_t at = i < narguments ? i : narguments;
		WaVector *vector = &trial->registers[i];

		trial->kinds[i] =
			(WaVectorKind) (strchr(letters, which->kinds[at]) - letters);
		wa_vector_place(vector, trial->kinds[i], memory[i]);
		vector->has_nulls = (null_mask >> i & 1) != 0;
		vector->mixed = random_below(2) == 0;
		/* Scales are the same, near each other or far away. */
		if (random_below(2) == 0)
			scale = random_below(max_scale + 1);
		vector->scale = (uint8_t) scale;
	}
	trial->program = (WaProgram){
		OUT + 1, trial->kinds, &trial->instruction, 1, lists, calls, tables};
}

/* Makes the row that traps NULL in each argument that can be; then it may not. */
static bool
try_null(Trial *trial, size_t row)
{
	Cell unused;

	for (size_t i = 0; i < trial->narguments; i++)
	{
		WaVector *vector = &trial->registers[i];
		size_t width = wa_vector_width(trial->kinds[i]);
		uint8_t *value = (uint8_t *) vector->values + row * width;
		uint8_t saved[sizeof(WaText)];

		if (!vector->has_nulls || !vector->valid[row])
			continue;
		memcpy(saved, value, width);
		memset(value, 0, width);
		vector->valid[row] = 0;
		if (expect(trial, row, &unused) == FITS)
			EXPECT(run(trial) && is_right(trial));
		else
			EXPECT(!run(trial));
		memcpy(value, saved, width);
		vector->valid[row] = 1;
	}
	return true;
}

/* Tries a batch; *ntraps counts those that were made to trap. */
static bool
try_batch(Trial *trial, size_t nrows, int *ntraps)
{
	size_t row;

	trial->nrows = nrows;
	for (row = 0; row < nrows; row++)
		EXPECT(fill_until(trial, row, FITS));
	EXPECT(run(trial));
	EXPECT(is_right(trial));
	if (nrows == 0)
		return true;
	row = random_below(nrows);
	if (!trial->which->traps || !fill_until(trial, row, TRAPS))
		return true;
	*ntraps += 1;
	EXPECT(!run(trial));
	return try_null(trial, row);
}

/* Tries an instruction. */
static bool
try_case(const Case *which)
{
	unsigned nmasks = 1U << (strlen(which->kinds) - 1);
	int ntraps = 0;
	Trial trial;

	for (size_t extra = 0; extra < which->nextras; extra++)
		for (unsigned mask = 0; mask < nmasks; mask++)
			for (size_t i = 0; i < 3 * LENGTH(sizes); i++)
			{
				start(&trial, which, which->extras[extra], mask);
				EXPECT(try_batch(&trial, sizes[i % LENGTH(sizes)], &ntraps));
			}
	return which->traps == (ntraps > 0);
}

/*
 * The rest
 */

/* Scales whose sum is too large trap. */
static bool
test_scales(void)
{
	static const Case multiply = {WA_CODE_DECIMAL_MULTIPLY, "ddd", true,
								  NO_EXTRA};
	Trial trial;

	start(&trial, &multiply, 0, 0);
	trial.nrows = 1;
	wa_vector_ints(&trial.registers[0])[0] = 3;
	wa_vector_ints(&trial.registers[1])[0] = 4;
	trial.registers[0].mixed = trial.registers[1].mixed = false;
	trial.registers[0].scale = 10;
	trial.registers[1].scale = 8;
	EXPECT(run(&trial));
	EXPECT(is_right(&trial));
	trial.registers[1].scale = 9;
	EXPECT(!run(&trial));
	return true;
}

/* Decimals that do not fit 24 bits become the nearest float4, or trap. */
static bool
test_decimal_to_float4(void)
{
	static const Case convert = {WA_CODE_DECIMAL_TO_FLOAT, "df", true, {4}, 1};
	int ntraps = 0;
	Trial trial;
	Cell expected;

	start(&trial, &convert, 4, 0);
	trial.nrows = 1;
	for (int i = 0; i < 200000; i++)
	{
		int64_t value = (int64_t) (next_random(&seed) >> (11 + i % 30));

		/* One step beside the middle of two float4. */
		if (i % 8 == 0)
			value = ((value >> 26 | 1 << 24 | 1) << 20) + i % 3 - 1;
		wa_vector_ints(&trial.registers[0])[0] = value;
		trial.registers[0].scale = (uint8_t) (i % 19);
		(void) expect(&trial, 0, &expected);
		if (!run(&trial))
			ntraps++;
		else
			EXPECT(wa_vector_floats(&trial.registers[OUT])[0] == expected.f);
	}
	EXPECT(ntraps > 0 && ntraps < 4000);
	return true;
}

/* Only the instructions from begin to before end run: r3 = -(r0 + r1) * r0. */
static bool
test_part(void)
{
	static const WaVectorKind kinds[] = {WA_VECTOR_INT, WA_VECTOR_INT,
										 WA_VECTOR_INT, WA_VECTOR_INT};
	static const WaInstruction instructions[] = {
		{WA_CODE_INT_ADD, 2, 0, 1, 0, 8},
		{WA_CODE_INT_NEGATE, 3, 2, 99, 99, 8},
		{WA_CODE_INT_MULTIPLY, 2, 3, 0, 99, 8},
		{WA_CODE_INT_NARROW, 3, 2, 99, 99, 2}};
	WaProgram program = {4, kinds, instructions, 4, NULL, NULL, NULL};
	WaVector registers[4];

	for (size_t i = 0; i < 4; i++)
		wa_vector_place(&registers[i], kinds[i], memory[i]);
	for (int64_t i = 0; i < 10; i++)
	{
		wa_vector_ints(&registers[0])[i] = i * 1000;
		wa_vector_ints(&registers[1])[i] = i;
	}
	EXPECT(wa_program_run(&program, 0, 2, registers, 10));
	EXPECT(wa_vector_ints(&registers[2])[9] == 9009);
	EXPECT(wa_vector_ints(&registers[3])[9] == -9009);
	EXPECT(wa_program_run(&program, 2, 3, registers, 10));
	EXPECT(wa_vector_ints(&registers[2])[9] == -9009 * 9000);
	EXPECT(wa_vector_ints(&registers[3])[9] == -9009);
	EXPECT(wa_program_run(&program, 4, 4, registers, 10));
	EXPECT(!wa_program_run(&program, 0, 4, registers, 10));
	return true;
}

/* Selects rows by a condition and compacts a vector of each kind to them. */
static bool
try_compact(size_t nrows, const char *kind, bool nulls)
{
	Case which = {WA_CODE_SELECT, "bii", false, {0}, 1};
	char kinds[] = {'b', kind[0], kind[0], '\0'};
	static Cell before[WA_VECTOR_ROWS];
	uint16_t selection[WA_VECTOR_ROWS];
	WaVector *vector;
	size_t nselected;
	size_t nexpected = 0;
	Trial trial;

	which.kinds = kinds;
	start(&trial, &which, 0, nulls ? 3 : 0);
	vector = &trial.registers[1];
	for (size_t row = 0; row < nrows; row++)
	{
		fill(&trial, 0, row);
		fill(&trial, 1, row);
		before[row] = cell_of(vector, trial.kinds[1], row);
	}
	nselected = wa_vector_select(&trial.registers[0], nrows, selection);
	wa_vector_compact(vector, trial.kinds[1], selection, nselected);
	for (size_t row = 0; row < nrows; row++)
	{
		Cell condition = cell_of(&trial.registers[0], WA_VECTOR_BOOL, row);
		Cell after = cell_of(vector, trial.kinds[1], nexpected);

		if (condition.null || condition.i == 0)
			continue;
		EXPECT(nexpected < nselected && selection[nexpected] == row);
		EXPECT(after.null == before[row].null && after.i == before[row].i);
		EXPECT(after.text.data == before[row].text.data);
		EXPECT(after.text.length == before[row].text.length);
		EXPECT(same_double(after.f, before[row].f));
		EXPECT(after.display == before[row].display);
		nexpected++;
	}
	EXPECT(nexpected == nselected);
	return true;
}

static bool
test_compact(void)
{
	static const char kinds[] = "ifdbt";

	for (size_t i = 0; i < 4 * LENGTH(sizes); i++)
		for (size_t kind = 0; kind < sizeof(kinds) - 1; kind++)
		{
			EXPECT(try_compact(sizes[i / 4], &kinds[kind], false));
			EXPECT(try_compact(sizes[i / 4], &kinds[kind], true));
		}
	return true;
}

int
main(void)
{
	bool tried[WA_OPCODE_COUNT] = {false};
	bool all = true;
	char name[80];

	for (size_t i = 0; i < LENGTH(long_list); i++)
		long_list[i] = ((int64_t) i - 16) * (1 << 26) + (int64_t) i % 5;
	make_tables();
	for (size_t i = 0; i < LENGTH(cases); i++)
	{
		tried[cases[i].code] = true;
		(void) snprintf(name, sizeof(name), "%s %s",
						wa_opcode_name(cases[i].code), cases[i].kinds);
		check(try_case(&cases[i]), name);
	}
	/* These are in test_program_wide.c. */
	tried[WA_CODE_DECIMAL_DIVIDE] = tried[WA_CODE_DECIMAL_REMAINDER] =
		tried[WA_CODE_DECIMAL_DIVIDE_WHOLE] = true;
	for (int code = 0; code < WA_OPCODE_COUNT; code++)
		all = all && tried[code];
	check(all, "every instruction was tried");
	check(ncalls > 0, "the function was called");
	check(strcmp(wa_opcode_name(WA_CODE_CALL), "CALL") == 0, "names");
	check(test_scales(), "scales of products");
	check(test_decimal_to_float4(), "numeric to float4");
	check(test_part(), "parts of a program");
	check(test_compact(), "selecting and compacting rows");
	return finish_checks();
}
