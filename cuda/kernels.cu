//
// kernels.cu
//		The launches of reductions, and what is left to the host.
//
#include "kernels.h"

#include <algorithm>
#include <limits.h>
#include <math.h>

#include "block/shared.cuh"
#include "grid/column.h"
#include "grid/count.cuh"

// Counts the valid rows of a column.  Likewise, with a WaCountShared.
__global__ void
__launch_bounds__(kBlockThreads, kResidentBlocks<false>)
	wa_count_kernel(const __grid_constant__ WaColumnArgs column)
{
	wa_count_column(column, wa_block_shared<WaCountShared>());
}

// For no operations at all.
static const WaColumnEntry kCountEntry = {WA_STORAGE_COUNT,
										  0,
										  {wa_count_kernel, wa_count_kernel},
										  sizeof(WaCountShared),
										  false};

// Returns the entry that serves a column, or NULL.
static const WaColumnEntry *
find_entry(const WaKernelColumn &column)
{
	const WaStorage storage = wa_type_storage(column.d_batch.type);

	if (column.ops == 0)
		return &kCountEntry;
	return wa_storage_is_float(storage)
			   ? wa_column_float_entry(storage, column.ops)
			   : wa_column_integer_entry(storage, column.ops);
}

// Returns how many blocks so many bytes are worth: tiles for all of their warps
// as long as there are multiprocessors to run them at once, and one for nothing.
template <bool kAhead>
static unsigned
blocks_for(size_t bytes, int multiprocessors)
{
	const size_t block_bytes =
		kBlockWarps * kTileVectors<kAhead> * sizeof(uint4);
	const size_t resident =
		std::min((size_t) multiprocessors * kResidentBlocks<kAhead>,
				 (size_t) kMaxBlocks);
	const size_t blocks = (bytes + block_bytes - 1) / block_bytes;

	return (unsigned) std::max(std::min(blocks, resident), (size_t) 1);
}

// Returns the bytes that the reduction of a column reads, of values, or where
// rows are only counted, of the bitmap.
static size_t
column_bytes(const WaKernelColumn &column)
{
	const WaBatch &batch = column.d_batch;

	if (column.ops != 0)
		return batch.nrows * wa_type_width(batch.type);
	return batch.validity != NULL ? wa_validity_bytes(batch.nrows) : 0;
}

// Returns the arguments of a column of which so many blocks are to work, from
// the given one on.
static WaColumnArgs
column_args(const WaKernelColumn &column, unsigned blocks, unsigned first_block,
			WaGridScratch *d_scratch)
{
	const WaBatch &batch = column.d_batch;
	WaColumnArgs args = {};

	args.values = batch.values;
	args.validity = reinterpret_cast<const uint32_t *>(batch.validity);
	args.nrows = (unsigned) batch.nrows;
	args.blocks = blocks;
	args.first_block = first_block;
	args.scratch = d_scratch;
	args.result = column.d_result;
	return args;
}

// Columns of so many bytes that the kernel of several would run them longer than
// a kernel of their own takes to start, if that loads ahead.
#ifndef WA_ALONE_BYTES // tests set fewer
#define WA_ALONE_BYTES (16 << 20)
#endif
constexpr size_t kAloneBytes = WA_ALONE_BYTES;

// Starts the kernel of one column.
static cudaError_t
launch_alone(const WaKernelColumn &column, WaGridScratch *d_scratch,
			 int multiprocessors, cudaStream_t stream)
{
	const WaColumnEntry &entry = *find_entry(column);
	const size_t bytes = column_bytes(column);
	const unsigned blocks = entry.is_ahead
								? blocks_for<true>(bytes, multiprocessors)
								: blocks_for<false>(bytes, multiprocessors);
	WaColumnArgs args = column_args(column, blocks, 0, d_scratch);
	void *arguments[] = {&args};

	return cudaLaunchKernel(entry.kernels[args.validity != NULL],
							dim3(args.blocks), dim3(kBlockThreads), arguments,
							entry.shared_bytes, stream);
}

