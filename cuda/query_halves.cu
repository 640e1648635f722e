//
// query_halves.cu
//		Sums of values of 128 bits that may have more, and of their squares; see
//		query/work.h.
//
// A value is 2^64 h + l + 2^63, h and l being its halves.  So the sum of the squares
// of n values is
//
//		2^128 (sum of h^2 + sum of h) + 2^126 n + 2^65 sum of h l
//			+ 2^64 sum of l + sum of l^2
//
#include "query/work.h"

#include "query/halves.cuh"

// Tells whether squares are among the operations.
static bool
has_squares(WaOpSet ops)
{
	return (ops & WA_OP_BIT(WA_OP_SQUARES)) != 0;
}

// Tells whether a source is to be added up in halves.
static bool
needs_halves(WaOpSet ops, const WaQuerySource *source)
{
	const bool is_small = source->column != NULL && source->column->is_small;

	return source->form == WA_COLUMN_I128 &&
		   (has_squares(ops) ||
			((ops & WA_OP_BIT(WA_OP_SUM)) != 0 && !is_small));
}

// Finds a source before this one with the halves of the same column, all that are
// needed, or NULL.
static const WaQuerySource *
find_same(const WaQueryWork *work, size_t number)
{
	const unsigned last = has_squares(work->query->aggregates[number].ops)
							  ? WA_QUERY_PRODUCT_HIGH
							  : WA_QUERY_HIGH;

	for (size_t i = 0; i < number; i++)
		if (work->sources[i].d_halves[last] != NULL &&
			work->sources[i].column != NULL &&
			work->sources[i].column == work->sources[number].column)
			return &work->sources[i];
	return NULL;
}

// Starts the kernel over a source.
static cudaError_t
split(WaQueryWork *work, WaOpSet ops, WaQuerySource *source)
{
	const unsigned count =
		has_squares(ops) ? WA_QUERY_HALVES : WA_QUERY_PRODUCT_LOW;
	WaQueryHalves args = {
		static_cast<const WaInt128 *>(source->d_values), work->nrows, {}};
	void *arguments[] = {&args};
	cudaError_t error = cudaSuccess;

	for (unsigned i = 0; i < count && error == cudaSuccess; i++)
	{
		error =
			wa_query_take(&work->slot->d_pool, work->nrows, &args.halves[i]);
		source->d_halves[i] = args.halves[i];
	}
	if (error != cudaSuccess)
		return error;
	return cudaLaunchKernel(
		wa_query_halves_kernel, dim3(wa_query_blocks(work, work->nrows)),
		dim3(kQueryThreads), arguments, 0, work->slot->stream);
}

cudaError_t
wa_query_start_halves(WaQueryWork *work)
{
	cudaError_t error = cudaSuccess;

	for (size_t i = 0; i < work->sources.size() && error == cudaSuccess; i++)
	{
		const WaOpSet ops = work->query->aggregates[i].ops;
		WaQuerySource *source = &work->sources[i];
		const WaQuerySource *same = find_same(work, i);

		if (!needs_halves(ops, source))
			continue;
		if (same == NULL)
			error = split(work, ops, source);
		else
			for (unsigned half = 0; half < WA_QUERY_HALVES; half++)
				source->d_halves[half] = same->d_halves[half];
	}
	return error;
}

WaBatch
wa_query_half_batch(const WaQueryWork *work, const WaQuerySource *source,
					unsigned half)
{
	return {WA_INT8, source->d_halves[half], source->d_validity, work->nrows};
}

WaOpSet
wa_query_half_ops(WaOpSet ops, const WaQuerySource *source, unsigned half)
{
	const WaOpSet sum = WA_OP_BIT(WA_OP_SUM);

	if (source->d_halves[half] == NULL)
		return 0;
	if (half < WA_QUERY_PRODUCT_LOW)
		return has_squares(ops) ? sum | WA_OP_BIT(WA_OP_SQUARES) : sum;
	return has_squares(ops) ? sum : 0;
}

void
wa_query_extend_sum(WaCudaCell *cell)
{
	cell->sum[0] = cell->partial.sum.lo;
	cell->sum[1] = (uint64_t) cell->partial.sum.hi;
	cell->sum[2] = cell->partial.sum.hi < 0 ? UINT64_MAX : 0;
}

// Stores what halves add up to together.
static void
join(const WaPartial *low, const WaPartial *high, uint64_t sum[3])
{
	const __int128 low_sum =
		wa_int128_get(low->sum) + ((__int128) low->rows << 63);
	const __int128 high_sum = wa_int128_get(high->sum) + (low_sum >> 64);

	sum[0] = (uint64_t) low_sum;
	sum[1] = (uint64_t) high_sum;
	sum[2] = (uint64_t) (high_sum >> 64);
}

// Adds a signed number, times 2^64 to the power of `word`, to squares.
static void
add_number(uint64_t *squares, const uint64_t number[3], unsigned word)
{
	const uint64_t sign = (int64_t) number[2] < 0 ? UINT64_MAX : 0;
	unsigned __int128 carry = 0;

	for (unsigned i = word; i < WA_CUDA_SQUARES_WORDS; i++)
	{
		carry += squares[i];
		carry += i - word < 3 ? number[i - word] : sign;
		squares[i] = (uint64_t) carry;
		carry >>= 64;
	}
}

// The same of a number of 128 bits.
static void
add_wide(uint64_t *squares, __int128 wide, unsigned word)
{
	const uint64_t number[3] = {(uint64_t) wide, (uint64_t) (wide >> 64),
								wide < 0 ? UINT64_MAX : 0};

	add_number(squares, number, word);
}

// Stores what the squares add up to.
static void
join_squares(const WaPartial *halves, uint64_t *squares)
{
	const WaPartial *low = &halves[WA_QUERY_LOW];
	const WaPartial *high = &halves[WA_QUERY_HIGH];
	uint64_t products[3];

	join(&halves[WA_QUERY_PRODUCT_LOW], &halves[WA_QUERY_PRODUCT_HIGH],
		 products);
	for (unsigned i = 0; i < WA_CUDA_SQUARES_WORDS; i++)
		squares[i] = 0;
	add_number(squares, high->squares.word, 2);
	add_wide(squares, wa_int128_get(high->sum), 2);
	add_wide(squares, (__int128) low->rows << 62, 1);
	add_number(squares, products, 1);
	add_number(squares, products, 1);
	add_wide(squares, wa_int128_get(low->sum), 1);
	add_number(squares, low->squares.word, 0);
}

void
wa_query_join_halves(WaOpSet ops, const WaPartial *halves, WaCudaCell *cell)
{
	cell->partial.rows = halves[WA_QUERY_LOW].rows;
	join(&halves[WA_QUERY_LOW], &halves[WA_QUERY_HIGH], cell->sum);
	if (has_squares(ops))
		join_squares(halves, cell->squares);
}
