/*
 * aggregates.c
 *		Which aggregate calls are of the family; see aggregates.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_language.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/expr/aggregates.h"
#include "settings.h"

/* The aggregates by PostgreSQL's name and by our final function's. */
static const struct
{
	const char *name;
	const char *final;
	WaAggregate aggregate;
	bool is_any;
} family[] = {
	{"count", "warpagg_count_final", WA_COUNT},
	{"sum", "warpagg_sum_final", WA_SUM},
	{"avg", "warpagg_avg_final", WA_AVG},
	{"min", "warpagg_min_final", WA_MIN},
	{"max", "warpagg_max_final", WA_MAX},
	{"var_pop", "warpagg_var_pop_final", WA_VAR_POP},
	{"var_samp", "warpagg_var_samp_final", WA_VAR_SAMP},
	{"variance", NULL, WA_VAR_SAMP},
	{"stddev_pop", "warpagg_stddev_pop_final", WA_STDDEV_POP},
	{"stddev_samp", "warpagg_stddev_samp_final", WA_STDDEV_SAMP},
	{"stddev", NULL, WA_STDDEV_SAMP},
	{"bool_and", NULL, WA_MIN}, /* false is less than true */
	{"every", NULL, WA_MIN},
	{"bool_or", NULL, WA_MAX},
	{"any_value", NULL, WA_MIN, .is_any = true},
	{"bit_and", NULL, WA_BIT_AND},
	{"bit_or", NULL, WA_BIT_OR},
	{"bit_xor", NULL, WA_BIT_XOR},
};

/* Finds one of PostgreSQL's own aggregates; sets *is_any if any of the values will do. */
static bool
find_builtin(Oid function, WaAggregate *aggregate, bool *is_any)
{
	char *name;

	if (function >= FirstGenbkiObjectId ||
		get_func_namespace(function) != PG_CATALOG_NAMESPACE)
		return false;
	name = get_func_name(function);
	for (int i = 0; i < lengthof(family); i++)
		if (strcmp(family[i].name, name) == 0)
		{
			*aggregate = family[i].aggregate;
			*is_any = family[i].is_any;
			return true;
		}
	return false;
}

/*
 * Nobody but a superuser makes functions in C; in another language anybody may have the
 * name for a body, which is looked at only when it is run.
 */
bool
wa_is_c_function(Oid function, const char *name)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool is_null;
	Datum source;
	bool found = false;

	if (!HeapTupleIsValid(tuple))
		return false;
	source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);
	if (!is_null && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
	{
		char *symbol = TextDatumGetCString(source);

		found = strcmp(symbol, name) == 0;
		pfree(symbol);
	}
	ReleaseSysCache(tuple);
	return found;
}

/* Tells whether an aggregate's state starts as the value. */
static bool
starts_as(HeapTuple aggregate, const char *value)
{
	bool is_null;
	Datum start = SysCacheGetAttr(AGGFNOID, aggregate,
								  Anum_pg_aggregate_agginitval, &is_null);

	return !is_null && strcmp(TextDatumGetCString(start), value) == 0;
}

/* Finds one of ours by what it is made of. */
static bool
find_ours(Oid function, WaAggregate *aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
	Oid transition;
	Oid final;
	bool counts_from_zero;

	if (!HeapTupleIsValid(tuple))
		return false;
	counts_from_zero = starts_as(tuple, "0");
	transition = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	final = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (transition == F_INT8INC && !OidIsValid(final) && counts_from_zero)
	{
		*aggregate = WA_COUNT; /* gpu_count(*), or one that is the same */
		return true;
	}
	if (!OidIsValid(final) ||
		!wa_is_c_function(transition, "warpagg_transition"))
		return false;
	for (int i = 0; i < lengthof(family); i++)
		if (family[i].final != NULL && wa_is_c_function(final, family[i].final))
		{
			*aggregate = family[i].aggregate;
			return true;
		}
	return false;
}

