/*
 * compat.h
 *		The differences between PostgreSQL versions; the only place that looks
 *		at PG_VERSION_NUM.  Include it after postgres.h.
 */
#ifndef WA_COMPAT_H
#define WA_COMPAT_H

#include "access/attmap.h"
#include "access/heapam.h"
#include "access/heapam_xlog.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/storage_xlog.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#if PG_VERSION_NUM < 150000
#error "warpagg needs PostgreSQL 15 or later"
#endif

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#define F_RANDOM F_RANDOM_
#endif

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#include "storage/waiteventset.h"
#define F_REVERSE     F_REVERSE_TEXT
#define ROWCOMPARE_NE COMPARE_NE
/* EXPLAIN has a hook for lines on a plan. */
#define EXPLAIN_HAS_PLAN_HOOK_COMPAT
#endif

/* It includes ICU's headers, which need not be there, for the end of a structure. */
#pragma push_macro("USE_ICU")
#undef USE_ICU
#include "utils/pg_locale.h"
#pragma pop_macro("USE_ICU")

/* Says that a case of a switch goes on with the next one. */
#ifndef pg_fallthrough
#define pg_fallthrough __attribute__((fallthrough))
#endif

/* What a hook of the planner is given beside the query, and hands on. */
#if PG_VERSION_NUM >= 190000
#define PLANNER_PARAMETERS_COMPAT                                  \
	const char *text, int options, ParamListInfo bound_parameters, \
		struct ExplainState *es
#define PLANNER_ARGUMENTS_COMPAT text, options, bound_parameters, es
#else
#define PLANNER_PARAMETERS_COMPAT \
	const char *text, int options, ParamListInfo bound_parameters
#define PLANNER_ARGUMENTS_COMPAT text, options, bound_parameters
#endif

/* Plans a query that has been rewritten. */
static inline PlannedStmt *
plan_query_compat(Query *query, const char *text, int options,
				  ParamListInfo parameters)
{
#if PG_VERSION_NUM >= 190000
	return pg_plan_query(query, text, options, parameters, NULL);
#else
	return pg_plan_query(query, text, options, parameters);
#endif
}

/* Raises an error if the current user may not do with tables what a plan does. */
static inline void
check_permissions_compat(const PlannedStmt *plan)
{
#if PG_VERSION_NUM >= 160000
	(void) ExecCheckPermissions(plan->rtable, plan->permInfos, true);
#else
	(void) ExecCheckRTPerms(plan->rtable, true);
#endif
}

/* Plans and explains a query, as EXPLAIN does without hooks; until 17. */
#ifndef EXPLAIN_HAS_PLAN_HOOK_COMPAT
static inline void
explain_query_compat(Query *query, int options, IntoClause *into,
					 ExplainState *es, const char *text,
					 ParamListInfo parameters, QueryEnvironment *environment)
{
#if PG_VERSION_NUM >= 170000
	standard_ExplainOneQuery(query, options, into, es, text, parameters,
							 environment);
#else
	const BufferUsage before = pgBufferUsage;
	BufferUsage used = {0};
	PlannedStmt *plan;
	instr_time start;
	instr_time duration;

	INSTR_TIME_SET_CURRENT(start);
	plan = pg_plan_query(query, text, options, parameters);
	INSTR_TIME_SET_CURRENT(duration);
	INSTR_TIME_SUBTRACT(duration, start);
	BufferUsageAccumDiff(&used, &pgBufferUsage, &before);
	ExplainOnePlan(plan, into, es, text, parameters, environment, &duration,
				   es->buffers ? &used : NULL);
#endif
}
#endif

/* Makes what EXPLAIN ANALYZE counts of a node, whose type differs, too. */
#if PG_VERSION_NUM >= 190000
#define instr_alloc_node_compat(options) InstrAllocNode(options, false)
#else
#define instr_alloc_node_compat(options) InstrAlloc(1, options, false)
#endif

/* Reads the next datum of a sort, a copy in the current memory context if it is by reference. */
#if PG_VERSION_NUM >= 160000
#define tuplesort_getdatum_compat(sort, value, is_null) \
	tuplesort_getdatum(sort, true, true, value, is_null, NULL)
#else
#define tuplesort_getdatum_compat(sort, value, is_null) \
	tuplesort_getdatum(sort, true, value, is_null, NULL)
#endif

/* Checks a right of a role on a function. */
static inline AclResult
proc_aclcheck_compat(Oid function, Oid role, AclMode mode)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, mode);
#else
	return pg_proc_aclcheck(function, role, mode);
#endif
}

