/*
 * join_contents.c
 *		What tables of joins are made of; see join_contents.h.
 *
 * Tables are the same for other queries if they depend on nothing but the rows of
 * relations, of which stamps tell whether they are the same (scan/resident/stamps.h): not on
 * the time, on the user, on subselects, or on code that may be replaced.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "resident/autoload.h"
#include "resident/columns.h"
#include "resident/relation.h"
#include "scan/expr/errors.h"
#include "scan/node/join_contents.h"
#include "scan/node/plan_text.h"
#include "scan/plan/suggest.h"
#include "scan/plan/suggest_columns.h"
#include "scan/resident/stamps.h"
#include "scan/tables/table_cache.h"
#include "settings.h"

/* What tables depend on. */
typedef struct Contents
{
	EState *estate;
	const char *settings; /* of the session */
	Bitmapset *relations; /* by their numbers in the query */
	List *params;         /* numbers of external parameters */
	List *numbers;        /* of relations, in the order of the description */
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

/* A value of the rows, as text. */
typedef struct Described
{
	int number;
	char *text;
} Described;

static int
compare_described(const void *a, const void *b)
{
	return strcmp(((const Described *) a)->text, ((const Described *) b)->text);
}

/* Describes the values of tables, in an order that does not depend on the query's. */
static void
describe_values(StringInfo to, Contents *contents, const WaJoins *joins,
				const int *places, WaJoinContents *found)
{
	const int count = list_length(joins->values);
	Described *values = palloc(sizeof(Described) * (count + 1));
	ListCell *cell;

	found->values = palloc(sizeof(int) * (count + 1));
	foreach (cell, joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);
		StringInfoData text;

		/* Numbers of rows are no table. */
		if ((value->expression == NULL && value->fact == WA_FACT_NONE) ||
			wa_joins_unit(joins, value->join) != found->unit)
			continue;
		initStringInfo(&text);
		appendStringInfo(&text, "%d %d ", places[value->join], value->fact);
		wa_plan_text_append(&text, &contents->numbers, value->expression);
		values[found->nvalues++] =
			(Described){foreach_current_index(cell), text.data};
	}
	qsort(values, (size_t) found->nvalues, sizeof(Described),
		  compare_described);
	for (int i = 0; i < found->nvalues; i++)
	{
		found->values[i] = values[i].number;
		appendStringInfo(to, " value %s", values[i].text);
	}
}

/*
 * Describes what a plan returns.  Of a relation that is scanned the columns are of no account,
 * as expressions tell which they use: queries have them in any order.
 */
static void
describe_plan(StringInfo to, Contents *contents, const Plan *plan,
			  const WaJoin *join)
{
	Plan *copy;

	switch (nodeTag(plan))
	{
		case T_SeqScan:
			/* Of the relation, which a row stands for, it has those that qualify. */
			appendStringInfoString(to, " scan");
			wa_plan_text_append(
				to, &contents->numbers,
				list_make2(makeVar((int) relation_of(plan), InvalidAttrNumber,
								   RECORDOID, -1, InvalidOid, 0),
						   plan->qual));
			break;
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			copy = (Plan *) copyObject((const void *) plan);
			copy->targetlist = NIL;
			wa_plan_text_append(to, &contents->numbers, copy);
			break;
		default:
			wa_plan_text_append(to, &contents->numbers, plan);
			wa_plan_text_append(to, &contents->numbers, join->columns);
	}
}

/*
 * Describes the joins of tables, and how those that are folded are found.  By what the rows
 * of the query's table find theirs is of no account.
 */
static void
describe_joins(StringInfo to, Contents *contents, const WaJoins *joins,
			   const List *plans, const int *places,
			   const WaJoinContents *found)
{
	for (int i = 0; i < found->njoins; i++)
	{
		const int number = found->joins[i];
		const WaJoin *join = (const WaJoin *) list_nth(joins->list, number);

		if (join->kind == WA_JOIN_NUMBER)
			appendStringInfoString(to, " part");
		else
			describe_plan(to, contents, (const Plan *) list_nth(plans, number),
						  join);
		appendStringInfo(to, " join %d %d ", join->is_unique, join->is_pair);
		wa_plan_text_append(to, &contents->numbers, join->of);
		if (join->into < 0)
			continue;
		appendStringInfo(to, " %d %d ", join->kind, places[join->into]);
		wa_plan_text_append(to, &contents->numbers, join->key);
	}
}

