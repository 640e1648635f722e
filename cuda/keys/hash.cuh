//
// hash.cuh
//		Numbers of groups by hashing.
//
// A slot of the table in device memory has the high half of a hash, and a
// number, which is not 0; the words of the group lie beside the table.  Who finds
// a free slot locks it, takes a number, writes the words and publishes the number
// (grid/publish.cuh).  Whoever meets a locked slot with another half goes on; with
// the same half, looks again; with a number, sees the words.
//
// Each block has a small cache of groups in shared memory, so that a few groups
// are not looked up over and over where all blocks meet.  It is read between two
// barriers and added to between the next two, if any row has missed it.  An
// entry stays as it is.  As a block takes its rows in their order, those that
// find their group in the cache cannot be its first.
//
#ifndef WA_CUDA_KEYS_HASH_CUH
#define WA_CUDA_KEYS_HASH_CUH

#include "block/shared.cuh"
#include "grid/publish.cuh"
#include "keys/load.cuh"

constexpr uint64_t kHashFactor = UINT64_C(0x9e3779b97f4a7c15);
constexpr uint64_t kHashFinal = UINT64_C(0xd6e8feb86659fd93);

// The number in a slot that is locked.
constexpr uint32_t kLocked = 0xffffffffu;

// What a block has in shared memory; the words of the cache's entries follow,
// then their numbers + 1, or 0, or kLocked while they are added.
struct __align__(8) WaKeysShared
{
	uint32_t missed[2]; // of odd rounds and of even ones: the last with a miss
	uint32_t failed;    // not 0: the table is full
};

template <unsigned kKeys> struct WaKeysCache
{
	uint64_t *words;
	uint32_t *numbers;
	unsigned mask;
};

// Returns the hash of a row's words.
template <unsigned kKeys>
__device__ __forceinline__ uint64_t
wa_keys_hash(const uint64_t (&words)[kKeys + 1])
{
	uint64_t hash = 0;

#pragma unroll
	for (unsigned i = 0; i <= kKeys; i++)
	{
		hash = (hash ^ words[i]) * kHashFactor;
		hash ^= hash >> 32;
	}
	hash *= kHashFinal;
	return hash ^ hash >> 32;
}

// Tells whether a group has these words, which the caller is to see: by the number
// that was published, or by a barrier.
template <unsigned kKeys>
__device__ __forceinline__ bool
wa_keys_same(const uint64_t *stored, const uint64_t (&words)[kKeys + 1])
{
	bool same = true;

#pragma unroll
	for (unsigned i = 0; i <= kKeys; i++)
		same &= stored[i] == words[i];
	return same;
}

// Makes the group of a slot that the caller has locked.
template <unsigned kKeys>
__device__ __forceinline__ uint32_t
wa_keys_make_group(const WaKeysArgs &args, unsigned long long *slot,
				   uint64_t tag, const uint64_t (&words)[kKeys + 1])
{
	const uint32_t group = atomicAdd(&args.status->ngroups, 1u);

	if (group >= args.max_groups)
	{
		args.status->failed = 1;
		atomicExch(slot, 0ull);
		return WA_KEYS_NO_GROUP;
	}
#pragma unroll
	for (unsigned i = 0; i <= kKeys; i++)
		args.words[(size_t) group * (kKeys + 1) + i] = words[i];
	wa_publish(slot, tag | (group + 1));
	return group;
}

// Finds or makes the group of a row.  There are more slots than groups, so that
// the search ends.
template <unsigned kKeys>
__device__ __forceinline__ uint32_t
wa_keys_find(const WaKeysArgs &args, uint64_t hash,
			 const uint64_t (&words)[kKeys + 1])
{
	const uint64_t tag = hash & UINT64_C(0xffffffff00000000);
	uint32_t place = (uint32_t) hash & args.slot_mask;

	while (*(volatile uint32_t *) &args.status->failed == 0)
	{
		unsigned long long *slot = &args.slots[place];
		const uint64_t found = wa_read_published(slot);

		if (found == 0)
		{
			if (atomicCAS(slot, 0ull, (unsigned long long) (tag | kLocked)) ==
				0)
				return wa_keys_make_group<kKeys>(args, slot, tag, words);
			// Whoever was faster may have published its number since, or, for
			// want of one, have freed the slot again.
			continue;
		}
		if ((found ^ tag) >> 32 == 0)
		{
			const uint32_t group = (uint32_t) found - 1;

			if ((uint32_t) found == kLocked)
				continue;
			if (wa_keys_same<kKeys>(args.words + (size_t) group * (kKeys + 1),
									words))
				return group;
		}
		place = (place + 1) & args.slot_mask;
	}
	return WA_KEYS_NO_GROUP;
}

