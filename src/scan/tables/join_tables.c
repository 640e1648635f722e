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
#include "scan/tables/table_values.h"

/*
 * A table of keys has so many entries for each row, beside some that it may have in any
 * case, at most.
 */
#define ENTRIES_FOR_ROW 16
#define FREE_ENTRIES    65536

/* No row. */
#define NO_ROW (-1)

/* A value that is used of the rows of a join. */
typedef struct Value
{
	ExprState *state; /* over the row that its plan returns; NULL: its number */
	Oid type;
	int16 length;
	bool by_value;
	Datum *datums; /* by numbers of rows */
	bool *nulls;
} Value;

/* Of which keys of far apart rows are found by hashing. */
typedef struct KeyEntry
{
	int64 key;
	int64 row;
	char status;
} KeyEntry;

#define SH_PREFIX         keyhash
#define SH_ELEMENT_TYPE   KeyEntry
#define SH_KEY_TYPE       int64
#define SH_KEY            key
#define SH_HASH_KEY(t, k) ((uint32) murmurhash64_compat((uint64) (k)))
#define SH_EQUAL(t, a, b) ((a) == (b))
#define SH_SCOPE          static inline
#define SH_DECLARE
#define SH_DEFINE

static inline uint64
murmurhash64_compat(uint64 data)
{
	data ^= data >> 33;
	data *= UINT64CONST(0xff51afd7ed558ccd);
	data ^= data >> 33;
	data *= UINT64CONST(0xc4ceb9fe1a85ec53);
	return data ^ (data >> 33);
}

#include "lib/simplehash.h"

/* The rows of a join. */
typedef struct Side
{
	const WaJoin *join;
	ExprState *key; /* over a row of the table, and values of joins before, */
	ExprState *of;  /* over the row that the plan returns */
	Oid key_type;   /* of the former, */
	Oid of_type;    /* and of the latter */
	MemoryContext context; /* of what follows */
	int64 *keys;           /* of the rows */
	int64 nrows;
	int64 room;
	int64 *rows; /* by keys, from the smallest one on; NULL: by hash */
	int64 smallest;
	uint64 nentries;
	struct keyhash_hash *hash;
} Side;

struct WaJoinTables
{
	Side *sides; /* by numbers of joins */
	int nsides;
	Value *values; /* by their numbers */
	const WaJoins *joins;
	WaLookupTable *tables;
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
		int32 typmod = -1;

		value->type = INT8OID;
		if (from->expression != NULL)
		{
			value->type = exprType((Node *) from->expression);
			typmod = exprTypmod((Node *) from->expression);
			value->state = prepare_of_plan(
				(const WaJoin *) list_nth(tables->joins->list, from->join),
				from->expression, estate);
		}
		get_typlenbyval(value->type, &value->length, &value->by_value);
		TupleDescInitEntry(descriptor,
						   (AttrNumber) (foreach_current_index(cell) + 1), NULL,
						   value->type, typmod, 0);
	}
	tables->slot = ExecInitExtraTupleSlot(estate, descriptor, &TTSOpsVirtual);
}

WaJoinTables *
wa_join_tables_make(const WaJoins *joins, EState *estate)
{
	WaJoinTables *tables = palloc0(sizeof(WaJoinTables));
	ListCell *cell;

	tables->joins = joins;
	tables->nsides = list_length(joins->list);
	tables->sides = palloc0(sizeof(Side) * tables->nsides);
	tables->econtext = CreateExprContext(estate);
	foreach (cell, joins->list)
	{
		const WaJoin *join = (const WaJoin *) lfirst(cell);
		Side *side = &tables->sides[foreach_current_index(cell)];
		Expr *key = (Expr *) list_nth(joins->keys, foreach_current_index(cell));

		side->join = join;
		side->key = ExecInitExprWithParams(key, estate->es_param_list_info);
		side->key_type = exprType((Node *) key);
		side->of = prepare_of_plan(join, join->of, estate);
		side->of_type = exprType((Node *) join->of);
		side->context = AllocSetContextCreate(
			CurrentMemoryContext, "warpagg join", ALLOCSET_DEFAULT_SIZES);
	}
	make_values(tables, estate);
	return tables;
}

