/*
 * gpu_spans.c
 *		Spans of positions on a GPU; see gpu_spans.h.
 */
#include <stdlib.h>

#include "daemon/gpu_spans.h"

/* Ranges lie anywhere in memory: those of so many extents more are fetched. */
#define EXTENTS_AHEAD  8
#define RANGES_OF_LINE 8

/* Returns the extent at a place in the use. */
static const WaRunExtent *
extent_at(const WaMirrorUse *use, const WaRunRequest *request, uint32_t place)
{
	return request->extents[use->extents[place]];
}

/* Returns the position behind the memory of an extent. */
static uint64_t
end_of(const WaMirrorUse *use, const WaRunRequest *request, uint32_t place)
{
	const uint64_t rows = extent_at(use, request, place)->nrows;

	return use->first_rows[place] + (rows + WA_MIRROR_RUN_ROWS - 1) /
										WA_MIRROR_RUN_ROWS * WA_MIRROR_RUN_ROWS;
}

/*
 * Tells whether all positions between two extents, from `end` to first - 1, have memory:
 * then they are in chunks of theirs.  There are such gaps where extents were that have
 * moved, as some blocks have been loaded again.
 */
static bool
has_memory_between(uint64_t end, uint64_t first)
{
	return first / WA_MIRROR_CHUNK_ROWS <= (end - 1) / WA_MIRROR_CHUNK_ROWS + 1;
}

/* Finds which extents lie together. */
static void
find_spans(const WaMirrorUse *use, const WaRunRequest *request,
		   WaGpuSpans *spans)
{
	for (uint32_t begin = 0; begin < use->nextents;)
	{
		WaGpuSpan *span = &spans->spans[spans->count++];
		uint64_t position = end_of(use, request, begin);
		uint32_t end = begin + 1;

		for (; end < use->nextents &&
			   has_memory_between(position, use->first_rows[end]);
			 end++)
			position = end_of(use, request, end);
		span->begin = begin;
		span->end = end;
		span->first_row = use->first_rows[begin];
		span->nrows = position - span->first_row;
		begin = end;
	}
}

/* Writes ranges of rows as such of positions from a base on; returns the number of rows. */
static uint64_t
write_ranges(const WaRowRange *ranges, uint32_t nranges, uint32_t base,
			 WaCudaRange *positions)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < nranges; i++)
	{
		positions[i].begin = base + ranges[i].begin;
		positions[i].end = base + ranges[i].end;
		rows += ranges[i].end - ranges[i].begin;
	}
	return rows;
}

/* Fetches the ranges of an extent into the cache. */
static void
fetch_ranges(const WaRunExtent *extent)
{
	for (uint32_t i = 0; i < extent->nranges; i += RANGES_OF_LINE)
		__builtin_prefetch(&extent->ranges[i]);
}

/* Writes the ranges of a span's extents. */
static void
write_span(const WaMirrorUse *use, const WaRunRequest *request,
		   WaGpuSpans *spans, WaGpuSpan *span)
{
	WaCudaRange *const positions = &spans->ranges[spans->nranges];

	span->rows = 0;
	span->nranges = 0;
	span->ranges = positions;
	for (uint32_t place = span->begin; place < span->end; place++)
	{
		const WaRunExtent *extent = extent_at(use, request, place);

		if (place + EXTENTS_AHEAD < span->end)
			fetch_ranges(extent_at(use, request, place + EXTENTS_AHEAD));
		span->rows +=
			write_ranges(extent->ranges, extent->nranges,
						 (uint32_t) (use->first_rows[place] - span->first_row),
						 &positions[span->nranges]);
		span->nranges += extent->nranges;
	}
	spans->nranges += span->nranges;
}

static void
free_spans(WaMirrorNote *note)
{
	WaGpuSpans *spans = (WaGpuSpans *) note;

	free(spans->spans);
	free(spans->ranges);
	free(spans);
}

/* Makes room for the spans of a use. */
static WaGpuSpans *
make_room(const WaMirrorUse *use, const WaRunRequest *request)
{
	WaGpuSpans *spans = calloc(1, sizeof(*spans));
	size_t nranges = 0;

	if (spans == NULL)
		return NULL;
	for (uint32_t i = 0; i < use->nextents; i++)
		nranges += extent_at(use, request, i)->nranges;
	spans->note.free = free_spans;
	spans->spans = malloc((use->nextents + (size_t) 1) * sizeof(WaGpuSpan));
	spans->ranges = malloc((nranges + 1) * sizeof(WaCudaRange));
	if (spans->spans != NULL && spans->ranges != NULL)
		return spans;
	free_spans(&spans->note);
	return NULL;
}

/* Makes the spans of a use. */
static WaGpuSpans *
make_spans(const WaMirrorUse *use, const WaRunRequest *request)
{
	WaGpuSpans *spans = make_room(use, request);

	if (spans == NULL)
		return NULL;
	find_spans(use, request, spans);
	for (uint32_t i = 0; i < spans->count; i++)
		write_span(use, request, spans, &spans->spans[i]);
	return spans;
}

const WaGpuSpans *
wa_gpu_spans_get(const WaMirrorUse *use, const WaRunRequest *request)
{
	const WaMirrorNote *note = wa_mirror_note(use);
	WaGpuSpans *made;

	if (note != NULL)
		return (const WaGpuSpans *) note;
	made = make_spans(use, request);
	if (made == NULL)
		return NULL;
	return (const WaGpuSpans *) wa_mirror_set_note(use, &made->note);
}
