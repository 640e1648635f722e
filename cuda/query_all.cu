//
// query_all.cu
//		Queries without keys: one launch reduces several columns.
//
#include "query/work.h"

#include <algorithm>
#include <math.h>

#include "kernels.h"
#include "query/columns.cuh"

// Columns and their results.  The first counts the rows that WHERE leaves.
struct Columns
{
	std::vector<WaKernelColumn> columns;
	std::vector<int> places;   // of the aggregated columns; -1: none
	std::vector<int> displays; // likewise, of the digits shown
	std::vector<int> halves;   // likewise, of low halves; the others follow
	std::vector<int> looks;    // likewise, of looks; those turned around follow
};

// Adds a column; returns its place.
static int
add_column(Columns *columns, const WaBatch &batch, WaOpSet ops)
{
	columns->columns.push_back({batch, ops, NULL});
	return (int) columns->columns.size() - 1;
}

// Stores in *d_validity the rows with a value that WHERE leaves.
static cudaError_t
find_valid(WaQueryWork *work, const WaQuerySource *source,
		   const uint64_t **d_validity)
{
	const size_t words = wa_validity_bytes(work->nrows) / 8;
	WaQueryIntersection args = {};
	void *arguments[] = {&args};
	cudaError_t error;

	*d_validity = source->is_output ? source->d_validity : work->d_selection;
	if (source->is_output || source->d_validity == NULL)
		return cudaSuccess;
	error = wa_query_take(&work->slot->d_pool, words, &args.both);
	if (error != cudaSuccess)
		return error;
	*d_validity = args.both;
	args.a = work->d_selection;
	args.b = source->d_validity;
	args.words = (uint32_t) words;
	return cudaLaunchKernel(
		wa_query_intersect_kernel, dim3(wa_query_blocks(work, words)),
		dim3(kQueryThreads), arguments, 0, work->slot->stream);
}

// Adds the halves of an aggregated column.
static void
add_halves(const WaQueryWork *work, WaOpSet ops, const WaQuerySource *source,
		   const uint64_t *d_validity, Columns *columns)
{
	columns->halves.back() = (int) columns->columns.size();
	for (unsigned half = 0; half < WA_QUERY_HALVES; half++)
	{
		const WaOpSet half_ops = wa_query_half_ops(ops, source, half);
		WaBatch batch = wa_query_half_batch(work, source, half);

		batch.validity = d_validity;
		if (half_ops != 0)
			(void) add_column(columns, batch, half_ops);
	}
}

// Adds its looks.
static void
add_looks(const WaQueryWork *work, WaOpSet ops, const WaQuerySource *source,
		  Columns *columns)
{
	columns->looks.back() = (int) columns->columns.size();
	for (unsigned look = 0; look < WA_QUERY_LOOKS; look++)
		(void) add_column(columns, wa_query_look_batch(work, source, look),
						  ops & kQueryExtremes);
}

// Adds an aggregated column.
static cudaError_t
add_source(WaQueryWork *work, const WaCudaAggregate *aggregate,
		   const WaQuerySource *source, Columns *columns)
{
	WaBatch batch = wa_query_batch(work, source);
	const WaBatch display = {WA_INT2, source->d_display, NULL, work->nrows};
	cudaError_t error;

	columns->places.push_back(-1);
	columns->displays.push_back(-1);
	columns->halves.push_back(-1);
	columns->looks.push_back(-1);
	if (source->counts_rows)
		return cudaSuccess;
	error = find_valid(work, source, &batch.validity);
	columns->places.back() =
		add_column(columns, batch, wa_query_whole_ops(aggregate->ops, source));
	if (source->d_halves[0] != NULL)
		add_halves(work, aggregate->ops, source, batch.validity, columns);
	if (source->d_looks[0] != NULL)
		add_looks(work, aggregate->ops, source, columns);
	if (!source->mixed || (aggregate->ops & WA_OP_BIT(WA_OP_SUM)) == 0)
		return error;
	columns->displays.back() =
		add_column(columns, display, WA_OP_BIT(WA_OP_MAX));
	columns->columns.back().d_batch.validity = batch.validity;
	return error;
}

