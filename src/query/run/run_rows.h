/*
 * run_rows.h
 *		The rows that are left of a query whose rows become tables (query/message/query.h),
 *		as one thread has them: their first keys, and values of the other keys.
 */
#ifndef WA_QUERY_RUN_ROWS_H
#define WA_QUERY_RUN_ROWS_H

#include "core/must_check.h"
#include "query/texts/other_texts.h"
#include "query/texts/text_numbers.h"

/* What is known of all values of a column. */
typedef struct WaRowValues
{
	WaVectorKind kind; /* TEXT: they are numbers of texts, as int32_t */
	bool is_narrow;    /* all have room in a narrow entry of a table */
	int display; /* DECIMAL: digits that all show; -1: there are no values */

	WaOtherTexts others; /* TEXT: beside the query's */
} WaRowValues;

/* What some rows have of a column; a DECIMAL in units of the last digit that it shows. */
typedef struct WaRowColumn
{
	void *values;   /* of the width of the kind, 0 where NULL */
	uint8_t *valid; /* a byte for each row, 1: it is not NULL; NULL: none is */
	bool is_narrow; /* the values are int32_t, though the kind has int64_t */
} WaRowColumn;

/* Some rows. */
typedef struct WaRowChunk
{
	struct WaRowChunk *next;
	uint32_t nrows;
	uint32_t room;
	int64_t *keys;
	const int32_t *narrow_keys; /* if they are not NULL, the keys are these */
	WaRowColumn columns[];
} WaRowChunk;

/* The rows, none of whose first keys is NULL. */
typedef struct WaRunRows
{
	WaArena *arena;
	uint32_t ncolumns; /* keys but for the first */
	WaRowValues *columns;
	size_t row_bytes;
	uint64_t nrows;
	int64_t smallest; /* of the first keys; undefined if there are no rows */
	int64_t largest;
	uint32_t nchunks;
	WaRowChunk *first;
	WaRowChunk *last;
	bool is_odd; /* no table can hold some value: the rows are of no use */
	uint16_t selection[WA_VECTOR_ROWS];
} WaRunRows;

/* Rows that somebody else has, none of whose first keys is NULL. */
typedef struct WaGivenRows
{
	uint32_t nrows; /* at least one */
	int64_t *keys;  /* or, as a chunk has them: */
	const int32_t *narrow_keys;
	int64_t smallest; /* of the keys */
	int64_t largest;
	const WaRowColumn *columns; /* as a chunk has them */
	const WaRowValues *known;   /* of all values of each column */
} WaGivenRows;

/* Returns the bytes of a value of a kind. */
static inline size_t
wa_row_value_bytes(WaVectorKind kind)
{
	return kind == WA_VECTOR_TEXT   ? sizeof(int32_t)
		   : kind == WA_VECTOR_BOOL ? sizeof(uint8_t)
									: sizeof(int64_t);
}

/* Tells whether words between these have room in narrow entries of a table. */
static inline bool
wa_row_words_are_narrow(int64_t smallest, int64_t largest)
{
	return smallest >= -INT32_MAX && largest <= INT32_MAX;
}

/* Returns the key of a row of a chunk. */
static inline int64_t
wa_row_chunk_key(const WaRowChunk *chunk, size_t row)
{
	return chunk->narrow_keys != NULL ? chunk->narrow_keys[row]
									  : chunk->keys[row];
}

/*
 * Returns the keys of rows of a chunk, from one on, at most WA_VECTOR_ROWS: in place, or in
 * the buffer.
 */
extern const int64_t *wa_row_chunk_keys(const WaRowChunk *chunk, size_t row,
										size_t nrows, int64_t *buffer);

/* Makes no rows, in the arena; returns NULL if there is not enough memory. */
extern WaRunRows *wa_run_rows_make(WaArena *arena,
								   const WaNumberedQuery *numbered);

/*
 * Takes rows with these keys, at most WA_VECTOR_ROWS.  Returns false, with the rows of no
 * further use, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_run_rows_take(WaRunRows *rows,
										   WaVector *const *keys, size_t nrows);

/*
 * Takes a row with these keys, the first of which is not NULL; of a TEXT the number is in
 * its integer.  Returns as wa_run_rows_take.
 */
extern WA_MUST_CHECK bool wa_run_rows_add_one(WaRunRows *rows,
											  const WaQueryValue *keys);

/*
 * Adds rows, whose values stay where they are, and have to be there as long as the rows.
 * Returns false, with the rows of no further use, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_run_rows_add(WaRunRows *rows,
										  const WaGivenRows *given);

#endif /* WA_QUERY_RUN_ROWS_H */
