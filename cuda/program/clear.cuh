//
// clear.cuh
//		The kernel that takes back what tiles with a trap have left.
//
#ifndef WA_CUDA_PROGRAM_CLEAR_CUH
#define WA_CUDA_PROGRAM_CLEAR_CUH

#include "program/run.h"

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
template <typename Code>
__global__ void
__launch_bounds__(kProgramThreads)
	wa_program_clear_kernel(const __grid_constant__ Code code,
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
		for (unsigned i = 0; i < code.counts.ntargets; i++)
			wa_program_clear_tile(code.targets[i].validity, tile, run.nrows);
	}
}

// Starts the kernel that takes back what tiles with a trap have left.
template <typename Code>
cudaError_t
wa_program_launch_clear(Code *code, WaProgramRun *run, int multiprocessors,
						cudaStream_t stream)
{
	void *arguments[] = {code, run};
	const unsigned tiles =
		(run->nrows + WA_PROGRAM_TILE_ROWS - 1) / WA_PROGRAM_TILE_ROWS;
	const unsigned blocks =
		std::min((tiles + kProgramThreads - 1) / kProgramThreads,
				 (unsigned) std::max(multiprocessors, 1));

	return cudaLaunchKernel(wa_program_clear_kernel<Code>, dim3(blocks),
							dim3(kProgramThreads), arguments, 0, stream);
}

#endif // WA_CUDA_PROGRAM_CLEAR_CUH