// Looks a row up in the block's cache.  Returns WA_KEYS_NO_GROUP if it is not
// there.
template <unsigned kKeys>
__device__ __forceinline__ uint32_t
wa_keys_look_up(const WaKeysCache<kKeys> &cache, uint64_t hash,
				const uint64_t (&words)[kKeys + 1])
{
	const unsigned place = (unsigned) (hash >> 32) & cache.mask;

#pragma unroll
	for (unsigned i = 0; i < 2; i++)
	{
		const unsigned entry = place ^ i;
		const uint32_t number = cache.numbers[entry];

		if (number != 0 &&
			wa_keys_same<kKeys>(cache.words + entry * (kKeys + 1), words))
			return number - 1;
	}
	return WA_KEYS_NO_GROUP;
}

// Adds a group to the block's cache, if there is room.  It may come to be there
// twice, which does no harm.
template <unsigned kKeys>
__device__ __forceinline__ void
wa_keys_remember(const WaKeysCache<kKeys> &cache, uint64_t hash, uint32_t group,
				 const uint64_t (&words)[kKeys + 1])
{
	const unsigned place = (unsigned) (hash >> 32) & cache.mask;

	for (unsigned i = 0; i < 2; i++)
	{
		const unsigned entry = place ^ i;

		if (atomicCAS(&cache.numbers[entry], 0u, kLocked) != 0)
			continue;
#pragma unroll
		for (unsigned j = 0; j <= kKeys; j++)
			cache.words[entry * (kKeys + 1) + j] = words[j];
		atomicExch(&cache.numbers[entry], group + 1);
		return;
	}
}

// Sets the block's cache up.  Every thread calls it; a __syncthreads follows.
template <unsigned kKeys>
__device__ __forceinline__ WaKeysCache<kKeys>
wa_keys_set_up_cache(const WaKeysArgs &args, WaKeysShared &shared)
{
	const unsigned entries = args.cache_mask + 1;
	WaKeysCache<kKeys> cache;

	cache.words = reinterpret_cast<uint64_t *>(&shared + 1);
	cache.numbers =
		reinterpret_cast<uint32_t *>(cache.words + entries * (kKeys + 1));
	cache.mask = args.cache_mask;
	for (unsigned i = threadIdx.x; i < entries; i += kKeyThreads)
		cache.numbers[i] = 0;
	if (threadIdx.x < 2)
		shared.missed[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		shared.failed = 0;
	return cache;
}

// Numbers the rows that have missed the cache: those of `missing`.  Returns
// whether all of them have a number.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ bool
wa_keys_find_missing(const WaKeysArgs &args, const WaKeysCache<kKeys> &cache,
					 unsigned row, unsigned missing,
					 const WaKeyWords<kKeys, kRows> &words,
					 uint32_t (&groups)[kRows])
{
	bool found = true;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		const uint64_t hash = wa_keys_hash<kKeys>(words.word[i]);

		if ((missing >> i & 1) == 0)
			continue;
		groups[i] = wa_keys_find<kKeys>(args, hash, words.word[i]);
		found &= groups[i] != WA_KEYS_NO_GROUP;
		if (groups[i] == WA_KEYS_NO_GROUP)
			continue;
		wa_keys_note_row(&args.first_rows[groups[i]], row + i * kKeyThreads);
		wa_keys_remember<kKeys>(cache, hash, groups[i], words.word[i]);
	}
	return found;
}

// Numbers rows by hashing.  Any number of blocks of kKeyThreads threads; a
// WaKeysShared and the cache in dynamic shared memory.  Which number a group
// gets is not deterministic.  Where the table is full, rows are left out.
template <unsigned kKeys, unsigned kRows>
__global__ void
__launch_bounds__(kKeyThreads, wa_key_blocks(kKeys))
	wa_keys_hash_kernel(const __grid_constant__ WaKeysArgs args)
{
	constexpr unsigned kBlockRows = kKeyThreads * kRows;
	WaKeysShared &shared = wa_block_shared<WaKeysShared>();
	const WaKeysCache<kKeys> cache = wa_keys_set_up_cache<kKeys>(args, shared);
	uint32_t round = 0;

	__syncthreads();
	for (unsigned first = blockIdx.x * kBlockRows; first < args.nrows;
		 first += gridDim.x * kBlockRows)
	{
		const unsigned row = first + threadIdx.x;
		WaKeyWords<kKeys, kRows> words;
		uint32_t groups[kRows];
		unsigned missing = wa_keys_load(args, row, words);

		round++;
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			groups[i] = WA_KEYS_NO_GROUP;
			if ((missing >> i & 1) == 0)
				continue;
			groups[i] = wa_keys_look_up<kKeys>(
				cache, wa_keys_hash<kKeys>(words.word[i]), words.word[i]);
			if (groups[i] != WA_KEYS_NO_GROUP)
				missing &= ~(1u << i);
		}
		if (missing != 0)
			atomicMax(&shared.missed[round % 2], round);
		__syncthreads();
		if (shared.missed[round % 2] == round)
		{
			if (!wa_keys_find_missing(args, cache, row, missing, words, groups))
				shared.failed = 1;
			__syncthreads();
			if (shared.failed != 0)
				return; // as all threads do
		}
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			if (row + i * kKeyThreads < args.nrows)
				args.groups[row + i * kKeyThreads] = groups[i];
	}
}

#endif // WA_CUDA_KEYS_HASH_CUH