/*
 * Tells whether a built-in result depends on the order of rows: of intervals,
 * whether a sum on the way is out of range.
 */
static bool
depends_on_order(const WaAggregateCall *call)
{
	if (call->argument == NULL || call->aggregate == WA_COUNT ||
		call->aggregate == WA_MIN || call->aggregate == WA_MAX)
		return false;
	return call->argument_type == FLOAT4OID ||
		   call->argument_type == FLOAT8OID ||
		   call->argument_type == INTERVALOID;
}

/*
 * Returns what no aggregate of the family may have, or NULL.  To some it makes no difference
 * whether each value comes once; what DISTINCT goes by is the argument.
 */
static const char *
unusual_form(const Aggref *aggref, WaAggregate aggregate)
{
	const bool takes_each_once = aggregate == WA_MIN || aggregate == WA_MAX ||
								 aggregate == WA_BIT_AND ||
								 aggregate == WA_BIT_OR;

	if (aggref->aggkind != AGGKIND_NORMAL || aggref->aggdirectargs != NIL ||
		aggref->aggvariadic)
		return "an aggregate is of an unusual kind";
	if (aggref->aggdistinct != NIL && !takes_each_once)
		return "an aggregate has DISTINCT";
	if (aggref->aggorder != NIL && aggref->aggdistinct == NIL)
		return "an aggregate has ORDER BY";
	if (aggref->agglevelsup != 0)
		return "an aggregate belongs to an outer query";
	if ((aggref->aggsplit != AGGSPLIT_SIMPLE &&
		 aggref->aggsplit != AGGSPLIT_INITIAL_SERIAL) ||
		list_length(aggref->args) > 1)
		return "an aggregate is of an unusual kind";
	return NULL;
}

/* Returns what a call is to return of its rows. */
static WaOutput
find_output(const Aggref *aggref, const WaAggregateCall *call)
{
	if (!call->is_partial)
		return WA_OUTPUT_RESULT;
	if (aggref->aggtranstype == INTERNALOID)
		return call->builtin ? WA_OUTPUT_NONE : WA_OUTPUT_STATE;
	switch (call->aggregate)
	{
		case WA_COUNT:
		case WA_MIN:
		case WA_MAX:
		case WA_BIT_AND:
		case WA_BIT_OR:
		case WA_BIT_XOR:
			return WA_OUTPUT_RESULT;
		case WA_SUM:
			/* Partial sums of these are not added as exact ones are. */
			return depends_on_order(call) ? WA_OUTPUT_NONE : WA_OUTPUT_RESULT;
		case WA_AVG:
			return call->argument_type == INT2OID ||
						   call->argument_type == INT4OID
					   ? WA_OUTPUT_PAIR
					   : WA_OUTPUT_NONE;
		default:
			return WA_OUTPUT_NONE;
	}
}

/* Tells whether an aggregate is not there for values of the argument's type. */
static bool
lacks_type(const WaAggregateCall *call)
{
	const Oid type = call->argument_type;

	switch (call->aggregate)
	{
		case WA_BIT_AND:
		case WA_BIT_OR:
		case WA_BIT_XOR:
			return type != INT2OID && type != INT4OID && type != INT8OID;
		default:
			/* Whether rows have an order is only known when they are compared. */
			return call->is_any &&
				   (type == RECORDOID || type == RECORDARRAYOID);
	}
}

