/*
 * ranked_values.h
 *		The values of groups in their order, and what ranked aggregates (scan/expr/ranked.h)
 *		find in it.
 *
 * Finer groups (scan/state/rolled_query.h), each with a value and the number of rows that have it,
 * are sorted by their other keys, then by their values, by PostgreSQL's tuplesort, within
 * work_mem.
 */
#ifndef WA_SCAN_RANKED_VALUES_H
#define WA_SCAN_RANKED_VALUES_H

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "scan/state/rolled_query.h"
#include "scan/state/scan_store.h"

typedef struct WaRankedValues
{
	const WaScanStore *finer;
	const WaRolledValues *values;
	ExprContext *econtext;      /* of the fractions: */
	ExprState **fractions;      /* of each rank; NULL: none */
	struct WaValueLists *lists; /* what the ranks are; NULL: others */
	int place;        /* of the values, among the keys of finer groups, */
	int count_column; /* and what counts their rows */
	int nkeys;        /* others than the values */
	struct WaRowOrder *order; /* of all that; or, where they are in memory: */
	struct WaValueSort *sort; /* NULL: never */
	bool has_taken;           /* something is in the order */
	bool is_sorted_here; /* the groups come from it; that of this number: */
	uint32 number;
	TupleTableSlot *group; /* else the one found last; NULL: it has no rows */
	int64 ngroups;         /* found so far */
	Datum *results;        /* what each rank has in the last one */
	bool *nulls;
} WaRankedValues;

/*
 * Makes what finds the ranks of the values of a store's groups, in the current memory context.
 * node: that the fractions are evaluated for.
 */
extern WaRankedValues *wa_ranked_values_make(const WaScanStore *finer,
											 const WaRolledValues *values,
											 PlanState *node);

/* Begins without values. */
extern void wa_ranked_values_begin(WaRankedValues *ranked);

/* Takes some groups of the store, which has none of them another time. */
extern void wa_ranked_values_take(WaRankedValues *ranked, uint32 first,
								  int count);

/*
 * Begins to take all groups of the store in its memory, where they stay while they are looked
 * at; returns false if that cannot be done, and nothing is taken.
 */
extern WA_MUST_CHECK bool wa_ranked_values_begin_here(WaRankedValues *ranked);

/* Has groups, from the first one on, be of those of these numbers. */
extern void wa_ranked_values_put(WaRankedValues *ranked, uint32 first,
								 int count, const uint32 *numbers);

/*
 * Has wa_ranked_values_next find these groups, of numbers below ngroups, when all have been put;
 * and no more.
 */
extern void wa_ranked_values_sort_here(WaRankedValues *ranked, uint32 ngroups);
extern void wa_ranked_values_end_here(WaRankedValues *ranked);

/*
 * Finds the next group with values that are not NULL, or, for lists, the next one, when all have
 * been taken; returns false if there is none.  Results may lie in the current memory context.
 */
extern bool wa_ranked_values_next(WaRankedValues *ranked);

/* Returns a key of the group, by its number in the finer ones. */
extern Datum wa_ranked_values_key(const WaRankedValues *ranked, int key,
								  bool *is_null);

/*
 * Has the device process find the ranks, by values that are a key there; returns false if it
 * cannot.
 */
extern WA_MUST_CHECK bool wa_ranked_values_push(const WaRankedValues *ranked,
												WaQueryRolled *pushed);

/* Raises the built-in aggregate's error if a fraction is none. */
extern void wa_ranked_values_check(const WaRankedValues *ranked);

/* Forgets all values. */
extern void wa_ranked_values_end(WaRankedValues *ranked);

#endif /* WA_SCAN_RANKED_VALUES_H */
