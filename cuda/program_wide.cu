//
// program_wide.cu
//		The kernel of programs that are wide, apart from that of others, whose
//		registers it would be too many for.
//
#include "program/run.h"
#include "program/wide.cuh"

// 128 registers a thread.
constexpr unsigned kWideBlocks = 8;

// Runs a program that is wide.  As wa_program_kernel (programs.cu).
__global__ void
__launch_bounds__(kProgramThreads, kWideBlocks)
	wa_program_wide_kernel(const __grid_constant__ WaProgramCode code,
						   const __grid_constant__ WaProgramRun run)
{
	wa_program_block<WaWideUnits>(code, run);
}

cudaError_t
wa_program_launch_wide(WaProgramCode *code, WaProgramRun *run,
					   size_t shared_bytes, int multiprocessors,
					   cudaStream_t stream)
{
	return wa_program_launch(wa_program_wide_kernel, kWideBlocks, UINT_MAX,
							 code, run, shared_bytes, multiprocessors, stream);
}
