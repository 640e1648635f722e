/*
 * group_store.c
 *		The groups that a node has in memory; see group_store.h.
 */
#include "postgres.h"

#include "scan/spill/group_store.h"
#include "scan/spill/spill_pace.h"

uint32
wa_scan_groups(const WaScanState *state)
{
	return state->groups == NULL ? 1 : wa_groups_count(state->groups);
}

void
wa_scan_make_groups(WaScanState *state)
{
	MemoryContextReset(state->group_context);
	state->groups = NULL;
	if (state->nkeys > 0)
		state->groups = wa_groups_make(state->group_context, state->nkeys,
									   state->group_keys);
	for (int i = 0; i < state->ncolumns; i++)
	{
		WaScanColumn *column = &state->columns[i];

		column->accumulator = wa_accumulator_make(state->group_context,
												  &column->plan, column->kind);
		wa_accumulator_grow(column->accumulator, wa_scan_groups(state));
	}
	if (state->groups != NULL)
		wa_spill_pace_begin(state);
}
