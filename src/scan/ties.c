/*
 * ties.c
 *		Values that are equal but look different; see ties.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

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

/*
 * Tells whether texts that are equal may differ: by the collation, or in trailing blanks,
 * unless all are padded to the length of a bpchar(n).
 */
static bool
texts_may_differ(const WaScanColumn *column)
{
	const Node *argument = (const Node *) column->argument;
	const Oid collation = column->plan.collation;

	return (OidIsValid(collation) &&
			!get_collation_isdeterministic(collation)) ||
		   (getBaseType(exprType(argument)) == BPCHAROID &&
			exprTypmod(argument) < 0);
}

/* Tells whether the smallest or the largest value of a column may be tied. */
static bool
column_is_tied(const WaScanColumn *column)
{
	const WaOpSet ops = column->plan.key.ops;

	if (!wa_ops_have(ops, WA_OP_MIN) && !wa_ops_have(ops, WA_OP_MAX))
		return false;
	/* Nobody watches texts. */
	return texts_may_differ(column) ||
		   wa_accumulator_is_tied(column->accumulator);
}

bool
wa_ties_found(const WaScanState *state)
{
	if (wa_ties_have_keys(state))
		return true;
	for (int i = 0; i < state->ncolumns && state->watches; i++)
		if (column_is_tied(&state->columns[i]))
			return true;
	return false;
}
