/*
 * transitions.c
 *		Aggregates that their own functions compute, group by group; see transitions.h.
 *
 * Who frees and who copies a state is as in executor/nodeAgg.c.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "scan/groups/transition_call.h"
#include "scan/groups/transition_order.h"
#include "scan/groups/transitions.h"

/* What a group has. */
typedef struct State
{
	NullableDatum of;
	bool is_empty; /* the first argument that is not NULL becomes the value */
	bool is_final; /* the value is what it has come to */
} State;

struct WaTransitions
{
	WaTransitionCall call;
	const WaTransitionInput *inputs;
	int narguments;           /* all that Aggref.args is */
	NullableDatum *arguments; /* of a row */
	ExprContext *econtext;    /* whose memory has the states */
	MemoryContext scratch;    /* of a row */

	uint32 ngroups;
	uint32 room; /* for so many */
	State *states;

	/* If rows come in an order, there is one state, of the last group that was asked for. */
	WaTransitionOrder *order; /* NULL: they do not */
	State ordered;
	int64 group; /* -1: none */
};

WaTransitions *
wa_transitions_make(EState *estate, const Aggref *aggref, bool has_groups,
					const WaTransitionInput *inputs)
{
	WaTransitions *transitions = palloc0(sizeof(WaTransitions));
	const AggState *caller;

	wa_transition_call_make(&transitions->call, estate, aggref, has_groups);
	caller = transitions->call.caller;
	transitions->inputs = inputs;
	transitions->narguments = list_length(aggref->args);
	transitions->arguments =
		palloc0(sizeof(NullableDatum) * (transitions->narguments + 1));
	transitions->econtext = caller->curaggcontext;
	transitions->scratch = caller->tmpcontext->ecxt_per_tuple_memory;
	transitions->order = wa_transition_order_make(aggref, has_groups);
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
keep(const WaTransitions *transitions, Datum value, const WaStoredType *storage)
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
	const WaTransitionCall *call = &transitions->call;

	*state = (State){.of = call->start, .is_empty = call->start.isnull};
	if (!call->start.isnull)
		state->of.value = keep(transitions, call->start.value, &call->state);
}

void
wa_transitions_grow(WaTransitions *transitions, uint32 ngroups)
{
	if (transitions->order != NULL)
		return;
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
	const WaStoredType *storage = &transitions->call.state;

	if (DatumIsReadWriteExpandedObject(value, false, storage->length) &&
		MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) ==
			memory_of(transitions))
		return value;
	return keep(transitions, value, storage);
}

/* Frees a state's value that has been replaced. */
static void
free_state(const WaTransitions *transitions, Datum value)
{
	if (DatumIsReadWriteExpandedObject(value, false,
									   transitions->call.state.length))
		DeleteExpandedObject(value);
	else
		pfree(DatumGetPointer(value));
}

/* Has a state be what a function has returned. */
static void
set_state(const WaTransitions *transitions, State *state, NullableDatum value)
{
	if (!transitions->call.state.by_value &&
		DatumGetPointer(value.value) != DatumGetPointer(state->of.value))
	{
		if (!value.isnull)
			value.value = keep_state(transitions, value.value);
		if (!state->of.isnull)
			free_state(transitions, state->of.value);
	}
	state->of = value;
}

/* Has a state take the arguments of a row. */
static void
advance(const WaTransitions *transitions, State *state)
{
	const WaTransitionCall *call = &transitions->call;
	const NullableDatum *arguments = transitions->arguments;

	if (wa_transition_call_skips(call, arguments))
		return;
	if (call->function.fn_strict && state->is_empty)
	{
		*state = (State){
			.of.value = keep(transitions, arguments[0].value, &call->state)};
		return;
	}
	if (call->function.fn_strict && state->of.isnull)
		return;
	state->is_empty = false;
	set_state(transitions, state,
			  wa_transition_call_advance(call, state->of, arguments));
}

/* Has a group take the arguments of a row, or puts that where it comes in its order. */
static void
take(WaTransitions *transitions, uint32 group)
{
	if (transitions->order == NULL)
		advance(transitions, &transitions->states[group]);
	else if (!wa_transition_call_skips(&transitions->call,
									   transitions->arguments))
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

/* Has the one state there is be that of a group, whose rows come in their order now. */
static void
read_group(WaTransitions *transitions, uint32 group)
{
	MemoryContext old;

	if ((int64) group < transitions->group)
		elog(ERROR, "groups are not asked for in their order");
	ReScanExprContext(transitions->econtext);
	start_state(transitions, &transitions->ordered);
	transitions->group = group;
	for (int i = 0; i < transitions->narguments; i++)
		transitions->arguments[i] = transitions->inputs[i].constant;
	old = MemoryContextSwitchTo(transitions->scratch);
	while (wa_transition_order_next(transitions->order, group,
									transitions->arguments))
	{
		advance(transitions, &transitions->ordered);
		MemoryContextReset(transitions->scratch);
	}
	MemoryContextSwitchTo(old);
}

/* Returns the state of a group, all of whose rows have come. */
static State *
state_of(WaTransitions *transitions, uint32 group)
{
	if (transitions->order == NULL)
		return &transitions->states[group];
	if ((int64) group != transitions->group)
		read_group(transitions, group);
	return &transitions->ordered;
}

Datum
wa_transitions_result(WaTransitions *transitions, uint32 group, bool *is_null)
{
	const WaTransitionCall *call = &transitions->call;
	State *state = state_of(transitions, group);
	NullableDatum result = state->of;

	if (!state->is_final)
		result = wa_transition_call_finish(call, state->of);
	if (!state->is_final && call->ends)
	{
		if (!result.isnull)
			result.value = keep(transitions, result.value, &call->result);
		state->of = result;
		state->is_final = true;
	}
	*is_null = result.isnull;
	return result.value;
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
