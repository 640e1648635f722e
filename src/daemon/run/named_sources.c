/*
 * named_sources.c
 *		Taking and checking the sources of a request; see named_sources.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/run/named_sources.h"

bool
wa_named_sources_lie_right(const WaParcel *parcel, uint64_t offset,
						   uint32_t nsources, const WaColumnName *columns,
						   uint32_t ncolumns)
{
	for (uint32_t i = 0; i < ncolumns; i++)
		if (columns[i].attribute != 0)
			return false;
	return nsources > 0 && nsources <= WA_MAX_RUN_SOURCES &&
		   wa_parcel_holds(parcel, offset,
						   wa_run_sources_bytes(nsources, ncolumns));
}

void
wa_named_sources_copy(WaNamedSources *named, const WaParcel *parcel,
					  uint64_t offset, void *place)
{
	memcpy(place, parcel->memory + offset,
		   wa_run_sources_bytes(named->nsources, named->ncolumns));
	named->sources = place;
	named->attributes =
		(const int16_t *) (const void *) (named->sources + named->nsources);
}

/* Compares relations, of which there are pointers, for qsort. */
static int
compare_relations(const void *a, const void *b)
{
	const WaRelation *one = &(*(const WaRunSource *const *) a)->relation;
	const WaRelation *other = &(*(const WaRunSource *const *) b)->relation;

	return memcmp(one, other, sizeof(*one));
}

/*
 * Looks for a relation that is there twice: its rows would be counted twice, and have the
 * same place on a GPU twice.
 */
static WaStatus
check_relations(const WaRunSource *sources, uint32_t nsources)
{
	const WaRunSource **sorted;
	WaStatus status = WA_OK;

	if (nsources == 1)
		return WA_OK;
	sorted = malloc(nsources * sizeof(*sorted));
	if (sorted == NULL)
		return WA_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < nsources; i++)
		sorted[i] = &sources[i];
	qsort(sorted, nsources, sizeof(*sorted), compare_relations);
	for (uint32_t i = 1; i < nsources; i++)
		if (compare_relations(&sorted[i - 1], &sorted[i]) == 0)
			status = WA_BAD_REQUEST;
	free(sorted);
	return status;
}

/* Tells whether a source has a relation and attributes that can be. */
static bool
is_sound(const WaNamedSources *named, uint32_t number)
{
	const int16_t *attributes = wa_named_attributes(named, number);

	if (!wa_relation_is_sound(&named->sources[number].relation))
		return false;
	for (uint32_t i = 0; i < named->ncolumns; i++)
		if (!wa_attribute_is_sound(attributes[i]))
			return false;
	return true;
}

WaStatus
wa_named_sources_check(const WaNamedSources *named)
{
	for (uint32_t i = 0; i < named->nsources; i++)
		if (!is_sound(named, i))
			return WA_BAD_REQUEST;
	return check_relations(named->sources, named->nsources);
}
