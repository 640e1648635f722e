/*
 * total.h
 *		Which expressions over groups raise no errors.
 */
#ifndef WA_SCAN_TOTAL_H
#define WA_SCAN_TOTAL_H

#include "nodes/pg_list.h"

/*
 * Tells whether an expression, or list of them, over keys and aggregates raises
 * no error, whatever these are; false if that is not known.  The keys and the
 * results of aggregates are there already.
 */
extern bool wa_is_total_over_groups(Node *expression, const List *keys);

#endif /* WA_SCAN_TOTAL_H */
