/*
 * row_order.h
 *		Values of groups, with how many rows have each, group by group and in order.
 *
 * A tuplesort (PostgreSQL's) of tuples: the keys of a group, a value, and a number of rows.  It
 * stays within work_mem, and writes to files beyond.
 */
#ifndef WA_SCAN_ROW_ORDER_H
#define WA_SCAN_ROW_ORDER_H

#include "executor/tuptable.h"

/* Of what is sorted. */
typedef struct WaRowOrderPlan
{
	int nkeys;
	const Oid *key_types; /* base types of which vectors are made */
	Oid type;             /* of the values, likewise, */
	Oid collation;        /* in this */
	Oid operator;         /* order */
	bool nulls_first;
} WaRowOrderPlan;

typedef struct WaRowOrder WaRowOrder;

/* Makes an order, in the current memory context. */
extern WaRowOrder *wa_row_order_make(const WaRowOrderPlan *plan);

/* Begins without values. */
extern void wa_row_order_begin(WaRowOrder *order);

/* Adds a value that is not NULL; all is copied. */
extern void wa_row_order_add(WaRowOrder *order, const Datum *keys,
							 const bool *nulls, Datum value, int64 rows);

/*
 * Goes to the first value of the next group, and returns a slot with its keys, which stay as long as
 * it is the present one; NULL: there is no other.  To be called when all values have been added.
 */
extern TupleTableSlot *wa_row_order_next_group(WaRowOrder *order);

/* Goes back to the first value of the present group. */
extern void wa_row_order_rewind(WaRowOrder *order);

/*
 * Stores the next value of the present group, which stays until the next call, and how many rows
 * have it; returns false if there is none.
 */
extern bool wa_row_order_next(WaRowOrder *order, Datum *value, int64 *rows);

/* Forgets all values. */
extern void wa_row_order_end(WaRowOrder *order);

#endif /* WA_SCAN_ROW_ORDER_H */
