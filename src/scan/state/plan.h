/*
 * plan.h
 *		What a plan node of the scan tier consists of.
 *
 * custom_scan_tlist holds the columns of the node's scan tuple: the grouping
 * keys, the aggregate calls, what the rows of joins that are keys tell, and every column of the table that is used, which
 * is there for the planner's sake and NULL in the tuple.  custom_exprs holds lists, as of
 * WaPlanExpressions (plan.c), custom_private numbers and what groups are sorted by.
 */
#ifndef WA_SCAN_PLAN_H
#define WA_SCAN_PLAN_H

#include "nodes/execnodes.h"

#include "core/must_check.h"
#include "scan/state/scan_query.h"

/* How the top groups are chosen. */
typedef struct WaPlanTop
{
	/* That they are sorted by, the first of ORDER BY; NIL: all groups are wanted. */
	List *expressions;

	List *operators;   /* of each, as OIDs: what sorts before what */
	List *nulls_first; /* of each, 0 or 1 */
	bool keeps_ties;   /* groups that are equal by these may all be wanted */
	bool having_first; /* HAVING may raise errors, so all have it computed */
	/*
	 * The first row is wanted for each combination of so many of these, of DISTINCT ON; 0: the
	 * first of all groups or rows are, as many as LIMIT says.
	 */
	int nparts;
	Expr *count; /* of LIMIT; NULL: there is none */
	Expr *offset;
} WaPlanTop;

/* Makes the state of a node, for CustomScanMethods. */
extern Node *wa_scan_create_state(CustomScan *plan);

/* Likewise of the node of a source below it (scan/node/feed.h). */
extern Node *wa_source_create_state(CustomScan *plan);

/* Of that which reads the rows that one below it finds (scan/node/first_rows.c). */
extern Node *wa_first_rows_create_state(CustomScan *plan);

/* And of that which reads what is joined again (scan/node/again.h). */
extern Node *wa_again_create_state(CustomScan *plan);

/*
 * Returns the parameters of an expression, added to a list.  A node begins anew where one
 * has changed that its plan has.
 */
extern List *wa_plan_parameters(List *parameters, Node *expression);

/* Writes what a node computes, and which of its groups are wanted, into a plan. */
extern void wa_plan_write(CustomScan *plan, const WaScanQuery *query,
						  const WaPlanTop *top);

/*
 * Has a plan get what it needs from plans below it, at the end of making it: its sources and
 * rows of PostgreSQL's plans, whose target list has columns of the table and perhaps other
 * things, groups of other servers, if there are any (planned_pushed), what is joined, nodes of
 * ours whose groups are rolled up, too, and PostgreSQL's own plan (planned_alternative), which is
 * the last one.  The first of these must
 * not run several plans at the same time, as sources come first.
 */
extern void wa_plan_set_below(CustomScan *plan, List *plans);

/* Return these plans; NULL: there is none. */
extern Plan *wa_plan_feed(const CustomScan *plan);
extern Plan *wa_plan_pushed(const CustomScan *plan);

/* Returns the plans of what is joined. */
extern List *wa_plan_joined(const CustomScan *plan);

/*
 * Returns the plans of nodes whose groups are rolled up, too, one for each but the first of the
 * values that are taken once (scan/state/rolled_query.h).
 */
extern List *wa_plan_finer(const CustomScan *plan);

/* Returns PostgreSQL's plan, whose rows are the first columns of the scan tuple; NULL: none. */
extern Plan *wa_plan_alternative(const CustomScan *plan);

/* Returns the numbers, in the table, of the columns of such rows; 0: it is none. */
extern List *wa_plan_feed_columns(const CustomScan *plan);

/* Sets what a plan says in a new query. */
extern void wa_plan_read(const CustomScan *plan, WaScanQuery *query);

/* Returns an expression over the scan tuple as one over the table. */
extern Node *wa_plan_restore(const CustomScan *plan, Node *expression);

/*
 * Describes how top groups are chosen, by expressions over the scan tuple; returns false
 * if all are returned.
 */
extern WA_MUST_CHECK bool wa_plan_top(const CustomScan *plan, WaPlanTop *top);

#endif /* WA_SCAN_PLAN_H */
