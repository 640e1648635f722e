/*
 * listed.c
 *		Aggregates with DISTINCT that their own functions compute; see listed.h.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "scan/expr/aggregates.h"
#include "scan/expr/listed.h"
#include "scan/expr/pairs.h"
#include "scan/expr/transition.h"

/* Tells whether an aggregate is of the family, but for its DISTINCT. */
static bool
is_of_family(const Aggref *aggref)
{
	Aggref *plain = wa_aggregate_plain(aggref);
	WaAggregateCall call;
	WaPairCall pairs;

	return wa_aggregate_describe(plain, &call) == NULL ||
		   wa_pair_describe(plain, &pairs);
}

/* Returns the number of the one argument that is not constant, or -1 if there are others. */
static int
find_argument(const Aggref *aggref)
{
	int found = -1;
	ListCell *cell;

	foreach (cell, aggref->args)
	{
		if (IsA(lfirst_node(TargetEntry, cell)->expr, Const))
			continue;
		if (found >= 0)
			return -1;
		found = foreach_current_index(cell);
	}
	return found;
}

/*
 * Tells whether equal values of a type look the same, so that it makes no difference which one of
 * them an aggregate sees.
 */
static bool
has_one_look(Oid type)
{
	WaVectorKind kind;

	return wa_gather_kind(type, &kind) && getBaseType(type) != BPCHAROID &&
		   (kind == WA_VECTOR_INT || kind == WA_VECTOR_BOOL ||
			kind == WA_VECTOR_TEXT);
}

/* Returns the clause of DISTINCT that an argument is sorted by, or NULL. */
static const SortGroupClause *
find_order(const Aggref *aggref, int argument)
{
	ListCell *cell;

	foreach (cell, aggref->aggdistinct)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, cell);

		if (get_sortgroupclause_tle(clause, aggref->args)->resno - 1 ==
			argument)
			return clause;
	}
	return NULL;
}

/* Tells whether a transition function does nothing with a value that is NULL. */
static bool
ignores_nulls(const Aggref *aggref)
{
	const Oid function = wa_transition_function(aggref);

	return func_strict(function) || function == F_STRING_AGG_TRANSFN ||
		   function == F_BYTEA_STRING_AGG_TRANSFN;
}

/* Tells whether all rows that FILTER leaves have a value that is not NULL. */
static bool
filter_leaves_no_nulls(const Aggref *aggref, Expr *value)
{
	NullTest *test = makeNode(NullTest);

	if (contain_volatile_functions((Node *) aggref->aggfilter))
		return false;
	test->arg = value;
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return predicate_implied_by(list_make1(test),
								make_ands_implicit(aggref->aggfilter), false);
}

/* Tells whether the node can keep what an aggregate comes to, as an integer or as a text. */
static bool
is_kept(Oid type)
{
	int16 length;
	bool by_value;

	get_typlenbyval(type, &length, &by_value);
	return by_value || length == -1;
}

bool
wa_listed_describe(const Aggref *aggref, WaListedCall *call)
{
	int argument;
	Expr *value;

	memset(call, 0, sizeof(*call));
	if (aggref->aggdistinct == NIL || aggref->aggkind != AGGKIND_NORMAL ||
		wa_transition_refusal(aggref) != NULL || !is_kept(aggref->aggtype) ||
		is_of_family(aggref))
		return false;
	argument = find_argument(aggref);
	if (argument < 0)
		return false;
	value = list_nth_node(TargetEntry, aggref->args, argument)->expr;
	if (!has_one_look(exprType((Node *) value)))
		return false;
	call->order = find_order(aggref, argument);
	call->argument = argument;
	/* Rows that FILTER leaves out have NULL, too. */
	call->skips_nulls =
		ignores_nulls(aggref) ||
		(aggref->aggfilter != NULL && filter_leaves_no_nulls(aggref, value));
	if (call->order == NULL ||
		(aggref->aggfilter != NULL && !call->skips_nulls))
		return false;
	call->values = wa_aggregate_values(aggref, argument);
	return true;
}