// Starts the reductions of all columns.
static cudaError_t
start_columns(WaQueryWork *work, Columns *columns)
{
	const unsigned ncolumns = (unsigned) columns->columns.size();
	WaQuerySlot *slot = work->slot;
	WaKernelResult *results;
	cudaError_t error = wa_query_take(&slot->pool, ncolumns, &results);

	if (error != cudaSuccess)
		return error;
	for (unsigned i = 0; i < ncolumns; i++)
		columns->columns[i].d_result = &results[i];
	for (unsigned i = 0; i < ncolumns && error == cudaSuccess;
		 i += WA_KERNEL_MAX_COLUMNS)
		error = wa_kernel_launch(
			&columns->columns[i],
			std::min(ncolumns - i, (unsigned) WA_KERNEL_MAX_COLUMNS),
			slot->d_scratch, slot->device.multiprocessors, slot->stream);
	return error;
}

// Tells whether the smallest or the largest of some floats is zero.
static bool
has_zero(WaOpSet ops, const WaKernelColumn *column)
{
	const WaKernelResult *result = column->d_result;

	if (column->d_batch.type != WA_FLOAT4 && column->d_batch.type != WA_FLOAT8)
		return false;
	return result->rows > 0 &&
		   (((ops & WA_OP_BIT(WA_OP_MIN)) != 0 && result->min.f == 0) ||
			((ops & WA_OP_BIT(WA_OP_MAX)) != 0 && result->max.f == 0));
}

