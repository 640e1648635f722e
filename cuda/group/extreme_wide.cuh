//
// extreme_wide.cuh
//		The smallest and the largest value of 128 bits, by groups.
//
// No atomic compares 128 bits, so there are two launches: the first finds the
// extreme of the high words of a group, the second that of the low words among
// the rows that have this high word.
//
#ifndef WA_CUDA_GROUP_EXTREME_WIDE_CUH
#define WA_CUDA_GROUP_EXTREME_WIDE_CUH

#include "group/extreme.cuh"

// The first launch.  The result has the keys of the high and of the low words.
template <WaOp kOp>
struct WaGroupExtremeHigh : WaGroupKeyWords<8>,
							WaGroupOneByOne<WaGroupExtremeHigh<kOp>, WaInt128>
{
	static constexpr unsigned kWide = 2;

	__device__ __forceinline__
	WaGroupExtremeHigh(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, const WaInt128 &value) const
	{
		wa_group_raise(key(entry), wa_group_turned_key<kOp>(value.hi));
	}
};

// The second launch, which takes the rows of group g whose high word has the
// key high[g].
template <WaOp kOp>
struct WaGroupExtremeLow : WaGroupKeyWords<8>,
						   WaGroupOneByOne<WaGroupExtremeLow<kOp>, WaInt128>
{
	static constexpr unsigned kWide = 2;

	const unsigned long long *high;

	__device__ __forceinline__
	WaGroupExtremeLow(const WaGroupArgs &args, WaGroupSeen &)
		: high(reinterpret_cast<const unsigned long long *>(args.table))
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, const WaInt128 &value) const
	{
		if (wa_group_turned_key<kOp>(value.hi) == high[entry.group])
			wa_group_raise(key(entry),
						   wa_group_turned_key<kOp>((uint64_t) value.lo));
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
		target.raise_wide(1, copies.largest_long());
	}
};

template <> struct WaGroupOperation<WA_OP_MIN, WA_I128>
{
	using Type = WaGroupExtremeHigh<WA_OP_MIN>;
};

template <> struct WaGroupOperation<WA_OP_MAX, WA_I128>
{
	using Type = WaGroupExtremeHigh<WA_OP_MAX>;
};

#endif // WA_CUDA_GROUP_EXTREME_WIDE_CUH
