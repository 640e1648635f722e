//
// query_order.cu
//		Choosing the first groups of an order; see query/order.h.
//
// A radix select over the words of places: the groups are split into buckets by
// some bits of a word; those of the buckets before the one in which the limit
// falls are wanted, and the groups of that one are split further.
//
#include "query/order.h"

#include <algorithm>

#include "query/order.cuh"

// Numbers of groups are not chosen among up to here, and as many more than the
// limit may be handed over where that saves a step.  Tests set both lower.
#ifndef WA_QUERY_FEW_GROUPS
#define WA_QUERY_FEW_GROUPS 4096
#endif
#ifndef WA_QUERY_MORE_GROUPS
#define WA_QUERY_MORE_GROUPS 512
#endif

// Bits of a bucket's number.
constexpr unsigned kBucketBits = 11;
constexpr unsigned kBuckets = 1u << kBucketBits;

// Bits of a second word: of sums, and of other numbers of 64 bits.  What is left has 62
// bits.
static const unsigned kLowBitsOfSums = 32;
static const unsigned kLowBits = 2;
static const int kHighBits = 62;

// What kernels and host tell each other.
struct Control
{
	unsigned long long range[2];
	unsigned nwanted;
	unsigned nleft;
	uint32_t buckets[kBuckets];
};

// A choice that is under way.
struct Choosing
{
	WaQueryWork *work;
	const WaQueryNumbers *numbers;
	Control *d_control;
	Control *control; // in pinned memory
	uint32_t *d_wanted;
	uint32_t most; // groups to be had at most
	uint32_t nwanted;
	WaQueryChoice left; // all of them are equal so far
	unsigned long long *d_places;
	// Where the next ones go that are left, with room for so many.
	uint32_t *d_next;
	unsigned long long *d_next_places;
	uint32_t next_room;
};

bool
wa_query_chooses(const WaQueryWork *work, const WaQueryNumbers *numbers)
{
	return work->limit > 0 && numbers->ngroups > WA_QUERY_FEW_GROUPS;
}

// Sends what the host has to tell; the counter of wanted groups goes on.
static void
send_control(Choosing *choosing)
{
	Control *control = choosing->control;

	*control = {};
	control->range[0] = ~0ull;
	control->nwanted = choosing->nwanted;
	wa_query_send(choosing->work->slot, choosing->d_control, control, 1);
}

// Waits for what the kernels have to tell.
static void
receive_control(Choosing *choosing)
{
	WaQuerySlot *slot = choosing->work->slot;

	wa_query_fetch(slot, choosing->control, choosing->d_control, 1);
	wa_query_slot_wait(slot);
}

// Begins with all groups that there are.
static void
find_existing(Choosing *choosing)
{
	const WaQueryNumbers *numbers = choosing->numbers;
	WaQueryExisting args = {numbers->d_first_rows, numbers->ngroups,
							&choosing->d_control->nleft, NULL};

	choosing->left = {NULL, numbers->ngroups};
	if (!numbers->has_holes)
		return;
	args.groups = wa_query_take<uint32_t>(&choosing->work->slot->d_pool,
										  numbers->ngroups);
	send_control(choosing);
	wa_query_launch(choosing->work, wa_query_existing_kernel, args.ngroups, 0,
					args);
	receive_control(choosing);
	choosing->left = {args.groups, choosing->control->nleft};
}

// Makes room for so many groups that are left.
static void
make_room(Choosing *choosing, uint32_t count)
{
	WaQueryPool *pool = &choosing->work->slot->d_pool;

	if (choosing->next_room >= count)
		return;
	choosing->d_next = wa_query_take<uint32_t>(pool, count);
	choosing->d_next_places = wa_query_take<unsigned long long>(pool, count);
	choosing->next_room = count;
}

// Returns how many groups are to be had still.
static uint32_t
missing(const Choosing *choosing)
{
	const uint64_t limit = choosing->work->limit;

	return (uint32_t) std::min(limit - choosing->nwanted,
							   (uint64_t) choosing->left.count);
}

