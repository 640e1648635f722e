/*
 * resident_query.h
 *		What a node computes as a query for the device process.
 */
#ifndef WA_SCAN_RESIDENT_QUERY_H
#define WA_SCAN_RESIDENT_QUERY_H

#include "core/must_check.h"
#include "scan/rows/merge.h"

/* Tells whether what the node computes may have the form of a query at all. */
extern bool wa_resident_may_push(const WaScanState *state);

/* Tells whether a query takes tables along. */
extern bool wa_resident_has_tables(const WaScanState *state);

/*
 * Writes what the node computes, or, before a stage that lacks something (scan/
 * interpreter.h), how many rows come there; -1: there is none.  resident: undefined if
 * there are no tables.  Returns false if that has no such form.
 */
extern WA_MUST_CHECK bool
wa_resident_write_query(const WaScanState *state, const WaRunMessage *run,
						const WaResidentMessage *resident, int stage,
						WaArena *arena, WaWriter *writer, WaRanks *ranks);

#endif /* WA_SCAN_RESIDENT_QUERY_H */
