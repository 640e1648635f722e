//
// query_groups.cu
//		Queries with keys: the reductions of columns by groups.
//
#include "query/work.h"

#include <algorithm>

#include "kernels.h"
#include "query/numbers.h"

// The table of one layer, in pinned memory.
struct Layer
{
	WaGroupLayer layer;
	const void *table;
};

// An operation over a column.
struct Reduction
{
	unsigned source; // the aggregated column that it is for
	bool is_display; // of the digits shown
	bool has_layers; // a float's sum: there may be more than one
	WaGroupColumn column;
	WaGroupPlan plan;
	WaGroupMemory memory;
	WaGroupLayer layer; // the last one that was started
	std::vector<Layer> layers;
};

// Adds a reduction.
static void
add_reduction(std::vector<Reduction> *reductions, unsigned source, WaOp op,
			  const WaBatch &batch, const WaQueryNumbers *numbers)
{
	Reduction reduction = {};

	reduction.source = source;
	reduction.column = {op, batch, numbers->d_groups, numbers->ngroups};
	reduction.has_layers = (op == WA_OP_SUM || op == WA_OP_SQUARES) &&
						   (batch.type == WA_FLOAT4 || batch.type == WA_FLOAT8);
	reductions->push_back(reduction);
}

// Adds the reductions of an aggregated column.  Rows are counted by the numbers
// of their groups, which are read anyway.
static void
add_source(const WaQueryWork *work, unsigned number,
		   const WaQueryNumbers *numbers, std::vector<Reduction> *reductions)
{
	const WaQuerySource *source = &work->sources[number];
	const WaOpSet ops = work->query->aggregates[number].ops;
	const WaBatch rows = {WA_OID, numbers->d_groups, source->d_validity,
						  work->nrows};
	const WaBatch display = {WA_INT2, source->d_display, source->d_validity,
							 work->nrows};

	if (ops == 0)
		add_reduction(reductions, number, WA_OP_MAX, rows, numbers);
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			add_reduction(reductions, number, (WaOp) op,
						  wa_query_batch(work, source), numbers);
	if (!source->mixed || (ops & WA_OP_BIT(WA_OP_SUM)) == 0)
		return;
	add_reduction(reductions, number, WA_OP_MAX, display, numbers);
	reductions->back().is_display = true;
}

// Starts the copy of the table of the layer that was started last.
static cudaError_t
copy_layer(WaQuerySlot *slot, Reduction *reduction)
{
	void *table = NULL;
	cudaError_t error =
		wa_query_pool_take(&slot->pool, reduction->plan.table_bytes, &table);

	if (error == cudaSuccess)
		error = cudaMemcpyAsync(table, reduction->memory.d_table,
								reduction->plan.table_bytes,
								cudaMemcpyDeviceToHost, slot->stream);
	if (error == cudaSuccess)
		reduction->layers.push_back({reduction->layer, table});
	return error;
}

// Gives a reduction its memory.  Those of one layer share a workspace, since they
// need nothing of it when the next one starts.
static cudaError_t
equip(WaQuerySlot *slot, void *d_shared_workspace, Reduction *reduction)
{
	WaGroupMemory *memory = &reduction->memory;
	cudaError_t error = wa_query_pool_take(
		&slot->d_pool, reduction->plan.table_bytes, &memory->d_table);

	memory->d_workspace = d_shared_workspace;
	if (error == cudaSuccess && reduction->has_layers)
		error =
			wa_query_pool_take(&slot->d_pool, reduction->plan.workspace_bytes,
							   &memory->d_workspace);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->pool, 1, &memory->status);
	return error;
}

// Plans all reductions and starts their first layers.
static cudaError_t
start_reductions(WaQueryWork *work, std::vector<Reduction> *reductions)
{
	WaQuerySlot *slot = work->slot;
	size_t shared_bytes = 0;
	void *d_shared = NULL;
	cudaError_t error = cudaSuccess;

	for (Reduction &reduction : *reductions)
	{
		error =
			wa_group_plan(&reduction.column, &slot->device, &reduction.plan);
		if (error != cudaSuccess)
			return error;
		if (!reduction.has_layers)
			shared_bytes =
				std::max(shared_bytes, reduction.plan.workspace_bytes);
	}
	error = wa_query_pool_take(&slot->d_pool, shared_bytes, &d_shared);
	for (Reduction &reduction : *reductions)
	{
		if (error == cudaSuccess)
			error = equip(slot, d_shared, &reduction);
		if (error == cudaSuccess)
			error = wa_group_start(&reduction.column, &reduction.plan,
								   &reduction.memory, &reduction.layer,
								   slot->stream);
		if (error == cudaSuccess)
			error = copy_layer(slot, &reduction);
	}
	return error;
}

