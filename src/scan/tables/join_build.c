/*
 * join_build.c
 *		From the rows of plans to tables of joins; see join_build.h.
 *
 * Rows are numbered from 0 on, those without a key left out.  The rows of a side that is
 * folded into another one are found for each row of that, whose columns they then are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/base/datum.h"
#include "scan/base/place.h"
#include "scan/tables/join_build.h"
#include "scan/tables/join_numbers.h"
#include "scan/tables/table_values.h"

/* A value that rows of a side have: of their own, or of those of a side that is folded. */
typedef struct Column
{
	int number;       /* of the value */
	bool by_value;    /* of its type */
	bool is_place;    /* it is where the row lies */
	ExprState *state; /* over a row of the plan; NULL: it is that of */
	int folded;       /* one of those that are folded, by its place, */
	int place;        /* and of its column */
	Datum *datums;    /* by numbers of rows */
	bool *nulls;
} Column;

/* A side that is folded into another one. */
typedef struct Folded
{
	struct Side *side;
	ExprState *key; /* over a row of the other's plan */
	Oid key_type;
	int64 row; /* of the row at hand, or WA_NO_ROW */
} Folded;

/* The rows of a join. */
typedef struct Side
{
	const WaJoin *join;
	MemoryContext context; /* of its tables; NULL: it is folded */
	ExprState *of; /* the key, over a row of the plan; NULL: it is a pair */
	Oid of_type;
	Datum key;      /* of the row at hand */
	int nparts;     /* so many sides before this one number parts of its key: */
	int64 *numbers; /* these, by rows of the plan */
	Column *columns;
	int ncolumns;
	Folded *folded;
	int nfolded;
	WaRowKey *keys; /* of the rows */
	int64 nrows;
	bool has_nulls; /* there were rows without a key */
	int64 room;
	WaKeyRows rows; /* by keys */
} Side;

struct WaJoinBuild
{
	WaJoinTables *tables;
	ExprContext *econtext; /* for rows of plans */
	MemoryContext context; /* of rows, until there are tables */
	int nsides;
	Side *sides; /* of the joins */
};

/* Puts references to what a plan returns in the place of columns. */
static Node *
refer_to_plan(Node *node, void *columns)
{
	const Var *var = (const Var *) node;
	int place;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, refer_to_plan, columns);
	place = wa_column_place((const List *) columns, var);
	if (place < 0)
		elog(ERROR, "a joined relation lacks a column");
	return (Node *) makeVar(OUTER_VAR, (AttrNumber) (place + 1), var->vartype,
							var->vartypmod, var->varcollid, 0);
}

/* Prepares an expression over what a plan returns. */
static ExprState *
prepare_of_plan(const WaJoin *join, Expr *expression, EState *estate)
{
	return ExecInitExprWithParams(
		(Expr *) refer_to_plan((Node *) expression, join->columns),
		estate->es_param_list_info);
}

/* Adds the values that rows of a side have themselves to its columns. */
static void
add_own_columns(const WaJoinBuild *build, int number, EState *estate)
{
	Side *side = &build->sides[number];
	ListCell *cell;

	foreach (cell, build->tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);
		const int i = foreach_current_index(cell);

		if (value->join == number && value->expression != NULL)
			side->columns[side->ncolumns++] = (Column){
				.number = i,
				.by_value = get_typbyval(build->tables->values[i].type),
				.is_place = wa_joined_value_is_place(value),
				.state =
					prepare_of_plan(side->join, value->expression, estate)};
	}
}

/* Folds a side, with its columns, into another one. */
static void
fold(Side *side, Side *into, EState *estate)
{
	into->folded[into->nfolded] =
		(Folded){side, prepare_of_plan(into->join, side->join->key, estate),
				 exprType((Node *) side->join->key), WA_NO_ROW};
	for (int i = 0; i < side->ncolumns; i++)
		into->columns[into->ncolumns++] =
			(Column){.number = side->columns[i].number,
					 .folded = into->nfolded,
					 .place = i};
	into->nfolded++;
}

/* Prepares the key of a side, or a part of it, over a row of the plan of a join. */
static void
prepare_key(Side *side, const WaJoin *join, EState *estate)
{
	const WaJoin *of = side->join;

	side->of_type = of->is_pair ? INT8OID : exprType((Node *) of->of);
	if (!of->is_pair)
		side->of = prepare_of_plan(join, of->of, estate);
}

/* Prepares a side, unless it is a part; those that are folded into it are ready. */
static void
make_side(const WaJoinBuild *build, int number, EState *estate)
{
	Side *side = &build->sides[number];
	const WaJoin *join = side->join;

	if (join->kind == WA_JOIN_NUMBER)
		return;
	add_own_columns(build, number, estate);
	while (side->nparts < number &&
		   side[-1 - side->nparts].join->kind == WA_JOIN_NUMBER)
		side->nparts++;
	for (Side *part = side - side->nparts; part <= side; part++)
		prepare_key(part, join, estate);
	if (join->into >= 0)
		fold(side, &build->sides[join->into], estate);
}

