/*
 * explain.c
 *		What EXPLAIN says of a node of the scan tier.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

#include "compat.h"
#include "scan/node/alternative.h"
#include "scan/node/explain.h"
#include "scan/node/feed.h"
#include "scan/node/join_full.h"
#include "scan/node/joined.h"
#include "scan/output/top.h"
#include "scan/state/instrument.h"
#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"
#include "scan/state/scan_state.h"
#include "scan/state/shared_instrument.h"
#include "scan/state/why_heap.h"

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

/* Appends how values of an expression are sorted, as Sort Key has it. */
static void
append_direction(StringInfo text, Node *expression, Oid sort_operator,
				 bool nulls_first)
{
	Oid type = exprType(expression);
	Oid collation = exprCollation(expression);
	const TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	bool is_reverse = false;

	(void) get_equality_op_for_ordering_op(sort_operator, &is_reverse);
	if (OidIsValid(collation) && collation != get_typcollation(type))
		appendStringInfo(text, " COLLATE %s",
						 quote_identifier(get_collation_name(collation)));
	if (sort_operator == cache->gt_opr)
		appendStringInfoString(text, " DESC");
	else if (sort_operator != cache->lt_opr)
		appendStringInfo(text, " USING %s", get_opname(sort_operator));
	if (nulls_first != is_reverse)
		appendStringInfoString(text,
							   nulls_first ? " NULLS FIRST" : " NULLS LAST");
}

/* Returns LIMIT or OFFSET as text. */
static char *
limit_text(Expr *expression, List *context, bool use_prefix)
{
	const Const *value = (const Const *) expression;

	if (IsA(value, Const) && !value->constisnull)
		return psprintf(INT64_FORMAT, DatumGetInt64(value->constvalue));
	return deparse_expression((Node *) expression, context, use_prefix, false);
}

/* Appends what groups are sorted by, from one number to another. */
static void
append_orders(StringInfo text, const CustomScan *plan, const WaPlanTop *top,
			  int from, int to, List *context, bool use_prefix)
{
	for (int i = from; i < to; i++)
	{
		Node *expression =
			wa_plan_restore(plan, (Node *) list_nth(top->expressions, i));

		appendStringInfoString(text, i == from ? "" : ", ");
		appendStringInfoString(
			text, deparse_expression(expression, context, use_prefix, false));
		append_direction(text, expression, list_nth_oid(top->operators, i),
						 list_nth_int(top->nulls_first, i) != 0);
	}
}

/* Prints which groups are returned, if these are not all. */
static void
show_top(const CustomScan *plan, List *context, bool use_prefix,
		 ExplainState *es)
{
	StringInfoData text;
	WaPlanTop top;

	if (!wa_plan_top(plan, &top))
		return;
	initStringInfo(&text);
	if (top.nparts > 0)
	{
		appendStringInfoString(&text, "1 of each ");
		append_orders(&text, plan, &top, 0, top.nparts, context, use_prefix);
		if (top.nparts < list_length(top.expressions))
			appendStringInfoString(&text, " by ");
		append_orders(&text, plan, &top, top.nparts,
					  list_length(top.expressions), context, use_prefix);
		ExplainPropertyText("Top Groups", text.data, es);
		return;
	}
	appendStringInfoString(&text, limit_text(top.count, context, use_prefix));
	if (!IsA(top.offset, Const) || ((Const *) top.offset)->constisnull ||
		DatumGetInt64(((Const *) top.offset)->constvalue) != 0)
		appendStringInfo(&text, " + %s",
						 limit_text(top.offset, context, use_prefix));
	if (top.keeps_ties)
		appendStringInfoString(&text, " with ties");
	appendStringInfoString(&text, " by ");
	append_orders(&text, plan, &top, 0, list_length(top.expressions), context,
				  use_prefix);
	ExplainPropertyText("Top Groups", text.data, es);
}

/* Returns kilobytes, rounded up. */
static int64
kilobytes(int64 bytes)
{
	return (bytes + 1023) / 1024;
}

/* Prints what was spilled. */
static void
show_spill(const WaInstrument *instrument, ExplainState *es)
{
	ExplainPropertyInteger("Batches", NULL, instrument->batches, es);
	ExplainPropertyInteger("Memory Usage", "kB",
						   kilobytes((int64) instrument->memory_bytes), es);
	ExplainPropertyInteger("Disk Usage", "kB",
						   kilobytes(instrument->disk_bytes), es);
	ExplainPropertyInteger("Rows Spilled", NULL, instrument->spilled_rows, es);
}

