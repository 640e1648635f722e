/*
 * suggest.h
 *		Having columns loaded that queries would gain from.
 */
#ifndef WA_SCAN_SUGGEST_H
#define WA_SCAN_SUGGEST_H

#include "client/residency.h"
#include "scan/plan/planned_query.h"
#include "utils/relcache.h"

/*
 * Of so many tables of a query columns are suggested at once, at most, the last ones first,
 * as new partitions come last: who asks for the others finds them the next time.
 */
#define WA_SUGGEST_MOST 32

/*
 * Suggests, if that is wanted, the named columns of a query that has been answered, so
 * far, for some of the blocks of a table of its.  are_resident: the device process has some
 * blocks of it, fresh or not.
 */
extern void wa_suggest_scanned(Relation relation, const WaSourceColumns *named,
							   bool are_resident);

/* Tells whether the columns of a query could be suggested: the table is large enough. */
extern bool wa_suggest_is_possible(const WaPlannedQuery *planned);

/*
 * Likewise of one that PostgreSQL answers by a plan of its own, as by an index: it also reads
 * a good part of the table.
 */
extern bool wa_suggest_is_worth(const WaPlannedQuery *planned);

/* Suggests them, if its user may select from them and they can be resident. */
extern void wa_suggest_planned(PlannerInfo *root,
							   const WaPlannedQuery *planned);

#endif /* WA_SCAN_SUGGEST_H */
