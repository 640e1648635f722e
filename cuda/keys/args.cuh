//
// args.cuh
//		What the kernels that number groups take.
//
#ifndef WA_CUDA_KEYS_ARGS_CUH
#define WA_CUDA_KEYS_ARGS_CUH

#include "keys.h"

constexpr unsigned kKeyThreads = 256;

// Returns the blocks that run at once on a multiprocessor; the words of many keys take
// many registers.
constexpr unsigned
wa_key_blocks(unsigned nkeys)
{
	return nkeys <= 8 ? 4 : nkeys <= 16 ? 2 : 1;
}

struct WaKeysArgs
{
	WaKeyColumn columns[WA_KEYS_MAX];
	int64_t base[WA_KEYS_MAX];
	uint8_t shift[WA_KEYS_MAX + 1]; // direct: of each key, and of them all
	unsigned ncolumns;
	unsigned nrows;
	const uint64_t *selection; // NULL: all rows
	uint32_t max_groups;
	uint32_t slot_mask;
	unsigned cache_mask;       // entries of a block's cache, less 1
	unsigned long long *slots; // all 0 at first
	uint32_t *groups;
	uint64_t *words;
	uint32_t *first_rows; // all ones at first
	WaKeysStatus *status; // all 0 at first
	WaKeyLookup lookup;   // of the kernels that look keys up
};

// The words of kRows rows of a thread, which are kKeyThreads apart.  The last
// word of each tells which keys are NULL; the words of these are 0.
template <unsigned kKeys, unsigned kRows> struct WaKeyWords
{
	uint64_t word[kRows][kKeys + 1];
};

#endif // WA_CUDA_KEYS_ARGS_CUH
