/*
 * why.c
 *		Why levels of a query with aggregates have no node; see why.h.
 *
 * A plan has no place for what an extension has to say of it before PostgreSQL 19, so
 * the note is a string in one that is not used: the name of a transition table in the
 * first entry of its range table, or if that is one, the name of a query of WITH.  Plans
 * are copied with it, and it is not sent to parallel workers.  The range table of a plan
 * is its own: that of the query stays as it is.  A line of the note is a level: name,
 * reason and costs.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"

#include "compat.h"
#include "scan/plan/why.h"
#include "scan/plan/why_explain.h"
#include "scan/plan/why_note.h"

/* What has become of a level. */
typedef struct Level
{
	PlannerInfo *root;
	const char *reason; /* NULL: it has a path of ours, which */
	bool is_chosen;     /* is in the plan, or not: */
	const RelOptInfo *grouped;
	const struct CustomPathMethods *methods;
	Cost startup_cost;
	Cost cost; /* in all */
	bool outgrows;
} Level;

/* A run of the planner; the planner may run functions that have it run again. */
typedef struct Planning
{
	List *levels;
} Planning;

static Planning *planning = NULL;

static planner_hook_type previous_planner = NULL;

/* Returns the entry of a level, which it may add; NULL: nobody wants to know. */
static Level *
find_level(PlannerInfo *root)
{
	Level *level;
	ListCell *cell;

	if (planning == NULL)
		return NULL;
	foreach (cell, planning->levels)
	{
		level = (Level *) lfirst(cell);
		if (level->root == root)
			return level;
	}
	level = palloc0(sizeof(Level));
	level->root = root;
	planning->levels = lappend(planning->levels, level);
	return level;
}

void
wa_why_refused(PlannerInfo *root, const char *reason)
{
	Level *level = find_level(root);

	/* Of a partitioned table its children come before it. */
	if (level != NULL)
		level->reason = reason;
}

void
wa_why_offered(PlannerInfo *root, const RelOptInfo *grouped,
			   const CustomPath *path, bool outgrows)
{
	Level *level = find_level(root);

	if (level == NULL)
		return;
	level->reason = NULL;
	level->grouped = grouped;
	level->methods = path->methods;
	level->startup_cost = path->path.startup_cost;
	level->cost = path->path.total_cost;
	level->outgrows = outgrows;
}

void
wa_why_chosen(PlannerInfo *root)
{
	Level *level = find_level(root);

	if (level != NULL)
		level->is_chosen = true;
}

/* Returns the cheapest path of a level's grouping that is not ours, or NULL. */
static const Path *
find_rival(const Level *level)
{
	const Path *rival = NULL;
	ListCell *cell;

	foreach (cell, level->grouped->pathlist)
	{
		const Path *path = (const Path *) lfirst(cell);

		if (IsA(path, CustomPath) &&
			((const CustomPath *) path)->methods == level->methods)
			continue;
		if (rival == NULL || path->total_cost < rival->total_cost)
			rival = path;
	}
	return rival;
}

/* What a path is, or one that it gets its rows from. */
typedef enum Kind
{
	KIND_OTHER,
	KIND_INDEX,
	KIND_PARALLEL
} Kind;

/* Tells what is special about a path. */
static Kind
kind_of(const Path *path)
{
	Kind kind = KIND_OTHER;

	for (;;)
		switch (nodeTag(path))
		{
			case T_IndexPath:
			case T_BitmapHeapPath:
			case T_MinMaxAggPath:
				return KIND_INDEX;
			case T_GatherPath:
				kind = KIND_PARALLEL;
				path = ((const GatherPath *) path)->subpath;
				break;
			case T_GatherMergePath:
				kind = KIND_PARALLEL;
				path = ((const GatherMergePath *) path)->subpath;
				break;
			case T_AggPath:
				path = ((const AggPath *) path)->subpath;
				break;
			case T_GroupPath:
				path = ((const GroupPath *) path)->subpath;
				break;
			case T_SortPath:
			case T_IncrementalSortPath:
				path = ((const SortPath *) path)->subpath;
				break;
			case T_ProjectionPath:
				path = ((const ProjectionPath *) path)->subpath;
				break;
			default:
				return kind;
		}
}

/* Returns why a path of ours is not in the plan. */
static const char *
rival_reason(const Level *level, const Path *rival)
{
	if (!enable_seqscan)
		return "enable_seqscan is off";
	if (rival == NULL || rival->total_cost > level->cost)
		return rival != NULL && rival->startup_cost < level->startup_cost &&
					   level->root->tuple_fraction > 0
				   ? "not all rows are wanted, and PostgreSQL's plan has the "
					 "first ones sooner"
				   : "what follows costs less with PostgreSQL's plan";
	switch (kind_of(rival))
	{
		case KIND_INDEX:
			return "an index scan costs less";
		case KIND_PARALLEL:
			return "a parallel plan costs less";
		case KIND_OTHER:
			break;
	}
	return level->outgrows
			   ? "its groups outgrow work_mem, and PostgreSQL's plan costs less"
			   : "PostgreSQL's plan costs less";
}

