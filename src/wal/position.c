/*
 * position.c
 *		Positions of WAL: where it is now, and what a snapshot sees of it.
 *
 * A transaction can be seen by others when it has ended, which is after its record of
 * COMMIT was inserted.  With synchronous_commit it is flushed before, as are the COMMIT of
 * a prepared transaction, and of one that drops files or was told to (ForceSyncCommit):
 * the position up to which WAL is flushed, if it is asked for after the snapshot was
 * taken, lies behind all that they changed.  There are two other cases:
 *
 *	- The changes of our own transaction can be seen by it at once.  XactLastRecEnd is where
 *	  the last of its records ends.
 *	- With synchronous_commit = off the COMMIT is flushed later.  pg_xact has, in memory, for
 *	  each group of CLOG_XACTS_PER_LSN_GROUP transactions a position behind the last such
 *	  COMMIT among them, since before it could be seen, and no page of it is written before
 *	  WAL is flushed up to there.  So the groups are asked of all transactions that the
 *	  snapshot sees and that did not belong to what was seen to be flushed the time before:
 *	  those that had not begun then, and those that were under way.  Subtransactions are
 *	  committed with their transaction, to the same position.
 *
 * There is nothing to ask if all WAL that there is has been flushed, which is the usual
 * case, and if there is too much to ask all WAL is flushed instead.
 *
 * In recovery a COMMIT can be seen while it is replayed, when the records before it have
 * been; its own changes are files that are dropped, which nobody has a use for who sees
 * it.
 */
#include "postgres.h"

#include "access/clog.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xlog_internal.h"
#include "access/xlogrecovery.h"
#include "storage/lwlock.h"

#include "compat.h"
#include "wal/reader.h"
#include "wal/wal.h"

/* Transactions that pg_xact has a position for at least. */
#define GROUP_XIDS 32

/* Transactions that have begun since, and that were under way, for which it is asked. */
#define MAX_NEW_XIDS     (512 * GROUP_XIDS)
#define MAX_RUNNING_XIDS 1024

/* A snapshot whose transactions have all been flushed; xmax invalid: there is none. */
typedef struct Flushed
{
	TransactionId xmax;
	int nrunning;
	TransactionId running[MAX_RUNNING_XIDS + 1]; /* ours is one of them */
} Flushed;

static Flushed flushed;

uint64
wa_wal_insert_position(void)
{
	return RecoveryInProgress() ? GetXLogReplayRecPtr(NULL)
								: GetXLogInsertRecPtr();
}

/*
 * Returns where the last record ends that has begun to be inserted.  The next one begins
 * behind a page's header, up to which nothing is written or flushed yet.
 */
static XLogRecPtr
inserted_end(void)
{
	const XLogRecPtr next = GetXLogInsertRecPtr();

	if (XLogSegmentOffset(next, wal_segment_size) == SizeOfXLogLongPHD)
		return next - SizeOfXLogLongPHD;
	if (next % XLOG_BLCKSZ == SizeOfXLogShortPHD)
		return next - SizeOfXLogShortPHD;
	return next;
}

/*
 * Notes that all is flushed that a snapshot sees.  It does not list our own transaction,
 * whose COMMIT is still to come.
 */
static void
note_flushed(Snapshot snapshot)
{
	const TransactionId own = GetTopTransactionIdIfAny();

	if (snapshot->takenDuringRecovery ||
		(TransactionIdIsValid(flushed.xmax) &&
		 TransactionIdPrecedes(snapshot->xmax, flushed.xmax)))
		return;
	if (snapshot->xcnt > MAX_RUNNING_XIDS)
	{
		flushed.xmax = InvalidTransactionId;
		return;
	}
	flushed.xmax = snapshot->xmax;
	flushed.nrunning = (int) snapshot->xcnt;
	memcpy(flushed.running, snapshot->xip,
		   snapshot->xcnt * sizeof(TransactionId));
	if (TransactionIdIsValid(own))
		flushed.running[flushed.nrunning++] = own;
}

/*
 * Raises a position to that of a transaction's group.  What has been cut off pg_xact was
 * flushed before.  TransactionIdGetCommitLSN would do, but that it remembers what it said
 * of a transaction, when others of its group had not ended.
 */
static void
raise_to_group(TransactionId xid, XLogRecPtr *position)
{
	XLogRecPtr lsn;

	if (!TransactionIdIsNormal(xid))
		xid = FirstNormalTransactionId;
	if (TransactionIdPrecedes(xid, oldest_known_xid_compat()))
		return;
	(void) TransactionIdGetStatus(xid, &lsn);
	*position = Max(*position, lsn);
}

/*
 * Returns a position behind the COMMITs that the snapshot sees and that were not flushed
 * before they could be seen.
 */
static XLogRecPtr
last_commit(Snapshot snapshot)
{
	const int32 nxids = (int32) (snapshot->xmax - flushed.xmax);
	XLogRecPtr position = InvalidXLogRecPtr;

	if (!TransactionIdIsValid(flushed.xmax) || snapshot->takenDuringRecovery ||
		nxids > MAX_NEW_XIDS)
		return inserted_end();
	LWLockAcquire(XactTruncationLock, LW_SHARED);
	for (int32 i = 0; i < nxids; i += GROUP_XIDS)
		raise_to_group(flushed.xmax + i, &position);
	if (nxids > 0)
		raise_to_group(snapshot->xmax - 1, &position);
	for (int i = 0; i < flushed.nrunning; i++)
		if (TransactionIdPrecedes(flushed.running[i], snapshot->xmax))
			raise_to_group(flushed.running[i], &position);
	LWLockRelease(XactTruncationLock);
	return position;
}

uint64
wa_wal_required(Snapshot snapshot)
{
	if (RecoveryInProgress())
		return GetXLogReplayRecPtr(NULL);
	if (inserted_end() > GetFlushRecPtr(NULL))
	{
		if (TransactionIdIsValid(GetTopTransactionIdIfAny()))
			XLogFlush(XactLastRecEnd);
		XLogFlush(last_commit(snapshot));
	}
	note_flushed(snapshot);
	return GetFlushRecPtr(NULL);
}
