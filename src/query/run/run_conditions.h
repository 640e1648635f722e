/*
 * run_conditions.h
 *		Clauses of WHERE that say something of one column of integers, without a vector of it.
 *
 * Most clauses do: that it is between constants, or that a look-up finds it.  They are
 * evaluated from where the rows lie, in the width of these.
 */
#ifndef WA_QUERY_RUN_CONDITIONS_H
#define WA_QUERY_RUN_CONDITIONS_H

#include "core/must_check.h"
#include "query/base/column_rows.h"
#include "query/message/query.h"

/*
 * What a clause says, or something else: the value is not NULL and, without a table, lies between these, or,
 * if it is_outside, does not; with one, it has an entry that is not NULL, and true if these
 * are BOOL.
 */
typedef struct WaRunCondition
{
	int input; /* -1: nothing of the kind */
	int64_t least;
	int64_t most;
	bool is_outside;
	const WaLookupTable *table;
} WaRunCondition;

/* Finds out what each clause of a query says, in the arena; NULL: not enough memory. */
extern const WaRunCondition *wa_run_conditions_make(WaArena *arena,
													const WaQuery *query);

/*
 * Stores 1 for rows that fulfil a condition, else 0: of the selected ones, or the first if
 * selection is NULL; of decimals by their units.  Returns false if that cannot be told of rows
 * of their form.
 */
extern WA_MUST_CHECK bool
wa_run_condition_apply(const WaRunCondition *condition,
					   const WaColumnRows *rows, const uint16_t *selection,
					   size_t nrows, uint8_t *out);

#endif /* WA_QUERY_RUN_CONDITIONS_H */
