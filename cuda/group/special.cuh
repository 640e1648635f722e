//
// special.cuh
//		How many infinities, NaN and -0 each group has.
//
#ifndef WA_CUDA_GROUP_SPECIAL_CUH
#define WA_CUDA_GROUP_SPECIAL_CUH

#include "group/operation.cuh"
#include "group/window.cuh"

// Words of an entry, and arrays of the result.
enum WaGroupSpecialCount
{
	WA_GROUP_POSITIVE_INFINITIES,
	WA_GROUP_NEGATIVE_INFINITIES,
	WA_GROUP_NANS,
	WA_GROUP_NEGATIVE_ZEROS,
	WA_GROUP_SPECIAL_COUNTS
};

template <typename Float>
struct WaGroupSpecial : WaGroupOneByOne<WaGroupSpecial<Float>, Float>
{
	using Parts = WaGroupParts<Float>;
	using Traits = WaGroupFloat<Float>;

	static constexpr unsigned kWords = WA_GROUP_SPECIAL_COUNTS;
	static constexpr uint32_t kEmpty = 0;
	static constexpr unsigned kWide = WA_GROUP_SPECIAL_COUNTS;
	static constexpr unsigned kNarrow = 1;

	__device__ __forceinline__
	WaGroupSpecial(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, Float value) const
	{
		Parts parts(value);

		if (parts.significand == 0 && parts.negative)
			atomicAdd(entry.word(WA_GROUP_NEGATIVE_ZEROS), 1u);
		else if (parts.exponent != Traits::kNotFinite)
			return;
		else if (value != value)
			atomicAdd(entry.word(WA_GROUP_NANS), 1u);
		else if (parts.negative)
			atomicAdd(entry.word(WA_GROUP_NEGATIVE_INFINITIES), 1u);
		else
			atomicAdd(entry.word(WA_GROUP_POSITIVE_INFINITIES), 1u);
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
#pragma unroll
		for (unsigned i = 0; i < kWords; i++)
			target.add_wide(i, copies.sum(i));
	}
};

#endif // WA_CUDA_GROUP_SPECIAL_CUH
