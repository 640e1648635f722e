/*
 * batch.h
 *		A batch of one column's values, as kernels and fold loops take it.
 */
#ifndef WA_CORE_BATCH_H
#define WA_CORE_BATCH_H

#include "core/types.h"

/*
 * The values lie one after the other, aligned to their own width and to
 * nothing more; those of I128 to 8 bytes in the memory of a process, but to 16
 * where a device reads them, in a staging slot.  A batch has at most 2^32 rows.
 *
 * Only in a device's memory some rows may not be valid, as those of resident columns
 * that are NULL: row i is valid if bit i % 64 of word i / 64 of the validity bitmap is
 * set; the bitmap is aligned to 8 bytes, bits beyond nrows may be anything.  What
 * lies in values for a row that is not valid may be anything.
 */
typedef struct WaBatch
{
	WaType type;
	const void *values;
	const uint64_t *validity; /* of a device; NULL: all rows are valid */
	size_t nrows;
} WaBatch;

/* Bytes of a validity bitmap for nrows rows. */
WA_INLINE size_t
wa_validity_bytes(size_t nrows)
{
	return (nrows + 63) / 64 * sizeof(uint64_t);
}

/* Tells whether the row is valid. */
WA_INLINE bool
wa_row_is_valid(const uint64_t *validity, size_t row)
{
	return validity == NULL || (validity[row / 64] >> (row % 64) & 1) != 0;
}

#endif /* WA_CORE_BATCH_H */
