/*
 * shift.h
 *		Aggregates over a shifted expression, x + c, c + x, x - c, c - x or -x of
 *		integers, where c is the same for all rows.
 *
 * All that they return can be told from what is kept of x: the sum of x + c is
 * that of x plus c for each row, and so on.  So they share a column with the
 * aggregates over x.  PostgreSQL raises an error for a row whose result is out of
 * range; there is one if the smallest or the largest x is such a row.
 */
#ifndef WA_SCAN_SHIFT_H
#define WA_SCAN_SHIFT_H

#include "scan/expr/aggregates.h"

typedef struct WaShift
{
	Oid function;       /* PostgreSQL's, that computes it */
	Oid type;           /* of its result, */
	Oid x_type;         /* of x, */
	Oid c_type;         /* and of c; invalid for -x, whose c is 0 */
	bool is_negated;    /* it is c - x or -x */
	bool is_subtracted; /* it is x - c */
	bool is_c_first;    /* c is the left argument */
	int64 smallest_x;   /* that there can be */
	int64 largest_x;
	Expr *parameter; /* c, if its value is not known; it comes in */
	int number;      /* this register */
	int64 c;
	bool is_null;   /* c is NULL, and so is every result */
	WaAggPlan plan; /* of a sum of results */
} WaShift;

/*
 * Describes the argument of a call, if it is a shifted expression, and puts x in
 * its place; or returns NULL.
 */
extern WaShift *wa_shift_make(WaAggregateCall *call);

/* Returns the aggregate of x that an aggregate of the results is made of. */
extern WaAggregate wa_shift_aggregate(const WaShift *shift,
									  WaAggregate aggregate);

/*
 * Returns the operations that an aggregate needs of its column; shift: NULL if
 * there is none.
 */
extern WaOpSet wa_shift_operations(const WaShift *shift, WaAggregate aggregate);

/* Returns which of MIN and MAX of x tell whether a result is out of range. */
extern WaOpSet wa_shift_checks(const WaShift *shift);

/* Stores the least and the greatest x whose result is in range. */
extern void wa_shift_limits(const WaShift *shift, int64 *lowest,
							int64 *highest);

/* Returns the result for x, which is in range. */
extern int64 wa_shift_apply(const WaShift *shift, int64 x);

/* Returns the sum of the results of so many rows, by the sum of their x. */
extern __int128 wa_shift_sum(const WaShift *shift, __int128 sum, int64 rows);

/* Has PostgreSQL compute x, which raises its error if it is out of range. */
extern void wa_shift_call(const WaShift *shift, int64 x);

/* Returns a number as a value of an integer type of SQL. */
extern Datum wa_shift_datum(Oid type, int64 number);

#endif /* WA_SCAN_SHIFT_H */