// Tells whether all groups that are left may be handed over.
static bool
is_settled(const Choosing *choosing)
{
	return choosing->left.count <= missing(choosing) + WA_QUERY_MORE_GROUPS;
}

// Splits the groups that are left by the bits of their places from args->shift
// on.
static void
split(Choosing *choosing, WaQueryPlaces *args)
{
	const uint32_t *buckets = choosing->control->buckets;
	const uint32_t count = choosing->left.count;
	const uint32_t wanted = missing(choosing);
	uint32_t before = 0;

	send_control(choosing);
	args->choice = choosing->left;
	args->places = choosing->d_places;
	args->last = 0;
	wa_query_launch(choosing->work, wa_query_buckets_kernel, count,
					kBuckets * sizeof(uint32_t), *args);
	receive_control(choosing);
	while (before + buckets[args->last] < wanted)
		before += buckets[args->last++];
	if (choosing->nwanted + before > choosing->most)
		throw WaQueryError{cudaErrorNotSupported};
	if (buckets[args->last] == count)
		return;
	make_room(choosing, buckets[args->last]);
	args->left = choosing->d_next;
	args->left_places = choosing->d_next_places;
	wa_query_launch(choosing->work, wa_query_split_kernel, count, 0, *args);
	// What was read may be written over by the next split, if it has room.
	choosing->nwanted += before;
	choosing->d_next = const_cast<uint32_t *>(choosing->left.d_groups);
	choosing->d_next_places = choosing->d_places;
	choosing->next_room = choosing->d_next != NULL ? count : 0;
	choosing->left = {args->left, buckets[args->last]};
	choosing->d_places = args->left_places;
}

// Splits the groups that are left by one word of their places.
static void
split_by_word(Choosing *choosing, const WaQueryOrder &order,
			  WaQueryPlaceWord of)
{
	const unsigned long long *range = choosing->control->range;
	Control *d_control = choosing->d_control;
	WaQueryPlaces args = {};
	unsigned nbits = 0;

	send_control(choosing);
	args.order = order;
	args.of = of;
	args.choice = choosing->left;
	args.places = choosing->d_places;
	args.range = d_control->range;
	args.buckets = d_control->buckets;
	args.nwanted = &d_control->nwanted;
	args.nleft = &d_control->nleft;
	args.wanted = choosing->d_wanted;
	wa_query_launch(choosing->work, wa_query_places_kernel,
					choosing->left.count, 0, args);
	receive_control(choosing);
	while (nbits < 64 && (range[0] ^ range[1]) >> nbits != 0)
		nbits++;
	while (nbits > 0 && !is_settled(choosing))
	{
		const unsigned digit = std::min(nbits, kBucketBits);

		nbits -= digit;
		args.shift = nbits;
		args.mask = (1u << digit) - 1;
		split(choosing, &args);
	}
}

// Splits the groups that are left by one order.
static void
split_by_order(Choosing *choosing, const WaQueryOrder &order)
{
	split_by_word(choosing, order, WA_QUERY_FIRST_WORD);
	if (order.low_bits > 0 && !is_settled(choosing))
		split_by_word(choosing, order, WA_QUERY_SECOND_WORD);
	if (order.is_wide && !is_settled(choosing))
		split_by_word(choosing, order, WA_QUERY_WIDE_WORD);
}

// Returns the reduction of an aggregated column by an operation, or by any; or
// NULL.  That of halves is the first, of the low ones.
static const WaQueryReduction *
find_reduction(const std::vector<WaQueryReduction> &reductions, unsigned source,
			   WaOp op)
{
	for (const WaQueryReduction &reduction : reductions)
		if (reduction.part.source == source &&
			reduction.part.of != WA_QUERY_DIGITS &&
			(op == WA_OP_COUNT || reduction.column.op == op))
			return &reduction;
	return NULL;
}

