/*
 * transition_call.h
 *		The functions of an aggregate, and calling them as PostgreSQL's executor does.
 *
 * The rules of who may call, of strict functions and of final functions are those of
 * executor/nodeAgg.c.
 */
#ifndef WA_SCAN_TRANSITION_CALL_H
#define WA_SCAN_TRANSITION_CALL_H

#include "nodes/execnodes.h"

/* How values of a type are stored. */
typedef struct WaStoredType
{
	Oid type;
	int16 length;
	bool by_value;
} WaStoredType;

typedef struct WaTransitionCall
{
	const Aggref *aggref;
	AggState *caller; /* what functions see as the node that calls them */
	int ninputs; /* arguments of a row that go to the transition function, */
	FmgrInfo function;
	FunctionCallInfo transition; /* behind the state */
	WaStoredType state;
	NullableDatum start; /* what states start with */
	int ndirect;         /* arguments that are no row's, and: */
	ExprState **direct;
	FmgrInfo final_function;
	FunctionCallInfo final; /* NULL: the state is the result */
	WaStoredType result;
	bool ends; /* that function may change a state, so that it is called once */
} WaTransitionCall;

/*
 * Prepares to call the functions of an aggregate, for as long as the executor's state is there.
 * Raises an error if the aggregate's owner may not call them.  has_groups: of several groups.
 */
extern void wa_transition_call_make(WaTransitionCall *call, EState *estate,
									const Aggref *aggref, bool has_groups);

/* Tells whether the transition function is not called for a row, as it is strict. */
extern bool wa_transition_call_skips(const WaTransitionCall *call,
									 const NullableDatum *inputs);

/*
 * Returns what the transition function makes of a state and a row, in the current memory context
 * or that of caller->curaggcontext.
 */
extern NullableDatum wa_transition_call_advance(const WaTransitionCall *call,
												NullableDatum state,
												const NullableDatum *inputs);

/* Returns what the final function, if there is one, makes of a state, likewise. */
extern NullableDatum wa_transition_call_finish(const WaTransitionCall *call,
											   NullableDatum state);

#endif /* WA_SCAN_TRANSITION_CALL_H */
