/*
 * why_heap.h
 *		Why a node has read the heap although columns of its table are resident.
 *
 * Whoever decides for the heap notes why; the last note of a scan counts.  EXPLAIN
 * (ANALYZE) has a line "Resident Columns" if there were any: "not used: " and the reason,
 * or "used in part: " if the device process has answered for some of the blocks, and
 * others have rows.
 */
#ifndef WA_SCAN_WHY_HEAP_H
#define WA_SCAN_WHY_HEAP_H

#include "scan/state/instrument.h"
#include "scan/state/scan_query.h"
#include "scan/state/scan_source.h"

struct ExplainState;

/* Reasons that the line says more of. */
#define WA_WHY_NOT_FRESH \
	"the blocks have changed since they were loaded, or are not resident"
#define WA_WHY_NO_TABLE \
	"there are too many texts for what it computes of them to be kept"

/* The reason of a parallel worker, whose notes do not come to the leader. */
#define WA_WHY_IN_WORKER "the node is part of a parallel plan"

/* Reasons, or what one begins with, that the line is there for in any case. */
#define WA_WHY_RESTING "the device is left alone after a failure"
#define WA_WHY_FAILED  "the device process failed: "

/* Notes a reason, the end of a sentence; empty: there is none any more. */
extern void wa_why_heap_note(WaScanSources *sources, const char *reason);

/* Prints the line, if there is one. */
extern void wa_why_heap_show(const WaScanQuery *query,
							 const WaScanSources *sources,
							 const WaInstrument *instrument,
							 struct ExplainState *es);

#endif /* WA_SCAN_WHY_HEAP_H */
