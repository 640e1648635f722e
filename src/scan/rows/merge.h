/*
 * merge.h
 *		Groups of other processes (query/message/partial_groups.h) and a node's own.
 */
#ifndef WA_SCAN_MERGE_H
#define WA_SCAN_MERGE_H

#include "query/message/partial_groups.h"
#include "scan/state/scan_store.h"

/*
 * What columns an answer has: those of a store from the first one on, and the texts that their
 * integers stand for, by their ranks: of each column the table that has them, or NULL.
 */
typedef struct WaRanks
{
	int first;
	int ncolumns;
	int count; /* of columns of ranks */
	const WaLookupTable **of;
	const WaLookupTable *
		*of_keys; /* of keys likewise; NULL: no key has ranks */
	bool
		of_set; /* its groups are those of a grouping set of the store's query, */
	int set;    /* which has this number, and have its keys alone */
} WaRanks;

/*
 * Merges the groups of a message with those of the node.  If the node's are closed, those
 * that are not among them are spilled.  The message was written by a process of the
 * server, and may have states.  Raises an error if the message is not one of the node's
 * shape.  Needs memory in the current context.
 */
extern void wa_scan_merge_groups(WaScanStore *store, const void *message,
								 Size bytes);

/*
 * Tells whether groups of warpaggd are what they should be, all of them: then those may
 * be merged.  ranks: likewise.
 */
extern WA_MUST_CHECK bool wa_scan_answer_is_sound(const WaScanStore *store,
												  const void *message,
												  Size bytes,
												  const WaRanks *ranks);

/*
 * Likewise those of warpaggd, which are sound.  With may_spill the groups are closed once
 * they are too large.
 */
extern void wa_scan_merge_answer(WaScanStore *store, const void *message,
								 Size bytes, const WaRanks *ranks,
								 bool may_spill);

#endif /* WA_SCAN_MERGE_H */
