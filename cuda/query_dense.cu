//
// query_dense.cu
//		Queries over few rows; see query/dense.h.
//
#include "query/dense.h"

#include "core/int128.h"
#include "query/conditions.h"
#include "query/parts.h"
#include "query/rows.h"

// Columns of fewer rows stay as they are: to wait takes longer.  Tests set it lower.
#ifndef WA_QUERY_DENSE_ROWS
#define WA_QUERY_DENSE_ROWS (1u << 22)
#endif

// Rows that are left are few if they are at most one in so many; if a clause leaves more
// than one in kManyRows the next ones are not likely to leave few.
static const uint64_t kFewRows = 4;
static const uint64_t kManyRows = 2;

// Copies the values of listed rows.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_gather_kernel(const uint32_t *rows, uint32_t count, const Value *from,
					   Value *to)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		 i += gridDim.x * blockDim.x)
		to[i] = from[rows[i]];
}

// Copies the bits of listed rows; those behind are 0.  Any grid; deterministic.
__global__ void
wa_query_gather_bits_kernel(const uint32_t *rows, uint32_t count,
							const uint64_t *from, uint32_t *to)
{
	const uint32_t end = (count + 63) / 64 * 64;

	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < end;
		 i += gridDim.x * blockDim.x)
	{
		const uint32_t row = i < count ? rows[i] : 0;
		const bool bit = i < count && (from[row / 64] >> row % 64 & 1) != 0;
		const uint32_t bits = __ballot_sync(0xffffffffu, (int) bit);

		if (i % 32 == 0)
			to[i / 32] = bits;
	}
}

// The rows that are left of a query.
struct Rows
{
	WaQueryWork *work;
	uint32_t *d_rows; // ascending
	uint32_t count;
};

// Starts the copy of values; returns where they will be.
template <typename Value>
static const Value *
gather(const Rows &rows, const void *d_from)
{
	Value *d_to = wa_query_take<Value>(&rows.work->slot->d_pool, rows.count);

	wa_query_launch(rows.work, wa_query_gather_kernel<Value>, rows.count, 0,
					(const uint32_t *) rows.d_rows, rows.count,
					static_cast<const Value *>(d_from), d_to);
	return d_to;
}

// Starts the copy of bits; NULL: there are none.
static const uint64_t *
gather_bits(const Rows &rows, const void *d_from)
{
	uint64_t *d_to;

	if (d_from == NULL)
		return NULL;
	d_to = wa_query_take<uint64_t>(&rows.work->slot->d_pool,
								   wa_validity_bytes(rows.count) / 8);
	wa_query_launch(rows.work, wa_query_gather_bits_kernel, rows.count, 0,
					(const uint32_t *) rows.d_rows, rows.count,
					static_cast<const uint64_t *>(d_from),
					reinterpret_cast<uint32_t *>(d_to));
	return d_to;
}

// Starts the copy of a column's values.
static const void *
gather_values(const Rows &rows, const WaCudaColumn &column)
{
	if (column.form == WA_COLUMN_BITS)
		return gather_bits(rows, column.d_values);
	switch (wa_type_width(wa_query_type(column.form)))
	{
		case sizeof(uint16_t):
			return gather<uint16_t>(rows, column.d_values);
		case sizeof(uint32_t):
			return gather<uint32_t>(rows, column.d_values);
		case sizeof(uint64_t):
			return gather<uint64_t>(rows, column.d_values);
		default:
			return gather<WaInt128>(rows, column.d_values);
	}
}

// Starts the copy of a column.
static WaCudaColumn
gather_column(const Rows &rows, const WaCudaColumn &column)
{
	WaCudaColumn dense = column;

	dense.d_values = gather_values(rows, column);
	dense.d_validity = gather_bits(rows, column.d_validity);
	if (column.d_display != NULL)
		dense.d_display = gather<uint8_t>(rows, column.d_display);
	return dense;
}

// Has the query be one over some of its rows, which its first clauses leave.
static void
use_rows(const Rows &rows, unsigned nclauses)
{
	WaQueryWork *work = rows.work;
	const WaCudaQuery *query = work->query;
	std::unique_ptr<WaQueryDense> dense(new WaQueryDense());
	std::vector<bool> is_read;

	(void) wa_query_find_needed(query, nclauses, &is_read);
	for (unsigned i = 0; i < query->ncolumns; i++)
		if (is_read[query->columns[i].number])
			dense->columns.push_back(gather_column(rows, query->columns[i]));
	dense->range = {0, rows.count};
	dense->query = *query;
	dense->query.columns = dense->columns.data();
	dense->query.ncolumns = (unsigned) dense->columns.size();
	dense->query.clauses += nclauses;
	dense->query.nclauses -= nclauses;
	dense->query.nrows = rows.count;
	dense->query.ranges = &dense->range;
	dense->query.nranges = 1;
	work->query = &dense->query;
	work->nrows = rows.count;
	work->dense = std::move(dense);
}

// Starts a clause over the rows that are left so far.
static void
start_clause(const WaQueryWork *work, unsigned clause, WaQueryWork *stage)
{
	stage->query = work->query;
	stage->slot = work->slot;
	stage->tables = work->tables;
	stage->nrows = work->nrows;
	stage->width = work->width;
	stage->d_selection = work->d_selection;
	wa_query_start_programs(stage, clause, clause + 1);
}

// Tells whether a query has many rows, and a program computes something of those that
// its first clauses leave.
static bool
may_be_dense(const WaQueryWork *work, unsigned nclauses)
{
	std::vector<bool> is_read;

	return !work->is_whole && work->nrows >= WA_QUERY_DENSE_ROWS &&
		   work->query->nclauses > 0 &&
		   !wa_query_find_needed(work->query, nclauses, &is_read).empty();
}

bool
wa_query_make_dense(WaQueryWork *work, unsigned *nclauses)
{
	WaQueryListing listing = {};
	Rows rows = {work, NULL, work->nrows};
	bool is_hopeless = false;

	if (!may_be_dense(work, *nclauses))
		return false;
	if (*nclauses > 0)
		rows.count = wa_query_count_rows(work, work->d_selection, &listing);
	while (rows.count > work->nrows / kFewRows)
	{
		WaQueryWork stage = {};

		if (is_hopeless || *nclauses == work->query->nclauses)
			return false;
		start_clause(work, *nclauses, &stage);
		rows.count = wa_query_count_rows(work, stage.d_selection, &listing);
		if (wa_query_has_trapped(&stage))
			return false;
		work->d_selection = stage.d_selection;
		++*nclauses;
		is_hopeless = rows.count > work->nrows / kManyRows;
	}
	if (rows.count == 0)
		return false;
	rows.d_rows = wa_query_take<uint32_t>(&work->slot->d_pool, rows.count);
	wa_query_list_rows(work, &listing, rows.d_rows);
	use_rows(rows, *nclauses);
	*nclauses = 0;
	return true;
}
