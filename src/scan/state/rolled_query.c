/*
 * rolled_query.c
 *		Queries whose groups are made of finer ones; see rolled_query.h.
 *
 * The argument is the last key of the query but for places of rows, and the last column of
 * what this is rolled up to.  Of rows that the FILTER of an aggregate leaves out the key
 * is NULL, which DISTINCT does not take.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "heap/gather.h"
#include "scan/state/rolled_query.h"

const WaScanQuery *
wa_scan_query_returned(const WaScanQuery *query)
{
	return query->rolled != NULL ? query->rolled : query;
}

/* Returns an aggregate as one without DISTINCT, of values for all rows. */
static Aggref *
without_distinct(Aggref *aggref, Expr *values)
{
	Aggref *plain = copyObject(aggref);

	plain->aggdistinct = NIL;
	plain->aggorder = NIL;
	plain->aggfilter = NULL;
	linitial_node(TargetEntry, plain->args)->expr = values;
	return plain;
}

/* Returns the values that an aggregate with DISTINCT takes, NULL where its FILTER is not true. */
static Expr *
values_of(Aggref *aggref)
{
	Expr *argument = linitial_node(TargetEntry, aggref->args)->expr;
	const Oid type = exprType((Node *) argument);
	CaseExpr *choice;
	CaseWhen *when;

	if (aggref->aggfilter == NULL)
		return argument;
	when = makeNode(CaseWhen);
	when->expr = aggref->aggfilter;
	when->result = argument;
	when->location = -1;
	choice = makeNode(CaseExpr);
	choice->casetype = type;
	choice->casecollid = exprCollation((Node *) argument);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(
		type, exprTypmod((Node *) argument), exprCollation((Node *) argument));
	choice->location = -1;
	return (Expr *) choice;
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
split_sets(WaScanQuery *query, List *plain, List *distinct, List *values)
{
	const int ncalls = list_length(
		(const List *) lsecond((const List *) linitial(query->sets)));

	query->rolled = make_rolled(query, list_concat_copy(plain, distinct));
	query->rolled->distinct = values;
	query->is_apart = values != NIL;
	query->aggregates = plain;
	query->rolled->nkeys = list_length(query->keys) + 1;
	query->nkeys = list_length(query->keys) - ncalls;
	query->keys = list_truncate(list_copy(query->keys), query->nkeys);
	query->sets = NIL;
}

const char *
wa_rolled_query_split(WaScanQuery *query)
{
	List *plain = NIL;
	List *distinct = NIL;
	List *values = NIL;
	ListCell *cell;

	foreach (cell, query->aggregates)
	{
		Aggref *aggref = lfirst_node(Aggref, cell);

		if (!is_distinct(aggref))
		{
			plain = lappend(plain, aggref);
			continue;
		}
		if (list_length(aggref->args) != 1)
			return "an aggregate has DISTINCT and several arguments";
		distinct = lappend(distinct, aggref);
		values = list_append_unique(values, values_of(aggref));
	}
	if (query->sets != NIL)
		split_sets(query, plain, distinct, values);
	if (query->rolled != NULL || distinct == NIL)
		return NULL;
	query->rolled = make_rolled(query, list_concat_copy(plain, distinct));
	query->rolled->distinct = values;
	query->aggregates = plain;
	if (query->is_apart)
		return NULL;
	query->keys = lappend(list_copy(query->keys), linitial(values));
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
take_distinct(WaScanQuery *rolled, Aggref *aggref, int nbefore,
			  const char *(*check)(const WaAggregateCall *call))
{
	Expr *values = values_of(aggref);
	WaScanResult *result = &rolled->results[rolled->nresults++];
	WaScanColumn *column;
	WaAggregateCall call;
	const char *reason = describe(aggref, values, check, &call);
	int number = 0;

	if (reason != NULL)
		return reason;
	while (!equal(list_nth(rolled->distinct, number), values))
		number++;
	rolled->is_ours |= !call.builtin;
	*result = (WaScanResult){.aggregate = call.aggregate,
							 .output = call.output,
							 .column = nbefore + number};
	column = &rolled->columns[result->column];
	column->argument = values;
	column->plan.collation = call.collation;
	column->plan.key.argument_type = call.argument_type;
	column->plan.key.ops |= wa_aggregate_operations(call.aggregate);
	return wa_ops_are_together(column->plan.key.ops)
			   ? NULL
			   : "aggregates of numbers and of bits have DISTINCT over the "
				 "same argument";
}

const char *
wa_rolled_query_aggregate(WaScanQuery *query,
						  const char *(*check)(const WaAggregateCall *call))
{
	WaScanQuery *rolled = query->rolled;
	const int nbefore = query->ncolumns;
	const int nresults = list_length(rolled->aggregates);
	const char *reason = NULL;

	rolled->is_ours = query->is_ours;
	rolled->ncolumns = nbefore + list_length(rolled->distinct);
	rolled->columns = palloc0(sizeof(WaScanColumn) * (rolled->ncolumns + 1));
	memcpy(rolled->columns, query->columns, sizeof(WaScanColumn) * nbefore);
	rolled->results = palloc0(sizeof(WaScanResult) * (nresults + 1));
	memcpy(rolled->results, query->results,
		   sizeof(WaScanResult) * query->nresults);
	rolled->nresults = query->nresults;
	while (rolled->nresults < nresults && reason == NULL)
		reason = take_distinct(
			rolled, list_nth_node(Aggref, rolled->aggregates, rolled->nresults),
			nbefore, check);
	return reason;
}

int
wa_rolled_query_finer(const WaScanQuery *query)
{
	const WaScanQuery *returned = wa_scan_query_returned(query);
	const int count = list_length(returned->distinct);

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
