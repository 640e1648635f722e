/*
 * mirror_rows.h
 *		A space of rows that runs are taken from and given back to, first fit.
 */
#ifndef WA_DAEMON_MIRROR_ROWS_H
#define WA_DAEMON_MIRROR_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/must_check.h"

/* Rows begin to end - 1 that nobody has. */
typedef struct WaRowGap
{
	uint64_t begin;
	uint64_t end;
} WaRowGap;

/* The gaps ascend, and do not touch.  Belongs to whoever uses it. */
typedef struct WaRowSpace
{
	uint32_t nruns; /* that are taken */
	uint32_t ngaps;
	uint32_t room;
	WaRowGap *gaps;
} WaRowSpace;

/* Makes a space of so many rows; false if there is no memory. */
bool wa_row_space_init(WaRowSpace *space, uint64_t rows);

/* Frees what the space has of memory. */
void wa_row_space_end(WaRowSpace *space);

/*
 * Takes a run from the first gap that it fits in.  Returns false if there is none,
 * or no memory to give the run back later.
 */
WA_MUST_CHECK bool wa_row_space_take(WaRowSpace *space, uint64_t rows,
									 uint64_t *first);

/* Gives a run back, whole as it was taken. */
void wa_row_space_give(WaRowSpace *space, uint64_t first, uint64_t rows);

#endif /* WA_DAEMON_MIRROR_ROWS_H */
