//
// query_parts.cu
//		What of aggregated columns is reduced, and the cells that come of it; see
//		query/parts.h.
//
// A value of 128 bits is 2^64 h + l + 2^63, h and l being its halves.  So the sum of the
// squares of n values is
//
//		2^128 (sum of h^2 + sum of h) + 2^126 n + 2^65 sum of h l
//			+ 2^64 sum of l + sum of l^2
//
#include "query/parts.h"

#include <algorithm>
#include <iterator>

#include "core/int128.h"

WaType
wa_query_type(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return WA_INT2;
		case WA_COLUMN_I32:
			return WA_INT4;
		case WA_COLUMN_U32:
			return WA_OID;
		case WA_COLUMN_F32:
			return WA_FLOAT4;
		case WA_COLUMN_F64:
			return WA_FLOAT8;
		case WA_COLUMN_I128:
			return WA_WIDE_NUMERIC;
		default:
			return WA_INT8;
	}
}

// What the kernel of halves takes.
struct WaQueryHalves
{
	const WaInt128 *values;
	uint32_t nrows;
	int64_t *halves[WA_QUERY_HALVES]; // those of the product may be NULL
};

// Returns the low half of a number, less 2^63, so that it is signed as the high one is.
__device__ __forceinline__ int64_t
wa_query_low_half(uint64_t low)
{
	return (int64_t) (low ^ (uint64_t) 1 << 63);
}

// Splits values.  Any grid; deterministic.
__global__ void
wa_query_halves_kernel(const WaQueryHalves args)
{
	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
	{
		const WaInt128 value = args.values[row];
		const int64_t low = wa_query_low_half(value.lo);
		const __int128 product = (__int128) low * value.hi;

		args.halves[WA_QUERY_LOW][row] = low;
		args.halves[WA_QUERY_HIGH][row] = value.hi;
		if (args.halves[WA_QUERY_PRODUCT_LOW] == NULL)
			continue;
		args.halves[WA_QUERY_PRODUCT_LOW][row] =
			wa_query_low_half((uint64_t) product);
		args.halves[WA_QUERY_PRODUCT_HIGH][row] = (int64_t) (product >> 64);
	}
}

constexpr unsigned kQueryLookMask = (1u << kQueryLookBits) - 1;

// What the kernel of looks takes.
struct WaQueryLooks
{
	const void *values;
	const int16_t *display;
	uint32_t nrows;
	WaInt128 *looks[WA_QUERY_LOOKS]; // NULL: those are not wanted
};

// Returns a value's bits, of which the highest may be lost if it is of no row.
__device__ __forceinline__ unsigned __int128
wa_query_look_value(int64_t value)
{
	return (unsigned __int128) value << kQueryLookBits;
}

__device__ __forceinline__ unsigned __int128
wa_query_look_value(const WaInt128 &value)
{
	return (unsigned __int128) wa_int128_get(value) << kQueryLookBits;
}

// Makes the looks of values.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_looks_kernel(const WaQueryLooks args)
{
	const Value *values = static_cast<const Value *>(args.values);

	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
	{
		const unsigned __int128 value = wa_query_look_value(values[row]);
		const unsigned digits = (unsigned) args.display[row] & kQueryLookMask;

		if (args.looks[WA_QUERY_MIN_LOOK] != NULL)
			args.looks[WA_QUERY_MIN_LOOK][row] =
				wa_int128_make((__int128) (value | (digits ^ kQueryLookMask)));
		if (args.looks[WA_QUERY_MAX_LOOK] != NULL)
			args.looks[WA_QUERY_MAX_LOOK][row] =
				wa_int128_make((__int128) (value | digits));
	}
}

// Returns how many kinds of halves the operations take.
static unsigned
half_count(WaOpSet ops)
{
	return wa_ops_have(ops, WA_OP_SQUARES) ? WA_QUERY_HALVES
										   : WA_QUERY_PRODUCT_LOW;
}

// Tells whether a source is to be added up in halves.
static bool
needs_halves(WaOpSet ops, const WaQuerySource *source)
{
	const bool is_small = source->column != NULL && source->column->is_small;

	return source->form == WA_COLUMN_I128 &&
		   (wa_ops_have(ops, WA_OP_SQUARES) ||
			(wa_ops_have(ops, WA_OP_SUM) && !is_small));
}

// Finds a source before this one with the halves of the same column, all that are
// needed, or NULL.
static const WaQuerySource *
find_same(const WaQueryWork *work, size_t number)
{
	const unsigned last = half_count(work->query->aggregates[number].ops) - 1;

	for (size_t i = 0; i < number; i++)
		if (work->sources[i].d_halves[last] != NULL &&
			work->sources[i].column != NULL &&
			work->sources[i].column == work->sources[number].column)
			return &work->sources[i];
	return NULL;
}

