/*
 * numeric_format.c
 *		Between numeric values and scaled integers; see numeric_format.h.
 *
 * After the varlena header stands a header of 16 bits.  Its two highest bits
 * tell the form: 00 and 01 the long form of a positive and a negative number
 * (the rest is the display scale, and a second word the weight), 10 the short
 * form (sign, 6 bits of display scale, 7 bits of weight), 11 what is not
 * finite.  Digits follow, without zeros at either end.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "compat.h"
#include "state/numeric_format.h"

#define FORM_MASK     0xC000
#define FORM_NEGATIVE 0x4000
#define FORM_SHORT    0x8000
#define FORM_SPECIAL  0xC000

#define SPECIAL_MASK           0xF000
#define SPECIAL_PLUS_INFINITY  0xD000
#define SPECIAL_MINUS_INFINITY 0xF000

#define LONG_SCALE_MASK WA_NUMERIC_MAX_DISPLAY_SCALE

#define SHORT_NEGATIVE    0x2000
#define SHORT_SCALE_MASK  0x1F80
#define SHORT_SCALE_SHIFT 7
#define SHORT_WEIGHT_SIGN 0x0040
#define SHORT_WEIGHT_MASK 0x003F
#define SHORT_MAX_SCALE   63
#define SHORT_MAX_WEIGHT  63
#define SHORT_MIN_WEIGHT  (-64)

/* Digits of base 10000 that are always below 2^95 together. */
#define MAX_FITTING_DIGITS 7

/* Digits before the point that a numeric may have: its weight is an int16. */
#define MAX_WHOLE_DIGITS (PG_INT16_MAX + 1)

/* Digits that the largest power of ten adds that fits 64 bits. */
#define MOST_MISSING ((WA_DECIMAL_POWERS - 1) / WA_NUMERIC_BASE_DIGITS)

/* Classes of the numbers that are not finite. */
static WaNumericClass
special_class(uint16 header)
{
	switch (header & SPECIAL_MASK)
	{
		case SPECIAL_PLUS_INFINITY:
			return WA_NUMERIC_PLUS_INFINITY;
		case SPECIAL_MINUS_INFINITY:
			return WA_NUMERIC_MINUS_INFINITY;
		default:
			return WA_NUMERIC_NAN;
	}
}

/* Returns a word of a value that may lie at any address. */
static inline uint16
word_at(const char *words, int i)
{
	uint16 word;

	memcpy(&word, words + (Size) i * sizeof(word), sizeof(word));
	return word;
}

void
wa_numeric_view(Numeric number, WaNumericView *view)
{
	const char *words = VARDATA_ANY(number);
	int nwords = (int) (VARSIZE_ANY_EXHDR(number) / sizeof(uint16));
	uint16 header = word_at(words, 0);

	view->class = WA_NUMERIC_FINITE;
	if ((header & FORM_MASK) == FORM_SPECIAL)
	{
		view->class = special_class(header);
		return;
	}
	if ((header & FORM_MASK) == FORM_SHORT)
	{
		view->negative = (header & SHORT_NEGATIVE) != 0;
		view->display_scale = (header & SHORT_SCALE_MASK) >> SHORT_SCALE_SHIFT;
		view->weight = header & SHORT_WEIGHT_MASK;
		if ((header & SHORT_WEIGHT_SIGN) != 0)
			view->weight |= ~SHORT_WEIGHT_MASK;
		view->digits = words + sizeof(uint16);
		view->ndigits = nwords - 1;
	}
	else
	{
		view->negative = (header & FORM_MASK) == FORM_NEGATIVE;
		view->display_scale = header & LONG_SCALE_MASK;
		view->weight = (int16) word_at(words, 1);
		view->digits = words + 2 * sizeof(uint16);
		view->ndigits = nwords - 2;
	}
	view->scale = Max(view->ndigits - 1 - view->weight, 0);
}

