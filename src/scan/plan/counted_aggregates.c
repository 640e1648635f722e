/*
 * counted_aggregates.c
 *		Aggregates over joins to a table that is counted; see counted_aggregates.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/expr/aggregates.h"
#include "scan/plan/counted_aggregates.h"

/* An aggregate of the query. */
typedef struct Call
{
	WaCounted *counted;
	const Aggref *aggregate;
	WaAggregateCall description;
	Expr *argument; /* NULL: rows are counted */
	Expr *filter;   /* NULL: none */
	Oid type;       /* of the argument */
} Call;

/*
 * Has the table not be counted if not everybody may call a function: what the query calls,
 * and what it comes to instead, is checked when it runs.
 */
static void
check_function(WaCounted *counted, Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool is_default;
	bool may_call;
	Datum rights;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	rights = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proacl, &is_default);
	may_call =
		is_default || aclmask(DatumGetAclP(rights), ACL_ID_PUBLIC,
							  ((Form_pg_proc) GETSTRUCT(tuple))->proowner,
							  ACL_EXECUTE, ACLMASK_ANY) != 0;
	ReleaseSysCache(tuple);
	if (!may_call)
		counted->reason =
			psprintf("not everybody may call %s", get_func_name(function));
}

/* Returns what a function returns for a value. */
static Expr *
cast_by(WaCounted *counted, Oid function, Oid type, Expr *value)
{
	check_function(counted, function);
	return (Expr *) makeFuncExpr(function, type, list_make1(value), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CAST);
}

/* Returns an integer as a bigint. */
static Expr *
as_bigint(WaCounted *counted, Expr *value)
{
	switch (exprType((Node *) value))
	{
		case INT2OID:
			return cast_by(counted, F_INT8_INT2, INT8OID, value);
		case INT4OID:
			return cast_by(counted, F_INT8_INT4, INT8OID, value);
		default:
			return value;
	}
}

/* Returns a bigint or a numeric as a numeric. */
static Expr *
as_numeric(WaCounted *counted, Expr *value)
{
	return exprType((Node *) value) == NUMERICOID
			   ? value
			   : cast_by(counted, F_NUMERIC_INT8, NUMERICOID, value);
}

/* Returns what an operator makes of two values of a type. */
static Expr *
operate(WaCounted *counted, const char *name, Oid type, Expr *left, Expr *right)
{
	const Oid number = OpernameGetOprid(
		list_make2(makeString("pg_catalog"), makeString(pstrdup(name))), type,
		type);
	OpExpr *result = (OpExpr *) make_opclause(number, type, false, left, right,
											  InvalidOid, InvalidOid);

	result->opfuncid = get_opcode(number);
	check_function(counted, result->opfuncid);
	return (Expr *) result;
}

/* Returns the first of two values that is not NULL. */
static Expr *
coalesce(Expr *first, Expr *second)
{
	CoalesceExpr *result = makeNode(CoalesceExpr);

	result->coalescetype = exprType((Node *) first);
	result->args = list_make2(first, second);
	result->location = -1;
	return (Expr *) result;
}

/* Returns a small bigint. */
static Expr *
small(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
							  Int64GetDatum(value), false, FLOAT8PASSBYVAL);
}

/* Makes an aggregate of PostgreSQL's.  value: what it is over; NULL: it counts rows. */
static Aggref *
make_aggregate(WaCounted *counted, Oid function, Oid type, Expr *value)
{
	Aggref *result = makeNode(Aggref);

	check_function(counted, function);
	result->aggfnoid = function;
	result->aggtype = type;
	result->aggkind = AGGKIND_NORMAL;
	result->aggno = result->aggtransno = -1;
	result->aggstar = value == NULL;
	result->location = -1;
	if (value == NULL)
		return result;
	result->aggargtypes = list_make1_oid(exprType((Node *) value));
	result->args = list_make1(makeTargetEntry(value, 1, NULL, false));
	return result;
}

/* Returns the sum of bigints or numerics of the rows of a call, which is a numeric. */
static Expr *
sum_of(const Call *call, Expr *value, Expr *filter)
{
	Aggref *sum = make_aggregate(
		call->counted,
		exprType((Node *) value) == INT8OID ? F_SUM_INT8 : F_SUM_NUMERIC,
		NUMERICOID, value);

	sum->aggfilter = copyObject(filter);
	return (Expr *) sum;
}

