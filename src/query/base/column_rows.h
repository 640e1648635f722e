/*
 * column_rows.h
 *		Rows of a column as they lie in memory, and vectors of them.
 */
#ifndef WA_QUERY_COLUMN_ROWS_H
#define WA_QUERY_COLUMN_ROWS_H

#include "core/resident.h"

/*
 * Texts that have codes: equal texts have equal ones, from 0 on.  find: stores the code
 * of a text; false: it has none; NULL: they cannot be searched.  is_padded: all that are
 * equal but for blanks at their ends are equal.
 */
typedef struct WaTextCodes
{
	uint32_t ncodes;
	bool is_padded;
	const void *context;
	WaText (*text)(const void *context, int32_t code);
	bool (*find)(const void *context, WaText text, int32_t *code);
} WaTextCodes;

/*
 * values: of the form's width, of TEXT int32_t codes of texts, of BOOL bits, of
 * which that of the first row is bit first_bit; 0 where NULL.  validity: a byte for
 * each row, 1 where it is not NULL; NULL: all are not.  display: of a DECIMAL, a byte
 * for each row; NULL: all show `scale` digits.
 */
typedef struct WaColumnRows
{
	WaForm form;
	uint8_t scale;
	uint8_t first_bit; /* of BOOL, below 64 */
	const void *values;
	const uint8_t *validity;
	const uint8_t *display;
} WaColumnRows;

/* Returns rows that begin so many rows later. */
extern WaColumnRows wa_column_rows_after(const WaColumnRows *rows,
										 size_t nrows);

/*
 * Makes *vector one of the selected rows, or of the first if selection is NULL, of
 * TEXT with the codes as INT.  What it points to lies where the rows do, and is not to be
 * changed, or in *memory, a vector with memory of its own, of a DECIMAL also for values
 * of 128 bits.
 */
extern void wa_column_rows_vector(const WaColumnRows *rows,
								  const uint16_t *selection, size_t nrows,
								  const WaVector *memory, WaVector *vector);

#endif /* WA_QUERY_COLUMN_ROWS_H */
