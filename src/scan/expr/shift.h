/*
 * shift.h
 *		Aggregates over a shifted column, x + c, c + x or x - c of integers, where c is
 *		a constant.
 *
 * All that they return can be told from what is kept of x: the sum of x + c is that of x
 * plus c for each row, and so on.  So they share a column with the aggregates over x.
 * PostgreSQL raises an error for a row whose result is out of range; there is one if
 * the smallest or the largest x is such a row.
 */
#ifndef WA_SCAN_SHIFT_H
#define WA_SCAN_SHIFT_H

#include "scan/expr/aggregates.h"

typedef struct WaShift
{
	Oid function; /* PostgreSQL's, that computes it */
	Oid type;     /* of its result */
	int64 c;      /* what is added, */
	bool is_less; /* or taken away */
	int64 lowest; /* x whose result is in range */
	int64 highest;
	WaOpSet checks; /* MIN and MAX, if there may be an x out of range */
	WaAggPlan plan; /* of a sum of results */
} WaShift;

/*
 * Describes the argument of a call, if it is a shifted expression, and puts x in
 * its place; or returns NULL.
 */
extern WaShift *wa_shift_make(WaAggregateCall *call);

/* Returns a number with c added to it, or taken away, so many times. */
static inline __int128
wa_shift_apply(const WaShift *shift, __int128 number, int64 times)
{
	const __int128 all = (__int128) shift->c * times;

	return shift->is_less ? number - all : number + all;
}

#endif /* WA_SCAN_SHIFT_H */
