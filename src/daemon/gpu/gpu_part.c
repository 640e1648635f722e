/*
 * gpu_part.c
 *		One GPU's part in a run; see gpu_part.h.
 *
 * One query computes a span, or several do if there is not enough memory on the GPU for
 * all aggregated columns at once.  Between spans there may be no memory.
 */
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "daemon/base/clock.h"
#include "daemon/gpu/gpu_part.h"
#include "daemon/gpu/gpu_records.h"
#include "daemon/gpu/gpus.h"

/* Rows that trap are left out; there should be none the second time. */
#define MAX_ATTEMPTS 3

/* What the record of an aggregated column, of a group on its way, refers to. */
typedef struct Taking
{
	uint64_t words[WA_RECORD_MAX_WORDS];
	WaWideRest rest;
} Taking;

/* A span at work. */
typedef struct Span
{
	WaGpuPart *part;
	const WaGpuSpan *of;
	uint32_t nranges; /* of rows to use: those of the span, or own ones */
	const WaCudaRange *ranges;
	uint32_t room;
	WaCudaRange *own;
	uint64_t *traps;
	bool has_trapped; /* blocks are left out */
	WaCudaColumn columns[WA_MAX_QUERY_COLUMNS];
	Taking *taking; /* of the aggregated columns */
	WaRecord *records;
	uint32_t first; /* aggregated columns that are computed, up to end - 1 */
	uint32_t end;
	WaRunOutcome outcome; /* of the groups that were added */
	int watch_place;      /* in the watch, once the query is at the GPU */
	uint64_t host_bytes;  /* taken from the budget for groups on their way */
} Span;

/* Returns the extent at a place in the use. */
static const WaRunExtent *
extent_at(const WaGpuPart *part, uint32_t place)
{
	return part->request->extents[part->use.extents[place]];
}

/* Returns its share. */
static WaDeviceShare *
share_of(const WaGpuPart *part, uint32_t place)
{
	return &part->shares[part->use.extents[place]];
}

/* Appends a range of positions in the span; false if there is no memory. */
static bool
add_range(Span *span, uint64_t begin, uint64_t end)
{
	if (span->nranges == span->room)
	{
		const uint32_t room = span->room > 0 ? 2 * span->room : 1024;
		WaCudaRange *ranges = realloc(span->own, room * sizeof(*span->own));

		if (ranges == NULL)
			return false;
		span->own = ranges;
		span->room = room;
	}
	span->own[span->nranges++] =
		(WaCudaRange){(uint32_t) begin, (uint32_t) end};
	return true;
}

/*
 * Adds a range of an extent, whose first row is at base in the span, but for the
 * blocks that are left out: NULL, if there are none.
 */
static bool
add_blocks(Span *span, const WaRunExtent *extent, const uint64_t *left_out,
		   const WaRowRange *range, uint64_t base)
{
	uint32_t begin = range->begin;

	if (left_out == NULL)
		return add_range(span, base + begin, base + range->end);
	for (uint32_t block = wa_run_block_of_row(extent, begin);
		 block < extent->nblocks; block++)
	{
		const uint32_t end = extent->row_end[block];
		const uint32_t first = wa_first_row(extent->row_end, block);

		if (first >= range->end)
			break;
		if (!wa_bits_get(left_out, block))
			continue;
		if (first > begin && !add_range(span, base + begin, base + first))
			return false;
		begin = end;
	}
	return begin >= range->end ||
		   add_range(span, base + begin, base + range->end);
}

/* Makes the ranges of rows without what is left out; false: no memory. */
static bool
make_ranges(Span *span)
{
	const WaGpuPart *part = span->part;

	span->nranges = 0;
	for (uint32_t place = span->of->begin; place < span->of->end; place++)
	{
		const WaRunExtent *extent = extent_at(part, place);
		const uint64_t base = part->use.first_rows[place] - span->of->first_row;

		for (uint32_t i = 0; i < extent->nranges; i++)
			if (!add_blocks(span, extent, share_of(part, place)->left_out,
							&extent->ranges[i], base))
				return false;
	}
	span->ranges = span->own;
	return true;
}

/*
 * Leaves out the blocks of an extent that have rows among begin to end - 1; false if there
 * is no memory.
 */