/* Makes room for another row. */
static void
grow(WaJoinTables *tables, Side *side, int number)
{
	const int64 room = side->room == 0 ? 1024 : 2 * side->room;
	ListCell *cell;

	if (side->nrows < side->room)
		return;
#define GROW(array)                                                           \
	((array) =                                                                \
		 side->room == 0                                                      \
			 ? MemoryContextAllocHuge(side->context, room * sizeof(*(array))) \
			 : repalloc_huge((array), room * sizeof(*(array))))
	GROW(side->keys);
	foreach (cell, tables->joins->values)
	{
		Value *value = &tables->values[foreach_current_index(cell)];

		if (((const WaJoinedValue *) lfirst(cell))->join != number ||
			value->state == NULL)
			continue;
		GROW(value->datums);
		GROW(value->nulls);
	}
#undef GROW
	side->room = room;
}

/* Takes a row of a plan, in the econtext of the tables, as one of a join. */
static void
take_row(WaJoinTables *tables, Side *side, int number)
{
	ExprContext *econtext = tables->econtext;
	bool is_null;
	const Datum key = ExecEvalExprSwitchContext(side->of, econtext, &is_null);
	ListCell *cell;

	if (is_null)
		return;
	grow(tables, side, number);
	side->keys[side->nrows] = wa_integer_of_datum(side->of_type, key);
	foreach (cell, tables->joins->values)
	{
		Value *value = &tables->values[foreach_current_index(cell)];
		MemoryContext old;
		Datum datum;

		if (((const WaJoinedValue *) lfirst(cell))->join != number ||
			value->state == NULL)
			continue;
		datum = ExecEvalExprSwitchContext(value->state, econtext, &is_null);
		old = MemoryContextSwitchTo(side->context);
		value->nulls[side->nrows] = is_null;
		value->datums[side->nrows] =
			is_null ? (Datum) 0
			: value->length == -1
				? PointerGetDatum(PG_DETOAST_DATUM_COPY(datum))
				: datumCopy(datum, value->by_value, value->length);
		MemoryContextSwitchTo(old);
	}
	side->nrows++;
}

/* Tells whether the keys lie close together; sets which entries a table of them has. */
static bool
is_dense(Side *side)
{
	int64 smallest = PG_INT64_MAX;
	int64 largest = PG_INT64_MIN;

	for (int64 i = 0; i < side->nrows; i++)
	{
		smallest = Min(smallest, side->keys[i]);
		largest = Max(largest, side->keys[i]);
	}
	side->smallest = side->nrows == 0 ? 0 : smallest;
	side->nentries =
		side->nrows == 0 ? 1 : (uint64) largest - (uint64) smallest + 1;
	return side->nentries != 0 &&
		   side->nentries - 1 <=
			   FREE_ENTRIES + (uint64) side->nrows * ENTRIES_FOR_ROW;
}

/* Stores where the row with a key is to be noted; it has been noted if it is not NO_ROW. */
static int64 *
place_of(Side *side, int64 key)
{
	KeyEntry *entry;
	bool found;

	if (side->rows != NULL)
		return &side->rows[(uint64) key - (uint64) side->smallest];
	entry = keyhash_insert(side->hash, key, &found);
	if (!found)
		entry->row = NO_ROW;
	return &entry->row;
}

/* Notes the rows by their keys; of several of a key the first. */
static void
index_rows(Side *side)
{
	MemoryContext old = MemoryContextSwitchTo(side->context);

	side->rows = NULL;
	side->hash = NULL;
	if (is_dense(side))
	{
		side->rows = MemoryContextAllocHuge(side->context,
											side->nentries * sizeof(int64));
		for (uint64 i = 0; i < side->nentries; i++)
			side->rows[i] = NO_ROW;
	}
	else
		side->hash = keyhash_create(side->context, (uint32) side->nrows, NULL);
	for (int64 i = 0; i < side->nrows; i++)
	{
		int64 *place = place_of(side, side->keys[i]);

		if (*place == NO_ROW)
			*place = i;
		else if (side->join->is_unique)
			elog(ERROR, "a joined relation has a key twice");
	}
	MemoryContextSwitchTo(old);
}

/* Has a table tell nothing. */
static void
know_nothing(WaLookupTable *table)
{
	static const int64_t values[1] = {0};
	static const uint8_t known[1] = {WA_ENTRY_UNKNOWN};

	*table = (WaLookupTable){
		.width = 1, .nentries = 1, .values = values, .known = known};
}

