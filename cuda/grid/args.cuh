//
// args.cuh
//		What every kernel takes, and the shape it is launched in.
//
#ifndef WA_CUDA_GRID_ARGS_CUH
#define WA_CUDA_GRID_ARGS_CUH

#include "kernels.h"

// Threads of a block, and blocks that a multiprocessor is to hold at once:
// 1024 threads with 64 bytes each in flight are 64 kB, which covers the
// latency of the memory; more of them would leave too few registers.
constexpr unsigned kBlockThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 4;

// 16-byte loads that a thread has in flight.
constexpr unsigned kLoads = 4;

// 16-byte vectors that a block takes at a time.
constexpr unsigned kTileVectors = kBlockThreads * kLoads;

constexpr unsigned kMaxBlocks = 2048;
constexpr unsigned kMaxStateBytes = 32;

// Words of the longest exact sum, and the number of rows.
constexpr unsigned kMaxTotalWords = WA_SQUARES_LIMBS + 1;

// Device memory that the blocks of a launch share; zero between launches, but
// for the states, which a launch writes before it reads them.
struct WaGridScratch
{
	unsigned ticket;                                  // blocks that are done
	unsigned long long totals[kMaxTotalWords];        // of the exact sums
	unsigned char states[kMaxBlocks][kMaxStateBytes]; // one per block
};

struct WaKernelArgs
{
	const void *values;       // aligned to their own width
	const uint32_t *validity; // NULL: all rows are valid
	unsigned nrows;
	WaGridScratch *scratch;
	WaKernelResult *result;
};

#endif // WA_CUDA_GRID_ARGS_CUH
