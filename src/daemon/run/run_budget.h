/*
 * run_budget.h
 *		What a RUN may take, and its arenas.
 */
#ifndef WA_DAEMON_RUN_BUDGET_H
#define WA_DAEMON_RUN_BUDGET_H

#include "daemon/base/memory.h"
#include "query/base/arena.h"

/*
 * Returns the budget of a run by so many threads.  bytes: what its groups may take, as
 * the backend says, which may be any number.  All that it takes counts as memory of
 * queries.
 */
WaBudget wa_run_budget_make(WaMemory *memory, uint64_t bytes, unsigned threads);

/* What groups of a run take is bounded by its budget, and is never more than this. */
#define WA_RUN_GROUPS_BYTES ((size_t) 2 << 30)

/* Makes an arena of a run, of so many bytes at most. */
void wa_run_arena_init(WaArena *arena, WaBudget *budget, size_t limit);

/*
 * Has an arena of a run take what follows for groups.  These are to know how much that may
 * be: it tells them how large a table may be.
 */
void wa_run_arena_begin_groups(WaArena *arena);

/* Makes an arena of a run that is for groups alone. */
void wa_run_arena_init_groups(WaArena *arena, WaBudget *budget);

#endif /* WA_DAEMON_RUN_BUDGET_H */
