/*
 * rolled_query.c
 *		Queries whose groups are made of finer ones; see rolled_query.h.
 *
 * The argument is the last key of the query but for places of rows, and the last column of
 * what this is rolled up to.  Of rows that the FILTER of an aggregate leaves out the key
 * is NULL, which DISTINCT does not take.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "scan/expr/pairs.h"
#include "scan/state/rolled_query.h"

const WaScanQuery *
wa_scan_query_returned(const WaScanQuery *query)
{
	return query->rolled != NULL ? query->rolled : query;
}

/* Returns an aggregate as one without DISTINCT, of values for all rows. */
static Aggref *
without_distinct(const Aggref *aggref, Expr *values)
{
	Aggref *plain = wa_aggregate_plain(aggref);

	plain->aggfilter = NULL;
	linitial_node(TargetEntry, plain->args)->expr = values;
	return plain;
}

/* Tells whether it makes a difference to an aggregate that each value comes once. */
static bool
is_distinct(const Aggref *aggref)
{
	WaAggregateCall call;

	return aggref->aggdistinct != NIL &&
		   wa_aggregate_describe(aggref, &call) != NULL;
}

/* Returns the query that another one will be rolled up to, with aggregates in this order. */
static WaScanQuery *
make_rolled(const WaScanQuery *query, List *aggregates)
{
	WaScanQuery *rolled = palloc(sizeof(WaScanQuery));

	*rolled = *query;
	rolled->aggregates = aggregates;
	return rolled;
}

/*
 * Has a query with grouping sets group by all keys of these, with the plain ones of its aggregates;
 * the others take these values, for which there are other nodes.
 */
static void
split_sets(WaScanQuery *query, List *plain, List *others, List *values)
{
	const int ncalls = list_length(
		(const List *) lsecond((const List *) linitial(query->sets)));

	query->rolled = make_rolled(query, list_concat_copy(plain, others));
	query->rolled->values = values;
	query->is_apart = values != NIL;
	query->aggregates = plain;
	query->rolled->nkeys = list_length(query->keys) + 1;
	query->nkeys = list_length(query->keys) - ncalls;
	query->keys = list_truncate(list_copy(query->keys), query->nkeys);
	query->sets = NIL;
}

/* Returns those among some values that are these, or NULL. */
static WaRolledValues *
find_values(List *values, const Expr *expression, const SortGroupClause *order,
			bool are_listed)
{
	ListCell *cell;

	foreach (cell, values)
	{
		WaRolledValues *some = (WaRolledValues *) lfirst(cell);

		if (equal(some->expression, expression) && equal(some->order, order) &&
			some->are_listed == are_listed)
			return some;
	}
	return NULL;
}

/* Adds values to some, if they are not among these. */
static List *
add_values(List *values, Expr *expression, const SortGroupClause *order,
		   bool are_listed)
{
	WaRolledValues *added = palloc0(sizeof(WaRolledValues));

	if (find_values(values, expression, order, are_listed) != NULL)
		return values;
	*added = (WaRolledValues){
		.expression = expression, .order = order, .are_listed = are_listed};
	return lappend(values, added);
}

/* Returns count(*), which is no aggregate of the query's own: it has no number. */
static Aggref *
make_count(void)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = F_COUNT_;
	count->aggtype = INT8OID;
	count->aggtranstype = INT8OID;
	count->aggkind = AGGKIND_NORMAL;
	count->aggstar = true;
	count->aggsplit = AGGSPLIT_SIMPLE;
	count->aggno = -1;
	count->aggtransno = -1;
	count->location = -1;
	return count;
}

/* Tells whether an aggregate counts all rows. */
static bool
counts_rows(const Aggref *aggref)
{
	return aggref->aggfnoid == F_COUNT_ && aggref->aggfilter == NULL;
}

