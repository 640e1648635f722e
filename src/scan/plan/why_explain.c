/*
 * why_explain.c
 *		EXPLAIN says why levels of a query have no node; see why_explain.h.
 *
 * PostgreSQL 18 brought a hook for lines on a plan.  Before, the lines are printed where
 * that is called: EXPLAIN ends the executor between its lines on the plan and the end of
 * their group.  Which EXPLAIN that is, and of which plan, is known from the hook for a
 * query that is explained.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "optimizer/clauses.h"

#include "compat.h"
#include "scan/plan/why_explain.h"
#include "scan/plan/why_note.h"
#include "settings.h"

/* Tells whether the topmost nodes of a plan compute aggregates. */
static bool
has_aggregates(const Plan *plan)
{
	for (; plan != NULL; plan = plan->lefttree)
		if (IsA(plan, Agg) && (contain_agg_clause((Node *) plan->targetlist) ||
							   contain_agg_clause((Node *) plan->qual)))
			return true;
	return false;
}

/* Returns the line on a level. */
static char *
level_line(const WaWhy *why, const ExplainState *es)
{
	StringInfoData line;

	initStringInfo(&line);
	appendStringInfoString(&line, "not used");
	if (why->level[0] != '\0')
		appendStringInfo(&line, " for %s", why->level);
	appendStringInfo(&line, ": %s", why->reason);
	if (es->costs && why->costs[0] != '\0')
		appendStringInfo(&line, " (%s)", why->costs);
	return line.data;
}

/* Returns the lines on a plan. */
static List *
plan_lines(const PlannedStmt *plan, const ExplainState *es)
{
	List *whys;
	List *lines = NIL;
	ListCell *cell;

	if (!wa_why_read(plan, &whys))
		return has_aggregates(plan->planTree)
				   ? list_make1("not used: the plan was made before the "
								"library was loaded")
				   : NIL;
	foreach (cell, whys)
	{
		const WaWhy *why = (const WaWhy *) lfirst(cell);

		if (why->reason[0] != '\0')
			lines = lappend(lines, level_line(why, es));
	}
	if (whys == NIL && es->verbose && plan->commandType == CMD_SELECT)
		return list_make1("not used: it has no aggregate");
	return lines;
}

/* Prints the lines on a plan. */
static void
show_plan(const PlannedStmt *plan, ExplainState *es)
{
	List *lines;
	ListCell *cell;

	if (wa_explain_refusals != WA_REFUSALS_EXPLAINED)
		return;
	lines = plan_lines(plan, es);
	if (lines == NIL)
		return;
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyList("WarpAgg", lines, es);
	else
		foreach (cell, lines)
			ExplainPropertyText("WarpAgg", (const char *) lfirst(cell), es);
}

#ifdef EXPLAIN_HAS_PLAN_HOOK_COMPAT

static explain_per_plan_hook_type previous_explain = NULL;

/* The hook for lines on a plan. */
static void
explain_plan(PlannedStmt *plan, IntoClause *into, ExplainState *es,
			 const char *text, ParamListInfo parameters,
			 QueryEnvironment *environment)
{
	if (previous_explain != NULL)
		previous_explain(plan, into, es, text, parameters, environment);
	show_plan(plan, es);
}

void
wa_why_planned(const Query *query, const PlannedStmt *plan)
{
}

void
wa_why_explain_init(void)
{
	previous_explain = explain_per_plan_hook;
	explain_per_plan_hook = explain_plan;
}

#else

/* A query that is explained. */
typedef struct Explained
{
	const Query *query;
	const PlannedStmt *plan; /* NULL: there is none yet, or it has its lines */
	ExplainState *es;
} Explained;

/* The innermost one: what EXPLAIN ANALYZE runs may explain others. */
static Explained *explained = NULL;

static ExplainOneQuery_hook_type previous_explain = NULL;
static ExecutorEnd_hook_type previous_end = NULL;

/* The hook for a query that is explained. */
static void
explain_query(Query *query, int options, IntoClause *into, ExplainState *es,
			  const char *text, ParamListInfo parameters,
			  QueryEnvironment *environment)
{
	Explained *outer = explained;
	Explained mine = {.query = query, .es = es};

	explained = &mine;
	PG_TRY();
	{
		if (previous_explain != NULL)
			previous_explain(query, options, into, es, text, parameters,
							 environment);
		else
			explain_query_compat(query, options, into, es, text, parameters,
								 environment);
	}
	PG_FINALLY();
	{
		explained = outer;
	}
	PG_END_TRY();
}

/* The hook for the end of the executor. */
static void
end_executor(QueryDesc *query)
{
	if (explained != NULL && explained->plan == query->plannedstmt)
	{
		explained->plan = NULL;
		show_plan(query->plannedstmt, explained->es);
	}
	if (previous_end != NULL)
		previous_end(query);
	else
		standard_ExecutorEnd(query);
}

void
wa_why_planned(const Query *query, const PlannedStmt *plan)
{
	if (explained != NULL && explained->query == query)
		explained->plan = plan;
}

void
wa_why_explain_init(void)
{
	previous_explain = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain_query;
	previous_end = ExecutorEnd_hook;
	ExecutorEnd_hook = end_executor;
}

#endif
