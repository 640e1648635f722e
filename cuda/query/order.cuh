//
// order.cuh
//		Where groups come in an order, and which of them come first.
//
// What a group is ordered by is an integer of up to 94 bits, or NULL.  Its place
// is made of one word, or, if it has more bits than that, of a high and a low
// one: groups come in the order of these words.
//
#ifndef WA_CUDA_QUERY_ORDER_CUH
#define WA_CUDA_QUERY_ORDER_CUH

#include "block/shared.cuh"
#include "core/int128.h"
#include "group/extreme.cuh"
#include "query/key.cuh"
#include "query/order.h"
#include "warp/broadcast.cuh"

// Returns the integer of a key: the bits of floats are put in their order.
__device__ __forceinline__ int64_t
wa_query_key_order(const WaKeyColumn &column, uint64_t word)
{
	double number;

	if (column.form != WA_COLUMN_F32 && column.form != WA_COLUMN_F64)
		return (int64_t) word;
	memcpy(&number, &word, sizeof(number));
	return (int64_t) (wa_group_key(number) ^ 1ull << 63);
}

// Returns the sum that a table has of a group: its words, not carried.
__device__ __forceinline__ __int128
wa_query_table_sum(const WaQueryOrder &order, uint32_t group)
{
	__int128 sum = 0;

	for (unsigned i = order.nwide; i-- > 0;)
		sum = sum * ((__int128) 1 << 32) +
			  (int64_t) order.wide[(size_t) i * order.ngroups + group];
	return sum;
}

// Returns the extreme that a table has of a group.
__device__ __forceinline__ int64_t
wa_query_table_extreme(const WaQueryOrder &order, uint32_t group)
{
	if (order.nwide == 0)
	{
		const uint32_t key = order.narrow[(size_t) order.ngroups + group];

		return (int64_t) (order.is_turned ? ~key : key);
	}
	return (
		int64_t) ((order.is_turned ? ~order.wide[group] : order.wide[group]) ^
				  (uint64_t) 1 << 63);
}

// Finds what a group is ordered by; false if that is NULL.
__device__ __forceinline__ bool
wa_query_order_number(const WaQueryOrder &order, uint32_t group,
					  __int128 *number)
{
	switch (order.of)
	{
		case WA_QUERY_ORDER_KEY:
		{
			const WaQueryWord key =
				wa_query_key_word(order.key, order.first_rows[group]);

			*number = wa_query_key_order(order.key, key.word);
			return !key.is_null;
		}
		case WA_QUERY_ORDER_STARTS:
			*number = order.starts[group + 1] - order.starts[group];
			return true;
		case WA_QUERY_ORDER_ROWS:
			*number = order.narrow[group];
			return true;
		case WA_QUERY_ORDER_SUM:
			*number = wa_query_table_sum(order, group);
			return order.narrow[group] != 0;
		default:
			*number = wa_query_table_extreme(order, group);
			return order.narrow[group] != 0;
	}
}

// Returns the high or the low word of a group's place.  High words of integers
// have 63 bits at most, so that those of NULL come before or behind all others.
__device__ __forceinline__ unsigned long long
wa_query_place(const WaQueryOrder &order, bool is_low, uint32_t group)
{
	__int128 number = 0;
	unsigned long long word;

	if (!wa_query_order_number(order, group, &number))
		return order.nulls_first || is_low ? 0 : ~0ull;
	if (is_low)
		word = (unsigned long long) number &
			   (((unsigned long long) 1 << order.low_bits) - 1);
	else
		word = (unsigned long long) (number >> order.low_bits) ^ 1ull << 63;
	return order.descending ? ~word : word;
}

// What the kernels take: some groups, with their places.
struct WaQueryPlaces
{
	WaQueryOrder order;
	bool is_low;
	WaQueryChoice choice;
	unsigned long long *places;
	unsigned long long *range; // the smallest and the largest of them
	// Of the places, the bits from `shift` on that `mask` has are a bucket's
	// number.
	unsigned shift;
	uint32_t mask;
	uint32_t *buckets; // groups of each, 0 at first
	// Groups of the buckets before `last` are wanted; those of it are left.
	uint32_t last;
	unsigned *nwanted; // how many were added to each list
	unsigned *nleft;
	uint32_t *wanted;
	uint32_t *left;
	unsigned long long *left_places;
};

