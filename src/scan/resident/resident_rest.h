/*
 * resident_rest.h
 *		Reading the blocks that the device process does not answer for while it computes
 *		the others.
 *
 * What is announced comes true but for rows that it cannot take, and failures.  So groups
 * of the rest are made at once, and forgotten if the answer is another one.
 */
#ifndef WA_SCAN_RESIDENT_REST_H
#define WA_SCAN_RESIDENT_REST_H

#include "scan/resident/resident_query.h"
#include "scan/state/scan_state.h"

/* What has been read meanwhile. */
typedef struct WaRest
{
	WaScanState *state;
	const WaAsking *asking;
	const uint64_t *cover; /* beside these blocks; NULL: nothing */
	int64 kept_rows;       /* those of the state before */
	int64 rowwise_rows;    /* likewise */
} WaRest;

/*
 * Reads what blocks that are announced leave, into the groups of the node, which have no
 * row yet, unless workers are wanted for it.  rest: a WaRest with its state and what is
 * asked.
 */
extern void wa_rest_read(void *rest, uint64_t *cover, uint64 blocks);

/*
 * Reads what is not resident as the snapshot sees it, likewise, of one source, for a query that
 * brings it along: the groups are also a message then.  Returns false if these blocks, or the
 * groups, are too many, or something of a group is no record.
 */
extern WA_MUST_CHECK bool wa_rest_bring(WaRest *rest, WaRestRows *rows);

/* Has the node have no groups: the device process has had those that were brought. */
extern void wa_rest_drop_groups(WaRest *rest);

/* Has the scan begin again, if something was read: of no row, with no group. */
extern void wa_rest_forget(WaRest *rest);

/*
 * Has the scan, of which no row was read, leave out the blocks of what was asked for whose
 * bits are set, source after source; NULL: all.
 */
extern void wa_resident_leave_out(const WaAsking *asking,
								  const uint64_t *covered);

#endif /* WA_SCAN_RESIDENT_REST_H */
