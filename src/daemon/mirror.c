/*
 * mirror.c
 *		What runs use of the copies on GPUs; see mirror.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/mirror_internal.h"

/* Columns lie anywhere in memory: those of so many extents more are fetched. */
#define EXTENTS_AHEAD 8

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

/* Fetches what will be looked at of an extent's columns into the cache. */
static void
fetch(const WaRunExtent *extent, uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
		__builtin_prefetch(&extent->columns[i]->copy);
}

/* An extent's position, to sort by. */
typedef struct Place
{
	uint64_t first_row;
	uint32_t number;
} Place;

static int
compare_places(const void *a, const void *b)
{
	const Place *left = a;
	const Place *right = b;

	return (left->first_row > right->first_row) -
		   (left->first_row < right->first_row);
}

/* Finds the extents that are there; returns how many. */
static uint32_t
find_places(const WaRunRequest *request, unsigned device,
			WaPlacement *placement, Place *places)
{
	uint32_t count = 0;

	for (uint64_t i = 0; i < request->nextents; i++)
	{
		const WaMirrorRun *run;

		if (i + EXTENTS_AHEAD < request->nextents)
			fetch(request->extents[i + EXTENTS_AHEAD], request->ncolumns);
		run = find_run(request->extents[i], request->ncolumns, device,
					   placement->flats);
		if (run == NULL)
			continue;
		places[count++] = (Place){run->first, (uint32_t) i};
		if (run->first + run->rows > placement->rows)
			placement->rows = run->first + run->rows;
	}
	return count;
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
	Place *places = malloc(room * sizeof(*places));
	WaPlacement *made = calloc(1, sizeof(*made));

	if (places != NULL && made != NULL)
	{
		made->references = 1;
		made->changes = device->changes;
		made->ncolumns = request->ncolumns;
		made->nextents = find_places(request, device->ordinal, made, places);
		made->extents = malloc((made->nextents + 1) * sizeof(uint32_t));
		made->first_rows = malloc((made->nextents + 1) * sizeof(uint64_t));
	}
	if (made == NULL || made->extents == NULL || made->first_rows == NULL)
	{
		free(places);
		release_placement(made);
		return NULL;
	}
	qsort(places, made->nextents, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < made->nextents; i++)
	{
		made->extents[i] = places[i].number;
		made->first_rows[i] = places[i].first_row;
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