static bool
leave_out(const WaRunExtent *extent, WaDeviceShare *share, uint64_t begin,
		  uint64_t end)
{
	if (share->left_out == NULL)
		share->left_out = calloc(WA_EXTENT_WORDS, sizeof(*share->left_out));
	if (share->left_out == NULL)
		return false;
	for (uint32_t block = wa_run_block_of_row(extent, (uint32_t) begin);
		 block < extent->nblocks; block++)
	{
		const uint32_t first = wa_first_row(extent->row_end, block);

		if (first >= end)
			break;
		wa_bits_set(share->left_out, block);
	}
	return true;
}

/* Leaves out the blocks that have rows in tiles that have trapped; false: no memory. */
static bool
leave_out_traps(Span *span)
{
	const WaGpuPart *part = span->part;

	for (uint32_t place = span->of->begin; place < span->of->end; place++)
	{
		const WaRunExtent *extent = extent_at(part, place);
		const uint64_t base = part->use.first_rows[place] - span->of->first_row;

		for (uint64_t row = 0; row < extent->nrows; row += WA_PROGRAM_TILE_ROWS)
		{
			const uint64_t tile = (base + row) / WA_PROGRAM_TILE_ROWS;

			if (wa_bits_get(span->traps, tile) &&
				!leave_out(extent, share_of(part, place), row,
						   row + WA_PROGRAM_TILE_ROWS))
				return false;
		}
	}
	return true;
}

/* Returns how many columns of the query are aggregated: behind these are those of values. */
static uint32_t
count_aggregated(const WaGpuPart *part)
{
	return part->query->ncolumns - part->numbered->nlisted;
}

/* Makes the record of an aggregated column; one of no rows, if it is not computed. */
static bool
make_record(const Span *span, uint32_t number, const WaCudaCell *cells)
{
	Taking *taking = &span->taking[number];
	WaRecord *record = &span->records[number];
	const bool is_of_values = number >= count_aggregated(span->part);

	if (is_of_values || (number >= span->first && number < span->end))
		return wa_gpu_record_make(&span->part->query->columns[number],
								  &cells[number - span->first], taking->words,
								  &taking->rest, record);
	taking->words[0] = 0;
	*record = (WaRecord){.words = taking->words};
	return true;
}

/* Makes room for groups, at once. */
static bool
expect_groups(void *context, uint32_t ngroups)
{
	Span *span = context;

	if (wa_query_run_expect(span->part->groups, ngroups))
		return true;
	span->outcome = WA_RUN_NO_MEMORY;
	return false;
}

/* Adds a group: a WaCudaTake. */
static bool
take_group(void *context, const WaCudaKey *keys, const WaCudaCell *cells)
{
	Span *span = context;
	const WaGpuPart *part = span->part;
	const WaQuery *query = part->query;
	WaQueryValue values[WA_CUDA_QUERY_KEYS];
	char bytes[WA_CUDA_QUERY_KEYS][WA_WIDE_DECIMAL_BYTES];

	for (uint32_t i = 0; i < query->nkeys; i++)
		values[i] = wa_gpu_key_value(query->keys[i].kind, &keys[i], bytes[i]);
	span->outcome = WA_RUN_OVERFLOWED;
	for (uint32_t i = 0; i < query->ncolumns; i++)
		if (!make_record(span, i, cells))
			return false;
	span->outcome = wa_query_run_add(part->groups, values, span->records);
	return span->outcome == WA_RUN_TAKEN;
}

/* Keeps rows that become tables, whose memory has been taken: a WaCudaTakeRows. */
static bool
take_rows(void *context, const WaCudaRows *rows)
{
	Span *span = context;
	WaGpuPart *part = span->part;

	if (!wa_gpu_rows_keep(&part->rows, part->queries, part->request->budget,
						  rows, part->query->nkeys))
		return false;
	span->host_bytes -= rows->bytes;
	return true;
}

