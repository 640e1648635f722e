/*
 * group_decimal.c
 *		Numerics as words; see group_decimal.h.
 *
 * A word holds a value without zeros at its end and, in its five lowest bits,
 * the scale of that.  What does not fit is in a dictionary, as a wide decimal,
 * and its word holds a code, with a mark in place of the scale.
 */
#include <string.h>

#include "core/decimal.h"
#include "query/base/hints.h"
#include "query/groups/group_decimal.h"

#define SCALE_BITS 5
#define SCALE_MASK ((1 << SCALE_BITS) - 1)

/* In place of a scale: the word holds a code. */
#define CODE_MARK SCALE_MASK

/* Values below this in magnitude fit beside a scale. */
#define MAX_VALUE (INT64_C(1) << (63 - SCALE_BITS))

/* The most digits of base 10000 of a value of 38 digits, at any scale. */
#define MAX_DIGITS 11

static inline uint64_t
make_word(int64_t value, int scale)
{
	return (uint64_t) value << SCALE_BITS | (uint64_t) scale;
}

static inline bool
fits_word(int64_t value)
{
	return value > -MAX_VALUE && value < MAX_VALUE;
}

/* Takes zeros from the end of the digits after the point. */
static inline int64_t
strip(int64_t value, int *scale)
{
	if (value == 0)
		*scale = 0;
	while (*scale > 0 && value % 10 == 0)
	{
		value /= 10;
		(*scale)--;
	}
	return value;
}

/* Returns the word of a wide decimal. */
static uint64_t
wide_word(WaKeyDictionary *dictionary, WaText bytes)
{
	const WaKeyString key = {bytes.data, (uint32_t) bytes.length,
							 (uint32_t) bytes.length};

	return make_word(wa_key_dictionary_code(dictionary, &key), CODE_MARK);
}

/* Makes a wide decimal of a value without zeros at its end. */
static WaText
make_wide(__int128 value, int scale, char bytes[WA_WIDE_DECIMAL_BYTES])
{
	int below = (scale + WA_NUMERIC_BASE_DIGITS - 1) / WA_NUMERIC_BASE_DIGITS;
	/* Of the last digit of base 10000 the scale takes a part. */
	int64_t missing = wa_powers_of_ten[below * WA_NUMERIC_BASE_DIGITS - scale];
	int64_t part = WA_NUMERIC_BASE / missing;
	unsigned __int128 rest = wa_int128_magnitude(value);
	int first = MAX_DIGITS;
	int end = MAX_DIGITS;
	int16_t digits[MAX_DIGITS] = {0};
	WaWideDecimal header = {.class = WA_WIDE_FINITE, .negative = value < 0};

	digits[--first] = (int16_t) ((int64_t) (rest % (uint64_t) part) * missing);
	rest /= (uint64_t) part;
	for (; rest != 0; rest /= WA_NUMERIC_BASE)
		digits[--first] = (int16_t) (rest % WA_NUMERIC_BASE);
	header.weight = end - first - below - 1;
	while (end > first && digits[end - 1] == 0)
		end--;
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), digits + first,
		   (size_t) (end - first) * sizeof(int16_t));
	return (WaText){bytes,
					sizeof(header) + (size_t) (end - first) * sizeof(int16_t)};
}

/* Returns the word of a value, without zeros at its end, that does not fit. */
static WA_NOINLINE uint64_t
large_word(WaKeyDictionary *dictionary, __int128 value, int scale)
{
	char bytes[WA_WIDE_DECIMAL_BYTES];

	return wide_word(dictionary, make_wide(value, scale, bytes));
}

void
wa_decimal_words(WaKeyDictionary *dictionary, const int64_t *values, int scale,
				 size_t nrows, uint64_t *words)
{
	for (size_t i = 0; i < nrows; i++)
	{
		int value_scale = scale;
		int64_t value = strip(values[i], &value_scale);

		words[i] = WA_LIKELY(fits_word(value))
					   ? make_word(value, value_scale)
					   : large_word(dictionary, value, value_scale);
	}
}

