/*
 * relation.h
 *		Which relations and columns can be resident.
 */
#ifndef WA_RESIDENT_RELATION_H
#define WA_RESIDENT_RELATION_H

#include "access/attnum.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "core/resident.h"

/*
 * The rules of the proof that resident columns are fresh, by the numbers that
 * warpagg.debug_skip_rule has in a test build.  Each is needed; the tests show that by
 * leaving one out.
 */
typedef enum WaFreshnessRule
{
	WA_RULE_OTHER_TRANSACTION = 1, /* not made or rewritten in this one */
	WA_RULE_LOGGED,    /* WAL-logged relations, maps whose LSN is not 0 */
	WA_RULE_MAP_LATER, /* queries read the map after taking the snapshot */
	WA_RULE_MAP_TWICE, /* loading reads it before and after the blocks */
	WA_RULE_ISOLATION  /* not in serializable transactions */
} WaFreshnessRule;

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

/*
 * Fills in the name of a column, which is no system column.  Returns false if it
 * cannot be resident: it is dropped or new, or no vector can hold its type.
 */
extern WA_MUST_CHECK bool
wa_resident_column(Relation relation, AttrNumber attribute, WaColumnName *name);

#endif /* WA_RESIDENT_RELATION_H */
