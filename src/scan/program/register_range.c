/*
 * register_range.c
 *		Between which values the integers are that a program computes; see
 *		register_range.h.
 *
 * A range tells which steps a table has (scan/tables/range_tables.c), so it need not be exact:
 * what is beyond it is computed otherwise.
 */
#include "postgres.h"

#include <math.h>

#include "datatype/timestamp.h"

#include "scan/program/register_range.h"

/* So many instructions may stand behind each other. */
#define MAX_DEPTH 14

/* Where digits are lost, ends are moved by so much of them. */
#define SLACK 1e-14L

/* A range; a long double has all digits of an integer of 64 bits. */
typedef struct Range
{
	long double first;
	long double last; /* less than first: there are no values */
	uint64 rows;
} Range;

static bool find_range(const WaRegisterRanges *ranges, int number, int depth,
					   Range *range);

/* Returns the range of all integers. */
static Range
all_integers(void)
{
	return (Range){(long double) PG_INT64_MIN, (long double) PG_INT64_MAX, 0};
}

/* Tells whether a range has no values. */
static bool
is_empty(const Range *range)
{
	return range->first > range->last;
}

/* Takes off what does not fit so many bytes: there the program traps. */
static void
clip(Range *range, uint32 bytes)
{
	const long double end = ldexpl(1, (int) bytes * 8 - 1);

	range->first = Max(range->first, -end);
	range->last = Min(range->last, end - 1);
}

/* Makes a range of what is rounded in one way or another. */
static void
widen(Range *range)
{
	range->first = floorl(range->first - fabsl(range->first) * SLACK);
	range->last = ceill(range->last + fabsl(range->last) * SLACK);
}

/* Finds the range of a column; returns false if its kind has none. */
static bool
find_column_range(const WaRegisterRanges *ranges, int number, Range *range)
{
	*range = all_integers();
	if (ranges->compiler->kinds[number] != WA_VECTOR_INT)
		return false;
	if (ranges->columns == NULL)
		return true;
	range->first = (long double) ranges->columns[number].smallest;
	range->last = (long double) ranges->columns[number].largest;
	range->rows = ranges->columns[number].rows;
	return true;
}

/* Returns the value of a constant, which is not NULL. */
static long double
value_of(const WaVector *vector, WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return (long double) wa_vector_floats(vector)[0];
		case WA_VECTOR_DECIMAL:
			return (vector->wide ? (long double) wa_int128_get(
									   wa_vector_wides(vector)[0])
								 : (long double) wa_vector_ints(vector)[0]) *
				   powl(10, -(int) vector->scale);
		default:
			return (long double) wa_vector_ints(vector)[0];
	}
}

/* Finds the range of a constant; returns false if its kind has none. */
static bool
find_constant_range(const WaRegisterRanges *ranges, int number, Range *range)
{
	const WaVectorKind kind = ranges->compiler->kinds[number];
	const WaVector *vector;

	*range = all_integers();
	if (kind == WA_VECTOR_TEXT || kind == WA_VECTOR_BOOL)
		return false;
	if (ranges->constants == NULL)
		return true;
	vector = &ranges->constants[number];
	if (wa_vector_is_valid(vector, 0))
		range->first = range->last = value_of(vector, kind);
	else
		*range = (Range){1, 0, 0};
	return true;
}

/* Finds the range of results that are at the ends of theirs where their arguments are. */
static void
take_ends(const long double ends[4], Range *range)
{
	range->first = range->last = ends[0];
	for (int i = 1; i < 4; i++)
	{
		range->first = Min(range->first, ends[i]);
		range->last = Max(range->last, ends[i]);
	}
}

/* Finds the range of products. */
static void
multiply(const Range *a, const Range *b, Range *range)
{
	const long double ends[] = {a->first * b->first, a->first * b->last,
								a->last * b->first, a->last * b->last};

	take_ends(ends, range);
}

/*
 * Finds the range of quotients.  Those of integers are no further from 0 than what is
 * divided.
 */
static void
divide(const Range *a, const Range *b, Range *range)
{
	const long double largest = Max(fabsl(a->first), fabsl(a->last));
	const long double ends[] = {a->first / b->first, a->first / b->last,
								a->last / b->first, a->last / b->last};

	if (b->first > 0 || b->last < 0)
		take_ends(ends, range);
	else
		*range = (Range){-largest, largest, 0};
	widen(range);
}

/* Finds the range of remainders, which have the sign of what is divided. */
static void
take_remainder(const Range *a, const Range *b, Range *range)
{
	const long double largest = Max(fabsl(b->first), fabsl(b->last)) - 1;

	range->first = a->first < 0 ? Max(a->first, -largest) : 0;
	range->last = a->last > 0 ? Min(a->last, largest) : 0;
}

/* Finds the range of what an instruction computes from two ranges. */
static void
inputs(const WaInstruction *instruction, const Range *a, const Range *b,
	   Range *range)
{
	switch (instruction->code)
	{
		case WA_CODE_INT_ADD:
		case WA_CODE_FLOAT_ADD:
		case WA_CODE_DECIMAL_ADD:
			range->first = a->first + b->first;
			range->last = a->last + b->last;
			break;
		case WA_CODE_INT_SUBTRACT:
		case WA_CODE_FLOAT_SUBTRACT:
		case WA_CODE_DECIMAL_SUBTRACT:
			range->first = a->first - b->last;
			range->last = a->last - b->first;
			break;
		case WA_CODE_INT_MULTIPLY:
		case WA_CODE_FLOAT_MULTIPLY:
		case WA_CODE_DECIMAL_MULTIPLY:
			multiply(a, b, range);
			break;
		case WA_CODE_INT_REMAINDER:
			take_remainder(a, b, range);
			break;
		default:
			divide(a, b, range);
			break;
	}
}

