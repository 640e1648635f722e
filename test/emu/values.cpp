//
// values.cpp
//		Values and bitmaps that are hard on reductions.
//
#include "check.h"

#include <limits>
#include <math.h>
#include <string.h>

// Kinds of integers.
static const char *const integer_names[] = {"random",   "extremes", "largest",
											"smallest", "halves",   "small"};

// Returns a number whose upper and lower halves are at the edges of their
// range: products of halves are then as large as they can be.
template <typename Integer>
static Integer
halves_value(Random &random)
{
	constexpr unsigned kHalf = 4 * sizeof(Integer);
	const uint64_t most = ((uint64_t) 1 << (kHalf - 1)) - 1;
	const uint64_t edges[] = {0,        1,        most - 1, most,
							  most + 1, most + 2, 2 * most, 2 * most + 1};
	const uint64_t upper = edges[random.below(8)];

	return (Integer) (upper << kHalf | edges[random.below(8)]);
}

template <typename Integer>
static Integer
integer_value(unsigned kind, Random &random)
{
	const Integer smallest = std::numeric_limits<Integer>::min();
	const Integer largest = std::numeric_limits<Integer>::max();
	const Integer extremes[] = {smallest, largest, (Integer) 0, (Integer) -1};

	switch (kind)
	{
		case 0:
			return (Integer) random.bits();
		case 1:
			return extremes[random.below(4)];
		case 2:
			return largest;
		case 3:
			return smallest;
		case 4:
			return halves_value<Integer>(random);
		default:
			return (Integer) (random.below(100) + 5);
	}
}

// Values of I128 are below 2^95 in magnitude.
template <>
WaInt128
integer_value<WaInt128>(unsigned kind, Random &random)
{
	const __int128 limit = (__int128) 1 << 95;
	const __int128 extremes[] = {1 - limit, limit - 1, 0, -1};
	const uint64_t low = random.bits();
	const int64_t high = (int64_t) random.bits() >> 32;

	switch (kind)
	{
		case 0:
			if (low != 0 || high != -((int64_t) 1 << 31))
				return {low, high};
			return {1, high};
		case 1:
			return wa_int128_make(extremes[random.below(4)]);
		case 2:
			return wa_int128_make(limit - 1);
		case 3:
			return wa_int128_make(1 - limit);
		default: // the low words decide, or the sign
			return {low, (int64_t) random.below(2) - 1};
	}
}

// Kinds of floats.
enum FloatKind
{
	FLOAT_PLAIN,
	FLOAT_WHOLE,
	FLOAT_SPREAD,
	FLOAT_EXTREMES,
	FLOAT_EQUAL,
	FLOAT_BITS,
	FLOAT_FINITE_BITS,
	FLOAT_CANCELLING,
	FLOAT_NEAR_OVERFLOW,
	FLOAT_GROWING,
	FLOAT_SUBNORMAL,
	FLOAT_ZEROS,
	FLOAT_NEGATIVE_ZERO,
	FLOAT_SOME_NAN,
	FLOAT_NAN,
	FLOAT_INFINITY,
	FLOAT_NEGATIVE_INFINITY,
	FLOAT_INFINITIES,
	FLOAT_INFINITY_OR_NAN,
	FLOAT_KINDS
};

static const char *const float_names[] = {"plain",
										  "whole",
										  "spread",
										  "extremes",
										  "equal",
										  "any bits",
										  "any finite bits",
										  "cancelling",
										  "near overflow",
										  "growing",
										  "subnormal",
										  "0 and -0",
										  "-0",
										  "some NaN",
										  "NaN",
										  "Infinity",
										  "-Infinity",
										  "both infinities",
										  "Infinity or NaN"};

