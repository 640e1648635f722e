//
// kernels.h
//		The kernels behind the surface: reductions of columns that lie in
//		device memory already.  For lanes, benchmarks and tests.
//
// One call serves several columns, and any operations over each, in one pass
// over its values.  It leaves a WaKernelResult for every column;
// wa_kernel_finish turns that into a partial on the host.  Results do not
// depend on the grid.
//
#ifndef WA_CUDA_KERNELS_H
#define WA_CUDA_KERNELS_H

#include <cuda_runtime.h>

#include "core/partial.h"

// Kernels count the rows of one batch in 32 bits and add halves in 64.
#define WA_KERNEL_MAX_ROWS ((size_t) 1 << 30)

// Columns that one launch takes at most.
#define WA_KERNEL_MAX_COLUMNS 8

// What one launch finds over a column: rows, and the fields of the
// accumulators that WA_REDUCTION_LIST has for the operations asked for.  Of
// the others some may be written too.
typedef struct WaKernelResult
{
	int64_t rows;
	WaInt128 sum;                   // INT
	WaUint192 squares;              // SQUARE
	WaValue min;                    // VALUE; the neutral one while rows is 0
	WaValue max;                    // likewise
	uint64_t bits[WA_BIT_OP_COUNT]; // BITS, by operation, from BIT_AND on
	WaExactSum exact;               // EXACT, not normalized
	WaExactSquares exact_squares;   // EXACT_SQUARE, likewise
} WaKernelResult;

// A column of a launch, and what is asked about it.
typedef struct WaKernelColumn
{
	WaBatch d_batch; // fewer than WA_KERNEL_MAX_ROWS rows; values and validity
					 // are device pointers
	WaOpSet ops;     // may be empty: then the valid rows are counted
	WaKernelResult *d_result; // memory that the device writes, pinned host
							  // memory included
} WaKernelColumn;

// Bytes of device memory that a stream's launches need between them.  All
// zero before the first launch; every launch leaves it so again.
size_t wa_kernel_scratch_bytes(void);

// Starts the reduction of 1 to WA_KERNEL_MAX_COLUMNS columns, with no
// synchronisation: by one launch of one kernel, but for large columns whose sums
// of squares a kernel of their own computes faster.  The results are complete once the
// stream has come past it.  A reduction that does not exist is
// cudaErrorInvalidValue.
cudaError_t wa_kernel_launch(const WaKernelColumn *columns, unsigned ncolumns,
							 void *d_scratch, int multiprocessors,
							 cudaStream_t stream);

// Puts the result of the operations over a column of the type into their
// components of *partial, which wa_partial_init has made, and the number of
// rows, so that all is bit for bit what wa_partial_fold makes of the same batch.
void wa_kernel_finish(WaOpSet ops, WaType type, const WaKernelResult *result,
					  WaPartial *partial);

#endif // WA_CUDA_KERNELS_H
