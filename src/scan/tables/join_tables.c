/*
 * join_tables.c
 *		Tables of the rows of relations that are joined; see join_tables.h.
 *
 * Keys are integers, of which a relation has each at most once, or more than once where
 * nothing but presence is asked for.  Rows are numbered from 0 on.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "heap/gather.h"
#include "scan/base/datum.h"
#include "scan/tables/join_tables.h"
#include "scan/tables/key_rows.h"
#include "scan/tables/table_values.h"

/* A value that rows of a side have: of their own, or of those of a side that is folded. */
typedef struct Column
{
	int number; /* of the value */
	ExprState *
		state; /* over the row that the plan returns; NULL: it is another side's, */
	int folded;    /* the place of that among those that are folded, */
	int place;     /* and that of its column */
	Datum *datums; /* by numbers of rows */
	bool *nulls;
} Column;

/* A side that is folded: the row of each row. */
typedef struct Folded
{
	struct Side *side;
	ExprState *key; /* over the row that the plan returns */
	int64 row;      /* of the row at hand, or WA_NO_ROW */
} Folded;

/* The rows of a join. */
typedef struct Side
{
	const WaJoin *join;
	ExprState *
		key; /* over a row of the table, and values of joins before; NULL: folded */
	ExprState *of; /* over the row that the plan returns */
	Oid key_type;  /* of the former, */
	Oid of_type;   /* and of the latter */
	Column *columns;
	int ncolumns;
	Folded *folded;
	int nfolded;
	MemoryContext context; /* of what follows */
	int64 *keys;           /* of the rows */
	int64 nrows;
	int64 room;
	WaKeyRows rows; /* by keys */
} Side;

/* What a value is. */
typedef struct Value
{
	Oid type;
	int16 length;
	bool by_value;
} Value;

struct WaJoinTables
{
	const WaJoins *joins;
	Side *sides; /* by numbers of joins */
	int nsides;
	Value *values;         /* by their numbers, */
	WaLookupTable *tables; /* likewise */
	ExprContext *econtext; /* for rows of plans */
	TupleTableSlot *slot;  /* the values of a row of the table */
};

/* Puts references to what a plan returns in the place of columns. */
static Node *
refer_to_plan(Node *node, void *columns)
{
	ListCell *cell;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, refer_to_plan, columns);
	foreach (cell, (List *) columns)
	{
		const Var *column = (const Var *) lfirst(cell);
		const Var *var = (const Var *) node;

		if (IsA(column, Var) && var->varno == column->varno &&
			var->varattno == column->varattno)
			return (Node *) makeVar(
				OUTER_VAR, (AttrNumber) (foreach_current_index(cell) + 1),
				var->vartype, var->vartypmod, var->varcollid, 0);
	}
	elog(ERROR, "a joined relation lacks a column");
}

/* Prepares an expression over what a plan returns. */
static ExprState *
prepare_of_plan(const WaJoin *join, Expr *expression, EState *estate)
{
	return ExecInitExprWithParams(
		(Expr *) refer_to_plan((Node *) expression, join->columns),
		estate->es_param_list_info);
}

/* Prepares the values, and a slot for those of a row. */
static void
make_values(WaJoinTables *tables, EState *estate)
{
	const List *values = tables->joins->values;
	TupleDesc descriptor = CreateTemplateTupleDesc(list_length(values));
	ListCell *cell;

	tables->values = palloc0(sizeof(Value) * list_length(values));
	tables->tables = palloc0(sizeof(WaLookupTable) * list_length(values));
	foreach (cell, values)
	{
		const WaJoinedValue *from = (const WaJoinedValue *) lfirst(cell);
		Value *value = &tables->values[foreach_current_index(cell)];

		value->type = from->expression == NULL
						  ? INT8OID
						  : exprType((Node *) from->expression);
		get_typlenbyval(value->type, &value->length, &value->by_value);
		TupleDescInitEntry(
			descriptor, (AttrNumber) (foreach_current_index(cell) + 1), NULL,
			value->type,
			from->expression == NULL ? -1
									 : exprTypmod((Node *) from->expression),
			0);
	}
	tables->slot = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsVirtual);
}

/* Adds the values of rows of a side itself to its columns. */
static void
add_own_columns(WaJoinTables *tables, int number, EState *estate)
{
	Side *side = &tables->sides[number];
	ListCell *cell;

	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (value->join == number && value->expression != NULL)
			side->columns[side->ncolumns++] =
				(Column){.number = foreach_current_index(cell),
						 .state = prepare_of_plan(side->join, value->expression,
												  estate)};
	}
}