bool
wa_numeric_scaled(const WaNumericView *view, int scale, __int128 *integer)
{
	int missing = scale - (view->ndigits - 1 - view->weight);
	int64 high = 0;
	int64 low = 0;
	int ndigits = view->ndigits;
	__int128 result;

	if (view->class != WA_NUMERIC_FINITE)
		return false;
	if (view->ndigits == 0)
	{
		*integer = 0;
		return true;
	}
	if (missing < 0 || view->ndigits + missing > MAX_FITTING_DIGITS)
		return false;
	/* Four digits fit 64 bits, in which arithmetic is faster. */
	for (int i = 0; i < ndigits - 4; i++)
		high = high * WA_NUMERIC_BASE + wa_numeric_digit(view, i);
	for (int i = Max(ndigits - 4, 0); i < ndigits; i++)
		low = low * WA_NUMERIC_BASE + wa_numeric_digit(view, i);
	result =
		(__int128) high * wa_powers_of_ten[4 * WA_NUMERIC_BASE_DIGITS] + low;
	for (; missing > MOST_MISSING; missing--)
		result *= WA_NUMERIC_BASE;
	result *= wa_powers_of_ten[missing * WA_NUMERIC_BASE_DIGITS];
	*integer = view->negative ? -result : result;
	return true;
}

/* Writes a numeric of digits that have no zeros at either end. */
static Numeric
write_numeric(const void *digits, int ndigits, int weight, bool negative,
			  int display_scale)
{
	bool is_short = display_scale <= SHORT_MAX_SCALE &&
					weight <= SHORT_MAX_WEIGHT && weight >= SHORT_MIN_WEIGHT;
	int header_words = is_short ? 1 : 2;
	Size bytes =
		VARHDRSZ + ((Size) header_words + (Size) ndigits) * sizeof(int16);
	char *number = palloc(bytes);
	uint16 *words = (uint16 *) (number + VARHDRSZ);

	SET_VARSIZE(number, bytes);
	if (is_short)
		words[0] =
			(uint16) (FORM_SHORT | (negative ? SHORT_NEGATIVE : 0) |
					  (display_scale << SHORT_SCALE_SHIFT) |
					  (weight & (SHORT_WEIGHT_SIGN | SHORT_WEIGHT_MASK)));
	else
	{
		words[0] = (uint16) ((negative ? FORM_NEGATIVE : 0) | display_scale);
		words[1] = (uint16) weight;
	}
	memcpy(words + header_words, digits, (Size) ndigits * sizeof(int16));
	return (Numeric) number;
}

/* A number has no more words than a sum of squares of wide values in other units. */
#define MAX_WORDS 7

/* Divides the words by 10000 and returns the remainder. */
static int16
next_digit(uint64 *words, int nwords)
{
	unsigned __int128 remainder = 0;

	for (int i = nwords; i-- > 0;)
	{
		remainder = remainder << 64 | words[i];
		words[i] = (uint64) (remainder / WA_NUMERIC_BASE);
		remainder %= WA_NUMERIC_BASE;
	}
	return (int16) remainder;
}

Numeric
wa_numeric_make(const uint64 *words, int nwords, bool negative, int scale,
				int display_scale)
{
	uint64 rest[MAX_WORDS];
	int16 digits[MAX_WORDS * 64 / 13 + 1]; /* a digit has more than 13 bits */
	int first = lengthof(digits);
	int last = lengthof(digits);
	int ndigits;

	Assert(nwords <= lengthof(rest));
	memcpy(rest, words, (Size) nwords * sizeof(uint64));
	while (nwords > 0 && rest[nwords - 1] == 0)
		nwords--;
	while (nwords > 0)
	{
		digits[--first] = next_digit(rest, nwords);
		if (rest[nwords - 1] == 0)
			nwords--;
	}
	ndigits = last - first;
	while (ndigits > 0 && digits[first + ndigits - 1] == 0)
		ndigits--;
	if (ndigits == 0)
		return write_numeric(digits, 0, 0, false, display_scale);
	return write_numeric(digits + first, ndigits, last - first - 1 - scale,
						 negative, display_scale);
}

Numeric
wa_numeric_from_int128(WaInt128 integer, int scale, int display_scale)
{
	__int128 value = wa_int128_get(integer);
	unsigned __int128 magnitude = wa_int128_magnitude(value);
	uint64 words[2] = {(uint64) magnitude, (uint64) (magnitude >> 64)};

	return wa_numeric_make(words, lengthof(words), value < 0, scale,
						   display_scale);
}

/*
 * Appends the last digit of a viewed number to a value, of which `missing` decimal
 * digits are wanted; false if some are lost or there are too many.
 */
