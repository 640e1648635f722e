//
// query_numbers.cu
//		Numbering the groups of a query; see query/numbers.h.
//
#include "query/numbers.h"

#include <algorithm>

// Groups that a hash table is made for at first, and by which it grows.  Tests begin
// with fewer.
#ifndef WA_QUERY_FIRST_GROUPS
#define WA_QUERY_FIRST_GROUPS 65536
#endif
static const uint32_t kFirstGroups = WA_QUERY_FIRST_GROUPS;
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
	return {source->form, source->d_values, source->d_validity};
}

bool
wa_query_key_range(const WaQuerySource *source, WaKeyRange *range)
{
	const WaCudaColumn *column = source->column;

	if (source->values != NULL)
		*range = {0, (int64_t) source->values->count - 1};
	else if (source->form == WA_COLUMN_BITS)
		*range = wa_keys_form_range(source->form);
	else if (column != NULL && column->has_range &&
			 column->form != WA_COLUMN_F32 && column->form != WA_COLUMN_F64)
		*range = {column->smallest, column->largest};
	else
		return false;
	return true;
}

// Adds a word; too many are cudaErrorNotSupported.
static void
add_word(WaQueryWords *words, const WaKeyColumn &column,
		 const WaKeyRange *range)
{
	if (words->count == WA_KEYS_MAX)
		throw WaQueryError{cudaErrorNotSupported};
	words->columns[words->count] = column;
	words->has_range[words->count] = range != NULL;
	if (range != NULL)
		words->ranges[words->count] = *range;
	words->count++;
}

// Adds the words of a key's values.
static void
add_values(const WaQueryWork *work, const WaQuerySource *source,
		   WaQueryWords *words)
{
	WaKeyColumn column = wa_query_key_column(source);
	WaKeyRange range;
	const bool has_range = wa_query_key_range(source, &range);

	if (column.form == WA_COLUMN_F32 && !work->by_equal_keys)
		column.form = WA_COLUMN_U32;
	if (column.form == WA_COLUMN_F64 && !work->by_equal_keys)
		column.form = WA_COLUMN_I64;
	add_word(words, column, has_range ? &range : NULL);
	if (column.form != WA_COLUMN_I128)
		return;
	column.d_values = static_cast<const uint64_t *>(column.d_values) + 1;
	add_word(words, column, NULL);
}

// Adds the digits that a key's values show, if they are not all the same.
static void
add_digits(const WaQuerySource *source, WaQueryWords *words)
{
	const WaKeyRange range = {0, source->scale};

	if (source->mixed && source->d_digits != NULL)
		add_word(words, {WA_COLUMN_I8, source->d_digits, source->d_validity},
				 &range);
	else if (source->mixed)
		add_word(words, {WA_COLUMN_I16, source->d_display, source->d_validity},
				 &range);
}

// Plans numbers of combinations of keys; false if that cannot be.
static bool
plan_direct(const WaQueryWork *work, const WaKeys *keys,
			const WaQueryWords *words, WaKeysPlan *plan)
{
	const uint32_t most =
		keys->lookup != NULL
			? kDirectGroups
			: std::min(std::max(work->nrows / kDirectRows, kDirectGroups),
					   (uint32_t) WA_QUERY_HASH_GROUPS);

	for (unsigned i = 0; i < words->count; i++)
		if (!words->has_range[i])
			return false;
	return wa_keys_plan_direct(keys, words->ranges, most, plan) == cudaSuccess;
}

// Starts the numbering that was planned, and the copy of its status.
static void
start(WaQueryWork *work, const WaKeys *keys, const WaKeysPlan *plan,
	  WaKeysMemory *memory, WaKeysStatus *status)
{
	WaQuerySlot *slot = work->slot;
	WaQueryPool *pool = &slot->d_pool;

	memory->d_workspace =
		wa_query_take<unsigned char>(pool, plan->workspace_bytes);
	memory->d_first_rows = wa_query_take<uint32_t>(pool, plan->ngroups);
	memory->d_status = wa_query_take<WaKeysStatus>(pool, 1);
	wa_query_check(wa_keys_start(keys, plan, memory,
								 slot->device.multiprocessors, slot->stream));
	wa_query_fetch(slot, status, memory->d_status, 1);
}

