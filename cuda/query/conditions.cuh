//
// conditions.cuh
//		The kernel of conditions.
//
#ifndef WA_CUDA_QUERY_CONDITIONS_CUH
#define WA_CUDA_QUERY_CONDITIONS_CUH

#include "core/batch.h"
#include "query/conditions.h"
#include "warp/shuffle.cuh"

// A warp has a strip of neighbouring rows, and of these each lane every 32nd.
constexpr unsigned kConditionRows = 8;

// A condition as the kernel takes it; the limits are values of the form.
struct WaQueryRangeTest
{
	WaColumnForm form;
	const void *d_values;
	const uint64_t *d_validity; // NULL: no row is NULL
	int64_t least;
	int64_t most;
};

// What the kernel takes.
struct WaQueryConditionArgs
{
	unsigned count;
	uint32_t nrows;
	uint32_t *mask; // 32-bit words of the bitmap
	WaQueryRangeTest tests[WA_QUERY_CONDITIONS];
};

// Returns which of a thread's rows, from `row` on, lie in the range, of those that
// a mask has.
template <typename Stored>
__device__ __forceinline__ unsigned
wa_query_rows_between(const WaQueryRangeTest &test, uint32_t row,
					  unsigned wanted)
{
	const Stored *from = static_cast<const Stored *>(test.d_values) + row;
	const Stored least = (Stored) test.least;
	const Stored most = (Stored) test.most;
	Stored stored[kConditionRows];
	unsigned between = 0;

#pragma unroll
	for (unsigned i = 0; i < kConditionRows; i++)
		stored[i] =
			(wanted >> i & 1) != 0 ? __ldcs(from + i * kWarpLanes) : Stored(0);
#pragma unroll
	for (unsigned i = 0; i < kConditionRows; i++)
		between |= (unsigned) (stored[i] >= least && stored[i] <= most) << i;
	return wanted & between;
}

// Returns which of a thread's rows fulfil a condition, likewise.
__device__ __forceinline__ unsigned
wa_query_test_rows(const WaQueryRangeTest &test, uint32_t row, unsigned wanted)
{
	unsigned valid = wanted;

	if (test.d_validity != NULL)
#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
			if ((wanted >> i & 1) != 0 &&
				!wa_row_is_valid(test.d_validity, row + i * kWarpLanes))
				valid &= ~(1u << i);
	switch (test.form)
	{
		case WA_COLUMN_I16:
			return wa_query_rows_between<int16_t>(test, row, valid);
		case WA_COLUMN_I32:
			return wa_query_rows_between<int32_t>(test, row, valid);
		case WA_COLUMN_U32:
			return wa_query_rows_between<uint32_t>(test, row, valid);
		default:
			return wa_query_rows_between<int64_t>(test, row, valid);
	}
}

// Takes rows that do not fulfil all conditions from a bitmap.  Any grid of whole
// warps; deterministic.
__global__ void
__launch_bounds__(kQueryThreads) wa_query_conditions_kernel(
	const __grid_constant__ WaQueryConditionArgs args)
{
	const unsigned lane = wa_warp_lane();
	const uint32_t words = (args.nrows + 63) / 64 * 2;
	const uint32_t warps = gridDim.x * (blockDim.x / kWarpLanes);

	for (uint32_t word = (blockIdx.x * blockDim.x + threadIdx.x) / kWarpLanes *
						 kConditionRows;
		 word < words; word += warps * kConditionRows)
	{
		const uint32_t row = word * kWarpLanes + lane;
		unsigned live = 0;
		uint32_t mine = 0;

#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
			if (word + i < words)
				live |= (args.mask[word + i] >> lane & 1) << i;
		for (unsigned i = 0;
			 i < args.count && __ballot_sync(kFullMask, live != 0) != 0; i++)
			live = wa_query_test_rows(args.tests[i], row, live);
#pragma unroll
		for (unsigned i = 0; i < kConditionRows; i++)
		{
			const uint32_t bits =
				__ballot_sync(kFullMask, (live >> i & 1) != 0);

			if (lane == i)
				mine = bits;
		}
		if (lane < kConditionRows && word + lane < words)
			args.mask[word + lane] = mine;
	}
}

#endif // WA_CUDA_QUERY_CONDITIONS_CUH