/* Returns a sum as the number that it is, which is 0 if there is none. */
static Expr *
number_of(const Call *call, Expr *sum)
{
	return cast_by(
		call->counted, F_INT8_NUMERIC, INT8OID,
		coalesce(sum, (Expr *) makeConst(
						  NUMERICOID, -1, InvalidOid, -1,
						  DirectFunctionCall1(int8_numeric, Int64GetDatum(0)),
						  false, false)));
}

/* Returns how many rows a row that is joined stands for. */
static Expr *
weight_of(const Call *call)
{
	WaCounted *counted = call->counted;
	Expr *count = wa_counted_column(
		counted, (Expr *) make_aggregate(counted, F_COUNT_, INT8OID, NULL),
		"count");

	return counted->is_nullable ? coalesce(count, small(1)) : count;
}

/*
 * Returns a condition on rows for which another one is true: where that is NULL, AND would
 * have this evaluated as well, which may raise an error.
 */
static Expr *
if_true(const Expr *condition, Expr *then)
{
	CaseExpr *choice = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = copyObject(unconstify(Expr *, condition));
	when->result = then;
	when->location = -1;
	choice->casetype = BOOLOID;
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeBoolConst(false, false);
	choice->location = -1;
	return (Expr *) choice;
}

/* Returns the condition that a row counts for an aggregate of the argument. */
static Expr *
counts(const Call *call)
{
	NullTest *test;

	if (call->argument == NULL)
		return call->filter;
	test = makeNode(NullTest);
	test->arg = copyObject(call->argument);
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	return call->filter == NULL ? (Expr *) test
								: if_true(call->filter, (Expr *) test);
}

/* Returns the argument times the weight. */
static Expr *
weighted(const Call *call)
{
	WaCounted *counted = call->counted;
	Expr *value = as_bigint(counted, copyObject(call->argument));

	/* The product of a smaller integer is no bigint only after 2^32 rows. */
	if (call->type == INT2OID || call->type == INT4OID)
		return operate(counted, "*", INT8OID, value, weight_of(call));
	return operate(counted, "*", NUMERICOID, as_numeric(counted, value),
				   as_numeric(counted, weight_of(call)));
}

/* Returns what a sum is to the query, as a numeric. */
static Expr *
finish_sum(const Call *call, Expr *sum)
{
	return call->type == INT2OID || call->type == INT4OID
			   ? cast_by(call->counted, F_INT8_NUMERIC, INT8OID, sum)
			   : sum;
}

/* Returns the same aggregate over another value. */
static Expr *
same_over(const Call *call, Expr *value)
{
	Aggref *result = copyObject((Aggref *) call->aggregate);

	result->aggargtypes = list_make1_oid(exprType((Node *) value));
	result->args = list_make1(makeTargetEntry(value, 1, NULL, false));
	result->aggfilter = copyObject(call->filter);
	return (Expr *) result;
}

/* Returns an aggregate over what the table does not have. */
static Expr *
aggregate_others(const Call *call)
{
	switch (call->description.aggregate)
	{
		case WA_COUNT:
			return number_of(call, sum_of(call, weight_of(call), counts(call)));
		case WA_SUM:
			return finish_sum(call, sum_of(call, weighted(call), call->filter));
		case WA_AVG:
			return operate(call->counted, "/", NUMERICOID,
						   sum_of(call, weighted(call), call->filter),
						   sum_of(call, weight_of(call), counts(call)));
		default:
			return same_over(call, copyObject(call->argument));
	}
}

/* Returns a column of an aggregate that the subquery computes for each key. */
static Expr *
column_of(const Call *call, Aggref *aggregate)
{
	return wa_counted_column(call->counted, (Expr *) aggregate,
							 get_func_name(aggregate->aggfnoid));
}

/* Returns a column of the sums of the argument, as wide as PostgreSQL has them. */
static Expr *
sums_of(const Call *call, Expr *value)
{
	switch (call->type)
	{
		case INT2OID:
			return column_of(call, make_aggregate(call->counted, F_SUM_INT2,
												  INT8OID, value));
		case INT4OID:
			return column_of(call, make_aggregate(call->counted, F_SUM_INT4,
												  INT8OID, value));
		case INT8OID:
			return column_of(call, make_aggregate(call->counted, F_SUM_INT8,
												  NUMERICOID, value));
		default:
			return column_of(call, make_aggregate(call->counted, F_SUM_NUMERIC,
												  NUMERICOID, value));
	}
}

