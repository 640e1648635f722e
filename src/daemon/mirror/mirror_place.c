/*
 * mirror_place.c
 *		Finding where the extents of a run are on a device; see mirror_internal.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror/mirror_internal.h"

/* Extents and columns lie anywhere in memory: those of so many are fetched at once. */
#define LOOKS_AT_ONCE 32

/* Ranges of a line of memory. */
#define RANGES_OF_LINE 8

/* An extent has no place on the device, */
#define NOWHERE UINT32_MAX
/* and will have none, as its first column has a copy on another one, or in other rows. */
#define ELSEWHERE (UINT32_MAX - 1)

/* An extent, by the place of its run. */
typedef struct Place
{
	uint32_t place; /* the first row / WA_MIRROR_RUN_ROWS */
	uint32_t number;
} Place;

/* A placement that is being made; numbers are those of the request's extents. */
typedef struct Making
{
	const WaMirrorDevice *device;
	const WaRunRequest *request;
	const WaPlacement *before; /* or NULL */
	WaPlacement *placement;
	uint32_t *unknown; /* numbers of those to look at */
	uint32_t nunknown;
	uint32_t
		*known; /* of those known before, by their numbers there, or NOWHERE */
	Place *places; /* of the unknown, and as much room again */
} Making;

/*
 * Tells whether a run has no rows of a device, or others than flat columns that are known:
 * a request may have extents of several relations, of which one has its place then.
 */
static bool
is_elsewhere(const WaMirrorRun *run, unsigned device, const WaMirrorFlat *known)
{
	return run->space->device->ordinal != device ||
		   (known != NULL && run->space != known->record->space);
}

/*
 * Returns the place of an extent, if its columns are all in flat columns of a device: in
 * flats, unless these are not known so far, which they are then.
 */
static uint32_t
find_place(const WaRunExtent *extent, uint32_t ncolumns, unsigned device,
		   WaMirrorFlat **flats)
{
	const WaMirrorRun *run = extent->columns[0]->copy.run;
	const bool are_known = flats[0] != NULL;

	if (extent->columns[0]->copy.flat == NULL)
		return NOWHERE;
	if (is_elsewhere(run, device, flats[0]))
		return ELSEWHERE;
	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaMirrorCopy *copy = &extent->columns[i]->copy;
		const WaMirrorFlat *flat = copy->flat;

		if (flat == NULL || copy->run != run || flat->record == NULL ||
			(are_known && flats[i] != flat))
			return NOWHERE;
	}
	for (uint32_t i = 0; !are_known && i < ncolumns; i++)
		flats[i] = extent->columns[i]->copy.flat;
	return (uint32_t) (run->first / WA_MIRROR_RUN_ROWS);
}

/*
 * Returns what a placement says of an extent, or NULL; *next is where in it the ones of
 * that order or a larger one begin, and begins at 0.
 *
 * It is right if the extent is the same, which the id says, and no flat column has been
 * retired since: for all the time the extent has referred to its columns, so that their
 * copies have not been given up, which are so of columns that nobody uses, nor moved,
 * which they are into a flat column that takes the place of another.  That the extent has
 * no place is right for as long as no copy has come.
 */
static const WaMirrorExtent *
find_known(const WaPlacement *before, const WaMirrorDevice *device,
		   const WaExtentId *id, uint32_t *next)
{
	const WaMirrorExtent *found;

	if (before == NULL)
		return NULL;
	while (*next < before->nplaced && before->placed[*next].order < id->order)
		(*next)++;
	found = &before->placed[*next];
	if (*next == before->nplaced || found->id != id->id ||
		(found->place == NOWHERE && before->changes != device->changes))
		return NULL;
	return found;
}

/* Finds what is known of extents, and notes which have to be looked at. */
static void
find_all_known(Making *making)
{
	const WaRunRequest *request = making->request;
	WaMirrorExtent *placed = making->placement->placed;
	uint32_t next = 0;

	for (uint32_t i = 0; i < request->nextents; i++)
	{
		const WaExtentId *id = &request->placements->ids[i];
		const WaMirrorExtent *known =
			find_known(making->before, making->device, id, &next);

		if (known != NULL)
		{
			placed[i] = *known;
			making->known[known - making->before->placed] = i;
			making->placement->has_nowhere |= known->place == NOWHERE;
			continue;
		}
		placed[i] = (WaMirrorExtent){
			.id = id->id, .order = id->order, .place = NOWHERE};
		making->unknown[making->nunknown++] = i;
	}
}

