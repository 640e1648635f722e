/*
 * gpu_spans.c
 *		Spans of positions on a GPU; see gpu_spans.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu_spans.h"

/* Ranges lie anywhere in memory: those of so many extents more are fetched. */
#define EXTENTS_AHEAD  8
#define RANGES_OF_LINE 8

/* Ranges of spans that were made before, which follow each other and are copied at once. */
typedef struct Stretch
{
	const WaCudaRange *from;
	uint32_t count;
	uint32_t shift; /* to be added to positions, modulo 2^32 */
} Stretch;

/* Writing spans, with the help of those that were made before. */
typedef struct Writing
{
	const WaMirrorUse *use;
	const WaRunRequest *request;
	WaGpuSpans *spans;
	const WaGpuSpan *old; /* that has the extent below; only if there is one */
	uint32_t next;        /* extent of what was before, in the order of positions */
	const WaCudaRange *next_ranges; /* of that extent */
	Stretch stretch;                /* that has yet to be copied */
} Writing;

/* Returns what is known of the extent at a place in the use. */
static const WaMirrorExtent *
extent_at(const WaMirrorUse *use, uint32_t place)
{
	return &use->placed[use->extents[place]];
}

/* Returns the position behind the memory of an extent. */
static uint64_t
end_of(const WaMirrorUse *use, uint32_t place)
{
	const uint64_t rows = extent_at(use, place)->nrows;

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
find_spans(const WaMirrorUse *use, WaGpuSpans *spans)
{
	for (uint32_t begin = 0; begin < use->nextents;)
	{
		WaGpuSpan *span = &spans->spans[spans->count++];
		uint64_t position = end_of(use, begin);
		uint32_t end = begin + 1;

		for (; end < use->nextents &&
			   has_memory_between(position, use->first_rows[end]);
			 end++)
			position = end_of(use, end);
		span->begin = begin;
		span->end = end;
		span->first_row = use->first_rows[begin];
		span->nrows = position - span->first_row;
		begin = end;
	}
}

/* Fetches the ranges of an extent at a place into the cache, if they will be read. */
static void
fetch_ranges(const WaMirrorUse *use, const WaRunRequest *request,
			 uint32_t place)
{
	const WaRunExtent *extent = request->extents[use->extents[place]];

	for (uint32_t i = 0; i < extent->nranges; i += RANGES_OF_LINE)
		__builtin_prefetch(&extent->ranges[i]);
}

/* Copies ranges that were made before. */
static void
copy_stretch(Writing *writing)
{
	Stretch *stretch = &writing->stretch;
	WaCudaRange *to = &writing->spans->ranges[writing->spans->nranges];

	if (stretch->shift == 0 && stretch->count > 0)
		memcpy(to, stretch->from, stretch->count * sizeof(*to));
	else
		for (uint32_t i = 0; i < stretch->count; i++)
			to[i] = (WaCudaRange){stretch->from[i].begin + stretch->shift,
								  stretch->from[i].end + stretch->shift};
	writing->spans->nranges += stretch->count;
	stretch->count = 0;
}

/* Writes ranges of rows as such of positions from a base on. */
static void
write_ranges(Writing *writing, const WaRunExtent *extent, uint32_t base)
{
	WaCudaRange *to = &writing->spans->ranges[writing->spans->nranges];

	for (uint32_t i = 0; i < extent->nranges; i++)
		to[i] = (WaCudaRange){base + extent->ranges[i].begin,
							  base + extent->ranges[i].end};
	writing->spans->nranges += extent->nranges;
}

/* Goes on to the first extent of what was before that is at a position or behind it. */
static void
go_on(Writing *writing, uint64_t first_row)
{
	const WaMirrorBefore *before = &writing->use->before;

	while (writing->next < before->nextents &&
		   before->first_rows[writing->next] < first_row)
	{
		writing->next_ranges +=
			before->placed[before->extents[writing->next]].nranges;
		writing->next++;
		if (writing->next == writing->old->end)
			writing->old++;
	}
}

/*
 * Adds the ranges of the extent at a place to those that are to be copied, if they are
 * in the spans that were made before.  Their positions are relative to the first row of
 * the span: the extent has to be the same one, at the same position.
 */
static bool
add_old(Writing *writing, const WaGpuSpan *span, uint32_t place)
{
	const WaMirrorBefore *before = &writing->use->before;
	const WaMirrorExtent *extent = extent_at(writing->use, place);
	const uint64_t first_row = writing->use->first_rows[place];
	Stretch *stretch = &writing->stretch;
	uint32_t shift;

	go_on(writing, first_row);
	if (writing->next == before->nextents || extent->id == 0 ||
		before->first_rows[writing->next] != first_row ||
		before->placed[before->extents[writing->next]].id != extent->id)
		return false;
	shift = (uint32_t) (writing->old->first_row - span->first_row);
	if (stretch->count > 0 &&
		(stretch->from + stretch->count != writing->next_ranges ||
		 stretch->shift != shift))
		copy_stretch(writing);
	if (stretch->count == 0)
		*stretch = (Stretch){.from = writing->next_ranges, .shift = shift};
	stretch->count += extent->nranges;
	return true;
}

/* Writes the ranges of the extent at a place. */
static void
write_extent(Writing *writing, const WaGpuSpan *span, uint32_t place)
{
	const WaMirrorUse *use = writing->use;

	if (add_old(writing, span, place))
		return;
	copy_stretch(writing);
	write_ranges(writing, writing->request->extents[use->extents[place]],
				 (uint32_t) (use->first_rows[place] - span->first_row));
}

/* Writes the ranges of a span's extents. */
static void
write_span(Writing *writing, WaGpuSpan *span)
{
	WaGpuSpans *spans = writing->spans;
	const uint32_t first = spans->nranges;

	span->rows = 0;
	for (uint32_t place = span->begin; place < span->end; place++)
	{
		if (writing->use->before.nextents == 0 &&
			place + EXTENTS_AHEAD < span->end)
			fetch_ranges(writing->use, writing->request, place + EXTENTS_AHEAD);
		write_extent(writing, span, place);
		span->rows += extent_at(writing->use, place)->rows;
	}
	copy_stretch(writing);
	span->ranges = &spans->ranges[first];
	span->nranges = spans->nranges - first;
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
make_room(const WaMirrorUse *use)
{
	WaGpuSpans *spans = calloc(1, sizeof(*spans));
	size_t nranges = 0;

	if (spans == NULL)
		return NULL;
	for (uint32_t i = 0; i < use->nextents; i++)
		nranges += extent_at(use, i)->nranges;
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
	WaGpuSpans *spans = make_room(use);
	Writing writing = {.use = use, .request = request, .spans = spans};

	if (spans == NULL)
		return NULL;
	if (use->before.nextents > 0)
	{
		const WaGpuSpans *old = (const WaGpuSpans *) use->before.note;

		writing.old = old->spans;
		writing.next_ranges = old->ranges;
	}
	find_spans(use, spans);
	for (uint32_t i = 0; i < spans->count; i++)
		write_span(&writing, &spans->spans[i]);
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
