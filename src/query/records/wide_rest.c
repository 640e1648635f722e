/*
 * wide_rest.c
 *		What records of numerics have of values of 128 bits; see wide_rest.h.
 *
 * Sums are in units of the largest scale that there has been.  They stay below a 64th
 * of what their words hold, so that what is added or multiplied never leaves these
 * unseen.
 */
#include <string.h>

#include "core/decimal.h"
#include "query/records/wide_rest.h"

/* The highest word of a sum is less than this in magnitude. */
#define HIGHEST (INT64_C(1) << 58)

/* Tells whether a sum of so many words is within its limits. */
static inline bool
has_room(const uint64_t *sum, int nwords)
{
	const int64_t high = (int64_t) sum[nwords - 1];

	return high < HIGHEST && high >= -HIGHEST;
}

/* Adds a number to a sum; false if it has no room then: it is undefined. */
static inline bool
add_words(uint64_t *sum, const uint64_t *number, int nwords)
{
	unsigned __int128 carry = 0;

	for (int i = 0; i < nwords; i++)
	{
		carry += (unsigned __int128) sum[i] + number[i];
		sum[i] = (uint64_t) carry;
		carry >>= 64;
	}
	return has_room(sum, nwords);
}

/* Multiplies a sum by a factor of up to 10^18, likewise. */
static bool
multiply(uint64_t *sum, int nwords, int64_t factor)
{
	/* The highest word has the sign. */
	__int128 carry = 0;

	for (int i = 0; i < nwords - 1; i++)
	{
		const unsigned __int128 product =
			(unsigned __int128) sum[i] * (uint64_t) factor + (uint64_t) carry;

		sum[i] = (uint64_t) product;
		carry = (__int128) (uint64_t) (product >> 64);
	}
	carry += (__int128) (int64_t) sum[nwords - 1] * factor;
	sum[nwords - 1] = (uint64_t) carry;
	return carry == (int64_t) carry && has_room(sum, nwords);
}

/* Multiplies a sum by 10^digits, likewise. */
static bool
raise_words(uint64_t *sum, int nwords, int digits)
{
	const int most = WA_DECIMAL_POWERS - 1;

	for (; digits > most; digits -= most)
		if (!multiply(sum, nwords, wa_powers_of_ten[most]))
			return false;
	return digits == 0 || multiply(sum, nwords, wa_powers_of_ten[digits]);
}

bool
wa_wide_sum_add(uint64_t sum[WA_WIDE_SUM_WORDS],
				const uint64_t number[WA_WIDE_SUM_WORDS])
{
	return add_words(sum, number, WA_WIDE_SUM_WORDS);
}

bool
wa_wide_sum_raise(uint64_t sum[WA_WIDE_SUM_WORDS], int digits)
{
	return raise_words(sum, WA_WIDE_SUM_WORDS, digits);
}

/* What is added up of wide values. */
typedef struct Sums
{
	uint64_t sum[WA_WIDE_SUM_WORDS];
	uint64_t squares[WA_WIDE_SQUARES_WORDS];
} Sums;

/* Returns the sums of a rest. */
static inline Sums
sums_of(const WaWideRest *rest)
{
	Sums sums;

	memcpy(sums.sum, rest->sum, sizeof(sums.sum));
	memcpy(sums.squares, rest->squares, sizeof(sums.squares));
	return sums;
}

/* Has sums be in units with so many more digits; false if they have no room. */
static inline bool
raise_sums(Sums *sums, WaOpSet ops, int digits)
{
	return digits == 0 ||
		   (raise_words(sums->sum, WA_WIDE_SUM_WORDS, digits) &&
			(!wa_ops_have(ops, WA_OP_SQUARES) ||
			 raise_words(sums->squares, WA_WIDE_SQUARES_WORDS, 2 * digits)));
}

/*
 * Adds sums, which are overwritten, in units of 10^-scale to those of a rest; false,
 * with these as they were, if there is no room.
 */
static inline bool
add_sums(WaWideRest *rest, WaOpSet ops, Sums *number, uint8_t scale)
{
	const bool squares = wa_ops_have(ops, WA_OP_SQUARES);
	const int digits = scale - rest->scale;
	Sums total = sums_of(rest);

	if (!raise_sums(&total, ops, digits > 0 ? digits : 0) ||
		!raise_sums(number, ops, digits < 0 ? -digits : 0) ||
		!add_words(total.sum, number->sum, WA_WIDE_SUM_WORDS) ||
		(squares &&
		 !add_words(total.squares, number->squares, WA_WIDE_SQUARES_WORDS)))
		return false;
	memcpy(rest->sum, total.sum, sizeof(total.sum));
	if (squares)
		memcpy(rest->squares, total.squares, sizeof(total.squares));
	rest->scale = digits > 0 ? scale : rest->scale;
	return true;
}

