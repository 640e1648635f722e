/*
 * output.c
 *		From groups to columns of the node's scan tuple; see output.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"

#include "scan/groups/accumulate_peek.h"
#include "scan/output/output.h"
#include "scan/output/shifted.h"
#include "state/wire.h"

/* Returns what an aggregate comes to over the rows of a column. */
static Datum
column_result(const WaScanColumn *column, uint32 group, WaAggregate aggregate,
			  bool *is_null)
{
	Datum value;

	if (wa_accumulator_peek(column->accumulator, &column->plan, column->kind,
							group, aggregate, &value, is_null))
		return value;
	return wa_aggregate_result(
		aggregate, wa_accumulator_state(column->accumulator, group), is_null);
}

/* Returns number and sum as PostgreSQL's avg of integers has them in its state. */
static Datum
pair_value(const WaScanColumn *column, uint32 group)
{
	Datum pair[2];
	bool is_null;

	pair[0] = column_result(column, group, WA_COUNT, &is_null);
	pair[1] = column_result(column, group, WA_SUM, &is_null);
	if (is_null)
		pair[1] = Int64GetDatum(0);
	return PointerGetDatum(construct_array(pair, lengthof(pair), INT8OID,
										   sizeof(int64), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* Returns the serialized state of a group's rows, NULL if there is none. */
static Datum
state_value(const WaScanColumn *column, uint32 group, bool *is_null)
{
	WaAggState *state = wa_accumulator_state(column->accumulator, group);

	*is_null = state == NULL;
	return state == NULL ? (Datum) 0 : PointerGetDatum(wa_wire_state(state));
}

/* Returns what the node has for an aggregate. */
static Datum
result_value(const WaScanState *state, const WaScanResult *result, uint32 group,
			 bool *is_null)
{
	const WaScanColumn *column = &state->columns[result->column];

	if (result->output == WA_OUTPUT_STATE)
		return state_value(column, group, is_null);
	if (result->output == WA_OUTPUT_PAIR)
	{
		*is_null = false;
		return pair_value(column, group);
	}
	if (result->shift != NULL)
		return wa_shifted_result(column, result, group, is_null);
	return column_result(column, group, result->aggregate, is_null);
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
