/*
 * gpu_rows.h
 *		Rows that GPUs have handed over, of a query whose rows become tables
 *		(query/run/run_rows.h).
 *
 * They lie in pinned memory, which counts as memory of the query's groups, and stay there
 * until the tables are made.
 */
#ifndef WA_DAEMON_GPU_ROWS_H
#define WA_DAEMON_GPU_ROWS_H

#include "cuda/query.h"
#include "query/run/run.h"

/* The rows of one span, in a list. */
typedef struct WaGpuRows
{
	struct WaGpuRows *next;
	WaCudaQueries *queries;
	WaBudget *budget;
	WaCudaRows rows;
	WaCudaRowValues keys[]; /* of the query */
} WaGpuRows;

/*
 * Keeps rows of so many keys as the first of a list.  Their memory has been taken from the
 * budget, for groups, and is the list's then.  Returns false if there is not enough memory:
 * then nothing is.
 */
WA_MUST_CHECK bool wa_gpu_rows_keep(WaGpuRows **list, WaCudaQueries *queries,
									WaBudget *budget, const WaCudaRows *rows,
									uint32_t nkeys);

/* Moves what there is of one list to another one. */
void wa_gpu_rows_move(WaGpuRows **from, WaGpuRows **to);

/* Returns how many rows a list has. */
uint64_t wa_gpu_rows_count(const WaGpuRows *list);

/*
 * Adds a share of the rows of a list to a run of their query, which uses them as long as it
 * is there: share of nshares.  Returns false, with the run of no further use, if there is not
 * enough memory.
 */
WA_MUST_CHECK bool wa_gpu_rows_add(const WaGpuRows *list,
								   const WaNumberedQuery *numbered,
								   WaQueryRun *run, unsigned share,
								   unsigned nshares);

/* Frees the rows of a list; NULL is none. */
void wa_gpu_rows_free(WaGpuRows *list);

#endif /* WA_DAEMON_GPU_ROWS_H */
