/*
 * counted_level.h
 *		The level of a query a table of which is being counted (counted_query.h), while its
 *		expressions are changed.  Each function may set counted->reason, and leaves the
 *		level as it is then.
 */
#ifndef WA_SCAN_COUNTED_LEVEL_H
#define WA_SCAN_COUNTED_LEVEL_H

#include "scan/plan/counted.h"

/* Has columns be of tables, where they are of joins. */
extern void wa_counted_resolve(WaCounted *counted);

/*
 * Has what is of the table be of what the subquery returns: keys, and aggregates, whose
 * columns are added to it.
 */
extern void wa_counted_raise(WaCounted *counted);

#endif /* WA_SCAN_COUNTED_LEVEL_H */
