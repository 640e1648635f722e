//
// query_numbers.cu
//		Numbering the groups of a query; see query/numbers.h.
//
#include "query/numbers.h"

#include <algorithm>

// Groups that a hash table is made for at first, and by which it grows.
static const uint32_t kFirstGroups = (uint32_t) 1 << 16;
static const uint32_t kGrowth = 16;

// Groups that a hash table is made for at most; for more rows are sorted, if the
// first groups alone are wanted.  Tests set it lower.
#ifndef WA_QUERY_HASH_GROUPS
#define WA_QUERY_HASH_GROUPS WA_CUDA_QUERY_GROUPS
#endif

// Numbers of combinations of keys are used up to so many, or a number for so
// many rows: most of them should be those of groups.
static const uint32_t kDirectGroups = 4096;
static const uint32_t kDirectRows = 64;

WaKeyColumn
wa_query_key_column(const WaQuerySource *source)
{
	return {source->form, source->d_values, source->d_validity, 0};
}

bool
wa_query_key_range(const WaQuerySource *source, WaKeyRange *range)
{
	const WaCudaColumn *column = source->column;

	*range = {0, 1};
	if (source->values != NULL)
		range->largest = (int64_t) source->values->count - 1;
	if (source->values != NULL || source->form == WA_COLUMN_BITS)
		return true;
	if (column == NULL || !column->has_range || column->form == WA_CUDA_F32 ||
		column->form == WA_CUDA_F64)
		return false;
	*range = {column->smallest, column->largest};
	return true;
}

// Plans numbers of combinations of keys; false if that cannot be.
static bool
plan_direct(const WaQueryWork *work, const WaKeys *keys, WaKeysPlan *plan)
{
	WaKeyRange ranges[WA_KEYS_MAX];
	const uint32_t most =
		std::min(std::max(work->nrows / kDirectRows, kDirectGroups),
				 (uint32_t) WA_QUERY_HASH_GROUPS);

	for (unsigned i = 0; i < keys->ncolumns; i++)
		if (!wa_query_key_range(&work->keys[i], &ranges[i]))
			return false;
	return wa_keys_plan_direct(keys, ranges, most, plan) == cudaSuccess;
}

// Gives the numbering its memory but for the numbers of the rows.
static cudaError_t
equip(WaQuerySlot *slot, const WaKeysPlan *plan, WaKeysMemory *memory)
{
	cudaError_t error = wa_query_pool_take(&slot->d_pool, plan->workspace_bytes,
										   &memory->d_workspace);

	if (error == cudaSuccess)
		error =
			wa_query_take(&slot->d_pool, plan->words_bytes / sizeof(uint64_t),
						  &memory->d_words);
	if (error == cudaSuccess)
		error =
			wa_query_take(&slot->d_pool, plan->ngroups, &memory->d_first_rows);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, 1, &memory->d_status);
	return error;
}

// Starts the numbering that was planned, and the copy of its status.
static cudaError_t
start(WaQueryWork *work, const WaKeys *keys, const WaKeysPlan *plan,
	  WaKeysMemory *memory, WaKeysStatus *status)
{
	WaQuerySlot *slot = work->slot;
	cudaError_t error = equip(slot, plan, memory);

	if (error == cudaSuccess)
		error = wa_keys_start(keys, plan, memory, slot->device.multiprocessors,
							  slot->stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(status, memory->d_status, sizeof(*status),
								cudaMemcpyDeviceToHost, slot->stream);
	return error;
}

// Numbers by hashing, in a table that is large enough in the end.  If none is,
// status->failed stays set.
static cudaError_t
number_by_hash(WaQueryWork *work, const WaKeys *keys, WaKeysMemory *memory,
			   WaKeysStatus *status, WaQueryNumbers *numbers)
{
	const uint32_t most_groups = work->query->wanted.limit > 0
									 ? WA_QUERY_HASH_GROUPS
									 : WA_CUDA_QUERY_GROUPS;
	const WaQueryMark mark = wa_query_pool_mark(&work->slot->d_pool);

	for (uint32_t most = kFirstGroups;; most *= kGrowth)
	{
		WaKeysPlan plan;
		cudaError_t error =
			wa_keys_plan_hash(keys, std::min(most, most_groups), &plan);

		if (error == cudaSuccess)
			error = start(work, keys, &plan, memory, status);
		if (error == cudaSuccess)
			error = wa_query_slot_wait(work->slot);
		if (error != cudaSuccess)
			return error;
		numbers->trapped = wa_query_has_trapped(work);
		numbers->ngroups = status->ngroups;
		if (numbers->trapped || status->failed == 0)
			return cudaSuccess;
		wa_query_pool_rewind(&work->slot->d_pool, mark);
		if (most >= most_groups)
			return cudaSuccess;
	}
}

cudaError_t
wa_query_number(WaQueryWork *work, WaQueryNumbers *numbers)
{
	WaQuerySlot *slot = work->slot;
	WaKeyColumn columns[WA_KEYS_MAX];
	const WaKeys keys = {columns, (unsigned) work->keys.size(),
						 work->d_selection, work->nrows};
	WaKeysPlan plan;
	WaKeysMemory memory = {};
	WaKeysStatus *status;
	cudaError_t error = wa_query_take(&slot->pool, 1, &status);

	for (size_t i = 0; i < work->keys.size(); i++)
		columns[i] = wa_query_key_column(&work->keys[i]);
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, work->nrows, &memory.d_groups);
	if (error != cudaSuccess)
		return error;
	numbers->status = status;
	numbers->d_groups = memory.d_groups;
	numbers->has_holes = plan_direct(work, &keys, &plan);
	if (numbers->has_holes)
	{
		numbers->ngroups = plan.ngroups;
		error = start(work, &keys, &plan, &memory, status);
	}
	else
		error = number_by_hash(work, &keys, &memory, status, numbers);
	numbers->d_first_rows = memory.d_first_rows;
	if (error != cudaSuccess || numbers->has_holes || numbers->trapped ||
		status->failed == 0)
		return error;
	return work->query->wanted.limit > 0 ? wa_query_number_sorted(work, numbers)
										 : cudaErrorNotSupported;
}
