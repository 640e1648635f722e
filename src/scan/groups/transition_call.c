/*
 * transition_call.c
 *		Calling the functions of an aggregate; see transition_call.h.
 *
 * Functions find out who calls them by AggState: there is one that stands for a node of
 * PostgreSQL's with this aggregate alone.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "parser/parse_agg.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "scan/expr/transition.h"
#include "scan/groups/transition_call.h"

/* Returns how values of a type are stored. */
static WaStoredType
storage_of(Oid type)
{
	WaStoredType storage = {.type = type};

	get_typlenbyval(type, &storage.length, &storage.by_value);
	return storage;
}

/* Checks that the owner of an aggregate may call one of its functions. */
static void
check_right(Oid function, Oid owner)
{
	const AclResult result = proc_aclcheck_compat(function, owner, ACL_EXECUTE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* Returns the owner of an aggregate. */
static Oid
owner_of(Oid aggregate)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggregate));
	Oid owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", aggregate);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* Makes what functions see as the node that calls them. */
static AggState *
make_caller(EState *estate, const Aggref *aggref, bool has_groups)
{
	AggState *caller = makeNode(AggState);

	caller->ss.ps.state = estate;
	caller->aggstrategy = has_groups ? AGG_HASHED : AGG_PLAIN;
	caller->aggs = list_make1((Aggref *) aggref);
	caller->numaggs = 1;
	caller->numtrans = 1;
	caller->peragg = palloc0(sizeof(AggStatePerAggData));
	caller->peragg->aggref = (Aggref *) aggref;
	caller->pertrans = palloc0(sizeof(AggStatePerTransData));
	caller->pertrans->aggref = (Aggref *) aggref;
	caller->curpertrans = caller->pertrans;
	caller->curaggcontext = CreateExprContext(estate);
	caller->tmpcontext = CreateExprContext(estate);
	return caller;
}

/* Makes the call of a function with so many arguments. */
static FunctionCallInfo
make_call(const WaTransitionCall *call, Oid function, Expr *expression,
		  int nargs, FmgrInfo *info)
{
	FunctionCallInfo made = palloc0(SizeForFunctionCallInfo(nargs));

	fmgr_info(function, info);
	fmgr_info_set_expr((Node *) expression, info);
	InitFunctionCallInfoData(*made, info, nargs, call->aggref->inputcollid,
							 (Node *) call->caller, NULL);
	return made;
}

/* Makes the call of the transition function; types: of all arguments. */
static void
make_transition(WaTransitionCall *call, Oid function, Oid *types, int ntypes)
{
	const Aggref *aggref = call->aggref;
	Expr *expression;

	build_aggregate_transfn_expr(
		types, ntypes, call->ndirect, aggref->aggvariadic, aggref->aggtranstype,
		aggref->inputcollid, function, InvalidOid, &expression, NULL);
	call->transition = make_call(call, function, expression, call->ninputs + 1,
								 &call->function);
}

/* Makes the call of the final function, with so many arguments. */
static void
make_final(WaTransitionCall *call, Oid function, Oid *types, int nargs)
{
	const Aggref *aggref = call->aggref;
	Expr *expression;

	build_aggregate_finalfn_expr(types, nargs, aggref->aggtranstype,
								 aggref->aggtype, aggref->inputcollid, function,
								 &expression);
	call->final =
		make_call(call, function, expression, nargs, &call->final_function);
}

/* Makes the calls of the functions that pg_aggregate has. */
static void
make_calls(WaTransitionCall *call, const FormData_pg_aggregate *form,
		   Oid *types, int ntypes)
{
	const Oid owner = owner_of(call->aggref->aggfnoid);

	check_right(form->aggtransfn, owner);
	make_transition(call, form->aggtransfn, types, ntypes);
	if (!OidIsValid(form->aggfinalfn))
		return;
	check_right(form->aggfinalfn, owner);
	make_final(call, form->aggfinalfn, types,
			   1 + (form->aggfinalextra ? ntypes : call->ndirect));
	call->ends = form->aggfinalmodify != AGGMODIFY_READ_ONLY;
}