/* Adds one that does to some aggregates, unless it is there. */
static List *
add_count(List *aggregates)
{
	ListCell *cell;

	foreach (cell, aggregates)
		if (counts_rows(lfirst_node(Aggref, cell)))
			return aggregates;
	return lappend(aggregates, make_count());
}

/* Returns a key that is a number. */
static WaQueryValue
number_key(int number)
{
	return (WaQueryValue){.integer = number};
}

void
wa_rolled_query_set_keys(const WaScanQuery *rolled, int number,
						 const WaQueryValue *read, bool of_all,
						 WaQueryValue *keys)
{
	const List *set = (const List *) list_nth(rolled->sets, number);
	const List *calls = (const List *) lsecond(set);
	int nkeys = rolled->nkeys - 1 - list_length(calls);
	ListCell *cell;

	for (int i = 0; i < nkeys; i++)
		keys[i] = (WaQueryValue){.is_null = true};
	foreach (cell, (const List *) linitial(set))
		keys[lfirst_int(cell)] =
			read[of_all ? lfirst_int(cell) : foreach_current_index(cell)];
	foreach (cell, calls)
		keys[nkeys++] = number_key(lfirst_int(cell));
	keys[nkeys] = number_key(number);
}

List *
wa_rolled_query_aggregates_of(const WaRolledValues *values)
{
	return values->order == NULL ? NIL : add_count(NIL);
}

int
wa_rolled_query_count(const WaScanQuery *query)
{
	for (int i = 0; i < query->nresults; i++)
		if (counts_rows(list_nth_node(Aggref, query->aggregates, i)))
			return query->results[i].column;
	elog(ERROR, "rows are not counted");
}

/* The aggregates of a query by what they want of their values, and these. */
typedef struct Parts
{
	List *plain;
	List *distinct;
	List *ranked;
	List *values; /* of the distinct ones, then of those */
} Parts;

/* Adds the values of ranked aggregates; returns why it cannot, or NULL. */
static const char *
add_ranked_values(Parts *parts)
{
	ListCell *cell;

	foreach (cell, parts->ranked)
	{
		WaRankedCall call;
		const char *reason =
			wa_ranked_describe(lfirst_node(Aggref, cell), &call);

		if (reason != NULL)
			return reason;
		parts->values = add_values(parts->values, call.values, call.order,
								   call.kind == WA_RANK_LIST);
	}
	return NULL;
}

const char *
wa_rolled_query_key_refusal(const SortGroupClause *clause, const Node *key)
{
	Oid type = exprType(key);
	Oid collation = exprCollation(key);
	WaVectorKind kind;

	if (!wa_gather_kind(type, &kind))
		return psprintf("a grouping key has type %s", format_type_be(type));
	if (clause != NULL &&
		lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr != clause->eqop &&
		kind != WA_VECTOR_TEXT)
		return "a grouping key has an unusual equality";
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return "the collation of a grouping key is not deterministic";
	return NULL;
}

/* Tells whether values that are sorted by a clause can be a key. */
static bool
is_key(const SortGroupClause *clause, const Expr *values)
{
	return wa_rolled_query_key_refusal(clause, (const Node *) values) == NULL;
}

/* Tells whether an aggregate can be computed by what its finer groups have. */
static bool
is_made_of_groups(Aggref *aggref)
{
	WaAggregateCall call;
	WaRankedCall ranked;
	WaPairCall pairs;
	Expr *values;

	if (wa_ranked_is(aggref))
		return wa_ranked_describe(aggref, &ranked) == NULL &&
			   is_key(ranked.order, ranked.values);
	if (!is_distinct(aggref))
		return wa_aggregate_describe(aggref, &call) == NULL ||
			   wa_pair_describe(aggref, &pairs);
	values = wa_aggregate_values(aggref, 0);
	return list_length(aggref->args) == 1 &&
		   is_key(linitial_node(SortGroupClause, aggref->aggdistinct),
				  values) &&
		   wa_aggregate_describe(without_distinct(aggref, values), &call) ==
			   NULL;
}

