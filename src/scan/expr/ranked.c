/*
 * ranked.c
 *		Aggregates over values in an order; see ranked.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "scan/expr/aggregates.h"
#include "scan/expr/listed.h"
#include "scan/expr/ranked.h"

/* The family by PostgreSQL's final functions. */
static const struct
{
	Oid final;
	WaRankKind kind;
	bool is_array;
} family[] = {
	{F_PERCENTILE_DISC_FINAL, WA_RANK_DISC, false},
	{F_PERCENTILE_DISC_MULTI_FINAL, WA_RANK_DISC, true},
	{F_PERCENTILE_CONT_FLOAT8_FINAL, WA_RANK_CONT, false},
	{F_PERCENTILE_CONT_FLOAT8_MULTI_FINAL, WA_RANK_CONT, true},
	{F_MODE_FINAL, WA_RANK_MODE, false},
};

/* Returns the line of an aggregate, or -1. */
static int
find(const Aggref *aggref)
{
	HeapTuple tuple;
	Form_pg_aggregate form;
	Oid final = InvalidOid;

	if (aggref->aggkind != AGGKIND_ORDERED_SET)
		return -1;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		return -1;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	if (form->aggtransfn == F_ORDERED_SET_TRANSITION)
		final = form->aggfinalfn;
	ReleaseSysCache(tuple);
	for (int i = 0; i < (int) lengthof(family); i++)
		if (OidIsValid(final) && family[i].final == final)
			return i;
	return -1;
}

bool
wa_ranked_is(const Aggref *aggref)
{
	WaListedCall call;

	return find(aggref) >= 0 || wa_listed_describe(aggref, &call);
}

/* Returns what is wrong with the form of a call, or NULL. */
static const char *
check_form(const Aggref *aggref)
{
	if (aggref->agglevelsup != 0)
		return "an aggregate belongs to an outer query";
	if (aggref->aggsplit != AGGSPLIT_SIMPLE || aggref->aggvariadic ||
		list_length(aggref->args) != 1 || list_length(aggref->aggorder) != 1)
		return "an aggregate is of an unusual kind";
	return NULL;
}

/* Returns what is wrong with the order of values of a type, or NULL. */
static const char *
check_order(const SortGroupClause *order, Oid type)
{
	const TypeCacheEntry *cache =
		lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	if (order->sortop != cache->lt_opr && order->sortop != cache->gt_opr)
		return "the values of an aggregate have an unusual order";
	return NULL;
}

/* Returns how many fractions an array has that results can be told by; 0: it is another. */
static int
count_fractions(const Expr *array)
{
	const Const *constant = (const Const *) array;
	ArrayType *fractions;

	if (!IsA(array, Const) || constant->constisnull)
		return 0;
	fractions = DatumGetArrayTypeP(constant->constvalue);
	if (ARR_NDIM(fractions) != 1 || ARR_LBOUND(fractions)[0] != 1 ||
		array_contains_nulls(fractions))
		return 0;
	return ARR_DIMS(fractions)[0];
}

/* Describes which values are wanted; returns why it cannot, or NULL. */
static const char *
describe_fraction(const Aggref *aggref, bool is_array, WaRankedCall *call)
{
	Node *fraction;

	if (call->kind == WA_RANK_MODE)
		return NULL;
	fraction = (Node *) linitial(aggref->aggdirectargs);
	call->fraction = (Expr *) fraction;
	if (is_array)
	{
		call->nfractions = count_fractions((Expr *) fraction);
		return call->nfractions > 0
				   ? NULL
				   : "the fractions of percentiles are no constant array, or a "
					 "part of it is NULL";
	}
	if (contain_var_clause(fraction) || contain_agg_clause(fraction) ||
		contain_subplans(fraction) || contain_volatile_functions(fraction))
		return "the fraction of a percentile depends on a group, or has a "
			   "subquery";
	return NULL;
}

/* Describes a list; as wa_ranked_describe. */
static const char *
describe_list(const Aggref *aggref, WaRankedCall *call)
{
	WaListedCall listed;

	if (!wa_listed_describe(aggref, &listed))
		elog(ERROR, "unexpected aggregate");
	*call = (WaRankedCall){
		.kind = WA_RANK_LIST,
		.values = listed.values,
		.order = listed.order,
		.result_type = aggref->aggtype,
		.builtin = aggref->aggfnoid < FirstGenbkiObjectId,
		.listed = aggref,
		.argument = listed.argument,
		.skips_nulls = listed.skips_nulls,
	};
	return check_order(call->order, exprType((Node *) call->values));
}

const char *
wa_ranked_describe(Aggref *aggref, WaRankedCall *call)
{
	const int line = find(aggref);
	const char *reason;
	Oid type;

	if (line < 0)
		return describe_list(aggref, call);
	reason = check_form(aggref);
	if (reason != NULL)
		return reason;
	memset(call, 0, sizeof(*call));
	call->kind = family[line].kind;
	call->builtin = aggref->aggfnoid < FirstGenbkiObjectId;
	call->values = wa_aggregate_values(aggref, 0);
	call->order = linitial_node(SortGroupClause, aggref->aggorder);
	type = exprType((Node *) call->values);
	call->result_type = family[line].is_array
							? get_element_type(aggref->aggtype)
							: aggref->aggtype;
	reason = check_order(call->order, type);
	return reason != NULL
			   ? reason
			   : describe_fraction(aggref, family[line].is_array, call);
}
