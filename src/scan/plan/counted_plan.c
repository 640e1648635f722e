/*
 * counted_plan.c
 *		Plans of queries with a table counted; see counted_plan.h.
 *
 * To plan a query takes about as long as to run one of a few hundred rows: only what costs
 * more is planned again, and only a few times.
 */
#include "postgres.h"

#include "optimizer/planner.h"

#include "compat.h"
#include "scan/plan/counted_plan.h"
#include "scan/plan/counted_query.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/why_explain.h"
#include "scan/plan/why_note.h"
#include "settings.h"

/* What a plan costs at least that is worth looking for another one. */
#define LEAST_COST 1000

/* How often a query is planned again at most. */
#define MOST_PLANS 6

/* A table that the planner's run has refused to join. */
typedef struct Refused
{
	Oid table;
	const char *text;   /* what was said of it */
	const char *reason; /* why it cannot be counted; NULL: not known */
} Refused;

/* Those of the present run, which may have the planner run again; NULL: there is none. */
static List **refused = NULL;

static planner_hook_type previous_planner = NULL;

void
wa_counted_refused(PlannerInfo *root, const RelOptInfo *relation,
				   const char *text)
{
	int number = -1;

	if (refused == NULL)
		return;
	while ((number = bms_next_member(relation->relids, number)) >= 0)
	{
		const RangeTblEntry *entry = root->simple_rte_array[number];
		Refused *table;

		if (entry->rtekind != RTE_RELATION)
			continue;
		table = palloc(sizeof(Refused));
		*table = (Refused){entry->relid, text, NULL};
		*refused = lappend(*refused, table);
	}
}

/* Plans a query, and notes what is refused if *noted is not NULL. */
static PlannedStmt *
plan_noted(Query *query, List **noted, PLANNER_PARAMETERS_COMPAT)
{
	List **outer = refused;
	PlannedStmt *plan;

	refused = noted;
	PG_TRY();
	{
		plan = previous_planner(query, PLANNER_ARGUMENTS_COMPAT);
	}
	PG_FINALLY();
	{
		refused = outer;
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

/* Tells whether a plan is to be taken in place of another one. */
static bool
is_better(const PlannedStmt *plan, const PlannedStmt *other)
{
	return count_nodes(plan) > count_nodes(other) &&
		   !is_dearer_compat(plan->planTree, other->planTree);
}

/* A query that is planned again. */
typedef struct Again
{
	const List *refused; /* Refused */
	const Query *query;  /* of the plan */
	PlannedStmt *plan;   /* the best one so far */
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

/* Plans another form of the query, and keeps the plan if it is better. */
static void
try_query(Again *again, const Query *query, PLANNER_PARAMETERS_COMPAT)
{
	PlannedStmt *plan;

	if (again->nplans++ >= MOST_PLANS)
		return;
	plan =
		plan_noted(copyObject((Query *) query), NULL, PLANNER_ARGUMENTS_COMPAT);
	if (!is_better(plan, again->plan))
		return;
	again->plan = plan;
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
		try_query(again, one, PLANNER_ARGUMENTS_COMPAT);
		/* What has been counted is no candidate any more. */
		one = wa_counted_rewrite(several, level, tables, i - ncounted, &table,
								 &reason);
		if (one == NULL)
			continue;
		several = one;
		if (++ncounted > 1)
			try_query(again, several, PLANNER_ARGUMENTS_COMPAT);
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

/* Has a plan say why tables were not counted either. */
static void
add_reasons(const Again *again)
{
	List *whys;
	ListCell *why;
	ListCell *cell;

	if (!wa_why_read(again->plan, &whys))
		return;
	foreach (why, whys)
	{
		WaWhy *level = (WaWhy *) lfirst(why);

		foreach (cell, again->refused)
		{
			const Refused *table = (const Refused *) lfirst(cell);

			if (table->reason == NULL || !ends_with(level->reason, table->text))
				continue;
			level->reason =
				psprintf("%s, and %s", level->reason, table->reason);
			break;
		}
	}
	wa_why_write(again->plan, whys);
}

/* The hook. */
static PlannedStmt *
plan_query(Query *parse, PLANNER_PARAMETERS_COMPAT)
{
	/* The planner changes it. */
	const Query *query = wa_enable_scan && wa_counted_has_level(parse, 0)
							 ? copyObject(parse)
							 : NULL;
	List *noted = NIL;
	Again again = {.query = query};

	again.plan = plan_noted(parse, query == NULL ? NULL : &noted,
							PLANNER_ARGUMENTS_COMPAT);
	again.refused = noted;
	if (noted == NIL || again.plan->planTree->total_cost < LEAST_COST)
		return again.plan;
	for (int level = 0; wa_counted_has_level((Query *) again.query, level);
		 level++)
		plan_level(&again, level, PLANNER_ARGUMENTS_COMPAT);
	add_reasons(&again);
	wa_why_planned(parse, again.plan);
	return again.plan;
}

void
wa_counted_init(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_query;
}
