/*
 * run_states.c
 *		Bringing together what threads have computed; see run_states.h.
 */
#include <stdlib.h>

#include "daemon/run/run_states.h"

bool
wa_run_states_init(WaRunStates *states, unsigned threads)
{
	*states = (WaRunStates){.threads = threads};
	states->states = calloc(threads, sizeof(*states->states));
	return states->states != NULL;
}

WaStatus
wa_run_states_have(WaRunStates *states, unsigned thread, char *error)
{
	WaStatus status;

	if (states->states[thread] != NULL)
		return WA_OK;
	status =
		wa_query_runner.make_state(states->run, &states->states[thread], error);
	if (status != WA_OK)
		states->states[thread] = NULL;
	return status;
}

/* Moves the states that there are to the front. */
static void
gather(WaRunStates *states)
{
	states->nstates = 0;
	for (unsigned i = 0; i < states->threads; i++)
	{
		void *state = states->states[i];

		states->states[i] = NULL;
		if (state != NULL)
			states->states[states->nstates++] = state;
	}
}

WaStatus
wa_run_states_next(WaRunStates *states, uint64_t *nmorsels, char *error)
{
	WaStatus status = WA_OK;

	*nmorsels = 0;
	if (states->stage == WA_STAGE_EXTENTS)
	{
		gather(states);
		if (states->nstates > 0)
			status =
				wa_query_runner.divide(states->run, states->states,
									   states->nstates, &states->nparts, error);
		if (status == WA_OK && states->nparts > 0)
			*nmorsels = states->nstates;
		states->stage = WA_STAGE_STATES;
	}
	else if (states->stage == WA_STAGE_STATES)
	{
		*nmorsels = states->nparts;
		states->stage = WA_STAGE_PARTS;
	}
	return status;
}

WaStatus
wa_run_states_do(WaRunStates *states, uint64_t number, char *error)
{
	return states->stage == WA_STAGE_STATES
			   ? wa_query_runner.sort(states->run, states->states[number],
									  error)
			   : wa_query_runner.merge_part(states->run, (uint32_t) number,
											error);
}

WaStatus
wa_run_states_merge(WaRunStates *states, char *error)
{

	if (states->nparts > 0)
		return WA_OK;
	gather(states);
	for (unsigned i = 1; i < states->nstates; i++)
	{
		const WaStatus status = wa_query_runner.merge(
			states->run, states->states[0], states->states[i], error);

		if (status != WA_OK)
			return status;
		wa_query_runner.free_state(states->run, states->states[i]);
		states->states[i] = NULL;
	}
	return wa_run_states_have(states, 0, error);
}

void
wa_run_states_restart(WaRunStates *states)
{
	for (unsigned i = 0; states->states != NULL && i < states->threads; i++)
	{
		if (states->states[i] != NULL)
			wa_query_runner.free_state(states->run, states->states[i]);
		states->states[i] = NULL;
	}
	states->nstates = 0;
	states->nparts = 0;
	states->stage = WA_STAGE_EXTENTS;
}

void
wa_run_states_free(WaRunStates *states)
{
	wa_run_states_restart(states);
	free(states->states);
	states->states = NULL;
}