/*
 * Tells whether one of the aggregates has to see rows: then those with DISTINCT, and percentiles,
 * may see them, too.
 */
static bool
has_other(const List *aggregates)
{
	ListCell *cell;

	foreach (cell, aggregates)
		if (!is_made_of_groups(lfirst_node(Aggref, cell)))
			return true;
	return false;
}

/* Divides aggregates; returns why it cannot, or NULL. */
static const char *
divide(List *aggregates, Parts *parts)
{
	ListCell *cell;

	foreach (cell, aggregates)
	{
		Aggref *aggref = lfirst_node(Aggref, cell);

		if (wa_ranked_is(aggref))
			parts->ranked = lappend(parts->ranked, aggref);
		else if (!is_distinct(aggref))
			parts->plain = lappend(parts->plain, aggref);
		else if (list_length(aggref->args) != 1)
			return "an aggregate has DISTINCT and several arguments";
		else
		{
			parts->distinct = lappend(parts->distinct, aggref);
			parts->values = add_values(
				parts->values, wa_aggregate_values(aggref, 0), NULL, false);
		}
	}
	return add_ranked_values(parts);
}

const char *
wa_rolled_query_split(WaScanQuery *query)
{
	Parts parts = {NIL};
	const WaRolledValues *first;
	const char *reason;
	List *others;

	if (query->sets == NIL && has_other(query->aggregates))
		return NULL;
	reason = divide(query->aggregates, &parts);
	if (reason != NULL)
		return reason;
	others = list_concat_copy(parts.distinct, parts.ranked);
	if (query->sets != NIL)
		split_sets(query, parts.plain, others, parts.values);
	if (query->rolled != NULL || others == NIL)
		return NULL;
	first = (const WaRolledValues *) linitial(parts.values);
	if (first->order != NULL && !query->is_apart)
		parts.plain = add_count(parts.plain);
	query->rolled = make_rolled(query, list_concat_copy(parts.plain, others));
	query->rolled->values = parts.values;
	query->aggregates = parts.plain;
	if (query->is_apart)
		return NULL;
	query->keys = lappend(list_copy(query->keys), first->expression);
	query->nkeys++;
	return NULL;
}

/* Describes an aggregate with DISTINCT as one that takes these values; as wa_aggregate_describe. */
static const char *
describe(Aggref *aggref, Expr *values,
		 const char *(*check)(const WaAggregateCall *call),
		 WaAggregateCall *call)
{
	const char *reason =
		wa_aggregate_describe(without_distinct(aggref, values), call);

	return reason == NULL && check != NULL ? check(call) : reason;
}

/* Finds the column and the result of an aggregate with DISTINCT; as wa_scan_query_aggregate. */
static const char *
take_distinct(WaScanQuery *rolled, Aggref *aggref,
			  const char *(*check)(const WaAggregateCall *call))
{
	Expr *expression = wa_aggregate_values(aggref, 0);
	WaScanResult *result = &rolled->results[rolled->nresults++];
	WaScanColumn *column;
	WaAggregateCall call;
	const char *reason = describe(aggref, expression, check, &call);

	if (reason != NULL)
		return reason;
	rolled->is_ours |= !call.builtin;
	*result = (WaScanResult){
		.aggregate = call.aggregate,
		.output = call.output,
		.column = find_values(rolled->values, expression, NULL, false)->column};
	column = &rolled->columns[result->column];
	column->argument = expression;
	column->plan.collation = call.collation;
	column->plan.key.argument_type = call.argument_type;
	column->plan.key.ops |= wa_aggregate_operations(call.aggregate);
	return wa_ops_are_together(column->plan.key.ops)
			   ? NULL
			   : "aggregates of numbers and of bits have DISTINCT over the "
				 "same argument";
}

