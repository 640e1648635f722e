/*
 * join_tables.h
 *		Tables of the rows of relations that a query's table is joined to
 *		(scan/expr/joins.h): of each relation one from keys to numbers of rows, and one
 *		from these to each of the values that are used.
 *
 * They are filled from plans (join_build.h), or in a worker from what the leader has
 * written (join_image.h).
 */
#ifndef WA_SCAN_JOIN_TABLES_H
#define WA_SCAN_JOIN_TABLES_H

#include "miscadmin.h"
#include "nodes/execnodes.h"

#include "core/must_check.h"
#include "scan/expr/joins.h"
#include "scan/tables/key_rows.h"
#include "settings.h"

/* A value of rows. */
typedef struct WaJoinValue
{
	int owner;    /* the join whose rows have it */
	bool is_row;  /* it is the number of the row */
	bool is_fact; /* it is the same for all rows: that of row 0 */
	Oid type;
	WaVectorKind kind;

	/* What no table can hold of it: of these rows, by their numbers, ascending */
	int64 nodd;
	int64 *odd_rows;
	Datum *odd;
} WaJoinValue;

/* What is known of a join's rows, also for EXPLAIN. */
typedef struct WaJoinUse
{
	int64 rows; /* that it has; -1: the device process knows */
	Size bytes; /* of its tables; 0: it is folded */
	bool
		is_made; /* the device process has made them, of resident columns; or: */
	bool is_reused; /* they are an earlier query's, */
	int64 nblocks;  /* but for those of so many blocks, which have changed */
} WaJoinUse;

typedef struct WaJoinTables
{
	const WaJoins *joins;
	const WaJoin *
		full; /* whose rows take more than they may: they are not here; or NULL */
	bool are_lent; /* the device process has what some should have, */
	void (*have)(
		void *context); /* which this brings here, unless it is full, */
	void *have_context; /* given that */
	MemoryContext
		context; /* of all that they are filled with, but for what is kept */
	int njoins;
	MemoryContext *contexts; /* of those of each unit of joins; or NULL */
	WaJoinUse *uses;         /* of the joins */
	ExprState **keys;        /* of the joins; NULL: it is folded */
	Oid *key_types;
	WaKeyRows *rows; /* of the joins that are not folded */
	int nvalues;
	WaJoinValue *values;
	WaLookupTable *tables; /* of the values */
	TupleTableSlot *slot;  /* the values of a row of the table */
} WaJoinTables;

/*
 * Returns the bytes that what a query joins may take while it runs: as much as a hash join of
 * PostgreSQL's, or as what a session buffers.
 */
static inline Size
wa_join_memory(void)
{
	return Max(get_hash_memory_limit(), (Size) wa_buffer_memory_kb * 1024);
}

/*
 * Returns the bytes that it may take before the query is left to PostgreSQL: three times those
 * by which it is planned.  270,000 rows and the tables that are made of them took up to 2.2
 * times as much as was thought, and 3.4 times if they were short texts by keys that lie far
 * apart; a query is not to be left for that.
 */
static inline Size
wa_join_memory_limit(void)
{
	return 3 * wa_join_memory();
}

/*
 * Has what is in all tables be here, before rows look something up in them; returns false if
 * it would take more memory than it may.
 */
static inline WA_MUST_CHECK bool
wa_join_tables_have(const WaJoinTables *tables)
{
	if (tables->are_lent)
		tables->have(tables->have_context);
	return tables->full == NULL;
}

/* Returns the memory for the tables of a unit of joins, which is empty. */
extern MemoryContext wa_join_tables_empty(WaJoinTables *tables, int unit);

/* Frees all that tables are filled with; what the session keeps stays. */
extern void wa_join_tables_drop(WaJoinTables *tables);

/* Prepares tables for joins, in the current memory context, for a node of the state. */
extern WaJoinTables *wa_join_tables_make(const WaJoins *joins, EState *estate);

/*
 * Sets the inner tuple of the context to the values that are joined to its scan tuple;
 * they stay until the context is reset.
 */
extern void wa_join_tables_find(WaJoinTables *tables, ExprContext *econtext);

#endif /* WA_SCAN_JOIN_TABLES_H */
