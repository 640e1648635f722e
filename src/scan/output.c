/*
 * output.c
 *		From groups to columns of the node's scan tuple; see output.h.
 */
#include "postgres.h"

#include "executor/tuptable.h"
#include "optimizer/optimizer.h"

#include "scan/accumulate_peek.h"
#include "scan/output.h"
#include "scan/shifted.h"

/* Returns the result of an aggregate. */
static Datum
result_value(const WaScanState *state, const WaScanResult *result, uint32 group,
			 bool *is_null)
{
	const WaScanColumn *column = &state->columns[result->column];
	Datum value;

	if (result->shift != NULL)
		return wa_shifted_result(column, result, group, is_null);
	if (wa_accumulator_peek(column->accumulator, &column->plan, column->kind,
							group, result->aggregate, &value, is_null))
		return value;
	return wa_aggregate_result(result->aggregate,
							   wa_accumulator_state(column->accumulator, group),
							   is_null);
}

Datum
wa_output_value(const WaScanState *state, uint32 group, int column,
				bool *is_null)
{
	if (column < state->nkeys)
		return wa_groups_key(state->groups, group, column, is_null);
	if (column < state->nkeys + state->nresults)
		return result_value(state, &state->results[column - state->nkeys],
							group, is_null);
	*is_null = true;
	return (Datum) 0;
}

bool
wa_output_estimate(const WaScanState *state, uint32 group, int column,
				   double *value)
{
	const WaScanResult *result = &state->results[column - state->nkeys];
	const WaScanColumn *aggregated;

	if (column < state->nkeys || column >= state->nkeys + state->nresults)
		return false;
	aggregated = &state->columns[result->column];
	if (result->shift != NULL)
		return wa_shifted_estimate(aggregated, result, group, value);
	return wa_accumulator_estimate(aggregated->accumulator, &aggregated->plan,
								   aggregated->kind, group, result->aggregate,
								   value);
}

TupleTableSlot *
wa_output_store(const WaScanState *state, uint32 group,
				const Bitmapset *columns)
{
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	for (int i = 0; i < state->nkeys + state->nresults; i++)
		if (columns == NULL || bms_is_member(i, columns))
			slot->tts_values[i] =
				wa_output_value(state, group, i, &slot->tts_isnull[i]);
	return ExecStoreVirtualTuple(slot);
}

Bitmapset *
wa_output_columns(Node *expression)
{
	Bitmapset *columns = NULL;
	ListCell *cell;

	foreach (cell, pull_var_clause(expression, 0))
		columns = bms_add_member(columns, lfirst_node(Var, cell)->varattno - 1);
	return columns;
}