// Returns that of the high halves.
static const WaQueryReduction *
find_high(const std::vector<WaQueryReduction> &reductions, unsigned source)
{
	for (const WaQueryReduction &reduction : reductions)
		if (reduction.part.source == source &&
			reduction.part.of == WA_QUERY_OF_HALF &&
			reduction.part.half == WA_QUERY_HIGH &&
			reduction.column.op == WA_OP_SUM)
			return &reduction;
	return NULL;
}

// Tells whether integers of a column, times a factor, have no more bits than
// high words.
static bool
is_narrow(const WaQuerySource *source, unsigned factor)
{
	const int64_t most = (int64_t) 1 << (kHighBits - 2);
	WaKeyRange range;

	// Those of up to 32 bits have not, whatever the factor.
	if (wa_keys_form_range(source->form).largest <= UINT32_MAX)
		return true;
	return wa_query_key_range(source, &range) &&
		   range.smallest >= -most / factor && range.largest <= most / factor;
}

// Describes an order by a key; false if that is not for GPUs.
static bool
order_by_key(const Choosing *choosing, unsigned number, WaQueryOrder *order)
{
	const WaQueryWork *work = choosing->work;

	if (number >= work->keys.size())
		return false;
	order->of = WA_QUERY_ORDER_KEY;
	order->key = wa_query_key_column(&work->keys[number]);
	order->first_rows = choosing->numbers->d_first_rows;
	order->low_bits = is_narrow(&work->keys[number], 1) ? 0 : kLowBits;
	order->is_wide = order->key.form == WA_COLUMN_I128;
	return true;
}

// Describes an order by what the table of a reduction has.
static void
order_by_table(const WaQueryReduction *reduction, WaQueryOrder *order)
{
	order->nwide = reduction->plan.wide;
	order->ngroups = reduction->column.ngroups;
	order->wide = static_cast<const uint64_t *>(reduction->memory.d_table);
	order->narrow = reinterpret_cast<const uint32_t *>(
		order->wide + (size_t) order->nwide * order->ngroups);
}

// Describes an order by a sum; false if that is not for GPUs.
static bool
order_by_sum(const Choosing *choosing,
			 const std::vector<WaQueryReduction> &reductions, unsigned number,
			 WaQueryOrder *order)
{
	const WaQuerySource *source = &choosing->work->sources[number];
	const WaQueryReduction *reduction =
		find_reduction(reductions, number, WA_OP_SUM);
	const WaQueryReduction *high = find_high(reductions, number);
	WaStorage storage;

	if (reduction == NULL)
		return false;
	storage = wa_type_storage(reduction->column.d_batch.type);
	order_by_table(reduction, order);
	order->of = high != NULL ? WA_QUERY_ORDER_HALVES : WA_QUERY_ORDER_SUM;
	order->is_wide = high != NULL || storage == WA_I128;
	order->low_bits =
		is_narrow(source, choosing->work->nrows) ? 0 : kLowBitsOfSums;
	if (high != NULL)
	{
		order->high_wide = static_cast<const uint64_t *>(high->memory.d_table);
		order->high_nwide = high->plan.wide;
	}
	return storage == WA_I16 || storage == WA_I32 || storage == WA_I64 ||
		   storage == WA_I128;
}

