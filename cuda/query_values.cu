//
// query_values.cu
//		Values of the rows of each group, in their order; see query/values.h.
//
// Values become words that have their order.  Where group and value have room in 64 bits
// together, they are sorted at once; else values are sorted first, and then, stably, groups.
//
#include "query/values.h"

#include "query/key.cuh"
#include "query/rows.h"
#include "query/sort.h"
#include "warp/shuffle.cuh"

static const uint64_t kSign = (uint64_t) 1 << 63;

// The word of -0, the one before that of 0.
static const uint64_t kMinusZero = kSign - 1;

// What values are.
enum WaQueryValueKind
{
	WA_QUERY_INTEGERS,
	WA_QUERY_BOOLEANS,
	WA_QUERY_FLOATS
};

// Sorted values with their groups.
struct WaQuerySorted
{
	WaQueryValueKind kind;
	uint32_t count;
	uint32_t ngroups;
	unsigned word_bits;    // of keys: group and word; 0: keys are one of both
	uint64_t base;         // that has been taken from words
	const uint64_t *keys;  // ascending; or groups, of which:
	const uint64_t *words; // the words, by the
	const uint32_t *positions; // positions of the rows there; or NULL
};

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

// Returns the group, and the word, of an element.
__device__ __forceinline__ uint32_t
wa_query_group_at(const WaQuerySorted &sorted, uint32_t i)
{
	if (sorted.positions != NULL)
		return (uint32_t) sorted.keys[i];
	return sorted.word_bits == 0
			   ? 0
			   : (uint32_t) (sorted.keys[i] >> sorted.word_bits);
}

__device__ __forceinline__ uint64_t
wa_query_word_at(const WaQuerySorted &sorted, uint32_t i)
{
	uint64_t word = sorted.keys[i];

	if (sorted.positions != NULL)
		word = sorted.words[sorted.positions[i]];
	else if (sorted.word_bits != 0)
		word &= ((uint64_t) 1 << sorted.word_bits) - 1;
	return word + sorted.base;
}

// Tells whether an element has the same group as the one before it, and an equal value.
__device__ __forceinline__ bool
wa_query_is_same(const WaQuerySorted &sorted, uint32_t i)
{
	const uint64_t word = wa_query_word_at(sorted, i);
	const uint64_t before = wa_query_word_at(sorted, i - 1);

	return wa_query_group_at(sorted, i) == wa_query_group_at(sorted, i - 1) &&
		   (word == before || (sorted.kind == WA_QUERY_FLOATS &&
							   before == kMinusZero && word == kSign));
}

// Tells whether an element is the first of its value.
__device__ __forceinline__ bool
wa_query_is_first(const WaQuerySorted &sorted, uint32_t i)
{
	return i == 0 || !wa_query_is_same(sorted, i);
}

// Counts the values of each group.  Any grid of whole warps; deterministic.
__global__ void
wa_query_distinct_kernel(const WaQuerySorted sorted, uint32_t *distinct)
{
	const unsigned lane = wa_warp_lane();

	for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane;
		 first < sorted.count; first += gridDim.x * blockDim.x)
	{
		const uint32_t last = min(first + kWarpLanes, sorted.count) - 1;
		const uint32_t i = first + lane;
		const bool counts = i <= last && wa_query_is_first(sorted, i);
		const unsigned counting = __ballot_sync(kFullMask, (int) counts);
		const uint32_t group = wa_query_group_at(sorted, min(i, last));

		// Mostly all lanes have one group.
		if (wa_query_group_at(sorted, first) == wa_query_group_at(sorted, last))
		{
			if (lane == 0 && counting != 0)
				atomicAdd(&distinct[group], (uint32_t) __popc(counting));
		}
		else if (counts)
			atomicAdd(&distinct[group], 1u);
	}
}

// Returns the first element whose group is not below one.
__device__ __forceinline__ uint32_t
wa_query_begin_of(const WaQuerySorted &sorted, uint32_t group)
{
	uint32_t begin = 0;
	uint32_t end = sorted.count;

	while (begin < end)
	{
		const uint32_t middle = begin + (end - begin) / 2;

		if (wa_query_group_at(sorted, middle) < group)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

// Returns the element behind those that are the same as one: looks ever further ahead.
__device__ __forceinline__ uint32_t
wa_query_end_of(const WaQuerySorted &sorted, uint32_t first)
{
	const uint32_t group = wa_query_group_at(sorted, first);
	uint64_t word = wa_query_word_at(sorted, first);
	uint32_t same = first; // the last one that is known to be
	uint32_t step = 1;
	uint32_t other;

	if (sorted.kind == WA_QUERY_FLOATS && word == kMinusZero)
		word = kSign;
	while (same + step < sorted.count &&
		   wa_query_group_at(sorted, same + step) == group &&
		   wa_query_word_at(sorted, same + step) <= word)
	{
		same += step;
		step *= 2;
	}
	other = min(same + step, sorted.count);
	while (other - same > 1)
	{
		const uint32_t middle = same + (other - same) / 2;

		if (wa_query_group_at(sorted, middle) == group &&
			wa_query_word_at(sorted, middle) <= word)
			same = middle;
		else
			other = middle;
	}
	return other;
}

// Finds the longest run of equal values of each group, as its length, and its place: of
// several the first one, or the last one if they descend.  Any grid; deterministic.
__global__ void
wa_query_mode_kernel(const WaQuerySorted sorted, uint32_t descends,
					 unsigned long long *modes)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < sorted.count;
		 i += gridDim.x * blockDim.x)
	{
		uint32_t end;

		if (!wa_query_is_first(sorted, i))
			continue;
		end = wa_query_end_of(sorted, i);
		atomicMax(&modes[wa_query_group_at(sorted, i)],
				  (unsigned long long) (end - i) << 32 |
					  (descends != 0 ? end : ~end));
	}
}

