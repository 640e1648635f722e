/*
 * test_program_reference.c
 *		What instructions of programs compute, one row at a time.
 *
 * Everything is done the long way: integers in 128 bits, numerics by their
 * digits, floats by the C library, and logic by cases.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/test_program_reference.h"

#define DAY ((__int128) 86400 * 1000000)

/* Returns 10^exponent. */
static __int128
ten_to(int exponent)
{
	__int128 power = 1;

	for (int i = 0; i < exponent; i++)
		power *= 10;
	return power;
}

/* Stores a number if it fits so many bytes. */
static Outcome
store(Cell *result, __int128 number, uint32_t bytes)
{
	__int128 end = (__int128) 1 << (bytes * 8 - 1);

	if (number < -end || number >= end)
		return TRAPS;
	result->i = (int64_t) number;
	return FITS;
}

static Outcome
compute_int(WaOpcode code, uint32_t bytes, __int128 a, __int128 b, Cell *result)
{
	switch (code)
	{
		case WA_CODE_INT_ADD:
			return store(result, a + b, bytes);
		case WA_CODE_INT_SUBTRACT:
			return store(result, a - b, bytes);
		case WA_CODE_INT_MULTIPLY:
			return store(result, a * b, bytes);
		case WA_CODE_INT_DIVIDE:
			return b == 0 ? TRAPS : store(result, a / b, bytes);
		case WA_CODE_INT_REMAINDER:
			return b == 0 ? TRAPS : store(result, a % b, bytes);
		case WA_CODE_INT_NEGATE:
			return store(result, -a, bytes);
		case WA_CODE_INT_ABS:
			return store(result, a < 0 ? -a : a, bytes);
		default:
			return store(result, a, bytes);
	}
}

/* Arithmetic in float or double; the operands are of that type. */
static double
arithmetic(WaOpcode code, uint32_t bytes, double a, double b)
{
	volatile float x = (float) a;
	volatile float y = (float) b;

	switch (code)
	{
		case WA_CODE_FLOAT_ADD:
			return bytes == 4 ? (float) (x + y) : a + b;
		case WA_CODE_FLOAT_SUBTRACT:
			return bytes == 4 ? (float) (x - y) : a - b;
		case WA_CODE_FLOAT_MULTIPLY:
			return bytes == 4 ? (float) (x * y) : a * b;
		default:
			if (b == 0) /* which sanitizers do not like */
				return isnan(a) || a == 0 ? NAN : INFINITY;
			return bytes == 4 ? (float) (x / y) : a / b;
	}
}

static Outcome
compute_float(WaOpcode code, uint32_t bytes, double a, double b, Cell *result)
{
	double r = arithmetic(code, bytes, a, b);

	result->f = r;
	switch (code)
	{
		case WA_CODE_FLOAT_ADD:
		case WA_CODE_FLOAT_SUBTRACT:
			return isinf(r) && !isinf(a) && !isinf(b) ? TRAPS : FITS;
		case WA_CODE_FLOAT_MULTIPLY:
			if (isinf(r) && !isinf(a) && !isinf(b))
				return TRAPS;
			return r == 0 && a != 0 && b != 0 ? TRAPS : FITS;
		default:
			if (b == 0 && !isnan(a))
				return TRAPS;
			if (isinf(r) && !isinf(a))
				return TRAPS;
			return r == 0 && a != 0 && !isinf(b) ? TRAPS : FITS;
	}
}

/* Parts of products, of which 113 bits are enough. */
static Outcome
compute_product(WaOpcode code, double a, double b, Cell *result)
{
	const __float128 product = (__float128) a * (__float128) b;
	const __float128 size = product < 0 ? -product : product;
	const double high = (double) product;

	result->f = 0;
	if (!isfinite(a) || !isfinite(b) || product == 0)
		return FITS;
	if (fabs(high) < 0x1p-900 || size >= 0x1p1000 || fabs(high) >= 0x1p1000 ||
		fabs(a) >= 0x1p1023 || fabs(b) >= 0x1p1023)
		return TRAPS;
	result->f =
		code == WA_CODE_FLOAT_HIGH_PART ? high : (double) (product - high);
	return FITS;
}

