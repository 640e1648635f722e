/*
 * store_find.c
 *		Finding what is in the store's map; see store_find.h.
 */
#include <string.h>

#include "daemon/store/store_find.h"

WaStoredRelation **
wa_map_bucket(const WaStore *store, const WaRelation *name)
{
	uint64_t hash = name->file;

	hash = (hash * 31 + name->database) * 31 + name->tablespace;
	hash *= UINT64_C(0x9E3779B97F4A7C15);
	return (WaStoredRelation **) &store->buckets[hash % WA_STORE_BUCKETS];
}

WaStoredRelation *
wa_map_find_relation(const WaStore *store, const WaRelation *name)
{
	WaStoredRelation *relation = *wa_map_bucket(store, name);

	while (relation != NULL &&
		   memcmp(&relation->name, name, sizeof(*name)) != 0)
		relation = relation->next;
	return relation;
}

int64_t
wa_map_find_record(const WaStoredRelation *relation, const WaColumnName *name)
{
	for (uint32_t i = 0; i < relation->nrecords; i++)
		if (relation->records[i].exists &&
			memcmp(&relation->records[i].name, name, sizeof(*name)) == 0)
			return i;
	return -1;
}

uint32_t
wa_map_search_part(const WaStoredRelation *relation, uint32_t number)
{
	uint32_t low = 0;
	uint32_t high = relation->nparts;

	/* Of most relations there are all extents, the first at place 0. */
	if (number < high && relation->parts[number].number == number)
		return number;
	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (relation->parts[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

WaExtentPart *
wa_map_find_part(const WaStoredRelation *relation, uint32_t number)
{
	const uint32_t extent = wa_extent_number(number);
	const uint32_t place = wa_map_search_part(relation, extent);

	if (place < relation->nparts && relation->parts[place].number == extent)
		return &relation->parts[place];
	return NULL;
}

WaExtent *
wa_map_find_extent(const WaStoredRelation *relation, uint32_t number)
{
	WaExtentPart *part = wa_map_find_part(relation, number);

	return part == NULL ? NULL : *wa_map_place_in_part(part, number);
}

WaExtent *
wa_map_find_overlay(const WaStoredRelation *relation, uint32_t number)
{
	return wa_map_find_extent(relation, number | WA_OVERLAY);
}
