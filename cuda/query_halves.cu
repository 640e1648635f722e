//
// query_halves.cu
//		Sums of values of 128 bits that may have more; see query/work.h.
//
#include "query/work.h"

#include "query/halves.cuh"

// Tells whether a source is to be added up in halves.
static bool
needs_halves(const WaCudaAggregate *aggregate, const WaQuerySource *source)
{
	return source->form == WA_COLUMN_I128 &&
		   (source->column == NULL || !source->column->is_small) &&
		   (aggregate->ops & WA_OP_BIT(WA_OP_SUM)) != 0;
}

// Finds a source before this one with the halves of the same column, or NULL.
static const WaQuerySource *
find_same(const WaQueryWork *work, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (work->sources[i].d_low != NULL && work->sources[i].column != NULL &&
			work->sources[i].column == work->sources[number].column)
			return &work->sources[i];
	return NULL;
}

// Starts the kernel over a source.
static cudaError_t
split(WaQueryWork *work, WaQuerySource *source)
{
	WaQueryPool *pool = &work->slot->d_pool;
	WaQueryHalves args = {static_cast<const WaInt128 *>(source->d_values),
						  work->nrows, NULL, NULL};
	void *arguments[] = {&args};
	cudaError_t error = wa_query_take(pool, work->nrows, &args.low);

	if (error == cudaSuccess)
		error = wa_query_take(pool, work->nrows, &args.high);
	source->d_low = args.low;
	source->d_high = args.high;
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
		WaQuerySource *source = &work->sources[i];
		const WaQuerySource *same = find_same(work, i);

		if (!needs_halves(&work->query->aggregates[i], source))
			continue;
		if (same == NULL)
		{
			error = split(work, source);
			continue;
		}
		source->d_low = same->d_low;
		source->d_high = same->d_high;
	}
	return error;
}

WaBatch
wa_query_half_batch(const WaQueryWork *work, const WaQuerySource *source,
					bool is_high)
{
	return {WA_INT8, is_high ? source->d_high : source->d_low,
			source->d_validity, work->nrows};
}

WaOpSet
wa_query_whole_ops(WaOpSet ops, const WaQuerySource *source)
{
	return source->d_low != NULL ? (WaOpSet) (ops & ~WA_OP_BIT(WA_OP_SUM))
								 : ops;
}

void
wa_query_extend_sum(WaCudaCell *cell)
{
	cell->sum[0] = cell->partial.sum.lo;
	cell->sum[1] = (uint64_t) cell->partial.sum.hi;
	cell->sum[2] = cell->partial.sum.hi < 0 ? UINT64_MAX : 0;
}

void
wa_query_join_halves(const WaPartial *low, const WaPartial *high,
					 WaCudaCell *cell)
{
	const __int128 low_sum =
		wa_int128_get(low->sum) + ((__int128) low->rows << 63);
	const __int128 high_sum = wa_int128_get(high->sum) + (low_sum >> 64);

	cell->partial.rows = low->rows;
	cell->sum[0] = (uint64_t) low_sum;
	cell->sum[1] = (uint64_t) high_sum;
	cell->sum[2] = (uint64_t) (high_sum >> 64);
}