static Outcome
compute_float_function(WaOpcode code, uint32_t bytes, double a, Cell *result)
{
	double limit = bytes == 0 ? 0 : ldexp(1, (int) bytes * 8 - 1);

	switch (code)
	{
		case WA_CODE_FLOAT_NEGATE:
			result->f = -a;
			return FITS;
		case WA_CODE_FLOAT_ABS:
			result->f = signbit(a) ? -a : a;
			return FITS;
		case WA_CODE_FLOAT_FLOOR:
			result->f = floor(a);
			return FITS;
		case WA_CODE_FLOAT_CEIL:
			result->f = ceil(a);
			return FITS;
		case WA_CODE_FLOAT_NARROW:
			result->f = (float) a;
			if (isinf(result->f) && !isinf(a))
				return TRAPS;
			return result->f == 0 && a != 0 ? TRAPS : FITS;
		default:
			if (isnan(a) || rint(a) < -limit || rint(a) >= limit)
				return TRAPS;
			result->i = (int64_t) rint(a);
			return FITS;
	}
}

/* Returns a number divided by a power of ten, rounded as the code says. */
static __int128
divide(WaOpcode code, __int128 number, __int128 power)
{
	__int128 magnitude = number < 0 ? -number : number;
	bool whole = magnitude % power == 0;

	if (code == WA_CODE_DECIMAL_FLOOR)
		return number / power - (number < 0 && !whole ? 1 : 0);
	if (code == WA_CODE_DECIMAL_CEIL)
		return number / power + (number > 0 && !whole ? 1 : 0);
	magnitude = magnitude / power + (magnitude % power * 2 >= power ? 1 : 0);
	return number < 0 ? -magnitude : magnitude;
}

static Outcome
compute_round(uint32_t extra, const Cell *a, Cell *result)
{
	int scale = (int) extra % 256;
	int digits = (int) extra / 256;
	__int128 rounded;

	result->scale = result->display = (uint8_t) scale;
	if (a->null)
		return FITS;
	if (scale >= a->scale)
		rounded = a->i * ten_to(scale - a->scale);
	else
		rounded = divide(WA_CODE_DECIMAL_ROUND, a->i, ten_to(a->scale - scale));
	if (digits != 255 &&
		(rounded < 0 ? -rounded : rounded) >= ten_to(digits + scale))
		return TRAPS;
	return store(result, rounded, 8);
}

static Outcome
compute_decimal_to_float(uint32_t bytes, const Cell *a, Cell *result)
{
	char text[64];
	int64_t exact = INT64_C(1) << 53;

	(void) snprintf(text, sizeof(text), "%lde-%d", (long) a->i, a->scale);
	result->f = bytes == 4 ? strtof(text, NULL) : strtod(text, NULL);
	if (a->i < -exact || a->i > exact)
		return TRAPS;
	if (a->i == exact)
		return UNSURE;
	if (bytes == 8)
		return FITS;
	if (a->i == 0)
		return FITS;
	return a->scale <= 8 && llabs(a->i) < 1 << 24 ? FITS : UNSURE;
}