// Stores the last zero of a column, with its sign.
static cudaError_t
find_last_zero(WaQueryWork *work, const WaBatch *d_batch, double *zero)
{
	WaQuerySlot *slot = work->slot;
	const bool is_float4 = d_batch->type == WA_FLOAT4;
	unsigned long long *last;
	WaQueryZeros args = {d_batch->values, d_batch->validity, work->nrows, NULL};
	void *arguments[] = {&args};
	cudaError_t error = wa_query_take(&slot->pool, 1, &last);

	if (error == cudaSuccess)
		error = wa_query_take(&slot->d_pool, 1, &args.last);
	if (error == cudaSuccess)
		error = cudaMemsetAsync(args.last, 0, sizeof(*last), slot->stream);
	if (error == cudaSuccess)
		error =
			cudaLaunchKernel(is_float4 ? wa_query_last_zero_kernel<float>
									   : wa_query_last_zero_kernel<double>,
							 dim3(wa_query_blocks(work, work->nrows)),
							 dim3(kQueryThreads), arguments, 0, slot->stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(last, args.last, sizeof(*last),
								cudaMemcpyDeviceToHost, slot->stream);
	if (error == cudaSuccess)
		error = wa_query_slot_wait(slot);
	if (error == cudaSuccess)
		*zero = *last % 2 != 0 ? -0.0 : 0.0;
	return error;
}

// Makes the partial of a column.  Of its rows the host has but the last zero.
static cudaError_t
finish_column(WaQueryWork *work, const WaKernelColumn *column,
			  WaPartial *partial)
{
	double zero = 0;
	float narrow_zero;
	WaBatch batch = column->d_batch;
	cudaError_t error = cudaSuccess;

	if (has_zero(column->ops, column))
		error = find_last_zero(work, &column->d_batch, &zero);
	narrow_zero = (float) zero;
	batch.values =
		batch.type == WA_FLOAT4 ? (const void *) &narrow_zero : &zero;
	batch.validity = NULL;
	batch.nrows = 1;
	wa_kernel_finish(column->ops, &batch, column->d_result, partial);
	return error;
}

// Makes the cell of an aggregated column.
static cudaError_t
finish_cell(WaQueryWork *work, const Columns *columns, unsigned number,
			WaCudaCell *cell)
{
	const WaQuerySource *source = &work->sources[number];
	const int place = columns->places[number];
	const int display = columns->displays[number];

	wa_query_describe_cell(source, cell);
	if (place < 0)
	{
		cell->partial.rows = columns->columns[0].d_result->rows;
		return cudaSuccess;
	}
	if (display >= 0 && columns->columns[display].d_result->rows > 0)
		cell->display = (uint8_t) columns->columns[display].d_result->max.i;
	return finish_column(work, &columns->columns[place], &cell->partial);
}

// Stores the sums of an aggregated column of 128 bits in its cell.
static cudaError_t
finish_wide(WaQueryWork *work, const Columns *columns, unsigned number,
			WaCudaCell *cell)
{
	const WaOpSet ops = work->query->aggregates[number].ops;
	int place = columns->halves[number];
	WaPartial halves[WA_QUERY_HALVES];
	cudaError_t error = cudaSuccess;

	if (place < 0)
	{
		wa_query_extend_sum(cell);
		return cudaSuccess;
	}
	for (unsigned i = 0; i < WA_QUERY_HALVES && error == cudaSuccess; i++)
	{
		wa_partial_init(&halves[i], NULL);
		if (wa_query_half_ops(ops, &work->sources[number], i) != 0)
			error = finish_column(work, &columns->columns[place++], &halves[i]);
	}
	if (error == cudaSuccess)
		wa_query_join_halves(ops, halves, cell);
	return error;
}

// Stores the smallest and the largest value of an aggregated column that shows
// different numbers of digits in its cell.
static cudaError_t
finish_looks(WaQueryWork *work, const Columns *columns, unsigned number,
			 WaCudaCell *cell)
{
	const WaOpSet ops = work->query->aggregates[number].ops;
	const int place = columns->looks[number];
	WaPartial looks[WA_QUERY_LOOKS];
	cudaError_t error = cudaSuccess;

	if (place < 0)
		return cudaSuccess;
	for (int i = 0; i < WA_QUERY_LOOKS && error == cudaSuccess; i++)
	{
		wa_partial_init(&looks[i], NULL);
		error = finish_column(work, &columns->columns[place + i], &looks[i]);
	}
	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
		if (error == cudaSuccess && (ops & WA_OP_BIT(op)) != 0)
			wa_query_join_looks(op, looks, cell);
	return error;
}

// Has the one group taken.
static cudaError_t
finish(WaQueryWork *work, const Columns *columns, WaCudaTake take,
	   void *context)
{
	const size_t count = work->sources.size();
	std::vector<WaExactPart> exact(count);
	std::vector<WaCudaCell> cells(count);
	cudaError_t error = cudaSuccess;

	for (size_t i = 0; i < count && error == cudaSuccess; i++)
	{
		wa_partial_init(&cells[i].partial, &exact[i]);
		error = finish_cell(work, columns, (unsigned) i, &cells[i]);
		if (error == cudaSuccess && cells[i].is_wide)
			error = finish_wide(work, columns, (unsigned) i, &cells[i]);
		if (error == cudaSuccess)
			error = finish_looks(work, columns, (unsigned) i, &cells[i]);
	}
	if (error == cudaSuccess)
		(void) take(context, NULL, cells.data());
	return error;
}

cudaError_t
wa_query_reduce_all(WaQueryWork *work, WaCudaTake take, void *context,
					WaCudaOutcome *outcome)
{
	const WaBatch rows = {WA_INT2, NULL, work->d_selection, work->nrows};
	Columns columns;
	cudaError_t error = cudaSuccess;

	(void) add_column(&columns, rows, 0);
	for (size_t i = 0; i < work->sources.size() && error == cudaSuccess; i++)
		error = add_source(work, &work->query->aggregates[i], &work->sources[i],
						   &columns);
	if (error == cudaSuccess)
		error = start_columns(work, &columns);
	if (error == cudaSuccess)
		error = wa_query_slot_wait(work->slot);
	if (error != cudaSuccess)
		return error;
	outcome->trapped = wa_query_has_trapped(work);
	outcome->kept_rows = (uint64_t) columns.columns[0].d_result->rows;
	return outcome->trapped ? cudaSuccess
							: finish(work, &columns, take, context);
}