/* Prints what the device process has answered for, in text only if anything. */
static void
show_resident(const WaInstrument *instrument, ExplainState *es)
{
	if (instrument->refusals > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger("Resident Memory Exceeded", NULL,
							   instrument->refusals, es);
	if (instrument->resident_blocks == 0 && es->format == EXPLAIN_FORMAT_TEXT)
		return;
	ExplainPropertyInteger("Resident Blocks", NULL, instrument->resident_blocks,
						   es);
	ExplainPropertyInteger("Resident Rows", NULL, instrument->resident_rows,
						   es);
	if (instrument->distinct_inputs > 0 || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyInteger("Resident Distinct Inputs", NULL,
							   instrument->distinct_inputs, es);
	if (instrument->resident_blocks > 0)
		ExplainPropertyText("Resident Device",
							instrument->is_gpu ? "GPU" : "CPU", es);
	if (es->timing)
		ExplainPropertyFloat("Resident Time", "ms", instrument->resident_ms, 3,
							 es);
}

/* Prints what the runs of the node have done. */
static void
show_instrument(const WaInstrument *instrument, bool has_top, ExplainState *es)
{
	ExplainPropertyInteger("Blocks Read", NULL, instrument->read.blocks, es);
	show_resident(instrument, es);
	ExplainPropertyInteger("Rows Scanned", NULL, instrument->read.rows, es);
	ExplainPropertyInteger("Rows Kept", NULL, instrument->kept_rows, es);
	if (instrument->rowwise_rows > 0 || es->verbose)
		ExplainPropertyInteger("Rows Computed Singly", NULL,
							   instrument->rowwise_rows, es);
	if (has_top)
		ExplainPropertyInteger("Groups Compared", NULL,
							   instrument->compared_groups, es);
	if (instrument->batches > 1)
		show_spill(instrument, es);
	if (!es->timing)
		return;
	ExplainPropertyFloat("Heap Reading Time", "ms",
						 instrument->spent_ms[WA_PHASE_READING], 3, es);
	ExplainPropertyFloat("Device Time", "ms",
						 instrument->spent_ms[WA_PHASE_COMPUTING], 3, es);
}

/* Prints how many tables the node's table consists of, and how many were not pruned. */
static void
show_children(const WaScanState *state, ExplainState *es)
{
	const RangeTblEntry *table =
		exec_rt_fetch(state->query.varno, state->css.ss.ps.state);

	ExplainPropertyText(
		table->relkind == RELKIND_PARTITIONED_TABLE ? "Partitions" : "Children",
		psprintf("%d of %d", wa_feed_count(state),
				 state->query.planned_children),
		es);
}

/* Prints what is joined, in its order. */
static void
show_joins(const WaScanQuery *query, List *context, ExplainState *es)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, query->joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		static const char *const kinds[] = {[WA_JOIN_INNER] = "",
											[WA_JOIN_LEFT] = "LEFT ",
											[WA_JOIN_SEMI] = "SEMI ",
											[WA_JOIN_ANTI] = "ANTI "};

		/* The row filter shows sets. */
		if (!wa_join_has_plan(join->kind))
			continue;
		texts = lappend(
			texts, psprintf("%s%s", kinds[join->kind],
							deparse_expression(
								(Node *) make_ands_explicit(list_concat_copy(
									join->clauses, join->conditions)),
								context, true, false)));
	}
	if (texts != NIL)
		ExplainPropertyList("Joins", texts, es);
}

/* Prints what there was of a join as text; memory, as costs, differs by version. */
static void
show_join_line(const WaJoinUse *use, ExplainState *es)
{
	appendStringInfoSpaces(es->str, 2 * es->indent);
	if (use->rows < 0)
	{
		appendStringInfoString(es->str, "  Reused by Device Process\n");
		return;
	}
	appendStringInfo(es->str, "  Rows: " INT64_FORMAT, use->rows);
	if (use->bytes > 0 && es->costs)
		appendStringInfo(es->str, "  Memory Usage: " INT64_FORMAT "kB",
						 kilobytes((int64) use->bytes));
	if (use->is_made)
		appendStringInfoString(es->str, "  Made by Device Process");
	if (use->is_reused)
		appendStringInfoString(es->str, "  Reused");
	if (use->nblocks > 0)
		appendStringInfo(es->str, " But for Blocks: " INT64_FORMAT,
						 use->nblocks);
	appendStringInfoChar(es->str, '\n');
}

/*
 * Prints what there was of each join, in the same order: its rows, and unless it is folded
 * what its tables took.
 */
static void
show_join_uses(const WaScanState *state, ExplainState *es)
{
	const WaJoinUse *uses = wa_joined_uses(state);
	ListCell *cell;

	if (uses == NULL)
		return;
	ExplainOpenGroup("Join Tables", "Join Tables", false, es);
	foreach (cell, state->query.joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		const WaJoinUse *use = &uses[foreach_current_index(cell)];

		if (!wa_join_has_plan(join->kind))
			continue;
		ExplainOpenGroup("Join Table", NULL, true, es);
		if (es->format == EXPLAIN_FORMAT_TEXT)
			show_join_line(use, es);
		else
		{
			if (use->rows >= 0)
			{
				ExplainPropertyInteger("Rows", NULL, use->rows, es);
				ExplainPropertyInteger("Memory Usage", "kB",
									   kilobytes((int64) use->bytes), es);
			}
			ExplainPropertyBool("Made by Device Process", use->is_made, es);
			ExplainPropertyBool("Reused", use->is_reused, es);
			ExplainPropertyInteger("Changed Blocks", NULL, use->nblocks, es);
		}
		ExplainCloseGroup("Join Table", NULL, true, es);
	}
	ExplainCloseGroup("Join Tables", "Join Tables", false, es);
}

