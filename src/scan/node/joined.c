/*
 * joined.c
 *		What is joined to the rows of a node's table; see joined.h.
 *
 * Tables of it are kept for the next query if they depend on nothing but the rows of
 * relations, of which stamps tell whether they are the same (scan/resident/stamps.h): not on
 * the time, on the user, on subselects, or on code that may be replaced.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "resident/autoload.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/expr/errors.h"
#include "scan/node/joined.h"
#include "scan/plan/suggest.h"
#include "scan/resident/stamps.h"
#include "scan/state/plan.h"
#include "scan/tables/join_build.h"
#include "scan/tables/join_cache.h"
#include "scan/tables/table_cache.h"
#include "settings.h"

struct WaJoined
{
	List *
		plans; /* PlanState of each join: below the node, or a subplan's, or NULL, */
	List *below; /* and of those below the node */
	WaJoinBuild *build;
	bool has_read;
};

/* What the plans depend on. */
typedef struct Contents
{
	EState *estate;
	Bitmapset *relations; /* by their numbers in the query */
	List *params;         /* numbers of external parameters */
} Contents;

/* Looks for what is not known to be the same for another query; notes parameters. */
static bool
find_changing(Node *node, void *context)
{
	Contents *contents = (Contents *) context;
	const Param *param = (const Param *) node;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	if (!IsA(node, Param))
		return expression_tree_walker(node, find_changing, context);
	if (param->paramkind != PARAM_EXTERN)
		return true;
	contents->params = list_append_unique_int(contents->params, param->paramid);
	return false;
}

/* Tells whether expressions are the same for every query with the same parameters. */
static bool
are_lasting(Contents *contents, List *expressions)
{
	return !contain_mutable_functions((Node *) expressions) &&
		   !wa_runs_foreign_code((Node *) expressions) &&
		   !find_changing((Node *) expressions, contents);
}

/* Returns the expressions that a plan of a kind has beside those of all plans. */
static List *
expressions_of(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_IndexScan:
			return ((const IndexScan *) plan)->indexqual;
		case T_IndexOnlyScan:
			return ((const IndexOnlyScan *) plan)->indexqual;
		case T_BitmapIndexScan:
			return ((const BitmapIndexScan *) plan)->indexqual;
		case T_BitmapHeapScan:
			return ((const BitmapHeapScan *) plan)->bitmapqualorig;
		case T_NestLoop:
			return ((const NestLoop *) plan)->join.joinqual;
		case T_MergeJoin:
			return list_concat_copy(((const MergeJoin *) plan)->join.joinqual,
									((const MergeJoin *) plan)->mergeclauses);
		case T_HashJoin:
			return list_concat_copy(((const HashJoin *) plan)->join.joinqual,
									((const HashJoin *) plan)->hashclauses);
		case T_CustomScan:
			return list_concat_copy(
				((const CustomScan *) plan)->custom_exprs,
				((const CustomScan *) plan)->custom_scan_tlist);
		default:
			return NIL;
	}
}

/* Returns the number of the relation that a plan scans; 0: none. */
static Index
relation_of(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_CustomScan:
			return ((const Scan *) plan)->scanrelid;
		default:
			return 0;
	}
}

/* Tells whether a plan is of a kind that returns the same for the same relations. */
static bool
is_covered(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_BitmapIndexScan:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
		case T_Hash:
		case T_Sort:
		case T_Material:
		case T_Gather:
		case T_GatherMerge:
		case T_Unique:
		case T_Agg:
		case T_SubqueryScan:
			return true;
		case T_CustomScan:
			return strcmp(((const CustomScan *) plan)->methods->CustomName,
						  "WarpAgg") == 0 &&
				   ((const CustomScan *) plan)->custom_plans == NIL;
		default:
			return false;
	}
}

/* Tells whether a plan (NULL: none) returns the same for the same relations. */
static bool
is_lasting(Contents *contents, const Plan *plan)
{
	if (plan == NULL)
		return true;
	if (!is_covered(plan) || plan->initPlan != NIL ||
		!are_lasting(contents, plan->targetlist) ||
		!are_lasting(contents, plan->qual) ||
		!are_lasting(contents, expressions_of(plan)))
		return false;
	if (relation_of(plan) > 0)
		contents->relations =
			bms_add_member(contents->relations, (int) relation_of(plan));
	if (IsA(plan, SubqueryScan) &&
		!is_lasting(contents, ((const SubqueryScan *) plan)->subplan))
		return false;
	return is_lasting(contents, plan->lefttree) &&
		   is_lasting(contents, plan->righttree);
}

