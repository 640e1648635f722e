//
// narrow.cuh
//		Numbers of groups by a single key, each value of which has its own: of 16 or
//		32 bits, or looked up in a table.
//
// What wa_keys_direct_kernel does, in a third of the instructions: bits of bitmaps
// are those of words that a warp shares, and words of keys have 32 bits.
//
#ifndef WA_CUDA_KEYS_NARROW_CUH
#define WA_CUDA_KEYS_NARROW_CUH

#include "block/shared.cuh"
#include "keys/load.cuh"
#include "program/lookup.cuh"
#include "warp/shuffle.cuh"

// A warp has a strip of neighbouring rows, and of these each lane every 32nd.
constexpr unsigned kNarrowBlocks = 6;

template <typename Stored>
constexpr unsigned kNarrowRows = sizeof(Stored) > sizeof(uint32_t) ? 4 : 8;

// The place of NULL, and that of a key that may have none.
constexpr uint32_t kNullPlace = 0;
constexpr uint32_t kNoPlace = WA_KEYS_NO_GROUP;

// The places of keys by what they are.
template <typename Key> struct WaKeyPlaces
{
	typedef Key Stored;

	const WaKeysArgs &args;
	Stored least;

	__device__ __forceinline__ explicit WaKeyPlaces(const WaKeysArgs &args)
		: args(args), least((Stored) args.base[0])
	{
	}

	__device__ __forceinline__ uint32_t
	find(Stored key) const
	{
		const uint32_t offset = (uint32_t) key - (uint32_t) least;

		return key >= least && offset < args.max_groups - 1 ? offset + 1
															: kNoPlace;
	}

	// Notes that a row's key has no place.
	__device__ __forceinline__ void
	refuse(uint32_t) const
	{
		args.status->failed = 1;
	}
};

// The places of keys by what stands for them.
template <typename Key> struct WaKeyLookupPlaces
{
	typedef Key Stored;

	const WaKeysArgs &args;
	WaLookup table;

	__device__
		__forceinline__ explicit WaKeyLookupPlaces(const WaKeysArgs &args)
		: args(args), table(args.lookup.table)
	{
	}

	__device__ __forceinline__ uint32_t
	find(Stored key) const
	{
		int64_t word;
		const uint8_t state = wa_lookup_find(table, key, &word);

		return state == WA_ENTRY_VALUE && (uint64_t) word < args.max_groups - 1
				   ? (uint32_t) word + 1
				   : kNoPlace;
	}

	__device__ __forceinline__ void
	refuse(uint32_t row) const
	{
		const uint32_t tile = row / WA_PROGRAM_TILE_ROWS;

		atomicOr(reinterpret_cast<uint32_t *>(args.lookup.d_traps) + tile / 32,
				 1u << tile % 32);
	}
};

// Returns the lane's bits of so many words of a bitmap, of those that a mask has.
template <unsigned kRows>
__device__ __forceinline__ unsigned
wa_keys_lane_bits(const uint64_t *bitmap, uint32_t word, unsigned wanted)
{
	const uint32_t *words = reinterpret_cast<const uint32_t *>(bitmap) + word;
	unsigned bits = 0;

	if (bitmap == NULL)
		return wanted;
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		if ((wanted >> i & 1) != 0)
			bits |= (words[i] >> wa_warp_lane() & 1) << i;
	return bits;
}

// Numbers rows by a key, with at most kSharedGroups numbers.  Any number of blocks
// of kKeyThreads threads; in dynamic shared memory a word for each number.
// Deterministic.
template <typename Places>
__global__ void
__launch_bounds__(kKeyThreads, kNarrowBlocks)
	wa_keys_narrow_kernel(const __grid_constant__ WaKeysArgs args)
{
	typedef typename Places::Stored Stored;

	constexpr unsigned kRows = kNarrowRows<Stored>;
	uint32_t *const first_rows = &wa_block_shared<uint32_t>();
	const WaKeyColumn &column = args.columns[0];
	const Stored *const values = static_cast<const Stored *>(column.d_values);
	const Places places(args);
	const uint32_t words = (args.nrows + kWarpLanes - 1) / kWarpLanes;
	const uint32_t warps = gridDim.x * (kKeyThreads / kWarpLanes);
	const uint32_t warp = (blockIdx.x * kKeyThreads + threadIdx.x) / kWarpLanes;

	for (uint32_t i = threadIdx.x; i < args.max_groups; i += kKeyThreads)
		first_rows[i] = WA_KEYS_NO_GROUP;
	__syncthreads();
	for (uint32_t word = warp * kRows; word < words; word += warps * kRows)
	{
		const uint32_t row = word * kWarpLanes + wa_warp_lane();
		Stored stored[kRows];
		unsigned there = 0;
		unsigned live;
		unsigned valid;

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			there |= (unsigned) (row + i * kWarpLanes < args.nrows) << i;
		live = wa_keys_lane_bits<kRows>(args.selection, word, there);
		valid = wa_keys_lane_bits<kRows>(column.d_validity, word, live);
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			stored[i] = (valid >> i & 1) != 0
							? __ldcs(values + row + i * kWarpLanes)
							: Stored(0);
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			const uint32_t mine = row + i * kWarpLanes;
			const uint32_t place =
				(valid >> i & 1) != 0 ? places.find(stored[i]) : kNullPlace;
			const bool is_live = (live >> i & 1) != 0;

			if ((there >> i & 1) != 0)
				args.groups[mine] = is_live ? place : WA_KEYS_NO_GROUP;
			if (is_live && place != kNoPlace)
				wa_keys_note_row(&first_rows[place], mine);
			else if (is_live)
				places.refuse(mine);
		}
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < args.max_groups; i += kKeyThreads)
		if (first_rows[i] != WA_KEYS_NO_GROUP)
			atomicMin(&args.first_rows[i], first_rows[i]);
}

#endif // WA_CUDA_KEYS_NARROW_CUH
