//
// query_chosen.cu
//		Copies to the host of what there is of chosen groups; see query/chosen.h.
//
#include "query/chosen.h"

#include "query/chosen.cuh"

// Starts the copy of elements to pinned memory, which is asked for: it grows with the
// groups.
template <typename Element>
static const Element *
copy(WaQueryWork *work, const Element *d_elements, size_t count)
{
	WaQuerySlot *slot = work->slot;
	Element *elements;

	if (work->query->may_take != NULL &&
		!work->query->may_take(work->context, count * sizeof(Element)))
		throw WaQueryError{cudaErrorMemoryAllocation};
	elements = wa_query_take<Element>(&slot->pool, count);
	if (count > 0)
		wa_query_fetch(slot, elements, d_elements, count);
	return elements;
}

WaQueryKeys
wa_query_copy_keys(WaQueryWork *work, const WaQueryNumbers *numbers,
				   const WaQueryChoice *choice)
{
	WaQuerySlot *slot = work->slot;
	const size_t count = (size_t) choice->count * work->keys.size();
	WaQueryKeysArgs args = {};

	args.keys = wa_query_take<WaCudaKey>(&slot->d_pool, count);
	args.chosen_rows = wa_query_take<uint32_t>(&slot->d_pool, choice->count);
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
	wa_query_launch(work, wa_query_keys_kernel, choice->count, 0, args);
	return {copy(work, args.keys, count),
			copy(work, args.chosen_rows, choice->count)};
}

const void *
wa_query_copy_table(WaQueryWork *work, const WaGroupColumn *column,
					const WaGroupPlan *plan, const void *d_table,
					const WaQueryChoice *choice)
{
	const size_t wide_count = (size_t) plan->wide * choice->count;
	const size_t bytes = wide_count * sizeof(uint64_t) + (size_t) plan->narrow *
															 choice->count *
															 sizeof(uint32_t);
	WaQueryTableArgs args = {plan->wide, plan->narrow, column->ngroups,
							 *choice,    NULL,         NULL,
							 NULL,       NULL};
	unsigned char *d_chosen;

	if (choice->d_groups == NULL && choice->count == column->ngroups)
		return copy(work, static_cast<const unsigned char *>(d_table), bytes);
	d_chosen = wa_query_take<unsigned char>(&work->slot->d_pool, bytes);
	args.wide = static_cast<const uint64_t *>(d_table);
	args.narrow = reinterpret_cast<const uint32_t *>(
		args.wide + (size_t) plan->wide * column->ngroups);
	args.chosen_wide = reinterpret_cast<uint64_t *>(d_chosen);
	args.chosen_narrow =
		reinterpret_cast<uint32_t *>(args.chosen_wide + wide_count);
	wa_query_launch(work, wa_query_table_kernel, choice->count, 0, args);
	return copy(work, d_chosen, bytes);
}

const uint32_t *
wa_query_copy_counts(WaQueryWork *work, const WaQueryNumbers *numbers,
					 const WaQueryChoice *choice)
{
	const WaQueryCountsArgs args = {
		*choice, numbers->d_starts,
		wa_query_take<uint32_t>(&work->slot->d_pool, choice->count)};

	wa_query_launch(work, wa_query_counts_kernel, choice->count, 0, args);
	return copy(work, args.counts, choice->count);
}