/* Describes what tables have, beside rows of relations. */
static char *
describe(Contents *contents, const WaJoins *joins, const List *plans,
		 WaJoinContents *found)
{
	int *places = palloc(sizeof(int) * list_length(joins->list));
	StringInfoData text;
	ListCell *cell;

	for (int i = 0; i < found->njoins; i++)
		places[found->joins[i]] = i;
	initStringInfo(&text);
	describe_joins(&text, contents, joins, plans, places, found);
	describe_values(&text, contents, joins, places, found);
	foreach (cell, contents->numbers)
		appendStringInfo(
			&text, " relation %u",
			exec_rt_fetch((Index) lfirst_int(cell), contents->estate)->relid);
	append_params(&text, contents);
	appendStringInfoString(&text, contents->settings);
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

/* Returns the tables of a unit of joins. */
static WaJoinContents *
make_contents(const WaJoins *joins, int unit)
{
	const int count = list_length(joins->list);
	WaJoinContents *found = palloc0(sizeof(WaJoinContents));

	found->unit = unit;
	found->joins = palloc(sizeof(int) * count);
	for (int i = 0; i < count; i++)
		if (wa_joins_unit(joins, i) == unit)
			found->joins[found->njoins++] = i;
	return found;
}

/* Describes tables, if they may be those of other queries; returns false if not. */
static bool
find_description(Contents *contents, const WaJoins *joins, const List *plans,
				 WaJoinContents *found)
{
	ListCell *cell;

	for (int i = 0; i < found->njoins; i++)
		if (!is_lasting(contents,
						(const Plan *) list_nth(plans, found->joins[i])))
			return false;
	foreach (cell, joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (wa_joins_unit(joins, value->join) == found->unit &&
			!are_lasting(contents, list_make1(value->expression)))
			return false;
	}
	if (bms_is_empty(contents->relations))
		return false;
	found->description = describe(contents, joins, plans, found);
	return true;
}

/*
 * Stores the stamps of some relations, by their numbers in the query; returns false if the
 * device process cannot tell.  Those without one are loaded if the node's table is large
 * enough.
 */
static bool
find_stamps(const WaScanState *state, const Bitmapset *numbers, uint64 *stamps)
{
	EState *estate = state->css.ss.ps.state;
	const bool may_load =
		wa_suggest_is_wanted((double) wa_sources_nblocks(&state->sources));
	uint64 *found = palloc(sizeof(uint64) * bms_num_members(numbers));
	List *relations = NIL;
	ListCell *cell;
	int number = -1;

	while ((number = bms_next_member(numbers, number)) >= 0)
		relations =
			lappend(relations, query_relation_compat(estate, (Index) number));
	if (!wa_resident_stamps(relations, estate->es_snapshot, found))
		return false;
	number = -1;
	foreach (cell, relations)
	{
		const uint64 stamp = found[foreach_current_index(cell)];

		number = bms_next_member(numbers, number);
		stamps[number] = stamp;
		if (stamp == 0 && may_load)
			suggest((Relation) lfirst(cell));
	}
	return true;
}

/*
 * Gives tables the stamps of their relations, and notes which of these the plan of the unit
 * scans; returns false if they are not all described.
 */
static bool
take_stamps(const Contents *contents, const uint64 *stamps,
			WaJoinContents *found)
{
	ListCell *cell;

	found->stamps = palloc(sizeof(uint64) * list_length(contents->numbers));
	found->is_stamped = true;
	found->scanned = -1;
	foreach (cell, contents->numbers)
	{
		const int number = lfirst_int(cell);

		if (!bms_is_member(number, contents->relations))
			continue;
		if ((Index) number == found->scanned_number)
			found->scanned = found->nstamps;
		found->is_stamped &= stamps[number] != 0;
		found->stamps[found->nstamps++] = stamps[number];
	}
	/* Each of them is scanned by a plan, and so is in the description. */
	return found->nstamps == bms_num_members(contents->relations);
}

/* Describes those of some tables that may be the same for other queries. */
static List *
find_described(Contents *contents, const WaJoins *joins, const List *plans,
			   const Bitmapset *units)
{
	List *described = NIL;
	int unit = -1;

	while ((unit = bms_next_member(units, unit)) >= 0)
	{
		WaJoinContents *found = make_contents(joins, unit);

		if (!find_description(&contents[unit], joins, plans, found))
			continue;
		if (IsA(list_nth(plans, unit), SeqScan))
			found->scanned_number =
				relation_of((const Plan *) list_nth(plans, unit));
		described = lappend(described, found);
	}
	return described;
}

List *
wa_join_contents_find(const WaScanState *state, const List *plans,
					  const Bitmapset *units)
{
	EState *estate = state->css.ss.ps.state;
	const int count = list_length(plans);
	Contents *contents = palloc0(sizeof(Contents) * count);
	uint64 *stamps =
		palloc0(sizeof(uint64) * (list_length(estate->es_range_table) + 1));
	Bitmapset *relations = NULL;
	List *list = NIL;
	List *described;
	const char *settings;
	ListCell *cell;

	if (!wa_enable_resident || IsolationIsSerializable())
		return NIL;
	settings = wa_tables_settings();
	for (int i = 0; i < count; i++)
		contents[i] = (Contents){.estate = estate, .settings = settings};
	described = find_described(contents, &state->query.joins, plans, units);
	foreach (cell, described)
		relations = bms_add_members(
			relations,
			contents[((const WaJoinContents *) lfirst(cell))->unit].relations);
	if (described == NIL || !find_stamps(state, relations, stamps))
		return NIL;
	foreach (cell, described)
	{
		WaJoinContents *found = (WaJoinContents *) lfirst(cell);

		if (take_stamps(&contents[found->unit], stamps, found))
			list = lappend(list, found);
	}
	return list;
}

void
wa_join_contents_stamp_once(WaJoinContents *contents)
{
	uint64 *stamps = palloc(sizeof(uint64) * (contents->nstamps + 1));

	for (int i = 0; i < contents->nstamps; i++)
	{
		stamps[i] = contents->stamps[i];
		if (stamps[i] == 0 && !pg_strong_random(&stamps[i], sizeof(uint64)))
			elog(ERROR, "could not draw a stamp");
	}
	contents->stamps = stamps;
}

void
wa_join_contents_find_blocks(const WaScanState *state, WaJoinContents *contents)
{
	EState *estate = state->css.ss.ps.state;
	WaJoinBlocks *blocks;
	Relation relation;

	contents->blocks = NULL;
	if (contents->scanned < 0)
		return;
	relation = query_relation_compat(estate, contents->scanned_number);
	blocks = palloc(sizeof(WaJoinBlocks));
	blocks->storage = wa_resident_storage(relation);
	blocks->place = contents->scanned;
	blocks->nblocks = RelationGetNumberOfBlocks(relation);
	blocks->identities = palloc_extended(
		sizeof(uint64) * (Size) blocks->nblocks + 1, MCXT_ALLOC_HUGE);
	if (wa_resident_blocks(relation, estate->es_snapshot, blocks->nblocks,
						   blocks->identities))
		contents->blocks = blocks;
}
