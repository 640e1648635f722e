/*
 * ties.c
 *		Values that are equal but look different; see ties.h.
 */
#include "postgres.h"

#include "scan/ties.h"

bool
wa_ties_matter(const WaScanState *state)
{
	return state->covered != NULL && state->nworkers == 0;
}

void
wa_ties_watch(WaScanState *state)
{
	state->watches = true;
	if (state->groups != NULL)
		wa_query_groups_watch(wa_groups_table(state->groups));
	for (int i = 0; i < state->ncolumns; i++)
		wa_accumulator_watch(state->columns[i].accumulator);
}

void
wa_ties_stop(WaScanState *state)
{
	state->watches = false;
	if (state->groups != NULL)
		wa_query_groups_stop_watching(wa_groups_table(state->groups));
}

void
wa_ties_give_up(WaScanState *state)
{
	if (!state->watches)
		return;
	wa_ties_stop(state);
	state->may_be_tied = true;
}

bool
wa_ties_have_keys(const WaScanState *state)
{
	if (!state->watches)
		return state->may_be_tied;
	return state->groups != NULL &&
		   wa_query_groups_are_tied(wa_groups_table(state->groups));
}

bool
wa_ties_found(const WaScanState *state)
{
	if (wa_ties_have_keys(state))
		return true;
	for (int i = 0; i < state->ncolumns && state->watches; i++)
		if (wa_accumulator_is_tied(state->columns[i].accumulator))
			return true;
	return false;
}
