/*
 * family.h
 *		Which family a relation is of: see core/resident.h.
 */
#ifndef WA_RESIDENT_FAMILY_H
#define WA_RESIDENT_FAMILY_H

#include "access/htup_details.h"
#include "utils/relcache.h"

#include "core/resident.h"

/* A family, and the numbers there of a relation's columns; 0: it has none. */
typedef struct WaFamilyPlan
{
	WaFamily family;
	int16 attributes[MaxHeapAttributeNumber]; /* of attribute i + 1 */
} WaFamilyPlan;

/*
 * Finds out the family of an open relation.  Its root is the topmost table that it is a
 * partition of, or inherits from, if none on the way inherits from several, or it itself
 * if others do from it.  A column's number is that of the root's column of the same name.
 * The root is not locked: what is found may have changed since, which does no harm.
 */
extern void wa_family_plan(Relation relation, WaFamilyPlan *plan);

/* Returns the number that a column of the relation has in the family; 0: none, as ctid. */
static inline int16
wa_family_attribute(const WaFamilyPlan *plan, AttrNumber attribute)
{
	return attribute > 0 ? plan->attributes[attribute - 1] : 0;
}

#endif /* WA_RESIDENT_FAMILY_H */
