/*
 * row_sort.h
 *		The order of rows whose keys lie far apart: each thread's rows are sorted, and then
 *		merged part by part.
 *
 * The life of a sort: make; for each thread's rows, at the same time, wa_row_sort_run; on
 * one thread, wa_row_sort_divide; for each part, at the same time, wa_row_sort_merge.  All
 * rows with a key are in one part.
 */
#ifndef WA_QUERY_ROW_SORT_H
#define WA_QUERY_ROW_SORT_H

#include "query/run/run_rows.h"

/* A key, and where its row is. */
typedef struct WaRowPlace
{
	int64_t key;
	uint32_t chunk; /* number of the chunk, over all threads */
	uint32_t row;   /* of it */
} WaRowPlace;

/* What is left of a run. */
typedef struct WaRowRest
{
	const WaRowPlace *next;
	const WaRowPlace *end;
} WaRowRest;

typedef struct WaRowSort
{
	uint32_t nruns;
	uint32_t nparts;
	uint64_t *ends;     /* of the runs of rows, one behind the other, in: */
	WaRowPlace *sorted; /* run by run */
	WaRowPlace *merged; /* part by part */
	uint64_t *begins;   /* of nparts + 1 parts: where in each run they begin */
	WaRowRest *rests;   /* of each part: room for a heap of all runs */
	int64_t *samples;
	uint64_t nsamples; /* that there is room for */
} WaRowSort;

/*
 * Makes a sort of the rows of several threads, to be merged in so many parts, in the
 * arena.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_row_sort_make(WaRowSort *sort, WaArena *arena,
										   const WaRunRows *const *rows,
										   uint32_t nruns, uint32_t nparts);

/* Sorts one thread's rows, whose first chunk has a number over all of them. */
extern void wa_row_sort_run(const WaRowSort *sort, uint32_t run,
							const WaRunRows *rows, uint32_t first_chunk);

/* Finds where parts begin. */
extern void wa_row_sort_divide(const WaRowSort *sort);

/*
 * Merges a part; returns its rows, and stores how many there are, and the number of the
 * first one among all.
 */
extern const WaRowPlace *wa_row_sort_merge(const WaRowSort *sort, uint32_t part,
										   uint64_t *count, uint64_t *first);

#endif /* WA_QUERY_ROW_SORT_H */
