/*
 * border.h
 *		Comparisons of a time with a constant one of another type, as of a timestamp with
 *		now(), as comparisons of values of one type.
 *
 * A timestamp or a date and a timestamp with time zone are compared by the session's time
 * zone.  As the one that varies grows, the comparison becomes true once, or false: its first
 * value of the second kind, the border, is found by calling PostgreSQL's own function some
 * forty times, and rows are compared with that.
 */
#ifndef WA_SCAN_BORDER_H
#define WA_SCAN_BORDER_H

#include "nodes/pg_list.h"

#include "core/must_check.h"

typedef struct WaBorder
{
	Oid function;   /* PostgreSQL's, of */
	Oid type;       /* the time that varies, */
	bool is_right;  /* which is its right argument, */
	Oid limit_type; /* and the constant one */

	/* Of the one that varies with what stands for that, WA_LESS or the like */
	uint32 comparison;
} WaBorder;

/*
 * Describes a call of a function with the arguments, the first or the second of which
 * varies.  Returns false if it is no such comparison.
 */
extern WA_MUST_CHECK bool wa_border_describe(Oid function, List *args,
											 bool is_right, WaBorder *border);

/*
 * Finds the value of the type that varies that stands for a limit, which is not NULL.
 * Returns false if there is none: the limit is near the ends of time, or lies in the hour
 * after clocks were put forward, when times that were left out count as later than others
 * that follow.
 */
extern WA_MUST_CHECK bool wa_border_find(const WaBorder *border, Datum limit,
										 Datum *value);

#endif /* WA_SCAN_BORDER_H */