// Returns a float of any bits.
template <typename Float>
static Float
float_of_bits(Random &random)
{
	uint64_t bits = random.bits();
	Float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

// Returns a finite float of any bits.
template <typename Float>
static Float
finite_float_of_bits(Random &random)
{
	Float x;

	do
		x = float_of_bits<Float>(random);
	while (!isfinite(x));
	return x;
}

// Returns a float of magnitude below 1000, with all bits of the mantissa.
template <typename Float>
static Float
plain_float(Random &random)
{
	return (Float) ((double) (int64_t) random.bits() / 9.3e15);
}

template <typename Float>
static Float
extreme_float(Random &random)
{
	using Limits = std::numeric_limits<Float>;
	const Float extremes[] = {
		Limits::max(),       -Limits::max(),       Limits::min(),
		-Limits::min(),      Limits::denorm_min(), -Limits::denorm_min(),
		(Float) 0,           -(Float) 0,           Limits::infinity(),
		-Limits::infinity(), Limits::quiet_NaN(),  (Float) 1};

	return extremes[random.below(sizeof(extremes) / sizeof(extremes[0]))];
}

template <typename Float>
static Float
float_value(unsigned kind, size_t row, Random &random)
{
	using Limits = std::numeric_limits<Float>;
	const bool odd = random.below(2) != 0;

	switch (kind)
	{
		case FLOAT_PLAIN:
			return plain_float<Float>(random);
		case FLOAT_WHOLE:
			return (Float) ((int64_t) random.below(2000001) - 1000000);
		case FLOAT_SPREAD: // what one window holds
			return ldexp(plain_float<Float>(random), -(int) random.below(40));
		case FLOAT_EXTREMES:
			return extreme_float<Float>(random);
		case FLOAT_EQUAL:
			return (Float) 0.1;
		case FLOAT_BITS:
			return float_of_bits<Float>(random);
		case FLOAT_FINITE_BITS:
			return finite_float_of_bits<Float>(random);
		case FLOAT_NEAR_OVERFLOW:
			return Limits::max() * (Float) (odd ? 0.9 : -0.8);
		case FLOAT_GROWING:
			return ldexp((Float) 1.1, (int) (row % (Limits::max_exponent * 2)) -
										  Limits::max_exponent);
		case FLOAT_SUBNORMAL:
			return Limits::denorm_min() * (Float) random.below(1 << 20);
		case FLOAT_ZEROS:
			return odd ? (Float) 0 : -(Float) 0;
		case FLOAT_NEGATIVE_ZERO:
			return -(Float) 0;
		case FLOAT_SOME_NAN:
			return random.below(50) == 0 ? Limits::quiet_NaN()
										 : plain_float<Float>(random);
		case FLOAT_NAN:
			return odd ? Limits::quiet_NaN() : -Limits::quiet_NaN();
		case FLOAT_INFINITY:
			return Limits::infinity();
		case FLOAT_NEGATIVE_INFINITY:
			return -Limits::infinity();
		case FLOAT_INFINITIES:
			return odd ? Limits::infinity() : -Limits::infinity();
		default:
			return odd ? Limits::infinity() : Limits::quiet_NaN();
	}
}

template <typename Integer>
static void
fill_integers(unsigned kind, Integer *values, size_t nrows, Random &random)
{
	for (size_t i = 0; i < nrows; i++)
		values[i] = integer_value<Integer>(kind, random);
}

template <typename Float>
static void
fill_floats(unsigned kind, Float *values, size_t nrows, Random &random)
{
	for (size_t i = 0; i < nrows; i++)
		if (kind != FLOAT_CANCELLING)
			values[i] = float_value<Float>(kind, i, random);
		else if (i % 2 == 0)
			values[i] = finite_float_of_bits<Float>(random);
		else // now and then a crumb is left
			values[i] = random.below(8) == 0 ? plain_float<Float>(random)
											 : -values[i - 1];
}

// Integers and floats are filled by functions of the same form.
static void
fill(unsigned kind, int16_t *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, int32_t *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, int64_t *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, uint32_t *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, uint64_t *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, WaInt128 *values, size_t nrows, Random &random)
{
	fill_integers(kind, values, nrows, random);
}

static void
fill(unsigned kind, float *values, size_t nrows, Random &random)
{
	fill_floats(kind, values, nrows, random);
}

static void
fill(unsigned kind, double *values, size_t nrows, Random &random)
{
	fill_floats(kind, values, nrows, random);
}

unsigned
values_kinds(WaStorage storage)
{
	if (storage == WA_F32 || storage == WA_F64)
		return FLOAT_KINDS;
	return sizeof(integer_names) / sizeof(integer_names[0]);
}

const char *
values_name(WaStorage storage, unsigned kind)
{
	if (storage == WA_F32 || storage == WA_F64)
		return float_names[kind];
	return integer_names[kind];
}

void
values_fill(WaStorage storage, unsigned kind, void *values, size_t nrows,
			Random &random)
{
	switch (storage)
	{
#define X(name, ctype)                                           \
	case WA_##name:                                              \
		fill(kind, static_cast<ctype *>(values), nrows, random); \
		break;
		WA_STORAGE_LIST(X)
#undef X
		case WA_STORAGE_COUNT:
			break;
	}
}

void
fold_valid(WaPartial *partial, WaOpSet ops, const WaBatch &batch)
{
	const size_t width = wa_type_width(batch.type);
	const unsigned char *values =
		static_cast<const unsigned char *>(batch.values);
	std::vector<unsigned char> kept;

	for (size_t row = 0; row < batch.nrows; row++)
		if (wa_row_is_valid(batch.validity, row))
			kept.insert(kept.end(), values + row * width,
						values + (row + 1) * width);
	const WaBatch valid = {batch.type, kept.data(), NULL, kept.size() / width};

	wa_partial_fold(partial, ops, &valid);
}

const char *
validity_name(unsigned kind)
{
	static const char *const names[] = {"no bitmap", "all valid", "none valid",
										"some valid", "every other valid"};

	return names[kind];
}

std::vector<uint64_t>
validity_fill(unsigned kind, size_t nrows, Random &random)
{
	std::vector<uint64_t> words(
		kind == VALIDITY_NONE ? 0
							  : wa_validity_bytes(nrows) / sizeof(uint64_t));
	const uint64_t alternating = 0x5555555555555555u << random.below(2);

	for (uint64_t &word : words)
		switch (kind)
		{
			case VALIDITY_ALL:
				word = ~(uint64_t) 0;
				break;
			case VALIDITY_ZERO:
				word = 0;
				break;
			case VALIDITY_RANDOM:
				word = random.bits();
				break;
			default:
				word = alternating;
				break;
		}
	if (nrows % 64 != 0 && !words.empty())
	{
		uint64_t rows = ((uint64_t) 1 << nrows % 64) - 1;

		words.back() = (words.back() & rows) | (random.bits() & ~rows);
	}
	return words;
}
