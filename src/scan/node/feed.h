/*
 * feed.h
 *		The sources of a node whose table has partitions or children.
 *
 * Below such a node is PostgreSQL's own Append over them, which knows which ones are
 * pruned, at the beginning and whenever a parameter changes.  Of a partition that the node
 * reads it has a node of ours that returns no row, but tells that the partition is to be
 * read; these come first.  Of others it has PostgreSQL's plan, whose rows the node takes.
 * Another Append is over partitions whose servers aggregate; the node takes their groups.
 */
#ifndef WA_SCAN_FEED_H
#define WA_SCAN_FEED_H

#include "scan/state/scan_state.h"

typedef struct WaFeed WaFeed;

/*
 * Takes the table from the executor's part of a node.  What has one there is a
 * scan whose current row WHERE CURRENT OF looks for; this has no such row.
 */
extern Relation wa_feed_take_relation(ScanState *node);

/* Begins what is below a node, whose table has the descriptor. */
extern WaFeed *wa_feed_begin(WaScanState *state, TupleDesc descriptor,
							 int eflags);

/* Has the node's sources be those that are not pruned. */
extern void wa_feed_find_sources(WaScanState *state);

/* Tells whether rows of PostgreSQL's plans are to be taken. */
extern bool wa_feed_has_rows(const WaFeed *feed);

/* Tells, then, whether something is to come of others, as rows or as groups. */
extern bool wa_feed_has_more(const WaFeed *feed);

/* Brings this into the node's groups. */
extern void wa_feed_take(WaScanState *state);

/* Has it be read again, with parameters that have changed; NULL: none. */
extern void wa_feed_rescan(WaFeed *feed, Bitmapset *changed);

/* Returns how many tables a node with a feed reads, or has read last: what is not pruned. */
extern int wa_feed_count(const WaScanState *state);

/* Ends it. */
extern void wa_feed_end(WaFeed *feed);

#endif /* WA_SCAN_FEED_H */
