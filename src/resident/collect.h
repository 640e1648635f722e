/*
 * collect.h
 *		A column of an extent while the extent is read.
 *
 * Values are appended vector by vector, in the narrowest form that takes all that
 * there are so far.
 */
#ifndef WA_RESIDENT_COLLECT_H
#define WA_RESIDENT_COLLECT_H

#include "core/must_check.h"
#include "core/resident.h"
#include "resident/collect_texts.h"

typedef struct WaCollected
{
	WaColumnName name;
	uint32_t nrows;
	uint32_t room; /* for rows; there may be no memory for any yet */
	WaForm form;
	void *values;      /* of the form; TEXT: numbers */
	uint8_t *validity; /* undefined unless has_nulls is set */
	uint8_t *display;  /* of a DECIMAL; undefined unless mixed is set */
	bool has_nulls;
	bool mixed;
	bool wide;      /* values of a DECIMAL have needed 128 bits */
	bool has_scale; /* a DECIMAL has had a value that is not NULL */
	uint32_t scale; /* of all values of a DECIMAL */
	uint64_t odd[WA_EXTENT_WORDS]; /* a bit for each block that it lacks */
	int64_t smallest; /* INT and DECIMAL that is not wide: of values and the
					   * zeros of NULLs, */
	int64_t largest;  /* those included that were taken away again */
	WaCollectedTexts texts; /* TEXT */
} WaCollected;

/*
 * Makes *column an empty one.  It lets go of no memory, so that a column is used
 * again and again; it has memory of the context in which it first grows.
 */
extern void wa_collect_begin(WaCollected *column);

/*
 * Appends the rows of a vector.  Returns false, with the column as it was, if
 * they cannot be held together: decimals of too different scales, too much text.
 */
extern WA_MUST_CHECK bool
wa_collect_append(WaCollected *column, const WaVector *vector, uint32_t nrows);

/* Appends the rows of a block of the extent whose values it cannot hold. */
extern void wa_collect_skip(WaCollected *column, uint32_t block,
							uint32_t nrows);

/* Takes away all rows from nrows on, but not their texts. */
extern void wa_collect_cut(WaCollected *column, uint32_t nrows);

/*
 * Places the rows in a parcel from *offset on, a multiple of 64: fills in *where but for
 * the values, and moves *offset behind them.
 */
extern void wa_collect_place(const WaCollected *column, WaExtentColumn *where,
							 uint64_t *offset);

/* Writes the values to where they have been placed. */
extern void wa_collect_write(const WaCollected *column,
							 const WaExtentColumn *where, char *parcel);

#endif /* WA_RESIDENT_COLLECT_H */
