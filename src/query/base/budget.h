/*
 * budget.h
 *		What a query may take for its groups, counted over all of its arenas.
 *
 * Threads that compute a query each have arenas of their own; what these take is
 * counted here, in steps of WA_BUDGET_STEP bytes, so that the threads seldom meet.
 * Memory that does not grow with the groups, as that of vectors, is no concern of
 * the query's; but whoever has the budget may bound the sum of all queries (take), and
 * for that everything counts.
 */
#ifndef WA_QUERY_BUDGET_H
#define WA_QUERY_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* What an arena takes from a budget, or gives back, at a time at least. */
#define WA_BUDGET_STEP ((uint64_t) 32 * 1024)

/* used is changed and read atomically; all else is constant. */
typedef struct WaBudget
{
	uint64_t limit; /* bytes for groups */
	uint64_t used;

	/* Counts bytes of any kind for all queries; false: these have no room. */
	bool (*take)(void *context, uint64_t bytes);
	void (*give)(void *context, uint64_t bytes);
	void *context; /* NULL: nobody counts */
} WaBudget;

/*
 * Takes so many bytes, of which some are for groups; returns false, with nothing
 * taken, if they are not to be had.
 */
bool wa_budget_take(WaBudget *budget, uint64_t bytes, uint64_t for_groups);

/* Gives them back. */
void wa_budget_give(WaBudget *budget, uint64_t bytes, uint64_t for_groups);

/* Returns how many bytes groups have taken. */
uint64_t wa_budget_used(const WaBudget *budget);

#endif /* WA_QUERY_BUDGET_H */
