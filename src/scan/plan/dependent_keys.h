/*
 * dependent_keys.h
 *		Keys that other keys tell, which need not be grouped by.
 *
 * A key over a joined relation depends on the row of that.  Where the other keys tell which
 * row it is, as they have all columns that the relation is joined by, or what these are
 * equal to, or tell the row of a relation that has these, groups are the same by the place
 * of the row, and keys over the relation are read where it lies, of groups that are wanted
 * (scan/output/dependents.h).
 */
#ifndef WA_SCAN_DEPENDENT_KEYS_H
#define WA_SCAN_DEPENDENT_KEYS_H

#include "nodes/pathnodes.h"

#include "scan/state/scan_query.h"

/*
 * Has keys of a query, all of which are there, be dependents where that saves more than it
 * takes.  telling: keys that are equal only if what is joined by them is; paths: of the joins
 * that have plans, which are changed to return what is still needed of them; having: what
 * groups have to fulfil; rows: that are likely to be grouped.
 */
extern void wa_dependent_keys_find(PlannerInfo *root, WaScanQuery *query,
								   const List *telling, List *paths,
								   const List *having, double rows);

#endif /* WA_SCAN_DEPENDENT_KEYS_H */
