/*
 * resident_asked.h
 *		Whether the device process can be asked for a query, and why not.
 */
#ifndef WA_SCAN_RESIDENT_ASKED_H
#define WA_SCAN_RESIDENT_ASKED_H

#include "core/protocol.h"
#include "scan/resident/resident_query.h"

/*
 * Returns why a query may not use resident columns of its tables at all, the end of a
 * sentence, or NULL.  was_refused: its groups have taken too much memory.
 */
extern WA_MUST_CHECK const char *
wa_resident_use_refusal(const WaScanSources *sources, bool was_refused);

/*
 * Describes which columns of the sources are asked for; those that cannot have them resident
 * are left to the heap.  Returns why none can, the end of a sentence, or NULL.
 */
extern WA_MUST_CHECK const char *wa_resident_describe_run(WaAsking *asking);

/* Names the columns of a source that is asked for, by its number. */
extern void wa_resident_name(const WaAsking *asking, uint32 number,
							 WaSourceColumns *named);

/*
 * Finds out what is resident of the columns, if tables need to know.  Returns false if
 * nothing is.  What is not known of values beyond is left to the heap.
 */
extern WA_MUST_CHECK bool wa_resident_look(WaAsking *asking);

/* Tells whether the device process is ready, or notes why it is not asked. */
extern WA_MUST_CHECK bool wa_resident_is_ready(WaScanSources *sources);

/*
 * Describes the query's snapshot, and has WAL be followed as far as it needs.  Returns
 * false, having noted why, if there is no use in asking then.
 */
extern WA_MUST_CHECK bool wa_resident_settle(WaAsking *asking);

/*
 * Has WAL be followed as far as a snapshot needs, and stores how far that is.  Returns
 * false if it cannot be.
 */
extern WA_MUST_CHECK bool wa_resident_follow(Snapshot snapshot,
											 uint64 *position);

/* Tells whether an answer can be relied on, when it is there. */
extern WA_MUST_CHECK bool wa_resident_is_reliable(const WaScanSources *sources);

#endif /* WA_SCAN_RESIDENT_ASKED_H */
