/*
 * combine_internal.h
 *		What the parts of combine*.c share.
 */
#ifndef WA_SCAN_COMBINE_INTERNAL_H
#define WA_SCAN_COMBINE_INTERNAL_H

#include "executor/tuptable.h"

#include "scan/combine.h"

struct WaCombine
{
	WaScanState *state; /* the node */
	WaScanState *asked; /* its groups are the combinations */
	int counted;        /* the column there that counts rows */

	/* The expressions that PostgreSQL evaluates */
	ExprState **where;
	int nwhere;
	ExprState **keys;
	ExprState **arguments;  /* NULL: rows are counted */
	ExprState **filters;    /* NULL: none */
	int *column_places;     /* that travel, in `asked`; -1: it does not */
	bool runs_foreign_code; /* see WaDivision */
	bool may_be_tied;
	List *params;

	/* What a combination has */
	TupleDesc descriptor;
	TupleTableSlot *slot;

	/* While a message is taken */
	Datum *values; /* of the node's keys */
	bool *nulls;
	int64 rows;
	bool is_refused;
};

#endif /* WA_SCAN_COMBINE_INTERNAL_H */
