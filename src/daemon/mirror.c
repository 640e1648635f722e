/*
 * mirror.c
 *		What runs use of the copies on GPUs; see mirror.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror_internal.h"

/* Extents and columns lie anywhere in memory: those of so many are fetched at once. */
#define LOOKS_AT_ONCE 32

/* Ranges of a line of memory. */
#define RANGES_OF_LINE 8

/* An extent has no place on the device, */
#define NOWHERE UINT32_MAX
/* and will have none, as its first column has a copy on another one. */
#define ELSEWHERE (UINT32_MAX - 1)

/* An extent, by the place of its run. */
typedef struct Place
{
	uint32_t place; /* the first row / WA_MIRROR_RUN_ROWS */
	uint32_t number;
} Place;

struct WaPlacementCache
{
	uint32_t references; /* atomic */
	pthread_mutex_t lock;
	WaPlacement *of[WA_MAX_DEVICES]; /* or NULL; the lock guards it */
};

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
 * Returns the place of an extent, if its columns are all in flat columns of a device, of
 * which flats has those known so far, and gets the others.
 */
static uint32_t
find_place(const WaRunExtent *extent, uint32_t ncolumns, unsigned device,
		   WaMirrorFlat **flats)
{
	const WaMirrorRun *run = extent->columns[0]->copy.run;

	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaMirrorCopy *copy = &extent->columns[i]->copy;
		WaMirrorFlat *flat = copy->flat;

		if (flat == NULL || copy->run != run)
			return NOWHERE;
		if (i == 0 && flat->device->ordinal != device)
			return ELSEWHERE;
		if (flats[i] == NULL && flat->device->ordinal == device &&
			flat->record != NULL)
			flats[i] = flat;
		if (flats[i] != flat)
			return NOWHERE;
	}
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
		const WaExtentId *id =
			request->placements == NULL ? NULL : &request->placements->ids[i];
		const WaMirrorExtent *known =
			id == NULL ? NULL
					   : find_known(making->before, making->device, id, &next);

		if (known != NULL)
		{
			placed[i] = *known;
			making->known[known - making->before->placed] = i;
			making->placement->has_nowhere |= known->place == NOWHERE;
			continue;
		}
		placed[i] = (WaMirrorExtent){.place = NOWHERE};
		if (id != NULL)
		{
			placed[i].id = id->id;
			placed[i].order = id->order;
		}
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