/* Looks at an extent. */
static void
look_at(const Making *making, uint32_t number)
{
	const WaRunExtent *extent = making->request->extents[number];
	WaMirrorExtent *placed = &making->placement->placed[number];

	placed->nrows = extent->nrows;
	placed->nranges = extent->nranges;
	for (uint32_t i = 0; i < extent->nranges; i++)
		placed->rows += extent->ranges[i].end - extent->ranges[i].begin;
	placed->place =
		find_place(extent, making->request->ncolumns, making->device->ordinal,
				   making->placement->flats);
	making->placement->has_nowhere |= placed->place == NOWHERE;
}

/* Looks at some of the unknown extents, once their memory has been fetched step by step. */
static void
look_at_some(const Making *making, const uint32_t *unknown, uint32_t count)
{
	const WaRunExtent *const *extents = making->request->extents;

	for (uint32_t i = 0; i < count; i++)
		__builtin_prefetch(extents[unknown[i]]);
	for (uint32_t i = 0; i < count; i++)
	{
		const WaRunExtent *extent = extents[unknown[i]];

		__builtin_prefetch(extent->columns);
		for (uint32_t j = 0; j < extent->nranges; j += RANGES_OF_LINE)
			__builtin_prefetch(&extent->ranges[j]);
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < making->request->ncolumns; j++)
			__builtin_prefetch(&extents[unknown[i]]->columns[j]->copy);
	for (uint32_t i = 0; i < count; i++)
		look_at(making, unknown[i]);
}

/* Looks at all of them. */
static void
look_at_unknown(const Making *making)
{
	for (uint32_t i = 0; i < making->nunknown; i += LOOKS_AT_ONCE)
	{
		const uint32_t left = making->nunknown - i;

		look_at_some(making, &making->unknown[i],
					 left < LOOKS_AT_ONCE ? left : LOOKS_AT_ONCE);
	}
}

/* Returns the position of a place. */
static uint64_t
first_row_of(uint32_t place)
{
	return place * (uint64_t) WA_MIRROR_RUN_ROWS;
}

/* Returns the position behind an extent's memory. */
static uint64_t
end_of(const WaMirrorExtent *extent)
{
	const uint64_t rows = extent->nrows;

	return first_row_of(extent->place) + (rows + WA_MIRROR_RUN_ROWS - 1) /
											 WA_MIRROR_RUN_ROWS *
											 WA_MIRROR_RUN_ROWS;
}

/* Places are sorted by so many bits at a time. */
#define DIGIT_BITS 10
#define DIGITS     (1 << DIGIT_BITS)

