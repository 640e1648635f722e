/*
 * resident_asked.h
 *		Whether the device process can be asked for a query, and why not.
 */
#ifndef WA_SCAN_RESIDENT_ASKED_H
#define WA_SCAN_RESIDENT_ASKED_H

#include "core/protocol.h"
#include "scan/state/scan_state.h"

/*
 * Returns why a query of the node may not use resident columns at all, the end of a
 * sentence, or NULL.
 */
extern WA_MUST_CHECK const char *
wa_resident_use_refusal(const WaScanState *state);

/*
 * Describes which columns of the table are asked for.  Returns false, having noted why
 * (scan/state/why_heap.h), if they cannot be.
 */
extern WA_MUST_CHECK bool wa_resident_describe_run(WaScanState *asked,
												   WaRunMessage *run);

/* Tells whether the device process is ready, or notes why it is not asked. */
extern WA_MUST_CHECK bool wa_resident_is_ready(WaScanState *state);

/*
 * Describes the query's snapshot, and has WAL be followed as far as it needs.  Returns
 * false, having noted why, if there is no use in asking then.
 */
extern WA_MUST_CHECK bool wa_resident_settle(WaScanState *state,
											 WaRunMessage *run);

/* Tells whether an answer can be relied on, when it is there. */
extern WA_MUST_CHECK bool wa_resident_is_reliable(const WaScanState *state);

#endif /* WA_SCAN_RESIDENT_ASKED_H */
