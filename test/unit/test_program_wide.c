/*
 * test_program_wide.c
 *		Instructions over DECIMALs with up to 38 digits, and division.
 *
 * They run over random values and such that are near powers of ten and of 10000,
 * near ties of rounding, and small.  The reference does everything by decimal
 * digits, as at school, and knows numeric_div by its digits of base 10000.
 */
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "test/unit/opcode_name.h"
#include "test/unit/test_program_values.h"

#define OUT         3
#define BATCHES     4000
#define MAX_ROWS    40
#define DIGITS      200
#define WIDE_DIGITS 38

/* A number: sign and decimal digits, lowest first, of which `scale` are a fraction. */
typedef struct Big
{
	bool negative;
	int scale;
	int shown;
	uint8_t digits[DIGITS];
} Big;

/* What becomes of a row. */
typedef enum Fate
{
	FITS,
	TRAPS,
	MAY_TRAP
} Fate;

static _Alignas(64) uint8_t memory[OUT + 1][WA_VECTOR_ROWS * 18];

static Big
big_of(__int128 value, int scale, int shown)
{
	unsigned __int128 rest =
		value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	Big big = {.negative = value < 0, .scale = scale, .shown = shown};

	for (int i = 0; rest != 0; i++, rest /= 10)
		big.digits[i] = (uint8_t) (rest % 10);
	return big;
}

static int
length_of(const Big *a)
{
	int length = DIGITS;

	while (length > 0 && a->digits[length - 1] == 0)
		length--;
	return length;
}

/* Writes the number with more digits after the point, or without some. */
static Big
at_scale(Big a, int scale)
{
	Big out = {.negative = a.negative, .scale = scale, .shown = a.shown};

	for (int i = 0; i < DIGITS; i++)
		if (i + scale - a.scale >= 0 && i + scale - a.scale < DIGITS)
			out.digits[i + scale - a.scale] = a.digits[i];
	return out;
}

static int
compare_digits(const Big *a, const Big *b)
{
	for (int i = DIGITS - 1; i >= 0; i--)
		if (a->digits[i] != b->digits[i])
			return a->digits[i] < b->digits[i] ? -1 : 1;
	return 0;
}

