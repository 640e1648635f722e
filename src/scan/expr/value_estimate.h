/*
 * value_estimate.h
 *		How many values an expression has at most, as far as its form and statistics of
 *		its columns tell.
 */
#ifndef WA_SCAN_VALUE_ESTIMATE_H
#define WA_SCAN_VALUE_ESTIMATE_H

#include "nodes/pathnodes.h"

/*
 * Returns about how many values an expression over one table has at most, of so many
 * rows; 0: that is not known.
 */
extern double wa_estimate_values(PlannerInfo *root, Node *expression,
								 double rows);

#endif /* WA_SCAN_VALUE_ESTIMATE_H */
