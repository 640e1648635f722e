/*
 * top_n.c
 *		Which groups the device process is told to be wanted; see top_n.h.
 *
 * The first expressions of ORDER BY are told, up to one that is not a key or an
 * aggregate as it stands; then groups that are equal in these are all wanted.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "scan/expr/shift.h"
#include "scan/output/top.h"
#include "scan/plan/top_n.h"
#include "scan/program/query_column.h"
#include "scan/state/plan.h"
#include "scan/state/rolled_query.h"

/*
 * Stores whether an operator sorts the largest values of an expression first;
 * returns false if its order is not the usual one of numbers.
 */
static bool
find_direction(Node *expression, Oid sort_operator, bool *descending)
{
	const TypeCacheEntry *cache = lookup_type_cache(
		exprType(expression), TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);

	*descending = sort_operator == cache->gt_opr;
	return sort_operator == cache->lt_opr || *descending;
}

/* Tells whether texts that are a key can be compared: where rows are chosen, by their ranks. */
static bool
has_ranks_of_key(const WaScanQuery *query, int number)
{
	const Node *key = (const Node *) list_nth(query->keys, number);

	/* What finer groups are rolled up to is not compiled. */
	return query->compiler != NULL && wa_compiler_has_places(query->compiler) &&
		   wa_order_has_ranks(query->compiler,
							  query->compiled.key_numbers[number],
							  exprType(key), exprCollation(key));
}

/* Stores what is compared of a key; returns false if it cannot be. */
static bool
order_by_key(const WaScanQuery *query, int number, WaOrderBy *order)
{
	WaVectorKind kind;

	order->of = WA_ORDER_KEY;
	order->number = (uint16) number;
	return wa_gather_kind(exprType((Node *) list_nth(query->keys, number)),
						  &kind) &&
		   (kind != WA_VECTOR_TEXT || has_ranks_of_key(query, number));
}

/*
 * The same for an aggregate of a column with values of a type.  Sums of floats
 * that differ may be rounded to the same result; those of money may have none.
 */
static bool
order_by_aggregate(WaAggregate aggregate, Oid type, int column,
				   WaOrderBy *order)
{
	WaVectorKind kind;
	const bool has_kind = wa_gather_kind(type, &kind);
	const bool has_numbers =
		has_kind && kind != WA_VECTOR_TEXT && kind != WA_VECTOR_BOOL;

	order->number = (uint16) column;
	switch (aggregate)
	{
		case WA_COUNT:
			order->of = WA_ORDER_ROWS;
			return true;
		case WA_SUM:
			order->of = WA_ORDER_SUM;
			return has_numbers && kind != WA_VECTOR_FLOAT && type != MONEYOID;
		case WA_MIN:
			order->of = WA_ORDER_MIN;
			return has_numbers;
		case WA_MAX:
			order->of = WA_ORDER_MAX;
			return has_numbers;
		default:
			return false;
	}
}

/* Describes a key or a result of a query, by its number in the scan tuple. */
static bool
order_by_number(const WaScanQuery *query, int number, WaOrderBy *order)
{
	const int nkeys = list_length(query->keys);
	const WaScanResult *result;

	if (number < 0 || number >= nkeys + query->nresults)
		return false;
	if (number < nkeys)
		return order_by_key(query, number, order);
	result = &query->results[number - nkeys];
	return result->shift == NULL && result->output != WA_OUTPUT_TRANSITION &&
		   result->output != WA_OUTPUT_LIST &&
		   result->output != WA_OUTPUT_OF_PAIRS &&
		   order_by_aggregate(
			   result->aggregate,
			   query->columns[result->column].plan.key.argument_type,
			   result->column, order);
}

/* Returns the number of an expression that is a key or an aggregate, or -1. */
static int
find_number(const WaScanQuery *query, const Node *expression)
{
	ListCell *cell;

	foreach (cell, query->keys)
		if (equal(lfirst(cell), expression))
			return foreach_current_index(cell);
	foreach (cell, query->aggregates)
		if (equal(lfirst(cell), expression))
			return list_length(query->keys) + foreach_current_index(cell);
	return -1;
}

/* Tells whether the device process can be told of an expression of ORDER BY. */
static bool
can_tell(const WaScanQuery *query, const WaLimit *limit, int number)
{
	Node *expression = (Node *) list_nth(limit->top.expressions, number);
	WaOrderBy order;

	return order_by_number(query, find_number(query, expression), &order) &&
		   find_direction(expression,
						  list_nth_oid(limit->top.operators, number),
						  &order.descending);
}

