/*
 * counted_plan.c
 *		Plans of queries with a table counted; see counted_plan.h.
 *
 * To plan a query may take a millisecond, and longer the more it joins: only what costs more
 * is planned again, and only a few times.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/planner.h"

#include "compat.h"
#include "scan/plan/counted_plan.h"
#include "scan/plan/counted_query.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/quick_joins.h"
#include "scan/plan/why_explain.h"
#include "scan/plan/why_note.h"
#include "settings.h"

/*
 * What a plan of two tables that are joined costs at least that is worth looking for another
 * one; with each one more it is twice that, up to so many.
 */
#define LEAST_COST  1000
#define MOST_TABLES 32

/* How often a query is planned again at most. */
#define MOST_PLANS 6

/* A table that the planner's run has refused to join. */
typedef struct Refused
{
	Oid table;
	const char *text;   /* what was said of it */
	const char *reason; /* why it cannot be counted; NULL: not known */
} Refused;

/* A run of the planner. */
typedef struct Run
{
	List *refused; /* Refused */
	List *notices; /* char *: what it has to say */
} Run;

/* The present one, which may have the planner run again; NULL: there is none. */
static Run *run = NULL;

static planner_hook_type previous_planner = NULL;

void
wa_counted_refused(PlannerInfo *root, const RelOptInfo *relation,
				   const char *text)
{
	int number = -1;

	if (run == NULL)
		return;
	while ((number = bms_next_member(relation->relids, number)) >= 0)
	{
		const RangeTblEntry *entry = root->simple_rte_array[number];
		Refused *table;

		if (entry->rtekind != RTE_RELATION)
			continue;
		table = palloc(sizeof(Refused));
		*table = (Refused){entry->relid, text, NULL};
		run->refused = lappend(run->refused, table);
	}
}

/* Says why a level has no node. */
static void
say(const char *text)
{
	ereport(NOTICE,
			(errmsg("warpagg leaves an aggregate to PostgreSQL: %s", text)));
}

void
wa_counted_notice(const char *text)
{
	if (run == NULL)
		say(text);
	else
		run->notices = lappend(run->notices, (char *) text);
}

/* Plans a query in a run, which may be a quick one (quick_joins.h), or NULL. */
static PlannedStmt *
plan_in_run(Query *query, Run *mine, WaQuickJoins *quick,
			PLANNER_PARAMETERS_COMPAT)
{
	Run *outer = run;
	WaQuickJoins *outer_quick = wa_quick_joins_set(quick);
	PlannedStmt *volatile plan;

	run = mine;
	PG_TRY();
	{
		plan = previous_planner(query, PLANNER_ARGUMENTS_COMPAT);
	}
	PG_FINALLY();
	{
		run = outer;
		(void) wa_quick_joins_set(outer_quick);
	}
	PG_END_TRY();
	return plan;
}

/* Returns how many levels of a plan have a node. */
static int
count_nodes(const PlannedStmt *plan)
{
	List *whys;
	ListCell *cell;
	int count = 0;

	if (!wa_why_read(plan, &whys))
		return 0;
	foreach (cell, whys)
		count += ((const WaWhy *) lfirst(cell))->reason[0] == '\0';
	return count;
}

/* A query that is planned again. */
typedef struct Again
{
	const List *refused; /* Refused */
	const Query *query;  /* of the plan */
	PlannedStmt *plan;   /* the best one so far, */
	List *notices;       /* and what there is to say of it */
	int nplans;          /* that have been made */
} Again;

/* Returns the tables that were refused. */
static List *
tables_of(const List *all)
{
	List *tables = NIL;
	ListCell *cell;

	foreach (cell, all)
		tables = list_append_unique_oid(
			tables, ((const Refused *) lfirst(cell))->table);
	return tables;
}

/* Notes why a table cannot be counted. */
static void
note_reason(const Again *again, Oid table, const char *reason)
{
	ListCell *cell;

	foreach (cell, again->refused)
	{
		Refused *entry = (Refused *) lfirst(cell);

		if (entry->table == table && entry->reason == NULL)
			entry->reason = reason;
	}
}

/*
 * Plans another form of the query, in which a table is counted, and keeps the plan if it has
 * more nodes and is not dearer.
 */
static void
try_query(Again *again, const Query *query, Oid table,
		  PLANNER_PARAMETERS_COMPAT)
{
	Run mine = {NIL, NIL};
	PlannedStmt *plan = plan_in_run(copyObject((Query *) query), &mine, NULL,
									PLANNER_ARGUMENTS_COMPAT);

	again->nplans++;
	if (count_nodes(plan) <= count_nodes(again->plan))
		return;
	if (is_dearer_compat(plan->planTree, again->plan->planTree))
	{
		note_reason(again, table, "PostgreSQL's plan costs less");
		return;
	}
	again->plan = plan;
	again->notices = mine.notices;
	again->query = query;
}

