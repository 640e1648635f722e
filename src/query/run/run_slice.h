/*
 * run_slice.h
 *		Taking the rows of a query slice by slice, whose groups have no keys in common.
 *
 * A row that fulfils WHERE has a hash of the values of some registers, which are INTs: equal
 * values have equal hashes.  One run tells the hashes; others, each of which has a slice of them,
 * take the rows.  So no groups of two runs are to be merged, and those of one may stay in a
 * cache, but all hashes are read for each slice.
 */
#ifndef WA_QUERY_RUN_SLICE_H
#define WA_QUERY_RUN_SLICE_H

#include "core/must_check.h"
#include "query/run/run.h"

/* What rows have for a hash that do not fulfil WHERE; no other has it. */
#define WA_NO_ROW_HASH UINT16_MAX

/* Registers of a query that rows are hashed by. */
typedef struct WaHashedRegisters
{
	const uint16_t *numbers;
	uint32_t count;
} WaHashedRegisters;

/* Rows with hashes from first to last. */
typedef struct WaRowSlice
{
	uint16_t first;
	uint16_t last;
} WaRowSlice;

/*
 * Stores the hashes of rows, at most WA_VECTOR_ROWS, as of wa_query_run_take, by a run that is
 * for that alone and always by the same registers.  Returns false if some row traps.
 */
extern WA_MUST_CHECK bool wa_query_run_hash(WaQueryRun *run,
											const WaHashedRegisters *registers,
											const WaColumnRows *rows,
											size_t nrows, uint16_t *hashes);

/*
 * Brings those of at most 65536 rows into groups that are in a slice, likewise; if some trap, the
 * run is of no further use.
 */
extern WA_MUST_CHECK WaRunOutcome wa_query_run_take_slice(
	WaQueryRun *run, const WaRowSlice *slice, const WaColumnRows *rows,
	const uint16_t *hashes, size_t nrows);

#endif /* WA_QUERY_RUN_SLICE_H */