/* Gives up a reference. */
static void
release_placement(WaPlacement *placement)
{
	if (placement == NULL ||
		__atomic_fetch_sub(&placement->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	if (placement->note != NULL)
		placement->note->free(placement->note);
	free(placement->placed);
	free(placement->extents);
	free(placement->places);
	free(placement->first_rows);
	free(placement);
}

/* Makes a placement with room for the extents of a request, or returns NULL. */
static WaPlacement *
begin_placement(const WaMirrorDevice *device, const WaRunRequest *request)
{
	const size_t room = request->nextents;
	WaPlacement *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->references = 1;
	made->id = request->placements == NULL ? 0 : request->placements->id;
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
	release_placement(made);
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

/*
 * Finds the extents of a run on a device, by what was found before, if there is such;
 * returns NULL if there is no memory.
 */
static WaPlacement *
make_placement(const WaMirrorDevice *device, const WaRunRequest *request,
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
		release_placement(making.placement);
		making.placement = NULL;
	}
	free(making.places);
	free(making.unknown);
	free(making.known);
	return making.placement;
}

WaPlacementCache *
wa_placement_cache_make(void)
{
	WaPlacementCache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return NULL;
	cache->references = 1;
	(void) pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

WaPlacementCache *
wa_placement_cache_retain(WaPlacementCache *cache)
{
	(void) __atomic_fetch_add(&cache->references, 1, __ATOMIC_RELAXED);
	return cache;
}

void
wa_placement_cache_release(WaPlacementCache *cache)
{
	if (cache == NULL ||
		__atomic_fetch_sub(&cache->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	for (int i = 0; i < WA_MAX_DEVICES; i++)
		release_placement(cache->of[i]);
	(void) pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* Returns a reference to the last placement on a device, or NULL. */
static WaPlacement *
find_kept(const WaPlacements *placements, const WaMirrorDevice *device)
{
	WaPlacement *kept;

	if (placements == NULL)
		return NULL;
	(void) pthread_mutex_lock(&placements->cache->lock);
	kept = placements->cache->of[device->ordinal];
	if (kept != NULL)
		(void) __atomic_fetch_add(&kept->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_unlock(&placements->cache->lock);
	return kept;
}

/*
 * Tells whether a placement is what a request would find: it is of the same extents, and
 * nothing has changed, or nothing that matters: what it says of an extent that has a place
 * is right for longer (find_known).
 */
static bool
is_right_for(const WaPlacement *placement, const WaRunRequest *request,
			 const WaMirrorDevice *device)
{
	if (placement == NULL || placement->id != request->placements->id)
		return false;
	return placement->changes == device->changes ||
		   (!placement->has_nowhere &&
			placement->retired == device->mirror->retired);
}

/* Keeps a placement, instead of that which was kept before. */
static void
keep(const WaPlacements *placements, const WaMirrorDevice *device,
	 WaPlacement *placement)
{
	WaPlacement *old;

	if (placements == NULL)
		return;
	(void) __atomic_fetch_add(&placement->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_lock(&placements->cache->lock);
	old = placements->cache->of[device->ordinal];
	placements->cache->of[device->ordinal] = placement;
	(void) pthread_mutex_unlock(&placements->cache->lock);
	release_placement(old);
}

/* Describes the flat columns, to which it takes references. */
static void
describe(WaMirrorUse *use)
{
	const WaPlacement *placement = use->placement;

	use->rows = placement->rows;
	use->nextents = placement->nextents;
	use->extents = placement->extents;
	use->first_rows = placement->first_rows;
	use->placed = placement->placed;
	for (uint32_t i = 0; i < use->ncolumns; i++)
	{
		WaMirrorFlat *flat = placement->flats[i];

		(void) __atomic_fetch_add(&flat->references, 1, __ATOMIC_RELAXED);
		use->columns[i] = (WaMirrorColumn){
			.form = flat->form,
			.scale = flat->scale,
			.d_values = flat->values.d_base,
			.d_validity = (const uint64_t *) (void *) flat->validity.d_base,
			.d_display = (const uint8_t *) flat->display.d_base,
		};
	}
}

/* Describes what was found before, whose reference it takes over, if it has a note. */
static void
describe_before(WaMirrorUse *use, WaPlacement *before)
{
	WaMirrorNote *note = before == NULL
							 ? NULL
							 : __atomic_load_n(&before->note, __ATOMIC_ACQUIRE);

	if (note == NULL)
	{
		release_placement(before);
		return;
	}
	use->other = before;
	use->before = (WaMirrorBefore){
		.nextents = before->nextents,
		.places = use->placement->places,
		.note = note,
		/* The cache, which alone gives references away, has another one now. */
		.is_ours = __atomic_load_n(&before->references, __ATOMIC_ACQUIRE) == 1,
	};
}

/* Finds where extents are; the caller has the mirror's lock. */
static bool
use_device(const WaMirrorDevice *device, const WaRunRequest *request,
		   WaMirrorUse *use)
{
	WaPlacement *before = NULL;
	WaPlacement *placement = find_kept(request->placements, device);

	if (!is_right_for(placement, request, device))
	{
		before = placement;
		placement = make_placement(device, request, before);
		if (placement != NULL)
			keep(request->placements, device, placement);
	}
	if (placement == NULL || placement->nextents == 0)
	{
		release_placement(before);
		release_placement(placement);
		return false;
	}
	use->placement = placement;
	describe(use);
	describe_before(use, before);
	return true;
}

/* Returns the device with an ordinal, or NULL. */
static const WaMirrorDevice *
find_device(const WaMirror *mirror, unsigned ordinal)
{
	for (unsigned i = 0; i < mirror->ndevices; i++)
		if (mirror->devices[i]->ordinal == ordinal)
			return mirror->devices[i];
	return NULL;
}

bool
wa_mirror_use(WaMirror *mirror, const WaRunRequest *request, unsigned device,
			  WaMirrorUse *use)
{
	const WaMirrorDevice *found;
	bool is_used = false;

	memset(use, 0, sizeof(*use));
	if (mirror == NULL || request->ncolumns == 0 || request->nextents == 0 ||
		!__atomic_load_n(&mirror->started, __ATOMIC_ACQUIRE))
		return false;
	use->device = device;
	use->ncolumns = request->ncolumns;
	found = find_device(mirror, device);
	if (found == NULL)
		return false;
	(void) pthread_rwlock_rdlock(&mirror->lock);
	is_used = use_device(found, request, use);
	(void) pthread_rwlock_unlock(&mirror->lock);
	return is_used;
}

void
wa_mirror_unuse(WaMirror *mirror, WaMirrorUse *use)
{
	(void) mirror;
	for (uint32_t i = 0; i < use->ncolumns; i++)
		wa_flat_release(use->placement->flats[i]);
	release_placement(use->placement);
	release_placement(use->other);
}

const WaMirrorNote *
wa_mirror_note(const WaMirrorUse *use)
{
	return __atomic_load_n(&use->placement->note, __ATOMIC_ACQUIRE);
}

const WaMirrorNote *
wa_mirror_set_note(const WaMirrorUse *use, WaMirrorNote *note)
{
	WaMirrorNote *there = NULL;

	if (__atomic_compare_exchange_n(&use->placement->note, &there, note, false,
									__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return note;
	note->free(note);
	return there;
}
