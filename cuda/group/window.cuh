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
		low_normal_ = max(low_, 1);
		limit_normal_ = (unsigned) max(low_ + (int) limit_ - low_normal_, 0);
	}

	// Returns by how many bits the number is to be shifted, if the window holds
	// it.
	__device__ __forceinline__ unsigned
	shift(const WaGroupParts<Float> &parts) const
	{
		return shift(parts.exponent);
	}

	// Tells whether the launch is to add the number, which is not 0 then.
	__device__ __forceinline__ bool
	holds(const WaGroupParts<Float> &parts) const
	{
		return shift(parts) < limit_ && parts.significand != 0;
	}

	// The same for a number that is not subnormal, by its exponent alone.
	__device__ __forceinline__ bool
	holds_normal(int exponent) const
	{
		return (unsigned) (exponent - low_normal_) < limit_normal_;
	}

	__device__ __forceinline__ unsigned
	shift(int exponent) const
	{
		return (unsigned) (exponent - low_);
	}

	// Notes what another launch has to do for a number that this one does not
	// add.
	__device__ __forceinline__ void
	note(const WaGroupParts<Float> &parts) const
	{
		int below = low_ + kRange - 1 - parts.exponent;
		int window;

		if (!counted_)
			return;
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

  private:
	WaGroupSeen &seen_;
	int low_;        // exponent
	unsigned limit_; // exponents from there on that the launch takes
	int low_normal_; // the same without subnormal numbers
	unsigned limit_normal_;
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

// A number that is not subnormal, taken apart for the common case: its
// significand, and its sign in all bits.
template <typename Float> struct WaGroupNormal
{
	using Traits = WaGroupFloat<Float>;
	using Bits = typename Traits::Bits;
	using Signed = typename std::make_signed<Bits>::type;

	Bits significand;
	Bits sign;
	int exponent;

	__device__ __forceinline__ explicit WaGroupNormal(Float x)
	{
		constexpr Bits kHidden = (Bits) 1 << Traits::kFractionBits;
		Bits bits;

		memcpy(&bits, &x, sizeof(bits));
		sign = (Bits) ((Signed) bits >> (8 * sizeof(Bits) - 1));
		exponent = (int) (bits >> Traits::kFractionBits) & Traits::kNotFinite;
		significand = (bits & (kHidden - 1)) | kHidden;
	}
};

// What operations over floats have in common.
template <typename Operation, WaOp kOp, typename Float>
struct WaGroupFloats : WaGroupNumber<WaGroupShape<kOp, Float>::kWords>
{
	using Value = Float;
	using Parts = WaGroupParts<Float>;
	using Normal = WaGroupNormal<Float>;

	WaGroupWindow<Float, WaGroupShape<kOp, Float>::kRange, kOp == WA_OP_SUM>
		window;

	__device__ __forceinline__
	WaGroupFloats(const WaGroupArgs &args, WaGroupSeen &seen)
		: window(args, seen)
	{
	}

	// Adds those in the window that are not subnormal all at once, and then others
	// one by one, if there are any.
	__device__ __forceinline__ void
	add_each(const WaGroupEntry (&entries)[kGroupRows],
			 const Value (&values)[kGroupRows],
			 const bool (&takes)[kGroupRows]) const
	{
		const Operation &operation = static_cast<const Operation &>(*this);
		WaGroupDigits<Operation::kDigits> digits[kGroupRows];
		bool others = false;

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			const Normal number(values[i]);
			const bool holds = window.holds_normal(number.exponent);

			others |= !holds;
			digits[i] = operation.digits_of(number);
			if (!takes[i] || !holds)
				digits[i] = {};
		}
		this->add_each_digits(entries, digits);
		if (!others)
			return;
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			const Normal number(values[i]);
			const Parts parts(values[i]);

			if (!takes[i] || window.holds_normal(number.exponent))
				continue;
			if (window.holds(parts))
				operation.add_one(entries[i], parts);
			else
				window.note(parts);
		}
	}
};

// The sum of floats.
template <typename Float>
struct WaGroupFloatSum : WaGroupFloats<WaGroupFloatSum<Float>, WA_OP_SUM, Float>
{
	using Base = WaGroupFloats<WaGroupFloatSum<Float>, WA_OP_SUM, Float>;
	using Parts = typename Base::Parts;
	using Base::Base;
	using Base::window;

