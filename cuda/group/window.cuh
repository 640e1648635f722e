//
// window.cuh
//		Exact sums of floats and of their squares, by groups.
//
// A launch takes the numbers whose exponents lie in one window, as integers in
// units of the lowest bit that such a number can have.  Windows lie side by
// side: window i has the kRange exponents up to top - i * kRange, where top is
// what the sampling kernel has found, plus some headroom; a number belongs to
// exactly one.  The launch of window 0 notes in which other windows there are
// numbers, and whether there are special values, which have a launch of their
// own (group/special.cuh).
//
// Exponents are biased, as they lie in the number; subnormal numbers have that
// of the smallest normal ones, 1.
//
#ifndef WA_CUDA_GROUP_WINDOW_CUH
#define WA_CUDA_GROUP_WINDOW_CUH

#include "core/exact_sum.h"
#include "group/digits.cuh"
#include "group/operation.cuh"

template <typename Float> struct WaGroupFloat;

template <> struct WaGroupFloat<float>
{
	using Bits = uint32_t;

	static constexpr int kFractionBits = 23;
	static constexpr int kNotFinite = 0xff; // exponent of infinities and NaN
	static constexpr int kUnit = -150;      // exponent 0 stands for this one
};

template <> struct WaGroupFloat<double>
{
	using Bits = uint64_t;

	static constexpr int kFractionBits = 52;
	static constexpr int kNotFinite = 0x7ff;
	static constexpr int kUnit = -1075;
};

// A number taken apart.
template <typename Float> struct WaGroupParts
{
	using Traits = WaGroupFloat<Float>;
	using Bits = typename Traits::Bits;

	Bits significand;
	int exponent;
	bool negative;

	__device__ __forceinline__ explicit WaGroupParts(Float x)
	{
		constexpr Bits kHidden = (Bits) 1 << Traits::kFractionBits;
		Bits bits;

		memcpy(&bits, &x, sizeof(bits));
		negative = bits >> (8 * sizeof(Bits) - 1) != 0;
		exponent = (int) (bits >> Traits::kFractionBits) & Traits::kNotFinite;
		significand = bits & (kHidden - 1);
		if (exponent == 0)
			exponent = 1;
		else
			significand |= kHidden;
	}
};

// Range of the exponents of a window, for W words: 2^30 numbers of that many
// bits, shifted by up to the range less 1, and a sign fit 32 W bits.  Of a sum
// the 2^7 numbers of a warp have to fit 128.
template <WaOp kOp, typename Float> struct WaGroupShape;

template <> struct WaGroupShape<WA_OP_SUM, float>
{
	static constexpr unsigned kWords = 4;
	static constexpr int kRange = 127 - 30 - 24 + 1;
};

template <> struct WaGroupShape<WA_OP_SUM, double>
{
	static constexpr unsigned kWords = 5;
	static constexpr int kRange = 127 - 7 - 53 + 1;
};

template <> struct WaGroupShape<WA_OP_SQUARES, float>
{
	static constexpr unsigned kWords = 6;
	static constexpr int kRange = (191 - 30 - 48) / 2 + 1;
};

template <> struct WaGroupShape<WA_OP_SQUARES, double>
{
	static constexpr unsigned kWords = 8;
	static constexpr int kRange = (255 - 30 - 106) / 2 + 1;
};

// Returns the lowest exponent of a window.
WA_INLINE int
wa_group_window_low(int top, int window, int range)
{
	return top - (window + 1) * range + 1;
}

