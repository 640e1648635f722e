//
// query_groups.cu
//		Queries with keys: the reductions of columns by groups.
//
#include "query/work.h"

#include <algorithm>

#include "kernels.h"
#include "query/chosen.h"
#include "query/order.h"

// A query by groups that is under way.  What is in pinned memory is there once
// the stream has been waited for.
struct GroupRun
{
	WaQueryWork *work;
	WaQueryNumbers numbers;
	std::vector<WaQueryReduction> reductions;
	WaQueryMark mark;     // of the device's pool, before the shared workspace
	WaQueryChoice choice; // of groups to be handed over
	WaQueryKeys keys;
	const uint32_t *counts; // sorted: the rows of the chosen groups
};

// Adds a reduction.
static void
add_reduction(std::vector<WaQueryReduction> *reductions, unsigned source,
			  WaOp op, const WaBatch &batch, const WaQueryNumbers *numbers)
{
	WaQueryReduction reduction = {};

	reduction.source = source;
	reduction.column = {op, batch, numbers->d_groups, numbers->ngroups};
	reduction.has_layers = (op == WA_OP_SUM || op == WA_OP_SQUARES) &&
						   (batch.type == WA_FLOAT4 || batch.type == WA_FLOAT8);
	reductions->push_back(reduction);
}

// Tells whether the values of an aggregated column are those of all rows.
static bool
has_all_rows(const WaQuerySource *source)
{
	return source->counts_rows ||
		   (!source->is_output && source->d_validity == NULL);
}

// Has rows counted by a reduction that goes through all of them anyway, if there
// is one.  Those of floats may take several layers.
static void
share_counts(WaQueryWork *work)
{
	int counter = -1;

	for (size_t i = 0; i < work->sources.size(); i++)
		if (has_all_rows(&work->sources[i]) &&
			work->query->aggregates[i].ops != 0 &&
			work->sources[i].form != WA_COLUMN_F32 &&
			work->sources[i].form != WA_COLUMN_F64)
			counter = (int) i;
	for (size_t i = 0; i < work->sources.size(); i++)
		work->sources[i].counted_by =
			has_all_rows(&work->sources[i]) &&
					work->query->aggregates[i].ops == 0
				? counter
				: -1;
}

// Adds those of the halves of an aggregated column.
static void
add_halves(const WaQueryWork *work, unsigned number,
		   const WaQueryNumbers *numbers,
		   std::vector<WaQueryReduction> *reductions)
{
	const WaQuerySource *source = &work->sources[number];

	for (unsigned half = 0; half < WA_QUERY_HALVES; half++)
	{
		const WaOpSet ops = wa_query_half_ops(
			work->query->aggregates[number].ops, source, half);

		for (WaOp op : {WA_OP_SUM, WA_OP_SQUARES})
		{
			if ((ops & WA_OP_BIT(op)) == 0)
				continue;
			add_reduction(reductions, number, op,
						  wa_query_half_batch(work, source, half), numbers);
			reductions->back().of = WA_QUERY_OF_HALF;
			reductions->back().part = half;
		}
	}
}

// Adds those of its looks.
static void
add_looks(const WaQueryWork *work, unsigned number,
		  const WaQueryNumbers *numbers,
		  std::vector<WaQueryReduction> *reductions)
{
	const WaQuerySource *source = &work->sources[number];

	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
	{
		if (!wa_query_has_looks(source, op))
			continue;
		add_reduction(reductions, number, op,
					  wa_query_look_batch(work, source, op), numbers);
		reductions->back().of = WA_QUERY_OF_LOOK;
	}
}

// Adds the reductions of an aggregated column.  Rows are counted by the numbers
// of their groups, which are read anyway, or not at all if they are sorted or
// counted otherwise.
static void
add_source(const WaQueryWork *work, unsigned number,
		   const WaQueryNumbers *numbers,
		   std::vector<WaQueryReduction> *reductions)
{
	const WaQuerySource *source = &work->sources[number];
	const WaOpSet all_ops = work->query->aggregates[number].ops;
	const WaOpSet ops = wa_query_whole_ops(all_ops, source);
	const WaBatch rows = {WA_OID, numbers->d_groups, source->d_validity,
						  work->nrows};
	const WaBatch display = {WA_INT2, source->d_display, source->d_validity,
							 work->nrows};

	if (source->counted_by >= 0 ||
		(source->counts_rows && numbers->d_starts != NULL))
		return;
	if (all_ops == 0)
		add_reduction(reductions, number, WA_OP_MAX, rows, numbers);
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			add_reduction(reductions, number, (WaOp) op,
						  wa_query_batch(work, source), numbers);
	if (source->d_halves[0] != NULL)
		add_halves(work, number, numbers, reductions);
	add_looks(work, number, numbers, reductions);
	if (!source->mixed || (all_ops & WA_OP_BIT(WA_OP_SUM)) == 0)
		return;
	add_reduction(reductions, number, WA_OP_MAX, display, numbers);
	reductions->back().of = WA_QUERY_DIGITS;
}