/* Makes the table from keys to the numbers of rows. */
static void
make_row_table(const Side *side, WaLookupTable *table)
{
	uint8_t *known;

	know_nothing(table);
	if (side->rows == NULL)
		return;
	known = MemoryContextAllocHuge(side->context, side->nentries);
	for (uint64 i = 0; i < side->nentries; i++)
	{
		known[i] = side->rows[i] == NO_ROW ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		if (side->rows[i] == NO_ROW)
			side->rows[i] = 0;
	}
	table->base = side->smallest;
	table->nentries = side->nentries;
	table->values = side->rows;
	table->known = known;
	table->is_total = true;
}

/* Makes the table from numbers of rows to a value. */
static void
make_value_table(const Side *side, const Value *value, WaLookupTable *table)
{
	WaTableValues values;
	WaVectorKind kind;

	know_nothing(table);
	table->is_total = true;
	if (side->nrows == 0)
		return;
	if (!wa_gather_kind(value->type, &kind))
		elog(ERROR, "a joined value has no vector");
	wa_table_values_begin(&values, side->context, value->type, kind, NULL,
						  NULL);
	wa_table_values_grow(&values, (uint64) side->nrows);
	for (int64 i = 0; i < side->nrows; i++)
		wa_table_values_set(&values, (uint64) i, 1,
							value->nulls[i] ? WA_ENTRY_NULL : WA_ENTRY_VALUE,
							value->datums[i]);
	wa_table_values_finish(&values, table);
}

void
wa_join_tables_fill(WaJoinTables *tables, int join, PlanState *plan)
{
	Side *side = &tables->sides[join];
	TupleTableSlot *slot;
	ListCell *cell;

	MemoryContextReset(side->context);
	side->nrows = side->room = 0;
	for (slot = ExecProcNode(plan); !TupIsNull(slot); slot = ExecProcNode(plan))
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(tables->econtext);
		tables->econtext->ecxt_outertuple = slot;
		take_row(tables, side, join);
	}
	index_rows(side);
	foreach (cell, tables->joins->values)
	{
		const WaJoinedValue *of = (const WaJoinedValue *) lfirst(cell);
		WaLookupTable *table = &tables->tables[foreach_current_index(cell)];

		if (of->join == join && of->expression != NULL)
			make_value_table(side, &tables->values[foreach_current_index(cell)],
							 table);
		else if (of->join == join)
			make_row_table(side, table);
	}
}

const WaLookupTable *
wa_join_tables_list(const WaJoinTables *tables)
{
	return tables->tables;
}

uint64
wa_join_tables_rows(const WaJoinTables *tables, int join)
{
	return (uint64) tables->sides[join].nrows;
}

bool
wa_join_tables_are_sparse(const WaJoinTables *tables)
{
	for (int i = 0; i < tables->nsides; i++)
		if (tables->sides[i].rows == NULL)
			return true;
	return false;
}

/* Returns the number of the row with a key, or NO_ROW. */
static int64
find_row(const WaJoinTables *tables, int join, int64 key)
{
	const Side *side = &tables->sides[join];
	const uint64 offset = (uint64) key - (uint64) side->smallest;
	KeyEntry *entry;
	int64 row;

	if (side->rows == NULL)
	{
		entry = keyhash_lookup(side->hash, key);
		return entry == NULL ? NO_ROW : entry->row;
	}
	if (offset >= side->nentries || side->nrows == 0)
		return NO_ROW;
	/* A table of these has some row where there is none. */
	row = side->rows[offset];
	return row != NO_ROW && side->keys[row] == key ? row : NO_ROW;
}

/* Sets the values of a join in the slot. */
static void
set_values(WaJoinTables *tables, int join, int64 row)
{
	TupleTableSlot *slot = tables->slot;
	ListCell *cell;

	foreach (cell, tables->joins->values)
	{
		const int i = foreach_current_index(cell);
		const Value *value = &tables->values[i];

		if (((const WaJoinedValue *) lfirst(cell))->join != join)
			continue;
		slot->tts_isnull[i] =
			row == NO_ROW || (value->state != NULL && value->nulls[row]);
		if (!slot->tts_isnull[i])
			slot->tts_values[i] =
				value->state == NULL ? Int64GetDatum(row) : value->datums[row];
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
		bool is_null;
		Datum key = ExecEvalExprSwitchContext(side->key, econtext, &is_null);

		set_values(tables, i,
				   is_null
					   ? NO_ROW
					   : find_row(tables, i,
								  wa_integer_of_datum(side->key_type, key)));
	}
}
