//
// query_value_sort.cu
//		Values of rows as words, sorted by group and word; see query/value_sort.h.
//
#include "query/value_sort.h"

#include "query/key.cuh"
#include "query/rows.h"
#include "query/sort.h"

// What the kernel that makes keys takes.
struct WaQueryKeysArgs
{
	WaKeyColumn column;
	WaQueryValueKind kind;
	const uint32_t *rows;
	uint32_t count;
	const uint32_t *groups; // of all rows; NULL: they are not part of keys
	unsigned word_bits;
	uint64_t base;
	uint64_t *keys;
};

// Returns the word of a row.
__device__ __forceinline__ uint64_t
wa_query_value_word(const WaQueryKeysArgs &args, uint32_t row)
{
	uint64_t bits;

	if (args.kind != WA_QUERY_FLOATS)
	{
		bits = wa_query_key_word(args.column, row).word;
		return args.kind == WA_QUERY_BOOLEANS ? bits : bits ^ kSign;
	}
	bits = (uint64_t) wa_query_float_bits(args.column, row);
	if ((bits & ~kSign) > (uint64_t) 0x7ff << 52)
		return ~(uint64_t) 0;
	return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Makes the keys of listed rows.  Any grid; deterministic.
__global__ void
wa_query_value_keys_kernel(const WaQueryKeysArgs args)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t row = args.rows[i];
		uint64_t key = wa_query_value_word(args, row) - args.base;

		if (args.groups != NULL)
			key |= (uint64_t) args.groups[row] << args.word_bits;
		args.keys[i] = key;
	}
}

// Makes keys of the groups of rows that are sorted by values.  Any grid; deterministic.
__global__ void
wa_query_group_keys_kernel(const uint32_t *rows, uint32_t count,
						   const uint32_t *groups, uint64_t *keys,
						   uint32_t *positions)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		 i += gridDim.x * blockDim.x)
	{
		keys[i] = groups[rows[i]];
		positions[i] = i;
	}
}

// Returns what the values of a source are; those of 128 bits are nothing for a GPU.
static WaQueryValueKind
kind_of(const WaQuerySource *source)
{
	switch (source->form)
	{
		case WA_COLUMN_I128:
			throw WaQueryError{cudaErrorNotSupported};
		case WA_COLUMN_F32:
		case WA_COLUMN_F64:
			return WA_QUERY_FLOATS;
		case WA_COLUMN_BITS:
			return WA_QUERY_BOOLEANS;
		default:
			return WA_QUERY_INTEGERS;
	}
}

// Returns how many bits numbers up to one have, at least one.
static unsigned
bits_of(uint64_t most)
{
	unsigned bits = 1;

	while (bits < 64 && most >> bits != 0)
		bits++;
	return bits;
}

// Finds out how many bits the words of a source have, above a base, which is stored.
static unsigned
word_bits_of(const WaQuerySource *source, WaQueryValueKind kind, uint64_t *base)
{
	WaKeyRange range;

	*base = 0;
	if (kind == WA_QUERY_BOOLEANS)
		return 1;
	if (kind == WA_QUERY_FLOATS)
		return 64;
	if (!wa_query_key_range(source, &range))
		range = wa_keys_form_range(source->form);
	*base = (uint64_t) range.smallest ^ kSign;
	return bits_of((uint64_t) range.largest - (uint64_t) range.smallest);
}

// Sorts pairs of keys, of so many bits, and rows; the arrays that have them are stored.
static void
sort(WaQueryWork *work, uint64_t *d_keys, uint32_t *d_rows, uint32_t count,
	 unsigned bits, const uint64_t **d_sorted_keys,
	 const uint32_t **d_sorted_rows)
{
	WaQuerySlot *slot = work->slot;
	WaQuerySort pairs = {};
	size_t bytes = 0;
	unsigned char *d_temporary;

	pairs.nrows = count;
	pairs.end_bit = (int) bits;
	pairs.d_words[0] = d_keys;
	pairs.d_words[1] = wa_query_take<uint64_t>(&slot->d_pool, count);
	pairs.d_rows[0] = d_rows;
	pairs.d_rows[1] = wa_query_take<uint32_t>(&slot->d_pool, count);
	wa_query_check(wa_query_sort(&pairs, NULL, &bytes, slot->stream));
	d_temporary = wa_query_take<unsigned char>(&slot->d_pool, bytes);
	wa_query_check(wa_query_sort(&pairs, d_temporary, &bytes, slot->stream));
	*d_sorted_keys = pairs.d_words[pairs.sorted_words];
	*d_sorted_rows = pairs.d_rows[pairs.sorted_rows];
}

// Sorts what has been sorted by values by groups.
static void
sort_groups(WaQueryWork *work, const uint32_t *d_groups, const uint32_t *d_rows,
			WaQuerySorted *sorted)
{
	WaQueryPool *pool = &work->slot->d_pool;
	uint64_t *d_keys = wa_query_take<uint64_t>(pool, sorted->count);
	uint32_t *d_positions = wa_query_take<uint32_t>(pool, sorted->count);

	wa_query_launch(work, wa_query_group_keys_kernel, sorted->count, 0, d_rows,
					sorted->count, d_groups, d_keys, d_positions);
	sorted->words = sorted->keys;
	sort(work, d_keys, d_positions, sorted->count, bits_of(sorted->ngroups),
		 &sorted->keys, &sorted->positions);
}

WaQuerySorted
wa_query_sort_values(WaQueryWork *work, const uint32_t *d_groups,
					 uint32_t ngroups)
{
	WaQueryPool *pool = &work->slot->d_pool;
	const uint64_t *d_valid = wa_query_find_valid(work, &work->values);
	WaQueryListing listing;
	const uint32_t count = wa_query_count_rows(work, d_valid, &listing);
	WaQuerySorted sorted = {};
	const WaQueryValueKind kind = kind_of(&work->values);
	const unsigned bits = word_bits_of(&work->values, kind, &sorted.base);
	const unsigned group_bits = d_groups == NULL ? 0 : bits_of(ngroups);
	const bool at_once = d_groups == NULL || bits + group_bits <= 64;
	WaQueryKeysArgs args = {};
	uint32_t *d_rows;
	const uint32_t *d_sorted_rows;

	sorted.kind = kind;
	sorted.count = count;
	sorted.ngroups = ngroups;
	if (count == 0)
		return sorted;
	d_rows = wa_query_take<uint32_t>(pool, count);
	args.column = wa_query_key_column(&work->values);
	args.kind = kind;
	args.rows = d_rows;
	args.count = count;
	wa_query_list_rows(work, &listing, d_rows);
	args.groups = at_once ? d_groups : NULL;
	args.word_bits = bits;
	args.base = sorted.base;
	args.keys = wa_query_take<uint64_t>(pool, count);
	wa_query_launch(work, wa_query_value_keys_kernel, count, 0, args);
	sort(work, args.keys, d_rows, count, at_once ? bits + group_bits : bits,
		 &sorted.keys, &d_sorted_rows);
	if (at_once && d_groups != NULL)
		sorted.word_bits = bits;
	else if (!at_once)
		sort_groups(work, d_groups, d_sorted_rows, &sorted);
	return sorted;
}
