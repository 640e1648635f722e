/*
 * rowwise.h
 *		Computes the expressions of a query by PostgreSQL's executor, for rows
 *		that no vector or program takes.
 *
 * This is where errors in expressions are raised, and only for rows for which
 * PostgreSQL evaluates them: WHERE clause by clause, then the keys, then of each
 * aggregate its filter and then its argument.
 */
#ifndef WA_SCAN_ROWWISE_H
#define WA_SCAN_ROWWISE_H

#include "nodes/execnodes.h"

#include "heap/heap.h"
#include "scan/state/scan_store.h"

typedef struct WaRowwise WaRowwise;

/*
 * Prepares the expressions of the query of a store, for rows of its table.  Checks the
 * permission to call them.
 */
extern WaRowwise *wa_rowwise_make(WaScanStore *store, ExprContext *econtext);

/*
 * Brings one row into its group, or spills it, if it fulfils WHERE, which a row
 * that was spilled does.  Tells whether it does.
 */
extern bool wa_rowwise_take(WaRowwise *rowwise, const WaRow *row);

/*
 * Brings a row of the query's table, of which PostgreSQL's executor has found that it
 * fulfils what WHERE says of the table alone, into its group, or spills it.  Tells whether
 * it fulfils what WHERE says of joined rows, too.  The slot may lack columns that nothing
 * but the former uses.
 */
extern bool wa_rowwise_take_slot(WaRowwise *rowwise, TupleTableSlot *slot);

/*
 * Evaluates all that the executor evaluates for a row, as wa_rowwise_take, without
 * taking it anywhere.  Returns the last clause of WHERE that it comes to, by its
 * number, or, as the last stage, what comes after WHERE.
 */
extern int wa_rowwise_look(WaRowwise *rowwise, const WaRow *row);

/* Tells whether a condition is true, as it is if it is NULL: there is none. */
extern bool wa_rowwise_is_true(ExprState *condition, ExprContext *econtext);

#endif /* WA_SCAN_ROWWISE_H */
