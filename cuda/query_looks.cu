//
// query_looks.cu
//		The smallest and the largest of DECIMALs that show different numbers of
//		digits; see query/work.h.
//
// Of equal values the look that is the smallest shows the fewest digits, and if it is
// turned around the most: if these are not the same, which of them is shown depends on
// the order of rows.
//
#include "query/work.h"

#include "query/looks.cuh"

// Starts the kernel over a source.
static cudaError_t
start_source(WaQueryWork *work, WaQuerySource *source)
{
	WaQueryLooks args = {
		source->d_values, source->d_display, work->nrows, {NULL, NULL}};
	void *arguments[] = {&args};
	cudaError_t error = cudaSuccess;

	for (unsigned i = 0; i < WA_QUERY_LOOKS && error == cudaSuccess; i++)
	{
		error = wa_query_take(&work->slot->d_pool, work->nrows, &args.looks[i]);
		source->d_looks[i] = args.looks[i];
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
			error = start_source(work, &work->sources[i]);
	return error;
}

WaBatch
wa_query_look_batch(const WaQueryWork *work, const WaQuerySource *source,
					unsigned look)
{
	return {WA_WIDE_NUMERIC, source->d_looks[look], source->d_validity,
			work->nrows};
}

WaOpSet
wa_query_whole_ops(WaOpSet ops, const WaQuerySource *source)
{
	const WaOpSet sums = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES);

	if (source->d_halves[0] != NULL)
		ops = (WaOpSet) (ops & ~sums);
	return source->d_looks[0] != NULL ? (WaOpSet) (ops & ~kQueryExtremes) : ops;
}

void
wa_query_describe_cell(const WaQuerySource *source, WaCudaCell *cell)
{
	cell->scale = source->scale;
	cell->display = source->scale;
	cell->is_wide = source->form == WA_COLUMN_I128;
	cell->min_look = {source->scale, false};
	cell->max_look = {source->scale, false};
}

// Returns the digits that a look has.
static uint8_t
digits_of(__int128 look)
{
	return (uint8_t) ((unsigned) look & kQueryLookMask);
}

void
wa_query_join_looks(WaOp op, const WaPartial *looks, WaCudaCell *cell)
{
	const bool is_min = op == WA_OP_MIN;
	const WaPartial *turned = &looks[WA_QUERY_TURNED_LOOK];
	const __int128 look =
		wa_int128_get(is_min ? looks->min.wide : looks->max.wide);
	const __int128 other =
		wa_int128_get(is_min ? turned->min.wide : turned->max.wide);
	const uint8_t digits = digits_of(look);
	const __int128 number = look >> kQueryLookBits;
	WaValue *value = is_min ? &cell->partial.min : &cell->partial.max;
	WaCudaLook *shown = is_min ? &cell->min_look : &cell->max_look;

	cell->partial.rows = looks->rows;
	if (cell->is_wide)
		value->wide = wa_int128_make(number);
	else
		value->i = (int64_t) number;
	*shown = {digits, digits != (digits_of(other) ^ kQueryLookMask)};
}
