/*
 * changes.c
 *		What records of WAL change of the rows of relations.
 *
 * What is asked is whether a block still has the rows that it had, as a later snapshot
 * sees them: those that are not known to all to be gone, in their order.  So most records
 * of the heap are changes of the blocks that they name, but not these:
 *
 *	- locks of rows, which are of no concern to snapshots;
 *	- pruning and vacuum, which remove rows that no snapshot sees any more, and leave
 *	  others in their places; freezing, which says of a transaction that it had committed
 *	  that it did so long ago; marks of the visibility map;
 *	- full images of pages whose hints have changed (XLOG_FPI_FOR_HINT).
 *
 * Records of indexes and sequences name blocks of relations that are never resident.  All
 * others that name blocks count as changes of them, whoever's they are.
 *
 * A relation's storage gets a name that another has had before.  So that it is made, or
 * is dropped, by the end of a transaction or with a database, is a change, too.
 */
#include "postgres.h"

#include "access/heapam_xlog.h"
#include "access/rmgr.h"
#include "access/xact.h"
#include "access/xlog_internal.h"
#include "access/xlogrecord.h"
#include "catalog/pg_control.h"
#include "catalog/storage_xlog.h"
#include "commands/dbcommands_xlog.h"

#include "compat.h"
#include "settings.h"
#include "wal/changes.h"

/* Relations that a record may drop one by one; if more, a database's are all named. */
#define MAX_DROPPED 256

StaticAssertDecl(WA_MAX_CHANGES >= XLR_MAX_BLOCK_ID + 1 &&
					 WA_MAX_CHANGES >= MAX_DROPPED,
				 "a FOLLOW has room for the changes of any record");

/* What of RM_HEAP_ID keeps rows; without the rule that all changes are seen, updates do. */
static bool
heap_keeps_rows(uint8 op)
{
	return op == XLOG_HEAP_LOCK ||
		   (wa_debug_skip_rule == WA_RULE_CHANGES &&
			(op == XLOG_HEAP_UPDATE || op == XLOG_HEAP_HOT_UPDATE));
}

void
wa_changes_begin(WaChanges *changes, WaFollowMessage *follow)
{
	changes->follow = follow;
	changes->is_full = false;
	memset(changes->slots, 0, sizeof(changes->slots));
	follow->nchanges = 0;
}

/* Tells whether two changes are of the same things. */
static bool
is_same(const WaChange *a, const WaChange *b)
{
	return a->block == b->block && a->kind == b->kind &&
		   memcmp(&a->relation, &b->relation, sizeof(a->relation)) == 0;
}

/* Returns the slot to begin to look for a change in. */
static uint32
first_slot(const WaChange *change)
{
	uint32 hash = change->block + change->kind;

	hash = hash * 0x9E3779B1 + change->relation.file;
	hash = hash * 0x9E3779B1 + change->relation.database;
	hash *= 0x9E3779B1;
	return hash >> 16 & (WA_CHANGE_SLOTS - 1);
}

/* Tells whether there is room for all changes of a record; else none is to be added. */
static bool
has_room(WaChanges *changes, int count)
{
	if (changes->follow->nchanges + (uint32) count <= WA_MAX_CHANGES)
		return true;
	changes->is_full = true;
	return false;
}

/* Adds a change, or has one of the same things take its place. */
static void
add(WaChanges *changes, const WaChange *change)
{
	WaFollowMessage *follow = changes->follow;
	uint32 slot = first_slot(change);

	for (; changes->slots[slot] != 0; slot = (slot + 1) % WA_CHANGE_SLOTS)
	{
		WaChange *other = &follow->changes[changes->slots[slot] - 1];

		if (is_same(change, other))
		{
			other->lsn = change->lsn;
			return;
		}
	}
	Assert(follow->nchanges < WA_MAX_CHANGES);
	follow->changes[follow->nchanges++] = *change;
	changes->slots[slot] = (uint16_t) follow->nchanges;
}

/* Adds a change of a relation's blocks. */
static void
add_of_relation(WaChanges *changes, const XLogReaderState *record,
				const WaStorageName *name, BlockNumber block, WaChangeKind kind)
{
	WaChange change = {.block = block, .kind = kind, .lsn = record->EndRecPtr};

	split_storage_name_compat(name, &change.relation.tablespace,
							  &change.relation.database, &change.relation.file);
	/* Relations of all databases are the system's. */
	if (wa_relation_is_sound(&change.relation))
		add(changes, &change);
}

/* Adds that a database's files, or those of all if it is 0, are others. */
static void
add_database(WaChanges *changes, const XLogReaderState *record, Oid database)
{
	const WaChange change = {.relation.database = database,
							 .kind = WA_CHANGE_FILES,
							 .lsn = record->EndRecPtr};

	if (has_room(changes, 1))
		add(changes, &change);
}

/* Adds that the blocks that a record names have changed. */
static void
add_blocks(WaChanges *changes, XLogReaderState *record)
{
	if (!has_room(changes, XLogRecMaxBlockId(record) + 1))
		return;
	for (int id = 0; id <= XLogRecMaxBlockId(record); id++)
	{
		WaStorageName name;
		ForkNumber fork;
		BlockNumber block;

		if (!XLogRecHasBlockRef(record, id))
			continue;
		XLogRecGetBlockTag(record, (uint8) id, &name, &fork, &block);
		if (fork == MAIN_FORKNUM)
			add_of_relation(changes, record, &name, block, WA_CHANGE_BLOCK);
	}
}

