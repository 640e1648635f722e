/*
 * scan_state.h
 *		The execution state of a node of the scan tier: its parts, and where it stands.
 */
#ifndef WA_SCAN_SCAN_STATE_H
#define WA_SCAN_SCAN_STATE_H

#include "nodes/extensible.h"

#include "scan/base/clock.h"
#include "scan/state/instrument.h"
#include "scan/state/scan_batch.h"
#include "scan/state/scan_query.h"
#include "scan/state/scan_source.h"
#include "scan/state/scan_store.h"

typedef struct WaScanState
{
	CustomScanState css;
	WaScanQuery query;
	WaScanSource table; /* the node's own, unless it has a feed */
	WaScanSources sources;
	struct WaFeed *feed;               /* scan/node/feed.h; NULL: none */
	struct WaJoined *joined;           /* scan/node/joined.h; NULL: nothing */
	struct WaAlternative *alternative; /* scan/node/alternative.h; NULL: none */
	WaScanStore store;
	struct WaRollUp *roll_up; /* scan/rows/roll_up.h; NULL: the store's groups
							   * are those that are returned */
	struct WaRollUp *rolls_into;  /* the same, or another node's; NULL: none; */
	struct WaRolledGroups *rolls; /* as this has them */
	List *finer; /* WaScanStates of nodes whose groups are rolled up, too */
	WaScanBatch batch;

	ExprState *one_time_filter; /* without it no row is read */
	bool is_started;            /* groups of some batch are there */
	int batches;                /* of groups, since the scan began */
	uint32 ngroups;             /* of these, that are returned, */
	uint32 next;                /* and the one that is next */
	struct WaTop *top;          /* chooses which ones are; NULL: all are, */
	struct WaOrder *order;      /* in this order; NULL: as they are there */
	Bitmapset *before_having;   /* columns that groups have by then */

	bool is_refused; /* resident columns would have taken too much memory */

	/* For EXPLAIN */
	WaInstrument now;  /* of the present scan, */
	WaInstrument past; /* and of earlier ones */
	WaClock clock;     /* of all */
	int nlaunched;     /* workers */

	/* NULL: no process counts for another. */
	struct WaSharedInstrument *shared_instrument;
} WaScanState;

/* Has a state's own table be its only source, in the current memory context. */
extern void wa_scan_set_source(WaScanState *state, Relation relation);

/* Puts away what the last scan of a node has counted: the next one begins. */
extern void wa_instrument_start(WaScanState *state);

/* Returns what all scans of a node have counted in this process and its workers. */
extern WaInstrument wa_instrument_of(const WaScanState *state);

#endif /* WA_SCAN_SCAN_STATE_H */
