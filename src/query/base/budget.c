/*
 * budget.c
 *		Counting what a query takes for its groups; see budget.h.
 */
#include <stddef.h>

#include "query/base/budget.h"

/* Counts bytes for groups, if they are within the limit. */
static bool
take_for_groups(WaBudget *budget, uint64_t bytes)
{
	uint64_t used = wa_budget_used(budget);

	do
	{
		if (used > budget->limit || bytes > budget->limit - used)
			return false;
	} while (!__atomic_compare_exchange_n(&budget->used, &used, used + bytes,
										  true, __ATOMIC_RELAXED,
										  __ATOMIC_RELAXED));
	return true;
}

bool
wa_budget_take(WaBudget *budget, uint64_t bytes, uint64_t for_groups)
{
	if (for_groups > 0 && !take_for_groups(budget, for_groups))
		return false;
	if (budget->context == NULL || budget->take(budget->context, bytes))
		return true;
	(void) __atomic_fetch_sub(&budget->used, for_groups, __ATOMIC_RELAXED);
	return false;
}

void
wa_budget_give(WaBudget *budget, uint64_t bytes, uint64_t for_groups)
{
	(void) __atomic_fetch_sub(&budget->used, for_groups, __ATOMIC_RELAXED);
	if (budget->context != NULL)
		budget->give(budget->context, bytes);
}

uint64_t
wa_budget_used(const WaBudget *budget)
{
	return __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
}