/* Tells whether the current user owns a relation. */
static inline bool
owns_relation_compat(Oid relation)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, relation, GetUserId());
#else
	return pg_class_ownercheck(relation, GetUserId());
#endif
}

/* Tells whether a column is computed when it is read: rows have NULL for it. */
static inline bool
attribute_is_virtual_compat(const FormData_pg_attribute *attribute)
{
#if PG_VERSION_NUM >= 180000
	return attribute->attgenerated == ATTRIBUTE_GENERATED_VIRTUAL;
#else
	return false;
#endif
}

/* Tells whether EXPLAIN puts names of tables before those of columns. */
static inline bool
explain_has_prefixes_compat(const ExplainState *es)
{
#if PG_VERSION_NUM >= 180000
	return es->rtable_size > 1 || es->verbose;
#else
	return list_length(es->rtable) > 1 || es->verbose;
#endif
}

/* Tells whether texts of a collation are ordered by their bytes. */
static inline bool
collation_is_c_compat(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/*
 * Returns the strategy that an operator has in a B-tree, ROWCOMPARE_NE if it is the
 * negator of equality, or 0 if it has none.
 */
static inline int
operator_meaning_compat(Oid operator)
{
#if PG_VERSION_NUM >= 180000
	List *meanings = get_op_index_interpretation(operator);

	return meanings == NIL
			   ? 0
			   : (int) ((OpIndexInterpretation *) linitial(meanings))->cmptype;
#else
	List *meanings = get_op_btree_interpretation(operator);

	return meanings == NIL
			   ? 0
			   : ((OpBtreeInterpretation *) linitial(meanings))->strategy;
#endif
}

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

#if PG_VERSION_NUM >= 190000
	return BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u64(&descriptor->state)) > 0;
#else
	return BUF_STATE_GET_USAGECOUNT(pg_atomic_read_u32(&descriptor->state)) > 0;
#endif
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

#if PG_VERSION_NUM < 170000
/*
 * The part of a read stream's interface that we use, for versions without: each block
 * is read when it is asked for.
 */
typedef struct ReadStream ReadStream;
typedef BlockNumber (*ReadStreamBlockNumberCB)(ReadStream *stream, void *data,
											   void *buffer_data);

struct ReadStream
{
	Relation relation;
	BufferAccessStrategy strategy;
	ReadStreamBlockNumberCB callback;
	void *data;
};

static inline Buffer
read_stream_next_buffer(ReadStream *stream, void **buffer_data)
{
	BlockNumber block = stream->callback(stream, stream->data, NULL);

	if (block == InvalidBlockNumber)
		return InvalidBuffer;
	return ReadBufferExtended(stream->relation, MAIN_FORKNUM, block, RBM_NORMAL,
							  stream->strategy);
}

static inline void
read_stream_reset(ReadStream *stream)
{
}

static inline void
read_stream_end(ReadStream *stream)
{
	pfree(stream);
}
#endif

/*
 * Makes a stream that reads the blocks of a relation that a callback names, in the
 * current memory context.  The callback waits for no lock that can last.
 */
static inline ReadStream *
begin_stream_compat(Relation relation, BufferAccessStrategy strategy,
					ReadStreamBlockNumberCB callback, void *data)
{
#if PG_VERSION_NUM >= 180000
	return read_stream_begin_relation(READ_STREAM_USE_BATCHING, strategy,
									  relation, MAIN_FORKNUM, callback, data,
									  0);
#elif PG_VERSION_NUM >= 170000
	return read_stream_begin_relation(READ_STREAM_DEFAULT, strategy, relation,
									  MAIN_FORKNUM, callback, data, 0);
#else
	ReadStream *stream = palloc(sizeof(*stream));

	stream->relation = relation;
	stream->strategy = strategy;
	stream->callback = callback;
	stream->data = data;
	return stream;
#endif
}

/*
 * Returns which columns of a descriptor those of another one are, by their names, or NULL
 * if they have the same numbers and layout.
 */
static inline AttrMap *
attributes_by_name_compat(TupleDesc from, TupleDesc to)
{
#if PG_VERSION_NUM >= 160000
	return build_attrmap_by_name_if_req(from, to, false);
#else
	return build_attrmap_by_name_if_req(from, to);
#endif
}

/* The name of a relation's storage. */
#if PG_VERSION_NUM >= 160000
typedef RelFileLocator WaStorageName;
#else
typedef RelFileNode WaStorageName;
#endif

