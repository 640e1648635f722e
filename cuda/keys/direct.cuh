//
// direct.cuh
//		Numbers of groups where each combination of keys has its own.
//
#ifndef WA_CUDA_KEYS_DIRECT_CUH
#define WA_CUDA_KEYS_DIRECT_CUH

#include "block/shared.cuh"
#include "keys/load.cuh"

// With so many groups a block gathers first rows in shared memory.
constexpr uint32_t kSharedGroups = 4096;

// Returns the number of a row, or WA_KEYS_NO_GROUP if a word is not in its
// range.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ uint32_t
wa_keys_number(const WaKeysArgs &args, const WaKeyWords<kKeys, kRows> &words,
			   unsigned i)
{
	uint32_t number = 0;
	bool is_outside = false;

#pragma unroll
	for (unsigned key = 0; key < kKeys; key++)
		if (key < args.ncolumns && (words.word[i][kKeys] >> key & 1) == 0)
		{
			const unsigned bits = args.shift[key + 1] - args.shift[key];
			const uint64_t offset =
				words.word[i][key] - (uint64_t) args.base[key];

			is_outside |= offset >= ((uint64_t) 1 << bits) - 1;
			number += ((uint32_t) offset + 1) << args.shift[key];
		}
	return is_outside ? WA_KEYS_NO_GROUP : number;
}

// Numbers rows directly.  Any number of blocks of kKeyThreads threads; in
// dynamic shared memory a word for each group if they are not more than
// kSharedGroups.  Deterministic.
template <unsigned kKeys, unsigned kRows>
__global__ void
__launch_bounds__(kKeyThreads, wa_key_blocks(kKeys))
	wa_keys_direct_kernel(const __grid_constant__ WaKeysArgs args)
{
	constexpr unsigned kBlockRows = kKeyThreads * kRows;
	uint32_t *const shared_rows = &wa_block_shared<uint32_t>();
	const bool is_shared = args.max_groups <= kSharedGroups;
	uint32_t *const first_rows = is_shared ? shared_rows : args.first_rows;

	for (uint32_t i = threadIdx.x; is_shared && i < args.max_groups;
		 i += kKeyThreads)
		shared_rows[i] = WA_KEYS_NO_GROUP;
	__syncthreads();
	for (unsigned row = blockIdx.x * kBlockRows + threadIdx.x; row < args.nrows;
		 row += gridDim.x * kBlockRows)
	{
		WaKeyWords<kKeys, kRows> words;
		const unsigned live = wa_keys_load(args, row, words);

#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			const unsigned mine = row + i * kKeyThreads;
			const bool is_live = (live >> i & 1) != 0;
			const uint32_t number =
				is_live ? wa_keys_number(args, words, i) : WA_KEYS_NO_GROUP;

			if (mine < args.nrows)
				args.groups[mine] = number;
			if (number != WA_KEYS_NO_GROUP)
				wa_keys_note_row(&first_rows[number], mine);
			else if (is_live)
				args.status->failed = 1;
		}
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; is_shared && i < args.max_groups;
		 i += kKeyThreads)
		if (shared_rows[i] != WA_KEYS_NO_GROUP)
			atomicMin(&args.first_rows[i], shared_rows[i]);
}

#endif // WA_CUDA_KEYS_DIRECT_CUH
