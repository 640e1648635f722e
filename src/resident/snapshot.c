/*
 * snapshot.c
 *		What a snapshot tells of transactions; see snapshot.h.
 *
 * The snapshot does not list the transaction that it was taken in.  No block that is
 * resident has rows that this one has decided about: it is in progress.
 */
#include "postgres.h"

#include "lib/qunique.h"

#include "resident/full_xid.h"
#include "resident/relation.h"
#include "resident/snapshot.h"

static int
compare_xids(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *) a;
	const uint64_t right = *(const uint64_t *) b;

	return (left > right) - (left < right);
}

/* Adds transactions that are between xmin and xmax; there is room for them. */
static void
add_xids(WaSnapshot *described, uint64 next, const TransactionId *xids,
		 uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		const uint64 xid = wa_full_xid(next, xids[i]);

		if (xid >= described->xmin && xid < described->xmax)
			described->xids[described->nxids++] = xid;
	}
}

/* Sorts the transactions and removes those that are there twice. */
static void
sort_xids(WaSnapshot *described)
{
	qsort(described->xids, described->nxids, sizeof(described->xids[0]),
		  compare_xids);
	described->nxids =
		(uint32) qunique(described->xids, described->nxids,
						 sizeof(described->xids[0]), compare_xids);
}

/* Tells whether a snapshot lists all that were in progress, and they have room. */
static bool
lists_all(Snapshot snapshot)
{
	return !snapshot->takenDuringRecovery && !snapshot->suboverflowed &&
		   (int64) snapshot->xcnt + snapshot->subxcnt <= WA_MAX_SNAPSHOT_XIDS;
}

void
wa_snapshot_describe(Snapshot snapshot, WaSnapshot *described)
{
	const uint64 next = wa_next_full_xid();

	Assert(snapshot->snapshot_type == SNAPSHOT_MVCC);
	memset(described, 0, sizeof(*described));
	described->xmin = wa_full_xid(next, snapshot->xmin);
	described->xmax = described->xmin;
	if (!wa_resident_has_rule(WA_RULE_SETTLED))
		described->xmin = described->xmax = UINT64_MAX;
	else if (lists_all(snapshot))
	{
		described->xmax = wa_full_xid(next, snapshot->xmax);
		add_xids(described, next, snapshot->xip, snapshot->xcnt);
		add_xids(described, next, snapshot->subxip, (uint32) snapshot->subxcnt);
		sort_xids(described);
	}
}