/* Finds out what the name of a storage is made of. */
static inline void
split_storage_name_compat(const WaStorageName *name, Oid *tablespace,
						  Oid *database, Oid *file)
{
#if PG_VERSION_NUM >= 160000
	*tablespace = name->spcOid;
	*database = name->dbOid;
	*file = name->relNumber;
#else
	*tablespace = name->spcNode;
	*database = name->dbNode;
	*file = name->relNode;
#endif
}

/* Finds out the names of a relation's storage. */
static inline void
relation_storage_compat(Relation relation, Oid *tablespace, Oid *database,
						Oid *file)
{
#if PG_VERSION_NUM >= 160000
	split_storage_name_compat(&relation->rd_locator, tablespace, database,
							  file);
#else
	split_storage_name_compat(&relation->rd_node, tablespace, database, file);
#endif
}

/* Names in records of WAL: of a storage that is made, ... */
static inline const WaStorageName *
created_name_compat(const xl_smgr_create *create)
{
#if PG_VERSION_NUM >= 160000
	return &create->rlocator;
#else
	return &create->rnode;
#endif
}

/* ..., one that is truncated, ... */
static inline const WaStorageName *
truncated_name_compat(const xl_smgr_truncate *truncate)
{
#if PG_VERSION_NUM >= 160000
	return &truncate->rlocator;
#else
	return &truncate->rnode;
#endif
}

/* ..., and those, nrels of them, that a commit drops, ... */
static inline const WaStorageName *
committed_names_compat(const xl_xact_parsed_commit *commit)
{
#if PG_VERSION_NUM >= 160000
	return commit->xlocators;
#else
	return commit->xnodes;
#endif
}

/* ... or an abort. */
static inline const WaStorageName *
aborted_names_compat(const xl_xact_parsed_abort *abort)
{
#if PG_VERSION_NUM >= 160000
	return abort->xlocators;
#else
	return abort->xnodes;
#endif
}

/*
 * Tells whether a record of the second kind of the heap's leaves the rows of pages as
 * snapshots see them; those that prune have other names from 17 on.
 */
static inline bool
heap2_keeps_rows_compat(uint8 op)
{
	switch (op)
	{
#if PG_VERSION_NUM >= 170000
		case XLOG_HEAP2_PRUNE_ON_ACCESS:
		case XLOG_HEAP2_PRUNE_VACUUM_SCAN:
		case XLOG_HEAP2_PRUNE_VACUUM_CLEANUP:
#else
		case XLOG_HEAP2_PRUNE:
		case XLOG_HEAP2_VACUUM:
		case XLOG_HEAP2_FREEZE_PAGE:
#endif
#ifdef XLOG_HEAP2_VISIBLE
		case XLOG_HEAP2_VISIBLE:
#endif
		case XLOG_HEAP2_LOCK_UPDATED:
			return true;
		default:
			return false;
	}
}

/*
 * Returns the oldest transaction whose end is still known from pg_xact; it stays so while
 * XactTruncationLock is held.
 */
static inline TransactionId
oldest_known_xid_compat(void)
{
#if PG_VERSION_NUM >= 170000
	return TransamVariables->oldestClogXid;
#else
	return ShmemVariableCache->oldestClogXid;
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

/*
 * Prunes a page if that is worth it.  From 19 on it is then marked as all-visible if
 * may_mark, for which a page of the visibility map is pinned in *map.
 */
static inline void
prune_page_compat(Relation relation, Buffer buffer, Buffer *map, bool may_mark)
{
#if PG_VERSION_NUM >= 190000
	heap_page_prune_opt(relation, buffer, map, may_mark);
#else
	heap_page_prune_opt(relation, buffer);
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

/* Returns a relation of a query by its number, which its plan has opened. */
static inline Relation
query_relation_compat(EState *estate, Index number)
{
#if PG_VERSION_NUM >= 180000
	return ExecGetRangeTableRelation(estate, number, false);
#else
	return ExecGetRangeTableRelation(estate, number);
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

/*
 * Have the rows of a custom scan of a table be in a slot of a kind: once its state is made,
 * and when it begins.
 */
static inline void
make_scan_slot_compat(CustomScanState *scan, const TupleTableSlotOps *kind)
{
#if PG_VERSION_NUM >= 160000
	scan->slotOps = kind;
#endif
}

static inline void
begin_scan_slot_compat(CustomScanState *scan, EState *estate,
					   const TupleTableSlotOps *kind)
{
#if PG_VERSION_NUM < 160000
	ExecInitScanTupleSlot(estate, &scan->ss,
						  RelationGetDescr(scan->ss.ss_currentRelation), kind);
	ExecAssignScanProjectionInfo(&scan->ss);
#endif
}

#endif /* WA_COMPAT_H */
