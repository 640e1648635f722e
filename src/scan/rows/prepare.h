/*
 * prepare.h
 *		From the expressions of a node to all that an execution needs.
 */
#ifndef WA_SCAN_PREPARE_H
#define WA_SCAN_PREPARE_H

#include "core/must_check.h"
#include "scan/state/scan_state.h"

/*
 * Makes what an execution needs, in the current memory context: from its estate and the
 * query's table, the number varno of its columns, the expressions, and of the
 * aggregated columns the key and collation of their plan.  There is no source yet.
 */
extern void wa_scan_prepare(WaScanState *state, EState *estate, Relation table);

/*
 * Likewise the program and the store of a query that reads no rows here.  Returns why it
 * cannot be compiled, or NULL.
 */
extern WA_MUST_CHECK const char *wa_scan_prepare_query(WaScanQuery *query,
													   WaScanSources *sources,
													   WaScanStore *store);

/*
 * Likewise a store of the groups of a query, of which keys and columns are compiled, as rows
 * of the sources have them.
 */
extern void wa_scan_prepare_store(WaScanQuery *query, WaScanSources *sources,
								  WaScanStore *store);

/* Likewise the tables of what is joined, for a program that is there. */
extern void wa_scan_prepare_joins(WaScanQuery *query, EState *estate);

/*
 * Likewise what reads a table in vectors, for a program and a store that are there; there is
 * nothing that reads single rows.
 */
extern void wa_scan_prepare_reading(WaScanState *state, Relation table);

#endif /* WA_SCAN_PREPARE_H */