// Starts the copy of the table of the layer that was started last.
static cudaError_t
copy_layer(GroupRun *run, WaQueryReduction *reduction)
{
	const void *table = NULL;
	const cudaError_t error =
		wa_query_copy_table(run->work, &reduction->column, &reduction->plan,
							reduction->memory.d_table, &run->choice, &table);

	if (error == cudaSuccess)
		reduction->layers.push_back({reduction->layer, table});
	return error;
}

// Gives a reduction its memory but for the workspace that those of one layer
// share, since they need nothing of it when the next one starts.
static cudaError_t
equip(WaQuerySlot *slot, WaQueryReduction *reduction)
{
	WaGroupMemory *memory = &reduction->memory;
	cudaError_t error = wa_query_pool_take(
		&slot->d_pool, reduction->plan.table_bytes, &memory->d_table);

	if (error == cudaSuccess && reduction->has_layers)
		error =
			wa_query_pool_take(&slot->d_pool, reduction->plan.workspace_bytes,
							   &memory->d_workspace);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->pool, 1, &memory->status);
	return error;
}

// Plans all reductions and gives them their memory.
static cudaError_t
prepare_reductions(GroupRun *run)
{
	WaQuerySlot *slot = run->work->slot;
	size_t shared_bytes = 0;
	void *d_shared = NULL;
	cudaError_t error = cudaSuccess;

	for (WaQueryReduction &reduction : run->reductions)
	{
		if (error == cudaSuccess)
			error = wa_group_plan(&reduction.column, &slot->device,
								  &reduction.plan);
		if (error == cudaSuccess)
			error = equip(slot, &reduction);
		if (!reduction.has_layers)
			shared_bytes =
				std::max(shared_bytes, reduction.plan.workspace_bytes);
	}
	run->mark = wa_query_pool_mark(&slot->d_pool);
	if (error == cudaSuccess)
		error = wa_query_pool_take(&slot->d_pool, shared_bytes, &d_shared);
	for (WaQueryReduction &reduction : run->reductions)
		if (!reduction.has_layers)
			reduction.memory.d_workspace = d_shared;
	return error;
}

// Starts the first layers of all reductions.
static cudaError_t
start_reductions(GroupRun *run)
{
	cudaError_t error = prepare_reductions(run);

	for (WaQueryReduction &reduction : run->reductions)
		if (error == cudaSuccess)
			error = wa_group_start(&reduction.column, &reduction.plan,
								   &reduction.memory, &reduction.layer,
								   run->work->slot->stream);
	return error;
}

// Starts the next layers of the reductions that have any; *more tells whether
// there is one.
static cudaError_t
start_next(GroupRun *run, bool *more)
{
	cudaError_t error = cudaSuccess;

	*more = false;
	for (WaQueryReduction &reduction : run->reductions)
	{
		bool has_more = false;

		if (error == cudaSuccess && reduction.has_layers)
			error = wa_group_next(&reduction.column, &reduction.plan,
								  &reduction.memory, &reduction.layer,
								  &has_more, run->work->slot->stream);
		if (error == cudaSuccess && has_more)
			error = copy_layer(run, &reduction);
		reduction.has_layers = has_more;
		*more |= has_more;
	}
	return error;
}

// Computes all layers, beginning with those that have been started.
static cudaError_t
finish_layers(GroupRun *run)
{
	bool more = true;
	cudaError_t error = wa_query_slot_wait(run->work->slot);

	while (error == cudaSuccess && more)
	{
		error = start_next(run, &more);
		if (error == cudaSuccess && more)
			error = wa_query_slot_wait(run->work->slot);
	}
	return error;
}

// Tells whether the numbers of groups are good for nothing.  The stream has been
// waited for.
static bool
has_failed(const GroupRun *run)
{
	return run->numbers.status->failed != 0 || wa_query_has_trapped(run->work);
}