/* Prints why PostgreSQL's plan, which is below, has joined all, if it has. */
static void
show_alternative(const WaScanState *state, ExplainState *es)
{
	if (wa_alternative_is_used(state->alternative))
		ExplainPropertyText(
			"Joined By",
			psprintf("PostgreSQL's plan, as %s", wa_join_full(state)), es);
}

/* Prints clauses that are all to be fulfilled. */
static void
show_clauses(const char *label, List *clauses, List *context, bool use_prefix,
			 ExplainState *es)
{
	if (clauses == NIL)
		return;
	ExplainPropertyText(label,
						deparse_expression((Node *) make_ands_explicit(clauses),
										   context, use_prefix, false),
						es);
}

/* Returns the keys of a grouping set as text. */
static char *
set_text(const WaScanQuery *query, const List *numbers, List *context,
		 bool use_prefix)
{
	StringInfoData text;
	ListCell *cell;

	initStringInfo(&text);
	appendStringInfoChar(&text, '(');
	foreach (cell, numbers)
		appendStringInfo(
			&text, "%s%s", foreach_current_index(cell) > 0 ? ", " : "",
			deparse_expression((Node *) list_nth(query->keys, lfirst_int(cell)),
							   context, use_prefix, false));
	appendStringInfoChar(&text, ')');
	return text.data;
}

/* Prints the grouping sets of a query, if it has some. */
static void
show_sets(const WaScanQuery *query, List *context, bool use_prefix,
		  ExplainState *es)
{
	List *texts = NIL;
	ListCell *cell;

	foreach (cell, query->sets)
		texts = lappend(texts, set_text(query,
										(const List *) linitial(
											(const List *) lfirst(cell)),
										context, use_prefix));
	if (texts != NIL)
		ExplainPropertyList("Grouping Sets", texts, es);
}

/* Prints keys, of which rows are shown by where they lie, and what these tell. */
static void
show_keys(const WaScanQuery *query, List *context, bool use_prefix,
		  ExplainState *es)
{
	List *keys = list_copy(query->keys);
	ListCell *cell;

	foreach (cell, query->row_keys)
		keys = lappend(keys, wa_join_ctid((const WaJoin *) list_nth(
								 query->joins.list, lfirst_int(cell))));
	show_expressions("Group Key", keys, context, use_prefix, es);
	show_expressions("Dependent Keys", query->dependents, context, use_prefix,
					 es);
}

void
wa_scan_explain(CustomScanState *node, List *ancestors, ExplainState *es)
{
	WaScanState *state = (WaScanState *) node;
	const WaScanQuery *returned = wa_scan_query_returned(&state->query);
	const CustomScan *plan = castNode(CustomScan, node->ss.ps.plan);
	WaInstrument instrument = wa_instrument_of(state);
	List *context =
		set_deparse_context_plan(es->deparse_cxt, node->ss.ps.plan, ancestors);
	bool use_prefix = explain_has_prefixes_compat(es);

	wa_shared_instrument_collect(state, &instrument);
	show_expressions("Aggregates", returned->aggregates, context, use_prefix,
					 es);
	show_keys(returned->sets == NIL ? returned : &state->query, context,
			  use_prefix, es);
	show_sets(returned, context, use_prefix, es);
	show_clauses("One-Time Filter", state->query.one_time_clauses, context,
				 use_prefix, es);
	show_clauses("Row Filter", state->query.filter_clauses, context, use_prefix,
				 es);
	show_joins(&state->query, context, es);
	if (es->analyze)
	{
		show_join_uses(state, es);
		show_alternative(state, es);
	}
	show_top(plan, context, use_prefix, es);
	if (state->feed != NULL)
		show_children(state, es);
	ExplainPropertyText("Device", "CPU", es);
	if (es->verbose)
		ExplainPropertyInteger("Aggregated Columns", NULL,
							   state->query.ncolumns, es);
	if (state->query.nworkers > 0)
		ExplainPropertyInteger("Workers Planned", NULL, state->query.nworkers,
							   es);
	if (state->query.nworkers > 0 && es->analyze)
		ExplainPropertyInteger("Workers Launched", NULL, state->nlaunched, es);
	if (es->costs && state->query.planned_batches > 1)
		ExplainPropertyInteger("Planned Batches", NULL,
							   state->query.planned_batches, es);
	if (es->analyze)
	{
		show_instrument(&instrument, state->top != NULL, es);
		if (!wa_alternative_is_used(state->alternative))
			wa_why_heap_show(&state->query, &state->sources, &instrument, es);
	}
}