/* Folds a side, with its columns, into another one. */
static void
fold(Side *side, Side *into, EState *estate)
{
	into->folded[into->nfolded] = (Folded){
		side, prepare_of_plan(into->join, side->join->key, estate), WA_NO_ROW};
	for (int i = 0; i < side->ncolumns; i++)
		into->columns[into->ncolumns++] =
			(Column){.number = side->columns[i].number,
					 .folded = into->nfolded,
					 .place = i};
	into->nfolded++;
}

/* Prepares a side; those that are folded into it are ready. */
static void
make_side(WaJoinTables *tables, int number, EState *estate)
{
	const WaJoins *joins = tables->joins;
	Side *side = &tables->sides[number];
	const WaJoin *join = side->join;

	add_own_columns(tables, number, estate);
	side->of = prepare_of_plan(join, join->of, estate);
	side->of_type = exprType((Node *) join->of);
	side->key_type = exprType((Node *) join->key);
	side->context = AllocSetContextCreate(CurrentMemoryContext, "warpagg join",
										  ALLOCSET_DEFAULT_SIZES);
	if (join->into < 0)
		side->key = ExecInitExprWithParams(
			(Expr *) list_nth(joins->keys, number), estate->es_param_list_info);
	else
		fold(side, &tables->sides[join->into], estate);
}

WaJoinTables *
wa_join_tables_make(const WaJoins *joins, EState *estate)
{
	WaJoinTables *tables = palloc0(sizeof(WaJoinTables));

	tables->joins = joins;
	tables->nsides = list_length(joins->list);
	tables->sides = palloc0(sizeof(Side) * tables->nsides);
	tables->econtext = CreateExprContext(estate);
	for (int i = 0; i < tables->nsides; i++)
	{
		Side *side = &tables->sides[i];

		side->join = (const WaJoin *) list_nth(joins->list, i);
		side->columns = palloc(sizeof(Column) * list_length(joins->values));
		side->folded = palloc(sizeof(Folded) * tables->nsides);
	}
	/* Joins come after those that they are folded into. */
	for (int i = tables->nsides - 1; i >= 0; i--)
		make_side(tables, i, estate);
	make_values(tables, estate);
	return tables;
}

/* Makes room for another row. */
static void
grow(Side *side)
{
	const int64 room = side->room == 0 ? 1024 : 2 * side->room;

	if (side->nrows < side->room)
		return;
#define GROW(array)                                                           \
	((array) =                                                                \
		 side->room == 0                                                      \
			 ? MemoryContextAllocHuge(side->context, room * sizeof(*(array))) \
			 : repalloc_huge((array), room * sizeof(*(array))))
	GROW(side->keys);
	for (int i = 0; i < side->ncolumns; i++)
	{
		GROW(side->columns[i].datums);
		GROW(side->columns[i].nulls);
	}
#undef GROW
	side->room = room;
}

/* Finds the row with the value of a key in a context, or WA_NO_ROW. */
static int64
find_row_of(const Side *side, ExprState *key, ExprContext *econtext)
{
	bool is_null;
	const Datum value = ExecEvalExprSwitchContext(key, econtext, &is_null);

	return is_null
			   ? WA_NO_ROW
			   : wa_key_rows_find(&side->rows,
								  wa_integer_of_datum(side->key_type, value));
}

/* Finds the rows of folded sides; returns false if there is none for the row at hand. */
static bool
find_folded(const Side *side, ExprContext *econtext)
{
	for (int i = 0; i < side->nfolded; i++)
	{
		Folded *folded = &side->folded[i];
		const WaJoinKind kind = folded->side->join->kind;

		folded->row = find_row_of(folded->side, folded->key, econtext);
		if (kind != WA_JOIN_LEFT &&
			(folded->row == WA_NO_ROW) != (kind == WA_JOIN_ANTI))
			return false;
	}
	return true;
}

/* Stores the value of a column for the row at hand. */
static void
take_value(const WaJoinTables *tables, Side *side, Column *column)
{
	const Value *value = &tables->values[column->number];
	bool *is_null = &column->nulls[side->nrows];
	Datum *datum = &column->datums[side->nrows];
	MemoryContext old;

	if (column->state == NULL)
	{
		const Folded *folded = &side->folded[column->folded];
		const Column *from = &folded->side->columns[column->place];

		*is_null = folded->row == WA_NO_ROW || from->nulls[folded->row];
		*datum = *is_null ? (Datum) 0 : from->datums[folded->row];
		return;
	}
	*datum =
		ExecEvalExprSwitchContext(column->state, tables->econtext, is_null);
	if (*is_null || value->by_value)
		return;
	old = MemoryContextSwitchTo(side->context);
	*datum = value->length == -1
				 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(*datum))
				 : datumCopy(*datum, false, value->length);
	MemoryContextSwitchTo(old);
}