// Chooses the groups to be handed over; all of them, if some only are not asked
// for or the numbers have failed.
static cudaError_t
choose(GroupRun *run)
{
	WaQuerySlot *slot = run->work->slot;
	cudaError_t error;

	run->choice = {NULL, run->numbers.ngroups};
	if (!wa_query_chooses(run->work, &run->numbers))
		return cudaSuccess;
	error = wa_query_slot_wait(slot);
	if (error != cudaSuccess || has_failed(run))
		return error;
	wa_query_pool_rewind(&slot->d_pool, run->mark);
	return wa_query_choose(run->work, &run->numbers, run->reductions,
						   &run->choice);
}

// Starts the copies of the keys and of the first layers of the chosen groups.
static cudaError_t
copy_chosen(GroupRun *run)
{
	cudaError_t error =
		wa_query_copy_keys(run->work, &run->numbers, &run->choice, &run->keys);

	if (error == cudaSuccess && run->numbers.d_starts != NULL)
		error = wa_query_copy_counts(run->work, &run->numbers, &run->choice,
									 &run->counts);
	for (WaQueryReduction &reduction : run->reductions)
		if (error == cudaSuccess)
			error = copy_layer(run, &reduction);
	return error;
}

// Returns what a reduction that has but one layer has of a chosen group.
static WaPartial
fold_one(const GroupRun *run, const WaQueryReduction *reduction, uint32_t group)
{
	WaGroupColumn column = reduction->column;
	WaPartial partial;

	column.ngroups = run->choice.count;
	wa_partial_init(&partial, NULL);
	wa_group_fold(&column, &reduction->layers[0].layer,
				  reduction->layers[0].table, group, &partial);
	return partial;
}

// Adds what a reduction has of a chosen group to a partial.
static void
fold(const GroupRun *run, const WaQueryReduction *reduction, uint32_t group,
	 WaPartial *partial)
{
	const int64_t rows = partial->rows;
	WaGroupColumn column = reduction->column;

	column.ngroups = run->choice.count;
	for (const WaQueryLayer &layer : reduction->layers)
		wa_group_fold(&column, &layer.layer, layer.table, group, partial);
	if (rows > 0)
		partial->rows = rows; // every operation counts them
}

// Adds what reductions have of the halves of an aggregated column; *place: the first
// of them, and then the last.
static void
fold_halves(const GroupRun *run, uint32_t group, size_t *place,
			WaCudaCell *cell)
{
	const unsigned source = run->reductions[*place].source;
	WaPartial halves[WA_QUERY_HALVES];
	size_t i;

	for (WaPartial &half : halves)
		wa_partial_init(&half, NULL);
	for (i = *place; i < run->reductions.size(); i++)
	{
		const WaQueryReduction *reduction = &run->reductions[i];

		if (reduction->source != source || reduction->of != WA_QUERY_OF_HALF)
			break;
		fold(run, reduction, group, &halves[reduction->part]);
	}
	*place = i - 1;
	wa_query_join_halves(run->work->query->aggregates[source].ops, halves,
						 cell);
}

// Adds what reductions have of the digits shown, of halves and of looks.
static void
fold_others(const GroupRun *run, uint32_t group, WaCudaCell *cells)
{
	for (size_t i = 0; i < run->reductions.size(); i++)
	{
		const WaQueryReduction *reduction = &run->reductions[i];
		WaCudaCell *cell = &cells[reduction->source];

		if (reduction->of == WA_QUERY_DIGITS)
		{
			const WaPartial digits = fold_one(run, reduction, group);

			if (digits.rows > 0)
				cell->display = (uint8_t) digits.max.i;
		}
		else if (reduction->of == WA_QUERY_OF_HALF)
			fold_halves(run, group, &i, cell);
		else if (reduction->of == WA_QUERY_OF_LOOK)
		{
			const WaPartial look = fold_one(run, reduction, group);

			wa_query_split_look(reduction->column.op, &look, cell);
		}
	}
}

