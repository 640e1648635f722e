/*
 * why.c
 *		Why levels of a query with aggregates have no node; see why.h.
 *
 * A plan has no place for what an extension has to say of it before PostgreSQL 19, so
 * the note is a string in one that is not used: the name of a transition table in the
 * first entry of its range table, or if that is one, the name of a query of WITH.  Plans
 * are copied with it, and it is not sent to parallel workers.  The range table of a plan
 * is its own: that of the query stays as it is.
 */
#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/planner.h"
#include "utils/builtins.h"

#include "compat.h"
#include "scan/plan/why.h"
#include "scan/plan/why_explain.h"
#include "scan/plan/why_note.h"

/* What a path is, or one that it gets its rows from. */
typedef enum Kind
{
	KIND_OTHER,
	KIND_INDEX,
	KIND_PARALLEL
} Kind;

/* What has become of a level. */
typedef struct Level
{
	PlannerInfo *root;
	const char *reason; /* NULL: it has a path of ours, which */
	bool is_chosen;     /* is in the plan, or not: */
	Cost cost;          /* in all */
	bool outgrows;

	/* Of the cheapest path of PostgreSQL's, which may be gone when the plan is made */
	bool has_rival;
	Kind rival_kind;
	Cost rival_cost;
	bool is_sooner; /* one of its paths has the first rows sooner */
} Level;

/*
 * The levels of the present run of the planner, which may run functions that have it run
 * again; NULL: there is none.
 */
static List **planned_levels = NULL;

static planner_hook_type previous_planner = NULL;

/* Returns the entry of a level, which it may add; NULL: nobody wants to know. */
static Level *
find_level(PlannerInfo *root)
{
	Level *level;
	ListCell *cell;

	if (planned_levels == NULL)
		return NULL;
	foreach (cell, *planned_levels)
	{
		level = (Level *) lfirst(cell);
		if (level->root == root)
			return level;
	}
	level = palloc0(sizeof(Level));
	level->root = root;
	*planned_levels = lappend(*planned_levels, level);
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
wa_why_chosen(PlannerInfo *root)
{
	Level *level = find_level(root);

	if (level != NULL)
		level->is_chosen = true;
}

const Path *
wa_why_rival(const RelOptInfo *grouped, const struct CustomPathMethods *ours)
{
	const Path *rival = NULL;
	ListCell *cell;

	foreach (cell, grouped->pathlist)
	{
		const Path *path = (const Path *) lfirst(cell);

		if (IsA(path, CustomPath) &&
			((const CustomPath *) path)->methods == ours)
			continue;
		if (rival == NULL || path->total_cost < rival->total_cost)
			rival = path;
	}
	return rival;
}

/* Tells whether a path of a grouping has its first row sooner than ours. */
static bool
has_sooner(const RelOptInfo *grouped, const CustomPath *ours)
{
	ListCell *cell;

	foreach (cell, grouped->pathlist)
		if (((const Path *) lfirst(cell))->startup_cost <
			ours->path.startup_cost)
			return true;
	return false;
}

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

void
wa_why_offered(PlannerInfo *root, const RelOptInfo *grouped,
			   const CustomPath *path, bool outgrows)
{
	const Path *rival = wa_why_rival(grouped, path->methods);
	Level *level = find_level(root);

	if (level == NULL)
		return;
	level->reason = NULL;
	level->cost = path->path.total_cost;
	level->outgrows = outgrows;
	level->has_rival = rival != NULL;
	if (rival == NULL)
		return;
	level->rival_kind = kind_of(rival);
	level->rival_cost = rival->total_cost;
	level->is_sooner = has_sooner(grouped, path);
}

/* Returns why a path of ours is not in the plan. */
static const char *
rival_reason(const Level *level)
{
	if (!enable_seqscan)
		return "enable_seqscan is off";
	if (!level->has_rival || level->rival_cost > level->cost)
		return level->is_sooner && level->root->tuple_fraction > 0
				   ? "not all rows are wanted, and PostgreSQL's plan has the "
					 "first ones sooner"
				   : "what follows costs less with PostgreSQL's plan";
	switch (level->rival_kind)
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

/* Returns a name as one that can stand in a line. */
static const char *
in_line(const char *name)
{
	char *copy = pstrdup(name);

	for (char *next = copy; *next != '\0'; next++)
		if ((unsigned char) *next < ' ')
			*next = '?';
	return copy;
}

/* Returns what a plan says of a level. */
static WaWhy *
make_why(const Level *level, const char *name)
{
	WaWhy *why = palloc(sizeof(WaWhy));

	*why = (WaWhy){in_line(name), "", ""};
	if (level->is_chosen)
		return why;
	if (level->reason != NULL)
	{
		why->reason = level->reason;
		return why;
	}
	why->reason = rival_reason(level);
	if (level->has_rival && level->rival_cost <= level->cost)
		why->costs = psprintf("%.2f, not %.2f", level->rival_cost, level->cost);
	return why;
}

/* Returns what a plan says of its levels: the outermost one comes first. */
static List *
make_whys(const List *levels, const PlannedStmt *plan)
{
	List *outer = NIL;
	List *inner = NIL;
	ListCell *cell;

	foreach (cell, levels)
	{
		const Level *level = (const Level *) lfirst(cell);

		if (level->root->parent_root == NULL)
			outer = lappend(outer, make_why(level, list_length(levels) > 1
													   ? "the outer query"
													   : ""));
		else if (is_in_plan(level->root, plan))
			inner = lappend(inner, make_why(level, inner_name(level->root)));
	}
	return list_concat(outer, inner);
}

/* The planner's hook. */
static PlannedStmt *
plan_query(Query *parse, PLANNER_PARAMETERS_COMPAT)
{
	List **outer = planned_levels;
	List *levels = NIL;
	PlannedStmt *plan;

	planned_levels = &levels;
	PG_TRY();
	{
		plan = previous_planner != NULL
				   ? previous_planner(parse, PLANNER_ARGUMENTS_COMPAT)
				   : standard_planner(parse, PLANNER_ARGUMENTS_COMPAT);
	}
	PG_FINALLY();
	{
		planned_levels = outer;
	}
	PG_END_TRY();
	wa_why_write(plan, make_whys(levels, plan));
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
