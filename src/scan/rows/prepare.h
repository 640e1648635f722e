/*
 * prepare.h
 *		From the expressions of a node to all that an execution needs.
 */
#ifndef WA_SCAN_PREPARE_H
#define WA_SCAN_PREPARE_H

#include "scan/state/scan_state.h"

/*
 * Makes what an execution needs, in the current memory context: from the table and
 * its estate, the number varno of its columns, the expressions, and of the aggregated
 * columns the key and collation of their plan.
 */
extern void wa_scan_prepare(WaScanState *state);

/* Likewise the program and the store of a query that reads no rows here. */
extern void wa_scan_prepare_query(WaScanQuery *query,
								  const WaScanSource *source,
								  WaScanStore *store);

#endif /* WA_SCAN_PREPARE_H */
