//
// args.cuh
//		What the kernels of grouped reductions take, and the shapes they have.
//
#ifndef WA_CUDA_GROUP_ARGS_CUH
#define WA_CUDA_GROUP_ARGS_CUH

#include "groups.h"

// One block of so many threads fills a multiprocessor: a table in shared
// memory is worth more groups the larger it is.  It leaves a thread 64
// registers.
constexpr unsigned kGroupThreads = 1024;

// Neighbouring rows that a thread takes at a time (a vector of rows).
constexpr unsigned kGroupRows = 4;

// The group of a row that takes no part.
constexpr uint32_t kNoGroup = 0xffffffffu;

struct WaGroupArgs
{
	const void *values;       // aligned to 16 bytes, as is groups
	const uint32_t *groups;   // of each row
	const uint32_t *validity; // NULL: all rows are valid
	const uint32_t *starts;   // first row of each partition, and the end; NULL:
							  // rows are not sorted
	unsigned nrows;
	unsigned ngroups;
	unsigned table_shift; // log2 of the groups of a block's table
	unsigned copy_shift;  // log2 of its copies
	unsigned partitions;
	int window;   // of the exponents of floats
	bool counted; // whether rows are counted and other windows noted
	WaGroupStatus *status;
	unsigned char *table; // of the result, all zero at first
};

// Bits of WaGroupSeen: the windows of WaGroupStatus, then the special values.
constexpr int kSeenWindows = 128;
constexpr int kSeenMiddle = 64;
constexpr unsigned kSeenWords = kSeenWindows / 32 + 1;

// What a block has seen of rows that its launch leaves out; it lies in shared memory
// before the block's table.
struct __align__(16) WaGroupSeen
{
	uint32_t word[kSeenWords];
};

// Notes a bit.  Most often it is there already, which a look finds cheaper than
// an atomic of many lanes on one word.
__device__ __forceinline__ void
wa_group_note(WaGroupSeen &seen, unsigned bit)
{
	uint32_t *word = &seen.word[bit / 32];
	uint32_t mask = 1u << bit % 32;

	if ((*(volatile uint32_t *) word & mask) == 0)
		atomicOr(word, mask);
}

#endif // WA_CUDA_GROUP_ARGS_CUH
