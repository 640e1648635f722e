//
// query_sorted.cu
//		Numbering the groups of a query by sorting the rows.
//
// A row's word is what it is sorted by: its keys, packed side by side by their
// ranges, if they fit, or else a hash of them.  Rows of one group follow one
// another then, in their order; whether rows of one hash have the same keys is
// looked at, so that two groups are never taken for one.
//
#include <algorithm>

#include "query/key.cuh"
#include "query/rows.h"
#include "query/sort.h"

// Bits of a hash.  Tests have fewer.
#ifndef WA_QUERY_HASH_BITS
#define WA_QUERY_HASH_BITS 64
#endif

// How the words of rows are made.
struct WaQueryPacking
{
	WaKeyColumn columns[WA_KEYS_MAX];
	unsigned ncolumns;
	uint64_t seed; // of the hash; 0: keys are packed
	// Packed, of each key: its smallest word, and the places, of which the first
	// is that of NULL if there is a bitmap.
	uint64_t base[WA_KEYS_MAX];
	uint64_t last[WA_KEYS_MAX];
	uint8_t shift[WA_KEYS_MAX];
};

// Mixes a word into a hash (the steps of splitmix64, S. Vigna 2015).
__device__ __forceinline__ uint64_t
wa_query_mix(uint64_t hash, uint64_t word)
{
	uint64_t z = hash ^ word;

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) + UINT64_C(0x9e3779b97f4a7c15);
}

// Returns the hash of a row's keys.
__device__ __forceinline__ uint64_t
wa_query_hash(const WaQueryPacking &packing, uint32_t row)
{
	uint64_t hash = packing.seed;
	uint64_t nulls = 0;

	for (unsigned i = 0; i < packing.ncolumns; i++)
	{
		const WaQueryWord key = wa_query_key_word(packing.columns[i], row);

		nulls |= (uint64_t) key.is_null << i;
		hash = wa_query_mix(hash, key.word);
	}
	return wa_query_mix(hash, nulls) >> (64 - WA_QUERY_HASH_BITS);
}

// Returns a row's keys side by side; sets *failed if one is beyond its range.
__device__ __forceinline__ uint64_t
wa_query_pack(const WaQueryPacking &packing, uint32_t row, uint32_t *failed)
{
	uint64_t packed = 0;

	for (unsigned i = 0; i < packing.ncolumns; i++)
	{
		const WaKeyColumn &column = packing.columns[i];
		const WaQueryWord key = wa_query_key_word(column, row);
		const uint64_t offset = key.word - packing.base[i];
		const unsigned first = column.d_validity != NULL;

		if (key.is_null)
			continue;
		if (offset > packing.last[i] - first)
			*failed = 1;
		packed |= (offset + first) << packing.shift[i];
	}
	return packed;
}

// Tells whether two rows have the same keys.
__device__ __forceinline__ bool
wa_query_same_keys(const WaQueryPacking &packing, uint32_t a, uint32_t b)
{
	bool same = true;

	for (unsigned i = 0; i < packing.ncolumns; i++)
	{
		const WaQueryWord of_a = wa_query_key_word(packing.columns[i], a);
		const WaQueryWord of_b = wa_query_key_word(packing.columns[i], b);

		same &= of_a.is_null == of_b.is_null && of_a.word == of_b.word;
	}
	return same;
}

// What the kernels take.
struct WaQuerySorting
{
	WaQueryPacking packing;
	uint32_t count; // of rows that are sorted
	uint64_t *words;
	const uint32_t *rows;
	uint32_t *numbers; // of the sorted rows, from 1 on
	uint32_t *groups;  // of all rows; NULL: not wanted
	uint32_t *starts;  // of the groups, and the end
	uint32_t *first_rows;
	WaKeysStatus *status;
};

// Makes the words of the rows.  Any grid; deterministic.
__global__ void
wa_query_words_kernel(const __grid_constant__ WaQuerySorting args)
{
	uint32_t failed = 0;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
		args.words[i] =
			args.packing.seed != 0
				? wa_query_hash(args.packing, args.rows[i])
				: wa_query_pack(args.packing, args.rows[i], &failed);
	if (failed != 0)
		args.status->failed = 1;
}

// Marks the first row of each group among the sorted ones by 1, others by 0.
// Any grid; deterministic.
__global__ void
wa_query_heads_kernel(const __grid_constant__ WaQuerySorting args)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
	{
		const bool is_head = i == 0 || args.words[i] != args.words[i - 1];

		args.numbers[i] = is_head;
		if (!is_head && args.packing.seed != 0 &&
			!wa_query_same_keys(args.packing, args.rows[i], args.rows[i - 1]))
			args.status->failed = 1;
	}
}

// Stores where groups start, and the groups of rows; the marks have been added
// up.  Any grid; deterministic.
__global__ void
wa_query_starts_kernel(const __grid_constant__ WaQuerySorting args)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t number = args.numbers[i];
		const uint32_t row = args.rows[i];

		if (i == 0 || args.numbers[i - 1] != number)
		{
			args.starts[number - 1] = i;
			args.first_rows[number - 1] = row;
		}
		if (args.groups != NULL)
			args.groups[row] = number - 1;
		if (i == args.count - 1)
		{
			args.starts[number] = args.count;
			args.status->ngroups = number;
		}
	}
}

// Hashes that are tried, until one is different for all groups.
static const unsigned kHashes = 3;

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
							   : wa_keys_form_range(words->columns[i].form);
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
	WaQueryListing listing;

	for (unsigned i = 0; i < 2; i++)
	{
		sort.d_words[i] = wa_query_take<uint64_t>(&slot->d_pool, sort.nrows);
		sort.d_rows[i] = wa_query_take<uint32_t>(&slot->d_pool, sort.nrows);
	}
	listing = wa_query_start_listing(work, work->d_selection);
	wa_query_list_rows(work, &listing, sort.d_rows[0]);
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
	wa_query_start_sums(work, args.numbers, args.count);
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
