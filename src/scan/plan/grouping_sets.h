/*
 * grouping_sets.h
 *		Grouping sets in queries of the scan tier: groups by all keys are rolled up to them
 *		(scan/state/rolled_query.h).
 */
#ifndef WA_SCAN_GROUPING_SETS_H
#define WA_SCAN_GROUPING_SETS_H

#include "nodes/pathnodes.h"

#include "core/must_check.h"
#include "scan/state/scan_query.h"

/*
 * Describes the grouping sets of the query that is planned, which has some, in query->sets, and
 * adds the calls of GROUPING in its results behind the keys.  clauses: of the keys
 * (SortGroupClause).  Returns why it cannot, or NULL.
 */
extern WA_MUST_CHECK const char *wa_grouping_sets_find(const Query *parse,
													   const List *clauses,
													   List *results,
													   WaScanQuery *query);

#endif /* WA_SCAN_GROUPING_SETS_H */