/* The same from one range. */
static void
convert(const WaInstruction *instruction, const Range *a, Range *range)
{
	const long double largest = Max(fabsl(a->first), fabsl(a->last));

	*range = *a;
	switch (instruction->code)
	{
		case WA_CODE_INT_NEGATE:
			*range = (Range){-a->last, -a->first, 0};
			break;
		case WA_CODE_INT_ABS:
			*range = (Range){0, largest, 0};
			break;
		case WA_CODE_DATE_TO_TIMESTAMP:
			range->first = a->first * (long double) USECS_PER_DAY;
			range->last = a->last * (long double) USECS_PER_DAY;
			break;
		case WA_CODE_TIMESTAMP_TO_DATE:
			range->first = floorl(a->first / (long double) USECS_PER_DAY);
			range->last = floorl(a->last / (long double) USECS_PER_DAY);
			break;
		case WA_CODE_INT_NARROW:
		case WA_CODE_INT_TO_DECIMAL:
		case WA_CODE_INT_TO_FLOAT:
			break;
		default:
			widen(range);
			break;
	}
}

/* Finds the range of a choice between b and c: both together. */
static bool
choose(const WaRegisterRanges *ranges, const WaInstruction *instruction,
	   int depth, Range *range)
{
	Range b;
	Range c;

	if (!find_range(ranges, instruction->b, depth, &b) ||
		!find_range(ranges, instruction->c, depth, &c))
		return false;
	if (is_empty(&b) || is_empty(&c))
		*range = is_empty(&b) ? c : b;
	else
		*range = (Range){Min(b.first, c.first), Max(b.last, c.last), 0};
	range->rows = Max(b.rows, c.rows);
	return true;
}

/* How many arguments a range is computed from; 0: there is no such thing. */
static int
count_arguments(WaOpcode code)
{
	switch (code)
	{
		case WA_CODE_INT_ADD:
		case WA_CODE_INT_SUBTRACT:
		case WA_CODE_INT_MULTIPLY:
		case WA_CODE_INT_DIVIDE:
		case WA_CODE_INT_REMAINDER:
		case WA_CODE_FLOAT_ADD:
		case WA_CODE_FLOAT_SUBTRACT:
		case WA_CODE_FLOAT_MULTIPLY:
		case WA_CODE_FLOAT_DIVIDE:
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
		case WA_CODE_DECIMAL_MULTIPLY:
		case WA_CODE_DECIMAL_DIVIDE:
		case WA_CODE_DECIMAL_DIVIDE_WHOLE:
		case WA_CODE_DECIMAL_FLOOR_DIVIDE:
			return 2;
		case WA_CODE_INT_NEGATE:
		case WA_CODE_INT_ABS:
		case WA_CODE_INT_NARROW:
		case WA_CODE_INT_TO_FLOAT:
		case WA_CODE_INT_TO_DECIMAL:
		case WA_CODE_FLOAT_FLOOR:
		case WA_CODE_FLOAT_CEIL:
		case WA_CODE_FLOAT_NARROW:
		case WA_CODE_FLOAT_TO_INT:
		case WA_CODE_DECIMAL_FLOOR:
		case WA_CODE_DECIMAL_CEIL:
		case WA_CODE_DECIMAL_ROUND:
		case WA_CODE_DECIMAL_TO_INT:
		case WA_CODE_DECIMAL_TO_FLOAT:
		case WA_CODE_DATE_TO_TIMESTAMP:
		case WA_CODE_TIMESTAMP_TO_DATE:
			return 1;
		default:
			return 0;
	}
}

/* Finds the range of what an instruction computes. */
static bool
find_result_range(const WaRegisterRanges *ranges,
				  const WaInstruction *instruction, int depth, Range *range)
{
	const int narguments = count_arguments((WaOpcode) instruction->code);
	Range a;
	Range b = {0};

	if (instruction->code == WA_CODE_SELECT)
		return choose(ranges, instruction, depth, range);
	if (narguments == 0 || !find_range(ranges, instruction->a, depth, &a) ||
		(narguments == 2 && !find_range(ranges, instruction->b, depth, &b)))
		return false;
	*range = (Range){1, 0, 0};
	if (!is_empty(&a) && !is_empty(&b) && narguments == 2)
		inputs(instruction, &a, &b, range);
	else if (!is_empty(&a) && narguments == 1)
		convert(instruction, &a, range);
	range->rows = Max(a.rows, b.rows);
	return true;
}

/* Finds the range of a register. */
static bool
find_range(const WaRegisterRanges *ranges, int number, int depth, Range *range)
{
	const WaInstruction *found = NULL;

	if (depth == 0)
		return false;
	if (number < ranges->compiler->ncolumns)
		return find_column_range(ranges, number, range);
	for (int i = 0; i < ranges->compiler->ninstructions && found == NULL; i++)
		if (ranges->compiler->instructions[i].out == number)
			found = &ranges->compiler->instructions[i];
	if (found == NULL)
		return find_constant_range(ranges, number, range);
	if (!find_result_range(ranges, found, depth - 1, range))
		return false;
	if (ranges->compiler->kinds[number] == WA_VECTOR_INT)
		clip(range, sizeof(int64));
	return true;
}

bool
wa_register_range(const WaRegisterRanges *ranges, int number,
				  WaResidency *range)
{
	Range found;

	memset(range, 0, sizeof(*range));
	if (ranges->compiler->kinds[number] != WA_VECTOR_INT ||
		!find_range(ranges, number, MAX_DEPTH, &found))
		return false;
	range->rows = found.rows;
	range->smallest = is_empty(&found) ? 1 : (int64) found.first;
	range->largest = is_empty(&found) ? 0 : (int64) found.last;
	return true;
}
