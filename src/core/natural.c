/*
 * natural.c
 *		Natural numbers of as many words as it takes; see natural.h.
 */
#include <math.h>

#include "core/natural.h"

#define WORD_BITS WA_NATURAL_WORD_BITS

/* Drops words that are 0 from the top. */
static inline void
strip(WaNatural *a)
{
	while (a->count > 0 && a->word[a->count - 1] == 0)
		a->count--;
}

void
wa_natural_take(WaNatural *a, const int64_t *limbs, int nlimbs, int lowest_bit)
{
	int64_t sign = limbs[nlimbs - 1] < 0 ? -1 : 1;
	int64_t carry = 0;
	int first = 0;
	int end = nlimbs;

	while (first < nlimbs && limbs[first] == 0)
		first++;
	while (end > first && limbs[end - 1] == 0)
		end--;
	first -= first % 2;
	a->count = 0;
	a->exponent = lowest_bit + first * WA_EXACT_LIMB_BITS;
	a->inexact = false;
	for (int i = first; i < end || carry != 0; i++)
	{
		uint64_t digit;

		if (i < end)
			carry += sign * limbs[i];
		digit = (uint32_t) carry;
		carry >>= WA_EXACT_LIMB_BITS;
		if (i % 2 == 0)
			a->word[a->count++] = digit;
		else
			a->word[a->count - 1] |= digit << WA_EXACT_LIMB_BITS;
	}
	strip(a);
}

void
wa_natural_scale(WaNatural *a, uint64_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < a->count; i++)
	{
		unsigned __int128 product =
			(unsigned __int128) a->word[i] * factor + carry;

		a->word[i] = (uint64_t) product;
		carry = (uint64_t) (product >> WORD_BITS);
	}
	if (carry != 0)
		a->word[a->count++] = carry;
}

void
wa_natural_multiply(const WaNatural *a, const WaNatural *b, WaNatural *result)
{
	result->count = a->count + b->count;
	result->exponent = a->exponent + b->exponent;
	result->inexact = false;
	memset(result->word, 0, (size_t) result->count * sizeof(uint64_t));
	for (int i = 0; i < a->count; i++)
	{
		uint64_t carry = 0;

		for (int j = 0; j < b->count; j++)
		{
			unsigned __int128 product =
				(unsigned __int128) a->word[i] * b->word[j] +
				result->word[i + j] + carry;

			result->word[i + j] = (uint64_t) product;
			carry = (uint64_t) (product >> WORD_BITS);
		}
		result->word[i + b->count] = carry;
	}
	strip(result);
}

/* Returns a word by its place; those that are not there are 0. */
static inline uint64_t
word_at(const WaNatural *a, int i)
{
	return i >= 0 && i < a->count ? a->word[i] : 0;
}

/*
 * Finds where the words of two numbers are in one that has the lower exponent,
 * and room for both.
 */
static void
align(const WaNatural *a, const WaNatural *b, int *a_offset, int *b_offset,
	  WaNatural *result)
{
	const int exponent = a->exponent < b->exponent ? a->exponent : b->exponent;
	int a_end;
	int b_end;

	*a_offset = (a->exponent - exponent) / WORD_BITS;
	*b_offset = (b->exponent - exponent) / WORD_BITS;
	a_end = a->count + *a_offset;
	b_end = b->count + *b_offset;
	result->count = a_end > b_end ? a_end : b_end;
	result->exponent = exponent;
	result->inexact = false;
}

void
wa_natural_add(const WaNatural *a, const WaNatural *b, WaNatural *result)
{
	uint64_t carry = 0;
	int a_offset;
	int b_offset;

	align(a, b, &a_offset, &b_offset, result);
	for (int i = 0; i < result->count; i++)
	{
		unsigned __int128 sum = (unsigned __int128) word_at(a, i - a_offset) +
								word_at(b, i - b_offset) + carry;

		result->word[i] = (uint64_t) sum;
		carry = (uint64_t) (sum >> WORD_BITS);
	}
	result->word[result->count++] = carry;
	strip(result);
}

bool
wa_natural_subtract(const WaNatural *a, const WaNatural *b, WaNatural *result)
{
	uint64_t borrow = 0;
	int a_offset;
	int b_offset;

	align(a, b, &a_offset, &b_offset, result);
	for (int i = 0; i < result->count; i++)
	{
		unsigned __int128 difference =
			(unsigned __int128) word_at(a, i - a_offset) -
			word_at(b, i - b_offset) - borrow;

		result->word[i] = (uint64_t) difference;
		borrow = (uint64_t) (difference >> WORD_BITS) & 1;
	}
	if (borrow != 0)
		result->count = 0;
	strip(result);
	return borrow == 0;
}

void
wa_natural_resize(WaNatural *a, int count)
{
	int cut = a->count - count;

	for (int i = 0; i < cut; i++)
		a->inexact |= a->word[i] != 0;
	if (cut > 0)
		memmove(a->word, a->word + cut, (size_t) count * sizeof(uint64_t));
	else
	{
		memmove(a->word - cut, a->word, (size_t) a->count * sizeof(uint64_t));
		memset(a->word, 0, (size_t) -cut * sizeof(uint64_t));
	}
	a->count = count;
	a->exponent += cut * WORD_BITS;
}