// Starts the kernel that splits the values of a source.
static void
split(WaQueryWork *work, WaOpSet ops, WaQuerySource *source)
{
	WaQueryHalves args = {
		static_cast<const WaInt128 *>(source->d_values), work->nrows, {}};

	for (unsigned i = 0; i < half_count(ops); i++)
	{
		args.halves[i] =
			wa_query_take<int64_t>(&work->slot->d_pool, work->nrows);
		source->d_halves[i] = args.halves[i];
	}
	wa_query_launch(work, wa_query_halves_kernel, work->nrows, 0, args);
}

// Returns which looks are for MIN or MAX.
static WaQueryLook
look_of(WaOp op)
{
	return op == WA_OP_MIN ? WA_QUERY_MIN_LOOK : WA_QUERY_MAX_LOOK;
}

// Starts the kernel that makes the looks of a source, for the operations.
static void
make_looks(WaQueryWork *work, WaOpSet ops, WaQuerySource *source)
{
	WaQueryLooks args = {
		source->d_values, source->d_display, work->nrows, {NULL, NULL}};

	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
	{
		if ((ops & WA_OP_BIT(op)) == 0)
			continue;
		args.looks[look_of(op)] =
			wa_query_take<WaInt128>(&work->slot->d_pool, work->nrows);
		source->d_looks[look_of(op)] = args.looks[look_of(op)];
	}
	wa_query_launch(work,
					source->form == WA_COLUMN_I128
						? wa_query_looks_kernel<WaInt128>
						: wa_query_looks_kernel<int64_t>,
					work->nrows, 0, args);
}

void
wa_query_start_parts(WaQueryWork *work)
{
	for (size_t i = 0; i < work->sources.size(); i++)
	{
		const WaOpSet ops = work->query->aggregates[i].ops;
		WaQuerySource *source = &work->sources[i];
		const WaQuerySource *same = find_same(work, i);

		if (needs_halves(ops, source) && same == NULL)
			split(work, ops, source);
		else if (needs_halves(ops, source))
			std::copy_n(same->d_halves, half_count(ops), source->d_halves);
		if (source->mixed && (ops & kQueryExtremes) != 0)
			make_looks(work, ops, source);
	}
}

// Returns what is to be reduced of halves, for the operations of an aggregated column.
static WaOpSet
half_ops(WaOpSet ops, unsigned half)
{
	const WaOpSet sum = WA_OP_BIT(WA_OP_SUM);

	return wa_ops_have(ops, WA_OP_SQUARES) && half < WA_QUERY_PRODUCT_LOW
			   ? sum | WA_OP_BIT(WA_OP_SQUARES)
			   : sum;
}

// Adds the parts of an aggregated column.
static void
list_source(const WaQueryWork *work, unsigned number,
			std::vector<WaQueryPart> *parts)
{
	const WaQuerySource *source = &work->sources[number];
	const WaOpSet ops = work->query->aggregates[number].ops;
	WaOpSet whole = ops; // but for those of halves and of looks
	auto add = [&](WaQueryReduced of, unsigned half, WaType type,
				   const void *d_values, WaOpSet part_ops)
	{
		parts->push_back({number,
						  of,
						  half,
						  {type, d_values, source->d_validity, work->nrows},
						  part_ops});
	};

	if (source->d_halves[0] != NULL)
		whole &= kQueryExtremes;
	if (source->mixed)
		whole &= (WaOpSet) ~kQueryExtremes;
	if (whole != 0 || ops == 0)
		add(WA_QUERY_VALUES, 0, wa_query_type(source->form), source->d_values,
			whole);
	for (unsigned half = 0; half < WA_QUERY_HALVES; half++)
		if (source->d_halves[half] != NULL)
			add(WA_QUERY_OF_HALF, half, WA_INT8, source->d_halves[half],
				half_ops(ops, half));
	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
		if (source->d_looks[look_of(op)] != NULL)
			add(WA_QUERY_OF_LOOK, 0, WA_WIDE_NUMERIC,
				source->d_looks[look_of(op)], WA_OP_BIT(op));
	if (source->mixed && wa_ops_have(ops, WA_OP_SUM))
		add(WA_QUERY_DIGITS, 0, WA_INT2, source->d_display,
			WA_OP_BIT(WA_OP_MAX));
}