/* Returns a column of how many values of the argument there are. */
static Expr *
counts_of(const Call *call, Expr *value)
{
	return column_of(
		call, make_aggregate(call->counted, F_COUNT_ANY, INT8OID, value));
}

/* Returns an aggregate over a column of the table. */
static Expr *
aggregate_table(const Call *call)
{
	Expr *value = (Expr *) wa_counted_lower(
		call->counted, (Node *) call->description.argument);
	Aggref *below;

	switch (call->description.aggregate)
	{
		case WA_COUNT:
			return number_of(
				call, sum_of(call, counts_of(call, value), call->filter));
		case WA_SUM:
			return finish_sum(call,
							  sum_of(call, sums_of(call, value), call->filter));
		case WA_AVG:
			return operate(call->counted, "/", NUMERICOID,
						   sum_of(call, sums_of(call, value), call->filter),
						   sum_of(call, counts_of(call, value), call->filter));
		default:
			below = copyObject((Aggref *) call->aggregate);
			below->args = list_make1(makeTargetEntry(value, 1, NULL, false));
			below->aggfilter = NULL;
			return same_over(call, column_of(call, below));
	}
}

/* Tells whether an expression is a column as it is stored, perhaps under another type. */
static bool
is_stored_column(const WaCounted *counted, const Expr *expression)
{
	const RangeTblEntry *entry;

	while (IsA(expression, RelabelType))
		expression = ((const RelabelType *) expression)->arg;
	if (!IsA(expression, Var))
		return false;
	entry = linitial_node(RangeTblEntry, counted->below->rtable);
	return ((const Var *) expression)->varattno > 0 &&
		   get_attgenerated(entry->relid,
							((const Var *) expression)->varattno) != 'v';
}

/* Returns why an aggregate over values of its type is not told, or NULL. */
static const char *
check_type(const Call *call)
{
	const char *name = get_func_name(call->aggregate->aggfnoid);

	switch (call->description.aggregate)
	{
		case WA_COUNT:
		case WA_MIN:
		case WA_MAX:
		case WA_BIT_AND:
		case WA_BIT_OR:
			return NULL;
		case WA_SUM:
		case WA_AVG:
			return call->type == INT2OID || call->type == INT4OID ||
						   call->type == INT8OID || call->type == NUMERICOID
					   ? NULL
					   : psprintf("%s is not over integers or numerics", name);
		default:
			return psprintf("%s cannot be told from sums for each of its keys",
							name);
	}
}

/* Returns why an aggregate is not told, or NULL.  mentions: what it is over. */
static const char *
check_call(const Call *call, const WaMentions *mentions)
{
	const WaCounted *counted = call->counted;
	const char *name = get_func_name(call->aggregate->aggfnoid);
	const Expr *filter = call->description.filter;

	if (filter != NULL &&
		wa_counted_mentions(counted, (Node *) filter).loose != NULL)
		return psprintf("%s has FILTER over %s", name, counted->name);
	if (mentions->loose != NULL && mentions->of_others)
		return psprintf("%s is over %s and other tables", name, counted->name);
	if (mentions->loose != NULL &&
		!is_stored_column(counted, call->description.argument))
		return psprintf("%s is over more than a column of %s", name,
						counted->name);
	return check_type(call);
}

Expr *
wa_counted_aggregate(WaCounted *counted, const Aggref *aggregate,
					 Expr *argument, Expr *filter)
{
	Call call = {counted, aggregate, .argument = argument, .filter = filter};
	const char *reason = wa_aggregate_describe(aggregate, &call.description);
	WaMentions mentions;
	Expr *result;

	if (reason == NULL && aggregate->aggdistinct != NIL)
		reason = "an aggregate has DISTINCT";
	if (reason == NULL)
	{
		mentions =
			wa_counted_mentions(counted, (Node *) call.description.argument);
		call.type =
			call.argument == NULL ? InvalidOid : call.description.argument_type;
		reason = check_call(&call, &mentions);
	}
	if (reason != NULL)
	{
		counted->reason = reason;
		return NULL;
	}
	check_function(counted, aggregate->aggfnoid);
	result = mentions.loose != NULL ? aggregate_table(&call)
									: aggregate_others(&call);
	if (exprType((Node *) result) != aggregate->aggtype)
		counted->reason = psprintf("%s returns another type",
								   get_func_name(aggregate->aggfnoid));
	return counted->reason == NULL ? result : NULL;
}
