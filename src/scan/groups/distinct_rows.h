/*
 * distinct_rows.h
 *		Rows that have come, so that those that look the same need not be sorted.
 *
 * Rows that look unlike may be equal to DISTINCT, which is seen when they have been sorted.  A
 * table of their bytes stays within work_mem, and is given up where most rows are new.
 */
#ifndef WA_SCAN_DISTINCT_ROWS_H
#define WA_SCAN_DISTINCT_ROWS_H

#include "core/must_check.h"

typedef struct WaDistinctRows WaDistinctRows;

typedef enum WaRowLook
{
	WA_ROW_NEW,
	WA_ROW_SEEN,
	WA_ROW_UNKNOWN /* the table is of no use any more */
} WaRowLook;

/* Makes an empty table, in a memory context of its own below parent. */
extern WaDistinctRows *wa_distinct_rows_make(MemoryContext parent);

/* Begins a row of a group, puts its next value, and tells whether it has come before. */
extern void wa_distinct_rows_begin(WaDistinctRows *rows, uint32 group);
extern void wa_distinct_rows_put(WaDistinctRows *rows,
								 const NullableDatum *value, bool by_value,
								 int16 length);
extern WA_MUST_CHECK WaRowLook wa_distinct_rows_look(WaDistinctRows *rows);

/* Frees a table. */
extern void wa_distinct_rows_drop(WaDistinctRows *rows);

#endif /* WA_SCAN_DISTINCT_ROWS_H */
