//
// run.h
//		A launch of the kernel that runs query programs.
//
#ifndef WA_CUDA_PROGRAM_RUN_H
#define WA_CUDA_PROGRAM_RUN_H

#include <algorithm>
#include <cuda_runtime.h>
#include <limits.h>

#include "program/code.h"
#include "program/rows.cuh"
#include "programs.h"

// What a launch needs beside the code.
struct WaProgramRun
{
	unsigned nrows;
	unsigned block_strips; // neighbouring strips of a block
	uint64_t *selection;   // NULL: not wanted
	uint32_t *traps;       // all 0 at first
	uint32_t *digits;      // of the outputs, likewise; NULL: it is not wide
};

// Strips of a block at most: enough to be worth a block, and so few that it does
// not matter how many blocks a multiprocessor can run at once.
constexpr unsigned kMaxBlockStrips = 32;

// Starts a kernel of which a multiprocessor runs up to so many blocks at once, and of
// which there may be so many.
template <typename Kernel, typename Code>
cudaError_t
wa_program_launch(Kernel kernel, unsigned multiprocessor_blocks,
				  unsigned most_blocks, Code *code, WaProgramRun *run,
				  size_t shared_bytes, int multiprocessors, cudaStream_t stream)
{
	void *arguments[] = {code, run};
	const unsigned strips = (run->nrows + kStripRows - 1) / kStripRows;
	const unsigned resident =
		(unsigned) std::max(multiprocessors, 1) * multiprocessor_blocks;
	unsigned blocks;
	cudaError_t error = cudaFuncSetAttribute(
		kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
		(int) shared_bytes);

	run->block_strips = std::min(std::max((strips + resident - 1) / resident,
										  kProgramThreads / kWarpLanes),
								 kMaxBlockStrips);
	run->block_strips = std::max(run->block_strips, strips / most_blocks + 1);
	blocks = (strips + run->block_strips - 1) / run->block_strips;
	if (error == cudaSuccess)
		error = cudaLaunchKernel(kernel, dim3(blocks), dim3(kProgramThreads),
								 arguments, shared_bytes, stream);
	return error;
}

// Starts the kernel of programs that are wide (program_wide.cu).
cudaError_t wa_program_launch_wide(WaProgramCode *code, WaProgramRun *run,
								   size_t shared_bytes, int multiprocessors,
								   cudaStream_t stream);

// Returns the bytes of the workspace that a program which is long takes.
size_t wa_program_long_bytes(const WaProgramPlan *plan);

// Starts it over the rows of a run (program_long.cu), with its lists and tables in the
// workspace.
cudaError_t wa_program_start_long(const WaProgramPlan *plan, void *d_workspace,
								  WaProgramRun *run, int multiprocessors,
								  cudaStream_t stream);

#endif // WA_CUDA_PROGRAM_RUN_H