static bool
append_last(const WaNumericView *view, int missing, __int128 *value)
{
	const int digit = wa_numeric_digit(view, view->ndigits - 1);
	int unit;

	if (missing < 0 || missing - WA_NUMERIC_BASE_DIGITS >= WA_WIDE_POWERS)
		return false;
	if (missing >= WA_NUMERIC_BASE_DIGITS)
	{
		if (!wa_wide_decimal_raise(value, WA_NUMERIC_BASE_DIGITS))
			return false;
		*value += digit;
		return wa_wide_decimal_raise(value, missing - WA_NUMERIC_BASE_DIGITS);
	}
	/* The scale takes but a part of it. */
	unit = (int) wa_powers_of_ten[WA_NUMERIC_BASE_DIGITS - missing];
	if (digit % unit != 0 || !wa_wide_decimal_raise(value, missing))
		return false;
	*value += digit / unit;
	return true;
}

bool
wa_numeric_to_wide(const WaNumericView *view, int scale, __int128 *integer)
{
	__int128 value = 0;
	int missing;

	if (view->class != WA_NUMERIC_FINITE)
		return false;
	for (int i = 0; i < view->ndigits - 1; i++)
		if (__builtin_mul_overflow(value, (__int128) WA_NUMERIC_BASE, &value) ||
			__builtin_add_overflow(value, (__int128) wa_numeric_digit(view, i),
								   &value))
			return false;
	missing =
		scale - (view->ndigits - 2 - view->weight) * WA_NUMERIC_BASE_DIGITS;
	if (view->ndigits > 0 && !append_last(view, missing, &value))
		return false;
	*integer = view->negative ? -value : value;
	return true;
}

bool
wa_numeric_to_decimal(const WaNumericView *view, int scale, int64 *integer)
{
	__int128 wide;

	if (!wa_numeric_to_wide(view, scale, &wide) || wide != (int64) wide)
		return false;
	*integer = (int64) wide;
	return true;
}

Numeric
wa_numeric_from_words(const uint64 *words, int nwords, int scale,
					  int display_scale)
{
	const bool negative = words[nwords - 1] >> 63 != 0;
	const int digits =
		(scale + WA_NUMERIC_BASE_DIGITS - 1) / WA_NUMERIC_BASE_DIGITS;
	const uint64 factor =
		(uint64) wa_powers_of_ten[digits * WA_NUMERIC_BASE_DIGITS - scale];
	unsigned __int128 carry = 0;
	uint64 borrow = negative;
	uint64 magnitude[MAX_WORDS];

	Assert(nwords < lengthof(magnitude));
	for (int i = 0; i < nwords; i++)
	{
		/* The opposite of a negative number is its complement and 1. */
		const uint64 word = (negative ? ~words[i] : words[i]) + borrow;

		borrow = borrow != 0 && word == 0;
		carry += (unsigned __int128) word * factor;
		magnitude[i] = (uint64) carry;
		carry >>= 64;
	}
	/* In units of 10^-scale all words may be full. */
	magnitude[nwords] = (uint64) carry;
	return wa_numeric_make(magnitude, nwords + 1, negative, digits,
						   display_scale);
}

Numeric
wa_numeric_from_wide(WaInt128 value, int scale, int display_scale)
{
	const uint64 sign = value.hi < 0 ? PG_UINT64_MAX : 0;
	const uint64 words[3] = {value.lo, (uint64) value.hi, sign};

	return wa_numeric_from_words(words, lengthof(words), scale, display_scale);
}

Numeric
wa_numeric_from_decimal(int64 integer, int scale, int display_scale)
{
	int digits = (scale + WA_NUMERIC_BASE_DIGITS - 1) / WA_NUMERIC_BASE_DIGITS;
	int missing = digits * WA_NUMERIC_BASE_DIGITS - scale;

	return wa_numeric_from_int128(
		wa_int128_make((__int128) integer * wa_powers_of_ten[missing]), digits,
		display_scale);
}

Numeric
wa_numeric_of_view(const WaNumericView *view, int display_scale)
{
	int room = (WA_NUMERIC_MAX_DISPLAY_SCALE + WA_NUMERIC_BASE_DIGITS - 1) /
			   WA_NUMERIC_BASE_DIGITS;
	int ndigits = Min(view->ndigits, view->weight + 1 + room);

	if (view->ndigits > 0 && view->weight >= MAX_WHOLE_DIGITS)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value overflows numeric format")));
	while (ndigits > 0 && wa_numeric_digit(view, ndigits - 1) == 0)
		ndigits--;
	if (ndigits <= 0)
		return write_numeric(view->digits, 0, 0, false, display_scale);
	return write_numeric(view->digits, ndigits, view->weight, view->negative,
						 display_scale);
}

Numeric
wa_numeric_of_text(const char *text)
{
	return DatumGetNumeric(
		DirectFunctionCall3(numeric_in, CStringGetDatum(text),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}