WaJoinBuild *
wa_join_build_make(WaJoinTables *tables, EState *estate)
{
	WaJoinBuild *build = palloc0(sizeof(WaJoinBuild));

	build->tables = tables;
	build->econtext = CreateExprContext(estate);
	build->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg join rows", ALLOCSET_DEFAULT_SIZES);
	build->nsides = tables->njoins;
	build->sides = palloc0(sizeof(Side) * build->nsides);
	for (int i = 0; i < build->nsides; i++)
	{
		Side *side = &build->sides[i];

		side->join = (const WaJoin *) list_nth(tables->joins->list, i);
		side->columns = palloc(sizeof(Column) * tables->nvalues);
		side->folded = palloc(sizeof(Folded) * build->nsides);
	}
	/* Joins come after those that they are folded into. */
	for (int i = build->nsides - 1; i >= 0; i--)
		make_side(build, i, estate);
	return build;
}

/* Makes room in an array for another row, in a context. */
#define GROW(array, context, side, room)                                    \
	((array) =                                                              \
		 (side)->room == 0                                                  \
			 ? MemoryContextAllocHuge((context), (room) * sizeof(*(array))) \
			 : repalloc_huge((array), (room) * sizeof(*(array))))

/* Makes room for another row. */
static void
grow(const WaJoinBuild *build, Side *side)
{
	const int64 room = side->room == 0 ? 1024 : 2 * side->room;

	if (side->nrows < side->room)
		return;
	GROW(side->keys, build->context, side, room);
	for (int i = 0; i < side->ncolumns; i++)
	{
		GROW(side->columns[i].datums, build->context, side, room);
		GROW(side->columns[i].nulls, build->context, side, room);
	}
	side->room = room;
}

/* Finds the row of a folded side for the row at hand. */
static int64
find_row(const Folded *folded, ExprContext *econtext)
{
	bool is_null;
	const Datum value =
		ExecEvalExprSwitchContext(folded->key, econtext, &is_null);
	WaRowKey key;

	if (is_null)
		return WA_NO_ROW;
	key = wa_row_key_of(folded->key_type, value);
	return wa_key_rows_find(&folded->side->rows, &key);
}

/* Finds the rows of folded sides; returns false if the row at hand is not kept. */
static bool
find_folded(const Side *side, ExprContext *econtext)
{
	for (int i = 0; i < side->nfolded; i++)
	{
		Folded *folded = &side->folded[i];
		const WaJoinKind kind = folded->side->join->kind;

		folded->row = find_row(folded, econtext);
		if (kind != WA_JOIN_LEFT &&
			(folded->row == WA_NO_ROW) != (kind == WA_JOIN_ANTI))
			return false;
	}
	return true;
}

/* Stores the value of a column for the row at hand. */
static void
take_value(const WaJoinBuild *build, Side *side, Column *column)
{
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
	*datum = ExecEvalExprSwitchContext(column->state, build->econtext, is_null);
	if (column->is_place)
		*datum = Int64GetDatum(wa_place_of_item(
			(const ItemPointerData *) DatumGetPointer(*datum)));
	if (*is_null || column->by_value)
		return;
	old = MemoryContextSwitchTo(build->context);
	*datum = PointerGetDatum(PG_DETOAST_DATUM_COPY(*datum));
	MemoryContextSwitchTo(old);
}

/* Returns a value as a key that stays; texts do with the rows. */
static WaRowKey
keep_key(const WaJoinBuild *build, Oid type, Datum value)
{
	WaRowKey key = wa_row_key_of(type, value);
	char *copy;

	if (key.text.length == 0)
		return key;
	copy = MemoryContextAlloc(build->context, key.text.length);
	memcpy(copy, key.text.data, key.text.length);
	key.text.data = copy;
	return key;
}

/* Evaluates the key of the row at hand, or its parts; returns false if one is NULL. */
static bool
find_key(const WaJoinBuild *build, Side *side)
{
	for (Side *part = side - side->nparts; part <= side; part++)
	{
		bool is_null = false;

		if (part->of != NULL)
			part->key =
				ExecEvalExprSwitchContext(part->of, build->econtext, &is_null);
		if (is_null)
			return false;
	}
	return true;
}