/* Appends the values of parameters, as texts. */
static void
append_params(StringInfo text, const Contents *contents)
{
	const ParamListInfo params = contents->estate->es_param_list_info;
	ListCell *cell;

	foreach (cell, contents->params)
	{
		const int number = lfirst_int(cell);
		ParamExternData place;
		const ParamExternData *param;
		Oid function;
		bool is_varlena;
		const char *value;

		param = params->paramFetch != NULL
					? params->paramFetch(params, number, false, &place)
					: &params->params[number - 1];
		appendStringInfo(text, " $%d", number);
		if (!OidIsValid(param->ptype) || param->isnull)
			continue;
		getTypeOutputInfo(param->ptype, &function, &is_varlena);
		value = OidOutputFunctionCall(function, param->value);
		/* With its length, no value looks like one and another parameter. */
		appendStringInfo(text, "=%u:%zu:%s", param->ptype, strlen(value),
						 value);
	}
}

/* Takes out of a text of nodes where in the text of the query each of them stood. */
static void
forget_locations(char *text)
{
	static const char label[] = ":location ";
	char *to = text;

	for (const char *from = text; *from != '\0';)
		if (strncmp(from, label, strlen(label)) == 0)
		{
			from += strlen(label);
			from += strspn(from, "-0123456789");
		}
		else
			*to++ = *from++;
	*to = '\0';
}

/* Describes what tables have, beside rows of relations. */
static char *
describe(const WaScanState *state, const List *plans, const Contents *contents)
{
	const WaJoins *joins = &state->query.joins;
	StringInfoData text;
	ListCell *cell;
	int number = -1;

	initStringInfo(&text);
	while ((number = bms_next_member(contents->relations, number)) >= 0)
		appendStringInfo(
			&text, "%d=%u ", number,
			exec_rt_fetch((Index) number, contents->estate)->relid);
	appendStringInfoString(&text, nodeToString(plans));
	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		appendStringInfo(
			&text, " %d %d %s", join->kind, join->into,
			nodeToString(list_make3(join->key, join->of, join->columns)));
	}
	foreach (cell, joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		appendStringInfo(&text, " %d %d %s", value->join, value->fact,
						 nodeToString(value->expression));
	}
	forget_locations(text.data);
	text.len = (int) strlen(text.data);
	append_params(&text, contents);
	appendStringInfoString(&text, wa_tables_settings());
	return text.data;
}

/*
 * Has a relation loaded that has no stamp, by the column of it that takes least; then the
 * next query finds the tables of this one.
 */
static void
suggest(Relation relation)
{
	AttrNumber any;

	if (wa_autoload && wa_resident_refusal(relation) == NULL &&
		wa_columns_narrowest(relation, &any))
		wa_autoload_suggest(RelationGetRelid(relation), 1, &any, false);
}

/*
 * Asks for the stamps of the relations; returns false if one of them has none.  They are
 * loaded if the node's table is large enough.
 */
static bool
find_stamps(const Contents *contents, bool may_load, WaJoinContents *found)
{
	bool are_there = true;
	const int count = bms_num_members(contents->relations);
	uint64 *stamps = palloc(sizeof(uint64) * count);
	List *relations = NIL;
	int number = -1;

	while ((number = bms_next_member(contents->relations, number)) >= 0)
		relations = lappend(
			relations, query_relation_compat(contents->estate, (Index) number));
	if (!wa_resident_stamps(relations, contents->estate->es_snapshot, stamps))
		return false;
	for (int i = 0; i < count; i++)
	{
		if (stamps[i] == 0 && may_load)
			suggest((Relation) list_nth(relations, i));
		are_there &= stamps[i] != 0;
	}
	found->nstamps = count;
	found->stamps = stamps;
	return are_there;
}

/* Tells whether the tables of this query may be those of others, and describes them. */
static bool
find_contents(const WaScanState *state, const List *plans,
			  WaJoinContents *found)
{
	Contents contents = {.estate = state->css.ss.ps.state};
	ListCell *cell;

	if (!wa_enable_resident || IsolationIsSerializable())
		return false;
	foreach (cell, plans)
		if (!is_lasting(&contents, (const Plan *) lfirst(cell)))
			return false;
	foreach (cell, state->query.joins.values)
		if (!are_lasting(
				&contents,
				list_make1(((const WaJoinedValue *) lfirst(cell))->expression)))
			return false;
	if (bms_is_empty(contents.relations) ||
		!find_stamps(
			&contents,
			wa_suggest_is_wanted((double) wa_sources_nblocks(&state->sources)),
			found))
		return false;
	found->description = describe(state, plans, &contents);
	return true;
}

/*
 * Returns the plans of the joins, of which those of sets are subplans; NULL: a join has the
 * rows of another.
 */
