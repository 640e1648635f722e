//
// groups.cu
//		Plan, launch and end of grouped reductions; see groups.h.
//
#include "groups.h"

#include <math.h>
#include <string.h>

#include "group/prepare.cuh"
#include "group/reduction.h"
#include "group_sort.h"

// Copies of a group at most: one for each lane.
static const unsigned kMaxCopies = 32;

// Tables' worth of groups that blocks read the same rows for; for more, sorting
// is faster.  A row that is not of a block's slice costs it less where adding
// one costs less: of sums, and of extremes.
static const unsigned kMaxSumSlices = 4;
static const unsigned kMaxExtremeSlices = 8;

// What parts of the memory are aligned to.
static const size_t kAlignment = 256;

// Blocks of the mask kernel.
static const unsigned kMaskBlocks = 512;

// Where the parts of the workspace lie.
struct Workspace
{
	WaGroupStatus *d_status;
	uint32_t *d_starts;
	uint32_t *d_masked;
	WaGroupSort sort;
	void *d_temporary; // of the sort
	size_t temporary_bytes;
	size_t total_bytes;
};

// Returns how a column is reduced; first is NULL if there is no way.
static WaGroupReduction
reduction_of(const WaGroupColumn *column)
{
	const WaStorage storage = wa_type_storage(column->d_batch.type);

	switch (column->op)
	{
		case WA_OP_SUM:
			return wa_group_sum(storage);
		case WA_OP_SQUARES:
			return wa_group_squares(storage);
		case WA_OP_MIN:
			return wa_group_min(storage);
		case WA_OP_MAX:
			return wa_group_max(storage);
		case WA_OP_BIT_AND:
		case WA_OP_BIT_OR:
		case WA_OP_BIT_XOR:
			return wa_group_bits(column->op, storage);
		default:
			return {};
	}
}

static bool
is_aligned(const void *pointer, size_t bytes)
{
	return (uintptr_t) pointer % bytes == 0;
}

// Tells whether a column keeps its contract.
static bool
column_is_sound(const WaGroupColumn *column)
{
	const WaBatch *batch = &column->d_batch;

	return (unsigned) column->op < WA_OP_COUNT &&
		   (unsigned) batch->type < WA_TYPE_COUNT &&
		   reduction_of(column).first.kernel[0] != NULL &&
		   column->ngroups >= 1 && column->ngroups <= WA_GROUP_MAX_GROUPS &&
		   batch->nrows <= WA_GROUP_MAX_ROWS &&
		   is_aligned(batch->values, sizeof(uint4)) &&
		   is_aligned(column->d_groups, sizeof(uint4)) &&
		   is_aligned(batch->validity, sizeof(uint64_t)) &&
		   (batch->nrows == 0 ||
			(batch->values != NULL && column->d_groups != NULL));
}

// Returns the logarithm of the smallest power of two that is not below number.
static unsigned
log2_above(size_t number)
{
	unsigned log2 = 0;

	while ((size_t) 1 << log2 < number)
		log2++;
	return log2;
}

// Returns the largest power of two that is not above number, which is not 0.
static unsigned
power_below(size_t number)
{
	unsigned log2 = log2_above(number);

	return (size_t) 1 << log2 == number ? 1u << log2 : 1u << (log2 - 1);
}

