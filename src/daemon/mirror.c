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

/* Finds the extents that are there; the caller has the mirror's lock. */
static void
find_extents(const WaRunRequest *request, WaMirrorUse *use,
			 WaMirrorFlat **flats)
{
	for (uint64_t i = 0; i < request->nextents; i++)
	{
		const WaMirrorRun *run;

		if (i + EXTENTS_AHEAD < request->nextents)
			fetch(request->extents[i + EXTENTS_AHEAD], request->ncolumns);
		run = find_run(request->extents[i], request->ncolumns, use->device,
					   flats);
		if (run == NULL)
			continue;
		use->extents[use->nextents] = (uint32_t) i;
		use->first_rows[use->nextents++] = run->first;
		if (run->first + run->rows > use->rows)
			use->rows = run->first + run->rows;
	}
}

/* Describes the flat columns, to which it takes references. */
static void
describe(WaMirrorUse *use, WaMirrorFlat *const *flats)
{
	for (uint32_t i = 0; i < use->ncolumns; i++)
	{
		WaMirrorFlat *flat = flats[i];

		(void) __atomic_fetch_add(&flat->references, 1, __ATOMIC_RELAXED);
		use->flats[i] = flat;
		use->columns[i] = (WaMirrorColumn){
			.form = flat->form,
			.scale = flat->scale,
			.d_values = flat->values.d_base,
			.d_validity = (const uint64_t *) (void *) flat->validity.d_base,
			.d_display = (const uint8_t *) flat->display.d_base,
		};
	}
}

bool
wa_mirror_use(WaMirror *mirror, const WaRunRequest *request, unsigned device,
			  WaMirrorUse *use)
{
	WaMirrorFlat *flats[WA_MAX_RESIDENT_COLUMNS] = {NULL};

	if (mirror == NULL || request->ncolumns == 0 || request->nextents == 0)
		return false;
	memset(use, 0, sizeof(*use));
	use->device = device;
	use->ncolumns = request->ncolumns;
	use->extents = malloc(request->nextents * sizeof(*use->extents));
	use->first_rows = malloc(request->nextents * sizeof(*use->first_rows));
	if (use->extents != NULL && use->first_rows != NULL)
	{
		(void) pthread_rwlock_rdlock(&mirror->lock);
		find_extents(request, use, flats);
		if (use->nextents > 0)
			describe(use, flats);
		(void) pthread_rwlock_unlock(&mirror->lock);
	}
	if (use->nextents > 0)
		return true;
	free(use->extents);
	free(use->first_rows);
	return false;
}

void
wa_mirror_unuse(WaMirror *mirror, WaMirrorUse *use)
{
	(void) mirror;
	for (uint32_t i = 0; i < use->ncolumns; i++)
		wa_flat_release(use->flats[i]);
	free(use->extents);
	free(use->first_rows);
}
