/*
 * first_rows.h
 *		The first rows of a query each of whose rows is a group of its own (WaTopN.of_rows).
 *
 * Such rows need not be looked for among groups: those that come after as many others as are
 * wanted are dropped where they are read.
 */
#ifndef WA_QUERY_FIRST_ROWS_H
#define WA_QUERY_FIRST_ROWS_H

#include "core/must_check.h"
#include "query/base/column_rows.h"
#include "query/message/query.h"

typedef struct WaFirstRows WaFirstRows;

/* Tells whether the rows of a query that is sound are chosen like this. */
extern bool wa_first_rows_are_wanted(const WaQuery *query);

/* With parts (WaTopN.nparts) so many rows at most are kept in a process of the device. */
#define WA_FIRST_ROWS_MOST_PARTS 100000

/*
 * Makes no rows, in the arena; NULL if there is not enough memory.  most_parts: how many rows are
 * kept of which each is the first of a part.
 */
extern WaFirstRows *wa_first_rows_make(WaArena *arena, const WaQuery *query,
									   size_t most_parts);

/* Tells whether the rows of a query may have keys that are too large to be compared. */
extern bool wa_first_rows_may_trap(const WaQuery *query);

/*
 * Stores 1 for the rows of a batch that may still be among the first, as far as the input
 * tells that they are ordered by first of all, else 0.  Returns false if it does not tell.
 */
extern WA_MUST_CHECK bool wa_first_rows_mark(const WaFirstRows *first,
											 const WaColumnRows *inputs,
											 size_t nrows, uint8_t *marks);

/*
 * Takes rows, whose key i is in *keys[i].  Returns false, with nothing taken, if one cannot be
 * compared: a DECIMAL of more than 64 bits; or, with some taken, if there are too many parts, or
 * not enough memory for them.
 */
extern WA_MUST_CHECK bool
wa_first_rows_take(WaFirstRows *first, WaVector *const *keys, size_t nrows);

/* Tells whether there have been too many parts: no more rows are taken. */
extern bool wa_first_rows_are_full(const WaFirstRows *first);

/* Takes those that others are, of the same query; returns false if there are too many parts. */
extern WA_MUST_CHECK bool wa_first_rows_merge(WaFirstRows *first,
											  const WaFirstRows *others);

/* Drops all but as many as are wanted; returns how many there are. */
extern size_t wa_first_rows_finish(WaFirstRows *first);

/* Drops all rows; others that come after them are still of no use. */
extern void wa_first_rows_forget(WaFirstRows *first);

/* Returns the keys of a row, by its number. */
extern const WaQueryValue *wa_first_rows_keys(const WaFirstRows *first,
											  size_t row);

#endif /* WA_QUERY_FIRST_ROWS_H */