// Makes the cells of a chosen group.
static void
make_cells(const GroupRun *run, uint32_t group, WaExactPart *exact,
		   WaCudaCell *cells)
{
	const WaQueryWork *work = run->work;

	for (size_t i = 0; i < work->sources.size(); i++)
	{
		const WaQuerySource *source = &work->sources[i];
		const bool needs_exact = wa_partial_needs_exact(
			wa_query_type(source->form), work->query->aggregates[i].ops);

		if (needs_exact)
			exact[i] = {};
		wa_partial_init(&cells[i].partial, needs_exact ? &exact[i] : NULL);
		wa_query_describe_cell(source, &cells[i]);
		if (source->counts_rows && run->counts != NULL)
			cells[i].partial.rows = run->counts[group];
	}
	for (const WaQueryReduction &reduction : run->reductions)
		if (reduction.of == WA_QUERY_VALUES)
			fold(run, &reduction, group, &cells[reduction.source].partial);
	for (size_t i = 0; i < work->sources.size(); i++)
		if (cells[i].is_wide)
			wa_query_extend_sum(&cells[i]);
	fold_others(run, group, cells);
	for (size_t i = 0; i < work->sources.size(); i++)
		if (work->sources[i].counted_by >= 0)
			cells[i].partial.rows =
				cells[work->sources[i].counted_by].partial.rows;
}

// Returns the value of a key as the query has it.
static WaCudaKey
value_of(const WaQuerySource *source, WaCudaKey key)
{
	if (source->values == NULL || key.is_null)
		return key;
	key.word = source->values->values[key.word];
	key.scale = source->values->scale;
	key.display = source->values->scale;
	return key;
}

// Has the groups taken.
static void
take_groups(const GroupRun *run, WaCudaTake take, void *context)
{
	const size_t nkeys = run->work->keys.size();
	std::vector<WaCudaKey> keys(nkeys);
	std::vector<WaExactPart> exact(run->work->sources.size());
	std::vector<WaCudaCell> cells(run->work->sources.size());
	const WaCudaQuery *query = run->work->query;

	if (query->expect != NULL && !query->expect(context, run->choice.count))
		return;
	for (uint32_t group = 0; group < run->choice.count; group++)
	{
		if (run->keys.first_rows[group] == WA_KEYS_NO_GROUP)
			continue;
		for (size_t i = 0; i < nkeys; i++)
			keys[i] = value_of(&run->work->keys[i],
							   run->keys.keys[group * nkeys + i]);
		make_cells(run, group, exact.data(), cells.data());
		if (!take(context, keys.data(), cells.data()))
			return;
	}
}

// Starts the counting of the rows that WHERE leaves.
static cudaError_t
start_count(WaQueryWork *work)
{
	WaQuerySlot *slot = work->slot;
	WaKernelResult *result;
	WaKernelColumn column = {
		{WA_INT2, NULL, work->d_selection, work->nrows}, 0, NULL};
	cudaError_t error = wa_query_take(&slot->pool, 1, &result);

	if (error != cudaSuccess)
		return error;
	work->kept = result;
	column.d_result = result;
	return wa_kernel_launch(&column, 1, slot->d_scratch,
							slot->device.multiprocessors, slot->stream);
}

// Reduces the columns by the groups that there are.
static cudaError_t
reduce(GroupRun *run)
{
	cudaError_t error;

	share_counts(run->work);
	for (unsigned i = 0; i < run->work->sources.size(); i++)
		add_source(run->work, i, &run->numbers, &run->reductions);
	error = start_reductions(run);
	if (error == cudaSuccess)
		error = choose(run);
	if (error == cudaSuccess)
		error = copy_chosen(run);
	return error == cudaSuccess ? finish_layers(run) : error;
}

cudaError_t
wa_query_reduce_groups(WaQueryWork *work, WaCudaTake take, void *context,
					   WaCudaOutcome *outcome)
{
	GroupRun run = {};
	cudaError_t error = start_count(work);
	bool has_groups;

	run.work = work;
	if (error == cudaSuccess)
		error = wa_query_start_signs(work);
	if (error == cudaSuccess)
		error = wa_query_number(work, &run.numbers);
	has_groups = !run.numbers.trapped && run.numbers.ngroups > 0;
	if (error == cudaSuccess && has_groups)
		error = reduce(&run);
	if (error != cudaSuccess)
		return error;
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) work->kept->rows;
	if (run.numbers.status->failed != 0 && !outcome->trapped)
		return cudaErrorNotSupported;
	work->mixes_zeros = !outcome->trapped && wa_query_mixes_zeros(work);
	if (work->mixes_zeros)
		return cudaSuccess;
	if (!outcome->trapped && has_groups)
		take_groups(&run, take, context);
	return cudaSuccess;
}
