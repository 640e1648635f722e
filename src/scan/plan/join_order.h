/*
 * join_order.h
 *		In which order relations of a join are tried: as the table whose rows are grouped, and
 *		then to be joined to it.
 */
#ifndef WA_SCAN_JOIN_ORDER_H
#define WA_SCAN_JOIN_ORDER_H

#include "nodes/pathnodes.h"

/* Compares two relations: the larger one comes first. */
static inline int
wa_join_order(const RelOptInfo *left, const RelOptInfo *right)
{
	const double difference = right->tuples - left->tuples;

	return difference < 0 ? -1 : difference > 0;
}

#endif /* WA_SCAN_JOIN_ORDER_H */
