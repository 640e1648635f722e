/*
 * distinct_inputs_internal.h
 *		What the parts of distinct_inputs*.c share.
 */
#ifndef WA_SCAN_DISTINCT_INPUTS_INTERNAL_H
#define WA_SCAN_DISTINCT_INPUTS_INTERNAL_H

#include "executor/tuptable.h"

#include "scan/resident/distinct_inputs.h"

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

struct WaDistinctInputs
{
	WaScanState *state; /* the node */
	WaScanQuery asked;  /* of which the groups are the distinct inputs, */
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
};

#endif /* WA_SCAN_DISTINCT_INPUTS_INTERNAL_H */