void
wa_natural_divide_word(WaNatural *a, uint64_t divisor)
{
	uint64_t remainder = 0;

	for (int i = a->count - 1; i >= 0; i--)
	{
		unsigned __int128 dividend =
			(unsigned __int128) remainder << WORD_BITS | a->word[i];

		a->word[i] = (uint64_t) (dividend / divisor);
		remainder = (uint64_t) (dividend % divisor);
	}
	a->inexact |= remainder != 0;
	strip(a);
}

/* Returns the number of bits up to the highest that is 1. */
static inline int
bit_length(const WaNatural *a)
{
	if (a->count == 0)
		return 0;
	return a->count * WORD_BITS - __builtin_clzll(a->word[a->count - 1]);
}

/* Shifts to the left, which leaves the exponent as it is. */
static void
shift_left(WaNatural *a, int by)
{
	const int words = by / WORD_BITS;
	const int bits = by % WORD_BITS;

	a->word[a->count] = 0;
	for (int i = a->count; i >= 0; i--)
		a->word[i + words] =
			bits == 0 || i == 0
				? a->word[i] << bits
				: a->word[i] << bits | a->word[i - 1] >> (WORD_BITS - bits);
	memset(a->word, 0, (size_t) words * sizeof(uint64_t));
	a->count += words + 1;
	strip(a);
}

/* Takes *b away from *a, both without exponents, unless it is larger; then false. */
static bool
take_away(WaNatural *a, const WaNatural *b)
{
	uint64_t borrow = 0;
	int i = a->count;

	if (a->count != b->count)
		i = 0;
	while (i > 0 && a->word[i - 1] == b->word[i - 1])
		i--;
	if (a->count < b->count || (i > 0 && a->word[i - 1] < b->word[i - 1]))
		return false;
	for (i = 0; i < a->count; i++)
	{
		unsigned __int128 difference =
			(unsigned __int128) a->word[i] - word_at(b, i) - borrow;

		a->word[i] = (uint64_t) difference;
		borrow = (uint64_t) (difference >> WORD_BITS) & 1;
	}
	strip(a);
	return true;
}

/*
 * Bit by bit: there are few, and the numbers of most groups have few words.  At first both
 * have as many bits, so the first bit of the quotient, or the second, is 1.
 */
void
wa_natural_divide(WaNatural *a, WaNatural *divisor, int bits)
{
	const int longer = bit_length(a) - bit_length(divisor);
	WaNatural quotient = {.exponent =
							  a->exponent - divisor->exponent + longer - bits};

	if (a->count == 0)
		return;
	if (longer > 0)
		shift_left(divisor, longer);
	else
		shift_left(a, -longer);
	for (int i = 0; i <= bits; i++)
	{
		shift_left(&quotient, 1);
		if (take_away(a, divisor))
		{
			if (quotient.count == 0)
				quotient.word[quotient.count++] = 0;
			quotient.word[0] |= 1;
		}
		shift_left(a, 1);
	}
	quotient.inexact = a->count > 0;
	*a = quotient;
}

/* Returns the 64 bits from a position on, which may be negative. */
static uint64_t
bits_from(const WaNatural *a, int position)
{
	int i = position >> 6;
	int shift = position & (WORD_BITS - 1);

	if (shift == 0)
		return word_at(a, i);
	return word_at(a, i) >> shift | word_at(a, i + 1) << (WORD_BITS - shift);
}

/* Tells whether the true number has anything below the position. */
static bool
any_bit_below(const WaNatural *a, int position)
{
	int i = 0;

	if (a->inexact)
		return true;
	for (; i < a->count && position >= WORD_BITS; position -= WORD_BITS)
		if (a->word[i++] != 0)
			return true;
	return position > 0 && position < WORD_BITS &&
		   (word_at(a, i) & (((uint64_t) 1 << position) - 1)) != 0;
}

void
wa_natural_take_root(WaNatural *a)
{
	int cut = bit_length(a) - 2 * WORD_BITS;
	unsigned __int128 high;
	unsigned __int128 root;

	cut += (a->exponent + cut) & 1;
	high = (unsigned __int128) bits_from(a, cut + WORD_BITS) << WORD_BITS |
		   bits_from(a, cut);
	/*
	 * One of Newton's steps from 52 right bits, and then the last bit.  The
	 * step stays below 2^64: from 2^64, as high is below 2^128, and from what
	 * is less, as that is at most 2^64 - 2^11.
	 */
	root = (unsigned __int128) sqrt((double) high);
	root = (root + high / root) / 2;
	while (root * root > high)
		root--;
	while (high - root * root > 2 * root)
		root++;
	a->inexact = any_bit_below(a, cut) || root * root != high;
	a->word[0] = (uint64_t) root;
	a->count = 1;
	a->exponent = (a->exponent + cut) / 2;
}

double
wa_natural_round(const WaNatural *a, const WaRoundingFormat *format,
				 bool *overflow)
{
	int lowest = bit_length(a) - format->precision_bits;
	uint64_t significand;
	double result;

	if (lowest < format->lowest_bit - a->exponent)
		lowest = format->lowest_bit - a->exponent;
	significand = bits_from(a, lowest);
	if ((bits_from(a, lowest - 1) & 1) != 0 &&
		((significand & 1) != 0 || any_bit_below(a, lowest - 1)))
		significand++;
	result = ldexp((double) significand, lowest + a->exponent);
	if (result <= format->largest)
		return result;
	*overflow = true;
	return INFINITY;
}
