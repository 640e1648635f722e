//
// query_chosen.cu
//		Copies to the host of what there is of chosen groups; see query/chosen.h.
//
#include "query/chosen.h"

#include "query/key.cuh"

// What the kernel of keys takes.
struct WaQueryKeysArgs
{
	WaKeyColumn columns[WA_CUDA_QUERY_KEYS];
	const uint8_t *digits[WA_CUDA_QUERY_KEYS];  // shown by each row, or
	const int16_t *display[WA_CUDA_QUERY_KEYS]; // likewise, or both NULL
	uint8_t scale[WA_CUDA_QUERY_KEYS];
	unsigned ncolumns;
	WaQueryChoice choice;
	const uint32_t *first_rows; // of all groups
	WaCudaKey *keys;
	uint32_t *chosen_rows;
};

// Returns a key of the group whose first row this is.
__device__ __forceinline__ WaCudaKey
wa_query_key_of(const WaQueryKeysArgs &args, unsigned number, uint32_t row)
{
	const WaKeyColumn &column = args.columns[number];
	const WaQueryWord word = wa_query_key_word(column, row);
	WaCudaKey key = {};

	key.is_null = word.is_null;
	key.word = (int64_t) word.word;
	if (!key.is_null &&
		(column.form == WA_COLUMN_F32 || column.form == WA_COLUMN_F64))
		key.word = wa_query_float_bits(column, row);
	key.is_wide = column.form == WA_COLUMN_I128;
	if (!key.is_null && key.is_wide)
		key.high = (int64_t) wa_query_half(column, row, 1);
	key.scale = args.scale[number];
	key.display = args.scale[number];
	if (args.digits[number] != NULL)
		key.display = args.digits[number][row];
	else if (args.display[number] != NULL)
		key.display = (uint8_t) args.display[number][row];
	return key;
}

// Stores the keys and the first rows of chosen groups.  Any grid; deterministic.
__global__ void
wa_query_keys_kernel(const __grid_constant__ WaQueryKeysArgs args)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i < args.choice.count; i += gridDim.x * blockDim.x)
	{
		const uint32_t row = args.first_rows[wa_query_chosen(args.choice, i)];

		args.chosen_rows[i] = row;
		for (unsigned key = 0; key < args.ncolumns; key++)
			if (row != WA_KEYS_NO_GROUP)
				args.keys[(size_t) i * args.ncolumns + key] =
					wa_query_key_of(args, key, row);
	}
}

// What the kernel of tables takes: a table of all groups, and one to come of
// those that are chosen (cuda/group/table.cuh).
struct WaQueryTableArgs
{
	unsigned nwide;
	unsigned nnarrow;
	uint32_t ngroups; // of the first table
	WaQueryChoice choice;
	const uint64_t *wide;
	const uint32_t *narrow;
	uint64_t *chosen_wide;
	uint32_t *chosen_narrow;
};

// Stores what a table has of chosen groups.  Any grid; deterministic.
__global__ void
wa_query_table_kernel(const WaQueryTableArgs args)
{
	const size_t count = args.choice.count;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t group = wa_query_chosen(args.choice, i);

		for (unsigned array = 0; array < args.nwide; array++)
			args.chosen_wide[array * count + i] =
				args.wide[(size_t) array * args.ngroups + group];
		for (unsigned array = 0; array < args.nnarrow; array++)
			args.chosen_narrow[array * count + i] =
				args.narrow[(size_t) array * args.ngroups + group];
	}
}

// What the kernel of counts takes.
struct WaQueryCountsArgs
{
	WaQueryChoice choice;
	const uint32_t *starts; // of all groups, and the end
	uint32_t *counts;
};

// Counts the rows of chosen groups.  Any grid; deterministic.
__global__ void
wa_query_counts_kernel(const WaQueryCountsArgs args)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i < args.choice.count; i += gridDim.x * blockDim.x)
	{
		const uint32_t group = wa_query_chosen(args.choice, i);

		args.counts[i] = args.starts[group + 1] - args.starts[group];
	}
}

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