	static constexpr unsigned kDigits = sizeof(Float) / 4 + 1;

	__device__ __forceinline__ WaGroupDigits<kDigits>
	digits_of(const WaGroupNormal<Float> &number) const
	{
		const auto signed_number =
			(number.significand ^ number.sign) - number.sign;
		uint32_t words[kDigits - 1];

		memcpy(words, &signed_number, sizeof(words));
		return wa_group_shift<kDigits>(words, (uint32_t) number.sign,
									   window.shift(number.exponent));
	}

	// Adds a number that the window holds.
	__device__ __forceinline__ void
	add_one(const WaGroupEntry &entry, const Parts &parts) const
	{
		this->add_digits(entry, wa_group_digits<4>(term_of(parts)));
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Float (&values)[kGroupRows]) const
	{
		this->add_digits(entry, wa_group_digits<4>(merged(values)));
	}

	__device__ __forceinline__ void
	add_warp(const WaGroupEntry &entry, const Float (&values)[kGroupRows]) const
	{
		__int128 number = wa_group_warp_sum(merged(values));

		if (wa_warp_lane() == 0)
			this->add_digits(entry, wa_group_digits<4>(number));
	}

  private:
	__device__ __forceinline__ __int128
	term_of(const Parts &parts) const
	{
		const __int128 term = (__int128) parts.significand
							  << window.shift(parts);

		return parts.negative ? -term : term;
	}

	// Returns the sum of those of the values that are in the window.
	__device__ __forceinline__ __int128
	merged(const Float (&values)[kGroupRows]) const
	{
		__int128 number = 0;

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			const Parts parts(values[i]);

			if (window.holds(parts))
				number += term_of(parts);
			else
				window.note(parts);
		}
		return number;
	}
};

// The sum of squares of floats.
template <typename Float>
struct WaGroupFloatSquares
	: WaGroupFloats<WaGroupFloatSquares<Float>, WA_OP_SQUARES, Float>
{
	using Base =
		WaGroupFloats<WaGroupFloatSquares<Float>, WA_OP_SQUARES, Float>;
	using Parts = typename Base::Parts;
	using Square = typename std::conditional<sizeof(Float) == 4, uint64_t,
											 unsigned __int128>::type;
	using Base::Base;
	using Base::window;

	static constexpr unsigned kDigits = sizeof(Square) / 4 + 1;

	__device__ __forceinline__ WaGroupDigits<kDigits>
	digits_of(const WaGroupNormal<Float> &number) const
	{
		return square(number.significand, window.shift(number.exponent));
	}

	// Adds a number that the window holds.
	__device__ __forceinline__ void
	add_one(const WaGroupEntry &entry, const Parts &parts) const
	{
		this->add_digits(entry, square(parts.significand, window.shift(parts)));
	}

	// Squares that begin at the same word are added up first; four of them
	// have two bits more, which kDigits digits have room for.
	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Float (&values)[kGroupRows]) const
	{
		WaGroupDigits<kDigits> sum = {};

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			Parts parts(values[i]);
			WaGroupDigits<kDigits> next;

			if (!window.holds(parts))
			{
				window.note(parts);
				continue;
			}
			next = square(parts.significand, window.shift(parts));
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
	add_warp(const WaGroupEntry &entry, const Float (&values)[kGroupRows]) const
	{
		add_all(entry, values);
	}

  private:
	__device__ __forceinline__ static WaGroupDigits<kDigits>
	square(typename Parts::Bits significand, unsigned shift)
	{
		const Square square = (Square) significand * significand;
		uint32_t words[kDigits - 1];

		memcpy(words, &square, sizeof(words));
		return wa_group_shift<kDigits>(words, 0, 2 * shift);
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

template <> struct WaGroupOperation<WA_OP_SUM, WA_F32>
{
	using Type = WaGroupFloatSum<float>;
};

template <> struct WaGroupOperation<WA_OP_SUM, WA_F64>
{
	using Type = WaGroupFloatSum<double>;
};

template <> struct WaGroupOperation<WA_OP_SQUARES, WA_F32>
{
	using Type = WaGroupFloatSquares<float>;
};

template <> struct WaGroupOperation<WA_OP_SQUARES, WA_F64>
{
	using Type = WaGroupFloatSquares<double>;
};

#endif // WA_CUDA_GROUP_WINDOW_CUH
