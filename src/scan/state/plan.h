/*
 * plan.h
 *		What a plan node of the scan tier consists of.
 *
 * custom_scan_tlist holds the columns of the node's scan tuple: the grouping
 * keys, the aggregate calls, and every column of the table that is used, which
 * is there for the planner's sake and NULL in the tuple.  custom_exprs holds the
 * clauses of WHERE; what the node needs to choose the top groups, if it does: the
 * expressions that groups are sorted by, then those of LIMIT and OFFSET;
 * whatever parameters the others use, which the planner then knows of; and the
 * clauses of WHERE without columns.
 * custom_private: as of WaPlanPart.
 */
#ifndef WA_SCAN_PLAN_H
#define WA_SCAN_PLAN_H

#include "nodes/execnodes.h"

#include "core/must_check.h"

typedef enum WaPlanPart
{
	WA_PLAN_KEYS,       /* how many keys */
	WA_PLAN_AGGREGATES, /* how many aggregates */
	WA_PLAN_FILTERS,    /* how many clauses of WHERE */
	WA_PLAN_WORKERS,    /* how many workers, at most */
	WA_PLAN_BATCHES,    /* how often the memory is thought to be filled */
	WA_PLAN_GROUPS,     /* how many groups are likely */
	WA_PLAN_OPERATORS,  /* list of the operators that groups are sorted by; NIL:
						 * all groups are returned */
	WA_PLAN_NULLS_FIRST, /* list of 0 or 1: whether NULLs come first, for each */
	WA_PLAN_TIES,   /* 1 if all groups that are equal to the last are returned
				   * with it */
	WA_PLAN_HAVING, /* 1 if HAVING is to be computed for all groups */
	WA_PLAN_GATES,  /* how many clauses of WHERE without columns */
	WA_PLAN_COMBINATIONS, /* how many the device process is likely to send
						   * (scan/resident/combine.h); 0: it is not to be asked for them */
	WA_PLAN_SPARED,       /* WaSpared: tables that they may do without */
	WA_PLAN_BLOCK_COST    /* of a block's rows: wa_plan_block_cost */
} WaPlanPart;

/* How a plan chooses the top groups. */
typedef struct WaPlanTop
{
	List *expressions; /* that they are sorted by, over the scan tuple */
	List *operators;
	List *nulls_first;
	bool keeps_ties;
	bool having_first;
	Expr *count; /* of LIMIT */
	Expr *offset;
} WaPlanTop;

/* Makes the state of a node, for CustomScanMethods. */
extern Node *wa_scan_create_state(CustomScan *plan);

/* Returns one of the plan's numbers. */
extern int wa_plan_number(const CustomScan *plan, WaPlanPart part);

/*
 * Returns what it costs one process, in the planner's units, to compute the rows of a
 * block of the table.
 */
extern Cost wa_plan_block_cost(const CustomScan *plan);

/* Returns the expression of a column of the scan tuple. */
extern Expr *wa_plan_target(const CustomScan *plan, int number);

/* Returns an expression over the scan tuple as one over the table. */
extern Node *wa_plan_restore(const CustomScan *plan, Node *expression);

/* Returns the clauses of WHERE, over the columns of the table. */
extern List *wa_plan_filters(const CustomScan *plan);

/* Returns the clauses of WHERE without columns. */
extern List *wa_plan_one_time_filters(const CustomScan *plan);

/* Describes how top groups are chosen; returns false if all are returned. */
extern WA_MUST_CHECK bool wa_plan_top(const CustomScan *plan, WaPlanTop *top);

#endif /* WA_SCAN_PLAN_H */