// Returns the bytes of so many elements, rounded up to the alignment.
static size_t
padded(size_t count, size_t element_bytes)
{
	return (count * element_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Lays out the workspace at d_memory, which is NULL to learn its size alone.
static cudaError_t
lay_out(const WaGroupColumn *column, const WaGroupPlan *plan, void *d_memory,
		Workspace *workspace)
{
	const WaBatch *batch = &column->d_batch;
	const size_t nrows = batch->nrows;
	const size_t width = wa_type_width(batch->type);
	const int begin_bit = (int) log2_above(plan->table_groups);
	unsigned char *d_next = static_cast<unsigned char *>(d_memory);
	cudaError_t error;
	auto take = [&](size_t count, size_t element_bytes)
	{
		void *d_part = d_memory == NULL ? NULL : d_next;

		workspace->total_bytes += padded(count, element_bytes);
		if (d_memory != NULL)
			d_next += padded(count, element_bytes);
		return d_part;
	};

	memset(workspace, 0, sizeof(*workspace));
	workspace->d_status =
		static_cast<WaGroupStatus *>(take(1, sizeof(WaGroupStatus)));
	if (plan->method != WA_GROUP_PARTITIONS)
		return cudaSuccess;
	workspace->d_starts = static_cast<uint32_t *>(
		take((size_t) plan->partitions + 1, sizeof(uint32_t)));
	if (batch->validity != NULL)
		workspace->d_masked =
			static_cast<uint32_t *>(take(nrows, sizeof(uint32_t)));
	workspace->sort.value_bytes = width;
	workspace->sort.nrows = nrows;
	workspace->sort.begin_bit = begin_bit;
	workspace->sort.end_bit = begin_bit + (int) log2_above(plan->partitions);
	workspace->sort.d_groups =
		batch->validity != NULL ? workspace->d_masked : column->d_groups;
	workspace->sort.d_values = batch->values;
	workspace->sort.d_sorted_groups =
		static_cast<uint32_t *>(take(nrows, sizeof(uint32_t)));
	workspace->sort.d_sorted_values = take(nrows, width);
	error = wa_group_sort(&workspace->sort, NULL, &workspace->temporary_bytes,
						  NULL);
	workspace->d_temporary = take(workspace->temporary_bytes, 1);
	return error;
}

cudaError_t
wa_group_device(int ordinal, WaGroupDevice *device)
{
	int shared_bytes = 0;
	cudaError_t error = cudaDeviceGetAttribute(
		&device->multiprocessors, cudaDevAttrMultiProcessorCount, ordinal);

	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(
			&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
	device->shared_bytes = (size_t) shared_bytes;
	return error;
}

// Chooses the grid: a block for each multiprocessor, if there are rows for
// them, and as many blocks for each slice.
static unsigned
grid_blocks(const WaGroupPlan *plan, size_t nrows, int multiprocessors)
{
	const size_t tile_rows = (size_t) kGroupThreads * kGroupRows;
	const size_t tiles = (nrows + tile_rows - 1) / tile_rows;
	const unsigned slices =
		plan->method == WA_GROUP_SLICES ? plan->partitions : 1;
	const size_t blocks = min(tiles, (size_t) multiprocessors / slices);

	return (unsigned) max(blocks, (size_t) 1) * slices;
}

cudaError_t
wa_group_plan(const WaGroupColumn *column, const WaGroupDevice *device,
			  WaGroupPlan *plan)
{
	WaGroupReduction reduction;
	Workspace workspace;
	cudaError_t error;
	size_t capacity; // entries that fit shared memory
	size_t entry_bytes;
	unsigned tables;
	unsigned max_slices;

	if (!column_is_sound(column) || device->multiprocessors < 1)
		return cudaErrorInvalidValue;
	reduction = reduction_of(column);
	entry_bytes = reduction.words * sizeof(uint32_t);
	if (device->shared_bytes < sizeof(WaGroupSeen) + entry_bytes)
		return cudaErrorInvalidValue;
	capacity = (device->shared_bytes - sizeof(WaGroupSeen)) / entry_bytes;
	memset(plan, 0, sizeof(*plan));
	plan->table_groups =
		min(1u << log2_above(column->ngroups), power_below(capacity));
	tables = (column->ngroups + plan->table_groups - 1) / plan->table_groups;
	max_slices = column->op == WA_OP_MIN || column->op == WA_OP_MAX
					 ? kMaxExtremeSlices
					 : kMaxSumSlices;
	plan->method = tables == 1            ? WA_GROUP_SHARED
				   : tables <= max_slices ? WA_GROUP_SLICES
										  : WA_GROUP_PARTITIONS;
	plan->copies = 1;
	if (plan->method == WA_GROUP_SHARED)
		plan->copies =
			min(kMaxCopies, power_below(capacity / plan->table_groups));
	plan->partitions = tables;
	plan->blocks =
		grid_blocks(plan, column->d_batch.nrows, device->multiprocessors);
	plan->shared_bytes =
		sizeof(WaGroupSeen) + plan->table_groups * plan->copies * entry_bytes;
	plan->wide = reduction.wide;
	plan->narrow = reduction.narrow;
	plan->range = reduction.range;
	plan->unit = reduction.unit;
	plan->table_bytes = column->ngroups * (reduction.wide * sizeof(uint64_t) +
										   reduction.narrow * sizeof(uint32_t));
	error = lay_out(column, plan, NULL, &workspace);
	plan->workspace_bytes = workspace.total_bytes;
	return error;
}

// Returns what the kernels of a layer take.
static WaGroupArgs
kernel_args(const WaGroupColumn *column, const WaGroupPlan *plan,
			const WaGroupMemory *memory, const Workspace *workspace,
			const WaGroupLayer *layer)
{
	const WaBatch *batch = &column->d_batch;
	WaGroupArgs args = {};

	args.values = batch->values;
	args.groups = column->d_groups;
	args.validity = reinterpret_cast<const uint32_t *>(batch->validity);
	args.nrows = (unsigned) batch->nrows;
	args.ngroups = column->ngroups;
	args.table_shift = log2_above(plan->table_groups);
	args.copy_shift = log2_above(plan->copies);
	args.partitions = plan->partitions;
	args.window = layer->window;
	args.counted = layer->number == 0;
	args.status = workspace->d_status;
	args.table = static_cast<unsigned char *>(memory->d_table);
	if (plan->method == WA_GROUP_PARTITIONS)
	{
		args.values = workspace->sort.d_sorted_values;
		args.groups = workspace->sort.d_sorted_groups;
		args.validity = NULL;
		args.starts = workspace->d_starts;
	}
	return args;
}

// Launches a kernel of the main kind, if there is one.
static cudaError_t
launch(const WaGroupKernels &pair, WaGroupArgs args, const WaGroupPlan *plan,
	   cudaStream_t stream)
{
	WaGroupKernel kernel = pair.kernel[args.validity != NULL];
	void *arguments[] = {&args};
	cudaError_t error;

	if (kernel == NULL)
		return cudaSuccess;
	error = cudaFuncSetAttribute(kernel,
								 cudaFuncAttributeMaxDynamicSharedMemorySize,
								 (int) plan->shared_bytes);
	if (error == cudaSuccess)
		error =
			cudaLaunchKernel(kernel, dim3(plan->blocks), dim3(kGroupThreads),
							 arguments, plan->shared_bytes, stream);
	return error;
}

// Places the windows of floats.
static cudaError_t
launch_sample(WaGroupKernel sample, const WaGroupColumn *column,
			  WaGroupArgs args, cudaStream_t stream)
{
	void *arguments[] = {&args};

	// As they lie in the column, sorted or not.
	args.values = column->d_batch.values;
	args.validity =
		reinterpret_cast<const uint32_t *>(column->d_batch.validity);
	return cudaLaunchKernel(sample, dim3(1), dim3(kGroupThreads), arguments,
							sizeof(int), stream);
}

// Makes the ids to sort by: those of rows that are valid.
static cudaError_t
launch_mask(const WaGroupColumn *column, const Workspace *workspace,
			cudaStream_t stream)
{
	const uint32_t *groups = column->d_groups;
	const uint32_t *validity =
		reinterpret_cast<const uint32_t *>(column->d_batch.validity);
	unsigned nrows = (unsigned) column->d_batch.nrows;
	uint32_t *masked = workspace->d_masked;
	void *arguments[] = {&groups, &validity, &nrows, &masked};
	unsigned blocks = (nrows + kGroupThreads - 1) / kGroupThreads;

	return cudaLaunchKernel(wa_group_mask_kernel,
							dim3(max(1u, min(blocks, kMaskBlocks))),
							dim3(kGroupThreads), arguments, 0, stream);
}

// Finds the partitions among the sorted rows.
static cudaError_t
launch_starts(const WaGroupArgs &args, const Workspace *workspace,
			  cudaStream_t stream)
{
	const uint32_t *groups = workspace->sort.d_sorted_groups;
	unsigned nrows = args.nrows;
	unsigned shift = args.table_shift;
	unsigned partitions = args.partitions;
	uint32_t mask =
		(1u << (workspace->sort.end_bit - workspace->sort.begin_bit)) - 1;
	uint32_t *starts = workspace->d_starts;
	void *arguments[] = {&groups, &nrows, &shift, &mask, &partitions, &starts};

	return cudaLaunchKernel(wa_group_starts_kernel,
							dim3(partitions / kGroupThreads + 1),
							dim3(kGroupThreads), arguments, 0, stream);
}

// Sorts the rows by partitions.
static cudaError_t
launch_sort(const WaGroupColumn *column, const WaGroupArgs &args,
			Workspace *workspace, cudaStream_t stream)
{
	cudaError_t error = cudaSuccess;

	if (workspace->d_masked != NULL)
		error = launch_mask(column, workspace, stream);
	if (error == cudaSuccess)
		error = wa_group_sort(&workspace->sort, workspace->d_temporary,
							  &workspace->temporary_bytes, stream);
	if (error == cudaSuccess)
		error = launch_starts(args, workspace, stream);
	return error;
}

cudaError_t
wa_group_start(const WaGroupColumn *column, const WaGroupPlan *plan,
			   const WaGroupMemory *memory, WaGroupLayer *layer,
			   cudaStream_t stream)
{
	WaGroupReduction reduction;
	Workspace workspace;
	WaGroupArgs args;
	cudaError_t error;

	if (!column_is_sound(column) ||
		!is_aligned(memory->d_workspace, kAlignment) ||
		!is_aligned(memory->d_table, kAlignment))
		return cudaErrorInvalidValue;
	memset(layer, 0, sizeof(*layer));
	layer->status = memory->status;
	reduction = reduction_of(column);
	error = lay_out(column, plan, memory->d_workspace, &workspace);
	args = kernel_args(column, plan, memory, &workspace, layer);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(memory->d_table, 0, plan->table_bytes, stream);
	if (error == cudaSuccess && reduction.sample != NULL)
		error = launch_sample(reduction.sample, column, args, stream);
	if (error == cudaSuccess && plan->method == WA_GROUP_PARTITIONS)
		error = launch_sort(column, args, &workspace, stream);
	if (error == cudaSuccess)
		error = launch(reduction.first, args, plan, stream);
	args.counted = false;
	if (error == cudaSuccess)
		error = launch(reduction.second, args, plan, stream);
	if (error == cudaSuccess && reduction.sample != NULL)
		error = cudaMemcpyAsync(memory->status, workspace.d_status,
								sizeof(WaGroupStatus), cudaMemcpyDeviceToHost,
								stream);
	return error;
}

// Moves *layer on to the next one.  Returns false if there is none.
static bool
advance(WaGroupLayer *layer)
{
	if (layer->number++ == 0)
	{
		memcpy(layer->pending, layer->status->seen, sizeof(layer->pending));
		layer->special_pending = layer->status->special != 0;
	}
	layer->special = layer->special_pending;
	layer->special_pending = false;
	if (layer->special)
		return true;
	for (int bit = 0; bit < kSeenWindows; bit++)
	{
		uint64_t mask = (uint64_t) 1 << bit % 64;

		if ((layer->pending[bit / 64] & mask) == 0)
			continue;
		layer->pending[bit / 64] -= mask;
		layer->window = bit - kSeenMiddle;
		return true;
	}
	return false;
}

cudaError_t
wa_group_next(const WaGroupColumn *column, const WaGroupPlan *plan,
			  const WaGroupMemory *memory, WaGroupLayer *layer, bool *more,
			  cudaStream_t stream)
{
	WaGroupReduction reduction = reduction_of(column);
	Workspace workspace;
	WaGroupArgs args;
	cudaError_t error;

	*more = reduction.sample != NULL && advance(layer);
	if (!*more)
		return cudaSuccess;
	error = lay_out(column, plan, memory->d_workspace, &workspace);
	args = kernel_args(column, plan, memory, &workspace, layer);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(memory->d_table, 0, plan->table_bytes, stream);
	if (error == cudaSuccess)
		error = launch(layer->special ? reduction.special : reduction.first,
					   args, plan, stream);
	return error;
}