/* Has a column have one value for each group at most, of a type that is a key's. */
static void
hold_value(WaScanColumn *column, Oid type)
{
	memset(column, 0, sizeof(*column));
	column->plan.key.ops = wa_aggregate_operations(WA_MIN);
	/* Their datums are the same, and records have no booleans. */
	column->plan.key.argument_type = type == BOOLOID ? INT4OID : type;
	column->plan.collation =
		OidIsValid(get_typcollation(type)) ? C_COLLATION_OID : InvalidOid;
}

/* Returns the type that a column has the results of a ranked aggregate as. */
static Oid
held_type(const WaRankedCall *call)
{
	if (call->kind != WA_RANK_LIST)
		return getBaseType(call->result_type);
	return get_typbyval(call->result_type) ? INT8OID : TEXTOID;
}

/* Returns what the node has for a ranked aggregate. */
static WaOutput
output_of(const WaRankedCall *call)
{
	if (call->kind == WA_RANK_LIST)
		return WA_OUTPUT_LIST;
	return call->nfractions == 0 ? WA_OUTPUT_RESULT : WA_OUTPUT_ARRAY;
}

/* Finds the columns and the result of a ranked aggregate. */
static void
take_ranked(WaScanQuery *rolled, Aggref *aggref)
{
	WaScanResult *result = &rolled->results[rolled->nresults++];
	WaRolledValues *values;
	WaRankedCall call;
	const char *reason = wa_ranked_describe(aggref, &call);

	if (reason != NULL)
		elog(ERROR, "unexpected aggregate: %s", reason);
	values = find_values(rolled->values, call.values, call.order,
						 call.kind == WA_RANK_LIST);
	*result = (WaScanResult){.aggregate = WA_MIN,
							 .output = output_of(&call),
							 .column = values->column + values->ncolumns,
							 .nelements = call.nfractions,
							 .element = call.result_type};
	for (int i = 0; i < Max(call.nfractions, 1); i++)
	{
		values->ranks[values->ncolumns] =
			(WaRank){.kind = call.kind,
					 .fraction = call.fraction,
					 .element = call.nfractions == 0 ? -1 : i,
					 .listed = call.listed,
					 .argument = call.argument,
					 .skips_nulls = call.skips_nulls};
		hold_value(&rolled->columns[values->column + values->ncolumns++],
				   held_type(&call));
	}
}

/* Returns how many columns ranked aggregates of some values have. */
static int
count_ranks(List *aggregates, WaRolledValues *values)
{
	int count = 0;
	ListCell *cell;

	foreach (cell, aggregates)
	{
		Aggref *aggref = lfirst_node(Aggref, cell);
		WaRankedCall call;

		if (wa_ranked_is(aggref) && wa_ranked_describe(aggref, &call) == NULL &&
			find_values(list_make1(values), call.values, call.order,
						call.kind == WA_RANK_LIST) != NULL)
			count += Max(call.nfractions, 1);
	}
	return count;
}

/* Tells whether another node has some values as a key. */
static bool
is_of_other(const WaScanQuery *query, const WaScanQuery *rolled,
			const WaRolledValues *values)
{
	return rolled->sets != NIL || query->is_apart ||
		   values != linitial(rolled->values);
}

/* Makes the columns of what a query is rolled up to, whose own are there. */
static void
make_columns(const WaScanQuery *query, WaScanQuery *rolled)
{
	ListCell *cell;

	rolled->ncolumns = query->ncolumns;
	foreach (cell, rolled->values)
	{
		WaRolledValues *values = (WaRolledValues *) lfirst(cell);
		const int nranks =
			values->order == NULL ? 0 : count_ranks(rolled->aggregates, values);

		/* The device process has what another node counts stand before these. */
		if (values->order != NULL && is_of_other(query, rolled, values))
			rolled->ncolumns++;
		values->column = rolled->ncolumns;
		values->ncolumns = values->order == NULL ? 1 : 0;
		values->ranks = palloc(sizeof(WaRank) * (nranks + 1));
		rolled->ncolumns += values->ncolumns + nranks;
	}
	rolled->columns = palloc0(sizeof(WaScanColumn) * (rolled->ncolumns + 1));
	memcpy(rolled->columns, query->columns,
		   sizeof(WaScanColumn) * query->ncolumns);
	for (int i = query->ncolumns; i < rolled->ncolumns; i++)
		rolled->columns[i].plan.key.argument_type =
			BOOLOID; /* as of count(*) */
}

