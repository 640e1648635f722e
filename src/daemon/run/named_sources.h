/*
 * named_sources.h
 *		The sources that a RUN or RESIDENCY names, and whether they can be.
 */
#ifndef WA_DAEMON_NAMED_SOURCES_H
#define WA_DAEMON_NAMED_SOURCES_H

#include "core/must_check.h"
#include "core/protocol.h"
#include "daemon/base/parcel.h"

/*
 * Tells whether there may be so many sources, at that place in the parcel, and columns that
 * have no attributes: these are the sources'.
 */
WA_MUST_CHECK bool wa_named_sources_lie_right(const WaParcel *parcel,
											  uint64_t offset,
											  uint32_t nsources,
											  const WaColumnName *columns,
											  uint32_t ncolumns);

/*
 * Copies sources that lie right out of the parcel to a place, where there is room for
 * wa_run_sources_bytes; from then on they do not change.
 */
void wa_named_sources_copy(WaNamedSources *named, const WaParcel *parcel,
						   uint64_t offset, void *place);

/*
 * Checks relations and attributes of a copy.  Returns WA_BAD_REQUEST, also if a relation is
 * there twice, or WA_OUT_OF_MEMORY, if nothing may be done with them.
 */
WA_MUST_CHECK WaStatus wa_named_sources_check(const WaNamedSources *named);

#endif /* WA_DAEMON_NAMED_SOURCES_H */
