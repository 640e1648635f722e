/*
 * test_gpu_spans.c
 *		Which extents are computed at once (daemon/gpu_spans.h): all between which there
 *		is memory.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu_spans.h"
#include "daemon/mirror_internal.h"
#include "test/unit/check.h"

#define MAX_EXTENTS 60
#define TRIALS      2000
#define CHUNKS      512

static uint64_t state = 3;

/* Returns a number below a limit. */
static uint64_t
below(uint64_t limit)
{
	return next_random(&state) % limit;
}

/* Extents of one column, in the order of their positions. */
typedef struct Case
{
	WaRunRequest request;
	WaMirrorUse use;
	WaPlacement placement;
	WaMirrorExtent placed[MAX_EXTENTS];
	uint32_t numbers[MAX_EXTENTS];
	uint64_t first_rows[MAX_EXTENTS];
	WaRunExtent extents[MAX_EXTENTS];
	const WaRunExtent *list[MAX_EXTENTS];
	WaRowRange ranges[MAX_EXTENTS][2];
	WaColumn column;
	const WaColumn *columns[1];
	bool has_memory[CHUNKS]; /* of each chunk */
} Case;

/* Places extents with gaps between them, so as they are left by others. */
static void
make_case(Case *of)
{
	const uint32_t count = 1 + (uint32_t) below(MAX_EXTENTS);
	const uint64_t most = 1 + below(4) * below(200);
	uint64_t position = below(300) * WA_MIRROR_RUN_ROWS;

	memset(of, 0, sizeof(*of));
	of->columns[0] = &of->column;
	for (uint32_t i = 0; i < count; i++)
	{
		WaRunExtent *extent = &of->extents[i];
		const uint32_t nrows = 2 + (uint32_t) below(60000);
		const uint32_t middle = 1 + (uint32_t) below(nrows - 1);
		const uint64_t end = position + nrows + WA_MIRROR_RUN_ROWS - 1;

		of->ranges[i][0] = (WaRowRange){0, middle};
		of->ranges[i][1] = (WaRowRange){middle + (middle < nrows - 1), nrows};
		*extent = (WaRunExtent){.nrows = nrows,
								.nranges = 2,
								.ranges = of->ranges[i],
								.columns = of->columns};
		of->placed[i] = (WaMirrorExtent){.nrows = nrows, .nranges = 2};
		of->placed[i].rows = middle + nrows - of->ranges[i][1].begin;
		of->numbers[i] = i;
		of->list[i] = extent;
		of->first_rows[i] = position;
		for (uint64_t chunk = position / WA_MIRROR_CHUNK_ROWS;
			 chunk <= (end / WA_MIRROR_RUN_ROWS * WA_MIRROR_RUN_ROWS - 1) /
						  WA_MIRROR_CHUNK_ROWS;
			 chunk++)
			of->has_memory[chunk] = true;
		position =
			(end / WA_MIRROR_RUN_ROWS + below(most)) * WA_MIRROR_RUN_ROWS;
	}
	of->use = (WaMirrorUse){.nextents = count,
							.extents = of->numbers,
							.first_rows = of->first_rows,
							.placed = of->placed,
							.ncolumns = 1,
							.placement = &of->placement};
	of->request =
		(WaRunRequest){.nextents = count, .extents = of->list, .ncolumns = 1};
}

/* Tells whether all positions that a span's query may read have memory. */
static bool
has_memory(const Case *of, const WaGpuSpan *span)
{
	for (uint64_t row = 0; row < span->nrows; row += WA_MIRROR_RUN_ROWS)
		EXPECT(of->has_memory[(span->first_row + row) / WA_MIRROR_CHUNK_ROWS]);
	return true;
}

/* Tells whether a span has the rows of its extents' ranges. */
static bool
has_ranges(const Case *of, const WaGpuSpan *span)
{
	uint64_t rows = 0;

	EXPECT(span->nranges == 2 * (span->end - span->begin));
	for (uint32_t i = 0; i < span->nranges; i++)
	{
		const uint32_t extent = span->begin + i / 2;
		const WaRowRange *range = &of->ranges[extent][i % 2];
		const uint64_t base = of->first_rows[extent] - span->first_row;

		EXPECT(span->ranges[i].begin == base + range->begin);
		EXPECT(span->ranges[i].end == base + range->end);
		EXPECT(span->ranges[i].end <= span->nrows);
		rows += range->end - range->begin;
	}
	EXPECT(span->rows == rows);
	return true;
}

/* Spans are of what has memory, and there are no more of them than need be. */
static bool
test_spans(void)
{
	Case *of = malloc(sizeof(*of));
	uint32_t joined = 0;
	uint32_t apart = 0;

	for (int trial = 0; trial < TRIALS; trial++)
	{
		const WaGpuSpans *spans;
		uint32_t next = 0;

		make_case(of);
		spans = wa_gpu_spans_get(&of->use, &of->request);
		EXPECT(spans != NULL &&
			   wa_gpu_spans_get(&of->use, &of->request) == spans);
		for (uint32_t i = 0; i < spans->count; i++)
		{
			const WaGpuSpan *span = &spans->spans[i];

			EXPECT(span->begin == next && span->end > next);
			EXPECT(span->first_row == of->first_rows[next]);
			EXPECT(has_memory(of, span) && has_ranges(of, span));
			next = span->end;
			joined += span->end - span->begin - 1;
			apart += i > 0;
			EXPECT(i == 0 ||
				   of->first_rows[span->begin] / WA_MIRROR_CHUNK_ROWS >
					   (span[-1].first_row + span[-1].nrows - 1) /
							   WA_MIRROR_CHUNK_ROWS +
						   1);
		}
		EXPECT(next == of->use.nextents);
		of->placement.note->free(of->placement.note);
	}
	free(of);
	EXPECT(joined > TRIALS && apart > TRIALS);
	return true;
}

int
main(void)
{
	check(test_spans(), "spans have memory, and are few");
	return finish_checks();
}