// Starts the one kernel of several columns.
static cudaError_t
launch_joint(const WaKernelColumn *columns, unsigned ncolumns,
			 WaGridScratch *d_scratch, int multiprocessors, cudaStream_t stream)
{
	WaJointArgs args = {};
	unsigned blocks = 0;

	for (unsigned i = 0; i < WA_KERNEL_MAX_COLUMNS; i++)
	{
		if (i >= ncolumns)
		{
			args.columns[i].first_block = UINT_MAX;
			continue;
		}
		args.columns[i] = column_args(
			columns[i],
			blocks_for<false>(column_bytes(columns[i]), multiprocessors),
			blocks, d_scratch + i);
		args.reductions[i] = wa_joint_reduction(
			wa_type_storage(columns[i].d_batch.type), columns[i].ops,
			columns[i].d_batch.validity != NULL);
		blocks += args.columns[i].blocks;
	}
	return wa_joint_launch(args, blocks, stream);
}

size_t
wa_kernel_scratch_bytes(void)
{
	return WA_KERNEL_MAX_COLUMNS * sizeof(WaGridScratch);
}

cudaError_t
wa_kernel_launch(const WaKernelColumn *columns, unsigned ncolumns,
				 void *d_scratch, int multiprocessors, cudaStream_t stream)
{
	WaGridScratch *scratch = static_cast<WaGridScratch *>(d_scratch);
	WaKernelColumn joint[WA_KERNEL_MAX_COLUMNS];
	unsigned njoint = 0;

	if (ncolumns == 0 || ncolumns > WA_KERNEL_MAX_COLUMNS)
		return cudaErrorInvalidValue;
	for (unsigned i = 0; i < ncolumns; i++)
		if (columns[i].d_batch.nrows >= WA_KERNEL_MAX_ROWS ||
			find_entry(columns[i]) == NULL)
			return cudaErrorInvalidValue;

	// Kernels of a stream run one after another, so all may use the scratch.
	for (unsigned i = 0; i < ncolumns; i++)
	{
		const bool alone = find_entry(columns[i])->is_ahead &&
						   column_bytes(columns[i]) >= kAloneBytes;
		cudaError_t error;

		if (!alone)
		{
			joint[njoint++] = columns[i];
			continue;
		}
		error = launch_alone(columns[i], scratch, multiprocessors, stream);
		if (error != cudaSuccess)
			return error;
	}
	if (njoint > 1)
		return launch_joint(joint, njoint, scratch, multiprocessors, stream);
	if (njoint == 1)
		return launch_alone(joint[0], scratch, multiprocessors, stream);
	return cudaSuccess;
}

// Returns the smallest or largest value that a kernel has found: of all NaNs the same.
static WaValue
finish_extreme(WaType type, WaValue value)
{
	if (wa_storage_is_float(wa_type_storage(type)) && value.f != value.f)
		value.f = NAN;
	return value;
}

// Puts the result of exact sums of floats into a partial.
static void
finish_exact(WaOpSet ops, const WaKernelResult *result, WaExactPart *exact)
{
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		exact->sum = result->exact;
		wa_exact_normalize(&exact->sum);
	}
	if (wa_ops_have(ops, WA_OP_SQUARES))
	{
		exact->squares = result->exact_squares;
		wa_squares_normalize(&exact->squares);
	}
}

void
wa_kernel_finish(WaOpSet ops, WaType type, const WaKernelResult *result,
				 WaPartial *partial)
{
	partial->rows = result->rows;
	if (wa_storage_is_float(wa_type_storage(type)))
		finish_exact(ops, result, partial->exact);
	else
	{
		if (wa_ops_have(ops, WA_OP_SUM))
			partial->sum = result->sum;
		if (wa_ops_have(ops, WA_OP_SQUARES))
			partial->squares = result->squares;
		for (int op = WA_OP_BIT_AND; op < WA_OP_COUNT; op++)
			if (wa_ops_have(ops, (WaOp) op))
				*wa_partial_bits(partial, (WaOp) op) =
					result->bits[op - WA_OP_BIT_AND];
	}
	if (result->rows == 0)
		return;
	if (wa_ops_have(ops, WA_OP_MIN))
		partial->min = finish_extreme(type, result->min);
	if (wa_ops_have(ops, WA_OP_MAX))
		partial->max = finish_extreme(type, result->max);
}
