//
// query_groups.cu
//		Queries with keys: the reductions of columns by groups.
//
#include <algorithm>

#include "kernels.h"
#include "query/chosen.h"
#include "query/order.h"
#include "query/values.h"

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
	WaQueryFound found;     // of values, if some are wanted
};

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

// Adds a reduction of a part.
static void
add_reduction(GroupRun *run, const WaQueryPart &part, WaOp op,
			  const WaBatch &batch)
{
	WaQueryReduction reduction = {};

	reduction.part = part;
	reduction.column = {op, batch, run->numbers.d_groups, run->numbers.ngroups};
	reduction.has_layers = (op == WA_OP_SUM || op == WA_OP_SQUARES) &&
						   (batch.type == WA_FLOAT4 || batch.type == WA_FLOAT8);
	run->reductions.push_back(reduction);
}

// Adds the reductions of a part, unless its rows are counted otherwise.  Else that is
// done by the numbers of their groups, which are read anyway.
static void
add_part(GroupRun *run, const WaQueryPart &part)
{
	const WaQuerySource *source = &run->work->sources[part.source];

	if (source->counted_by >= 0)
		return;
	if (part.ops == 0)
		add_reduction(run, part, WA_OP_MAX,
					  {WA_OID, run->numbers.d_groups, source->d_validity,
					   run->work->nrows});
	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((part.ops & WA_OP_BIT(op)) != 0)
			add_reduction(run, part, (WaOp) op, part.batch);
}

// Adds all reductions.  Where groups are sorted, their rows are known.
static void
add_reductions(GroupRun *run)
{
	const std::vector<WaQuerySource> &sources = run->work->sources;

	for (unsigned i = 0; i < sources.size(); i++)
		if (sources[i].counts_rows && run->numbers.d_starts == NULL)
			add_part(run, {i, WA_QUERY_VALUES, 0, {}, 0});
	for (const WaQueryPart &part : wa_query_list_parts(run->work))
		add_part(run, part);
}

// Starts the copy of the table of the layer that was started last.
static void
copy_layer(GroupRun *run, WaQueryReduction *reduction)
{
	const void *table =
		wa_query_copy_table(run->work, &reduction->column, &reduction->plan,
							reduction->memory.d_table, &run->choice);

	reduction->layers.push_back({reduction->layer, table});
}

// Plans all reductions and gives them their memory.  Those of one layer share a
// workspace, since they need nothing of it when the next one starts.
static void
prepare_reductions(GroupRun *run)
{
	WaQuerySlot *slot = run->work->slot;
	size_t shared_bytes = 0;
	unsigned char *d_shared;

	for (WaQueryReduction &reduction : run->reductions)
	{
		const WaGroupPlan *plan = &reduction.plan;
		WaGroupMemory *memory = &reduction.memory;

		wa_query_check(
			wa_group_plan(&reduction.column, &slot->device, &reduction.plan));
		memory->d_table =
			wa_query_take<unsigned char>(&slot->d_pool, plan->table_bytes);
		memory->status = wa_query_take<WaGroupStatus>(&slot->pool, 1);
		if (reduction.has_layers)
			memory->d_workspace = wa_query_take<unsigned char>(
				&slot->d_pool, plan->workspace_bytes);
		else
			shared_bytes = std::max(shared_bytes, plan->workspace_bytes);
	}
	run->mark = wa_query_pool_mark(&slot->d_pool);
	d_shared = wa_query_take<unsigned char>(&slot->d_pool, shared_bytes);
	for (WaQueryReduction &reduction : run->reductions)
		if (!reduction.has_layers)
			reduction.memory.d_workspace = d_shared;
}

// Starts the first layers of all reductions.
static void
start_reductions(GroupRun *run)
{
	prepare_reductions(run);
	for (WaQueryReduction &reduction : run->reductions)
		wa_query_check(wa_group_start(&reduction.column, &reduction.plan,
									  &reduction.memory, &reduction.layer,
									  run->work->slot->stream));
}

