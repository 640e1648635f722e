/*
 * resident_asked.h
 *		Whether the device process can be asked for a query, and why not.
 */
#ifndef WA_SCAN_RESIDENT_ASKED_H
#define WA_SCAN_RESIDENT_ASKED_H

#include "core/protocol.h"
#include "scan/resident/resident_query.h"

/*
 * Returns why a query may not use resident columns of a table at all, the end of a
 * sentence, or NULL.  was_refused: its groups have taken too much memory.
 */
extern WA_MUST_CHECK const char *
wa_resident_use_refusal(const WaScanSource *source, bool was_refused);

/*
 * Describes which columns of the table are asked for.  Returns why they cannot be, the end
 * of a sentence, or NULL.
 */
extern WA_MUST_CHECK const char *wa_resident_describe_run(WaAsking *asking);

/* Tells whether the device process is ready, or notes why it is not asked. */
extern WA_MUST_CHECK bool wa_resident_is_ready(WaScanSource *source);

/*
 * Describes the query's snapshot, and has WAL be followed as far as it needs.  Returns
 * false, having noted why, if there is no use in asking then.
 */
extern WA_MUST_CHECK bool wa_resident_settle(WaAsking *asking);

/* Tells whether an answer can be relied on, when it is there. */
extern WA_MUST_CHECK bool wa_resident_is_reliable(const WaScanSource *source);

#endif /* WA_SCAN_RESIDENT_ASKED_H */
