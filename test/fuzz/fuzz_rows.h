/*
 * fuzz_rows.h
 *		Columns of rows that follow from a number, in any form of any kind.
 */
#ifndef WA_TEST_FUZZ_ROWS_H
#define WA_TEST_FUZZ_ROWS_H

#include "query/base/column_rows.h"

/* Texts that columns have. */
#define FUZZ_TEXTS 12
extern const WaTextCodes fuzz_texts;

/*
 * Makes a column of a kind whose values are what columns may have, to be freed;
 * its arrays have their own sizes, for sanitizers to watch.
 */
void fuzz_rows_make(WaColumnRows *rows, WaVectorKind kind, size_t nrows,
					uint64_t *state);
void fuzz_rows_free(WaColumnRows *rows);

#endif /* WA_TEST_FUZZ_ROWS_H */
