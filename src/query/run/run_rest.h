/*
 * run_rest.h
 *		Rows that a query whose rows become tables brings along (query/message/query.h, rest).
 */
#ifndef WA_QUERY_RUN_REST_H
#define WA_QUERY_RUN_REST_H

#include "core/must_check.h"
#include "query/run/run.h"

/*
 * Adds the rows that the query brings to those of a run of it, once: they have fulfilled
 * WHERE already, and do not count among wa_query_run_rows.  If they are not what they
 * should be there is no use in the run (wa_query_run_is_odd).  Returns false if there is
 * not enough memory.
 */
extern WA_MUST_CHECK bool wa_query_run_take_rest(WaQueryRun *run);

#endif /* WA_QUERY_RUN_REST_H */
