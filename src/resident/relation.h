/*
 * relation.h
 *		Which relations and columns can be resident.
 */
#ifndef WA_RESIDENT_RELATION_H
#define WA_RESIDENT_RELATION_H

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "core/resident.h"
#include "settings.h"

/* Columns that may be resident of a relation: those that it may have, and ctid. */
#define WA_MAX_RELATION_COLUMNS (MaxHeapAttributeNumber + 1)

/* Tells whether a rule holds: all but one that the tests leave out. */
extern bool wa_resident_has_rule(WaFreshnessRule rule);

/*
 * Returns why columns of an open relation can neither be loaded nor used in this
 * transaction, to follow "because", or NULL if they can.  A leader decides for
 * its parallel workers, which do not know what was made in its transaction.
 */
extern WA_MUST_CHECK const char *wa_resident_refusal(Relation relation);

/* Returns the names of the relation's storage. */
extern WaRelation wa_resident_storage(Relation relation);

/*
 * Returns the relation of this database with that storage, no temporary one; or
 * InvalidOid if there is none, or it is one of those whose storage only the relation
 * map knows, which are never resident.  Raises no error for what the names are.
 */
extern Oid wa_resident_find(const WaRelation *storage);

/*
 * Tells whether this transaction has added or changed a column.  If it is rolled
 * back the next column that is added gets its number, and other values in the same
 * blocks, which do not change.
 */
extern bool wa_resident_column_is_new(Relation relation, AttrNumber attribute);

/* Returns what the catalog has of a column, or of ctid. */
extern const FormData_pg_attribute *wa_resident_attribute(Relation relation,
														  AttrNumber attribute);

/*
 * Fills in the name of a column, which is no system column but ctid: that can be resident
 * whenever a column can, as the places of the rows.  Returns false if it cannot be resident:
 * it is dropped or new, or no vector can hold its type.
 */
extern WA_MUST_CHECK bool
wa_resident_column(Relation relation, AttrNumber attribute, WaColumnName *name);

/* Tells whether the relation still has a column as it was named. */
extern bool wa_resident_has_column(Relation relation, const WaColumnName *name);

/* Tells whether the relation still has the storage. */
extern bool wa_resident_has_storage(Relation relation,
									const WaRelation *storage);

/*
 * Asks warpaggd for the columns of a database's relations that are resident, which
 * *list leads to, or for those of all; returns how many there are.  Raises an error if
 * the device process fails.
 */
extern int64 wa_resident_list(Oid database, WaResidentColumn **list);

/* Has warpaggd forget a column of a storage, or all if attribute is 0; likewise. */
extern void wa_resident_forget(const WaRelation *storage, AttrNumber attribute);

#endif /* WA_RESIDENT_RELATION_H */
