//
// narrow.cuh
//		Numbers of groups by a single key of 16 or 32 bits, each value of which has
//		its own.
//
// What wa_keys_direct_kernel does, in a third of the instructions: bits of bitmaps
// are those of words that a warp shares, and words of keys have 32 bits.
//
#ifndef WA_CUDA_KEYS_NARROW_CUH
#define WA_CUDA_KEYS_NARROW_CUH

#include "block/shared.cuh"
#include "keys/load.cuh"
#include "warp/shuffle.cuh"

// A warp has a strip of neighbouring rows, and of these each lane every 32nd.
constexpr unsigned kNarrowRows = 8;
constexpr unsigned kNarrowBlocks = 6;

// Returns the lane's bits of the words of a bitmap, of those that a mask has.
__device__ __forceinline__ unsigned
wa_keys_lane_bits(const uint64_t *bitmap, uint32_t word, unsigned wanted)
{
	const uint32_t *words = reinterpret_cast<const uint32_t *>(bitmap) + word;
	unsigned bits = 0;

	if (bitmap == NULL)
		return wanted;
#pragma unroll
	for (unsigned i = 0; i < kNarrowRows; i++)
		if ((wanted >> i & 1) != 0)
			bits |= (words[i] >> wa_warp_lane() & 1) << i;
	return bits;
}

// Numbers rows by a key, with at most kSharedGroups numbers.  Any number of blocks
// of kKeyThreads threads; in dynamic shared memory a word for each number.
// Deterministic.
template <typename Stored>
__global__ void
__launch_bounds__(kKeyThreads, kNarrowBlocks)
	wa_keys_narrow_kernel(const __grid_constant__ WaKeysArgs args)
{
	uint32_t *const first_rows = &wa_block_shared<uint32_t>();
	const WaKeyColumn &column = args.columns[0];
	const Stored *const values = static_cast<const Stored *>(column.d_values);
	const Stored least = (Stored) args.base[0];
	const uint32_t most = args.max_groups - 1; // one is that of NULL
	const uint32_t words = (args.nrows + kWarpLanes - 1) / kWarpLanes;
	const uint32_t warps = gridDim.x * (kKeyThreads / kWarpLanes);
	const uint32_t warp = (blockIdx.x * kKeyThreads + threadIdx.x) / kWarpLanes;

	for (uint32_t i = threadIdx.x; i < args.max_groups; i += kKeyThreads)
		first_rows[i] = WA_KEYS_NO_GROUP;
	__syncthreads();
	for (uint32_t word = warp * kNarrowRows; word < words;
		 word += warps * kNarrowRows)
	{
		const uint32_t row = word * kWarpLanes + wa_warp_lane();
		Stored stored[kNarrowRows];
		unsigned there = 0;
		unsigned live;
		unsigned valid;

#pragma unroll
		for (unsigned i = 0; i < kNarrowRows; i++)
			there |= (unsigned) (row + i * kWarpLanes < args.nrows) << i;
		live = wa_keys_lane_bits(args.selection, word, there);
		valid = wa_keys_lane_bits(column.d_validity, word, live);
#pragma unroll
		for (unsigned i = 0; i < kNarrowRows; i++)
			stored[i] = (valid >> i & 1) != 0
							? __ldcs(values + row + i * kWarpLanes)
							: least;
#pragma unroll
		for (unsigned i = 0; i < kNarrowRows; i++)
		{
			const uint32_t offset = (uint32_t) stored[i] - (uint32_t) least;
			const uint32_t place = (valid >> i & 1) != 0 ? offset + 1 : 0;
			const bool is_live = (live >> i & 1) != 0;
			const bool is_inside = stored[i] >= least && offset < most;

			if ((there >> i & 1) != 0)
				args.groups[row + i * kWarpLanes] =
					is_live && is_inside ? place : WA_KEYS_NO_GROUP;
			if (is_live && is_inside)
				wa_keys_note_row(&first_rows[place], row + i * kWarpLanes);
			else if (is_live)
				args.status->failed = 1;
		}
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < args.max_groups; i += kKeyThreads)
		if (first_rows[i] != WA_KEYS_NO_GROUP)
			atomicMin(&args.first_rows[i], first_rows[i]);
}

#endif // WA_CUDA_KEYS_NARROW_CUH