/* Returns the form of a column as the CUDA side calls it. */
static WaColumnForm
form_of(WaForm form)
{
	static const WaColumnForm forms[] = {
		[WA_FORM_INT16] = WA_COLUMN_I16,
		[WA_FORM_INT32] = WA_COLUMN_I32,
		[WA_FORM_INT64] = WA_COLUMN_I64,
		[WA_FORM_UINT32] = WA_COLUMN_U32,
		[WA_FORM_FLOAT4] = WA_COLUMN_F32,
		[WA_FORM_FLOAT8] = WA_COLUMN_F64,
		[WA_FORM_DECIMAL32] = WA_COLUMN_I32,
		[WA_FORM_DECIMAL64] = WA_COLUMN_I64,
		[WA_FORM_BOOL] = WA_COLUMN_BITS,
		[WA_FORM_TEXT] = WA_COLUMN_I32,
		[WA_FORM_DECIMAL128] = WA_COLUMN_I128,
	};

	return forms[form];
}

/* Finds the range of the integers, or codes, of a column. */
static void
find_range(const Span *span, uint32_t number, WaCudaColumn *column)
{
	const WaRunRequest *request = span->part->request;
	const uint16_t kind = request->columns[number].kind;

	column->has_range = kind == WA_VECTOR_INT || kind == WA_VECTOR_TEXT;
	column->smallest = request->bounds[number].smallest;
	column->largest = request->bounds[number].largest;
	if (kind == WA_VECTOR_TEXT)
	{
		column->smallest = 0;
		column->largest =
			(int64_t) wa_dictionary_count(request->dictionaries[number]) - 1;
	}
}

/* Integers of 64 bits times so many powers of ten are below 2^95. */
#define SMALL_DIGITS 9

/*
 * Tells whether all values of a column of 128 bits in the span are below 2^95 in
 * magnitude, in units of the copy's scale.
 */
static bool
is_small(const Span *span, uint32_t number, uint8_t scale)
{
	for (uint32_t place = span->of->begin; place < span->of->end; place++)
	{
		const WaColumn *column = extent_at(span->part, place)->columns[number];
		const int digits =
			column->form == WA_FORM_DECIMAL128 ? 0 : SMALL_DIGITS;

		if (column->has_large || scale - column->scale > digits)
			return false;
	}
	return true;
}

/* Describes the columns from the span's first row on. */
static void
describe_columns(Span *span)
{
	const WaMirrorUse *use = &span->part->use;
	const uint64_t first = span->of->first_row;

	for (uint32_t i = 0; i < span->part->query->ninputs; i++)
	{
		const WaMirrorColumn *from = &use->columns[i];
		WaCudaColumn *column = &span->columns[i];
		const uint64_t bytes = first / 8 * wa_form_bits(from->form);

		*column = (WaCudaColumn){
			.number = (uint16_t) i,
			.form = form_of(from->form),
			.scale = from->scale,
			.d_values = (const char *) from->d_values + bytes,
		};
		if (from->d_validity != NULL)
			column->d_validity = from->d_validity + first / 64;
		if (from->d_display != NULL)
			column->d_display = from->d_display + first;
		find_range(span, i, column);
		column->is_small =
			column->form == WA_COLUMN_I128 && is_small(span, i, from->scale);
	}
}

/*
 * Tells whether the groups of a span are all that there are, so that the first can
 * be told: then all rows of the relation are in it, and none is left out.
 */
static bool
has_all_rows(const Span *span)
{
	const WaRunRequest *request = span->part->request;

	return request->is_complete && !span->has_trapped &&
		   span->of->rows == request->rows;
}

/*
 * Notes that the query is at the GPU: it has waited for others, which says nothing of
 * the GPU.
 */
static void
begin_watch(void *context)
{
	Span *span = context;

	span->watch_place =
		wa_watch_enter(span->part->request->gpus->watch, wa_clock_ns());
}

/* Takes memory of the host for groups on their way. */
static bool
take_host_bytes(void *context, size_t bytes)
{
	Span *span = context;

	if (!wa_budget_take(span->part->request->budget, bytes, bytes))
		return false;
	span->host_bytes += bytes;
	return true;
}

/* Ends what a query at the GPU has begun with. */
static void
end_query(Span *span)
{
	const WaRunRequest *request = span->part->request;

	wa_watch_leave(request->gpus->watch, span->watch_place);
	wa_budget_give(request->budget, span->host_bytes, span->host_bytes);
	span->host_bytes = 0;
}