// Numbers by hashing, in a table that is large enough in the end.  If none is,
// status->failed stays set.
static void
number_by_hash(WaQueryWork *work, const WaKeys *keys, WaKeysMemory *memory,
			   WaKeysStatus *status, WaQueryNumbers *numbers)
{
	const uint32_t most_groups =
		work->limit > 0 ? WA_QUERY_HASH_GROUPS : WA_CUDA_QUERY_GROUPS;
	const WaQueryMark mark = wa_query_pool_mark(&work->slot->d_pool);

	for (uint32_t most = kFirstGroups;; most *= kGrowth)
	{
		WaKeysPlan plan;

		wa_query_check(
			wa_keys_plan_hash(keys, std::min(most, most_groups), &plan));
		start(work, keys, &plan, memory, status);
		wa_query_slot_wait(work->slot);
		numbers->trapped = wa_query_has_trapped(work);
		numbers->ngroups = status->ngroups;
		if (numbers->trapped || status->failed == 0)
			return;
		wa_query_pool_rewind(&work->slot->d_pool, mark);
		if (most >= most_groups)
			return;
	}
}

// Brings the table that a key is looked up in to the device.
static WaKeyLookup
equip_lookup(WaQueryWork *work)
{
	const WaLookupTable *table = work->keys[0].lookup;
	WaQuerySlot *slot = work->slot;
	WaKeyLookup lookup;

	wa_query_check(wa_lookup_send(
		table,
		wa_query_take<unsigned char>(&slot->d_pool, wa_lookup_bytes(table)),
		slot->stream, &lookup.table));
	lookup.d_traps = wa_query_take<uint64_t>(
		&slot->d_pool, wa_program_trap_bytes(work->nrows) / 8);
	return lookup;
}

// Has the numbers of the rows be the values of the key that was looked up, and starts the
// copy of the tiles where it is not known.
static void
finish_lookup(WaQueryWork *work, const WaKeyLookup *lookup,
			  const uint32_t *d_groups)
{
	const size_t words = wa_program_trap_bytes(work->nrows) / 8;
	WaQuerySource *key = &work->keys[0];

	key->form = WA_COLUMN_U32;
	key->d_values = d_groups;
	work->key_traps = wa_query_take<uint64_t>(&work->slot->pool, words);
	wa_query_fetch(work->slot, work->key_traps, lookup->d_traps, words);
}

void
wa_query_number(WaQueryWork *work, WaQueryNumbers *numbers)
{
	WaQuerySlot *slot = work->slot;
	WaQueryWords words = {};
	WaKeyLookup lookup;
	WaKeys keys = {words.columns, 0, work->d_selection, work->nrows, NULL};
	WaKeysPlan plan;
	WaKeysMemory memory = {};
	WaKeysStatus *status = wa_query_take<WaKeysStatus>(&slot->pool, 1);

	for (const WaQuerySource &key : work->keys)
	{
		add_values(work, &key, &words);
		add_digits(&key, &words);
	}
	keys.ncolumns = words.count;
	memory.d_groups = wa_query_take<uint32_t>(&slot->d_pool, work->nrows);
	if (work->keys[0].lookup != NULL)
	{
		lookup = equip_lookup(work);
		keys.lookup = &lookup;
	}
	numbers->status = status;
	numbers->d_groups = memory.d_groups;
	numbers->has_holes = plan_direct(work, &keys, &words, &plan);
	if (numbers->has_holes)
	{
		numbers->ngroups = plan.ngroups;
		start(work, &keys, &plan, &memory, status);
		if (keys.lookup != NULL)
			finish_lookup(work, &lookup, memory.d_groups);
	}
	else
		number_by_hash(work, &keys, &memory, status, numbers);
	numbers->d_first_rows = memory.d_first_rows;
	if (numbers->has_holes || numbers->trapped || status->failed == 0)
		return;
	if (work->limit == 0)
		throw WaQueryError{cudaErrorNotSupported};
	wa_query_number_sorted(work, &words, numbers);
}
