/*
 * join_rest.h
 *		Rows of a joined relation that the device process lacks, for the tables that it makes
 *		of the others.
 */
#ifndef WA_SCAN_JOIN_REST_H
#define WA_SCAN_JOIN_REST_H

#include "core/must_check.h"
#include "scan/resident/resident_query.h"
#include "scan/state/scan_state.h"

/*
 * Reads the rows of blocks of a relation that are not resident as the snapshot sees them, in
 * vectors, for a unit's query (join_making.h), whose tables of what is folded into it are
 * there.  Returns false if there are too many such blocks, or groups, or if something of a
 * row has no vector; the rows are to be freed either way.
 */
extern WA_MUST_CHECK bool wa_join_rest_read(WaScanState *state,
											WaRestRows *rest);

/* Frees rows that were read. */
extern void wa_join_rest_free(WaRestRows *rest);

#endif /* WA_SCAN_JOIN_REST_H */
