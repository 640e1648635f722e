//
// error.h
//		How the parts of cuda/query*.cu end a query early.
//
#ifndef WA_CUDA_QUERY_ERROR_H
#define WA_CUDA_QUERY_ERROR_H

#include <cuda_runtime.h>

// Why a query ends early: an error of CUDA, or cudaErrorNotSupported if it is nothing
// for a GPU.  What is thrown in cuda/query*.cu becomes a status in query.cu.
struct WaQueryError
{
	cudaError_t error;
};

// Throws what is not cudaSuccess.
inline void
wa_query_check(cudaError_t error)
{
	if (error != cudaSuccess)
		throw WaQueryError{error};
}

#endif // WA_CUDA_QUERY_ERROR_H