/* Returns the name of a subquery in FROM, or of an arm of UNION; NULL: it is none. */
static const char *
subquery_name(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;

	for (int i = 1; i < parent->simple_rel_array_size; i++)
		if (parent->simple_rel_array[i] != NULL &&
			parent->simple_rel_array[i]->subroot == root)
			return psprintf(
				"subquery %s",
				quote_identifier(parent->simple_rte_array[i]->eref->aliasname));
	return NULL;
}

/* Returns the number of a query of WITH, or of a subselect; 0: it is neither. */
static int
subplan_number(const PlannerInfo *root)
{
	const List *subroots = root->glob->subroots;

	for (int i = 0; i < list_length(subroots); i++)
		if (list_nth(subroots, i) == root)
			return i + 1;
	return 0;
}

/* Returns the name of a level below others, to follow "for". */
static const char *
inner_name(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;
	const char *name = subquery_name(root);
	const int number = subplan_number(root);

	if (name != NULL)
		return name;
	for (int i = 0; number > 0 && i < list_length(parent->cte_plan_ids); i++)
		if (list_nth_int(parent->cte_plan_ids, i) == number)
			return psprintf(
				"query %s of WITH",
				quote_identifier(
					list_nth_node(CommonTableExpr, parent->parse->cteList, i)
						->ctename));
	return number > 0 ? psprintf("subselect %d", number) : "a subquery";
}

/* Tells whether a level has become part of the plan at all. */
static bool
is_in_plan(const PlannerInfo *root, const PlannedStmt *plan)
{
	const int number = subplan_number(root);

	return number == 0 || list_nth(plan->subplans, number - 1) != NULL;
}

/* Appends a level's name, in which nothing ends a part of the note. */
static void
append_name(StringInfo note, const char *name)
{
	for (; *name != '\0'; name++)
		appendStringInfoChar(note, (unsigned char) *name < ' ' ? '?' : *name);
}

/* Appends a level to the note. */
static void
append_level(StringInfo note, const Level *level, const char *name)
{
	const Path *rival;

	append_name(note, name);
	appendStringInfoChar(note, '\t');
	if (level->is_chosen)
		appendStringInfoChar(note, '\t');
	else if (level->reason != NULL)
		appendStringInfo(note, "%s\t", level->reason);
	else
	{
		rival = find_rival(level);
		appendStringInfo(note, "%s\t", rival_reason(level, rival));
		if (rival != NULL && rival->total_cost <= level->cost)
			appendStringInfo(note, "%.2f, not %.2f", rival->total_cost,
							 level->cost);
	}
	appendStringInfoChar(note, '\n');
}

/* Returns the note on a plan: the outermost level comes first. */
static char *
make_note(const List *levels, const PlannedStmt *plan)
{
	StringInfoData note;
	ListCell *cell;

	initStringInfo(&note);
	foreach (cell, levels)
	{
		const Level *level = (const Level *) lfirst(cell);

		if (level->root->parent_root == NULL)
			append_level(&note, level,
						 list_length(levels) > 1 ? "the outer query" : "");
	}
	foreach (cell, levels)
	{
		const Level *level = (const Level *) lfirst(cell);

		if (level->root->parent_root != NULL && is_in_plan(level->root, plan))
			append_level(&note, level, inner_name(level->root));
	}
	return note.data;
}

/* Puts the note down in a plan. */
static void
put_down(PlannedStmt *plan, const List *levels)
{
	static char empty[] = "";

	wa_why_write(plan, levels == NIL ? empty : make_note(levels, plan));
}

/* The planner's hook. */
static PlannedStmt *
plan_query(Query *parse, PLANNER_PARAMETERS_COMPAT)
{
	Planning *outer = planning;
	Planning mine = {NIL};
	PlannedStmt *plan;

	planning = &mine;
	PG_TRY();
	{
		plan = previous_planner != NULL
				   ? previous_planner(parse, PLANNER_ARGUMENTS_COMPAT)
				   : standard_planner(parse, PLANNER_ARGUMENTS_COMPAT);
	}
	PG_FINALLY();
	{
		planning = outer;
	}
	PG_END_TRY();
	put_down(plan, mine.levels);
	wa_why_planned(parse, plan);
	return plan;
}

void
wa_why_init(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_query;
	wa_why_explain_init();
}