// Finds the places and their range.  Any grid of whole warps; deterministic.
__global__ void
wa_query_places_kernel(const __grid_constant__ WaQueryPlaces args)
{
	unsigned long long smallest = ~0ull;
	unsigned long long largest = 0;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i < args.choice.count; i += gridDim.x * blockDim.x)
	{
		const unsigned long long place = wa_query_place(
			args.order, args.is_low, wa_query_chosen(args.choice, i));

		args.places[i] = place;
		smallest = min(smallest, place);
		largest = max(largest, place);
	}
	for (unsigned lanes = kWarpLanes / 2; lanes > 0; lanes /= 2)
	{
		smallest =
			min(smallest, __shfl_xor_sync(kFullMask, smallest, (int) lanes));
		largest =
			max(largest, __shfl_xor_sync(kFullMask, largest, (int) lanes));
	}
	if (wa_warp_lane() != 0)
		return;
	atomicMin(&args.range[0], smallest);
	atomicMax(&args.range[1], largest);
}

// Counts the groups of each bucket.  Any grid; a counter for each bucket in
// dynamic shared memory; deterministic.
__global__ void
wa_query_buckets_kernel(const __grid_constant__ WaQueryPlaces args)
{
	uint32_t *counts = &wa_block_shared<uint32_t>();

	for (uint32_t i = threadIdx.x; i <= args.mask; i += blockDim.x)
		counts[i] = 0;
	__syncthreads();
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i < args.choice.count; i += gridDim.x * blockDim.x)
		atomicAdd(
			&counts[(uint32_t) (args.places[i] >> args.shift) & args.mask], 1u);
	__syncthreads();
	for (uint32_t i = threadIdx.x; i <= args.mask; i += blockDim.x)
		if (counts[i] != 0)
			atomicAdd(&args.buckets[i], counts[i]);
}

// Lists the groups that are wanted and those that are left.  Any grid of whole
// warps; the order of the lists is not deterministic.
__global__ void
wa_query_split_kernel(const __grid_constant__ WaQueryPlaces args)
{
	const unsigned lane = wa_warp_lane();

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i - lane < args.choice.count; i += gridDim.x * blockDim.x)
	{
		const bool exists = i < args.choice.count;
		const unsigned long long place = exists ? args.places[i] : 0;
		const uint32_t bucket = (uint32_t) (place >> args.shift) & args.mask;
		const bool is_wanted = exists && bucket < args.last;
		const bool is_left = exists && bucket == args.last;
		const unsigned to = wa_warp_take_slots(args.nwanted, is_wanted);
		const unsigned to_left = wa_warp_take_slots(args.nleft, is_left);

		if (is_wanted)
			args.wanted[to] = wa_query_chosen(args.choice, i);
		if (is_left)
		{
			args.left[to_left] = wa_query_chosen(args.choice, i);
			args.left_places[to_left] = place;
		}
	}
}

// What the kernel of existing groups takes.
struct WaQueryExisting
{
	const uint32_t *first_rows;
	uint32_t ngroups;
	unsigned *count;
	uint32_t *groups;
};

// Lists the groups that have rows.  Any grid of whole warps; the order of the
// list is not deterministic.
__global__ void
wa_query_existing_kernel(const WaQueryExisting args)
{
	const unsigned lane = wa_warp_lane();

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
		 i - lane < args.ngroups; i += gridDim.x * blockDim.x)
	{
		const bool exists =
			i < args.ngroups && args.first_rows[i] != WA_KEYS_NO_GROUP;
		const unsigned to = wa_warp_take_slots(args.count, exists);

		if (exists)
			args.groups[to] = i;
	}
}

// Copies the numbers of groups behind others.  Any grid; deterministic.
__global__ void
wa_query_append_kernel(const WaQueryChoice choice, uint32_t *to)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < choice.count;
		 i += gridDim.x * blockDim.x)
		to[i] = wa_query_chosen(choice, i);
}

#endif // WA_CUDA_QUERY_ORDER_CUH