/* Stores the square of a value. */
static void
square(__int128 value, uint64_t words[WA_WIDE_SQUARES_WORDS])
{
	const unsigned __int128 magnitude = wa_int128_magnitude(value);
	const uint64_t low = (uint64_t) magnitude;
	const uint64_t high = (uint64_t) (magnitude >> 64);
	const unsigned __int128 lows = (unsigned __int128) low * low;
	/* The value has less than 127 bits, so that twice this fits. */
	const unsigned __int128 middle = (unsigned __int128) low * high * 2;
	const unsigned __int128 second = (lows >> 64) + (uint64_t) middle;
	const unsigned __int128 highs =
		(unsigned __int128) high * high + (middle >> 64) + (second >> 64);

	memset(words, 0, sizeof(uint64_t) * WA_WIDE_SQUARES_WORDS);
	words[0] = (uint64_t) lows;
	words[1] = (uint64_t) second;
	words[2] = (uint64_t) highs;
	words[3] = (uint64_t) (highs >> 64);
}

/* Offers another value, sign being 1 for the smallest and -1 for the largest. */
static void
offer(WaWideExtreme *extreme, const WaWideExtreme *other, bool is_first,
	  int sign)
{
	int order = -1;

	if (!is_first)
		order = sign * wa_wide_decimal_compare(
						   wa_int128_get(other->value), other->scale,
						   wa_int128_get(extreme->value), extreme->scale);
	if (order < 0 || (order == 0 && other->display > extreme->display))
		*extreme = *other;
}

/* Adds a value, and its square, to the sums of a rest; as add_sums. */
static inline bool
add_value(WaWideRest *rest, WaOpSet ops, __int128 value, uint8_t scale)
{
	const uint64_t sign = value < 0 ? UINT64_MAX : 0;
	const uint64_t words[WA_WIDE_SUM_WORDS] = {
		(uint64_t) value, (uint64_t) ((unsigned __int128) value >> 64), sign,
		sign};
	const bool squares = wa_ops_have(ops, WA_OP_SQUARES);
	uint64_t total[WA_WIDE_SUM_WORDS];
	Sums sums;

	/* Most rows are of this kind. */
	if (!squares && scale == rest->scale)
	{
		memcpy(total, rest->sum, sizeof(total));
		if (!add_words(total, words, WA_WIDE_SUM_WORDS))
			return false;
		memcpy(rest->sum, total, sizeof(total));
		return true;
	}
	memcpy(sums.sum, words, sizeof(words));
	if (squares)
		square(value, sums.squares);
	return add_sums(rest, ops, &sums, scale);
}

bool
wa_wide_rest_take(WaWideRest *rest, WaOpSet ops, __int128 value, uint8_t scale,
				  uint8_t display)
{
	const WaWideExtreme extreme = {
		.value = wa_int128_make(value), .scale = scale, .display = display};

	if (wa_ops_have(ops, WA_OP_SUM))
	{
		if (!add_value(rest, ops, value, scale))
			return false;
		if (rest->display < display)
			rest->display = display;
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		offer(&rest->min, &extreme, rest->rows == 0, 1);
	if (wa_ops_have(ops, WA_OP_MAX))
		offer(&rest->max, &extreme, rest->rows == 0, -1);
	rest->rows++;
	return true;
}

bool
wa_wide_rest_merge(WaWideRest *rest, WaOpSet ops, const WaWideRest *from)
{
	Sums sums = sums_of(from);

	if (wa_ops_have(ops, WA_OP_SUM))
	{
		if (!add_sums(rest, ops, &sums, from->scale))
			return false;
		if (rest->display < from->display)
			rest->display = from->display;
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		offer(&rest->min, &from->min, rest->rows == 0, 1);
	if (wa_ops_have(ops, WA_OP_MAX))
		offer(&rest->max, &from->max, rest->rows == 0, -1);
	rest->rows += from->rows;
	return true;
}

/* Tells whether an extreme may be one. */
static bool
extreme_is_sound(const WaWideExtreme *extreme)
{
	return extreme->scale <= WA_WIDE_MAX_SCALE &&
		   extreme->display <= WA_WIDE_MAX_SCALE &&
		   wa_is_wide_decimal(wa_int128_get(extreme->value));
}

bool
wa_wide_rest_is_sound(const WaWideRest *rest, uint64_t rows)
{
	return rest->rows > 0 && rest->rows <= rows &&
		   rest->scale <= WA_WIDE_MAX_SCALE &&
		   rest->display <= WA_WIDE_MAX_SCALE &&
		   has_room(rest->sum, WA_WIDE_SUM_WORDS) &&
		   (int64_t) rest->squares[WA_WIDE_SQUARES_WORDS - 1] >= 0 &&
		   has_room(rest->squares, WA_WIDE_SQUARES_WORDS) &&
		   extreme_is_sound(&rest->min) && extreme_is_sound(&rest->max);
}