// Describes an order by the rows, the smallest or the largest value of an aggregated
// column, likewise.
static bool
order_by_cell(const Choosing *choosing,
			  const std::vector<WaQueryReduction> &reductions,
			  const WaOrderBy *by, WaQueryOrder *order)
{
	const WaOp op = by->of == WA_ORDER_MIN   ? WA_OP_MIN
					: by->of == WA_ORDER_MAX ? WA_OP_MAX
											 : WA_OP_COUNT;
	const WaQuerySource *source = &choosing->work->sources[by->number];
	const bool is_elsewhere = op == WA_OP_COUNT && source->counted_by >= 0;
	const WaQueryReduction *reduction = find_reduction(
		reductions, is_elsewhere ? (unsigned) source->counted_by : by->number,
		op);

	if (reduction == NULL)
		return false;
	order_by_table(reduction, order);
	order->of =
		op == WA_OP_COUNT ? WA_QUERY_ORDER_ROWS : WA_QUERY_ORDER_EXTREME;
	if (op == WA_OP_COUNT)
		return true;
	order->is_turned = op == WA_OP_MIN;
	order->is_float = reduction->column.d_batch.type == WA_FLOAT4 ||
					  reduction->column.d_batch.type == WA_FLOAT8;
	order->low_bits = order->nwide == 0 ? 0 : kLowBits;
	order->is_wide = wa_type_storage(reduction->column.d_batch.type) == WA_I128;
	order->look_bits =
		reduction->part.of == WA_QUERY_OF_LOOK ? kQueryLookBits : 0;
	return true;
}

// Describes an order, likewise.
static bool
describe(const Choosing *choosing,
		 const std::vector<WaQueryReduction> &reductions, const WaOrderBy *by,
		 WaQueryOrder *order)
{
	*order = {};
	order->descending = by->descending;
	order->nulls_first = by->nulls_first;
	if (by->of == WA_ORDER_KEY)
		return order_by_key(choosing, by->number, order);
	if (by->number >= choosing->work->sources.size())
		return false;
	if (by->of == WA_ORDER_SUM)
		return order_by_sum(choosing, reductions, by->number, order);
	if (by->of != WA_ORDER_ROWS || choosing->numbers->d_starts == NULL ||
		!choosing->work->sources[by->number].counts_rows)
		return order_by_cell(choosing, reductions, by, order);
	order->of = WA_QUERY_ORDER_STARTS;
	order->starts = choosing->numbers->d_starts;
	return true;
}

// Splits the groups by one order after the other.  Tells whether all that are left are
// to be had then.
static bool
split_by_orders(Choosing *choosing,
				const std::vector<WaQueryReduction> &reductions)
{
	const WaTopN *top_n = &choosing->work->query->top_n;

	for (unsigned i = 0; i < top_n->norders && !is_settled(choosing); i++)
	{
		WaQueryOrder order;

		if (i >= WA_MAX_ORDERS ||
			!describe(choosing, reductions, &top_n->orders[i], &order))
			return true;
		split_by_order(choosing, order);
	}
	return top_n->keeps_ties;
}

// Adds groups that are left to those that are wanted, which it returns.
static WaQueryChoice
finish(Choosing *choosing, bool keeps_ties)
{
	WaQueryChoice last = choosing->left;

	if (!keeps_ties && !is_settled(choosing))
		last.count = missing(choosing);
	if (last.count > choosing->most - choosing->nwanted)
		throw WaQueryError{cudaErrorNotSupported};
	wa_query_launch(choosing->work, wa_query_append_kernel, last.count, 0, last,
					choosing->d_wanted + choosing->nwanted);
	return {choosing->d_wanted, choosing->nwanted + last.count};
}

WaQueryChoice
wa_query_choose(WaQueryWork *work, const WaQueryNumbers *numbers,
				const std::vector<WaQueryReduction> &reductions)
{
	WaQuerySlot *slot = work->slot;
	Choosing choosing = {};

	choosing.work = work;
	choosing.numbers = numbers;
	choosing.most = std::min(numbers->ngroups, WA_CUDA_QUERY_GROUPS);
	choosing.d_control = wa_query_take<Control>(&slot->d_pool, 1);
	choosing.control = wa_query_take<Control>(&slot->pool, 1);
	choosing.d_wanted = wa_query_take<uint32_t>(&slot->d_pool, choosing.most);
	find_existing(&choosing);
	choosing.d_places =
		wa_query_take<unsigned long long>(&slot->d_pool, choosing.left.count);
	return finish(&choosing, split_by_orders(&choosing, reductions));
}
