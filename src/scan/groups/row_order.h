/*
 * row_order.h
 *		Rows of groups, group by group and in an order.
 *
 * A tuplesort (PostgreSQL's) of tuples: the keys of a group, then values.  It stays within work_mem,
 * and writes to files beyond.
 */
#ifndef WA_SCAN_ROW_ORDER_H
#define WA_SCAN_ROW_ORDER_H

#include "executor/tuptable.h"

/* One of the values that rows of a group are sorted by. */
typedef struct WaRowOrderBy
{
	int value;    /* its number */
	Oid operator; /* by this, */
	Oid collation;
	bool nulls_first;
} WaRowOrderBy;

/* Of what is sorted. */
typedef struct WaRowOrderPlan
{
	int nkeys;
	const Oid *key_types; /* base types of which vectors are made */
	int nvalues;
	const Oid *types; /* of the values */
	int norders;
	const WaRowOrderBy *orders;
	bool may_rewind;
} WaRowOrderPlan;

typedef struct WaRowOrder WaRowOrder;

/* Makes an order, in the current memory context. */
extern WaRowOrder *wa_row_order_make(const WaRowOrderPlan *plan);

/* Begins without rows. */
extern void wa_row_order_begin(WaRowOrder *order);

/*
 * Returns a slot without values, for the keys and the values of a row, and adds that row when it has
 * them; all is copied.
 */
extern TupleTableSlot *wa_row_order_new(WaRowOrder *order);
extern void wa_row_order_add(WaRowOrder *order);

/*
 * Goes to the first row of the next group, and returns a slot with its keys, which stay as long as
 * it is the present one; NULL: there is no other.  To be called when all rows have been added.
 */
extern TupleTableSlot *wa_row_order_next_group(WaRowOrder *order);

/* Goes back to the first row of the present group, if the plan says that it may be done. */
extern void wa_row_order_rewind(WaRowOrder *order);

/*
 * Returns a slot with the next row of the present group, which stays until the next call; NULL:
 * there is none.
 */
extern TupleTableSlot *wa_row_order_next(WaRowOrder *order);

/* Forgets all rows. */
extern void wa_row_order_end(WaRowOrder *order);

#endif /* WA_SCAN_ROW_ORDER_H */