/*
 * Plans the query with each table of a level counted that can be, by itself and together
 * with those before it, which have fewer rows.
 */
static void
plan_level(Again *again, int level, PLANNER_PARAMETERS_COMPAT)
{
	const List *tables = tables_of(again->refused);
	const Query *base = again->query;
	const Query *several = base;
	const char *reason;
	Oid table;
	int ncounted = 0;

	for (int i = 0; again->nplans < MOST_PLANS; i++)
	{
		const Query *one =
			wa_counted_rewrite(base, level, tables, i, &table, &reason);

		if (one == NULL && reason == NULL)
			return;
		if (one == NULL)
		{
			note_reason(again, table, reason);
			continue;
		}
		try_query(again, one, table, PLANNER_ARGUMENTS_COMPAT);
		/* What has been counted is no candidate any more. */
		one = wa_counted_rewrite(several, level, tables, i - ncounted, &table,
								 &reason);
		if (one == NULL)
			continue;
		several = one;
		if (++ncounted > 1)
			try_query(again, several, table, PLANNER_ARGUMENTS_COMPAT);
	}
}

/* Tells whether a text ends like another one. */
static bool
ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text);

	return strlen(end) <= length &&
		   strcmp(text + length - strlen(end), end) == 0;
}

/* Returns why a level has no node, with why a table was not counted either. */
static const char *
full_reason(const Again *again, const char *reason)
{
	ListCell *cell;

	foreach (cell, again->refused)
	{
		const Refused *table = (const Refused *) lfirst(cell);

		if (table->reason != NULL && ends_with(reason, table->text))
			return psprintf("%s, and %s", reason, table->reason);
	}
	return reason;
}

/* Has the plan, and what there is to say of it, say why tables were not counted either. */
static void
add_reasons(Again *again)
{
	List *whys;
	ListCell *cell;

	if (!wa_why_read(again->plan, &whys))
		return;
	foreach (cell, whys)
	{
		WaWhy *why = (WaWhy *) lfirst(cell);

		why->reason = full_reason(again, why->reason);
	}
	wa_why_write(again->plan, whys);
	foreach (cell, again->notices)
		lfirst(cell) = (char *) full_reason(again, (const char *) lfirst(cell));
}

/* Tells whether a level is worth planning again for. */
static bool
is_worth(const Again *again, int size)
{
	return again->plan->planTree->total_cost >=
		   ldexp(LEAST_COST, Min(size, MOST_TABLES) - 2);
}

/* Plans a query that is likely to have joins again, if they are refused. */
static void
plan_again(Again *again, PLANNER_PARAMETERS_COMPAT)
{
	int size;

	for (int level = 0;
		 (size = wa_counted_level_size((Query *) again->query, level)) > 0;
		 level++)
		if (is_worth(again, size))
			plan_level(again, level, PLANNER_ARGUMENTS_COMPAT);
	add_reasons(again);
}

/* Plans a query: quickly, if nothing is lost by that.  copy: of the query, or NULL. */
static PlannedStmt *
plan_first(Query *parse, const Query *copy, Run *mine,
		   PLANNER_PARAMETERS_COMPAT)
{
	WaQuickJoins quick = {0};
	PlannedStmt *plan = plan_in_run(parse, mine, copy == NULL ? NULL : &quick,
									PLANNER_ARGUMENTS_COMPAT);

	if (wa_quick_joins_are_good(&quick))
		return plan;
	ereport(DEBUG2, (errmsg_internal("warpagg has them planned with a search: "
									 "another plan may cost less")));
	*mine = (Run){NIL, NIL};
	plan = plan_in_run(copyObject((Query *) copy), mine, NULL,
					   PLANNER_ARGUMENTS_COMPAT);
	wa_why_planned(parse, plan);
	return plan;
}

/* The hook. */
static PlannedStmt *
plan_query(Query *parse, PLANNER_PARAMETERS_COMPAT)
{
	/* The planner changes it. */
	const Query *query = wa_enable_scan && wa_counted_level_size(parse, 0) > 0
							 ? copyObject(parse)
							 : NULL;
	Run mine = {NIL, NIL};
	Again again = {.query = query};
	ListCell *cell;

	again.plan = plan_first(parse, query, &mine, PLANNER_ARGUMENTS_COMPAT);
	again.refused = mine.refused;
	again.notices = mine.notices;
	if (query != NULL && mine.refused != NIL)
	{
		plan_again(&again, PLANNER_ARGUMENTS_COMPAT);
		wa_why_planned(parse, again.plan);
	}
	foreach (cell, again.notices)
		say((const char *) lfirst(cell));
	return again.plan;
}

void
wa_counted_init(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_query;
}
