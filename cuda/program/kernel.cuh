//
// kernel.cuh
//		The kernel that runs query programs, and the one that takes back what
//		tiles with a trap have left.
//
#ifndef WA_CUDA_PROGRAM_KERNEL_CUH
#define WA_CUDA_PROGRAM_KERNEL_CUH

#include "block/shared.cuh"
#include "program/execute.cuh"
#include "program/store.cuh"

// What a launch needs beside the code.
struct WaProgramRun
{
	unsigned nrows;
	unsigned block_strips; // neighbouring strips of a block
	uint64_t *selection;   // NULL: not wanted
	uint32_t *traps;       // all 0 at first
};

// Returns the mask of the thread's rows that exist.
__device__ __forceinline__ unsigned
wa_program_existing_rows(const WaProgramThread &thread)
{
	unsigned mask = 0;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		mask |= (unsigned) (thread.row + i * kWarpLanes < thread.nrows) << i;
	return mask;
}

// Runs the instructions over a strip.  Tells whether the warp has rows left.
__device__ __forceinline__ bool
wa_program_compute(const WaProgramCode &code, WaProgramThread &thread)
{
	for (unsigned i = 0; i < code.nops; i++)
	{
		const WaProgramOp &op = code.ops[i];

		if (op.unit != WA_UNIT_KEEP)
		{
			wa_program_execute(code, op, thread);
			continue;
		}
		thread.live &= wa_true_rows(wa_program_flags(code, op.a, thread));
		if (__ballot_sync(kFullMask, thread.live != 0) == 0)
			return false;
	}
	return true;
}

// Runs the program over a strip: all lanes of a warp call it together.
__device__ __forceinline__ void
wa_program_strip(const WaProgramCode &code, const WaProgramRun &run,
				 unsigned strip, WaProgramThread &thread)
{
	constexpr unsigned kTileStrips = WA_PROGRAM_TILE_ROWS / kStripRows;
	bool any;

	thread.row = strip * kStripRows + wa_warp_lane();
	thread.live = wa_program_existing_rows(thread);
	thread.traps = 0;
	any = wa_program_compute(code, thread);
	for (unsigned i = 0; i < code.ntargets; i++)
		if (any)
			wa_program_store(code, code.targets[i], thread);
		else
			wa_program_store_nothing(code.targets[i], thread);
	if (run.selection != NULL)
		wa_program_store_bits(run.selection, thread, thread.live);
	if (__ballot_sync(kFullMask, thread.traps != 0) != 0 && wa_warp_lane() == 0)
	{
		const unsigned tile = strip / kTileStrips;

		atomicOr(&run.traps[tile / 32], 1u << tile % 32);
	}
}

// Runs a program.  Blocks of kProgramThreads threads, as many as have strips; the
// slots in dynamic shared memory.  Bitmaps of tiles that have trapped hold
// anything afterwards, until wa_program_clear_kernel has run; all else is
// deterministic.
__global__ void
__launch_bounds__(kProgramThreads, kProgramBlocks)
	wa_program_kernel(const __grid_constant__ WaProgramCode code,
					  const __grid_constant__ WaProgramRun run)
{
	constexpr unsigned kBlockWarps = kProgramThreads / kWarpLanes;
	const unsigned strips = (run.nrows + kStripRows - 1) / kStripRows;
	const unsigned first = blockIdx.x * run.block_strips;
	const unsigned end = min(first + run.block_strips, strips);
	WaProgramThread thread;

	thread.nrows = run.nrows;
	wa_program_place_slots(code, &wa_block_shared<unsigned char>(), thread);
	for (unsigned strip = first + threadIdx.x / kWarpLanes; strip < end;
		 strip += kBlockWarps)
	{
		if (strip + kBlockWarps < end)
			for (unsigned i = 0; i < code.nfirst; i++)
				wa_program_prefetch(code.columns[code.first[i]],
									(strip + kBlockWarps) * kStripRows,
									run.nrows);
		wa_program_strip(code, run, strip, thread);
	}
}

// Clears the words of a tile in a bitmap.
__device__ __forceinline__ void
wa_program_clear_tile(uint64_t *bitmap, unsigned tile, unsigned nrows)
{
	constexpr unsigned kTileWords = WA_PROGRAM_TILE_ROWS / 64;
	const unsigned end = min((tile + 1) * kTileWords, (nrows + 63) / 64);

	if (bitmap != NULL)
		for (unsigned word = tile * kTileWords; word < end; word++)
			bitmap[word] = 0;
}

// Clears the bits of tiles that have trapped.  Any number of blocks of
// kProgramThreads threads; no shared memory; deterministic.
__global__ void
__launch_bounds__(kProgramThreads)
	wa_program_clear_kernel(const __grid_constant__ WaProgramCode code,
							const __grid_constant__ WaProgramRun run)
{
	const unsigned tiles =
		(run.nrows + WA_PROGRAM_TILE_ROWS - 1) / WA_PROGRAM_TILE_ROWS;

	for (unsigned tile = blockIdx.x * kProgramThreads + threadIdx.x;
		 tile < tiles; tile += gridDim.x * kProgramThreads)
	{
		if ((run.traps[tile / 32] >> tile % 32 & 1) == 0)
			continue;
		wa_program_clear_tile(run.selection, tile, run.nrows);
		for (unsigned i = 0; i < code.ntargets; i++)
			wa_program_clear_tile(code.targets[i].validity, tile, run.nrows);
	}
}

#endif // WA_CUDA_PROGRAM_KERNEL_CUH
