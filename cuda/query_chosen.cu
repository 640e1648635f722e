//
// query_chosen.cu
//		Copies to the host of what there is of chosen groups; see query/chosen.h.
//
#include "query/chosen.h"

#include "query/chosen.cuh"

// Launches a kernel over so many groups.
template <typename Args>
static cudaError_t
launch(WaQueryWork *work, void (*kernel)(Args), Args args, uint32_t count)
{
	void *arguments[] = {&args};

	return cudaLaunchKernel(kernel, dim3(wa_query_blocks(work, count)),
							dim3(kQueryThreads), arguments, 0,
							work->slot->stream);
}

// Starts the copy of bytes to pinned memory, which is asked for: it grows with the
// groups.
template <typename Element>
static cudaError_t
copy(WaQueryWork *work, const void *d_bytes, size_t bytes,
	 const Element **elements)
{
	WaQuerySlot *slot = work->slot;
	void *place = NULL;
	cudaError_t error = cudaErrorMemoryAllocation;

	if (work->query->may_take == NULL ||
		work->query->may_take(work->context, bytes))
		error = wa_query_pool_take(&slot->pool, bytes, &place);
	*elements = static_cast<const Element *>(place);
	if (error == cudaSuccess && bytes > 0)
		error = cudaMemcpyAsync(place, d_bytes, bytes, cudaMemcpyDeviceToHost,
								slot->stream);
	return error;
}

cudaError_t
wa_query_copy_keys(WaQueryWork *work, const WaQueryNumbers *numbers,
				   const WaQueryChoice *choice, WaQueryKeys *keys)
{
	WaQuerySlot *slot = work->slot;
	const size_t count = (size_t) choice->count * work->keys.size();
	WaQueryKeysArgs args = {};
	cudaError_t error = wa_query_take(&slot->d_pool, count, &args.keys);

	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, choice->count, &args.chosen_rows);
	if (error != cudaSuccess)
		return error;
	args.ncolumns = (unsigned) work->keys.size();
	for (unsigned i = 0; i < args.ncolumns; i++)
	{
		const WaQuerySource *source = &work->keys[i];

		args.columns[i] = wa_query_key_column(source);
		args.digits[i] = source->d_digits;
		args.display[i] = source->mixed ? source->d_display : NULL;
		args.scale[i] = source->scale;
	}
	args.choice = *choice;
	args.first_rows = numbers->d_first_rows;
	error = launch(work, wa_query_keys_kernel, args, choice->count);
	if (error == cudaSuccess)
		error = copy(work, args.keys, count * sizeof(WaCudaKey), &keys->keys);
	if (error == cudaSuccess)
		error = copy(work, args.chosen_rows, choice->count * sizeof(uint32_t),
					 &keys->first_rows);
	return error;
}

cudaError_t
wa_query_copy_table(WaQueryWork *work, const WaGroupColumn *column,
					const WaGroupPlan *plan, const void *d_table,
					const WaQueryChoice *choice, const void **table)
{
	WaQuerySlot *slot = work->slot;
	const size_t wide_count = (size_t) plan->wide * choice->count;
	const size_t bytes = wide_count * sizeof(uint64_t) + (size_t) plan->narrow *
															 choice->count *
															 sizeof(uint32_t);
	WaQueryTableArgs args = {plan->wide, plan->narrow, column->ngroups,
							 *choice,    NULL,         NULL,
							 NULL,       NULL};
	void *d_chosen = NULL;
	cudaError_t error;

	if (choice->d_groups == NULL && choice->count == column->ngroups)
		return copy(work, d_table, bytes, table);
	error = wa_query_pool_take(&slot->d_pool, bytes, &d_chosen);
	if (error != cudaSuccess)
		return error;
	args.wide = static_cast<const uint64_t *>(d_table);
	args.narrow = reinterpret_cast<const uint32_t *>(
		args.wide + (size_t) plan->wide * column->ngroups);
	args.chosen_wide = static_cast<uint64_t *>(d_chosen);
	args.chosen_narrow =
		reinterpret_cast<uint32_t *>(args.chosen_wide + wide_count);
	error = launch(work, wa_query_table_kernel, args, choice->count);
	return error == cudaSuccess ? copy(work, d_chosen, bytes, table) : error;
}

cudaError_t
wa_query_copy_counts(WaQueryWork *work, const WaQueryNumbers *numbers,
					 const WaQueryChoice *choice, const uint32_t **counts)
{
	WaQuerySlot *slot = work->slot;
	WaQueryCountsArgs args = {*choice, numbers->d_starts, NULL};
	cudaError_t error =
		wa_query_take(&slot->d_pool, choice->count, &args.counts);

	if (error == cudaSuccess)
		error = launch(work, wa_query_counts_kernel, args, choice->count);
	if (error == cudaSuccess)
		error =
			copy(work, args.counts, choice->count * sizeof(uint32_t), counts);
	return error;
}