/* Takes a row of a plan, which is in the econtext, as one of a side and of its parts. */
static void
take_row(const WaJoinBuild *build, Side *side)
{
	if (!find_key(build, side))
	{
		side->has_nulls = true;
		return;
	}
	if (!find_folded(side, build->econtext))
		return;
	for (Side *part = side - side->nparts; part <= side; part++)
	{
		grow(build, part);
		if (part->of != NULL)
			part->keys[part->nrows] = keep_key(build, part->of_type, part->key);
		for (int i = 0; i < part->ncolumns; i++)
			take_value(build, part, &part->columns[i]);
		part->nrows++;
	}
}

/* Keeps what the table of a value cannot hold. */
static void
keep_odd(const WaJoinTables *tables, const Side *side, const Column *column)
{
	WaJoinValue *value = &tables->values[column->number];
	const WaLookupTable *table = &tables->tables[column->number];
	int64 count = 0;

	value->nodd = 0;
	for (int64 i = 0; i < side->nrows; i++)
		count += table->known[i] == WA_ENTRY_UNKNOWN;
	if (count == 0)
		return;
	value->odd_rows =
		MemoryContextAllocHuge(side->context, count * sizeof(int64));
	value->odd = MemoryContextAllocHuge(side->context, count * sizeof(Datum));
	for (int64 i = 0; i < side->nrows; i++)
		if (table->known[i] == WA_ENTRY_UNKNOWN)
		{
			value->odd_rows[value->nodd] = i;
			value->odd[value->nodd++] =
				PointerGetDatum(PG_DETOAST_DATUM_COPY(column->datums[i]));
		}
}

/* Makes the table from numbers of rows to a value; of no rows it has an entry, too. */
static void
make_table(const WaJoinTables *tables, const Side *side, const Column *column)
{
	WaJoinValue *value = &tables->values[column->number];
	WaLookupTable *table = &tables->tables[column->number];
	WaTableValues values;

	wa_lookup_table_empty(table);
	wa_table_values_begin(&values, side->context, value->type, value->kind,
						  NULL, NULL);
	wa_table_values_grow(&values, (uint64) Max(side->nrows, 1));
	wa_table_values_set(&values, 0, 1, WA_ENTRY_NULL, (Datum) 0);
	for (int64 i = 0; i < side->nrows; i++)
		wa_table_values_set(&values, (uint64) i, 1,
							column->nulls[i] ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
							column->datums[i]);
	wa_table_values_finish(&values, table);
	keep_odd(tables, side, column);
}

/* Makes the table of something that is the same for all rows: of one entry. */
static void
make_fact(const WaJoinTables *tables, const Side *side, WaJoinFact fact,
		  int number)
{
	WaJoinValue *value = &tables->values[number];
	WaTableValues values;
	bool is_null = side->has_nulls;
	Datum datum = BoolGetDatum(false);

	if (fact == WA_FACT_IF_NULL)
		is_null |= side->nrows > 0;
	if (fact == WA_FACT_COUNT)
	{
		is_null = false;
		datum = Int64GetDatum(side->nrows);
	}
	wa_table_values_begin(&values, side->context, value->type, value->kind,
						  NULL, NULL);
	wa_table_values_grow(&values, 1);
	wa_table_values_set(&values, 0, 1, is_null ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
						datum);
	wa_table_values_finish(&values, &tables->tables[number]);
}

/* Copies the keys of a side, which are found by hashing, to the memory of the tables. */
static WaRowKey *
keep_keys(const Side *side)
{
	WaRowKey *keys = MemoryContextAllocHuge(side->context,
											side->nrows * sizeof(WaRowKey) + 1);
	Size bytes = 1;
	char *next;

	for (int64 i = 0; i < side->nrows; i++)
		bytes += side->keys[i].text.length;
	next = MemoryContextAllocHuge(side->context, bytes);
	for (int64 i = 0; i < side->nrows; i++)
	{
		keys[i] = side->keys[i];
		if (keys[i].text.length == 0)
			continue;
		memcpy(next, keys[i].text.data, keys[i].text.length);
		keys[i].text.data = next;
		next += keys[i].text.length;
	}
	return keys;
}

/* Makes the tables of a side that is not folded, in the memory of the tables. */
static void
make_tables(const WaJoinBuild *build, int number)
{
	const WaJoinTables *tables = build->tables;
	const Side *side = &build->sides[number];
	WaKeyRows *rows = &tables->rows[number];
	ListCell *cell;

	*rows = side->rows;
	if (!rows->is_text)
		rows->keys = NULL;
	for (int i = 0; i < side->ncolumns; i++)
		make_table(tables, side, &side->columns[i]);
	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *value = (const WaJoinedValue *) lfirst(cell);

		if (value->join == number && value->fact != WA_FACT_NONE)
			make_fact(tables, side, value->fact, foreach_current_index(cell));
	}
}

