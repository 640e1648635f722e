/*
 * limit_tables.h
 *		Tables (core/steps.h) of comparisons of times with a time of another type, such
 *		as of a timestamp with now().
 *
 * Such a comparison depends on the time zone.  Where the offset of that from UTC does
 * not change for days before and after the limit, the times on either side of one
 * moment are less and greater, and a few wide steps tell that of all of them.
 */
#ifndef WA_SCAN_LIMIT_TABLES_H
#define WA_SCAN_LIMIT_TABLES_H

#include "core/protocol.h"
#include "core/steps.h"
#include "scan/expr/evaluate.h"

/* Tells whether there may be such a table for a call. */
extern bool wa_limit_table_is_possible(const WaCallExpression *call);

/*
 * Makes the table of a call, whose limit has been computed, over a range of times, in
 * the current memory context.  Days around the limit are not known if the time zone's
 * offset changes there.  Returns NULL if there is none.
 */
extern const WaSteps *wa_limit_table_make(const WaCallExpression *call,
										  const WaEvaluation *evaluation,
										  const WaResidency *range);

#endif /* WA_SCAN_LIMIT_TABLES_H */
