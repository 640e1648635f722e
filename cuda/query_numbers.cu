//
// query_numbers.cu
//		Numbering the groups of a query; see query/numbers.h.
//
#include "query/numbers.h"

#include <algorithm>
#include <string.h>

#include "query/gather.cuh"

// Groups that a hash table is made for at first, and by which it grows.
static const uint32_t kFirstGroups = (uint32_t) 1 << 16;
static const uint32_t kGrowth = 16;

// Numbers of combinations of keys are used up to so many, or a number for so
// many rows: most of them should be those of groups.
static const uint32_t kDirectGroups = 4096;
static const uint32_t kDirectRows = 64;

// Stores the range of a key's words in *range; false if it is not known.
static bool
find_range(const WaQuerySource *source, WaKeyRange *range)
{
	const WaCudaColumn *column = source->column;

	*range = {0, 1};
	if (source->form == WA_COLUMN_BITS)
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
				 WA_CUDA_QUERY_GROUPS);

	for (unsigned i = 0; i < keys->ncolumns; i++)
		if (!find_range(&work->keys[i], &ranges[i]))
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

// Numbers by hashing, in a table that is large enough in the end.
static cudaError_t
number_by_hash(WaQueryWork *work, const WaKeys *keys, WaKeysMemory *memory,
			   WaKeysStatus *status, WaQueryNumbers *numbers)
{
	for (uint32_t most = kFirstGroups;; most *= kGrowth)
	{
		cudaError_t error = wa_keys_plan_hash(
			keys, std::min(most, WA_CUDA_QUERY_GROUPS), &numbers->plan);

		if (error == cudaSuccess)
			error = start(work, keys, &numbers->plan, memory, status);
		if (error == cudaSuccess)
			error = wa_query_slot_wait(work->slot);
		if (error != cudaSuccess)
			return error;
		numbers->trapped = wa_query_has_trapped(work);
		numbers->ngroups = status->ngroups;
		if (numbers->trapped || status->failed == 0)
			return cudaSuccess;
		if (most >= WA_CUDA_QUERY_GROUPS)
			return cudaErrorNotSupported;
	}
}

// Starts the copy of something of the groups to pinned memory.
template <typename Element>
static cudaError_t
copy(WaQuerySlot *slot, const Element *d_elements, size_t count,
	 const Element **elements)
{
	Element *place;
	cudaError_t error = wa_query_take(&slot->pool, count, &place);

	*elements = place;
	if (error == cudaSuccess && count > 0)
		error = cudaMemcpyAsync(place, d_elements, count * sizeof(Element),
								cudaMemcpyDeviceToHost, slot->stream);
	return error;
}

// Starts the gathering of values of the groups' first rows.
template <typename Value, typename Gathered>
static cudaError_t
gather(WaQueryWork *work, const void *d_values, const WaQueryNumbers *numbers,
	   const uint32_t *d_first_rows, const int64_t **gathered)
{
	WaQuerySlot *slot = work->slot;
	WaQueryGather args = {d_values, d_first_rows, work->nrows, numbers->ngroups,
						  NULL};
	void *arguments[] = {&args};
	cudaError_t error =
		wa_query_take(&slot->d_pool, numbers->ngroups, &args.gathered);

	if (error == cudaSuccess)
		error =
			cudaLaunchKernel(wa_query_gather_kernel<Value, Gathered>,
							 dim3(wa_query_blocks(work, args.count)),
							 dim3(kQueryThreads), arguments, 0, slot->stream);
	if (error == cudaSuccess)
		error =
			copy(slot, (const int64_t *) args.gathered, args.count, gathered);
	return error;
}

// Starts the gathering of what numbers and words do not tell of the keys: which
// zero a float is, and how many digits a decimal shows.
static cudaError_t
gather_keys(WaQueryWork *work, const uint32_t *d_first_rows,
			WaQueryNumbers *numbers)
{
	cudaError_t error = cudaSuccess;

	for (unsigned i = 0; i < work->keys.size() && error == cudaSuccess; i++)
	{
		const WaQuerySource *source = &work->keys[i];

		if (source->form == WA_COLUMN_F32)
			error = gather<float, double>(work, source->d_values, numbers,
										  d_first_rows, &numbers->bits[i]);
		else if (source->form == WA_COLUMN_F64)
			error = gather<double, double>(work, source->d_values, numbers,
										   d_first_rows, &numbers->bits[i]);
		else if (source->d_digits != NULL)
			error = gather<uint8_t, int64_t>(work, source->d_digits, numbers,
											 d_first_rows, &numbers->digits[i]);
		else if (source->mixed)
			error = gather<int16_t, int64_t>(work, source->d_display, numbers,
											 d_first_rows, &numbers->digits[i]);
	}
	return error;
}

// Starts the copies of what the keys of the groups are.
static cudaError_t
copy_keys(WaQueryWork *work, const WaKeysMemory *memory,
		  WaQueryNumbers *numbers)
{
	WaQuerySlot *slot = work->slot;
	const size_t group_words =
		numbers->plan.words_bytes / sizeof(uint64_t) / numbers->plan.ngroups;
	cudaError_t error = copy(slot, (const uint32_t *) memory->d_first_rows,
							 numbers->ngroups, &numbers->first_rows);

	if (error == cudaSuccess && numbers->plan.method == WA_KEYS_HASH)
		error = copy(slot, (const uint64_t *) memory->d_words,
					 numbers->ngroups * group_words, &numbers->words);
	if (error == cudaSuccess)
		error = gather_keys(work, memory->d_first_rows, numbers);
	return error;
}

cudaError_t
wa_query_number(WaQueryWork *work, WaQueryNumbers *numbers)
{
	WaQuerySlot *slot = work->slot;
	WaKeyColumn columns[WA_KEYS_MAX];
	const WaKeys keys = {columns, (unsigned) work->keys.size(),
						 work->d_selection, work->nrows};
	WaKeysMemory memory = {};
	WaKeysStatus *status;
	cudaError_t error = wa_query_take(&slot->pool, 1, &status);

	for (size_t i = 0; i < work->keys.size(); i++)
		columns[i] = {work->keys[i].form, work->keys[i].d_values,
					  work->keys[i].d_validity, 0};
	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, work->nrows, &memory.d_groups);
	if (error != cudaSuccess)
		return error;
	if (plan_direct(work, &keys, &numbers->plan))
	{
		numbers->ngroups = numbers->plan.ngroups;
		error = start(work, &keys, &numbers->plan, &memory, status);
	}
	else
		error = number_by_hash(work, &keys, &memory, status, numbers);
	numbers->status = status;
	numbers->d_groups = memory.d_groups;
	if (error == cudaSuccess && !numbers->trapped && numbers->ngroups > 0)
		error = copy_keys(work, &memory, numbers);
	return error;
}

bool
wa_query_numbers_have(const WaQueryNumbers *numbers, uint32_t group)
{
	return numbers->first_rows[group] != WA_KEYS_NO_GROUP;
}

WaCudaKey
wa_query_numbers_key(const WaQueryWork *work, const WaQueryNumbers *numbers,
					 uint32_t group, unsigned key)
{
	const WaQuerySource *source = &work->keys[key];
	WaCudaKey value = {};

	value.word = (int64_t) wa_keys_word(&numbers->plan, numbers->words, group,
										key, &value.is_null);
	value.scale = source->scale;
	value.display = source->scale;
	if (numbers->bits[key] != NULL)
		value.word = numbers->bits[key][group];
	if (numbers->digits[key] != NULL)
		value.display = (uint8_t) numbers->digits[key][group];
	return value;
}