// Starts the next layers of the reductions that have any; *more tells whether
// there is one.
static cudaError_t
start_next(WaQueryWork *work, std::vector<Reduction> *reductions, bool *more)
{
	cudaError_t error = cudaSuccess;

	*more = false;
	for (Reduction &reduction : *reductions)
	{
		bool has_more = false;

		if (error == cudaSuccess && reduction.has_layers)
			error = wa_group_next(&reduction.column, &reduction.plan,
								  &reduction.memory, &reduction.layer,
								  &has_more, work->slot->stream);
		if (error == cudaSuccess && has_more)
			error = copy_layer(work->slot, &reduction);
		reduction.has_layers = has_more;
		*more |= has_more;
	}
	return error;
}

// Computes all layers, beginning with those that have been started.
static cudaError_t
finish_layers(WaQueryWork *work, std::vector<Reduction> *reductions)
{
	bool more = true;
	cudaError_t error = wa_query_slot_wait(work->slot);

	while (error == cudaSuccess && more)
	{
		error = start_next(work, reductions, &more);
		if (error == cudaSuccess && more)
			error = wa_query_slot_wait(work->slot);
	}
	return error;
}

// Adds what a reduction has of a group to the cell.
static void
fold(const Reduction *reduction, uint32_t group, WaCudaCell *cell)
{
	const int64_t rows = cell->partial.rows;
	WaPartial display;

	if (reduction->is_display)
	{
		wa_partial_init(&display, NULL);
		wa_group_fold(&reduction->column, &reduction->layers[0].layer,
					  reduction->layers[0].table, group, &display);
		if (display.rows > 0)
			cell->display = (uint8_t) display.max.i;
		return;
	}
	for (const Layer &layer : reduction->layers)
		wa_group_fold(&reduction->column, &layer.layer, layer.table, group,
					  &cell->partial);
	if (rows > 0)
		cell->partial.rows = rows; // every operation counts them
}

// Has the groups taken.
static void
take_groups(const WaQueryWork *work, const WaQueryNumbers *numbers,
			const std::vector<Reduction> &reductions, WaCudaTake take,
			void *context)
{
	const size_t count = work->sources.size();
	std::vector<WaExactPart> exact(count);
	std::vector<WaCudaCell> cells(count);
	WaCudaKey keys[WA_CUDA_QUERY_KEYS];

	for (uint32_t group = 0; group < numbers->ngroups; group++)
	{
		if (!wa_query_numbers_have(numbers, group))
			continue;
		for (unsigned i = 0; i < work->keys.size(); i++)
			keys[i] = wa_query_numbers_key(work, numbers, group, i);
		for (size_t i = 0; i < count; i++)
		{
			const WaQuerySource *source = &work->sources[i];
			const bool needs_exact = wa_partial_needs_exact(
				wa_query_type(source->form), work->query->aggregates[i].ops);

			if (needs_exact)
				exact[i] = {};
			wa_partial_init(&cells[i].partial, needs_exact ? &exact[i] : NULL);
			cells[i].scale = source->scale;
			cells[i].display = source->scale;
		}
		for (const Reduction &reduction : reductions)
			fold(&reduction, group, &cells[reduction.source]);
		if (!take(context, keys, cells.data()))
			return;
	}
}

// Starts the counting of the rows that WHERE leaves.
static cudaError_t
start_count(WaQueryWork *work, WaKernelResult **result)
{
	WaQuerySlot *slot = work->slot;
	WaKernelColumn column = {
		{WA_INT2, NULL, work->d_selection, work->nrows}, 0, NULL};
	cudaError_t error = wa_query_take(&slot->pool, 1, result);

	if (error != cudaSuccess)
		return error;
	column.d_result = *result;
	return wa_kernel_launch(&column, 1, slot->d_scratch,
							slot->device.multiprocessors, slot->stream);
}

cudaError_t
wa_query_reduce_groups(WaQueryWork *work, WaCudaTake take, void *context,
					   WaCudaOutcome *outcome)
{
	std::vector<Reduction> reductions;
	WaQueryNumbers numbers = {};
	WaKernelResult *rows;
	cudaError_t error = start_count(work, &rows);

	if (error == cudaSuccess)
		error = wa_query_number(work, &numbers);
	for (unsigned i = 0; i < work->sources.size(); i++)
		if (error == cudaSuccess)
			add_source(work, i, &numbers, &reductions);
	if (error == cudaSuccess && !numbers.trapped && numbers.ngroups > 0)
		error = start_reductions(work, &reductions);
	if (error == cudaSuccess && !numbers.trapped && numbers.ngroups > 0)
		error = finish_layers(work, &reductions);
	if (error != cudaSuccess)
		return error;
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) rows->rows;
	if (numbers.status->failed != 0 && !outcome->trapped)
		return cudaErrorNotSupported;
	if (!outcome->trapped && numbers.ngroups > 0)
		take_groups(work, &numbers, reductions, take, context);
	return cudaSuccess;
}