/* Sorts by some bits of the places, in the order that they have. */
static void
sort_by_digit(const Place *from, Place *to, uint32_t count, int shift)
{
	uint32_t next[DIGITS] = {0};
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		next[from[i].place >> shift & (DIGITS - 1)]++;
	for (int i = 0; i < DIGITS; i++)
	{
		const uint32_t number = next[i];

		next[i] = sum;
		sum += number;
	}
	for (uint32_t i = 0; i < count; i++)
		to[next[from[i].place >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts by place: radix sort, which takes a tenth of qsort's time for 4000 extents. */
static void
sort_places(Place *places, Place *spare, uint32_t count)
{
	_Static_assert(WA_MIRROR_PLACES <= (uint64_t) DIGITS * DIGITS,
				   "places have two digits");
	sort_by_digit(places, spare, count, 0);
	sort_by_digit(spare, places, count, DIGIT_BITS);
}

/* Orders the unknown extents that have places by these; returns how many. */
static uint32_t
order_unknown(const Making *making)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < making->nunknown; i++)
	{
		const uint32_t number = making->unknown[i];
		const uint32_t place = making->placement->placed[number].place;

		if (place < ELSEWHERE)
			making->places[count++] = (Place){place, number};
	}
	if (count > 1)
		sort_places(making->places, &making->places[making->nunknown], count);
	return count;
}

/* Adds an extent, which was at a place before, or at none, behind the others. */
static void
append(WaPlacement *placement, uint32_t number, uint64_t first_row,
	   uint32_t place)
{
	placement->extents[placement->nextents] = number;
	placement->places[placement->nextents] = place;
	placement->first_rows[placement->nextents++] = first_row;
}

/* Orders all extents that have places: the known ones have their order from before. */
static void
order_by_place(const Making *making)
{
	const WaPlacement *before = making->before;
	const uint32_t nbefore = before == NULL ? 0 : before->nextents;
	const Place *next = making->places;
	const Place *const end = next + order_unknown(making);
	WaPlacement *placement = making->placement;

	for (uint32_t i = 0; i < nbefore; i++)
	{
		const uint32_t number = making->known[before->extents[i]];

		if (number == NOWHERE)
			continue;
		for (; next < end && first_row_of(next->place) < before->first_rows[i];
			 next++)
			append(placement, next->number, first_row_of(next->place),
				   WA_MIRROR_NONE);
		append(placement, number, before->first_rows[i], i);
	}
	for (; next < end; next++)
		append(placement, next->number, first_row_of(next->place),
			   WA_MIRROR_NONE);
	/* Rows of extents are apart. */
	if (placement->nextents > 0)
		placement->rows = end_of(
			&placement->placed[placement->extents[placement->nextents - 1]]);
}

/* Frees a placement to which nobody refers any more. */
static void
free_placement(WaKeptPlacement *kept)
{
	WaPlacement *placement = (WaPlacement *) kept;

	if (placement->note != NULL)
		placement->note->free(placement->note);
	free(placement->placed);
	free(placement->extents);
	free(placement->places);
	free(placement->first_rows);
	free(placement);
}

void
wa_placement_release(WaPlacement *placement)
{
	if (placement != NULL)
		wa_kept_placement_release(&placement->kept);
}

/* Makes a placement with room for the extents of a request, or returns NULL. */
static WaPlacement *
begin_placement(const WaMirrorDevice *device, const WaRunRequest *request)
{
	const size_t room = request->nextents;
	WaPlacement *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->kept = (WaKeptPlacement){1, free_placement};
	made->id = request->placements->id;
	made->changes = device->changes;
	made->retired = device->mirror->retired;
	made->ncolumns = request->ncolumns;
	made->nplaced = (uint32_t) room;
	made->placed = malloc(room * sizeof(*made->placed));
	made->extents = malloc(room * sizeof(*made->extents));
	made->first_rows = malloc(room * sizeof(*made->first_rows));
	made->places = malloc(room * sizeof(*made->places));
	if (made->placed != NULL && made->extents != NULL &&
		made->first_rows != NULL && made->places != NULL)
		return made;
	wa_placement_release(made);
	return NULL;
}

/* Makes room for a placement, and for making it; false if there is no memory. */
static bool
begin_making(Making *making)
{
	const size_t room = making->request->nextents;
	const size_t nbefore = making->before == NULL ? 0 : making->before->nplaced;

	making->placement = begin_placement(making->device, making->request);
	making->places = malloc(2 * room * sizeof(*making->places));
	making->unknown = malloc(room * sizeof(*making->unknown));
	making->known = malloc((nbefore + 1) * sizeof(*making->known));
	if (making->placement == NULL || making->places == NULL ||
		making->unknown == NULL || making->known == NULL)
		return false;
	if (making->before != NULL)
		memcpy(making->placement->flats, making->before->flats,
			   making->request->ncolumns * sizeof(WaMirrorFlat *));
	for (size_t i = 0; i < nbefore; i++)
		making->known[i] = NOWHERE;
	return true;
}

WaPlacement *
wa_placement_make(const WaMirrorDevice *device, const WaRunRequest *request,
				  const WaPlacement *before)
{
	Making making = {.device = device, .request = request};

	if (before != NULL && before->retired == device->mirror->retired)
		making.before = before;
	if (begin_making(&making))
	{
		find_all_known(&making);
		look_at_unknown(&making);
		order_by_place(&making);
	}
	else
	{
		wa_placement_release(making.placement);
		making.placement = NULL;
	}
	free(making.places);
	free(making.unknown);
	free(making.known);
	return making.placement;
}

bool
wa_placement_is_right_for(const WaPlacement *placement,
						  const WaRunRequest *request,
						  const WaMirrorDevice *device)
{
	if (placement == NULL || placement->id != request->placements->id)
		return false;
	return placement->changes == device->changes ||
		   (!placement->has_nowhere &&
			placement->retired == device->mirror->retired);
}
