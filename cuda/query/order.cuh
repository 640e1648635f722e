//
// order.cuh
//		Where groups come in an order, and which of them come first.
//
// What a group is ordered by is an integer of up to 94 bits, or of 64 more, or NULL.
// Its place is made of one word, or, if it has more bits than that, of two or three:
// groups come in the order of these words.
//
#ifndef WA_CUDA_QUERY_ORDER_CUH
#define WA_CUDA_QUERY_ORDER_CUH

#include "block/shared.cuh"
#include "core/int128.h"
#include "group/extreme.cuh"
#include "query/key.cuh"
#include "query/order.h"
#include "warp/broadcast.cuh"

// An integer: what it has above its lowest 64 bits, and these, if it is wide; else all
// of it is in `high`.
struct WaQueryNumber
{
	__int128 high;
	uint64_t low;
};

// Which word of a place.
enum WaQueryPlaceWord
{
	WA_QUERY_FIRST_WORD,
	WA_QUERY_SECOND_WORD, // there may be none
	WA_QUERY_WIDE_WORD    // likewise
};

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
wa_query_table_sum(const uint64_t *wide, unsigned nwide, uint32_t ngroups,
				   uint32_t group)
{
	__int128 sum = 0;

	for (unsigned i = nwide; i-- > 0;)
		sum = sum * ((__int128) 1 << 32) +
			  (int64_t) wide[(size_t) i * ngroups + group];
	return sum;
}

// Returns a number of 128 bits, without its lowest bits.
__device__ __forceinline__ WaQueryNumber
wa_query_wide_number(__int128 number, unsigned without)
{
	number >>= without;
	return {number >> 64, (uint64_t) number};
}

// Returns the sum that a table has of a group.
__device__ __forceinline__ WaQueryNumber
wa_query_sum_number(const WaQueryOrder &order, uint32_t group)
{
	const __int128 sum =
		wa_query_table_sum(order.wide, order.nwide, order.ngroups, group);

	return order.is_wide ? wa_query_wide_number(sum, 0) : WaQueryNumber{sum, 0};
}

// Returns the sum of a group's halves, of which the low ones are less 2^63.
__device__ __forceinline__ WaQueryNumber
wa_query_halves_number(const WaQueryOrder &order, uint32_t group)
{
	const __int128 low =
		wa_query_table_sum(order.wide, order.nwide, order.ngroups, group) +
		((__int128) order.narrow[group] << 63);
	const __int128 high = wa_query_table_sum(order.high_wide, order.high_nwide,
											 order.ngroups, group);

	return {high + (low >> 64), (uint64_t) low};
}

// Returns the key of an extreme, those of 0 and -0 being one (group/extreme.cuh).
template <typename Key>
__device__ __forceinline__ Key
wa_query_extreme_key(const WaQueryOrder &order, Key key)
{
	constexpr Key kZero = (Key) 1 << (8 * sizeof(Key) - 1);

	key = order.is_turned ? (Key) ~key : key;
	return order.is_float && key == kZero - 1 ? kZero : key;
}

// Returns the extreme that a table has of a group.
__device__ __forceinline__ WaQueryNumber
wa_query_extreme_number(const WaQueryOrder &order, uint32_t group)
{
	uint64_t low;
	int64_t high;

	if (order.nwide == 0)
		return {(int64_t) wa_query_extreme_key(
					order, order.narrow[(size_t) order.ngroups + group]),
				0};
	high = (int64_t) (wa_query_extreme_key(order, order.wide[group]) ^
					  (uint64_t) 1 << 63);
	if (!order.is_wide)
		return {high, 0};
	low =
		wa_query_extreme_key(order, order.wide[(size_t) order.ngroups + group]);
	return wa_query_wide_number(wa_int128_get({low, high}), order.look_bits);
}

// Returns the key that a group is ordered by.
__device__ __forceinline__ WaQueryNumber
wa_query_key_number(const WaQueryOrder &order, uint32_t group, bool *is_null)
{
	const uint32_t row = order.first_rows[group];
	const WaQueryWord key = wa_query_key_word(order.key, row);

	*is_null = key.is_null;
	if (order.is_wide)
		return {key.is_null ? 0 : (int64_t) wa_query_half(order.key, row, 1),
				key.word};
	return {wa_query_key_order(order.key, key.word), 0};
}

// Finds what a group is ordered by; false if that is NULL.
__device__ __forceinline__ bool
wa_query_order_number(const WaQueryOrder &order, uint32_t group,
					  WaQueryNumber *number)
{
	bool is_null;

	switch (order.of)
	{
		case WA_QUERY_ORDER_KEY:
			*number = wa_query_key_number(order, group, &is_null);
			return !is_null;
		case WA_QUERY_ORDER_STARTS:
			*number = {order.starts[group + 1] - order.starts[group], 0};
			return true;
		case WA_QUERY_ORDER_ROWS:
			*number = {order.narrow[group], 0};
			return true;
		case WA_QUERY_ORDER_SUM:
			*number = wa_query_sum_number(order, group);
			return order.narrow[group] != 0;
		case WA_QUERY_ORDER_HALVES:
			*number = wa_query_halves_number(order, group);
			return order.narrow[group] != 0;
		default:
			*number = wa_query_extreme_number(order, group);
			return order.narrow[group] != 0;
	}
}

// Returns a word of a group's place.  First words of integers have 63 bits at most,
// so that those of NULL come before or behind all others.
__device__ __forceinline__ unsigned long long
wa_query_place(const WaQueryOrder &order, WaQueryPlaceWord of, uint32_t group)
{
	WaQueryNumber number = {0, 0};
	unsigned long long word;

	if (!wa_query_order_number(order, group, &number))
		return order.nulls_first || of != WA_QUERY_FIRST_WORD ? 0 : ~0ull;
	if (of == WA_QUERY_FIRST_WORD)
		word = (unsigned long long) (number.high >> order.low_bits) ^ 1ull
																		  << 63;
	else if (of == WA_QUERY_SECOND_WORD)
		word = (unsigned long long) number.high &
			   (((unsigned long long) 1 << order.low_bits) - 1);
	else
		word = number.low;
	return order.descending ? ~word : word;
}

// What the kernels take: some groups, with their places.
struct WaQueryPlaces
{
	WaQueryOrder order;
	WaQueryPlaceWord of;
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
			args.order, args.of, wa_query_chosen(args.choice, i));

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