/* What takes one DECIMAL. */
static Outcome
compute_decimal_function(const WaInstruction *instruction, const Cell *a,
						 Cell *result)
{
	switch ((WaOpcode) instruction->code)
	{
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
			result->scale = a->scale;
			result->display = a->display;
			if (instruction->code == WA_CODE_DECIMAL_ABS && a->i > 0)
				return store(result, a->i, 8);
			return store(result, -(__int128) a->i, 8);
		case WA_CODE_DECIMAL_TO_FLOAT:
			return a->null ? FITS
						   : compute_decimal_to_float(instruction->extra, a,
													  result);
		case WA_CODE_DECIMAL_TO_INT:
			return store(result,
						 divide(WA_CODE_DECIMAL_ROUND, a->i, ten_to(a->scale)),
						 instruction->extra);
		case WA_CODE_DECIMAL_ROUND:
			return compute_round(instruction->extra, a, result);
		default:
			return store(
				result,
				divide((WaOpcode) instruction->code, a->i, ten_to(a->scale)),
				8);
	}
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

/* Arithmetic of DECIMALs; their digits may be too many for a NULL, too. */
static Outcome
compute_decimal(WaOpcode code, const Cell *a, const Cell *b, Cell *result)
{
	int scale = larger(a->scale, b->scale);
	__int128 x = a->i * ten_to(scale - a->scale);
	__int128 y = b->i * ten_to(scale - b->scale);

	if (code == WA_CODE_DECIMAL_MULTIPLY)
	{
		result->scale = a->scale + b->scale;
		result->display = a->display + b->display;
		return store(result, (__int128) a->i * b->i, 8);
	}
	result->scale = (uint8_t) scale;
	result->display = (uint8_t) larger(a->display, b->display);
	return store(result, code == WA_CODE_DECIMAL_ADD ? x + y : x - y, 8);
}

/*
 * Divides rationals and rounds down.  Whole numbers of 12 digits over such of 8,
 * and the other way round, are what PostgreSQL's quotient is exact enough for.
 */
static Outcome
compute_floor_divide(const Cell *a, const Cell *b, Cell *result)
{
	int scale = larger(a->scale, b->scale);
	__int128 x = a->i * ten_to(scale - a->scale);
	__int128 y = b->i * ten_to(scale - b->scale);
	__int128 quotient;
	Cell unused;

	if (store(&unused, x, 8) == TRAPS || store(&unused, y, 8) == TRAPS ||
		y <= 0 || y >= ten_to(12))
		return TRAPS;
	quotient = divide(WA_CODE_DECIMAL_FLOOR, x, y);
	if ((quotient < 0 ? -quotient : quotient) >= ten_to(y < ten_to(8) ? 12 : 8))
		return TRAPS;
	return store(result, quotient, 8);
}

/* Returns an order as -1, 0, 1. */
static int
order_of(WaOpcode code, const Cell *a, const Cell *b)
{
	__int128 x = a->i * ten_to(b->scale);
	__int128 y = b->i * ten_to(a->scale);

	if (code == WA_CODE_COMPARE_FLOAT)
	{
		if (isnan(a->f) || isnan(b->f))
			return (isnan(a->f) ? 1 : 0) - (isnan(b->f) ? 1 : 0);
		return a->f < b->f ? -1 : a->f > b->f;
	}
	if (code != WA_CODE_COMPARE_TEXT)
		return x < y ? -1 : x > y;
	for (size_t i = 0; i < a->text.length && i < b->text.length; i++)
		if (a->text.data[i] != b->text.data[i])
			return (uint8_t) a->text.data[i] < (uint8_t) b->text.data[i] ? -1
																		 : 1;
	return a->text.length < b->text.length ? -1
										   : a->text.length > b->text.length;
}

static bool
compare(uint32_t comparison, int order)
{
	switch ((WaComparison) comparison)
	{
		case WA_EQUAL:
			return order == 0;
		case WA_NOT_EQUAL:
			return order != 0;
		case WA_LESS:
			return order < 0;
		case WA_LESS_OR_EQUAL:
			return order <= 0;
		case WA_GREATER:
			return order > 0;
		default:
			return order >= 0;
	}
}

/* AND and OR of 0, 1 and 2 for NULL. */
static const uint8_t and_table[3][3] = {{0, 0, 0}, {0, 1, 2}, {0, 2, 2}};
static const uint8_t or_table[3][3] = {{0, 1, 2}, {1, 1, 1}, {2, 1, 2}};

static Outcome
compute_logic(WaOpcode code, const Cell *a, const Cell *b, Cell *result)
{
	int x = a->null ? 2 : (int) a->i;
	int y = b->null ? 2 : (int) b->i;
	int z = code == WA_CODE_AND ? and_table[x][y] : or_table[x][y];

	result->null = z == 2;
	result->i = z == 1;
	return FITS;
}

static Outcome
compute_select(uint32_t kind, const Cell arguments[3], Cell *result)
{
	const Cell *chosen =
		!arguments[0].null && arguments[0].i ? &arguments[1] : &arguments[2];

	*result = *chosen;
	if (kind != WA_VECTOR_DECIMAL)
		return FITS;
	result->scale = (uint8_t) larger(arguments[1].scale, arguments[2].scale);
	return store(result, chosen->i * ten_to(result->scale - chosen->scale), 8);
}

/* Dates and timestamps. */
static Outcome
compute_time(WaOpcode code, int64_t a, Cell *result)
{
	__int128 time = a * DAY;

	if (code == WA_CODE_TIMESTAMP_TO_DATE)
	{
		if (a == INT64_MIN || a == INT64_MAX)
			return TRAPS;
		time = a / DAY;
		return store(result, a < time * DAY ? time - 1 : time, 4);
	}
	if (a == INT32_MIN || a == INT32_MAX ||
		time < INT64_C(-211813488000000000) ||
		time >= INT64_C(9223371331200000000))
		return TRAPS;
	return store(result, time, 8);
}

/* Seconds since 1970, as a DECIMAL and as a double. */
static Outcome
compute_epoch(WaOpcode code, int64_t a, Cell *result)
{
	__int128 time = a + (__int128) 10957 * DAY;

	if (a == INT64_MIN || store(result, time, 8) == TRAPS)
		return TRAPS;
	if (code == WA_CODE_TIMESTAMP_TO_DECIMAL)
		result->scale = result->display = 6;
	else
	{
		result->f = (double) result->i / 1e6;
		result->i = 0;
	}
	return FITS;
}

/* A text, cut after its last byte that is no blank. */
static WaText
trimmed(const Cell *a)
{
	WaText text = {a->text.data, 0};

	for (size_t i = 0; i < a->text.length; i++)
		if (a->text.data[i] != ' ')
			text.length = i + 1;
	return text;
}

/* Looks for the step of a value from one step to the next. */
static Outcome
compute_steps(const WaLookupTable *steps, WaVectorKind kind, int64_t a,
			  Cell *result)
{
	__int128 begin = steps->base;

	result->scale = result->display = steps->scale;
	for (uint64_t i = 0; i < steps->nentries; i++, begin += steps->width)
	{
		if (a < begin || a >= begin + steps->width)
			continue;
		if (kind == WA_VECTOR_FLOAT)
			memcpy(&result->f, &steps->values[i], sizeof(result->f));
		else
			result->i = steps->values[i];
		result->null = steps->known[i] == WA_ENTRY_NULL;
		return steps->known[i] != WA_ENTRY_UNKNOWN ? FITS : TRAPS;
	}
	result->null = steps->is_total;
	return steps->is_total ? FITS : TRAPS;
}

static bool
is_in_list(const WaIntList *list, int64_t value)
{
	for (size_t i = 0; i < list->nvalues; i++)
		if (list->values[i] == value)
			return true;
	return false;
}

/* The instructions whose NULLs are not just those of the arguments. */
static bool
compute_not_strict(const WaInstruction *instruction, const Cell arguments[3],
				   Cell *result, Outcome *outcome)
{
	const Cell *a = &arguments[0];

	*outcome = FITS;
	result->null = false;
	switch ((WaOpcode) instruction->code)
	{
		case WA_CODE_AND:
		case WA_CODE_OR:
			*outcome = compute_logic((WaOpcode) instruction->code, a,
									 &arguments[1], result);
			return true;
		case WA_CODE_IS_NULL:
			result->i = a->null;
			return true;
		case WA_CODE_IS_NOT_NULL:
			result->i = !a->null;
			return true;
		case WA_CODE_IS_TRUE:
			result->i = !a->null && a->i == 1;
			return true;
		case WA_CODE_SELECT:
			*outcome = compute_select(instruction->extra, arguments, result);
			return true;
		default:
			return false;
	}
}

/* The others; the values of NULLs are 0. */
static Outcome
compute_strict(const WaProgram *program, const WaInstruction *instruction,
			   const Cell *a, const Cell *b, Cell *result)
{
	WaOpcode code = (WaOpcode) instruction->code;
	uint32_t extra = instruction->extra;

	if (code <= WA_CODE_INT_NARROW)
		return compute_int(code, extra, a->i, b->i, result);
	if (code <= WA_CODE_FLOAT_DIVIDE)
		return compute_float(code, extra, a->f, b->f, result);
	if (code <= WA_CODE_FLOAT_NARROW || code == WA_CODE_FLOAT_TO_INT)
		return compute_float_function(code, extra, a->f, result);
	if (code <= WA_CODE_FLOAT_LOW_PART)
		return compute_product(code, a->f, b->f, result);
	if (code <= WA_CODE_DECIMAL_MULTIPLY)
		return compute_decimal(code, a, b, result);
	if (code == WA_CODE_DECIMAL_FLOOR_DIVIDE)
		return compute_floor_divide(a, b, result);
	if (code <= WA_CODE_DECIMAL_ROUND || code == WA_CODE_DECIMAL_TO_INT ||
		code == WA_CODE_DECIMAL_TO_FLOAT)
		return compute_decimal_function(instruction, a, result);
	if (code == WA_CODE_DATE_TO_TIMESTAMP || code == WA_CODE_TIMESTAMP_TO_DATE)
		return compute_time(code, a->i, result);
	if (code == WA_CODE_TIMESTAMP_TO_DECIMAL ||
		code == WA_CODE_TIMESTAMP_TO_FLOAT)
		return compute_epoch(code, a->i, result);
	if (code == WA_CODE_LOOK_UP)
		return compute_steps(&program->tables[extra],
							 program->kinds[instruction->out], a->i, result);
	if (code == WA_CODE_TRIM)
		result->text = trimmed(a);
	else if (code == WA_CODE_INT_TO_FLOAT)
		result->f = extra == 4 ? (float) a->i : (double) a->i;
	else if (code == WA_CODE_DECIMAL_SCALE)
		result->i = a->display;
	else if (code == WA_CODE_INT_TO_DECIMAL)
		result->i = a->i;
	else if (code == WA_CODE_IN_INT)
		result->i = is_in_list(&program->lists[extra], a->i);
	else if (code == WA_CODE_NOT)
		result->i = a->i == 0;
	else if (code == WA_CODE_CALL)
		return a->i >= 100 ? TRAPS : store(result, 2 * (__int128) a->i, 8);
	else
		result->i = compare(extra, order_of(code, a, b));
	return FITS;
}

Outcome
reference_compute(const WaProgram *program, const WaInstruction *instruction,
				  const Cell arguments[3], Cell *result)
{
	Outcome outcome;

	memset(result, 0, sizeof(*result));
	if (compute_not_strict(instruction, arguments, result, &outcome))
		return outcome;
	outcome = compute_strict(program, instruction, &arguments[0], &arguments[1],
							 result);
	if (!arguments[0].null && !arguments[1].null)
		return outcome;
	result->null = true;
	return FITS;
}

bool
reference_call(void *context, const WaVector *a, WaVector *out, size_t nrows)
{
	*(int *) context += 1;
	out->has_nulls = a->has_nulls;
	out->mixed = false;
	out->scale = 0;
	for (size_t i = 0; i < nrows; i++)
	{
		if (a->has_nulls)
			out->valid[i] = a->valid[i];
		if (wa_vector_ints(a)[i] >= 100 || wa_vector_ints(a)[i] < INT64_MIN / 2)
			return false;
		wa_vector_ints(out)[i] = 2 * wa_vector_ints(a)[i];
	}
	return true;
}
