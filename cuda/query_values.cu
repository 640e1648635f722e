//
// query_values.cu
//		Values of the rows of each group, in their order; see query/values.h.
//
#include "query/values.h"

#include "query/value_sort.h"
#include "warp/shuffle.cuh"

// The word of -0, the one before that of 0.
static const uint64_t kMinusZero = kSign - 1;

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
	const WaQuerySorted sorted = wa_query_sort_values(work, d_groups, ngroups);
	uint32_t *d_distinct;

	if (work->query->values->nranks > 0)
		return find_ranks(work, sorted);
	d_distinct = take_zeros<uint32_t>(work, ngroups);
	if (sorted.count > 0)
		wa_query_launch(work, wa_query_distinct_kernel, sorted.count, 0, sorted,
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