// Operations on doubles that are rounded one by one, as processors do.
__device__ __forceinline__ double
wa_query_product(double a, double b)
{
#ifdef __CUDA_ARCH__
	return __dmul_rn(a, b);
#else
	return a * b;
#endif
}

__device__ __forceinline__ double
wa_query_sum(double a, double b)
{
#ifdef __CUDA_ARCH__
	return __dadd_rn(a, b);
#else
	return a + b;
#endif
}

// Returns the value of a word as a key has it.
__device__ __forceinline__ int64_t
wa_query_value_of(WaQueryValueKind kind, uint64_t word)
{
	if (kind == WA_QUERY_BOOLEANS)
		return (int64_t) word;
	if (kind == WA_QUERY_INTEGERS)
		return (int64_t) (word ^ kSign);
	return (int64_t) ((word & kSign) != 0 ? word ^ kSign : ~word);
}

__device__ __forceinline__ double
wa_query_double_of(uint64_t word)
{
	const int64_t bits = wa_query_value_of(WA_QUERY_FLOATS, word);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

// What the kernel that finds ranks takes.
struct WaQueryRanksArgs
{
	WaQuerySorted sorted;
	const WaQueryRank *ranks;
	uint32_t nranks;
	uint32_t descends;
	const unsigned long long *modes;
	int64_t *values;
	uint8_t *are_there;
};

// Returns the word of a row of elements begin to end - 1, in the order that is wanted.
__device__ __forceinline__ uint64_t
wa_query_word_in_order(const WaQueryRanksArgs &args, uint32_t begin,
					   uint32_t end, double row)
{
	const uint32_t place = (uint32_t) row;

	return wa_query_word_at(args.sorted, args.descends != 0 ? end - 1 - place
															: begin + place);
}

// Returns what lies at a fraction of elements begin to end - 1, as PostgreSQL finds it.
__device__ __forceinline__ int64_t
wa_query_percentile(const WaQueryRanksArgs &args, const WaQueryRank &rank,
					uint32_t begin, uint32_t end)
{
	const double rows = (double) (end - begin);
	double exact;
	double low;
	double high;
	double share;
	int64_t bits;

	if (rank.kind == WA_QUERY_RANK_DISC)
	{
		exact = ceil(wa_query_product(rank.fraction, rows));
		return wa_query_value_of(
			args.sorted.kind, wa_query_word_in_order(
								  args, begin, end, exact < 1 ? 0 : exact - 1));
	}
	exact = wa_query_product(rank.fraction, rows - 1);
	share = wa_query_sum(exact, -floor(exact));
	low = wa_query_double_of(
		wa_query_word_in_order(args, begin, end, floor(exact)));
	if (ceil(exact) > floor(exact))
	{
		high = wa_query_double_of(
			wa_query_word_in_order(args, begin, end, ceil(exact)));
		low = wa_query_sum(low,
						   wa_query_product(share, wa_query_sum(high, -low)));
	}
	memcpy(&bits, &low, sizeof(bits));
	return bits;
}

// Finds the ranks of each group.  Any grid; deterministic.
__global__ void
wa_query_ranks_kernel(const WaQueryRanksArgs args)
{
	const uint32_t count = args.sorted.ngroups * args.nranks;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t group = i / args.nranks;
		const WaQueryRank rank = args.ranks[i % args.nranks];
		const uint32_t begin = wa_query_begin_of(args.sorted, group);
		const uint32_t end = wa_query_begin_of(args.sorted, group + 1);

		args.are_there[i] = begin < end;
		args.values[i] = 0;
		if (begin == end)
			continue;
		if (rank.kind == WA_QUERY_RANK_MODE)
		{
			const uint32_t place = (uint32_t) args.modes[group];

			args.values[i] = wa_query_value_of(
				args.sorted.kind,
				wa_query_word_at(args.sorted,
								 (args.descends != 0 ? place : ~place) - 1));
		}
		else
			args.values[i] = wa_query_percentile(args, rank, begin, end);
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

// Sorts the values of so many listed rows.
static WaQuerySorted
sort_values(WaQueryWork *work, const WaQueryListing *listing, uint32_t count,
			const uint32_t *d_groups, uint32_t ngroups)
{
	WaQueryPool *pool = &work->slot->d_pool;
	WaQuerySorted sorted = {};
	const WaQueryValueKind kind = kind_of(&work->values);
	const unsigned bits = word_bits_of(&work->values, kind, &sorted.base);
	const unsigned group_bits = d_groups == NULL ? 0 : bits_of(ngroups);
	const bool at_once = d_groups == NULL || bits + group_bits <= 64;
	uint32_t *d_rows = wa_query_take<uint32_t>(pool, count);
	WaQueryKeysArgs args = {};
	const uint32_t *d_sorted_rows;

	sorted.kind = kind;
	sorted.count = count;
	sorted.ngroups = ngroups;
	args.column = wa_query_key_column(&work->values);
	args.kind = kind;
	args.rows = d_rows;
	args.count = count;
	wa_query_list_rows(work, listing, d_rows);
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

// Takes device memory of zeros.
template <typename Element>
static Element *
take_zeros(WaQueryWork *work, size_t count)
{
	Element *d_memory = wa_query_take<Element>(&work->slot->d_pool, count);

	wa_query_check(cudaMemsetAsync(d_memory, 0, count * sizeof(Element),
								   work->slot->stream));
	return d_memory;
}

// Starts a copy to pinned memory, which it returns.
template <typename Element>
static Element *
fetch(WaQueryWork *work, const Element *d_from, size_t count)
{
	Element *to = wa_query_take<Element>(&work->slot->pool, count);

	wa_query_fetch(work->slot, to, d_from, count);
	return to;
}

// Starts to find the ranks of sorted values.
static WaQueryFound
find_ranks(WaQueryWork *work, const WaQuerySorted &sorted)
{
	const WaCudaValues *wanted = work->query->values;
	const size_t count = (size_t) sorted.ngroups * wanted->nranks;
	unsigned long long *d_modes =
		take_zeros<unsigned long long>(work, sorted.ngroups);
	WaQueryRank *d_ranks =
		wa_query_take<WaQueryRank>(&work->slot->d_pool, wanted->nranks);
	WaQueryRank *ranks =
		wa_query_take<WaQueryRank>(&work->slot->pool, wanted->nranks);
	const WaQueryRanksArgs args = {sorted,
								   d_ranks,
								   wanted->nranks,
								   wanted->descends,
								   d_modes,
								   take_zeros<int64_t>(work, count),
								   take_zeros<uint8_t>(work, count)};

	std::copy(wanted->ranks, wanted->ranks + wanted->nranks, ranks);
	wa_query_send(work->slot, d_ranks, ranks, wanted->nranks);
	if (std::any_of(ranks, ranks + wanted->nranks,
					[](const WaQueryRank &rank)
					{ return rank.kind == WA_QUERY_RANK_MODE; }))
		wa_query_launch(work, wa_query_mode_kernel, sorted.count, 0, sorted,
						wanted->descends, d_modes);
	wa_query_launch(work, wa_query_ranks_kernel, count, 0, args);
	return {NULL, fetch(work, args.values, count),
			fetch(work, args.are_there, count)};
}

WaQueryFound
wa_query_find_values(WaQueryWork *work, const uint32_t *d_groups,
					 uint32_t ngroups)
{
	const uint64_t *d_valid = wa_query_find_valid(work, &work->values);
	WaQueryListing listing;
	const uint32_t count = wa_query_count_rows(work, d_valid, &listing);
	WaQuerySorted sorted = {};
	uint32_t *d_distinct;

	sorted.ngroups = ngroups;
	if (count > 0)
		sorted = sort_values(work, &listing, count, d_groups, ngroups);
	if (work->query->values->nranks > 0)
		return find_ranks(work, sorted);
	d_distinct = take_zeros<uint32_t>(work, ngroups);
	if (count > 0)
		wa_query_launch(work, wa_query_distinct_kernel, count, 0, sorted,
						d_distinct);
	return {fetch(work, d_distinct, ngroups), NULL, NULL};
}

size_t
wa_query_count_found(const WaCudaQuery *query)
{
	if (query->values == NULL)
		return 0;
	return query->values->nranks == 0 ? 1 : query->values->nranks;
}

void
wa_query_add_found(const WaQueryWork *work, const WaQueryFound *found,
				   uint32_t group, WaCudaCell *cells)
{
	const size_t count = wa_query_count_found(work->query);

	cells += work->sources.size();
	for (size_t i = 0; i < count; i++)
	{
		const size_t number = group * count + i;
		WaPartial *partial = &cells[i].partial;

		cells[i] = {};
		wa_partial_init(partial, NULL);
		if (found->distinct != NULL)
			partial->rows = found->distinct[group];
		else if (found->are_there[number] != 0)
		{
			partial->rows = 1;
			partial->min.u = (uint64_t) found->values[number];
		}
	}
}