bool
wa_top_n_is_all(const WaScanQuery *query, const WaLimit *limit)
{
	const int count = list_length(limit->top.expressions);
	bool is_all = count > 0 && count <= WA_MAX_ORDERS && !limit->top.keeps_ties;

	for (int i = 0; i < count && is_all; i++)
		is_all = can_tell(query, limit, i);
	return is_all;
}

/* Tells whether something is found in the order of values, which are not compared there. */
static bool
has_ranks(const WaScanQuery *query)
{
	return query->values != NIL &&
		   ((const WaRolledValues *) linitial(query->values))->order != NULL;
}

bool
wa_top_n_is_likely(const WaPlannedQuery *planned, const WaLimit *limit)
{
	const WaScanQuery *query = wa_scan_query_returned(&planned->query);

	return limit->top.expressions != NIL && planned->having == NIL &&
		   limit->ngroups <= WA_QUERY_MAX_TOP_N && query->sets == NIL &&
		   !has_ranks(query) && list_length(query->values) <= 1 &&
		   can_tell(query, limit, 0);
}

bool
wa_top_n_is_bounded(const WaPlannedQuery *planned, const WaLimit *limit)
{
	const WaScanQuery *query = &planned->query;
	const int number =
		wa_top_n_is_likely(planned, limit)
			? find_number(query, (Node *) linitial(limit->top.expressions))
			: -1;

	return number >= 0 && number < list_length(query->keys) &&
		   query->rolled == NULL && !planned->rolls &&
		   query->ntransitions == 0 &&
		   query->group_keys[number].kind == WA_VECTOR_INT;
}

/* Tells whether all groups are needed to find out whether one has an error. */
static bool
checks_groups(const WaScanQuery *query)
{
	for (int i = 0; i < query->nresults; i++)
		if (query->results[i].shift != NULL &&
			query->results[i].shift->checks != 0)
			return true;
	return false;
}

/* Returns the number of a column of the scan tuple, or -1. */
static int
number_of(const Node *expression)
{
	return IsA(expression, Var) ? ((const Var *) expression)->varattno - 1 : -1;
}

/* Describes as many expressions of ORDER BY as can be told. */
static void
describe_orders(const WaScanQuery *query, const WaPlanTop *plan, WaTopN *top_n)
{
	const int norders = list_length(plan->expressions);

	top_n->keeps_ties = plan->keeps_ties;
	for (int i = 0; i < norders; i++)
	{
		Node *expression = (Node *) list_nth(plan->expressions, i);
		WaOrderBy *order = &top_n->orders[top_n->norders];

		if (i == WA_MAX_ORDERS ||
			!order_by_number(query, number_of(expression), order) ||
			!find_direction(expression, list_nth_oid(plan->operators, i),
							&order->descending))
		{
			top_n->keeps_ties = true;
			return;
		}
		order->nulls_first = list_nth_int(plan->nulls_first, i) != 0;
		top_n->norders++;
	}
}

void
wa_top_n_describe(const WaScanQuery *query, const PlanState *ps,
				  const WaTop *top, WaTopN *top_n)
{
	const WaScanQuery *returned = wa_scan_query_returned(query);
	uint64 limit = 1;
	WaPlanTop plan;

	memset(top_n, 0, sizeof(*top_n));
	/*
	 * Of several arguments the values are brought together here.  What makes tables has no plan.
	 */
	if (returned->nkeys == 0 || ps->plan == NULL || ps->qual != NULL ||
		returned->sets != NIL || list_length(returned->values) > 1 ||
		has_ranks(returned) || checks_groups(returned) ||
		!wa_plan_top(castNode(CustomScan, ps->plan), &plan) ||
		(plan.nparts == 0 && (top == NULL || !wa_top_limit(top, &limit))) ||
		limit > WA_QUERY_MAX_TOP_N)
		return;
	describe_orders(returned, &plan, top_n);
	if (top_n->norders == 0)
		memset(top_n, 0, sizeof(*top_n));
	else
		top_n->limit = limit;
	/* No two rows lie in one place. */
	top_n->of_rows = top_n->limit > 0 && !top_n->keeps_ties &&
					 wa_compiler_has_places(query->compiler);
	top_n->nparts = (uint8_t) plan.nparts;
	if (plan.nparts > 0 && !top_n->of_rows)
		memset(top_n, 0, sizeof(*top_n));
}