static List *
plans_of(const WaScanState *state)
{
	const EState *estate = state->css.ss.ps.state;
	List *below = wa_plan_joined(castNode(CustomScan, state->css.ss.ps.plan));
	List *plans = NIL;
	ListCell *cell;

	foreach (cell, state->query.joins.list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);

		if (join->subplan != NULL)
			plans = lappend(plans, list_nth(estate->es_plannedstmt->subplans,
											join->subplan->plan_id - 1));
		else if (!wa_join_has_plan(join->kind))
			plans = lappend(plans, NULL);
		else
		{
			plans = lappend(plans, linitial(below));
			below = list_delete_first(below);
		}
	}
	return plans;
}

/* Begins the plan of a join below the node, if there is one. */
static PlanState *
begin_plan(CustomScanState *css, WaJoined *joined, Plan *plan, int eflags)
{
	PlanState *state =
		ExecInitNode(plan, css->ss.ps.state,
					 eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));

	if (state == NULL)
		return NULL;
	joined->below = lappend(joined->below, state);
	css->custom_ps = lappend(css->custom_ps, state);
	return state;
}

/* Returns the plan of a set, which has begun, and has the node show that it uses it. */
static PlanState *
use_subplan(CustomScanState *css, SubPlan *subplan)
{
	SubPlanState *state = makeNode(SubPlanState);

	state->subplan = subplan;
	state->parent = &css->ss.ps;
	state->planstate = (PlanState *) list_nth(
		css->ss.ps.state->es_subplanstates, subplan->plan_id - 1);
	css->ss.ps.subPlan = lappend(css->ss.ps.subPlan, state);
	return state->planstate;
}

WaJoined *
wa_joined_begin(WaScanState *state, int eflags)
{
	CustomScanState *css = &state->css;
	WaJoined *joined;
	ListCell *join;
	ListCell *plan;

	if (state->query.joins.list == NIL)
		return NULL;
	joined = palloc0(sizeof(WaJoined));
	forboth(join, state->query.joins.list, plan, plans_of(state))
	{
		SubPlan *subplan = ((const WaJoin *) lfirst(join))->subplan;

		joined->plans = lappend(
			joined->plans, subplan != NULL
							   ? use_subplan(css, subplan)
							   : begin_plan(css, joined, lfirst(plan), eflags));
	}
	return joined;
}

/* Fills the tables by the plans. */
static void
fill(WaScanState *state, WaJoined *joined)
{
	WaJoinTables *tables = state->query.interpreter->joined;
	ListCell *cell;

	/* A subplan may have been read for rows of partitions, which PostgreSQL reads. */
	foreach (cell, joined->plans)
		if (lfirst(cell) != NULL &&
			(joined->build != NULL ||
			 !list_member_ptr(joined->below, lfirst(cell))))
			ExecReScan((PlanState *) lfirst(cell));
	if (joined->build == NULL)
		joined->build = wa_join_build_make(tables, state->css.ss.ps.state);
	wa_join_build_fill(joined->build, joined->plans);
	/* Workers of theirs make room for the node's own. */
	foreach (cell, joined->plans)
		if (lfirst(cell) != NULL)
			(void) ExecShutdownNode((PlanState *) lfirst(cell));
}

/* Fills the tables, by what is kept, or by the plans. */
static void
find_or_fill(WaScanState *state, WaJoined *joined)
{
	WaJoinTables *tables = state->query.interpreter->joined;
	WaJoinContents contents;
	const bool may_keep = find_contents(state, plans_of(state), &contents);

	if (may_keep && wa_join_cache_take(tables, &contents))
		return;
	fill(state, joined);
	if (!may_keep)
		return;
	wa_join_cache_name(tables, &contents);
	wa_join_cache_keep(tables, &contents);
}

void
wa_joined_read(WaScanState *state)
{
	WaJoined *joined = state->joined;
	bool is_current;
	ListCell *cell;
	MemoryContext old;

	if (joined == NULL)
		return;
	is_current = joined->has_read;
	foreach (cell, joined->plans)
		is_current &= lfirst(cell) == NULL ||
					  ((PlanState *) lfirst(cell))->chgParam == NULL;
	if (is_current)
		return;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	find_or_fill(state, joined);
	MemoryContextSwitchTo(old);
	joined->has_read = true;
}

void
wa_joined_rescan(WaJoined *joined, Bitmapset *changed)
{
	ListCell *cell;

	if (joined == NULL || changed == NULL)
		return;
	foreach (cell, joined->plans)
	{
		PlanState *plan = (PlanState *) lfirst(cell);

		if (plan == NULL)
			continue;
		/* Who else reads a subplan takes its own note of it away. */
		if (bms_overlap(plan->plan->allParam, changed))
			joined->has_read = false;
		UpdateChangedParamSet(plan, changed);
	}
}

void
wa_joined_end(WaJoined *joined)
{
	ListCell *cell;

	if (joined == NULL)
		return;
	foreach (cell, joined->below)
		ExecEndNode((PlanState *) lfirst(cell));
}
