/*
 * quick_joins.h
 *		Planning joins that the node is likely to compute without PostgreSQL's search for
 *		the best order of them, which takes longer than all else of planning.
 *
 * The node joins relations to the largest table in an order of its own, and of a star PostgreSQL
 * is given that order alone, by a path that costs what any plan costs at least, as it has to
 * read the table.  If the node is chosen all the same, no search would have found a plan that
 * costs less; else the query is planned as ever.
 */
#ifndef WA_SCAN_QUICK_JOINS_H
#define WA_SCAN_QUICK_JOINS_H

#include "nodes/pathnodes.h"

/* A run of the planner that may be a quick one. */
typedef struct WaQuickJoins
{
	const PlannerInfo *root; /* the level without a search; NULL: none */
	bool is_chosen;          /* the node computes it */
} WaQuickJoins;

/* Installs the hook; called once, from _PG_init. */
extern void wa_quick_joins_init(void);

/*
 * Has the run of the planner that follows be a quick one, if its query is of the right form,
 * which *mine then tells; NULL: it may not be.  Returns what was set before, which is to be
 * set again behind the run.
 */
extern WaQuickJoins *wa_quick_joins_set(WaQuickJoins *mine);

/* Tells whether nobody has looked for PostgreSQL's best plan of a level. */
extern bool wa_quick_joins_are_of(const PlannerInfo *root);

/* Notes that the node is in the plan of a level. */
extern void wa_quick_joins_chosen(const PlannerInfo *root);

/* Tells whether the plan of a run is as good as any. */
static inline bool
wa_quick_joins_are_good(const WaQuickJoins *run)
{
	return run->root == NULL || run->is_chosen;
}

#endif /* WA_SCAN_QUICK_JOINS_H */
