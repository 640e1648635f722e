/*
 * compat.h
 *		The differences between PostgreSQL versions; the only place that looks
 *		at PG_VERSION_NUM.  Include it after postgres.h.
 */
#ifndef WA_COMPAT_H
#define WA_COMPAT_H

#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#if PG_VERSION_NUM < 150000
#error "warpagg needs PostgreSQL 15 or later"
#endif

#if PG_VERSION_NUM >= 180000
#include "storage/waiteventset.h"
#endif

/* Makes a wait event set that lives until FreeWaitEventSet. */
static inline WaitEventSet *
create_wait_event_set_compat(int nevents)
{
#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(NULL, nevents);
#else
	return CreateWaitEventSet(TopMemoryContext, nevents);
#endif
}

/* Returns 1 or -1 for an infinite interval, which 17 brought, else 0. */
static inline int
interval_infinity_compat(const Interval *interval)
{
#if PG_VERSION_NUM >= 170000
	return INTERVAL_IS_NOEND(interval) - INTERVAL_IS_NOBEGIN(interval);
#else
	return 0;
#endif
}

/* Makes an interval infinite, with the sign that a sum of infinite ones has. */
static inline void
interval_set_infinity_compat(Interval *interval, int sign)
{
#if PG_VERSION_NUM >= 170000
	if (sign > 0)
		INTERVAL_NOEND(interval);
	else
		INTERVAL_NOBEGIN(interval);
#endif
}

/*
 * Tells whether a shared buffer has been used lately, as the clock sweep has it;
 * a hint, since nothing keeps it so.
 */
static inline bool
buffer_is_used_compat(Buffer buffer)
{
	BufferDesc *descriptor = GetBufferDescriptor(buffer - 1);

	return BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&descriptor->state)) > 0;
}

/* Pins a shared buffer if it holds the block of a relation; else returns false. */
static inline bool
read_recent_buffer_compat(Relation relation, BlockNumber block, Buffer buffer)
{
#if PG_VERSION_NUM >= 160000
	return ReadRecentBuffer(relation->rd_locator, MAIN_FORKNUM, block, buffer);
#else
	return ReadRecentBuffer(relation->rd_node, MAIN_FORKNUM, block, buffer);
#endif
}

/* Makes the tag that the buffer of a block has. */
static inline BufferTag
make_tag_compat(Relation relation, BlockNumber block)
{
	BufferTag tag;

#if PG_VERSION_NUM >= 160000
	InitBufferTag(&tag, &relation->rd_locator, MAIN_FORKNUM, block);
#else
	INIT_BUFFERTAG(tag, relation->rd_node, MAIN_FORKNUM, block);
#endif
	return tag;
}

/* Tells whether a shared buffer has a tag; a hint, since it is not locked. */
static inline bool
buffer_has_tag_compat(Buffer buffer, const BufferTag *tag)
{
	const BufferTag *other = &GetBufferDescriptor(buffer - 1)->tag;

#if PG_VERSION_NUM >= 160000
	return BufferTagsEqual(tag, other);
#else
	return BUFFERTAGS_EQUAL(*tag, *other);
#endif
}

/* Finds out the names of a relation's storage. */
static inline void
relation_storage_compat(Relation relation, Oid *tablespace, Oid *database,
						Oid *file)
{
#if PG_VERSION_NUM >= 160000
	*tablespace = relation->rd_locator.spcOid;
	*database = relation->rd_locator.dbOid;
	*file = relation->rd_locator.relNumber;
#else
	*tablespace = relation->rd_node.spcNode;
	*database = relation->rd_node.dbNode;
	*file = relation->rd_node.relNode;
#endif
}

/*
 * Tells whether a relation, or its storage, was made in this transaction.  It
 * may also have been so in a subtransaction that was rolled back.
 */
static inline bool
relation_is_new_compat(Relation relation)
{
#if PG_VERSION_NUM >= 160000
	return relation->rd_createSubid != InvalidSubTransactionId ||
		   relation->rd_newRelfilelocatorSubid != InvalidSubTransactionId ||
		   relation->rd_firstRelfilelocatorSubid != InvalidSubTransactionId;
#else
	return relation->rd_createSubid != InvalidSubTransactionId ||
		   relation->rd_newRelfilenodeSubid != InvalidSubTransactionId ||
		   relation->rd_firstRelfilenodeSubid != InvalidSubTransactionId;
#endif
}

/* Raises an error if a page may lack what an old snapshot sees; until 16. */
static inline void
test_for_old_snapshot_compat(Snapshot snapshot, Relation relation, Page page)
{
#if PG_VERSION_NUM < 170000
	TestForOldSnapshot(snapshot, relation, page);
#endif
}

/* Tells whether pages may lack what old snapshots see. */
static inline bool
old_snapshots_end_compat(void)
{
#if PG_VERSION_NUM < 170000
	return OldSnapshotThresholdActive();
#else
	return false;
#endif
}

#endif /* WA_COMPAT_H */
