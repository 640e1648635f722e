/*
 * run_rest.h
 *		The blocks of a RUN whose rows come with its query, in place of those that extents may
 *		have of them.
 */
#ifndef WA_DAEMON_RUN_REST_H
#define WA_DAEMON_RUN_REST_H

#include "core/must_check.h"
#include "daemon/run/run_sources.h"
#include "query/base/budget.h"

/* All 0: there are none. */
typedef struct WaRunRest
{
	uint64_t *blocks; /* a bit for each, in words of whole extents; or NULL */
	uint64_t bytes;   /* that are counted for them */
	const WaRunExtent **list; /* extents without their rows; NULL: all are */
	WaCoverExtent **copies;   /* those that had some; or NULL */
	uint64_t ncopies;
} WaRunRest;

/*
 * Copies the blocks out of the parcel, if there are some.  Returns false if they are not
 * there, or there is not enough memory.
 */
WA_MUST_CHECK bool wa_run_rest_copy(WaRunRest *rest,
									const WaRunSources *sources,
									const WaParcel *parcel, WaBudget *budget);

/*
 * Leaves their rows out of the extents that were collected.  If these have all other blocks,
 * all are said to be usable; else nothing is used.  Returns false if there is not enough
 * memory.
 */
WA_MUST_CHECK bool wa_run_rest_leave_out(WaRunRest *rest,
										 WaRunSources *sources);

/* Frees what was copied, which is used no more. */
void wa_run_rest_free(WaRunRest *rest, WaBudget *budget);

#endif /* WA_DAEMON_RUN_REST_H */
