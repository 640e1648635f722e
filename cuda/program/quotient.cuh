//
// quotient.cuh
//		The quotient of two DECIMALs, as numeric_div has it: core/program_divide.c
//		says how that is.
//
#ifndef WA_CUDA_PROGRAM_QUOTIENT_CUH
#define WA_CUDA_PROGRAM_QUOTIENT_CUH

#include "program/magnitude.cuh"

// numeric.c: NUMERIC_MIN_SIG_DIGITS
constexpr int kSignificantDigits = 16;

// The first digit of base 10000 of a number, and its weight; both 0 of 0.
struct WaLeadingDigit
{
	int weight;
	int digit;
};

// Finds it of a number in units of 10^-scale.
__device__ __forceinline__ WaLeadingDigit
wa_leading_digit(WaMagnitude number, int scale)
{
	const int digits = (int) wa_magnitude_digits(number);
	const int exponent = digits - 1 - scale;
	// A digit of base 10000 ends where the exponent is a multiple of four.
	const int wanted = 1 + (exponent & (WA_NUMERIC_BASE_DIGITS - 1));
	WaMagnitude rest;

	if (number == 0)
		return {0, 0};
	if (digits < wanted)
		return {exponent >> 2,
				(int) number * (int) kPowersOfTen[wanted - digits]};
	return {
		exponent >> 2,
		(int) wa_magnitude_divide(
			number, wa_magnitude_power((unsigned) (digits - wanted)), &rest)};
}

// Returns the digits after the point of a quotient: select_div_scale().
__device__ __forceinline__ int
wa_quotient_scale(WaMagnitude a, int scale_a, WaMagnitude b, int scale_b)
{
	const WaLeadingDigit first_a = wa_leading_digit(a, scale_a);
	const WaLeadingDigit first_b = wa_leading_digit(b, scale_b);
	const int weight = first_a.weight - first_b.weight -
					   (first_a.digit <= first_b.digit ? 1 : 0);
	const int scale = kSignificantDigits - weight * WA_NUMERIC_BASE_DIGITS;

	return max(max(scale, 0), max(scale_a, scale_b));
}

// Divides a * 10^digits by b, and rounds half away from zero: in pieces where the
// product does not fit.  Returns false if the quotient does not, or b is too large
// to be multiplied by ten.
__device__ __forceinline__ bool
wa_quotient_rounded(WaMagnitude a, unsigned digits, WaMagnitude b,
					WaMagnitude *quotient)
{
	const unsigned digits_b = wa_magnitude_digits(b);
	WaMagnitude scaled = a;
	WaMagnitude rest;

	if (b >= (WaMagnitude) WA_WIDE_LIMIT / 10)
		return false;
	if (wa_magnitude_raise(&scaled, digits))
		digits = 0;
	else
		scaled = a;
	*quotient = wa_magnitude_divide(scaled, b, &rest);
	while (digits > 0)
	{
		// What is left is below b.
		const unsigned piece = min(digits, WA_WIDE_POWERS - 1 - digits_b);
		const WaMagnitude power = wa_magnitude_power(piece);

		if (!wa_magnitude_multiply(quotient, power) ||
			*quotient >= (WaMagnitude) WA_WIDE_LIMIT)
			return false;
		*quotient += wa_magnitude_divide(rest * power, b, &rest);
		digits -= piece;
	}
	*quotient += rest >= b - rest ? 1 : 0;
	return *quotient < (WaMagnitude) WA_WIDE_LIMIT;
}

#endif // WA_CUDA_PROGRAM_QUOTIENT_CUH
