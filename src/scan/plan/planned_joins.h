/*
 * planned_joins.h
 *		Joins that a node computes: of one table, whose rows are grouped, with relations
 *		that have one row at most for each of them.
 */
#ifndef WA_SCAN_PLANNED_JOINS_H
#define WA_SCAN_PLANNED_JOINS_H

#include "nodes/pathnodes.h"

#include "core/must_check.h"

typedef struct WaPlannedJoins
{
	List *list; /* WaJoin (scan/expr/joins.h) */
	List *
		relations; /* RelOptInfo of each that has a plan: PostgreSQL reads them, */
	List *paths;   /* by these (Path) */
	List *clauses; /* RestrictInfo: of the rows that are joined */
	Cost cost;     /* to have the rows of the relations */
	double rows;   /* that these have, together */
	RelOptInfo *table;

	/* Set by wa_joins_look (joins_resident.h) */
	bool are_resident; /* all relations */
	Bitmapset
		*made; /* places of those of which the device process makes tables */
} WaPlannedJoins;

/*
 * Finds the table and the joins of a relation of a query, which is a join.  Returns NULL
 * and fills *joins, or returns why it is not taken, as the end of a sentence.
 */
extern WA_MUST_CHECK const char *
wa_planned_joins_find(PlannerInfo *root, const RelOptInfo *relation,
					  WaPlannedJoins *joins);

/* Returns what it costs to have the rows of a relation that is joined, by its plan. */
extern Cost wa_planned_join_cost(const RelOptInfo *relation);

/* Returns how many rows sessions are likely to read of what is joined. */
extern double wa_planned_joins_rows(const WaPlannedJoins *joins);

/* Returns how many bytes these are likely to take. */
extern double wa_planned_joins_bytes(const WaPlannedJoins *joins);

#endif /* WA_SCAN_PLANNED_JOINS_H */
