//
// kernels.h
//		The kernels behind the surface: reductions of batches that lie in
//		device memory already.  For lanes, benchmarks and tests.
//
// A launch reads the batch and leaves a WaKernelResult; wa_kernel_finish turns
// that into a partial on the host.  Results do not depend on the grid.
//
#ifndef WA_CUDA_KERNELS_H
#define WA_CUDA_KERNELS_H

#include <cuda_runtime.h>

#include "core/partial.h"

// Kernels count the rows of one batch in 32 bits and add halves in 64.
#define WA_KERNEL_MAX_ROWS ((size_t) 1 << 30)

// What one launch finds: rows, and the field of its accumulator in
// WA_REDUCTION_LIST.  The others are not touched.
typedef struct WaKernelResult
{
	int64_t rows;
	WaInt128 sum;                 // INT
	WaUint192 squares;            // SQUARE
	WaValue value;                // VALUE; the neutral one while rows is 0
	WaExactSum exact;             // EXACT, not normalized
	WaExactSquares exact_squares; // EXACT_SQUARE, likewise
} WaKernelResult;

// Bytes of device memory that a stream's launches need between them.  All
// zero before the first launch; every launch leaves it so again.
size_t wa_kernel_scratch_bytes(void);

// Starts the reduction of a batch of fewer than WA_KERNEL_MAX_ROWS rows whose
// values and validity are device pointers, with no synchronisation.  d_result
// is memory that the device writes, pinned host memory included; it is
// complete once the stream has come past the launch.  A launch of a reduction
// that does not exist is cudaErrorInvalidValue.
cudaError_t wa_kernel_launch(WaOp op, const WaBatch *d_batch, void *d_scratch,
							 WaKernelResult *d_result, int multiprocessors,
							 cudaStream_t stream);

// Puts the result of a launch into the operation's component of *partial, which
// wa_partial_init has made, and its number of rows, so that both are bit for
// bit what wa_partial_fold makes of the same batch, which is given once more as
// it lies in host memory.
void wa_kernel_finish(WaOp op, const WaBatch *batch,
					  const WaKernelResult *result, WaPartial *partial);

#endif // WA_CUDA_KERNELS_H
