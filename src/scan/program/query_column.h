/*
 * query_column.h
 *		Aggregated columns in a query program, and what the device process has of them.
 */
#ifndef WA_SCAN_QUERY_COLUMN_H
#define WA_SCAN_QUERY_COLUMN_H

#include "core/must_check.h"
#include "query/message/query.h"
#include "scan/expr/compile.h"

/*
 * Compiles an argument (NULL: rows are counted) and a filter (NULL: none) that need the
 * operations; fills in *column.  Returns false, with compiler->refusal set, if they are not
 * covered.
 */
extern WA_MUST_CHECK bool wa_compile_column(WaCompiler *compiler,
											Expr *argument, Expr *filter,
											WaOpSet ops, WaQueryColumn *column);

/*
 * Tells whether a column, whose argument is of the type, is one of the smallest and the
 * largest of texts that there may be ranks of (core/lookup_table.h): of a column of the table, or
 * a function of one.
 */
extern bool wa_column_has_ranks(const WaCompiler *compiler,
								const WaQueryColumn *column, Oid type);

/*
 * Tells whether texts that rows are ordered by, in a register and of a type and a collation, may
 * have such ranks, as they are all different by it.
 */
extern bool wa_order_has_ranks(const WaCompiler *compiler, int number, Oid type,
							   Oid collation);

/* Tells whether the device process can aggregate a column: there are records, or ranks. */
extern bool wa_column_is_pushable(const WaCompiler *compiler,
								  const WaQueryColumn *column, Oid type);

#endif /* WA_SCAN_QUERY_COLUMN_H */
