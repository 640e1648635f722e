/*
 * choose_rows.h
 *		Choosing the first rows of a table while they are read, where each row is a group of its
 *		own (scan/plan/rows_path.h).
 *
 * Rows that vectors hold are kept as values (query/run/first_rows.h), no more than twice as many
 * as are wanted, and become groups when all have been read.
 */
#ifndef WA_SCAN_CHOOSE_ROWS_H
#define WA_SCAN_CHOOSE_ROWS_H

#include "core/must_check.h"
#include "scan/state/scan_state.h"

/*
 * To be called when the groups of a scan have been made: has its rows be chosen, if the query
 * wants the first ones and as many find room in the memory.
 */
extern void wa_choose_rows_begin(WaScanState *state);

/*
 * Takes the rows of a batch that are left; returns false, with nothing taken, if they are to
 * become groups.
 */
extern WA_MUST_CHECK bool wa_choose_rows_take(WaScanState *state, size_t nrows);

/* Has the rows that were chosen become groups. */
extern void wa_choose_rows_finish(WaScanState *state);

#endif /* WA_SCAN_CHOOSE_ROWS_H */