/*
 * Runs the query over the rows of a span that may be used, for aggregated columns first
 * to end - 1.
 */
static WaStatus
run_columns(Span *span, uint32_t first, uint32_t end, WaCudaOutcome *outcome)
{
	WaGpuPart *part = span->part;
	WaCudaQuery query = *part->translated;
	WaStatus status;

	*outcome = (WaCudaOutcome){0};
	query.ncolumns = part->query->ninputs;
	query.columns = span->columns;
	query.nrows = span->of->nrows;
	query.nranges = span->nranges;
	query.ranges = span->ranges;
	query.naggregates = end - first;
	query.aggregates += first;
	span->first = first;
	span->end = end;
	if (!has_all_rows(span) || end - first < part->query->ncolumns)
		query.top_n.limit = 0;
	/* Others' values would have to be sorted with these. */
	if (query.values != NULL &&
		(!has_all_rows(span) || end - first < count_aggregated(part)))
		return WA_UNSUPPORTED;
	if (query.nranges == 0)
		return WA_OK;
	query.take_rows = part->query->made != NULL ? take_rows : NULL;
	query.begun = begin_watch;
	query.may_take = take_host_bytes;
	query.expect = expect_groups;
	span->watch_place = WA_WATCH_PLACES;
	status = wa_cuda_query_run(part->queries, &query, span->traps, take_group,
							   span, outcome, part->error, sizeof(part->error));
	end_query(span);
	if (status == WA_OK && span->outcome != WA_RUN_TAKEN)
		return WA_OUT_OF_MEMORY;
	return status;
}

/*
 * The same in several runs, each for some of the columns, if there is not enough memory
 * for all.  Groups are added by all of them, which must not trap any more then.
 */
static WaStatus
run_query(Span *span, uint32_t first, uint32_t end, WaCudaOutcome *outcome)
{
	const uint32_t middle = first + (end - first) / 2;
	WaCudaOutcome second;
	WaStatus status = run_columns(span, first, end, outcome);

	if (status != WA_OUT_OF_MEMORY || span->outcome != WA_RUN_TAKEN ||
		end - first < 2)
		return status;
	status = run_query(span, first, middle, outcome);
	if (status != WA_OK || outcome->trapped)
		return status;
	status = run_query(span, middle, end, &second);
	return status == WA_OK && second.trapped ? WA_UNSUPPORTED : status;
}

/* Computes a span whose memory there is. */
static WaStatus
compute_span(Span *span)
{
	WaCudaOutcome outcome = {0};
	WaStatus status;

	describe_columns(span);
	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
	{
		status = run_query(span, 0, count_aggregated(span->part), &outcome);
		if (status != WA_OK)
			return status;
		if (!outcome.trapped)
		{
			span->part->kept_rows += outcome.kept_rows;
			return WA_OK;
		}
		/* Of tables without these rows there is no use. */
		if (span->part->query->made != NULL)
			return WA_UNSUPPORTED;
		span->has_trapped = true;
		if (!leave_out_traps(span) || !make_ranges(span))
			return WA_OUT_OF_MEMORY;
	}
	return WA_UNSUPPORTED;
}

/* Computes a span. */
static WaStatus
run_span(WaGpuPart *part, const WaGpuSpan *of)
{
	const size_t count = (size_t) part->query->ncolumns + 1;
	Span span = {
		.part = part, .of = of, .nranges = of->nranges, .ranges = of->ranges};
	WaStatus status = WA_OUT_OF_MEMORY;

	span.traps = calloc(1, wa_program_trap_bytes(of->nrows) + sizeof(uint64_t));
	span.taking = calloc(count, sizeof(*span.taking));
	span.records = calloc(count, sizeof(*span.records));
	if (span.traps != NULL && span.taking != NULL && span.records != NULL)
		status = compute_span(&span);
	free(span.traps);
	free(span.taking);
	free(span.records);
	free(span.own);
	return status;
}

void
wa_gpu_part_run(WaGpuPart *part)
{
	part->status = WA_OK;
	for (uint32_t i = 0; part->status == WA_OK && i < part->spans->count; i++)
		part->status = run_span(part, &part->spans->spans[i]);
}
