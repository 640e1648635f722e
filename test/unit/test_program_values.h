/*
 * test_program_values.h
 *		Random and special values to run programs with.
 */
#ifndef WA_TEST_PROGRAM_VALUES_H
#define WA_TEST_PROGRAM_VALUES_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/program.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t seed = 4711;

/* Returns a number below end. */
static inline uint64_t
random_below(uint64_t end)
{
	return (next_random(&seed) >> 16) % end;
}

/* An integer of so many bytes: small, near the ends, around the root, any. */
static inline int64_t
random_int(uint32_t bytes)
{
	int shift = 64 - (int) bytes * 8;
	int64_t small = (int64_t) random_below(21) - 10;
	uint64_t number = next_random(&seed);

	switch (random_below(6))
	{
		case 0:
		case 1:
			return small;
		case 2:
			number = (UINT64_C(1) << (bytes * 8 - 1)) + (uint64_t) small;
			break;
		case 3:
			number = (UINT64_C(1) << (bytes * 4 - random_below(2))) +
					 (uint64_t) small;
			break;
		case 4:
			number >>= random_below(64);
			number = random_below(2) == 0 ? number : 0 - number;
			break;
		default:
			break;
	}
	return (int64_t) (number << shift) >> shift;
}

/* Days and microseconds: near the ends of what there is. */
static inline int64_t
random_time(WaOpcode code)
{
	static const int64_t days[] = {INT32_MIN, INT32_MAX, -2451545, 106751983};
	static const int64_t times[] = {INT64_MIN, INT64_MAX, -211813488000000000,
									INT64_C(9223371331200000000)};
	int64_t small = (int64_t) random_below(3) - 1;
	int64_t any = random_int(8);
	size_t end = random_below(8);

	if (code == WA_CODE_DATE_TO_TIMESTAMP)
	{
		if (end < LENGTH(days))
			return (int32_t) ((uint32_t) days[end] + (uint32_t) small);
		return any % 110000000;
	}
	if (end < LENGTH(times))
		return (int64_t) ((uint64_t) times[end] + (uint64_t) small);
	return end == 4 ? any % 100 * INT64_C(86400000000) + small : any;
}

/* A float: special, half way, near the ends of integers, or any. */
static inline double
random_float(bool narrow)
{
	static const double specials[] = {
		0.0,     -0.0,     INFINITY,     -INFINITY,   NAN,     DBL_MAX,
		DBL_MIN, -DBL_MAX, 4.9e-324,     FLT_MAX,     FLT_MIN, 1e-46,
		3.5e38,  1.0,      -FLT_MAX,     1e-300,      1e200,   -1e-30,
		0x1p52,  0x1p53,   -0x1.8p51,    0x1p52 - .5, 0.1,     -0.25,
		1e30,    32767.5,  2147483647.5, 0x1p63,      -0x1p63, -32768.5};
	uint64_t bits = next_random(&seed);
	double number;

	switch (random_below(5))
	{
		case 0:
			number = specials[random_below(
				random_below(2) == 0 ? 5 : LENGTH(specials))];
			break;
		case 1:
			number = ((double) random_below(21) - 10) / 2;
			break;
		case 2:
			number = ldexp(1, 8 * (1 << (1 + random_below(3))) - 1) +
					 ((double) random_below(9) - 4) / 4;
			number = random_below(2) == 0 ? number : -number;
			break;
		case 3:
			number = (double) (int64_t) bits / 0x1p40;
			break;
		default:
			memcpy(&number, &bits, sizeof(number));
			break;
	}
	return narrow ? (double) (float) number : number;
}

/* A decimal: any integer, or near a power of ten. */
static inline int64_t
random_decimal(void)
{
	int64_t power = 1;

	if (random_below(3) != 0)
		return random_int(1 << (1 + random_below(3)));
	for (uint64_t i = random_below(19); i > 0; i--)
		power *= 10;
	power += (int64_t) random_below(5) - 2;
	return random_below(2) == 0 ? power : -power;
}

/* An integer that is or is nearly in the middle between two float4. */
static inline int64_t
random_middle(void)
{
	int64_t middle = (int64_t) (random_below(1 << 24) | 1 << 24 | 1)
					 << random_below(38);

	middle += (int64_t) random_below(3) - 1;
	return random_below(2) == 0 ? middle : -middle;
}

/* A text of a few bytes of few kinds, or empty. */
static inline WaText
random_text(void)
{
	static const char bytes[] = "a \xff\0ab\0  aa\x7f \x80";
	size_t start = random_below(sizeof(bytes) - 4);
	WaText text = {bytes + start, random_below(4)};

	if (text.length == 0 && random_below(2) == 0)
		text.data = NULL;
	return text;
}

#endif /* WA_TEST_PROGRAM_VALUES_H */
