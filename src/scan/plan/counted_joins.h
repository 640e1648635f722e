/*
 * counted_joins.h
 *		What joins a table that is being counted (counted_query.h): its keys, and the
 *		conditions that are of it alone.
 */
#ifndef WA_SCAN_COUNTED_JOINS_H
#define WA_SCAN_COUNTED_JOINS_H

#include "scan/plan/counted.h"

/*
 * Finds the keys, and puts conditions of the table alone from the level into the subquery,
 * as far as rows that do not fulfil them are not joined.  Columns are of tables, not of
 * joins.  May set counted->reason.
 */
extern void wa_counted_take_joins(WaCounted *counted);

#endif /* WA_SCAN_COUNTED_JOINS_H */