std::vector<WaQueryPart>
wa_query_list_parts(const WaQueryWork *work)
{
	std::vector<WaQueryPart> parts;

	for (unsigned i = 0; i < work->sources.size(); i++)
		if (!work->sources[i].counts_rows)
			list_source(work, i, &parts);
	return parts;
}

void
wa_query_begin_cell(const WaQueryWork *work, size_t source, WaExactPart *exact,
					WaCudaCell *cell)
{
	const WaQuerySource *of = &work->sources[source];
	const bool needs_exact = wa_partial_needs_exact(
		wa_query_type(of->form), work->query->aggregates[source].ops);

	wa_partial_init(&cell->partial, needs_exact ? exact : NULL);
	cell->scale = of->scale;
	cell->display = of->scale;
	cell->is_wide = of->form == WA_COLUMN_I128;
	cell->min_display = of->scale;
	cell->max_display = of->scale;
	if (!cell->is_wide)
		return;
	std::fill(std::begin(cell->sum), std::end(cell->sum), 0);
	std::fill(std::begin(cell->squares), std::end(cell->squares), 0);
}

// Adds a signed number, times 2^64 to the power of `word`, to one of more words.
template <unsigned kWords>
static void
add_number(uint64_t (&words)[kWords], const WaUint192 &number, unsigned word)
{
	const uint64_t sign = (int64_t) number.word[2] < 0 ? UINT64_MAX : 0;
	unsigned __int128 carry = 0;

	for (unsigned i = word; i < kWords; i++)
	{
		carry += words[i];
		carry += i - word < 3 ? number.word[i - word] : sign;
		words[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

// The same of a number of 128 bits.
template <unsigned kWords>
static void
add_wide(uint64_t (&words)[kWords], __int128 number, unsigned word)
{
	add_number(words,
			   {{(uint64_t) number, (uint64_t) (number >> 64),
				 number < 0 ? UINT64_MAX : 0}},
			   word);
}

// Adds what the sum of halves is in the sum of the values, and in that of their
// squares.
static void
add_half_sum(unsigned half, const WaPartial *partial, WaCudaCell *cell)
{
	const __int128 sum = wa_int128_get(partial->sum);
	const __int128 rows = partial->rows;

	switch (half)
	{
		case WA_QUERY_LOW:
			add_wide(cell->sum, sum + (rows << 63), 0);
			add_wide(cell->squares, sum + (rows << 62), 1);
			break;
		case WA_QUERY_HIGH:
			add_wide(cell->sum, sum, 1);
			add_wide(cell->squares, sum, 2);
			break;
		case WA_QUERY_PRODUCT_LOW:
			add_wide(cell->squares, 2 * (sum + (rows << 63)), 1);
			break;
		default:
			add_wide(cell->squares, 2 * sum, 2);
			break;
	}
}

// Stores the smallest or the largest value, which a look has.
static void
split_look(WaOp op, const WaPartial *partial, WaCudaCell *cell)
{
	const bool is_min = op == WA_OP_MIN;
	const __int128 bits =
		wa_int128_get(is_min ? partial->min.wide : partial->max.wide);
	const unsigned digits = (unsigned) bits & kQueryLookMask;
	const __int128 number = bits >> kQueryLookBits;
	WaValue *value = is_min ? &cell->partial.min : &cell->partial.max;

	if (cell->is_wide)
		value->wide = wa_int128_make(number);
	else
		value->i = (int64_t) number;
	if (is_min)
		cell->min_display = (uint8_t) (digits ^ kQueryLookMask);
	else
		cell->max_display = (uint8_t) digits;
}

void
wa_query_add_part(const WaQueryPart *part, WaOpSet ops,
				  const WaPartial *partial, WaCudaCell *cell)
{
	const bool has_sum = wa_ops_have(ops, WA_OP_SUM);

	cell->partial.rows = partial->rows;
	switch (part->of)
	{
		case WA_QUERY_VALUES:
			if (cell->is_wide && has_sum)
				add_wide(cell->sum, wa_int128_get(partial->sum), 0);
			break;
		case WA_QUERY_DIGITS:
			if (partial->rows > 0)
				cell->display = (uint8_t) partial->max.i;
			break;
		case WA_QUERY_OF_HALF:
			if (has_sum)
				add_half_sum(part->half, partial, cell);
			if (wa_ops_have(ops, WA_OP_SQUARES))
				add_number(cell->squares, partial->squares,
						   part->half == WA_QUERY_LOW ? 0 : 2);
			break;
		case WA_QUERY_OF_LOOK:
			split_look(wa_ops_have(ops, WA_OP_MIN) ? WA_OP_MIN : WA_OP_MAX,
					   partial, cell);
			break;
	}
}
