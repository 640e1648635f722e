/*
 * run_roll_up.h
 *		Rolling the groups of a run up (query/message/query.h, rolled).
 */
#ifndef WA_QUERY_RUN_ROLL_UP_H
#define WA_QUERY_RUN_ROLL_UP_H

#include "core/must_check.h"
#include "query/run/run.h"

/*
 * Returns the query whose groups those of a query that rolls them up become, in the arena; NULL:
 * there is not enough memory.  It lists the values, if lists hold these (value_list.h), and may
 * take rows then, too.
 */
extern const WaNumberedQuery *
wa_query_roll_up_query(WaArena *arena, const WaNumberedQuery *numbered);

/*
 * Rolls the groups of a run up to those of `into`, a run of the query that they become; where it
 * does not list values, no group of it has been another run's.  Its rows are not counted.  Does not
 * return WA_RUN_TRAPPED.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_roll_up(WaQueryRun *into,
													   WaQueryRun *finer);

#endif /* WA_QUERY_RUN_ROLL_UP_H */