// Which numbers a launch takes.  kSpecial: infinities, NaN and -0 matter.
template <typename Float, int kRange, bool kSpecial> class WaGroupWindow
{
	using Traits = WaGroupFloat<Float>;

  public:
	__device__ __forceinline__
	WaGroupWindow(const WaGroupArgs &args, WaGroupSeen &seen)
		: seen_(seen), counted_(args.counted)
	{
		low_ = wa_group_window_low(args.status->top, args.window, kRange);
		limit_ = (unsigned) max(min(kRange, Traits::kNotFinite - low_), 0);
	}

	// Returns by how many bits the number is to be shifted; it is not to be
	// added if that is not below limit().
	__device__ __forceinline__ unsigned
	shift(const WaGroupParts<Float> &parts) const
	{
		return (unsigned) (parts.exponent - low_);
	}

	// Tells whether the launch is to add the number, which is not 0 then.
	__device__ __forceinline__ bool
	takes(const WaGroupParts<Float> &parts) const
	{
		if (shift(parts) < limit_ && parts.significand != 0)
			return true;
		if (counted_)
			note(parts);
		return false;
	}

  private:
	// Notes what another launch has to do for a number.  Called in window 0.
	__device__ __forceinline__ void
	note(const WaGroupParts<Float> &parts) const
	{
		int below = low_ + kRange - 1 - parts.exponent;
		int window;

		if (parts.exponent == Traits::kNotFinite ||
			(parts.significand == 0 && parts.negative))
		{
			if (kSpecial)
				wa_group_note(seen_, kSeenWindows);
			return;
		}
		if (parts.significand == 0)
			return;
		window = below >= 0 ? below / kRange : -((kRange - 1 - below) / kRange);
		wa_group_note(seen_, (unsigned) (window + kSeenMiddle));
	}

	WaGroupSeen &seen_;
	int low_;        // exponent
	unsigned limit_; // exponents from there on that the launch takes
	bool counted_;
};

// Returns the digits of a number of kDigits - 1 words in two's complement,
// shifted; `high` is what comes before the highest: its sign in all bits.
template <unsigned kDigits>
__device__ __forceinline__ WaGroupDigits<kDigits>
wa_group_shift(const uint32_t (&word)[kDigits - 1], uint32_t high,
			   unsigned shift)
{
	WaGroupDigits<kDigits> digits;

	digits.offset = shift / 32;
	digits.digit[0] = word[0] << shift % 32;
#pragma unroll
	for (unsigned i = 1; i < kDigits - 1; i++)
		digits.digit[i] = __funnelshift_l(word[i - 1], word[i], shift % 32);
	digits.digit[kDigits - 1] =
		__funnelshift_l(word[kDigits - 2], high, shift % 32);
	return digits;
}

// The sum of floats.
template <typename Float>
struct WaGroupFloatSum : WaGroupNumber<WaGroupShape<WA_OP_SUM, Float>::kWords>
{
	using Value = Float;
	using Parts = WaGroupParts<Float>;
	using Shape = WaGroupShape<WA_OP_SUM, Float>;

	static constexpr unsigned kDigits = sizeof(Float) / 4 + 1;

	WaGroupWindow<Float, Shape::kRange, true> window;

	__device__ __forceinline__
	WaGroupFloatSum(const WaGroupArgs &args, WaGroupSeen &seen)
		: window(args, seen)
	{
	}

	__device__ __forceinline__ void
	add_each(const WaGroupEntry (&entries)[kGroupRows],
			 const Value (&values)[kGroupRows], unsigned,
			 const bool (&takes)[kGroupRows]) const
	{
		WaGroupDigits<kDigits> digits[kGroupRows];
		bool adds[kGroupRows];

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			Parts parts(values[i]);
			uint32_t words[kDigits - 1];

			adds[i] = takes[i] && window.takes(parts);
			if (parts.negative)
				parts.significand = 0 - parts.significand;
			memcpy(words, &parts.significand, sizeof(words));
			digits[i] = wa_group_shift<kDigits>(words, parts.negative ? ~0u : 0,
												window.shift(parts));
		}
		this->add_each_digits(entries, digits, adds);
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			unsigned) const
	{
		this->add_digits(entry, wa_group_digits<4>(merged(values)));
	}

	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			 unsigned) const
	{
		__int128 number = wa_group_warp_sum(merged(values));

		if (wa_warp_lane() == 0)
			this->add_digits(entry, wa_group_digits<4>(number));
	}

  private:
	// Returns the sum of those of the values that are in the window.
	__device__ __forceinline__ __int128
	merged(const Value (&values)[kGroupRows]) const
	{
		__int128 number = 0;

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			Parts parts(values[i]);

			if (window.takes(parts))
			{
				__int128 term = (__int128) parts.significand
								<< window.shift(parts);

				number += parts.negative ? -term : term;
			}
		}
		return number;
	}
};

