/*
 * gpu_spans.c
 *		Spans of positions on a GPU; see gpu_spans.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu/gpu_spans.h"

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

/* What extents of a use have, by the order of their positions. */
typedef struct WaGpuSums
{
	uint32_t nranges;
	uint32_t rows; /* of the ranges */
} WaGpuSums;

/* Where ranges of spans come from, with the help of what was made before. */
typedef struct Plan
{
	const WaMirrorUse *use;
	const WaRunRequest *request;
	WaGpuSpans *spans;
	WaGpuSpans *old; /* or NULL */
	uint32_t span;   /* of the old ones, that has had the last extent */
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

/* Returns where an extent was in what was made before, or WA_MIRROR_NONE. */
static uint32_t
old_place(const Plan *plan, uint32_t place)
{
	return plan->old == NULL ? WA_MIRROR_NONE : plan->use->before.places[place];
}

/* Returns the old span that an extent was in, none of an earlier place being looked for. */
static const WaGpuSpan *
old_span(Plan *plan, uint32_t old)
{
	while (plan->old->spans[plan->span].end <= old)
		plan->span++;
	return &plan->old->spans[plan->span];
}

/* Tells whether an extent lies together with the one before it. */
static bool
is_joined(Plan *plan, uint32_t place)
{
	const uint32_t old = old_place(plan, place);

	/* As before, if it was behind the same one: that takes no look at it. */
	if (old != WA_MIRROR_NONE && old > 0 &&
		old_place(plan, place - 1) == old - 1)
		return old_span(plan, old)->begin < old;
	return has_memory_between(end_of(plan->use, place - 1),
							  plan->use->first_rows[place]);
}

/* Finds which extents lie together. */
static void
find_spans(Plan *plan)
{
	const WaMirrorUse *use = plan->use;

	for (uint32_t begin = 0; begin < use->nextents;)
	{
		WaGpuSpan *span = &plan->spans->spans[plan->spans->count++];
		uint32_t end = begin + 1;

		while (end < use->nextents && is_joined(plan, end))
			end++;
		span->begin = begin;
		span->end = end;
		span->first_row = use->first_rows[begin];
		span->nrows = end_of(use, end - 1) - span->first_row;
		begin = end;
	}
	plan->span = 0;
}

/*
 * Adds the ranges of an extent that was at a place before to those that are to be copied.
 * They are the same: so is the extent, and its position.
 */
static void
add_old(Plan *plan, const WaGpuSpan *span, uint32_t old, WaGpuSums *sums)
{
	const WaGpuSums *old_sums = &plan->old->sums[old];
	const uint32_t from = old_sums[0].nranges;
	const uint32_t count = old_sums[1].nranges - from;
	/* Positions of ranges are relative to the first row of the span. */
	const uint32_t shift =
		(uint32_t) (old_span(plan, old)->first_row - span->first_row);
	Stretch *last =
		plan->nstretches == 0 ? NULL : &plan->stretches[plan->nstretches - 1];

	if (last != NULL && last->shift == shift &&
		last->from + last->count == from &&
		last->to + last->count == sums[0].nranges)
		last->count += count;
	else
		plan->stretches[plan->nstretches++] =
			(Stretch){from, sums[0].nranges, count, shift};
	sums[1].nranges = sums[0].nranges + count;
	sums[1].rows = sums[0].rows + (old_sums[1].rows - old_sums[0].rows);
}

/* Adds the extent at a place to those whose ranges are to be written. */
static void
add_fresh(Plan *plan, const WaGpuSpan *span, uint32_t place, WaGpuSums *sums)
{
	const WaMirrorExtent *extent = extent_at(plan->use, place);

	plan->fresh[plan->nfresh++] =
		(Fresh){place, sums[0].nranges,
				(uint32_t) (plan->use->first_rows[place] - span->first_row)};
	sums[1].nranges = sums[0].nranges + extent->nranges;
	sums[1].rows = sums[0].rows + extent->rows;
}

/* Plans the ranges of a span's extents, and sums up what these have. */
static void
plan_span(Plan *plan, WaGpuSpan *span)
{
	WaGpuSums *sums = plan->spans->sums;

	for (uint32_t place = span->begin; place < span->end; place++)
	{
		const uint32_t old = old_place(plan, place);

		if (old != WA_MIRROR_NONE)
			add_old(plan, span, old, &sums[place]);
		else
			add_fresh(plan, span, place, &sums[place]);
	}
	span->nranges = sums[span->end].nranges - sums[span->begin].nranges;
	span->rows = sums[span->end].rows - sums[span->begin].rows;
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
	free(spans->sums);
	free(spans->ranges);
	free(spans);
}

/* Makes spans with room for all extents of a use, or returns NULL. */
static WaGpuSpans *
make_room(const WaMirrorUse *use)
{
	const size_t room = use->nextents + (size_t) 1;
	WaGpuSpans *spans = calloc(1, sizeof(*spans));

	if (spans == NULL)
		return NULL;
	spans->note.free = free_spans;
	spans->spans = malloc(room * sizeof(*spans->spans));
	spans->sums = malloc(room * sizeof(*spans->sums));
	if (spans->spans != NULL && spans->sums != NULL)
		return spans;
	free_spans(&spans->note);
	return NULL;
}

/* Does as planned; false if there is no memory. */
static bool
write_spans(Plan *plan)
{
	WaGpuSpans *spans = plan->spans;
	const WaCudaRange *from = plan->old == NULL ? NULL : plan->old->ranges;

	spans->nranges = spans->sums[plan->use->nextents].nranges;
	if (!take_room(plan, spans))
		return false;
	copy_stretches(plan, from, spans->ranges);
	write_fresh(plan, spans->ranges);
	for (uint32_t i = 0; i < spans->count; i++)
		spans->spans[i].ranges =
			&spans->ranges[spans->sums[spans->spans[i].begin].nranges];
	return true;
}

/* Makes the spans of a plan, which has room for it; false if there is no memory. */
static bool
fill_spans(Plan *plan)
{
	find_spans(plan);
	plan->spans->sums[0] = (WaGpuSums){0};
	for (uint32_t i = 0; i < plan->spans->count; i++)
		plan_span(plan, &plan->spans->spans[i]);
	return write_spans(plan);
}

/* Makes the spans of a use. */
static WaGpuSpans *
make_spans(const WaMirrorUse *use, const WaRunRequest *request)
{
	const size_t room = use->nextents + (size_t) 1;
	WaGpuSpans *spans = make_room(use);
	Plan plan = {.use = use,
				 .request = request,
				 .spans = spans,
				 .stretches = malloc(room * sizeof(*plan.stretches)),
				 .fresh = malloc(room * sizeof(*plan.fresh))};

	if (use->before.nextents > 0)
		plan.old = (WaGpuSpans *) use->before.note;
	if (spans != NULL &&
		(plan.stretches == NULL || plan.fresh == NULL || !fill_spans(&plan)))
	{
		free_spans(&spans->note);
		spans = NULL;
	}
	free(plan.stretches);
	free(plan.fresh);
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