const char *
wa_aggregate_describe(const Aggref *aggref, WaAggregateCall *call)
{
	const char *unusual;

	memset(call, 0, sizeof(*call));
	call->builtin =
		find_builtin(aggref->aggfnoid, &call->aggregate, &call->is_any);
	if (!call->builtin && !find_ours(aggref->aggfnoid, &call->aggregate))
		return psprintf("aggregate %s is not of the family",
						get_func_name(aggref->aggfnoid));
	unusual = unusual_form(aggref, call->aggregate);
	if (unusual != NULL)
		return unusual;
	call->is_added = wa_aggregate_is_added(aggref);
	call->filter = aggref->aggfilter;
	call->collation = aggref->inputcollid;
	if (aggref->args != NIL)
	{
		call->argument = linitial_node(TargetEntry, aggref->args)->expr;
		call->argument_type = getBaseType(exprType((Node *) call->argument));
	}
	else if (!aggref->aggstar)
		return "an aggregate is of an unusual kind";
	if (lacks_type(call))
		return psprintf("aggregate %s over type %s is not of the family",
						get_func_name(aggref->aggfnoid),
						format_type_be(call->argument_type));
	/* Any order will do, and the collation may not be known. */
	if (call->is_any && OidIsValid(get_typcollation(call->argument_type)))
		call->collation = C_COLLATION_OID;
	call->is_partial = aggref->aggsplit != AGGSPLIT_SIMPLE;
	call->output = find_output(aggref, call);
	return NULL;
}

Aggref *
wa_aggregate_plain(const Aggref *aggref)
{
	Aggref *plain = copyObject((Aggref *) aggref);

	plain->aggdistinct = NIL;
	plain->aggorder = NIL;
	return plain;
}

Expr *
wa_aggregate_values(const Aggref *aggref, int argument)
{
	Expr *value = list_nth_node(TargetEntry, aggref->args, argument)->expr;
	const Oid type = exprType((Node *) value);
	CaseExpr *choice;
	CaseWhen *when;

	if (aggref->aggfilter == NULL)
		return value;
	when = makeNode(CaseWhen);
	when->expr = aggref->aggfilter;
	when->result = value;
	when->location = -1;
	choice = makeNode(CaseExpr);
	choice->casetype = type;
	choice->casecollid = exprCollation((Node *) value);
	choice->args = list_make1(when);
	choice->defresult = (Expr *) makeNullConst(type, exprTypmod((Node *) value),
											   exprCollation((Node *) value));
	choice->location = -1;
	return (Expr *) choice;
}

/* Returns CASE WHEN condition THEN value ELSE otherwise END, of integers. */
static Expr *
make_choice(Expr *condition, int32 value, Expr *otherwise)
{
	CaseExpr *choice = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = condition;
	when->result = (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
									  Int32GetDatum(value), false, true);
	when->location = -1;
	choice->casetype = INT4OID;
	choice->args = list_make1(when);
	choice->defresult = otherwise;
	choice->location = -1;
	return (Expr *) choice;
}

void
wa_aggregate_number_booleans(WaAggregateCall *call)
{
	Expr *argument = call->argument;

	if (argument == NULL || call->argument_type != BOOLOID ||
		(call->aggregate != WA_MIN && call->aggregate != WA_MAX))
		return;
	StaticAssertStmt(false == 0 && true == 1, "results are booleans as well");
	call->argument = make_choice(
		argument, true,
		make_choice(make_notclause(argument), false,
					(Expr *) makeNullConst(INT4OID, -1, InvalidOid)));
	call->argument_type = INT4OID;
}

const char *
wa_aggregate_others_refusal(void)
{
	return wa_accelerate == WA_ACCELERATE_OFF
			   ? "an aggregate is PostgreSQL's and warpagg.accelerate is off"
			   : NULL;
}

const char *
wa_aggregate_refusal(const WaAggregateCall *call)
{
	const char *refusal =
		call->builtin && !call->is_added ? wa_aggregate_others_refusal() : NULL;

	if (refusal != NULL)
		return refusal;
	if (call->builtin && wa_accelerate != WA_ACCELERATE_ALL &&
		depends_on_order(call))
		return psprintf("the built-in aggregate over %s depends on the order "
						"of rows and warpagg.accelerate is not all",
						call->argument_type == INTERVALOID ? "intervals"
														   : "floats");
	if (call->output == WA_OUTPUT_NONE)
		return "only PostgreSQL makes the partial state of an aggregate";
	return NULL;
}