/* Returns the database that all of some relations belong to; 0: there are several. */
static Oid
database_of(int nrelations, const WaStorageName *names)
{
	Oid found = InvalidOid;

	for (int i = 0; i < nrelations; i++)
	{
		Oid tablespace;
		Oid database;
		Oid file;

		split_storage_name_compat(&names[i], &tablespace, &database, &file);
		if (i > 0 && database != found)
			return InvalidOid;
		found = database;
	}
	return found;
}

/* Adds that relations are dropped. */
static void
add_dropped(WaChanges *changes, const XLogReaderState *record, int nrelations,
			const WaStorageName *names)
{
	if (nrelations > MAX_DROPPED)
	{
		add_database(changes, record, database_of(nrelations, names));
		return;
	}
	if (!has_room(changes, nrelations))
		return;
	for (int i = 0; i < nrelations; i++)
		add_of_relation(changes, record, &names[i], 0, WA_CHANGE_REST);
}

/* Adds what the end of a transaction changes. */
static void
add_of_transaction(WaChanges *changes, XLogReaderState *record)
{
	const uint8 info = XLogRecGetInfo(record);
	xl_xact_parsed_commit commit;
	xl_xact_parsed_abort abort;

	switch (info & XLOG_XACT_OPMASK)
	{
		case XLOG_XACT_COMMIT:
		case XLOG_XACT_COMMIT_PREPARED:
			ParseCommitRecord(info, (xl_xact_commit *) XLogRecGetData(record),
							  &commit);
			add_dropped(changes, record, commit.nrels,
						committed_names_compat(&commit));
			break;
		case XLOG_XACT_ABORT:
		case XLOG_XACT_ABORT_PREPARED:
			ParseAbortRecord(info, (xl_xact_abort *) XLogRecGetData(record),
							 &abort);
			add_dropped(changes, record, abort.nrels,
						aborted_names_compat(&abort));
			break;
		default:
			break;
	}
}

/* Adds what becomes of a relation's storage. */
static void
add_of_storage(WaChanges *changes, XLogReaderState *record)
{
	const char *data = XLogRecGetData(record);

	switch (XLogRecGetInfo(record) & ~XLR_INFO_MASK)
	{
		case XLOG_SMGR_CREATE:
		{
			const xl_smgr_create *create = (const xl_smgr_create *) data;

			if (create->forkNum == MAIN_FORKNUM && has_room(changes, 1))
				add_of_relation(changes, record, created_name_compat(create), 0,
								WA_CHANGE_REST);
			break;
		}
		case XLOG_SMGR_TRUNCATE:
		{
			const xl_smgr_truncate *truncate = (const xl_smgr_truncate *) data;

			if ((truncate->flags & SMGR_TRUNCATE_HEAP) != 0 &&
				has_room(changes, 1))
				add_of_relation(changes, record,
								truncated_name_compat(truncate),
								truncate->blkno, WA_CHANGE_REST);
			break;
		}
		default:
			break;
	}
}

/* Adds what becomes of a database: all these records begin with its OID. */
static void
add_of_database(WaChanges *changes, XLogReaderState *record)
{
	const uint8 op = XLogRecGetInfo(record) & ~XLR_INFO_MASK;
	Oid database;

	if (op == XLOG_DBASE_CREATE_FILE_COPY || op == XLOG_DBASE_CREATE_WAL_LOG ||
		op == XLOG_DBASE_DROP)
		memcpy(&database, XLogRecGetData(record), sizeof(database));
	else
		database = InvalidOid;
	add_database(changes, record, database);
}

bool
wa_changes_add(WaChanges *changes, XLogReaderState *record)
{
	const uint8 op = XLogRecGetInfo(record) & ~XLR_INFO_MASK;

	switch (XLogRecGetRmid(record))
	{
		case RM_XACT_ID:
			add_of_transaction(changes, record);
			break;
		case RM_SMGR_ID:
			add_of_storage(changes, record);
			break;
		case RM_DBASE_ID:
			add_of_database(changes, record);
			break;
		case RM_XLOG_ID:
			if (op != XLOG_FPI_FOR_HINT)
				add_blocks(changes, record);
			break;
		case RM_HEAP_ID:
			if (!heap_keeps_rows(op & XLOG_HEAP_OPMASK))
				add_blocks(changes, record);
			break;
		case RM_HEAP2_ID:
			if (!heap2_keeps_rows_compat(op & XLOG_HEAP_OPMASK))
				add_blocks(changes, record);
			break;
		case RM_BTREE_ID:
		case RM_HASH_ID:
		case RM_GIN_ID:
		case RM_GIST_ID:
		case RM_SPGIST_ID:
		case RM_BRIN_ID:
		case RM_SEQ_ID:
			break;
		default:
			add_blocks(changes, record);
			break;
	}
	return !changes->is_full;
}