/* Adds the digits of b to those of a, `sign` times; they are not negative. */
static void
add_digits(Big *a, const Big *b, int sign)
{
	int carry = 0;

	for (int i = 0; i < DIGITS; i++)
	{
		int digit = a->digits[i] + sign * b->digits[i] + carry;

		carry = digit < 0 ? -1 : digit / 10;
		a->digits[i] = (uint8_t) (digit - carry * 10);
	}
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

static Big
big_add(Big a, Big b, bool subtract)
{
	int scale = larger(a.scale, b.scale);
	int shown = larger(a.shown, b.shown);

	a = at_scale(a, scale);
	b = at_scale(b, scale);
	if (subtract)
		b.negative = !b.negative;
	if (a.negative == b.negative)
		add_digits(&a, &b, 1);
	else if (compare_digits(&a, &b) >= 0)
		add_digits(&a, &b, -1);
	else
	{
		add_digits(&b, &a, -1);
		a = b;
	}
	a.shown = shown;
	return a;
}

static Big
big_multiply(const Big *a, const Big *b)
{
	Big out = {.negative = a->negative != b->negative,
			   .scale = a->scale + b->scale,
			   .shown = a->shown + b->shown};

	for (int i = 0; i < length_of(b); i++)
		for (int times = 0; times < b->digits[i]; times++)
		{
			Big shifted = at_scale(*a, a->scale + i);

			add_digits(&out, &shifted, 1);
		}
	return out;
}

/* Divides the digits, those of whole numbers; leaves the rest in *a. */
static Big
divide_digits(Big *a, const Big *b)
{
	Big out = {0};

	for (int i = length_of(a) - length_of(b); i >= 0; i--)
	{
		Big shifted = at_scale(*b, b->scale + i);

		for (; compare_digits(a, &shifted) >= 0; out.digits[i]++)
			add_digits(a, &shifted, -1);
	}
	return out;
}

/* Drops digits after the point; half is rounded away from zero, or towards it. */
static Big
big_round(Big a, int scale, bool up)
{
	static const Big one = {.digits = {1}};
	Big out = at_scale(a, scale);

	if (up && a.scale > scale && a.digits[a.scale - scale - 1] >= 5)
		add_digits(&out, &one, 1);
	out.shown = scale;
	return out;
}

/* Floor and ceil. */
static Big
big_whole(Big a, bool up)
{
	static const Big one = {.digits = {1}};
	Big out = big_round(a, 0, false);
	Big back = at_scale(out, a.scale);

	if (compare_digits(&back, &a) != 0 && a.negative != up)
		add_digits(&out, &one, 1);
	return out;
}

/* Finds the first digit of base 10000 that is not 0, and its weight. */
static int
first_digit(const Big *a, int *weight)
{
	/* Groups of four end at the point. */
	for (*weight = 30; *weight >= -20; --*weight)
	{
		int digit = 0;

		for (int i = 3; i >= 0; i--)
		{
			int place = *weight * 4 + i + a->scale;

			digit = digit * 10 +
					(place >= 0 && place < DIGITS ? a->digits[place] : 0);
		}
		if (digit != 0)
			return digit;
	}
	*weight = 0;
	return 0;
}

/* As numeric_div, from its select_div_scale. */
static Big
big_divide(const Big *a, const Big *b)
{
	int a_weight;
	int b_weight;
	int a_first = first_digit(a, &a_weight);
	int b_first = first_digit(b, &b_weight);
	int weight = a_weight - b_weight - (a_first <= b_first ? 1 : 0);
	int scale = larger(larger(16 - 4 * weight, 0), larger(a->shown, b->shown));
	/* One digit more than is needed tells how to round. */
	Big dividend = at_scale(*a, a->scale + b->scale + scale + 1);
	Big divisor = at_scale(*b, b->scale + a->scale);
	Big out;

	out = divide_digits(&dividend, &divisor);
	out.scale = scale + 1;
	out = big_round(out, scale, true);
	out.negative = a->negative != b->negative;
	return out;
}

/* a % b and div(a, b). */
static Big
big_remainder(Big a, Big b, Big *quotient)
{
	int scale = larger(a.scale, b.scale);
	Big rest = at_scale(a, scale);
	Big divisor = at_scale(b, scale);

	*quotient = divide_digits(&rest, &divisor);
	quotient->negative = a.negative != b.negative;
	rest.shown = larger(a.shown, b.shown);
	return rest;
}

/* Tells whether a number has no more than 38 digits in units of 10^-scale. */
static bool
fits(const Big *a, int scale)
{
	Big scaled = at_scale(*a, scale);

	return scale <= WIDE_DIGITS && length_of(&scaled) <= WIDE_DIGITS;
}

/*
 * Trials
 */

typedef struct Trial
{
	WaInstruction instruction;
	WaVectorKind kinds[OUT + 1];
	WaVector registers[OUT + 1];
	size_t nrows;
} Trial;

static Big
cell_of(const WaVector *vector, size_t row)
{
	__int128 value = vector->wide ? wa_int128_get(wa_vector_wides(vector)[row])
								  : wa_vector_ints(vector)[row];

	return big_of(value, vector->scale,
				  vector->mixed ? vector->display[row] : vector->scale);
}

/* Divides. */
static Fate
divide_fate(const Big *a, const Big *b, Big *out)
{
	*out = big_divide(a, b);
	return length_of(b) < WIDE_DIGITS && a->scale - b->scale <= out->scale
			   ? FITS
			   : MAY_TRAP;
}

/* Computes a row, whose arguments are not NULL. */
static Fate
expect(const Trial *trial, size_t row, Big *out)
{
	const WaVector *registers = trial->registers;
	WaOpcode code = (WaOpcode) trial->instruction.code;
	uint32_t extra = trial->instruction.extra;
	Big a = cell_of(&registers[0], row);
	Big b = cell_of(&registers[1], row);
	int scale = larger(a.scale, b.scale);
	bool aligned = fits(&a, scale) && fits(&b, scale);
	Big quotient;

	switch (code)
	{
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
			*out = big_add(a, b, code == WA_CODE_DECIMAL_SUBTRACT);
			return aligned ? FITS : MAY_TRAP;
		case WA_CODE_DECIMAL_MULTIPLY:
			*out = big_multiply(&a, &b);
			return FITS;
		case WA_CODE_DECIMAL_NEGATE:
			*out = a;
			out->negative = !a.negative;
			return FITS;
		case WA_CODE_DECIMAL_ABS:
			*out = a;
			out->negative = false;
			return FITS;
		case WA_CODE_DECIMAL_FLOOR:
		case WA_CODE_DECIMAL_CEIL:
			*out = big_whole(a, code == WA_CODE_DECIMAL_CEIL);
			return FITS;
		case WA_CODE_DECIMAL_ROUND:
			*out = big_round(a, (int) extra % 256, true);
			return length_of(out) > (int) (extra % 256 + extra / 256) ? TRAPS
																	  : FITS;
		case WA_CODE_DECIMAL_TO_INT:
			*out = big_round(a, 0, true);
			return FITS;
		default:
			break;
	}
	*out = (Big){0};
	if (length_of(&b) == 0)
		return TRAPS;
	if (code == WA_CODE_DECIMAL_DIVIDE || code == WA_CODE_DECIMAL_FLOOR_DIVIDE)
	{
		const Fate fate = divide_fate(&a, &b, out);

		if (code == WA_CODE_DECIMAL_DIVIDE)
			return fate;
		aligned = fate == FITS && fits(out, out->scale);
		*out = big_whole(*out, false);
		return aligned ? FITS : MAY_TRAP;
	}
	*out = big_remainder(a, b, &quotient);
	if (code == WA_CODE_DECIMAL_DIVIDE_WHOLE)
		*out = quotient;
	return aligned ? FITS : MAY_TRAP;
}

/* A number of up to so many digits: any, near a power of ten, a tie, small. */
static __int128
random_wide(int digits)
{
	unsigned length = (unsigned) random_below((uint64_t) digits + 1);
	__int128 power = wa_wide_power_of_ten((int) length);
	__int128 value;

	switch (random_below(5))
	{
		case 0:
			value = (__int128) random_below(20);
			break;
		case 1:
			value = power + (__int128) random_below(5) - 2;
			break;
		case 2:
			/* 0, 5, 49...9 or 50...1 of some digits behind three others */
			if (length > WIDE_DIGITS - 3)
				power = wa_wide_power_of_ten(WIDE_DIGITS - 3);
			value = (__int128) random_below(1000) * power +
					power / 2 * (__int128) random_below(2) +
					(__int128) random_below(3) - 1;
			break;
		default:
			value = (__int128) (((unsigned __int128) next_random(&seed) << 63 |
								 next_random(&seed)) %
								(unsigned __int128) power);
			break;
	}
	value %= wa_wide_power_of_ten(digits);
	return random_below(2) == 0 ? value : -value;
}

/* Fills an argument. */
static void
fill(Trial *trial, size_t argument, bool wide, int digits)
{
	WaVector *vector = &trial->registers[argument];

	vector->wide = wide;
	vector->has_nulls = random_below(3) == 0;
	vector->mixed = random_below(2) == 0;
	vector->scale = (uint8_t) random_below((uint64_t) (wide ? digits : 18) + 1);
	for (size_t row = 0; row < trial->nrows; row++)
	{
		__int128 value = random_wide(wide ? digits : 18);
		uint8_t shown = (uint8_t) random_below(vector->scale + UINT64_C(1));

		vector->valid[row] = !vector->has_nulls || random_below(4) != 0;
		if (!wa_vector_is_valid(vector, row))
			value = 0;
		/* What is not shown is 0. */
		if (vector->mixed)
			value -= value % wa_wide_power_of_ten(vector->scale - shown);
		vector->display[row] = shown;
		if (wide)
			wa_vector_wides(vector)[row] = wa_int128_make(value);
		else
			wa_vector_ints(vector)[row] = (int64_t) value;
	}
}

static bool
is_valid(const Trial *trial, size_t row, bool is_single)
{
	return wa_vector_is_valid(&trial->registers[0], row) &&
		   (is_single || wa_vector_is_valid(&trial->registers[1], row));
}

/* Returns what is to become of all rows; they are all raised to one scale. */
static Fate
expect_all(const Trial *trial, bool is_single, int *scale)
{
	static Big rows[MAX_ROWS];
	Fate fate = FITS;

	/* The scale of a product is too large even where all rows are NULL. */
	*scale = trial->instruction.code == WA_CODE_DECIMAL_MULTIPLY
				 ? trial->registers[0].scale + trial->registers[1].scale
				 : 0;
	if (*scale > WIDE_DIGITS)
		return TRAPS;
	for (size_t row = 0; row < trial->nrows; row++)
	{
		Fate next;

		if (!is_valid(trial, row, is_single))
			continue;
		next = expect(trial, row, &rows[row]);
		if (next == TRAPS)
			return TRAPS;
		fate = next == MAY_TRAP ? MAY_TRAP : fate;
		*scale = larger(*scale, rows[row].scale);
	}
	for (size_t row = 0; row < trial->nrows; row++)
		if (is_valid(trial, row, is_single) && !fits(&rows[row], *scale))
			return TRAPS;
	return fate;
}

/* Tells whether an integer is the number. */
static bool
is_integer(const Trial *trial, size_t row, const Big *expected)
{
	Big got = big_of(wa_vector_ints(&trial->registers[OUT])[row], 0, 0);

	return compare_digits(&got, expected) == 0 &&
		   (length_of(&got) == 0 || got.negative == expected->negative);
}

/* Tells whether the result is the expected one. */
static bool
is_right(const Trial *trial, bool is_single)
{
	const WaVector *out = &trial->registers[OUT];

	for (size_t row = 0; row < trial->nrows; row++)
	{
		Big expected;
		Big got;

		EXPECT(wa_vector_is_valid(out, row) == is_valid(trial, row, is_single));
		if (trial->kinds[OUT] == WA_VECTOR_INT)
		{
			if (!is_valid(trial, row, is_single))
				EXPECT(wa_vector_ints(out)[row] == 0);
			else
			{
				(void) expect(trial, row, &expected);
				EXPECT(is_integer(trial, row, &expected));
			}
			continue;
		}
		got = cell_of(out, row);
		if (!is_valid(trial, row, is_single))
		{
			EXPECT(length_of(&got) == 0);
			continue;
		}
		(void) expect(trial, row, &expected);
		EXPECT(got.shown == expected.shown);
		expected = at_scale(expected, got.scale);
		EXPECT(compare_digits(&got, &expected) == 0);
		EXPECT(length_of(&got) == 0 || got.negative == expected.negative);
	}
	return true;
}

/* Tells whether all of a result's integers have room in so many bytes. */
static bool
have_room(const Trial *trial)
{
	for (size_t row = 0; row < trial->nrows; row++)
	{
		Big expected;
		Big end =
			big_of((__int128) 1 << (trial->instruction.extra * 8 - 1), 0, 0);
		int order;

		if (!is_valid(trial, row, true))
			continue;
		(void) expect(trial, row, &expected);
		order = compare_digits(&expected, &end);
		if (order > 0 || (order == 0 && !expected.negative))
			return false;
	}
	return true;
}

/* Runs an instruction over a result that is full of something else. */
static bool
run(Trial *trial)
{
	WaProgram program = {OUT + 1, trial->kinds, &trial->instruction, 1, NULL,
						 NULL,    NULL};
	WaVector *out = &trial->registers[OUT];

	memset(memory[OUT], 0xa5, sizeof(memory[OUT]));
	out->has_nulls = out->mixed = out->wide = random_below(2) == 0;
	out->scale = 77;
	return wa_program_run(&program, 0, 1, trial->registers, trial->nrows);
}

/* Tries an instruction; is_single: it has one argument. */
static bool
try_code(WaOpcode code, bool is_single, uint32_t extra)
{
	int nright = 0;
	int ntrapped = 0;
	int nwide = 0;

	for (int batch = 0; batch < BATCHES; batch++)
	{
		Trial trial = {.instruction = {(uint16_t) code, OUT, 0, 1, 2, extra}};
		int scale = 0;
		Fate fate;

		trial.nrows = 1 + random_below(random_below(2) == 0 ? 2 : MAX_ROWS);
		for (size_t i = 0; i <= OUT; i++)
		{
			trial.kinds[i] = i == OUT && code == WA_CODE_DECIMAL_TO_INT
								 ? WA_VECTOR_INT
								 : WA_VECTOR_DECIMAL;
			wa_vector_place_register(&trial.registers[i], trial.kinds[i],
									 memory[i]);
			if (i < 2)
				fill(&trial, i, random_below(2) == 0,
					 1 + (int) random_below(WIDE_DIGITS));
		}
		fate = expect_all(&trial, is_single, &scale);
		if (code == WA_CODE_DECIMAL_TO_INT)
			fate = have_room(&trial) ? FITS : TRAPS;
		if (!run(&trial))
		{
			EXPECT(fate != FITS);
			ntrapped++;
			continue;
		}
		EXPECT(fate != TRAPS);
		EXPECT(is_right(&trial, is_single));
		nright++;
		nwide += trial.registers[OUT].wide;
	}
	/* Enough of everything has been tried. */
	EXPECT(nright > BATCHES / 10);
	EXPECT(nwide > BATCHES / 100 || code == WA_CODE_DECIMAL_TO_INT);
	return ntrapped > 0 || is_single;
}

/* Chooses between numbers, wide or not. */
static bool
test_select(void)
{
	for (int batch = 0; batch < BATCHES; batch++)
	{
		Trial trial = {
			.instruction = {WA_CODE_SELECT, OUT, 2, 0, 1, WA_VECTOR_DECIMAL},
			.kinds = {WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL, WA_VECTOR_BOOL,
					  WA_VECTOR_DECIMAL},
			.nrows = 1 + random_below(MAX_ROWS)};
		int scale;
		bool has_room = true;

		for (size_t i = 0; i <= OUT; i++)
			wa_vector_place_register(&trial.registers[i], trial.kinds[i],
									 memory[i]);
		fill(&trial, 0, random_below(2) == 0, 30);
		fill(&trial, 1, random_below(2) == 0, 30);
		scale = larger(trial.registers[0].scale, trial.registers[1].scale);
		for (size_t row = 0; row < trial.nrows; row++)
		{
			uint8_t which = (uint8_t) random_below(2);
			Big chosen = cell_of(&trial.registers[1 - which], row);

			wa_vector_bools(&trial.registers[2])[row] = which;
			has_room &= fits(&chosen, scale);
		}
		EXPECT(run(&trial) == has_room);
		for (size_t row = 0; row < trial.nrows && has_room; row++)
		{
			uint8_t which = wa_vector_bools(&trial.registers[2])[row];
			const WaVector *from = &trial.registers[1 - which];
			Big chosen = cell_of(from, row);
			Big got = cell_of(&trial.registers[OUT], row);

			EXPECT(wa_vector_is_valid(&trial.registers[OUT], row) ==
				   wa_vector_is_valid(from, row));
			EXPECT(!wa_vector_is_valid(from, row) || got.shown == chosen.shown);
			chosen = at_scale(chosen, got.scale);
			EXPECT(compare_digits(&got, &chosen) == 0);
			EXPECT(length_of(&got) == 0 || got.negative == chosen.negative);
		}
	}
	return true;
}

/* Makes a number one that lies between two floats, or next to that. */
static void
fill_between(WaVector *vector, uint32_t bytes)
{
	const int bits = bytes == 4 ? 25 : 54;
	const uint64_t number = (next_random(&seed) | UINT64_C(1) << 63) >>
							(64 - bits) << random_below(9);

	vector->wide = false;
	vector->has_nulls = false;
	vector->scale = (uint8_t) (random_below(2) * random_below(19));
	wa_vector_ints(vector)[0] = (int64_t) (number + random_below(3)) - 1;
}

/* Has the C library read a number with a point. */
static bool
test_to_float(void)
{
	for (int i = 0; i < BATCHES; i++)
	{
		const uint32_t bytes = i % 2 == 0 ? 4 : 8;
		Trial trial = {
			.instruction = {WA_CODE_DECIMAL_TO_FLOAT, OUT, 0, 0, 0, bytes},
			.kinds = {WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL, WA_VECTOR_DECIMAL,
					  WA_VECTOR_FLOAT},
			.nrows = 1};
		char text[64];
		char *end = text;
		Big number;

		wa_vector_place_wide(&trial.registers[0], memory[0]);
		wa_vector_place(&trial.registers[OUT], WA_VECTOR_FLOAT, memory[OUT]);
		fill(&trial, 0, random_below(2) == 0, WIDE_DIGITS);
		if (random_below(4) == 0)
			fill_between(&trial.registers[0], bytes);
		number = cell_of(&trial.registers[0], 0);
		if (number.negative)
			*end++ = '-';
		for (int digit = larger(length_of(&number), number.scale + 1) - 1;
			 digit >= 0; digit--)
		{
			*end++ = (char) ('0' + number.digits[digit]);
			if (digit == number.scale && digit > 0)
				*end++ = '.';
		}
		*end = '\0';
		EXPECT(run(&trial));
		EXPECT(wa_vector_floats(&trial.registers[OUT])[0] ==
			   (bytes == 4 ? (double) strtof(text, NULL) : strtod(text, NULL)));
	}
	return true;
}

int
main(void)
{
	static const struct
	{
		WaOpcode code;
		bool is_single;
		uint32_t extra;
	} cases[] = {
		{WA_CODE_DECIMAL_ADD, false, 0},
		{WA_CODE_DECIMAL_SUBTRACT, false, 0},
		{WA_CODE_DECIMAL_MULTIPLY, false, 0},
		{WA_CODE_DECIMAL_DIVIDE, false, 0},
		{WA_CODE_DECIMAL_FLOOR_DIVIDE, false, 0},
		{WA_CODE_DECIMAL_REMAINDER, false, 0},
		{WA_CODE_DECIMAL_DIVIDE_WHOLE, false, 0},
		{WA_CODE_DECIMAL_NEGATE, true, 0},
		{WA_CODE_DECIMAL_ABS, true, 0},
		{WA_CODE_DECIMAL_FLOOR, true, 0},
		{WA_CODE_DECIMAL_CEIL, true, 0},
		{WA_CODE_DECIMAL_ROUND, true, 255 * 256},
		{WA_CODE_DECIMAL_ROUND, true, 255 * 256 + 2},
		{WA_CODE_DECIMAL_ROUND, true, 255 * 256 + 18},
		{WA_CODE_DECIMAL_ROUND, true, 20 * 256 + 4},
		{WA_CODE_DECIMAL_ROUND, true, 30 * 256 + 18},
		{WA_CODE_DECIMAL_TO_INT, true, 8},
		{WA_CODE_DECIMAL_TO_INT, true, 4},
	};
	char name[80];

	for (size_t i = 0; i < LENGTH(cases); i++)
	{
		(void) snprintf(name, sizeof(name), "%s %u",
						wa_opcode_name(cases[i].code), cases[i].extra);
		check(try_code(cases[i].code, cases[i].is_single, cases[i].extra),
			  name);
	}
	check(test_select(), "choosing");
	check(test_to_float(), "numeric to float");
	return finish_checks();
}
