//
// wide_rows.cuh
//		What instructions over DECIMALs of up to 38 digits compute of one row.
//
// Each function returns false if the row traps; then *out may be anything.  They
// compute what core/program_wide.c, program_divide.c and program_decimal.c do.
//
#ifndef WA_CUDA_PROGRAM_WIDE_ROWS_CUH
#define WA_CUDA_PROGRAM_WIDE_ROWS_CUH

#include "program/arithmetic.cuh"
#include "program/quotient.cuh"

// A DECIMAL of a row, in units of 10^-scale, which is also how it is shown; or,
// as a result, a value of another kind.
struct WaWideRow
{
	__int128 value;
	int scale;
};

// Multiplies by 10^digits; returns false if there are more than 38 digits.
__device__ __forceinline__ bool
wa_wide_raise(__int128 *number, unsigned digits)
{
	WaMagnitude magnitude = wa_magnitude_of(*number);

	if (digits == 0)
		return true;
	if (!wa_magnitude_raise(&magnitude, digits) ||
		magnitude >= (WaMagnitude) WA_WIDE_LIMIT)
		return false;
	*number = *number < 0 ? -(__int128) magnitude : (__int128) magnitude;
	return true;
}

// Divides and cuts off.  The divisor is not 0.
__device__ __forceinline__ __int128
wa_wide_divide(__int128 number, __int128 divisor, __int128 *rest)
{
	WaMagnitude left;
	const WaMagnitude quotient = wa_magnitude_divide(
		wa_magnitude_of(number), wa_magnitude_of(divisor), &left);

	*rest = number < 0 ? -(__int128) left : (__int128) left;
	return (number < 0) != (divisor < 0) ? -(__int128) quotient
										 : (__int128) quotient;
}

// Brings two numbers to the larger of their scales.
__device__ __forceinline__ bool
wa_wide_align(WaWideRow &a, WaWideRow &b)
{
	const int scale = max(a.scale, b.scale);
	const bool fits = wa_wide_raise(&a.value, (unsigned) (scale - a.scale)) &&
					  wa_wide_raise(&b.value, (unsigned) (scale - b.scale));

	a.scale = scale;
	b.scale = scale;
	return fits;
}

// Adds; both numbers are below the limit.
__device__ __forceinline__ bool
wa_wide_add(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	if (!wa_wide_align(a, b) ||
		(a.value > 0 ? b.value >= WA_WIDE_LIMIT - a.value
					 : b.value <= -WA_WIDE_LIMIT - a.value))
		return false;
	*out = {a.value + b.value, a.scale};
	return true;
}

__device__ __forceinline__ bool
wa_wide_multiply(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	WaMagnitude product = wa_magnitude_of(a.value);

	if (!wa_magnitude_multiply(&product, wa_magnitude_of(b.value)) ||
		product >= (WaMagnitude) WA_WIDE_LIMIT)
		return false;
	*out = {(a.value < 0) != (b.value < 0) ? -(__int128) product
										   : (__int128) product,
			a.scale + b.scale};
	return out->scale <= WA_WIDE_MAX_SCALE;
}

__device__ __forceinline__ bool
wa_wide_quotient(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	const WaMagnitude number = wa_magnitude_of(a.value);
	const WaMagnitude divisor = wa_magnitude_of(b.value);
	const int scale = wa_quotient_scale(number, a.scale, divisor, b.scale);
	WaMagnitude quotient;

	if (divisor == 0 || scale > WA_WIDE_MAX_SCALE ||
		!wa_quotient_rounded(number, (unsigned) (scale + b.scale - a.scale),
							 divisor, &quotient))
		return false;
	*out = {(a.value < 0) != (b.value < 0) ? -(__int128) quotient
										   : (__int128) quotient,
			scale};
	return true;
}

__device__ __forceinline__ bool
wa_wide_remainder(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	if (!wa_wide_align(a, b) || b.value == 0)
		return false;
	out->scale = a.scale;
	(void) wa_wide_divide(a.value, b.value, &out->value);
	return true;
}

__device__ __forceinline__ bool
wa_wide_whole_quotient(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	__int128 rest;

	if (!wa_wide_align(a, b) || b.value == 0)
		return false;
	*out = {wa_wide_divide(a.value, b.value, &rest), 0};
	return true;
}

// Cuts off all digits after the point; what they were is rounded to `towards`.
__device__ __forceinline__ WaWideRow
wa_wide_cut_off(WaWideRow a, int towards)
{
	__int128 rest;
	__int128 whole = wa_wide_divide(
		a.value, (__int128) wa_magnitude_power((unsigned) a.scale), &rest);

	if (towards > 0 ? rest > 0 : rest < 0)
		whole += towards;
	return {whole, 0};
}

