/*
 * mirror.c
 *		What runs use of the copies on GPUs; see mirror.h.
 */
#include <string.h>

#include "daemon/mirror/mirror_internal.h"

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
		wa_placement_release(before);
		return;
	}
	use->other = before;
	use->before = (WaMirrorBefore){
		.nextents = before->nextents,
		.places = use->placement->places,
		.note = note,
		/* The cache, which alone gives references away, has another one now. */
		.is_ours =
			__atomic_load_n(&before->kept.references, __ATOMIC_ACQUIRE) == 1,
	};
}

/* Finds where extents are; the caller has the mirror's lock. */
static bool
use_device(const WaMirrorDevice *device, const WaRunRequest *request,
		   WaMirrorUse *use)
{
	WaPlacementCache *cache = request->placements->cache;
	WaPlacement *before = NULL;
	/* The first member of a placement is what is kept. */
	WaPlacement *placement =
		(WaPlacement *) wa_placement_cache_find(cache, device->ordinal);

	if (!wa_placement_is_right_for(placement, request, device))
	{
		before = placement;
		placement = wa_placement_make(device, request, before);
		if (placement != NULL)
			wa_placement_cache_keep(cache, device->ordinal, &placement->kept);
	}
	if (placement == NULL || placement->nextents == 0)
	{
		wa_placement_release(before);
		wa_placement_release(placement);
		return false;
	}
	use->placement = placement;
	describe(use);
	describe_before(use, before);
	return true;
}

bool
wa_mirror_use(WaMirror *mirror, const WaRunRequest *request, unsigned device,
			  WaMirrorUse *use)
{
	const WaMirrorDevice *found;
	bool is_used = false;

	memset(use, 0, sizeof(*use));
	if (mirror == NULL || request->ncolumns == 0 || request->nextents == 0)
		return false;
	use->device = device;
	use->ncolumns = request->ncolumns;
	found = wa_mirror_device(mirror, device);
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
	wa_placement_release(use->placement);
	wa_placement_release(use->other);
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
