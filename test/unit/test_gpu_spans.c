/*
 * test_gpu_spans.c
 *		Which extents are computed at once (daemon/gpu/gpu_spans.h): all between which there
 *		is memory.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu/gpu_spans.h"
#include "daemon/mirror/mirror_internal.h"
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
	bool has_memory[CHUNKS];      /* of each chunk */
	uint32_t before[MAX_EXTENTS]; /* where the extents were */
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

/* Extents that there are from case to case, some of which each case has. */
typedef struct World
{
	uint64_t last_id;
	uint32_t count;
	uint64_t ids[MAX_EXTENTS];
	uint64_t first_rows[MAX_EXTENTS];
	uint32_t nrows[MAX_EXTENTS];
	uint32_t nranges[MAX_EXTENTS];
	WaRowRange ranges[MAX_EXTENTS][2];
} World;

/* Makes an extent anew: it has other ranges, and fewer rows, or as many. */
static void
renew_extent(World *world, uint32_t i)
{
	const uint32_t nrows = 4 + (uint32_t) below(world->nrows[i] - 3);
	const uint32_t middle = 1 + (uint32_t) below(nrows - 2);

	world->ids[i] = below(10) == 0 ? 0 : ++world->last_id;
	world->nrows[i] = nrows;
	world->nranges[i] = (uint32_t) below(3);
	world->ranges[i][0] = (WaRowRange){0, middle};
	world->ranges[i][1] = (WaRowRange){middle + 1, nrows};
}

/* Makes extents that lie apart, with gaps of all sizes. */
static void
make_world(World *world)
{
	uint64_t position = below(300) * WA_MIRROR_RUN_ROWS;

	world->count = 1 + (uint32_t) below(MAX_EXTENTS);
	for (uint32_t i = 0; i < world->count; i++)
	{
		world->nrows[i] = 4 + (uint32_t) below(60000);
		world->first_rows[i] = position;
		position += (world->nrows[i] / WA_MIRROR_RUN_ROWS + 1 + below(300)) *
					WA_MIRROR_RUN_ROWS;
		renew_extent(world, i);
	}
}

/* Has a case have some of the extents, not in the order of their positions. */
static void
choose_case(const World *world, Case *of)
{
	const uint32_t start = (uint32_t) below(world->count);
	uint32_t count = 0;

	memset(of, 0, sizeof(*of));
	of->columns[0] = &of->column;
	for (uint32_t i = 0; i < world->count; i++)
	{
		const uint32_t number = (i + start) % world->count;

		if (below(8) == 0)
			continue;
		of->extents[number] = (WaRunExtent){.nrows = world->nrows[i],
											.nranges = world->nranges[i],
											.ranges = of->ranges[number],
											.columns = of->columns};
		memcpy(of->ranges[number], world->ranges[i], sizeof(of->ranges[0]));
		of->placed[number] = (WaMirrorExtent){.id = world->ids[i],
											  .nrows = world->nrows[i],
											  .nranges = world->nranges[i]};
		for (uint32_t j = 0; j < world->nranges[i]; j++)
			of->placed[number].rows +=
				world->ranges[i][j].end - world->ranges[i][j].begin;
		of->list[number] = &of->extents[number];
		of->numbers[count] = number;
		of->first_rows[count++] = world->first_rows[i];
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

/* Tells whether a span has the ranges of its extents, and no others. */
static bool
has_all_ranges(const Case *of, const WaGpuSpan *span)
{
	uint64_t rows = 0;
	uint32_t next = 0;

	for (uint32_t i = span->begin; i < span->end; i++)
	{
		const WaRunExtent *extent = of->list[of->numbers[i]];
		const uint64_t base = of->first_rows[i] - span->first_row;

		for (uint32_t j = 0; j < extent->nranges; j++, next++)
		{
			EXPECT(next < span->nranges);
			EXPECT(span->ranges[next].begin == base + extent->ranges[j].begin);
			EXPECT(span->ranges[next].end == base + extent->ranges[j].end);
			rows += extent->ranges[j].end - extent->ranges[j].begin;
		}
	}
	EXPECT(next == span->nranges && rows == span->rows);
	return true;
}

/* Describes a case as what was before another one. */
static void
set_before(Case *of, Case *before, bool is_ours)
{
	for (uint32_t i = 0; i < of->use.nextents; i++)
	{
		const uint64_t id = of->placed[of->numbers[i]].id;

		of->before[i] = WA_MIRROR_NONE;
		for (uint32_t j = 0; j < before->use.nextents && id != 0; j++)
			if (before->placed[before->numbers[j]].id == id)
				of->before[i] = j;
	}
	of->use.before = (WaMirrorBefore){.nextents = before->use.nextents,
									  .places = of->before,
									  .note = before->placement.note,
									  .is_ours = is_ours};
}

/* Spans that are made of those before are what they would be without them. */
static bool
test_next(void)
{
	Case *cases = malloc(2 * sizeof(*cases));
	World *world = malloc(sizeof(*world));

	for (int trial = 0; trial < TRIALS; trial++)
	{
		make_world(world);
		choose_case(world, &cases[0]);
		for (int i = 0; i < 6; i++)
		{
			Case *of = &cases[i % 2];
			const WaGpuSpans *spans = wa_gpu_spans_get(&of->use, &of->request);

			EXPECT(spans != NULL);
			for (uint32_t j = 0; j < spans->count; j++)
			{
				EXPECT(spans->spans[j].begin ==
					   (j == 0 ? 0 : spans->spans[j - 1].end));
				EXPECT(has_all_ranges(of, &spans->spans[j]));
			}
			if (i > 0)
				cases[(i + 1) % 2].placement.note->free(
					cases[(i + 1) % 2].placement.note);
			for (uint32_t j = 0; j < world->count; j++)
				if (below(6) == 0)
					renew_extent(world, j);
			choose_case(world, &cases[(i + 1) % 2]);
			set_before(&cases[(i + 1) % 2], of, below(2) == 0);
		}
		cases[1].placement.note->free(cases[1].placement.note);
	}
	free(world);
	free(cases);
	return true;
}

int
main(void)
{
	check(test_spans(), "spans have memory, and are few");
	check(test_next(), "spans made of others");
	return finish_checks();
}
