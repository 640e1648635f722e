/*
 * pushed_sources.c
 *		Partitions on other servers that aggregate their rows; see pushed_sources.h.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parse_func.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "scan/expr/aggregates.h"
#include "scan/groups/pushed_states.h"
#include "scan/plan/planner_compat.h"
#include "scan/plan/pushed_sources.h"

bool
wa_pushed_sources_may_have(const RelOptInfo *child)
{
	const ForeignDataWrapper *wrapper;

	if (child->fdwroutine == NULL ||
		child->fdwroutine->GetForeignUpperPaths == NULL)
		return false;
	wrapper = GetForeignDataWrapper(GetForeignServer(child->serverid)->fdwid);
	return wa_is_c_function(wrapper->fdwhandler, "postgres_fdw_handler");
}

/*
 * Returns PostgreSQL's own aggregate for an operation over values of a type, and of what
 * type its result is, or InvalidOid if it has none.
 */
static Oid
find_aggregate(WaOp op, Oid type, Oid *result)
{
	static const char *const names[WA_OP_COUNT] = {
		[WA_OP_SUM] = "sum",       [WA_OP_MIN] = "min",
		[WA_OP_MAX] = "max",       [WA_OP_BIT_AND] = "bit_and",
		[WA_OP_BIT_OR] = "bit_or", [WA_OP_BIT_XOR] = "bit_xor"};
	List *name =
		list_make2(makeString("pg_catalog"), makeString(pstrdup(names[op])));
	Oid accepted = type;
	Oid function;

	if (type_is_enum(type))
		accepted = ANYENUMOID;
	else if (type_is_array(type))
		accepted = ANYARRAYOID;
	function = LookupFuncName(name, 1, &accepted, true);
	if (!OidIsValid(function) || function >= FirstGenbkiObjectId)
		return InvalidOid;
	*result = accepted == type ? get_func_rettype(function) : type;
	return function;
}

/* Makes a call of an aggregate over the rows of a column. */
static Aggref *
make_call(const WaScanColumn *column, Oid function, Oid result, Oid collation)
{
	Aggref *call = makeNode(Aggref);

	call->aggfnoid = function;
	call->aggtype = result;
	call->aggcollid = type_is_collatable(result) ? collation : InvalidOid;
	call->inputcollid = collation;
	call->aggstar = column->argument == NULL;
	if (column->argument != NULL)
	{
		call->aggargtypes =
			list_make1_oid(exprType((const Node *) column->argument));
		call->args =
			list_make1(makeTargetEntry(column->argument, 1, NULL, false));
	}
	call->aggfilter = column->filter;
	call->aggkind = AGGKIND_NORMAL;
	call->aggsplit = AGGSPLIT_SIMPLE;
	call->aggno = -1;
	call->aggtransno = -1;
	call->location = -1;
	return call;
}

/* Appends the values of a column; returns false if no aggregates return them. */
static WA_MUST_CHECK bool
append_values(const WaScanColumn *column, List **results)
{
	const WaPlanKey *key = &column->plan.key;

	if (!wa_pushed_is_exact(key))
		return false;
	*results = lappend(
		*results,
		make_call(column, column->argument == NULL ? F_COUNT_ : F_COUNT_ANY,
				  INT8OID, InvalidOid));
	for (int op = 0; op < WA_OP_COUNT; op++)
	{
		Oid result;
		Oid function;

		if (!wa_ops_have(key->ops, (WaOp) op))
			continue;
		function = find_aggregate((WaOp) op, key->argument_type, &result);
		/* A domain would have become its type if the aggregate was called for it. */
		if (!OidIsValid(function) ||
			exprType((const Node *) column->argument) != key->argument_type)
			return false;
		*results = lappend(*results, make_call(column, function, result,
											   column->plan.collation));
	}
	return true;
}

List *
wa_pushed_sources_results(const WaScanQuery *query)
{
	List *results = list_copy(query->keys);

	/* A server's result of others is no state that rows can be added to. */
	if (query->ntransitions > 0)
		return NIL;
	for (int i = 0; i < query->ncolumns; i++)
		if (!append_values(&query->columns[i], &results))
			return NIL;
	return results;
}

/* Returns results as a target; the first ones are what the query groups by. */
static PathTarget *
target_of(PlannerInfo *root, List *results)
{
	const List *clauses = root->parse->groupClause;
	PathTarget *target = create_empty_pathtarget();
	ListCell *cell;

	foreach (cell, results)
	{
		const int number = foreach_current_index(cell);
		Index reference = 0;

		if (number < list_length(clauses))
			reference = list_nth_node(SortGroupClause, clauses, number)
							->tleSortGroupRef;
		add_column_to_pathtarget(target, (Expr *) lfirst(cell), reference);
	}
	return set_pathtarget_cost_width(root, target);
}

/* Makes a relation of the groups of a table, as PostgreSQL does for a partition. */
static RelOptInfo *
make_grouped(PlannerInfo *root, const RelOptInfo *child, PathTarget *target)
{
	RelOptInfo *grouped = makeNode(RelOptInfo);

	grouped->reloptkind = RELOPT_OTHER_UPPER_REL;
	grouped->relids = bms_copy(child->relids);
	grouped->reltarget = target;
	grouped->serverid = child->serverid;
	grouped->userid = child->userid;
	grouped->useridiscurrent = child->useridiscurrent;
	grouped->fdwroutine = child->fdwroutine;
	set_strategies_compat(root, grouped);
	return grouped;
}

Path *
wa_pushed_sources_path(PlannerInfo *root, RelOptInfo *relation,
					   RelOptInfo *child, List *results)
{
	PathTarget *target = target_of(
		root, expressions_of_child_compat(root, results, relation, child));
	RelOptInfo *grouped = make_grouped(root, child, target);
	GroupPathExtraData extra = {.patype = PARTITIONWISE_AGGREGATE_NONE};

	child->fdwroutine->GetForeignUpperPaths(root, UPPERREL_GROUP_AGG, child,
											grouped, &extra);
	if (grouped->pathlist == NIL)
		return NULL;
	/* It is of the partition, by which PostgreSQL knows when it is pruned. */
	return (Path *) create_projection_path(
		root, child, (Path *) linitial(grouped->pathlist), target);
}

Path *
wa_pushed_sources_append(PlannerInfo *root, RelOptInfo *relation, List *paths,
						 List *results)
{
	Path *path = append_path_compat(root, relation, paths);

	path->pathtarget = target_of(root, results);
	return path;
}
