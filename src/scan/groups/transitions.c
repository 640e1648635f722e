/*
 * transitions.c
 *		Aggregates that their own functions compute, group by group; see transitions.h.
 *
 * Functions find out who calls them by AggState: there is one that stands for a node of
 * PostgreSQL's with this aggregate alone.  The rules of strict functions, of who frees and who
 * copies a state, and of final functions are those of nodeAgg.c.
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
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "scan/groups/transition_order.h"
#include "scan/groups/transitions.h"

/* What a group has. */
typedef struct State
{
	Datum value;
	bool is_null;
	bool is_empty; /* the first argument that is not NULL becomes the value */
	bool is_final; /* the value is what it has come to */
} State;

/* A value of SQL as it is stored. */
typedef struct Storage
{
	Oid type;
	int16 length;
	bool by_value;
} Storage;

struct WaTransitions
{
	const Aggref *aggref;
	const WaTransitionInput *inputs;
	int narguments; /* all that Aggref.args is, of which these go to the function: */
	int ninputs;
	NullableDatum *arguments; /* of a row */
	AggState *caller;
	ExprContext *econtext; /* whose memory has the states */
	MemoryContext scratch; /* of a row */

	FmgrInfo function;
	FunctionCallInfo call;
	Storage state;
	NullableDatum start;

	FmgrInfo final_function;
	FunctionCallInfo final_call; /* NULL: the state is the result */
	int ndirect;                 /* arguments that are no row's, and: */
	ExprState **direct;
	int nfinal; /* arguments of that */
	Storage result;
	bool
		ends; /* the final function may change a state, so that it is called once */

	uint32 ngroups;
	uint32 room; /* for so many */
	State *states;

	WaTransitionOrder *order; /* of rows; NULL: they come in none */
	bool has_only;            /* group by group, so that there is one state: */
	State only;
	int64 group; /* that was asked for last; -1: none */
};

