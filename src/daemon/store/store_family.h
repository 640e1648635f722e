/*
 * store_family.h
 *		What relations of a family share: see core/resident.h.
 *
 * A family is there for as long as a relation is of it; what columns share, for as long as
 * one of them has a record.  The caller has the store's lock, everywhere.
 */
#ifndef WA_DAEMON_STORE_FAMILY_H
#define WA_DAEMON_STORE_FAMILY_H

#include "core/must_check.h"
#include "daemon/store/store_state.h"

/* Returns the family, or NULL if nothing is there of it. */
WaStoredFamily *wa_family_find(const WaStore *store, const WaFamily *name);

/*
 * Makes a new relation one of a family, or of none if the name says so, and chooses where
 * its extents begin to be spread over devices.  Returns false if there is no memory.
 */
WA_MUST_CHECK bool wa_family_join(WaStore *store, WaStoredRelation *relation,
								  const WaFamily *name);

/* The opposite, for a relation that goes; the family goes with the last. */
void wa_family_leave(WaStore *store, WaStoredRelation *relation);

/* Tells whether a relation is of the family that a head says, and its columns, too. */
bool wa_family_agrees(const WaStoredRelation *relation,
					  const WaExtentHead *head);

/*
 * Has a new record share what those have that have its name and number in the family.
 * Returns false if there is no memory.
 */
WA_MUST_CHECK bool wa_family_share(WaStoredRelation *relation,
								   WaColumnRecord *record);

/* The opposite, for a record that goes; the dictionary goes with the last. */
void wa_family_unshare(WaStoredRelation *relation, WaColumnRecord *record,
					   WaGarbage *garbage);

/*
 * Returns what a record's columns take, with its part of the dictionary: so that what
 * all of those take that share it is counted once.
 */
uint64_t wa_family_bytes(const WaColumnRecord *record);

#endif /* WA_DAEMON_STORE_FAMILY_H */
