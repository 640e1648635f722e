//
// args.cuh
//		What the kernels take, and the shape they are launched in.
//
#ifndef WA_CUDA_GRID_ARGS_CUH
#define WA_CUDA_GRID_ARGS_CUH

#include "kernels.h"
#include "warp/shuffle.cuh"

// Threads of a block.
#ifndef WA_BLOCK_THREADS // tests set others: results do not depend on it
#define WA_BLOCK_THREADS 256
#endif
constexpr unsigned kBlockThreads = WA_BLOCK_THREADS;
constexpr unsigned kBlockWarps = kBlockThreads / kWarpLanes;

// Blocks that a multiprocessor is to hold at once, and 16-byte vectors that a
// lane takes at a time.  1024 threads with 64 bytes each in flight are 64 kB,
// which covers the latency of the memory.  Reductions that load ahead
// (grid/ahead.cuh) have as much in flight with half as many threads, which have
// twice as many registers.
template <bool kAhead> constexpr unsigned kResidentBlocks = kAhead ? 2 : 4;
template <bool kAhead> constexpr unsigned kLaneVectors = kAhead ? 8 : 4;

// Vectors of a warp's tile.
template <bool kAhead>
constexpr unsigned kTileVectors = kLaneVectors<kAhead> *kWarpLanes;

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

// Returns the number of the calling warp in its block.  All lanes call it
// together: it comes from one of them, so that the compiler knows it to be the
// same for all.
__device__ __forceinline__ unsigned
wa_grid_warp()
{
	return __shfl_sync(kFullMask, threadIdx.x / kWarpLanes, 0);
}

#endif // WA_CUDA_GRID_ARGS_CUH