// Starts the next layers of the reductions that have any; tells whether there is one.
static bool
start_next(GroupRun *run)
{
	bool more = false;

	for (WaQueryReduction &reduction : run->reductions)
	{
		if (!reduction.has_layers)
			continue;
		wa_query_check(wa_group_next(
			&reduction.column, &reduction.plan, &reduction.memory,
			&reduction.layer, &reduction.has_layers, run->work->slot->stream));
		if (reduction.has_layers)
			copy_layer(run, &reduction);
		more |= reduction.has_layers;
	}
	return more;
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
static void
choose(GroupRun *run)
{
	WaQuerySlot *slot = run->work->slot;

	run->choice = {NULL, run->numbers.ngroups};
	if (!wa_query_chooses(run->work, &run->numbers))
		return;
	wa_query_slot_wait(slot);
	if (has_failed(run))
		return;
	wa_query_pool_rewind(&slot->d_pool, run->mark);
	run->choice = wa_query_choose(run->work, &run->numbers, run->reductions);
}

// Starts the copies of the keys and of the first layers of the chosen groups.
static void
copy_chosen(GroupRun *run)
{
	run->keys = wa_query_copy_keys(run->work, &run->numbers, &run->choice);
	if (run->numbers.d_starts != NULL)
		run->counts =
			wa_query_copy_counts(run->work, &run->numbers, &run->choice);
	for (WaQueryReduction &reduction : run->reductions)
		copy_layer(run, &reduction);
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
		wa_group_fold(&column, &reduction->plan, &layer.layer, layer.table,
					  group, partial);
	if (rows > 0)
		partial->rows = rows; // every operation counts them
}

// Makes the cells of a chosen group.
static void
make_cells(const GroupRun *run, uint32_t group, WaExactPart *exact,
		   WaCudaCell *cells)
{
	const WaQueryWork *work = run->work;

	for (size_t i = 0; i < work->sources.size(); i++)
	{
		wa_query_begin_cell(work, i, &exact[i], &cells[i]);
		if (work->sources[i].counts_rows && run->counts != NULL)
			cells[i].partial.rows = run->counts[group];
	}
	for (const WaQueryReduction &reduction : run->reductions)
	{
		WaCudaCell *cell = &cells[reduction.part.source];
		WaPartial *partial = &cell->partial;
		WaPartial own;

		if (reduction.part.of != WA_QUERY_VALUES)
		{
			wa_partial_init(&own, NULL);
			partial = &own;
		}
		fold(run, &reduction, group, partial);
		wa_query_add_part(&reduction.part, WA_OP_BIT(reduction.column.op),
						  partial, cell);
	}
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
	key.word = source->values->values[key.word - (source->lookup != NULL)];
	key.scale = source->values->scale;
	key.display = source->values->scale;
	return key;
}

// Has the groups taken.
static void
take_groups(const GroupRun *run)
{
	const WaQueryWork *work = run->work;
	const WaCudaQuery *query = work->query;
	const size_t nkeys = work->keys.size();
	std::vector<WaCudaKey> keys(nkeys);
	std::vector<WaExactPart> exact(work->sources.size());
	std::vector<WaCudaCell> cells(work->sources.size() +
								  wa_query_count_found(query));

	if (query->expect != NULL &&
		!query->expect(work->context, run->choice.count))
		return;
	for (uint32_t group = 0; group < run->choice.count; group++)
	{
		if (run->keys.first_rows[group] == WA_KEYS_NO_GROUP)
			continue;
		for (size_t i = 0; i < nkeys; i++)
			keys[i] =
				value_of(&work->keys[i], run->keys.keys[group * nkeys + i]);
		make_cells(run, group, exact.data(), cells.data());
		if (query->values != NULL)
			wa_query_add_found(work, &run->found, group, cells.data());
		if (!work->take(work->context, keys.data(), cells.data()))
			return;
	}
}

void
wa_query_start_count(WaQueryWork *work)
{
	WaQuerySlot *slot = work->slot;
	WaKernelResult *result = wa_query_take<WaKernelResult>(&slot->pool, 1);
	const WaKernelColumn column = {
		{WA_INT2, NULL, work->d_selection, work->nrows}, 0, result};

	work->kept = result;
	wa_query_check(wa_kernel_launch(&column, 1, slot->d_scratch,
									slot->device.multiprocessors,
									slot->stream));
}

// Reduces the columns by the groups that there are.
static void
reduce(GroupRun *run)
{
	share_counts(run->work);
	add_reductions(run);
	start_reductions(run);
	choose(run);
	copy_chosen(run);
	do
		wa_query_slot_wait(run->work->slot);
	while (start_next(run));
	if (run->work->query->values == NULL || has_failed(run))
		return;
	run->found = wa_query_find_values(run->work, run->numbers.d_groups,
									  run->numbers.ngroups);
	wa_query_slot_wait(run->work->slot);
}

void
wa_query_reduce_groups(WaQueryWork *work, WaCudaOutcome *outcome)
{
	GroupRun run = {};
	bool has_groups;

	run.work = work;
	wa_query_start_count(work);
	wa_query_start_signs(work);
	wa_query_number(work, &run.numbers);
	has_groups = !run.numbers.trapped && run.numbers.ngroups > 0;
	if (has_groups)
		reduce(&run);
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) work->kept->rows;
	if (outcome->trapped)
		return;
	if (run.numbers.status->failed != 0)
		throw WaQueryError{cudaErrorNotSupported};
	work->mixes_zeros = wa_query_mixes_zeros(work);
	if (has_groups && !work->mixes_zeros)
		take_groups(&run);
}