/* Returns the value that states start with. */
static NullableDatum
find_start(HeapTuple aggregate, Oid type)
{
	NullableDatum start;
	Oid input;
	Oid parameter;
	char *shown;

	start.value = SysCacheGetAttr(AGGFNOID, aggregate,
								  Anum_pg_aggregate_agginitval, &start.isnull);
	if (start.isnull)
		return start;
	getTypeInputInfo(type, &input, &parameter);
	shown = TextDatumGetCString(start.value);
	start.value = OidInputFunctionCall(input, shown, parameter, -1);
	return start;
}

/* Checks that an argument can become a state that starts as NULL, of a strict function. */
static void
check_start(const WaTransitionCall *call, const Oid *types, int ntypes)
{
	if (call->function.fn_strict && call->start.isnull &&
		(ntypes == 0 || !IsBinaryCoercible(types[0], call->state.type)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
				 errmsg("aggregate %u needs to have compatible input type and "
						"transition type",
						call->aggref->aggfnoid)));
}

/* Prepares the arguments that are no row's. */
static ExprState **
make_direct(const EState *estate, const Aggref *aggref)
{
	ExprState **direct =
		palloc(sizeof(ExprState *) * (list_length(aggref->aggdirectargs) + 1));
	ListCell *cell;

	foreach (cell, aggref->aggdirectargs)
		direct[foreach_current_index(cell)] = ExecInitExprWithParams(
			(Expr *) lfirst(cell), estate->es_param_list_info);
	return direct;
}

void
wa_transition_call_make(WaTransitionCall *call, EState *estate,
						const Aggref *aggref, bool has_groups)
{
	HeapTuple tuple = wa_transition_find(aggref);
	Oid types[FUNC_MAX_ARGS];
	const int ntypes = get_aggregate_argtypes((Aggref *) aggref, types);

	memset(call, 0, sizeof(*call));
	call->aggref = aggref;
	call->caller = make_caller(estate, aggref, has_groups);
	call->ndirect = list_length(aggref->aggdirectargs);
	call->direct = make_direct(estate, aggref);
	call->ninputs = ntypes - call->ndirect;
	call->state = storage_of(aggref->aggtranstype);
	call->result = storage_of(aggref->aggtype);
	make_calls(call, (Form_pg_aggregate) GETSTRUCT(tuple), types, ntypes);
	call->start = find_start(tuple, aggref->aggtranstype);
	check_start(call, types, ntypes);
	ReleaseSysCache(tuple);
}

bool
wa_transition_call_skips(const WaTransitionCall *call,
						 const NullableDatum *inputs)
{
	for (int i = 0; call->function.fn_strict && i < call->ninputs; i++)
		if (inputs[i].isnull)
			return true;
	return false;
}

/* Calls a function whose arguments are there. */
static NullableDatum
invoke(FunctionCallInfo call)
{
	NullableDatum result;

	call->isnull = false;
	result.value = FunctionCallInvoke(call);
	result.isnull = call->isnull;
	return result;
}

NullableDatum
wa_transition_call_advance(const WaTransitionCall *call, NullableDatum state,
						   const NullableDatum *inputs)
{
	call->transition->args[0] = state;
	memcpy(&call->transition->args[1], inputs,
		   sizeof(NullableDatum) * call->ninputs);
	return invoke(call->transition);
}

/* Returns an argument of the final function behind the state: those of rows are there as NULL. */
static NullableDatum
final_argument(const WaTransitionCall *call, int number)
{
	NullableDatum argument = {.isnull = true};

	if (number < call->ndirect)
		argument.value = ExecEvalExpr(
			call->direct[number], call->caller->tmpcontext, &argument.isnull);
	return argument;
}

NullableDatum
wa_transition_call_finish(const WaTransitionCall *call, NullableDatum state)
{
	FunctionCallInfo final = call->final;
	NullableDatum result = {.isnull = true};
	bool has_null;

	state.value = MakeExpandedObjectReadOnly(state.value, state.isnull,
											 call->state.length);
	if (final == NULL)
		return state;
	final->args[0] = state;
	has_null = state.isnull;
	for (int i = 1; i < final->nargs; i++)
	{
		final->args[i] = final_argument(call, i - 1);
		has_null |= final->args[i].isnull;
	}
	if (has_null && call->final_function.fn_strict)
		return result;
	call->caller->curperagg = call->caller->peragg;
	result = invoke(final);
	call->caller->curperagg = NULL;
	return result;
}