// floor(a / b), of the quotient that PostgreSQL rounds, which is soon found of most
// numbers of 64 bits.
__device__ __forceinline__ bool
wa_wide_floor_quotient(WaWideRow a, WaWideRow b, WaWideRow *out)
{
	WaWideRow x = a;
	WaWideRow y = b;
	int64_t quotient;

	if (wa_wide_align(x, y) && x.value == (int64_t) x.value &&
		y.value == (int64_t) y.value &&
		!wa_row_floor_divide((int64_t) x.value, (int64_t) y.value, &quotient))
	{
		*out = {quotient, 0};
		return true;
	}
	if (!wa_wide_quotient(a, b, out))
		return false;
	*out = wa_wide_cut_off(*out, -1);
	return true;
}

// Returns a number in units of 10^-scale, of fewer digits than it has, rounded
// half away from zero.
__device__ __forceinline__ __int128
wa_wide_round_off(WaWideRow a, int scale)
{
	const WaMagnitude power = wa_magnitude_power((unsigned) (a.scale - scale));
	WaMagnitude rest;
	WaMagnitude whole =
		wa_magnitude_divide(wa_magnitude_of(a.value), power, &rest);

	whole += rest >= power - rest ? 1 : 0;
	return a.value < 0 ? -(__int128) whole : (__int128) whole;
}

// Rounds to a scale, and pads to it; digits: the most before the point.
__device__ __forceinline__ bool
wa_wide_round(WaWideRow a, int scale, int digits, WaWideRow *out)
{
	const WaMagnitude limit =
		wa_magnitude_power((unsigned) min(digits + scale, WA_WIDE_POWERS - 1));

	*out = {a.value, scale};
	if (a.scale > scale)
		out->value = wa_wide_round_off(a, scale);
	else if (!wa_wide_raise(&out->value, (unsigned) (scale - a.scale)))
		return false;
	return wa_magnitude_of(out->value) < limit;
}

__device__ __forceinline__ bool
wa_wide_to_int(WaWideRow a, unsigned bytes, WaWideRow *out)
{
	const __int128 whole = wa_wide_round_off(a, 0);
	const __int128 end = (__int128) 1 << (bytes * 8 - 1);

	*out = {whole, 0};
	return whole >= -end && whole < end;
}

// Returns a number's first 55 bits, of which the last is set if any that is lost is,
// times a power of two: rounded to a float of fewer bits they are what the number
// is, rounded once.  The number is not 0.
__device__ __forceinline__ uint64_t
wa_wide_leading_bits(WaMagnitude number, unsigned scale, int *exponent)
{
	constexpr unsigned kBits = 55;
	const WaMagnitude power = wa_magnitude_power(scale);
	WaMagnitude rest;
	WaMagnitude quotient = wa_magnitude_divide(number, power, &rest);
	unsigned lost;
	bool is_exact;

	*exponent = 0;
	while (quotient >> (kBits - 1) == 0)
	{
		// No power of ten has more than 127 bits.
		rest <<= 1;
		quotient = quotient << 1 | (rest >= power ? 1 : 0);
		rest -= rest >= power ? power : 0;
		--*exponent;
	}
	lost = wa_magnitude_bits(quotient) - kBits;
	is_exact = rest == 0 && (quotient & (((WaMagnitude) 1 << lost) - 1)) == 0;
	*exponent += (int) lost;
	return (uint64_t) (quotient >> lost) | (is_exact ? 0 : 1);
}

// Correctly rounded, as the C library reads the digits.
__device__ __forceinline__ bool
wa_wide_to_float(WaWideRow a, unsigned bytes, WaWideRow *out)
{
	double number = 0;
	int exponent;

	if (a.value != 0)
	{
		const uint64_t bits = wa_wide_leading_bits(
			wa_magnitude_of(a.value), (unsigned) a.scale, &exponent);

		number =
			ldexp(bytes == 4 ? (double) (float) bits : (double) bits, exponent);
	}
	*out = {wa_bits_of(a.value < 0 ? -number : number), 0};
	// A float4 would be rounded once more below that.
	return bytes != 4 || a.value == 0 || number >= 0x1p-126;
}

// Compares numbers of any scales: less than 0, 0, more than 0.
__device__ __forceinline__ int
wa_wide_compare(WaWideRow a, WaWideRow b)
{
	// If one is too large for the other's scale, its sign tells.
	if (!wa_wide_raise(&a.value, (unsigned) max(b.scale - a.scale, 0)))
		return a.value < 0 ? -1 : 1;
	if (!wa_wide_raise(&b.value, (unsigned) max(a.scale - b.scale, 0)))
		return b.value < 0 ? 1 : -1;
	return (a.value > b.value) - (a.value < b.value);
}

#endif // WA_CUDA_PROGRAM_WIDE_ROWS_CUH
