/*
 * explain.c
 *		What EXPLAIN says of a node of the scan tier.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"

#include "scan/node.h"
#include "scan/plan.h"

/* Prints expressions as a list. */
static void
show_expressions(const char *label, List *expressions, List *context,
				 bool use_prefix, ExplainState *es)
{
	List *texts = NIL;
	ListCell *cell;

	if (expressions == NIL)
		return;
	foreach (cell, expressions)
		texts = lappend(texts, deparse_expression((Node *) lfirst(cell),
												  context, use_prefix, false));
	ExplainPropertyList(label, texts, es);
}

/* Returns some of the columns of the scan tuple. */
static List *
targets(const CustomScan *plan, int begin, int end)
{
	List *expressions = NIL;

	for (int i = begin; i < end; i++)
		expressions = lappend(
			expressions,
			list_nth_node(TargetEntry, plan->custom_scan_tlist, i)->expr);
	return expressions;
}

/* Prints what a run of the node has done. */
static void
show_run(const WaScanState *state, ExplainState *es)
{
	WaHeapCounts counts = {0, 0};

	if (state->heap != NULL)
		counts = wa_heap_counts(state->heap);
	counts.blocks += state->worker_counts.blocks;
	counts.rows += state->worker_counts.rows;
	ExplainPropertyInteger("Blocks Read", NULL, counts.blocks, es);
	ExplainPropertyInteger("Rows Scanned", NULL, counts.rows, es);
	if (state->passes > 1)
		ExplainPropertyInteger("Passes", NULL, state->passes, es);
	ExplainPropertyInteger("Rows Kept", NULL, state->kept_rows, es);
	if (state->rowwise_rows > 0 || es->verbose)
		ExplainPropertyInteger("Rows Computed Singly", NULL,
							   state->rowwise_rows, es);
}

void
wa_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const WaScanState *state = (const WaScanState *) node;
	const CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);
	List *context =
		set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	bool use_prefix = list_length(es->rtable) > 1 || es->verbose;

	show_expressions(
		"Aggregates",
		targets(plan, state->nkeys, state->nkeys + state->nresults), context,
		use_prefix, es);
	show_expressions("Group Key", targets(plan, 0, state->nkeys), context,
					 use_prefix, es);
	if (state->filter_clauses != NIL)
		ExplainPropertyText("Row Filter",
							deparse_expression((Node *) make_ands_explicit(
												   state->filter_clauses),
											   context, use_prefix, false),
							es);
	ExplainPropertyText("Device", "CPU", es);
	if (state->nworkers > 0)
		ExplainPropertyInteger("Workers Planned", NULL, state->nworkers, es);
	if (state->nworkers > 0 && es->analyze)
		ExplainPropertyInteger("Workers Launched", NULL, state->nlaunched, es);
	if (es->analyze)
		show_run(state, es);
}
