/*
 * join_rows.h
 *		Rows of a joined relation that tables are made of (join_build.h), in the order of
 *		their keys.
 *
 * Where it is known which block each of them is in, those of some blocks can be exchanged
 * for others.
 */
#ifndef WA_SCAN_JOIN_ROWS_H
#define WA_SCAN_JOIN_ROWS_H

#include "storage/block.h"

#include "scan/tables/key_rows.h"

/* A value that all rows have. */
typedef struct WaJoinColumn
{
	bool by_value;
	bool has_memory; /* datums that are not NULL lie in memory of their own */
	Datum *datums;
	bool *nulls;
} WaJoinColumn;

typedef struct WaJoinRows
{
	MemoryContext context; /* of all of this */
	int64 nrows;
	int64 room; /* for so many */
	int nkeys;  /* of each row: parts of its key */
	WaRowKeys *keys;
	int ncolumns;
	WaJoinColumn *columns;
	BlockNumber *blocks; /* of each row; NULL: nobody knows */
	bool has_nulls;      /* there are rows without a key, too: */
	int64 nnulls;        /* in these blocks, if they are known */
	int64 nulls_room;
	BlockNumber *null_blocks;
	WaKeyRows found; /* by keys, if others look them up */
} WaJoinRows;

/* Blocks of a relation, of which some have changed. */
typedef struct WaChangedBlocks
{
	BlockNumber nblocks; /* what lies behind them is gone */
	BlockNumber count;   /* of those that have changed */
	bool *are_changed;
} WaChangedBlocks;

/*
 * Prepares rows, of which there are none yet, in a memory context: with so many keys, which
 * are texts or not, columns, and blocks or not.
 */
extern void wa_join_rows_make(WaJoinRows *rows, MemoryContext context,
							  int nkeys, const bool *are_texts, int ncolumns,
							  bool with_blocks);

/* Returns the bytes that all that is in the memory context takes, with room for another row. */
extern Size wa_join_rows_bytes(WaJoinRows *rows);

/* Makes room for another row. */
extern void wa_join_rows_grow(WaJoinRows *rows);

/* Adds a row without a key, of a block that is known or not. */
extern void wa_join_rows_add_null(WaJoinRows *rows, BlockNumber block);

/* Puts rows in an order; NULL: they are in it. */
extern void wa_join_rows_put_in_order(WaJoinRows *rows, const int64 *order);

/* Gives back room that no rows are in. */
extern void wa_join_rows_trim(WaJoinRows *rows);

/*
 * Replaces those rows that are in changed blocks by others, which were made like these, in
 * the same memory context, have no order yet, and are gone then.  Returns true if they have
 * the same keys and values as those had, and so tables are the same.
 */
extern bool wa_join_rows_replace(WaJoinRows *rows,
								 const WaChangedBlocks *changed,
								 WaJoinRows *by);

#endif /* WA_SCAN_JOIN_ROWS_H */
