//
// query_sorted.cu
//		Numbering the groups of a query by sorting the rows; see query/sorted.cuh.
//
#include "query/numbers.h"

#include <algorithm>

#include "query/sort.h"
#include "query/sorted.cuh"

// Hashes that are tried, until one is different for all groups.
static const unsigned kHashes = 3;

// Returns the words that values of a form have.
static WaKeyRange
range_of_form(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I8:
			return {INT8_MIN, INT8_MAX};
		case WA_COLUMN_I16:
			return {INT16_MIN, INT16_MAX};
		case WA_COLUMN_I32:
			return {INT32_MIN, INT32_MAX};
		case WA_COLUMN_U32:
			return {0, UINT32_MAX};
		default:
			return {INT64_MIN, INT64_MAX};
	}
}

// Packs the keys by their ranges, if they fit a word; then sets *nbits to the
// bits that are used.
static bool
pack(const WaQueryWords *words, WaQueryPacking *packing, int *nbits)
{
	unsigned shift = 0;

	for (unsigned i = 0; i < packing->ncolumns; i++)
	{
		const bool has_nulls = packing->columns[i].d_validity != NULL;
		WaKeyRange range = words->has_range[i]
							   ? words->ranges[i]
							   : range_of_form(words->columns[i].form);
		unsigned bits = 1;

		if (range.largest < range.smallest)
			range.largest = range.smallest;
		packing->base[i] = (uint64_t) range.smallest;
		packing->last[i] =
			(uint64_t) range.largest - (uint64_t) range.smallest + has_nulls;
		if (has_nulls && packing->last[i] == 0)
			return false;
		while (bits < 64 && packing->last[i] >> bits != 0)
			bits++;
		packing->shift[i] = (uint8_t) shift;
		shift += bits;
		if (shift > 64)
			return false;
	}
	*nbits = (int) shift;
	return true;
}

// Makes each number the sum of those up to it.
static void
add_up(WaQueryWork *work, uint32_t *d_numbers, uint32_t count)
{
	WaQuerySlot *slot = work->slot;
	size_t bytes = 0;
	unsigned char *d_temporary;

	wa_query_check(
		wa_query_add_up(d_numbers, count, NULL, &bytes, slot->stream));
	d_temporary = wa_query_take<unsigned char>(&slot->d_pool, bytes);
	wa_query_check(
		wa_query_add_up(d_numbers, count, d_temporary, &bytes, slot->stream));
}

// Lists the rows that WHERE leaves.
static void
list_rows(WaQueryWork *work, uint32_t *d_rows)
{
	const uint32_t words = (work->nrows + 63) / 64;
	const WaQueryListing args = {
		work->d_selection, work->nrows,
		wa_query_take<uint32_t>(&work->slot->d_pool, words), d_rows};

	wa_query_launch(work, wa_query_count_rows_kernel, words, 0, args);
	add_up(work, args.ends, words);
	wa_query_launch(work, wa_query_list_rows_kernel, work->nrows, 0, args);
}

// Sorts the rows by their words.
static void
sort_rows(WaQueryWork *work, WaQuerySort *sort)
{
	WaQuerySlot *slot = work->slot;
	size_t bytes = 0;
	unsigned char *d_temporary;

	wa_query_check(wa_query_sort(sort, NULL, &bytes, slot->stream));
	d_temporary = wa_query_take<unsigned char>(&slot->d_pool, bytes);
	wa_query_check(wa_query_sort(sort, d_temporary, &bytes, slot->stream));
}

// Sorts by the words that args tells of, looks for the groups, and waits.
static void
find_groups(WaQueryWork *work, WaQuerySorting args, int nbits,
			WaKeysStatus *status)
{
	WaQuerySlot *slot = work->slot;
	WaQuerySort sort = {args.count, nbits, {}, {}, 0, 0};

	for (unsigned i = 0; i < 2; i++)
	{
		sort.d_words[i] = wa_query_take<uint64_t>(&slot->d_pool, sort.nrows);
		sort.d_rows[i] = wa_query_take<uint32_t>(&slot->d_pool, sort.nrows);
	}
	list_rows(work, sort.d_rows[0]);
	args.words = sort.d_words[0];
	args.rows = sort.d_rows[0];
	wa_query_check(
		cudaMemsetAsync(args.status, 0, sizeof(*args.status), slot->stream));
	wa_query_launch(work, wa_query_words_kernel, args.count, 0, args);
	sort_rows(work, &sort);
	args.words = sort.d_words[sort.sorted_words];
	args.rows = sort.d_rows[sort.sorted_rows];
	args.numbers = sort.d_rows[1 - sort.sorted_rows];
	wa_query_launch(work, wa_query_heads_kernel, args.count, 0, args);
	add_up(work, args.numbers, args.count);
	wa_query_launch(work, wa_query_starts_kernel, args.count, 0, args);
	wa_query_fetch(slot, status, args.status, 1);
	wa_query_slot_wait(slot);
}

// Sorts by the packed keys, if they can be, or else by one hash after the other,
// until all groups are told apart.
static void
find_all_groups(WaQueryWork *work, const WaQueryWords *words,
				WaQuerySorting *args, WaKeysStatus *status)
{
	const WaQueryMark mark = wa_query_pool_mark(&work->slot->d_pool);
	int nbits = 0;
	const bool packs = pack(words, &args->packing, &nbits);

	for (unsigned i = packs ? 0 : 1; i <= kHashes; i++)
	{
		args->packing.seed = i;
		find_groups(work, *args, i == 0 ? nbits : WA_QUERY_HASH_BITS, status);
		wa_query_pool_rewind(&work->slot->d_pool, mark);
		if (status->failed == 0)
			return;
	}
	throw WaQueryError{cudaErrorNotSupported};
}

// Tells whether rows need the numbers of their groups: all columns but those
// that count the rows of a group do.
static bool
needs_groups(const WaQueryWork *work)
{
	for (const WaQuerySource &source : work->sources)
		if (!source.counts_rows)
			return true;
	return false;
}

void
wa_query_number_sorted(WaQueryWork *work, const WaQueryWords *words,
					   WaQueryNumbers *numbers)
{
	WaQuerySlot *slot = work->slot;
	WaQuerySorting args = {};
	WaKeysStatus *status = wa_query_take<WaKeysStatus>(&slot->pool, 1);

	args.count = (uint32_t) work->kept->rows;
	args.packing.ncolumns = words->count;
	std::copy(words->columns, words->columns + words->count,
			  args.packing.columns);
	if (!needs_groups(work))
		numbers->d_groups = NULL;
	args.groups = numbers->d_groups;
	args.starts =
		wa_query_take<uint32_t>(&slot->d_pool, (size_t) args.count + 1);
	args.first_rows = wa_query_take<uint32_t>(&slot->d_pool, args.count);
	args.status = wa_query_take<WaKeysStatus>(&slot->d_pool, 1);
	if (args.groups != NULL)
		wa_query_check(cudaMemsetAsync(
			args.groups, 0xff, work->nrows * sizeof(uint32_t), slot->stream));
	find_all_groups(work, words, &args, status);
	numbers->status = status;
	numbers->ngroups = status->ngroups;
	numbers->d_starts = args.starts;
	numbers->d_first_rows = args.first_rows;
}