/* Returns how values of a type are stored. */
static Storage
storage_of(Oid type)
{
	Storage storage = {.type = type};

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
make_call(const WaTransitions *transitions, Oid function, Expr *expression,
		  int nargs, FmgrInfo *info)
{
	FunctionCallInfo call = palloc0(SizeForFunctionCallInfo(nargs));

	fmgr_info(function, info);
	fmgr_info_set_expr((Node *) expression, info);
	InitFunctionCallInfoData(*call, info, nargs,
							 transitions->aggref->inputcollid,
							 (Node *) transitions->caller, NULL);
	return call;
}

/* Makes the calls of the functions of an aggregate, whose arguments have these types. */
static void
make_calls(WaTransitions *transitions, const FormData_pg_aggregate *form,
		   Oid *types, int ntypes)
{
	const Aggref *aggref = transitions->aggref;
	const Oid owner = owner_of(aggref->aggfnoid);
	Expr *expression;

	check_right(form->aggtransfn, owner);
	build_aggregate_transfn_expr(types, ntypes, transitions->ndirect,
								 aggref->aggvariadic, aggref->aggtranstype,
								 aggref->inputcollid, form->aggtransfn,
								 InvalidOid, &expression, NULL);
	transitions->call =
		make_call(transitions, form->aggtransfn, expression,
				  transitions->ninputs + 1, &transitions->function);
	if (!OidIsValid(form->aggfinalfn))
		return;
	check_right(form->aggfinalfn, owner);
	transitions->nfinal =
		1 + (form->aggfinalextra ? ntypes : transitions->ndirect);
	build_aggregate_finalfn_expr(
		types, transitions->nfinal, aggref->aggtranstype, aggref->aggtype,
		aggref->inputcollid, form->aggfinalfn, &expression);
	transitions->final_call =
		make_call(transitions, form->aggfinalfn, expression,
				  transitions->nfinal, &transitions->final_function);
	transitions->ends = form->aggfinalmodify != AGGMODIFY_READ_ONLY;
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
check_start(const WaTransitions *transitions, const Oid *types, int ntypes)
{
	if (transitions->function.fn_strict && transitions->start.isnull &&
		(ntypes == 0 || !IsBinaryCoercible(types[0], transitions->state.type)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
				 errmsg("aggregate %u needs to have compatible input type and "
						"transition type",
						transitions->aggref->aggfnoid)));
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

WaTransitions *
wa_transitions_make(EState *estate, const Aggref *aggref, bool has_groups,
					const WaTransitionInput *inputs)
{
	HeapTuple tuple =
		SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	WaTransitions *transitions = palloc0(sizeof(WaTransitions));
	Oid types[FUNC_MAX_ARGS];
	const int ntypes = get_aggregate_argtypes((Aggref *) aggref, types);

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
	transitions->aggref = aggref;
	transitions->inputs = inputs;
	transitions->narguments = list_length(aggref->args);
	transitions->ndirect = list_length(aggref->aggdirectargs);
	transitions->direct = make_direct(estate, aggref);
	/* Of an ordered set all that it is sorted by. */
	transitions->ninputs = ntypes - transitions->ndirect;
	transitions->arguments =
		palloc0(sizeof(NullableDatum) * (transitions->narguments + 1));
	transitions->caller = make_caller(estate, aggref, has_groups);
	transitions->econtext = transitions->caller->curaggcontext;
	transitions->scratch =
		transitions->caller->tmpcontext->ecxt_per_tuple_memory;
	transitions->state = storage_of(aggref->aggtranstype);
	transitions->result = storage_of(aggref->aggtype);
	make_calls(transitions, (Form_pg_aggregate) GETSTRUCT(tuple), types,
			   ntypes);
	transitions->start = find_start(tuple, aggref->aggtranstype);
	check_start(transitions, types, ntypes);
	transitions->order = wa_transition_order_make(aggref, has_groups);
	ReleaseSysCache(tuple);
	return transitions;
}

/* Forgets all states. */
static void
forget(WaTransitions *transitions)
{
	ReScanExprContext(transitions->econtext);
	transitions->ngroups = 0;
	transitions->room = 0;
	transitions->states = NULL;
	transitions->has_only = false;
	transitions->group = -1;
}

void
wa_transitions_clear(WaTransitions *transitions)
{
	forget(transitions);
	if (transitions->order != NULL)
		wa_transition_order_begin(transitions->order);
}

/* Returns the memory of the states. */
static MemoryContext
memory_of(const WaTransitions *transitions)
{
	return transitions->econtext->ecxt_per_tuple_memory;
}

/* Returns a copy of a value in the memory of the states. */
static Datum
keep(const WaTransitions *transitions, Datum value, const Storage *storage)
{
	const MemoryContext old = MemoryContextSwitchTo(memory_of(transitions));
	const Datum copy = datumCopy(value, storage->by_value, storage->length);

	MemoryContextSwitchTo(old);
	return copy;
}

/* Makes room for more groups. */
static void
make_room(WaTransitions *transitions, uint32 ngroups)
{
	const uint64 room = Max((uint64) transitions->room * 2, ngroups);
	const Size bytes = room * sizeof(State);

	transitions->states =
		transitions->states == NULL
			? MemoryContextAllocHuge(memory_of(transitions), bytes)
			: repalloc_huge(transitions->states, bytes);
	transitions->room = (uint32) Min(room, PG_UINT32_MAX);
}

/* Has a state be that of no rows. */
static void
start_state(const WaTransitions *transitions, State *state)
{
	const NullableDatum *start = &transitions->start;

	*state = (State){.is_null = start->isnull, .is_empty = start->isnull};
	if (!start->isnull)
		state->value = keep(transitions, start->value, &transitions->state);
}

void
wa_transitions_grow(WaTransitions *transitions, uint32 ngroups)
{
	if (ngroups > transitions->room)
		make_room(transitions, ngroups);
	for (; transitions->ngroups < ngroups; transitions->ngroups++)
		start_state(transitions, &transitions->states[transitions->ngroups]);
}

/*
 * Returns what a function has returned as a state that stays: a copy, unless it is an object that
 * lives with the states already.
 */
static Datum
keep_state(const WaTransitions *transitions, Datum value)
{
	const int16 length = transitions->state.length;

	if (DatumIsReadWriteExpandedObject(value, false, length) &&
		MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) ==
			memory_of(transitions))
		return value;
	return keep(transitions, value, &transitions->state);
}

/* Frees a state's value that has been replaced. */
static void
free_state(const WaTransitions *transitions, Datum value)
{
	if (DatumIsReadWriteExpandedObject(value, false, transitions->state.length))
		DeleteExpandedObject(value);
	else
		pfree(DatumGetPointer(value));
}

/* Has a state be what a function has returned. */
static void
set_state(const WaTransitions *transitions, State *state, Datum value,
		  bool is_null)
{
	if (!transitions->state.by_value &&
		DatumGetPointer(value) != DatumGetPointer(state->value))
	{
		if (!is_null)
			value = keep_state(transitions, value);
		if (!state->is_null)
			free_state(transitions, state->value);
	}
	state->value = value;
	state->is_null = is_null;
}

/* Tells whether a strict function is not called, as one of its arguments is NULL. */
static bool
is_left_out(const WaTransitions *transitions)
{
	for (int i = 0; transitions->function.fn_strict && i < transitions->ninputs;
		 i++)
		if (transitions->arguments[i].isnull)
			return true;
	return false;
}

/* Has a state take the arguments of a row. */
static void
advance(WaTransitions *transitions, State *state)
{
	FunctionCallInfo call = transitions->call;
	const bool is_strict = transitions->function.fn_strict;
	Datum value;

	if (is_left_out(transitions))
		return;
	if (is_strict && state->is_empty)
	{
		*state =
			(State){.value = keep(transitions, transitions->arguments[0].value,
								  &transitions->state)};
		return;
	}
	if (is_strict && state->is_null)
		return;
	state->is_empty = false;
	call->args[0].value = state->value;
	call->args[0].isnull = state->is_null;
	memcpy(&call->args[1], transitions->arguments,
		   sizeof(NullableDatum) * transitions->ninputs);
	call->isnull = false;
	value = FunctionCallInvoke(call);
	set_state(transitions, state, value, call->isnull);
}

/* Has a group take the arguments of a row, or puts that where it comes in its order. */
static void
take(WaTransitions *transitions, uint32 group)
{
	if (transitions->order == NULL)
		advance(transitions, &transitions->states[group]);
	else if (!is_left_out(transitions))
		wa_transition_order_add(transitions->order, group,
								transitions->arguments);
}

/* Reads the arguments of a row of the vectors, in the current memory context. */
static void
read_arguments(const WaTransitions *transitions, size_t row)
{
	for (int i = 0; i < transitions->narguments; i++)
	{
		const WaTransitionInput *input = &transitions->inputs[i];
		NullableDatum *argument = &transitions->arguments[i];

		if (input->vector == NULL)
			*argument = input->constant;
		else
		{
			argument->isnull = !wa_vector_is_valid(input->vector, row);
			argument->value =
				argument->isnull
					? (Datum) 0
					: wa_datum_of_row(&input->form, input->vector, row);
		}
	}
}

void
wa_transitions_take(WaTransitions *transitions, const uint32 *groups,
					const uint8 *keep, size_t nrows)
{
	MemoryContext old = MemoryContextSwitchTo(transitions->scratch);

	for (size_t i = 0; i < nrows; i++)
	{
		if (keep != NULL && keep[i] == 0)
			continue;
		read_arguments(transitions, i);
		take(transitions, groups == NULL ? 0 : groups[i]);
		MemoryContextReset(transitions->scratch);
	}
	MemoryContextSwitchTo(old);
}

void
wa_transitions_take_row(WaTransitions *transitions, uint32 group,
						const NullableDatum *arguments)
{
	MemoryContext old = MemoryContextSwitchTo(transitions->scratch);

	memcpy(transitions->arguments, arguments,
		   sizeof(NullableDatum) * transitions->narguments);
	take(transitions, group);
	MemoryContextReset(transitions->scratch);
	MemoryContextSwitchTo(old);
}

/* Has states take rows in their order: those of a group that is asked for, or else of all. */
static void
read_rows(WaTransitions *transitions, uint32 group)
{
	MemoryContext old = MemoryContextSwitchTo(transitions->scratch);

	for (int i = 0; i < transitions->narguments; i++)
		transitions->arguments[i] = transitions->inputs[i].constant;
	while (wa_transition_order_next(transitions->order, &group,
									transitions->arguments))
	{
		State *state = &transitions->only;

		if (!transitions->has_only)
		{
			wa_transitions_grow(transitions, group + 1);
			state = &transitions->states[group];
		}
		advance(transitions, state);
		MemoryContextReset(transitions->scratch);
	}
	MemoryContextSwitchTo(old);
}

/* Has the only state there is be that of a group. */
static void
read_group(WaTransitions *transitions, uint32 group)
{
	if ((int64) group < transitions->group)
		elog(ERROR, "groups are not asked for in their order");
	forget(transitions);
	start_state(transitions, &transitions->only);
	transitions->group = group;
	transitions->has_only = true;
	read_rows(transitions, group);
}

/* Returns the state of a group, all of whose rows have come. */
static State *
state_of(WaTransitions *transitions, uint32 group)
{
	if (transitions->order != NULL &&
		wa_transition_order_is_by_group(transitions->order))
	{
		if ((int64) group != transitions->group)
			read_group(transitions, group);
		return &transitions->only;
	}
	if (transitions->order != NULL && transitions->group < 0)
	{
		transitions->group = 0;
		read_rows(transitions, 0);
	}
	wa_transitions_grow(transitions, group + 1);
	return &transitions->states[group];
}

/* Returns an argument of the final function behind the state: those of rows are there as NULL. */
static NullableDatum
final_argument(const WaTransitions *transitions, int number)
{
	NullableDatum argument = {.isnull = true};

	if (number < transitions->ndirect)
		argument.value =
			ExecEvalExpr(transitions->direct[number],
						 transitions->caller->tmpcontext, &argument.isnull);
	return argument;
}

/* Tells whether one of the arguments of a call is NULL. */
static bool
has_null(FunctionCallInfo call)
{
	for (int i = 0; i < call->nargs; i++)
		if (call->args[i].isnull)
			return true;
	return false;
}

/* Returns what the final function makes of a state. */
static Datum
call_final(WaTransitions *transitions, const State *state, bool *is_null)
{
	FunctionCallInfo call = transitions->final_call;
	Datum result;

	call->args[0].value = MakeExpandedObjectReadOnly(
		state->value, state->is_null, transitions->state.length);
	call->args[0].isnull = state->is_null;
	for (int i = 1; i < transitions->nfinal; i++)
		call->args[i] = final_argument(transitions, i - 1);
	*is_null = transitions->final_function.fn_strict && has_null(call);
	if (*is_null)
		return (Datum) 0;
	call->isnull = false;
	transitions->caller->curperagg = transitions->caller->peragg;
	result = FunctionCallInvoke(call);
	transitions->caller->curperagg = NULL;
	*is_null = call->isnull;
	return result;
}

Datum
wa_transitions_result(WaTransitions *transitions, uint32 group, bool *is_null)
{
	State *state = state_of(transitions, group);
	Datum result;

	if (state->is_final || transitions->final_call == NULL)
	{
		*is_null = state->is_null;
		return MakeExpandedObjectReadOnly(state->value, state->is_null,
										  transitions->result.length);
	}
	result = call_final(transitions, state, is_null);
	if (transitions->ends)
	{
		state->is_final = true;
		state->is_null = *is_null;
		if (!*is_null)
			result = keep(transitions, result, &transitions->result);
		state->value = result;
	}
	return result;
}

Size
wa_transitions_bytes(const WaTransitions *transitions)
{
	return MemoryContextMemAllocated(memory_of(transitions), true);
}

void
wa_transitions_end(WaTransitions *transitions)
{
	forget(transitions);
	if (transitions->order != NULL)
		wa_transition_order_end(transitions->order);
}