/* Takes zeros from the end of the digits after the point. */
static __int128
strip_wide(__int128 value, int *scale)
{
	while (*scale > 0 && value % 10 == 0)
	{
		value /= 10;
		(*scale)--;
	}
	return value;
}

void
wa_decimal_wide_words(WaKeyDictionary *dictionary, const WaInt128 *values,
					  int scale, size_t nrows, uint64_t *words)
{
	for (size_t i = 0; i < nrows; i++)
	{
		int value_scale = scale;
		__int128 value = strip_wide(wa_int128_get(values[i]), &value_scale);

		words[i] = value == (int64_t) value && fits_word((int64_t) value) &&
						   value_scale <= WA_DECIMAL_MAX_SCALE
					   ? make_word((int64_t) value, value_scale)
					   : large_word(dictionary, value, value_scale);
	}
}

void
wa_decimal_make_value(WaInt128 number, int scale,
					  char bytes[WA_WIDE_DECIMAL_BYTES], WaQueryValue *value)
{
	const __int128 stripped = strip_wide(wa_int128_get(number), &scale);

	value->is_wide = stripped != (int64_t) stripped ||
					 !fits_word((int64_t) stripped) ||
					 scale > WA_DECIMAL_MAX_SCALE;
	value->integer = (int64_t) stripped;
	value->scale = (uint8_t) scale;
	if (value->is_wide)
		value->text = make_wide(stripped, scale, bytes);
}

/*
 * Adds a digit of base 10000, of which `digits` decimal ones, 0 to 4, are above the last
 * unit.  Returns false if the others are not 0, or the sum has too many digits.
 */
static bool
append_digit(__int128 *number, int16_t digit, int digits)
{
	const int16_t below =
		(int16_t) wa_powers_of_ten[WA_NUMERIC_BASE_DIGITS - digits];

	if (digit % below != 0 || !wa_wide_decimal_raise(number, digits))
		return false;
	*number += digit / below;
	return wa_is_wide_decimal(*number);
}

/* Returns how many decimal digits of a place are above 10^-scale. */
static int
digits_above(int place, int scale)
{
	const int digits = scale + (place + 1) * WA_NUMERIC_BASE_DIGITS;

	return digits < 0
			   ? 0
			   : (digits < WA_NUMERIC_BASE_DIGITS ? digits
												  : WA_NUMERIC_BASE_DIGITS);
}

/* As wa_decimal_number, of a wide decimal. */
static bool
wide_number(WaText text, int scale, __int128 *number)
{
	WaWideDecimal header;
	int ndigits;
	int place;

	memcpy(&header, text.data, sizeof(header));
	ndigits = (int) ((text.length - sizeof(header)) / sizeof(int16_t));
	if (header.class != WA_WIDE_FINITE || ndigits > MAX_DIGITS ||
		header.weight > MAX_DIGITS)
		return false;
	*number = 0;
	place = header.weight;
	for (int i = 0; i < ndigits || digits_above(place, scale) > 0; i++, place--)
	{
		int16_t digit = 0;

		if (i < ndigits)
			memcpy(&digit,
				   text.data + sizeof(header) + (size_t) i * sizeof(digit),
				   sizeof(digit));
		if (!append_digit(number, digit, digits_above(place, scale)))
			return false;
	}
	if (header.negative)
		*number = -*number;
	return true;
}

bool
wa_decimal_number(const WaQueryValue *value, int scale, __int128 *number)
{
	if (value->is_wide)
		return wide_number(value->text, scale, number);
	*number = value->integer;
	return value->scale <= scale &&
		   wa_wide_decimal_raise(number, scale - value->scale);
}

