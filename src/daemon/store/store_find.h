/*
 * store_find.h
 *		Finding what is in the store's map.
 *
 * The caller has the store's lock, everywhere.
 */
#ifndef WA_DAEMON_STORE_FIND_H
#define WA_DAEMON_STORE_FIND_H

#include "daemon/store/store_state.h"

/* Returns where the list of relations with such a name begins. */
WaStoredRelation **wa_map_bucket(const WaStore *store, const WaRelation *name);

/* Returns the relation, or NULL. */
WaStoredRelation *wa_map_find_relation(const WaStore *store,
									   const WaRelation *name);

/* Returns the place of a column's record, -1 if there is none. */
int64_t wa_map_find_record(const WaStoredRelation *relation,
						   const WaColumnName *name);

/* Returns the extent, or NULL. */
WaExtent *wa_map_find_extent(const WaStoredRelation *relation, uint32_t number);

/* Returns the overlay of an extent of that number, or NULL. */
WaExtent *wa_map_find_overlay(const WaStoredRelation *relation,
							  uint32_t number);

/* Returns where in parts the first of that number or a larger one is. */
uint32_t wa_map_search_part(const WaStoredRelation *relation, uint32_t number);

/* Returns the part that an extent, or an overlay, is of, or NULL if there is none. */
WaExtentPart *wa_map_find_part(const WaStoredRelation *relation,
							   uint32_t number);

/* Returns the place in its part of an extent, or an overlay, of such a number. */
static inline WaExtent **
wa_map_place_in_part(WaExtentPart *part, uint32_t number)
{
	return number >= WA_OVERLAY ? &part->overlay : &part->extent;
}

/*
 * Returns extent i of a relation, of two for each part, the overlay behind the other; NULL:
 * it is missing.  Who removes them from the last to the first may meet one again.
 */
static inline WaExtent *
wa_map_extent_at(const WaStoredRelation *relation, uint32_t i)
{
	const WaExtentPart *part = &relation->parts[i / 2];

	if (i / 2 >= relation->nparts)
		return NULL;
	return i % 2 == 0 ? part->extent : part->overlay;
}

/*
 * Returns the ordinal of the device of a relation's extent.  Relations begin at different
 * ones, so that small ones do not all lie on the first.
 */
static inline uint32_t
wa_map_device_of(const WaStore *store, const WaStoredRelation *relation,
				 uint32_t number)
{
	return store
		->devices[((uint64_t) wa_extent_number(number) + relation->start) %
				  store->ndevices];
}

/* Returns the column of the record at a place, or NULL. */
static inline WaColumn *
wa_map_column(const WaExtent *extent, uint32_t place)
{
	return place < extent->room ? extent->columns[place] : NULL;
}

#endif /* WA_DAEMON_STORE_FIND_H */
