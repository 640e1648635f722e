/*
 * parallel_task.h
 *		What a leader and its workers share, and how they write it.
 */
#ifndef WA_SCAN_PARALLEL_TASK_H
#define WA_SCAN_PARALLEL_TASK_H

#include "access/parallel.h"

#include "scan/spill/spill.h"
#include "scan/state/instrument.h"
#include "scan/state/scan_batch.h"
#include "scan/state/scan_query.h"
#include "scan/state/scan_store.h"

/* What lies in the shared memory, by its key there. */
typedef enum WaTaskPart
{
	WA_TASK_HEAD,     /* WaTask */
	WA_TASK_SOURCES,  /* WaTaskSource, as many as it says */
	WA_TASK_QUERY,    /* wa_task_write_query */
	WA_TASK_SNAPSHOT, /* SerializeSnapshot */
	WA_TASK_TEXT,     /* the client's query, for pg_stat_activity */
	WA_TASK_QUEUES,   /* of WA_TASK_QUEUE_BYTES, one a worker, to the leader */
	WA_TASK_BUFFER_USAGE, /* BufferUsage, one a worker */
	WA_TASK_WAL_USAGE,    /* WalUsage, likewise */
	WA_TASK_COVERED,      /* blocks to leave out, if there are some */
	WA_TASK_JOINS,        /* wa_join_image_write, if there are joins */
	WA_TASK_PARTS
} WaTaskPart;

/* What a worker has done; it writes this before it ends. */
typedef struct WaTaskReport
{
	bool is_complete; /* all its groups are in its queue, or spilled */
	bool has_spilled;
	int64 last; /* wa_key_bound_last */
	WaInstrument counts;
} WaTaskReport;

/*
 * The leader fills it in before there are workers.  Then only the atomics change,
 * and each report, which its worker writes and the leader reads when that has
 * ended.
 */
typedef struct WaTask
{
	Oid table; /* of the query */
	bool is_timed;
	int nsources;
	WaWantedKeys wanted;
	WaSpillShare spill;
	WaTaskReport reports[FLEXIBLE_ARRAY_MEMBER];
} WaTask;

/* A source: where its words of the blocks to leave out begin, and the others. */
typedef struct WaTaskSource
{
	Oid relation;
	Size covered; /* WA_TASK_NOT_COVERED: there are none */
	WaHeapShare blocks;
} WaTaskSource;

#define WA_TASK_NOT_COVERED ((Size) -1)

/* Bytes of a queue, for messages of scan/rows/merge.h. */
#define WA_TASK_QUEUE_BYTES (256 * 1024)

/*
 * Returns what a node computes, as text.  Parameters have become constants with
 * their present values; whatever they depend on is computed for that.
 */
extern char *wa_task_write_query(const WaScanQuery *query,
								 ExprContext *econtext);

/*
 * Lets go of workers that have finished, so that DestroyParallelContext does not
 * wait for the end of processes that took much memory apart.
 */
extern void wa_task_end_workers(ParallelContext *context, const WaTask *task);

/* Has a new query be what the text says. */
extern void wa_task_read_query(WaScanQuery *query, char *text);

#endif /* WA_SCAN_PARALLEL_TASK_H */