/* Has a side that is not folded, with its parts, have empty memory for its tables. */
static void
begin_tables(const WaJoinBuild *build, Side *side)
{
	MemoryContext *context = &build->tables->contexts[side - build->sides];

	if (*context == NULL)
		*context = AllocSetContextCreate(build->tables->context, "warpagg join",
										 ALLOCSET_DEFAULT_SIZES);
	else
		MemoryContextReset(*context);
	for (Side *part = side - side->nparts; part <= side; part++)
		part->context = *context;
}

/* Puts an array of elements of so many bytes in an order. */
static void
put_in_order(void *array, Size bytes, const int64 *order, int64 count)
{
	char *copy = palloc_extended((Size) count * bytes, MCXT_ALLOC_HUGE);

	memcpy(copy, array, (Size) count * bytes);
	for (int64 i = 0; i < count; i++)
		memcpy((char *) array + (Size) i * bytes,
			   copy + (Size) order[i] * bytes, bytes);
	pfree(copy);
}

/* Has rows of a side stand in the order of their keys, which numbers them. */
static void
sort_rows(const WaJoinBuild *build, Side *side)
{
	MemoryContext old = MemoryContextSwitchTo(build->context);
	const int64 *order = wa_row_keys_order(side->keys, side->nrows);

	if (order != NULL)
	{
		put_in_order(side->keys, sizeof(WaRowKey), order, side->nrows);
		for (int i = 0; i < side->ncolumns; i++)
		{
			const Column *column = &side->columns[i];

			put_in_order(column->datums, sizeof(Datum), order, side->nrows);
			put_in_order(column->nulls, sizeof(bool), order, side->nrows);
		}
	}
	MemoryContextSwitchTo(old);
}

/* Finds rows of a side by their keys, and makes its tables, unless it is folded. */
static void
finish(const WaJoinBuild *build, int number)
{
	Side *side = &build->sides[number];
	WaJoinUse *use = &build->tables->uses[number];
	const bool is_owner = side->join->into < 0;
	MemoryContext context = is_owner ? side->context : build->context;
	const WaRowKey *keys;
	MemoryContext old;

	if (is_owner)
		sort_rows(build, side);
	keys = side->keys;
	old = MemoryContextSwitchTo(context);
	if (is_owner && wa_row_keys_are_texts(side->of_type))
		keys = keep_keys(side);
	wa_key_rows_make(&side->rows, context, side->of_type, keys, side->nrows,
					 side->join->is_unique);
	if (is_owner)
		make_tables(build, number);
	MemoryContextSwitchTo(old);
	*use = (WaJoinUse){
		.rows = side->nrows,
		.bytes = is_owner ? MemoryContextMemAllocated(context, true) : 0};
}

/* Sets the keys of a side to pairs of the numbers of the two sides before it. */
static void
pair_keys(const Side *side)
{
	wa_join_numbers_pair(side[-2].numbers, side[-1].numbers, side[-1].nrows,
						 side->nrows, side->keys);
}

/* Numbers what a side has, which is a part of the key of another. */
static void
number_part(const WaJoinBuild *build, int number)
{
	Side *side = &build->sides[number];
	MemoryContext old = MemoryContextSwitchTo(build->context);

	if (side->of == NULL)
		pair_keys(side);
	side->numbers = MemoryContextAllocHuge(
		build->context, (Size) side->nrows * sizeof(int64) + 1);
	side->nrows = wa_join_numbers_make(side->keys, side->nrows, side->numbers);
	MemoryContextSwitchTo(old);
	finish(build, number);
}

/* Has a side, and the parts of its key, have the rows that a plan returns. */
static void
fill(const WaJoinBuild *build, int number, PlanState *plan)
{
	Side *side = &build->sides[number];
	TupleTableSlot *slot;

	if (side->join->into < 0)
		begin_tables(build, side);
	for (Side *part = side - side->nparts; part <= side; part++)
	{
		part->nrows = part->room = 0;
		part->has_nulls = false;
	}
	for (slot = ExecProcNode(plan); !TupIsNull(slot); slot = ExecProcNode(plan))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(build->econtext);
		build->econtext->ecxt_outertuple = slot;
		take_row(build, side);
	}
	for (int i = number - side->nparts; i < number; i++)
		number_part(build, i);
	if (side->nparts > 0)
		pair_keys(side);
	finish(build, number);
}

void
wa_join_build_fill(WaJoinBuild *build, const List *plans,
				   const Bitmapset *units)
{
	/* What is folded comes before that into which it is. */
	for (int i = build->nsides - 1; i >= 0; i--)
		if (list_nth(plans, i) != NULL &&
			bms_is_member(wa_joins_unit(build->tables->joins, i), units))
			fill(build, i, (PlanState *) list_nth(plans, i));
	MemoryContextReset(build->context);
}
