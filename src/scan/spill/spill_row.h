/*
 * spill_row.h
 *		Rows of a table as they are spilled: with the columns that keys,
 *		arguments and filters of aggregates use, and no others.
 */
#ifndef WA_SCAN_SPILL_ROW_H
#define WA_SCAN_SPILL_ROW_H

#include "core/must_check.h"
#include "scan/spill/spill_file.h"
#include "scan/state/scan_query.h"
#include "scan/state/scan_source.h"

typedef struct WaSpillRows WaSpillRows;

/* Prepares to spill rows of a table, for as long as the query lives. */
extern WaSpillRows *wa_spill_rows_make(const WaScanQuery *query,
									   const WaScanSources *sources);

/* Returns a row of the table as a tuple to be spilled, in the current context. */
extern HeapTuple wa_spill_rows_pack(WaSpillRows *rows, TupleTableSlot *slot);

/* As wa_gather_step, for rows that were spilled; stores the columns it knows. */
extern WA_MUST_CHECK bool wa_spill_rows_gather(WaSpillRows *rows,
											   const WaRow *spilled, int nrows);

/*
 * Returns a row that was spilled as one of the table, for expressions, until the
 * next call or batch; the other columns are NULL.
 */
extern TupleTableSlot *wa_spill_rows_slot(WaSpillRows *rows,
										  const WaRow *spilled);

#endif /* WA_SCAN_SPILL_ROW_H */