const char *
wa_rolled_query_aggregate(WaScanQuery *query,
						  const char *(*check)(const WaAggregateCall *call))
{
	WaScanQuery *rolled = query->rolled;
	const int nresults = list_length(rolled->aggregates);
	const char *reason = NULL;

	rolled->is_ours = query->is_ours;
	make_columns(query, rolled);
	rolled->results = palloc0(sizeof(WaScanResult) * (nresults + 1));
	memcpy(rolled->results, query->results,
		   sizeof(WaScanResult) * query->nresults);
	rolled->nresults = query->nresults;
	while (rolled->nresults < nresults && reason == NULL)
	{
		Aggref *aggref =
			list_nth_node(Aggref, rolled->aggregates, rolled->nresults);

		if (wa_ranked_is(aggref))
			take_ranked(rolled, aggref);
		else
			reason = take_distinct(rolled, aggref, check);
	}
	return reason;
}

int
wa_rolled_query_finer(const WaScanQuery *query)
{
	const WaScanQuery *returned = wa_scan_query_returned(query);
	const int count = list_length(returned->values);

	if (returned->sets != NIL)
		return count * list_length(returned->sets);
	return query->is_apart ? count : Max(count - 1, 0);
}

int
wa_rolled_query_place(const WaScanQuery *query)
{
	return list_length(query->keys) - 1;
}

/* Returns what becomes of values of a type that are aggregated. */
static WaQueryColumn
compiled_column(const WaAggPlan *plan)
{
	WaQueryColumn column = {.argument = -1,
							.filter = -1,
							.kind = WA_VECTOR_BOOL,
							.ops = plan->key.ops};

	if (column.ops != 0 &&
		!wa_gather_kind(plan->key.argument_type, &column.kind))
		elog(ERROR, "unexpected values of type %u", plan->key.argument_type);
	return column;
}

/* Returns the key of a query that is that of what it is rolled up to, or -1. */
static int
own_key(const WaScanQuery *query, int number)
{
	const int place = list_length(query->rolled->keys);

	if (query->rolled->sets != NIL || query->is_apart)
		return number < query->nkeys ? number : -1;
	return number < place ? number : number + 1;
}

void
wa_rolled_query_complete(WaScanQuery *query)
{
	/* Calls of GROUPING, and numbers of sets. */
	static const WaGroupKey number = {.kind = WA_VECTOR_INT, .type = INT4OID};
	WaScanQuery *rolled = query->rolled;
	const int nkeys = rolled->nkeys;
	WaQueryColumn *columns =
		palloc(sizeof(WaQueryColumn) * (rolled->ncolumns + 1));
	WaQueryKey *keys = palloc(sizeof(WaQueryKey) * (nkeys + 1));

	rolled->group_keys = palloc(sizeof(WaGroupKey) * (nkeys + 1));
	for (int i = 0; i < nkeys; i++)
	{
		const int own = own_key(query, i);

		rolled->group_keys[i] = own < 0 ? number : query->group_keys[own];
		keys[i] = wa_group_key_query(&rolled->group_keys[i]);
	}
	memcpy(columns, query->compiled.columns,
		   sizeof(WaQueryColumn) * query->ncolumns);
	for (int i = query->ncolumns; i < rolled->ncolumns; i++)
		columns[i] = compiled_column(&rolled->columns[i].plan);
	rolled->compiled = (WaQuery){.nkeys = (uint32) nkeys,
								 .keys = keys,
								 .ncolumns = (uint32) rolled->ncolumns,
								 .columns = columns};
}
