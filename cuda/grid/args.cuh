//
// args.cuh
//		What the kernels take, and the shape they are launched in.
//
#ifndef WA_CUDA_GRID_ARGS_CUH
#define WA_CUDA_GRID_ARGS_CUH

#include "kernels.h"

// Threads of a block, and blocks that a multiprocessor is to hold at once:
// 1024 threads with 64 bytes each in flight are 64 kB, which covers the
// latency of the memory; more of them would leave too few registers.
#ifndef WA_BLOCK_THREADS // tests set others: results do not depend on it
#define WA_BLOCK_THREADS 256
#endif
constexpr unsigned kBlockThreads = WA_BLOCK_THREADS;
constexpr unsigned kBlocksPerMultiprocessor = 4;

// 16-byte loads that a thread has in flight.
constexpr unsigned kLoads = 4;

// 16-byte vectors that a block takes at a time.
constexpr unsigned kTileVectors = kBlockThreads * kLoads;

// Blocks of one column.
constexpr unsigned kMaxBlocks = 1024;

// Bytes of the largest state that blocks leave one another, and words of the
// longest exact sum.
constexpr unsigned kMaxStateBytes = 32;
constexpr unsigned kMaxLimbsWords = WA_SQUARES_LIMBS;

// Device memory in which the blocks of one column meet over one operation:
// limbs to add to, which are zero between launches, and a state of each block,
// written before it is read.
struct WaGridPart
{
	unsigned long long limbs[kMaxLimbsWords];
	unsigned char states[kMaxBlocks][kMaxStateBytes];
};

// The same over a whole column; zero between launches, but for the states.
struct WaGridScratch
{
	unsigned long long tickets; // grid/finish.cuh
	WaGridPart parts[WA_OP_COUNT];
};

// One column of a launch.
struct WaColumnArgs
{
	const void *values;       // aligned to their own width
	const uint32_t *validity; // NULL: all rows are valid
	unsigned nrows;
	unsigned blocks;      // that work on the column
	unsigned first_block; // the first of them
	WaGridScratch *scratch;
	WaKernelResult *result;
};

// Returns the number of the calling block among those of its column.
__device__ __forceinline__ unsigned
wa_column_block(const WaColumnArgs &column)
{
	return blockIdx.x - column.first_block;
}

#endif // WA_CUDA_GRID_ARGS_CUH