/* Takes a row of a plan, which is in the econtext of the tables, as one of a side. */
static void
take_row(const WaJoinTables *tables, Side *side)
{
	ExprContext *econtext = tables->econtext;
	bool is_null;
	const Datum key = ExecEvalExprSwitchContext(side->of, econtext, &is_null);

	if (is_null || !find_folded(side, econtext))
		return;
	grow(side);
	side->keys[side->nrows] = wa_integer_of_datum(side->of_type, key);
	for (int i = 0; i < side->ncolumns; i++)
		take_value(tables, side, &side->columns[i]);
	side->nrows++;
}

/* Makes the table from numbers of rows to a value. */
static void
make_value_table(const Side *side, const Column *column, Oid type,
				 WaLookupTable *table)
{
	WaTableValues values;
	WaVectorKind kind;

	wa_lookup_table_empty(table);
	if (side->nrows == 0)
		return;
	if (!wa_gather_kind(type, &kind))
		elog(ERROR, "a joined value has no vector");
	wa_table_values_begin(&values, side->context, type, kind, NULL, NULL);
	wa_table_values_grow(&values, (uint64) side->nrows);
	for (int64 i = 0; i < side->nrows; i++)
		wa_table_values_set(&values, (uint64) i, 1,
							column->nulls[i] ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
							column->datums[i]);
	wa_table_values_finish(&values, table);
}

/* Makes the tables of a side that is not folded. */
static void
make_tables(WaJoinTables *tables, int number)
{
	Side *side = &tables->sides[number];
	ListCell *cell;

	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (value->join == number && value->expression == NULL)
			wa_key_rows_make_table(
				&side->rows, &tables->tables[foreach_current_index(cell)]);
	}
	for (int i = 0; i < side->ncolumns; i++)
	{
		const Column *column = &side->columns[i];

		make_value_table(side, column, tables->values[column->number].type,
						 &tables->tables[column->number]);
	}
}

/* Has a side have the rows that a plan returns. */
static void
fill(WaJoinTables *tables, int number, PlanState *plan)
{
	Side *side = &tables->sides[number];
	TupleTableSlot *slot;

	MemoryContextReset(side->context);
	side->nrows = side->room = 0;
	for (slot = ExecProcNode(plan); !TupIsNull(slot); slot = ExecProcNode(plan))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(tables->econtext);
		tables->econtext->ecxt_outertuple = slot;
		take_row(tables, side);
	}
	wa_key_rows_make(&side->rows, side->context, side->keys, side->nrows,
					 side->join->is_unique);
	if (side->join->into < 0)
		make_tables(tables, number);
}

void
wa_join_tables_fill(WaJoinTables *tables, const List *plans)
{
	/* What is folded comes before that into which it is. */
	for (int i = tables->nsides - 1; i >= 0; i--)
		fill(tables, i, (PlanState *) list_nth(plans, i));
}

const WaLookupTable *
wa_join_tables_list(const WaJoinTables *tables)
{
	return tables->tables;
}

bool
wa_join_tables_are_sparse(const WaJoinTables *tables)
{
	for (int i = 0; i < tables->nsides; i++)
		if (tables->sides[i].join->into < 0 &&
			tables->sides[i].rows.rows == NULL)
			return true;
	return false;
}

/* Sets the values that rows of a side have in the slot. */
static void
set_values(WaJoinTables *tables, int number, int64 row)
{
	const Side *side = &tables->sides[number];
	TupleTableSlot *slot = tables->slot;
	ListCell *cell;

	if (row == WA_NO_ROW)
		return;
	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (value->join != number || value->expression != NULL)
			continue;
		slot->tts_isnull[foreach_current_index(cell)] = false;
		slot->tts_values[foreach_current_index(cell)] = Int64GetDatum(row);
	}
	for (int i = 0; i < side->ncolumns; i++)
	{
		const Column *column = &side->columns[i];

		slot->tts_isnull[column->number] = column->nulls[row];
		slot->tts_values[column->number] = column->datums[row];
	}
}

void
wa_join_tables_find(WaJoinTables *tables, ExprContext *econtext)
{
	TupleTableSlot *slot = tables->slot;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts);
	econtext->ecxt_innertuple = ExecStoreVirtualTuple(slot);
	for (int i = 0; i < tables->nsides; i++)
	{
		const Side *side = &tables->sides[i];

		if (side->key != NULL)
			set_values(tables, i, find_row_of(side, side->key, econtext));
	}
}