/* As wa_decimal_least_scale, of a wide decimal, whose last digit is not 0. */
static int
least_wide_scale(WaText text)
{
	WaWideDecimal header;
	int ndigits;
	int scale;
	int16_t digit;

	memcpy(&header, text.data, sizeof(header));
	ndigits = (int) ((text.length - sizeof(header)) / sizeof(digit));
	scale = (ndigits - 1 - header.weight) * WA_NUMERIC_BASE_DIGITS;
	if (ndigits == 0 || scale <= 0)
		return 0;
	memcpy(&digit, text.data + text.length - sizeof(digit), sizeof(digit));
	for (; digit % 10 == 0; digit /= 10)
		scale--;
	return scale;
}

int
wa_decimal_least_scale(const WaQueryValue *value)
{
	int scale = value->scale;

	if (value->is_wide)
		return least_wide_scale(value->text);
	(void) strip(value->integer, &scale);
	return scale;
}

uint64_t
wa_decimal_of_value(WaKeyDictionary *dictionary, const WaQueryValue *value)
{
	int scale = value->scale;
	int64_t integer = value->integer;

	if (value->is_wide)
		return wide_word(dictionary, value->text);
	integer = strip(integer, &scale);
	return fits_word(integer) ? make_word(integer, scale)
							  : large_word(dictionary, integer, scale);
}

/* Returns the code of a word, or WA_NO_CODE. */
static inline uint32_t
code_of(uint64_t word)
{
	return (word & SCALE_MASK) == CODE_MARK ? (uint32_t) (word >> SCALE_BITS)
											: WA_NO_CODE;
}

uint64_t
wa_decimal_hash(const WaKeyDictionary *dictionary, uint64_t word)
{
	const uint32_t code = code_of(word);

	return code == WA_NO_CODE
			   ? word
			   : make_word(wa_key_dictionary_hash(dictionary, code), CODE_MARK);
}

uint64_t
wa_decimal_translate(WaKeyDictionary *dictionary, const WaKeyDictionary *other,
					 uint64_t word)
{
	const uint32_t code = code_of(word);

	return code == WA_NO_CODE
			   ? word
			   : wide_word(dictionary, wa_key_dictionary_shown(other, code));
}

void
wa_decimal_value(const WaKeyDictionary *dictionary, uint64_t word,
				 WaQueryValue *value)
{
	int scale = (int) (word & SCALE_MASK);

	value->is_wide = scale == CODE_MARK;
	value->integer = (int64_t) word >> SCALE_BITS;
	value->scale = (uint8_t) scale;
	if (value->is_wide)
		value->text =
			wa_key_dictionary_shown(dictionary, (uint32_t) value->integer);
}

/* Tells whether all digits are some, and neither the first nor the last is 0. */
static bool
digits_are_sound(const char *bytes, size_t ndigits)
{
	for (size_t i = 0; i < ndigits; i++)
	{
		int16_t digit;

		memcpy(&digit, bytes + i * sizeof(digit), sizeof(digit));
		if (digit < 0 || digit >= WA_NUMERIC_BASE ||
			(digit == 0 && (i == 0 || i == ndigits - 1)))
			return false;
	}
	return true;
}

bool
wa_wide_decimal_is_sound(WaText bytes)
{
	WaWideDecimal header;
	size_t ndigits;

	if (bytes.length < sizeof(header))
		return false;
	memcpy(&header, bytes.data, sizeof(header));
	ndigits = (bytes.length - sizeof(header)) / sizeof(int16_t);
	if (bytes.length != sizeof(header) + ndigits * sizeof(int16_t))
		return false;
	if (header.class != WA_WIDE_FINITE)
		return header.class > 0 && header.class <= WA_WIDE_MINUS_INFINITY &&
			   header.negative == 0 && header.weight == 0 && ndigits == 0;
	return (header.negative == 0 || header.negative == 1) && ndigits > 0 &&
		   ndigits <= WA_WIDE_MAX_DIGITS &&
		   header.weight >= -WA_WIDE_MAX_WEIGHT &&
		   header.weight <= WA_WIDE_MAX_WEIGHT &&
		   digits_are_sound(bytes.data + sizeof(header), ndigits);
}