// The sum of squares of floats.
template <typename Float>
struct WaGroupFloatSquares
	: WaGroupNumber<WaGroupShape<WA_OP_SQUARES, Float>::kWords>
{
	using Value = Float;
	using Parts = WaGroupParts<Float>;
	using Shape = WaGroupShape<WA_OP_SQUARES, Float>;
	using Square = typename std::conditional<sizeof(Float) == 4, uint64_t,
											 unsigned __int128>::type;

	static constexpr unsigned kDigits = sizeof(Square) / 4 + 1;

	WaGroupWindow<Float, Shape::kRange, false> window;

	__device__ __forceinline__
	WaGroupFloatSquares(const WaGroupArgs &args, WaGroupSeen &seen)
		: window(args, seen)
	{
	}

	__device__ __forceinline__ void
	add_each(const WaGroupEntry (&entries)[kGroupRows],
			 const Value (&values)[kGroupRows], unsigned,
			 const bool (&takes)[kGroupRows]) const
	{
		WaGroupDigits<kDigits> digits[kGroupRows];
		bool adds[kGroupRows];

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			Parts parts(values[i]);

			adds[i] = takes[i] && window.takes(parts);
			digits[i] = square(parts);
		}
		this->add_each_digits(entries, digits, adds);
	}

	// Squares that begin at the same word are added up first; four of them
	// have two bits more, which kDigits digits have room for.
	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			unsigned) const
	{
		WaGroupDigits<kDigits> sum = {};

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			Parts parts(values[i]);
			WaGroupDigits<kDigits> next;

			if (!window.takes(parts))
				continue;
			next = square(parts);
			if (next.offset != sum.offset)
			{
				this->add_digits(entry, sum);
				sum = next;
			}
			else
				add_to(sum, next);
		}
		this->add_digits(entry, sum);
	}

	// No integer of the compiler's holds more.
	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Value (&values)[kGroupRows],
			 unsigned row) const
	{
		add_all(entry, values, row);
	}

  private:
	__device__ __forceinline__ WaGroupDigits<kDigits>
	square(const Parts &parts) const
	{
		Square square = (Square) parts.significand * parts.significand;
		uint32_t words[kDigits - 1];

		memcpy(words, &square, sizeof(words));
		return wa_group_shift<kDigits>(words, 0, 2 * window.shift(parts));
	}

	__device__ __forceinline__ static void
	add_to(WaGroupDigits<kDigits> &sum, const WaGroupDigits<kDigits> &term)
	{
		uint64_t carry = 0;

#pragma unroll
		for (unsigned i = 0; i < kDigits; i++)
		{
			carry += (uint64_t) sum.digit[i] + term.digit[i];
			sum.digit[i] = (uint32_t) carry;
			carry >>= 32;
		}
	}
};

template <> struct WaGroupOperation<WA_OP_SUM, WA_F32> : WaGroupFloatSum<float>
{
	using WaGroupFloatSum::WaGroupFloatSum;
};

template <> struct WaGroupOperation<WA_OP_SUM, WA_F64> : WaGroupFloatSum<double>
{
	using WaGroupFloatSum::WaGroupFloatSum;
};

template <>
struct WaGroupOperation<WA_OP_SQUARES, WA_F32> : WaGroupFloatSquares<float>
{
	using WaGroupFloatSquares::WaGroupFloatSquares;
};

template <>
struct WaGroupOperation<WA_OP_SQUARES, WA_F64> : WaGroupFloatSquares<double>
{
	using WaGroupFloatSquares::WaGroupFloatSquares;
};

#endif // WA_CUDA_GROUP_WINDOW_CUH
