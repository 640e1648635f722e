/*
 * run_budget.c
 *		Making the budgets of RUNs; see run_budget.h.
 */
#include "daemon/run/run_budget.h"
#include "core/resident_messages.h"

/*
 * What groups may take for each thread, at least.  A query with few of them is not to
 * fail because a backend has little memory for these: tables grow from some kilobytes,
 * and places for keys that lie close take up to 256.
 */
#define LEAST_THREAD_BYTES ((uint64_t) 1 << 20)

/* Of what queries may take together, for WA_RUN_MEMORY_SHARE. */
#define SHARES 4

/* A budget's take, and its give. */
static bool
take(void *context, uint64_t bytes)
{
	return wa_memory_take(context, WA_MEMORY_QUERIES, bytes);
}

static void
give(void *context, uint64_t bytes)
{
	wa_memory_give(context, WA_MEMORY_QUERIES, bytes);
}

WaBudget
wa_run_budget_make(WaMemory *memory, uint64_t bytes, unsigned threads)
{
	const uint64_t least = threads * LEAST_THREAD_BYTES;

	if (bytes == WA_RUN_MEMORY_SHARE)
		bytes = __atomic_load_n(&memory->ledger.limit[WA_MEMORY_QUERIES],
								__ATOMIC_RELAXED) /
				SHARES;
	return (WaBudget){.limit = bytes < least ? least : bytes,
					  .take = take,
					  .give = give,
					  .context = memory};
}

void
wa_run_arena_init(WaArena *arena, WaBudget *budget, size_t limit)
{
	wa_arena_init(arena, limit);
	wa_arena_use_budget(arena, budget);
}

void
wa_run_arena_begin_groups(WaArena *arena)
{
	const uint64_t most = arena->budget->limit;

	if (most < arena->limit - arena->bytes)
		arena->limit = arena->bytes + (size_t) most;
	wa_arena_begin_groups(arena);
}

void
wa_run_arena_init_groups(WaArena *arena, WaBudget *budget)
{
	wa_run_arena_init(arena, budget, WA_RUN_GROUPS_BYTES);
	wa_run_arena_begin_groups(arena);
}
