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

/* Ranges of the spans that were made before, which follow each other here, too. */
typedef struct Stretch
{
	uint32_t from; /* there */
	uint32_t to;   /* here */
	uint32_t count;
	uint32_t shift; /* to be added to positions, modulo 2^32 */
} Stretch;

/* An extent whose ranges are to be written. */
typedef struct Fresh
{
	uint32_t place;
	uint32_t to;
	uint32_t base; /* position of its first row in the span */
} Fresh;

/* Where ranges of spans come from, with the help of what was made before. */
typedef struct Plan
{
	const WaMirrorUse *use;
	const WaRunRequest *request;
	WaGpuSpans *old; /* or NULL */
	uint32_t span;   /* of the old ones, that has the extent below */
	uint32_t next;   /* extent of what was before, by position */
	uint32_t from;   /* the first range of that */
	uint32_t nstretches;
	Stretch *stretches;
	uint32_t nfresh;
	Fresh *fresh;
} Plan;

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

/* Goes on to the first extent of what was before that is at a position or behind it. */
static void
go_on(Plan *plan, uint64_t first_row)
{
	const WaMirrorBefore *before = &plan->use->before;

	while (plan->next < before->nextents &&
		   before->first_rows[plan->next] < first_row)
	{
		plan->from += before->placed[before->extents[plan->next]].nranges;
		plan->next++;
		if (plan->next == plan->old->spans[plan->span].end)
			plan->span++;
	}
}

/*
 * Tells whether the ranges of the extent at a place are in the spans that were made before:
 * if it is the same one, at the same position.  Has plan->from say where.
 */
static bool
is_old(Plan *plan, uint32_t place)
{
	const WaMirrorBefore *before = &plan->use->before;
	const uint64_t first_row = plan->use->first_rows[place];

	if (plan->old == NULL)
		return false;
	go_on(plan, first_row);
	return plan->next < before->nextents &&
		   before->first_rows[plan->next] == first_row &&
		   before->placed[before->extents[plan->next]].id ==
			   extent_at(plan->use, place)->id &&
		   extent_at(plan->use, place)->id != 0;
}

/* Adds ranges, to which plan->from points, to those that are to be copied. */
static void
add_old(Plan *plan, const WaGpuSpan *span, uint32_t to, uint32_t count)
{
	/* Positions are relative to the first row of the span. */
	const uint32_t shift =
		(uint32_t) (plan->old->spans[plan->span].first_row - span->first_row);
	Stretch *last = plan->nstretches == 0
						? NULL
						: &plan->stretches[plan->nstretches - 1];

	if (last != NULL && last->shift == shift &&
		last->from + last->count == plan->from &&
		last->to + last->count == to)
		last->count += count;
	else
		plan->stretches[plan->nstretches++] =
			(Stretch){plan->from, to, count, shift};
}

/* Plans the ranges of a span's extents, and sums up their rows. */
static void
plan_span(Plan *plan, WaGpuSpans *spans, WaGpuSpan *span)
{
	const uint32_t first = spans->nranges;

	span->rows = 0;
	for (uint32_t place = span->begin; place < span->end; place++)
	{
		const WaMirrorExtent *extent = extent_at(plan->use, place);

		if (is_old(plan, place))
			add_old(plan, span, spans->nranges, extent->nranges);
		else
			plan->fresh[plan->nfresh++] = (Fresh){
				place, spans->nranges,
				(uint32_t) (plan->use->first_rows[place] - span->first_row)};
		spans->nranges += extent->nranges;
		span->rows += extent->rows;
	}
	span->nranges = spans->nranges - first;
}

/*
 * Has spans that nobody else has give their ranges up, or gets memory for new ones, with
 * room for some more of those to come.
 */
static bool
take_room(const Plan *plan, WaGpuSpans *spans)
{
	WaGpuSpans *old = plan->old;

	if (old != NULL && plan->use->before.is_ours && old->room >= spans->nranges)
	{
		spans->room = old->room;
		spans->ranges = old->ranges;
		old->ranges = NULL;
		return true;
	}
	spans->room = (size_t) spans->nranges + spans->nranges / 8 + 1;
	spans->ranges = malloc(spans->room * sizeof(*spans->ranges));
	return spans->ranges != NULL;
}

