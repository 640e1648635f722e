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
	std::vector<int> looks;    // likewise, of looks; if there are two, MIN's
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
add_looks(const WaQueryWork *work, const WaQuerySource *source,
		  Columns *columns)
{
	columns->looks.back() = (int) columns->columns.size();
	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
		if (wa_query_has_looks(source, op))
			(void) add_column(columns, wa_query_look_batch(work, source, op),
							  WA_OP_BIT(op));
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
	add_looks(work, source, columns);
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

// Makes the partial of a column.
static void
finish_column(const WaKernelColumn *column, WaPartial *partial)
{
	wa_kernel_finish(column->ops, column->d_batch.type, column->d_result,
					 partial);
}

// Makes the cell of an aggregated column.
static void
finish_cell(const WaQueryWork *work, const Columns *columns, unsigned number,
			WaCudaCell *cell)
{
	const WaQuerySource *source = &work->sources[number];
	const int place = columns->places[number];
	const int display = columns->displays[number];

	wa_query_describe_cell(source, cell);
	if (place < 0)
	{
		cell->partial.rows = columns->columns[0].d_result->rows;
		return;
	}
	if (display >= 0 && columns->columns[display].d_result->rows > 0)
		cell->display = (uint8_t) columns->columns[display].d_result->max.i;
	finish_column(&columns->columns[place], &cell->partial);
}

// Stores the sums of an aggregated column of 128 bits in its cell.
static void
finish_wide(const WaQueryWork *work, const Columns *columns, unsigned number,
			WaCudaCell *cell)
{
	const WaOpSet ops = work->query->aggregates[number].ops;
	int place = columns->halves[number];
	WaPartial halves[WA_QUERY_HALVES];

	if (place < 0)
	{
		wa_query_extend_sum(cell);
		return;
	}
	for (unsigned i = 0; i < WA_QUERY_HALVES; i++)
	{
		wa_partial_init(&halves[i], NULL);
		if (wa_query_half_ops(ops, &work->sources[number], i) != 0)
			finish_column(&columns->columns[place++], &halves[i]);
	}
	wa_query_join_halves(ops, halves, cell);
}

// Stores the smallest and the largest value of an aggregated column that shows
// different numbers of digits in its cell.
static void
finish_looks(const WaQueryWork *work, const Columns *columns, unsigned number,
			 WaCudaCell *cell)
{
	int place = columns->looks[number];

	for (WaOp op : {WA_OP_MIN, WA_OP_MAX})
	{
		WaPartial look;

		if (!wa_query_has_looks(&work->sources[number], op))
			continue;
		wa_partial_init(&look, NULL);
		finish_column(&columns->columns[place++], &look);
		wa_query_split_look(op, &look, cell);
	}
}

// Has the one group taken.
static void
finish(const WaQueryWork *work, const Columns *columns, WaCudaTake take,
	   void *context)
{
	const size_t count = work->sources.size();
	std::vector<WaExactPart> exact(count);
	std::vector<WaCudaCell> cells(count);

	for (size_t i = 0; i < count; i++)
	{
		wa_partial_init(&cells[i].partial, &exact[i]);
		finish_cell(work, columns, (unsigned) i, &cells[i]);
		if (cells[i].is_wide)
			finish_wide(work, columns, (unsigned) i, &cells[i]);
		finish_looks(work, columns, (unsigned) i, &cells[i]);
	}
	(void) take(context, NULL, cells.data());
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
	if (!outcome->trapped)
		finish(work, &columns, take, context);
	return cudaSuccess;
}
