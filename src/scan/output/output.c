/*
 * output.c
 *		From groups to columns of the node's scan tuple; see output.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "scan/groups/accumulate.h"
#include "scan/output/dependents.h"
#include "scan/output/output.h"
#include "scan/output/shifted.h"
#include "state/pairs.h"
#include "state/wire.h"

/* Returns number and sum as PostgreSQL's avg of integers has them in its state. */
static Datum
pair_value(const WaScanStore *store, int number, uint32 group)
{
	Datum pair[2];
	bool is_null;

	pair[0] = wa_accumulator_result(store->columns[number], group, WA_COUNT,
									&is_null);
	pair[1] =
		wa_accumulator_result(store->columns[number], group, WA_SUM, &is_null);
	if (is_null)
		pair[1] = Int64GetDatum(0);
	return PointerGetDatum(construct_array(pair, lengthof(pair), INT8OID,
										   sizeof(int64), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

/* Returns the serialized state of a group's rows, NULL if there is none. */
static Datum
state_value(const WaScanStore *store, int number, uint32 group, bool *is_null)
{
	WaAggState *state = wa_accumulator_state(store->columns[number], group);

	*is_null = state == NULL;
	return state == NULL ? (Datum) 0 : PointerGetDatum(wa_wire_state(state));
}

/* Returns the values of several columns as an array, NULL if they have none. */
static Datum
array_value(const WaScanStore *store, const WaScanResult *result, uint32 group,
			bool *is_null)
{
	const int count = result->nelements;
	Datum *values = palloc(sizeof(Datum) * count);
	int16 length;
	bool by_value;
	char alignment;

	*is_null = false;
	for (int i = 0; i < count && !*is_null; i++)
		values[i] = wa_accumulator_result(store->columns[result->column + i],
										  group, result->aggregate, is_null);
	if (*is_null)
		return (Datum) 0;
	get_typlenbyvalalign(result->element, &length, &by_value, &alignment);
	return PointerGetDatum(construct_array(values, count, result->element,
										   length, by_value, alignment));
}

/* Returns what an aggregate of pairs comes to. */
static Datum
pairs_value(const WaScanStore *store, const WaScanResult *result, uint32 group,
			bool *is_null)
{
	WaAggState *states[WA_PAIR_COLUMNS] = {NULL};

	for (int i = 0; i < WA_PAIR_COLUMNS; i++)
		if (result->pair_columns[i] >= 0)
			states[i] = wa_accumulator_state(
				store->columns[result->pair_columns[i]], group);
	return wa_pair_result(result->aggregate, states, is_null);
}

/* Returns what the node has for an aggregate. */
static Datum
result_value(const WaScanStore *store, const WaScanResult *result, uint32 group,
			 bool *is_null)
{
	if (result->output == WA_OUTPUT_TRANSITION)
		return wa_transitions_result(store->transitions[result->column], group,
									 is_null);
	if (result->output == WA_OUTPUT_STATE)
		return state_value(store, result->column, group, is_null);
	if (result->output == WA_OUTPUT_ARRAY)
		return array_value(store, result, group, is_null);
	if (result->output == WA_OUTPUT_OF_PAIRS)
		return pairs_value(store, result, group, is_null);
	if (result->output == WA_OUTPUT_PAIR)
	{
		*is_null = false;
		return pair_value(store, result->column, group);
	}
	if (result->shift != NULL)
		return wa_shifted_result(store, result, group, is_null);
	return wa_accumulator_result(store->columns[result->column], group,
								 result->aggregate, is_null);
}

Datum
wa_output_value(const WaScanStore *store, uint32 group, int column,
				bool *is_null)
{
	const WaScanQuery *query = store->query;
	const int nkeys = list_length(query->keys);

	if (column < nkeys)
		return wa_groups_key(store->groups, group, column, is_null);
	column -= nkeys;
	if (column < query->nresults)
		return result_value(store, &query->results[column], group, is_null);
	column -= query->nresults;
	if (column < list_length(query->dependents))
		return wa_dependents_value(store, group, column, is_null);
	*is_null = true;
	return (Datum) 0;
}

bool
wa_output_estimate(const WaScanStore *store, uint32 group, int column,
				   double *value)
{
	const int nkeys = list_length(store->query->keys);
	const WaScanResult *result = &store->query->results[column - nkeys];

	if (column < nkeys || column >= nkeys + store->query->nresults ||
		result->output == WA_OUTPUT_TRANSITION ||
		result->output == WA_OUTPUT_LIST ||
		result->output == WA_OUTPUT_OF_PAIRS)
		return false;
	if (result->shift != NULL)
		return wa_shifted_estimate(store, result, group, value);
	return wa_accumulator_estimate(store->columns[result->column], group,
								   result->aggregate, value);
}

/* Returns the number of the first column that keys tell. */
static int
first_dependent(const WaScanQuery *query)
{
	return list_length(query->keys) + query->nresults;
}

TupleTableSlot *
wa_output_store(const WaScanStore *store, uint32 group,
				const Bitmapset *columns, TupleTableSlot *slot)
{
	const WaScanQuery *query = store->query;
	const int count = first_dependent(query) + list_length(query->dependents);

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	for (int i = 0; i < count; i++)
		if (columns == NULL || bms_is_member(i, columns))
			slot->tts_values[i] =
				wa_output_value(store, group, i, &slot->tts_isnull[i]);
	return ExecStoreVirtualTuple(slot);
}

void
wa_output_add(const WaScanStore *store, uint32 group, const Bitmapset *stored,
			  TupleTableSlot *slot)
{
	const int first = first_dependent(store->query);

	for (int i = first; i < first + list_length(store->query->dependents); i++)
		if (!bms_is_member(i, stored))
			slot->tts_values[i] =
				wa_output_value(store, group, i, &slot->tts_isnull[i]);
}

Bitmapset *
wa_output_before_having(const WaScanQuery *query, Node *having)
{
	if (query->dependents == NIL)
		return NULL;
	return bms_add_range(wa_output_columns(having), 0,
						 first_dependent(query) - 1);
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
