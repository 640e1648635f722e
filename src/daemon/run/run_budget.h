/*
 * run_budget.h
 *		What a RUN may take.
 */
#ifndef WA_DAEMON_RUN_BUDGET_H
#define WA_DAEMON_RUN_BUDGET_H

#include "daemon/base/memory.h"
#include "query/base/budget.h"

/*
 * Returns the budget of a run by so many threads.  bytes: what its groups may take, as
 * the backend says, which may be any number.  All that it takes counts as memory of
 * queries.
 */
WaBudget wa_run_budget_make(WaMemory *memory, uint64_t bytes, unsigned threads);

#endif /* WA_DAEMON_RUN_BUDGET_H */
