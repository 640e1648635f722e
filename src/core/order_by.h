/*
 * order_by.h
 *		Which groups a query wants, where it has ORDER BY and LIMIT.
 */
#ifndef WA_CORE_ORDER_BY_H
#define WA_CORE_ORDER_BY_H

#include <stdbool.h>
#include <stdint.h>

/* What of a group is compared; a group without values has NULL but for ROWS. */
typedef enum WaOrderOf
{
	WA_ORDER_KEY,  /* number: of the key */
	WA_ORDER_ROWS, /* number: of the aggregated column, from here on */
	WA_ORDER_SUM,
	WA_ORDER_MIN,
	WA_ORDER_MAX
} WaOrderOf;

/* One expression of ORDER BY. */
typedef struct WaOrderBy
{
	WaOrderOf of;
	uint16_t number;
	bool descending;
	bool nulls_first;
} WaOrderBy;

/* Expressions of ORDER BY that are told of at most. */
#define WA_MAX_ORDERS 8

/*
 * The groups that are wanted.  One before which `limit` others come may be left
 * out; of groups that are equal in all orders any come before the others, or, if
 * keeps_ties, none do.  To leave out fewer is no fault.
 */
typedef struct WaTopN
{
	uint64_t limit; /* 0: all groups are wanted */
	bool keeps_ties;
	bool of_rows; /* no two rows are of one group, and there are no records */
	/*
	 * Of rows: that is so for each combination of what the first orders compare, so many of
	 * them, by the others; `limit` is 1.  0: for all rows.
	 */
	uint8_t nparts;
	uint8_t unused; /* 0 */
	uint32_t norders;
	WaOrderBy orders[WA_MAX_ORDERS];
} WaTopN;

#endif /* WA_CORE_ORDER_BY_H */
