//
// query_looks.cu
//		The smallest and the largest of DECIMALs that show different numbers of
//		digits; see query/work.h.
//
#include "query/work.h"

#include "query/looks.cuh"

// Returns which looks are for MIN or MAX.
static WaQueryLook
look_of(WaOp op)
{
	return op == WA_OP_MIN ? WA_QUERY_MIN_LOOK : WA_QUERY_MAX_LOOK;
}

// Starts the kernel over a source, for the operations.
static cudaError_t
start_source(WaQueryWork *work, WaQuerySource *source, WaOpSet ops)
{
	WaQueryLooks args = {
		source->d_values, source->d_display, work->nrows, {NULL, NULL}};
	void *arguments[] = {&args};
	cudaError_t error = cudaSuccess;

	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
	{
		WaInt128 **looks = &args.looks[look_of(op)];

		if ((ops & WA_OP_BIT(op)) != 0 && error == cudaSuccess)
			error = wa_query_take(&work->slot->d_pool, work->nrows, looks);
		source->d_looks[look_of(op)] = *looks;
	}
	if (error != cudaSuccess)
		return error;
	return cudaLaunchKernel(
		source->form == WA_COLUMN_I128 ? wa_query_looks_kernel<WaInt128>
									   : wa_query_looks_kernel<int64_t>,
		dim3(wa_query_blocks(work, work->nrows)), dim3(kQueryThreads),
		arguments, 0, work->slot->stream);
}

cudaError_t
wa_query_start_looks(WaQueryWork *work)
{
	cudaError_t error = cudaSuccess;

	for (size_t i = 0; i < work->sources.size() && error == cudaSuccess; i++)
		if (work->sources[i].mixed &&
			(work->query->aggregates[i].ops & kQueryExtremes) != 0)
			error = start_source(work, &work->sources[i],
								 work->query->aggregates[i].ops);
	return error;
}

WaBatch
wa_query_look_batch(const WaQueryWork *work, const WaQuerySource *source,
					WaOp op)
{
	return {WA_WIDE_NUMERIC, source->d_looks[look_of(op)], source->d_validity,
			work->nrows};
}

bool
wa_query_has_looks(const WaQuerySource *source, WaOp op)
{
	return (WA_OP_BIT(op) & kQueryExtremes) != 0 &&
		   source->d_looks[look_of(op)] != NULL;
}

WaOpSet
wa_query_whole_ops(WaOpSet ops, const WaQuerySource *source)
{
	const WaOpSet sums = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES);

	if (source->d_halves[0] != NULL)
		ops = (WaOpSet) (ops & ~sums);
	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
		if (wa_query_has_looks(source, op))
			ops = (WaOpSet) (ops & ~WA_OP_BIT(op));
	return ops;
}

void
wa_query_describe_cell(const WaQuerySource *source, WaCudaCell *cell)
{
	cell->scale = source->scale;
	cell->display = source->scale;
	cell->is_wide = source->form == WA_COLUMN_I128;
	cell->min_display = source->scale;
	cell->max_display = source->scale;
}

void
wa_query_split_look(WaOp op, const WaPartial *look, WaCudaCell *cell)
{
	const bool is_min = op == WA_OP_MIN;
	const __int128 bits =
		wa_int128_get(is_min ? look->min.wide : look->max.wide);
	const unsigned digits = (unsigned) bits & kQueryLookMask;
	const __int128 number = bits >> kQueryLookBits;
	WaValue *value = is_min ? &cell->partial.min : &cell->partial.max;

	cell->partial.rows = look->rows;
	if (cell->is_wide)
		value->wide = wa_int128_make(number);
	else
		value->i = (int64_t) number;
	if (is_min)
		cell->min_display = (uint8_t) (digits ^ kQueryLookMask);
	else
		cell->max_display = (uint8_t) digits;
}
