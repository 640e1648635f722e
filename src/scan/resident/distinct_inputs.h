/*
 * distinct_inputs.h
 *		Queries that the device process answers in part (scan/program/pushdown.h): it groups
 *		by the columns that the rest needs, too, and PostgreSQL evaluates that for
 *		each distinct input of their values that comes back.
 */
#ifndef WA_SCAN_DISTINCT_INPUTS_H
#define WA_SCAN_DISTINCT_INPUTS_H

#include "executor/tuptable.h"

#include "core/must_check.h"
#include "scan/program/pushdown.h"
#include "scan/rows/merge.h"
#include "scan/state/scan_state.h"

/* What the aggregated column of the node takes of a distinct input. */
typedef struct WaBranch
{
	int place; /* of a column of `asked`, which has it for all rows; -1: */
	ExprState *argument; /* what PostgreSQL evaluates; NULL: rows are counted */
} WaBranch;

/* An aggregated column of the node. */
typedef struct WaInputsColumn
{
	ExprState *filter; /* NULL: none, or it has been pushed */
	ExprState *choice; /* the number of a branch; NULL: there is one */
	WaBranch *branches;
} WaInputsColumn;

/* Such a query: the node whose it is, and what of it is pushed. */
typedef struct WaDistinctInputs
{
	WaScanState *state; /* the node */
	WaScanQuery asked;  /* whose groups are the distinct inputs, */
	WaScanStore store;  /* and these */
	int counted;        /* the column there that counts rows */

	/* The expressions that PostgreSQL evaluates */
	ExprState **where;
	int nwhere;
	ExprState **keys;
	WaInputsColumn *columns;
	List *params;

	/* What a distinct input has */
	TupleDesc descriptor;
	TupleTableSlot *slot;

	/* While a message is taken */
	Datum *values; /* of the node's keys */
	bool *nulls;
	int64 rows;
	bool is_refused;
} WaDistinctInputs;

/*
 * Pushes parts of a node's query, in the current memory context, without the tables that
 * are to be excluded.  Returns NULL if none can be pushed, or if the planner has expected
 * too many distinct inputs.
 */
extern WaDistinctInputs *wa_distinct_inputs_make(WaScanState *state,
												 WaExcluded excluded);

/*
 * Tells whether what PostgreSQL is to evaluate waits for a subselect, which must not be
 * run before a row needs it.
 */
extern bool wa_distinct_inputs_waits(const WaDistinctInputs *inputs);

/*
 * Makes the distinct inputs of an answer, which is not needed any more then.  Returns false
 * if it is not what it should be.
 */
extern WA_MUST_CHECK bool wa_distinct_inputs_receive(WaDistinctInputs *inputs,
													 const void *message,
													 Size bytes,
													 const WaRanks *ranks);

/*
 * Brings the distinct inputs into the groups of the node, which has none yet, and adds
 * their rows to those that it has kept.  Returns false, with nothing taken, if the groups
 * take too much memory.  Functions of users may run queries, which ask the device process
 * as well.
 */
extern WA_MUST_CHECK bool wa_distinct_inputs_take(WaDistinctInputs *inputs);

#endif /* WA_SCAN_DISTINCT_INPUTS_H */
