//
// long.h
//		Programs that are long (program_long.cu).
//
#ifndef WA_CUDA_PROGRAM_LONG_H
#define WA_CUDA_PROGRAM_LONG_H

#include "program/run.h"
#include "programs.h"

// Returns the bytes of the workspace that such a program takes.
size_t wa_program_long_bytes(const WaProgramPlan *plan);

// Starts it over the rows of a run, with its lists and tables in the workspace.
cudaError_t wa_program_start_long(const WaProgramPlan *plan, void *d_workspace,
								  WaProgramRun *run, int multiprocessors,
								  cudaStream_t stream);

#endif // WA_CUDA_PROGRAM_LONG_H
