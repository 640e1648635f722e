/*
 * join_tables.c
 *		Looking up the rows of relations that are joined; see join_tables.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "heap/gather.h"
#include "scan/base/datum.h"
#include "scan/tables/join_tables.h"

/* Prepares the values, and a slot for those of a row. */
static void
make_values(WaJoinTables *tables, EState *estate)
{
	const List *values = tables->joins->values;
	TupleDesc descriptor = CreateTemplateTupleDesc(list_length(values));
	ListCell *cell;

	tables->nvalues = list_length(values);
	tables->values = palloc0(sizeof(WaJoinValue) * tables->nvalues);
	tables->tables = palloc0(sizeof(WaLookupTable) * tables->nvalues);
	foreach (cell, values)
	{
		const WaJoinedValue *from = (const WaJoinedValue *) lfirst(cell);
		const Node *expression = (const Node *) from->expression;
		WaJoinValue *value = &tables->values[foreach_current_index(cell)];

		value->owner = wa_joins_owner(tables->joins, from->join);
		wa_lookup_table_empty(&tables->tables[foreach_current_index(cell)]);
		value->is_fact = from->fact != WA_FACT_NONE;
		value->is_row = expression == NULL && !value->is_fact;
		value->type = wa_joined_value_type(from);
		if (!wa_gather_kind(value->type, &value->kind))
			elog(ERROR, "a joined value has no vector");
		TupleDescInitEntry(
			descriptor, (AttrNumber) (foreach_current_index(cell) + 1), NULL,
			value->type, expression == NULL ? -1 : exprTypmod(expression), 0);
	}
	tables->slot = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsVirtual);
}

WaJoinTables *
wa_join_tables_make(const WaJoins *joins, EState *estate)
{
	WaJoinTables *tables = palloc0(sizeof(WaJoinTables));
	ListCell *cell;

	tables->joins = joins;
	tables->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg joins", ALLOCSET_DEFAULT_SIZES);
	tables->njoins = list_length(joins->keys);
	tables->contexts = palloc0(sizeof(MemoryContext) * tables->njoins);
	tables->uses = palloc0(sizeof(WaJoinUse) * tables->njoins);
	tables->keys = palloc0(sizeof(ExprState *) * tables->njoins);
	tables->key_types = palloc0(sizeof(Oid) * tables->njoins);
	tables->rows = palloc0(sizeof(WaKeyRows) * tables->njoins);
	foreach (cell, joins->keys)
	{
		Expr *key = (Expr *) lfirst(cell);
		const int i = foreach_current_index(cell);

		if (key == NULL)
			continue;
		tables->keys[i] =
			ExecInitExprWithParams(key, estate->es_param_list_info);
		tables->key_types[i] = exprType((Node *) key);
	}
	make_values(tables, estate);
	return tables;
}

MemoryContext
wa_join_tables_empty(WaJoinTables *tables, int unit)
{
	MemoryContext *context = &tables->contexts[unit];

	if (*context == NULL)
		*context = AllocSetContextCreate(tables->context, "warpagg join",
										 ALLOCSET_DEFAULT_SIZES);
	else
		MemoryContextReset(*context);
	return *context;
}

void
wa_join_tables_drop(WaJoinTables *tables)
{
	for (int i = 0; i < tables->njoins; i++)
	{
		if (tables->contexts[i] != NULL)
			MemoryContextDelete(tables->contexts[i]);
		tables->contexts[i] = NULL;
		tables->rows[i] = (WaKeyRows){0};
	}
	for (int i = 0; i < tables->nvalues; i++)
		wa_lookup_table_empty(&tables->tables[i]);
}

/* Returns a value of a row that no table can hold. */
static Datum
find_odd(const WaJoinValue *value, int64 row)
{
	int64 low = 0;
	int64 high = value->nodd - 1;

	while (low < high)
	{
		const int64 middle = low + (high - low) / 2;

		if (value->odd_rows[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > high || value->odd_rows[low] != row)
		elog(ERROR, "a joined value is not known");
	return value->odd[low];
}

/* Returns a value of a row; it may be NULL. */
static Datum
value_of_row(const WaJoinTables *tables, int number, int64 row, bool *is_null)
{
	const WaJoinValue *value = &tables->values[number];
	const WaLookupTable *table = &tables->tables[number];
	WaText text;
	uint8 truth;
	WaVector vector = {.scale = table->scale};
	int64 entry;
	uint8 state;

	*is_null = false;
	if (value->is_row)
		return Int64GetDatum(row);
	state = wa_lookup_table_entry(table, (uint64) row, &entry);
	*is_null = state == WA_ENTRY_NULL;
	if (*is_null)
		return (Datum) 0;
	if (state == WA_ENTRY_UNKNOWN)
		return find_odd(value, row);
	vector.values = &entry;
	if (value->kind == WA_VECTOR_TEXT)
	{
		text = table->texts[entry];
		vector.values = &text;
	}
	else if (value->kind == WA_VECTOR_BOOL)
	{
		truth = entry != 0;
		vector.values = &truth;
	}
	return wa_vector_to_datum(value->type, value->kind, &vector, 0);
}

/* Sets the values of a join's row in the slot; of WA_NO_ROW those that all rows have. */
static void
set_values(const WaJoinTables *tables, int join, int64 row)
{
	TupleTableSlot *slot = tables->slot;

	for (int i = 0; i < tables->nvalues; i++)
	{
		const WaJoinValue *value = &tables->values[i];

		if (value->owner == join && (value->is_fact || row != WA_NO_ROW))
			slot->tts_values[i] = value_of_row(
				tables, i, value->is_fact ? 0 : row, &slot->tts_isnull[i]);
	}
}

/* Finds the row of a join. */
static int64
find_row(const WaJoinTables *tables, int join, ExprContext *econtext)
{
	bool is_null;
	const Datum key =
		ExecEvalExprSwitchContext(tables->keys[join], econtext, &is_null);

	WaRowKey found;

	if (is_null)
		return WA_NO_ROW;
	found = wa_row_key_of(tables->key_types[join], key);
	return wa_key_rows_find(&tables->rows[join], &found);
}

void
wa_join_tables_find(WaJoinTables *tables, ExprContext *econtext)
{
	TupleTableSlot *slot = tables->slot;
	MemoryContext old;

	if (!wa_join_tables_have(tables))
		elog(ERROR, "tables of joins are not there");
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	econtext->ecxt_innertuple = ExecStoreVirtualTuple(slot);
	for (int i = 0; i < tables->njoins; i++)
		if (tables->keys[i] != NULL)
			set_values(tables, i, find_row(tables, i, econtext));
	MemoryContextSwitchTo(old);
}
