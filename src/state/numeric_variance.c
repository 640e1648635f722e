/*
 * numeric_variance.c
 *		Variances and standard deviations in numeric arithmetic.
 *
 * The built-in computes (N Sxx - Sx^2) / D and its square root with the scale
 * that numeric_div chooses for the quotient (numeric_stddev_internal in
 * numeric.c).  numeric_sqrt chooses its own scale, which may be a larger one;
 * then its result is rounded once more, and corrected where two roundings
 * differ from one.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "state/numeric_format.h"
#include "state/numeric_variance.h"

/* Calls a numeric function of two arguments. */
static Numeric
call(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(
		DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

/* Compares two numbers as the function does. */
static bool
holds(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetBool(
		DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

/* Adds a * b, shifted by so many words, to a number of 256 bits. */
static void
add_product(uint64 *words, int shift, uint64 a, uint64 b)
{
	unsigned __int128 carry = (unsigned __int128) a * b;

	for (int i = shift; i < 4 && carry != 0; i++)
	{
		unsigned __int128 sum = (unsigned __int128) words[i] + (uint64) carry;

		words[i] = (uint64) sum;
		carry = (carry >> 64) + (sum >> 64);
	}
}

Numeric
wa_numeric_numerator(int64 rows, WaInt128 sum, WaUint192 squares, int scale,
					 int display_scale)
{
	__int128 value = wa_int128_get(sum);
	unsigned __int128 magnitude = wa_int128_magnitude(value);
	const uint64 halves[2] = {(uint64) magnitude, (uint64) (magnitude >> 64)};
	uint64 numerator[4] = {0};
	uint64 subtrahend[4] = {0};
	uint64 borrow = 0;
	uint64 bits = 0;

	for (int i = 0; i < 3; i++)
		add_product(numerator, i, squares.word[i], (uint64) rows);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			add_product(subtrahend, i + j, halves[i], halves[j]);
	for (int i = 0; i < 4; i++)
	{
		unsigned __int128 difference =
			(unsigned __int128) numerator[i] - subtrahend[i] - borrow;

		numerator[i] = (uint64) difference;
		borrow = (uint64) (difference >> 64) & 1;
		bits |= numerator[i];
	}
	Assert(borrow == 0);
	return bits == 0
			   ? NULL
			   : wa_numeric_make(numerator, 4, false, 2 * scale, display_scale);
}

/*
 * Returns the square root of a number that is not negative, rounded once, half
 * up, to a scale.  Rounding what numeric_sqrt has rounded to a larger scale
 * goes wrong only if that is a tie which the root itself is below of.
 */
static Numeric
square_root(Numeric number, int scale)
{
	Numeric root = DatumGetNumeric(
		DirectFunctionCall1(numeric_sqrt, NumericGetDatum(number)));
	Numeric rounded;
	Numeric tie;
	WaNumericView view;

	wa_numeric_view(root, &view);
	if (view.display_scale <= scale)
		return root;
	rounded = DatumGetNumeric(DirectFunctionCall2(
		numeric_round, NumericGetDatum(root), Int32GetDatum(scale)));
	tie = call(numeric_sub, rounded,
			   wa_numeric_from_decimal(5, scale + 1, scale + 1));
	if (holds(numeric_eq, root, tie) &&
		holds(numeric_lt, number, call(numeric_mul, tie, tie)))
		return call(numeric_sub, rounded,
					wa_numeric_from_decimal(1, scale, scale));
	return rounded;
}

Datum
wa_numeric_variance(int64 rows, Numeric numerator, bool sample, bool root)
{
	unsigned __int128 denominator =
		(unsigned __int128) rows * (uint64) (sample ? rows - 1 : rows);
	Numeric variance;
	WaNumericView view;

	/* The built-in shows this zero without a scale. */
	if (numerator == NULL)
		return NumericGetDatum(int64_to_numeric(0));
	variance = call(
		numeric_div, numerator,
		wa_numeric_from_int128(wa_int128_make((__int128) denominator), 0, 0));
	if (!root)
		return NumericGetDatum(variance);
	wa_numeric_view(variance, &view);
	return NumericGetDatum(square_root(variance, view.display_scale));
}
