/*
 * row_fill.h
 *		Filling parts of the tables that rows become (row_tables.h).
 */
#ifndef WA_QUERY_ROW_FILL_H
#define WA_QUERY_ROW_FILL_H

#include "query/run/row_tables.h"

/* Fills a part of tables whose runs are all sorted, at the same time as others. */
extern void wa_row_fill_part(WaRowTables *tables, uint32_t part);

#endif /* WA_QUERY_ROW_FILL_H */
