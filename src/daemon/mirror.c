/*
 * mirror.c
 *		What runs use of the copies on GPUs; see mirror.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror_internal.h"

/* Extents and columns lie anywhere in memory: those of so many more are fetched. */
#define EXTENTS_AHEAD 32

/*
 * A mark of an extent says where its rows are, so that its columns need not be looked at
 * again: the place of the run, the GPU, and how many flat columns had been retired before.
 * As long as no other one is all columns stay in theirs: copies are given up only of
 * columns that nobody uses.
 */
#define MARK_PLACES      WA_MIRROR_PLACES
#define MARK_PLACES_GPUS (MARK_PLACES * WA_MAX_DEVICES)

/* An extent, by the place of its run. */
typedef struct Place
{
	uint32_t place; /* the first row / WA_MIRROR_RUN_ROWS */
	uint32_t number;
} Place;

/* Returns the mark of extents of which nothing but the place is to be found. */
static uint64_t
mark_of(const WaMirrorDevice *device)
{
	return (device->mirror->retired + 1) * MARK_PLACES_GPUS +
		   device->ordinal * MARK_PLACES;
}

/*
 * Returns where an extent's rows are, if its columns are all in flat columns of a
 * device, of which flats has those known so far, and gets the others; else NULL.
 */
static const WaMirrorRun *
find_run(const WaRunExtent *extent, uint32_t ncolumns, unsigned device,
		 WaMirrorFlat **flats)
{
	const WaMirrorRun *run = extent->columns[0]->copy.run;

	for (uint32_t i = 0; i < ncolumns; i++)
	{
		const WaMirrorCopy *copy = &extent->columns[i]->copy;
		WaMirrorFlat *flat = copy->flat;

		if (flat == NULL || copy->run != run)
			return NULL;
		if (flats[i] == NULL && flat->device->ordinal == device &&
			flat->record != NULL)
			flats[i] = flat;
		if (flats[i] != flat)
			return NULL;
	}
	return run;
}

/*
 * Finds the place of an extent's run, by its mark if the flat columns are known: these
 * are all there is to know once some extent has been found.
 */
static bool
find_place(const WaRunExtent *extent, uint32_t ncolumns, uint64_t mark,
		   unsigned device, WaPlacement *placement, uint32_t *place)
{
	uint64_t found = 0;
	const WaMirrorRun *run;

	if (extent->mark != NULL)
		found = __atomic_load_n(extent->mark, __ATOMIC_RELAXED);
	if (placement->rows > 0 && found >= mark && found - mark < MARK_PLACES)
	{
		*place = (uint32_t) (found - mark);
		return true;
	}
	run = find_run(extent, ncolumns, device, placement->flats);
	if (run == NULL)
		return false;
	*place = (uint32_t) (run->first / WA_MIRROR_RUN_ROWS);
	if (extent->mark != NULL)
		__atomic_store_n(extent->mark, mark + *place, __ATOMIC_RELAXED);
	return true;
}

/* Returns the position behind an extent's memory, if its run is at a place. */
static uint64_t
end_of(const WaRunExtent *extent, uint32_t place)
{
	const uint64_t rows = extent->nrows;

	return (place + (rows + WA_MIRROR_RUN_ROWS - 1) / WA_MIRROR_RUN_ROWS) *
		   WA_MIRROR_RUN_ROWS;
}

/* Finds the extents that are there; returns how many. */
static uint32_t
find_places(const WaMirrorDevice *device, const WaRunRequest *request,
			WaPlacement *placement, Place *places)
{
	const uint64_t mark = mark_of(device);
	uint32_t count = 0;
	uint32_t place;

	for (uint64_t i = 0; i < request->nextents; i++)
	{
		const WaRunExtent *extent = request->extents[i];

		if (i + EXTENTS_AHEAD < request->nextents)
			__builtin_prefetch(request->extents[i + EXTENTS_AHEAD]);
		if (!find_place(extent, request->ncolumns, mark, device->ordinal,
						placement, &place))
			continue;
		places[count++] = (Place){place, (uint32_t) i};
		if (end_of(extent, place) > placement->rows)
			placement->rows = end_of(extent, place);
	}
	return count;
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

/* Gives up a reference. */
static void
release_placement(WaPlacement *placement)
{
	if (placement == NULL ||
		__atomic_fetch_sub(&placement->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	if (placement->note != NULL)
		placement->note->free(placement->note);
	free(placement->extents);
	free(placement->first_rows);
	free(placement);
}

/* Finds the extents of a run on a device; returns NULL if there is no memory. */
static WaPlacement *
make_placement(const WaMirrorDevice *device, const WaRunRequest *request)
{
	const size_t room = request->nextents;
	Place *places = malloc(2 * room * sizeof(*places));
	WaPlacement *made = calloc(1, sizeof(*made));

	if (places != NULL && made != NULL)
	{
		made->references = 1;
		made->changes = device->changes;
		made->ncolumns = request->ncolumns;
		made->nextents = find_places(device, request, made, places);
		made->extents = malloc((made->nextents + 1) * sizeof(uint32_t));
		made->first_rows = malloc((made->nextents + 1) * sizeof(uint64_t));
	}
	if (made == NULL || made->extents == NULL || made->first_rows == NULL)
	{
		free(places);
		release_placement(made);
		return NULL;
	}
	sort_places(places, &places[room], made->nextents);
	for (uint32_t i = 0; i < made->nextents; i++)
	{
		made->extents[i] = places[i].number;
		made->first_rows[i] = places[i].place * (uint64_t) WA_MIRROR_RUN_ROWS;
	}
	free(places);
	return made;
}

void
wa_placements_init(WaPlacements *placements)
{
	memset(placements, 0, sizeof(*placements));
	(void) pthread_mutex_init(&placements->lock, NULL);
}

void
wa_placements_end(WaPlacements *placements)
{
	for (int i = 0; i < WA_MAX_DEVICES; i++)
		release_placement(placements->of[i]);
	(void) pthread_mutex_destroy(&placements->lock);
}

/* Returns a reference to the placement that is kept, if it is of use, or NULL. */
static WaPlacement *
find_kept(WaPlacements *placements, const WaMirrorDevice *device)
{
	WaPlacement *kept;

	if (placements == NULL)
		return NULL;
	(void) pthread_mutex_lock(&placements->lock);
	kept = placements->of[device->ordinal];
	if (kept != NULL && kept->changes != device->changes)
		kept = NULL;
	if (kept != NULL)
		(void) __atomic_fetch_add(&kept->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_unlock(&placements->lock);
	return kept;
}

/* Keeps a placement, instead of that which was kept before. */
static void
keep(WaPlacements *placements, const WaMirrorDevice *device,
	 WaPlacement *placement)
{
	WaPlacement *old;

	if (placements == NULL)
		return;
	(void) __atomic_fetch_add(&placement->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_lock(&placements->lock);
	old = placements->of[device->ordinal];
	placements->of[device->ordinal] = placement;
	(void) pthread_mutex_unlock(&placements->lock);
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

/* Finds where extents are; the caller has the mirror's lock. */
static bool
use_device(const WaMirrorDevice *device, const WaRunRequest *request,
		   WaMirrorUse *use)
{
	WaPlacement *placement = find_kept(request->placements, device);

	if (placement == NULL)
	{
		placement = make_placement(device, request);
		if (placement == NULL)
			return false;
		keep(request->placements, device, placement);
	}
	if (placement->nextents == 0)
	{
		release_placement(placement);
		return false;
	}
	use->placement = placement;
	describe(use);
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
