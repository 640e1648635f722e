//
// kernels.cu
//		The table of kernels, their launch, and what is left to the host.
//
#include "kernels.h"

#include <math.h>

#include "grid/limbs.cuh"
#include "grid/tree.cuh"
#include "op/exact_squares.cuh"
#include "op/exact_sum.cuh"
#include "op/extreme.cuh"
#include "op/squares.cuh"
#include "op/sum.cuh"

typedef void (*Kernel)(WaKernelArgs);

// A kernel and the dynamic shared memory that a block of it needs.
struct KernelEntry
{
	Kernel kernel;
	size_t shared_bytes;
};

template <typename Operation>
static KernelEntry
tree_entry(bool bitmap)
{
	return {bitmap ? wa_tree_kernel<Operation, true>
				   : wa_tree_kernel<Operation, false>,
			sizeof(WaTreeShared<Operation>)};
}

template <typename Operation>
static KernelEntry
limbs_entry(bool bitmap)
{
	return {bitmap ? wa_limbs_kernel<Operation, true>
				   : wa_limbs_kernel<Operation, false>,
			sizeof(WaLimbsShared<Operation>)};
}

// Which kernel serves an accumulator of WA_REDUCTION_LIST.
#define ENTRY_INT          tree_entry
#define ENTRY_SQUARE       tree_entry
#define ENTRY_VALUE        tree_entry
#define ENTRY_EXACT        limbs_entry
#define ENTRY_EXACT_SQUARE limbs_entry

// Returns the kernel of a reduction, or none.
static KernelEntry
kernel_of(WaOp op, WaStorage storage, bool bitmap)
{
#define X(name, stored, accumulator)                                        \
	if (op == WA_OP_##name && storage == WA_##stored)                       \
		return ENTRY_##accumulator<WaOperation<WA_OP_##name, WA_##stored>>( \
			bitmap);
	WA_REDUCTION_LIST(X)
#undef X
	return {NULL, 0};
}

// Returns how many blocks a batch is worth: a tile each as long as there are
// multiprocessors to run them at once, and one for an empty batch.
static unsigned
grid_blocks(size_t value_bytes, int multiprocessors)
{
	size_t tile_bytes = kTileVectors * sizeof(uint4);
	size_t blocks = (value_bytes + tile_bytes - 1) / tile_bytes;
	size_t resident = (size_t) multiprocessors * kBlocksPerMultiprocessor;

	if (blocks > resident)
		blocks = resident;
	if (blocks > kMaxBlocks)
		blocks = kMaxBlocks;
	return blocks == 0 ? 1 : (unsigned) blocks;
}

size_t
wa_kernel_scratch_bytes(void)
{
	return sizeof(WaGridScratch);
}

cudaError_t
wa_kernel_launch(WaOp op, const WaBatch *d_batch, void *d_scratch,
				 WaKernelResult *d_result, int multiprocessors,
				 cudaStream_t stream)
{
	KernelEntry entry = kernel_of(op, wa_type_storage(d_batch->type),
								  d_batch->validity != NULL);
	size_t value_bytes = d_batch->nrows * wa_type_width(d_batch->type);
	WaKernelArgs args;
	void *arguments[] = {&args};

	if (entry.kernel == NULL || d_batch->nrows >= WA_KERNEL_MAX_ROWS)
		return cudaErrorInvalidValue;
	args.values = d_batch->values;
	args.validity = reinterpret_cast<const uint32_t *>(d_batch->validity);
	args.nrows = (unsigned) d_batch->nrows;
	args.scratch = static_cast<WaGridScratch *>(d_scratch);
	args.result = d_result;
	return cudaLaunchKernel(
		entry.kernel, dim3(grid_blocks(value_bytes, multiprocessors)),
		dim3(kBlockThreads), arguments, entry.shared_bytes, stream);
}

// Tells whether values of the storage are floats.
static bool
is_float(WaStorage storage)
{
	return storage == WA_F32 || storage == WA_F64;
}

// Puts the smallest or largest value of a batch into a partial.
static void
finish_extreme(const WaBatch *batch, const WaKernelResult *result,
			   WaValue *value)
{
	if (result->rows == 0)
		return;
	*value = result->value;
	if (!is_float(wa_type_storage(batch->type)))
		return;
	if (value->f == 0)
		value->f = wa_batch_last_zero(batch);
	else if (value->f != value->f)
		value->f = NAN; // of all NaNs the same one
}

void
wa_kernel_finish(WaOp op, const WaBatch *batch, const WaKernelResult *result,
				 WaPartial *partial)
{
	bool floats = is_float(wa_type_storage(batch->type));

	partial->rows = result->rows;
	switch (op)
	{
		case WA_OP_SUM:
			if (floats)
			{
				partial->exact->sum = result->exact;
				wa_exact_normalize(&partial->exact->sum);
			}
			else
				partial->sum = result->sum;
			break;
		case WA_OP_SQUARES:
			if (floats)
			{
				partial->exact->squares = result->exact_squares;
				wa_squares_normalize(&partial->exact->squares);
			}
			else
				partial->squares = result->squares;
			break;
		case WA_OP_MIN:
			finish_extreme(batch, result, &partial->min);
			break;
		case WA_OP_MAX:
			finish_extreme(batch, result, &partial->max);
			break;
		case WA_OP_COUNT:
			break;
	}
}