/* Copies a stretch, perhaps within the same memory. */
static void
copy_stretch(const Stretch *stretch, const WaCudaRange *from, WaCudaRange *to)
{
	WaCudaRange *ranges = &to[stretch->to];

	if (ranges != &from[stretch->from])
		memmove(ranges, &from[stretch->from], stretch->count * sizeof(*ranges));
	for (uint32_t i = 0; stretch->shift != 0 && i < stretch->count; i++)
	{
		ranges[i].begin += stretch->shift;
		ranges[i].end += stretch->shift;
	}
}

/*
 * Copies all of them.  Within the same memory none may be written over before it has been
 * copied: those that move towards the begin go first, from there, then the others from
 * the end.
 */
static void
copy_stretches(const Plan *plan, const WaCudaRange *from, WaCudaRange *to)
{
	for (uint32_t i = 0; i < plan->nstretches; i++)
		if (plan->stretches[i].to <= plan->stretches[i].from)
			copy_stretch(&plan->stretches[i], from, to);
	for (uint32_t i = plan->nstretches; i-- > 0;)
		if (plan->stretches[i].to > plan->stretches[i].from)
			copy_stretch(&plan->stretches[i], from, to);
}

/* Fetches the ranges of an extent into the cache. */
static void
fetch_ranges(const WaRunExtent *extent)
{
	for (uint32_t i = 0; i < extent->nranges; i += RANGES_OF_LINE)
		__builtin_prefetch(&extent->ranges[i]);
}

/* Returns an extent whose ranges are to be written. */
static const WaRunExtent *
fresh_extent(const Plan *plan, const Fresh *fresh)
{
	return plan->request->extents[plan->use->extents[fresh->place]];
}

/* Writes the ranges of those, as such of positions. */
static void
write_fresh(const Plan *plan, WaCudaRange *ranges)
{
	for (uint32_t i = 0; i < plan->nfresh; i++)
	{
		const Fresh *fresh = &plan->fresh[i];
		const WaRunExtent *extent = fresh_extent(plan, fresh);
		WaCudaRange *to = &ranges[fresh->to];

		if (i + EXTENTS_AHEAD < plan->nfresh)
			fetch_ranges(fresh_extent(plan, &fresh[EXTENTS_AHEAD]));
		for (uint32_t j = 0; j < extent->nranges; j++)
			to[j] = (WaCudaRange){fresh->base + extent->ranges[j].begin,
								  fresh->base + extent->ranges[j].end};
	}
}

static void
free_spans(WaMirrorNote *note)
{
	WaGpuSpans *spans = (WaGpuSpans *) note;

	free(spans->spans);
	free(spans->ranges);
	free(spans);
}

/* Writes the ranges of spans that were found; false if there is no memory. */
static bool
write_spans(Plan *plan, WaGpuSpans *spans)
{
	const WaCudaRange *from = plan->old == NULL ? NULL : plan->old->ranges;
	const WaCudaRange *next;

	for (uint32_t i = 0; i < spans->count; i++)
		plan_span(plan, spans, &spans->spans[i]);
	if (!take_room(plan, spans))
		return false;
	copy_stretches(plan, from, spans->ranges);
	write_fresh(plan, spans->ranges);
	next = spans->ranges;
	for (uint32_t i = 0; i < spans->count; i++)
	{
		spans->spans[i].ranges = next;
		next += spans->spans[i].nranges;
	}
	return true;
}

/* Makes the spans of a use. */
static WaGpuSpans *
make_spans(const WaMirrorUse *use, const WaRunRequest *request)
{
	const size_t room = use->nextents + (size_t) 1;
	WaGpuSpans *spans = calloc(1, sizeof(*spans));
	Plan plan = {
		.use = use,
		.request = request,
		.old = use->before.nextents > 0 ? (WaGpuSpans *) use->before.note : NULL,
		.stretches = malloc(room * sizeof(*plan.stretches)),
		.fresh = malloc(room * sizeof(*plan.fresh))};
	bool made = false;

	if (spans != NULL)
	{
		spans->note.free = free_spans;
		spans->spans = malloc(room * sizeof(*spans->spans));
	}
	if (spans != NULL && spans->spans != NULL && plan.stretches != NULL &&
		plan.fresh != NULL)
	{
		find_spans(use, spans);
		made = write_spans(&plan, spans);
	}
	free(plan.stretches);
	free(plan.fresh);
	if (made)
		return spans;
	if (spans != NULL)
		free_spans(&spans->note);
	return NULL;
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
