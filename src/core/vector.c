/*
 * vector.c
 *		Picking rows out of vectors.
 */
#include "core/vector.h"

/*
 * Every row's number is written, and the next one over it if the row is not
 * true: there is nothing to predict.  The value of a NULL is 0.
 */
size_t
wa_vector_select(const WaVector *condition, size_t nrows, uint16_t *selection)
{
	const uint8_t *values = wa_vector_bools(condition);
	size_t nselected = 0;

	for (size_t i = 0; i < nrows; i++)
	{
		selection[nselected] = (uint16_t) i;
		nselected += values[i];
	}
	return nselected;
}

static void
compact_bytes(uint8_t *bytes, const uint16_t *selection, size_t nselected)
{
	for (size_t i = 0; i < nselected; i++)
		bytes[i] = bytes[selection[i]];
}

/* As the selection is ascending, no row is read after it was written to. */
void
wa_vector_compact(WaVector *vector, WaVectorKind kind,
				  const uint16_t *selection, size_t nselected)
{
	switch (kind)
	{
		case WA_VECTOR_INT:
		case WA_VECTOR_DECIMAL:
			for (size_t i = 0; i < nselected; i++)
				wa_vector_ints(vector)[i] =
					wa_vector_ints(vector)[selection[i]];
			break;
		case WA_VECTOR_FLOAT:
			for (size_t i = 0; i < nselected; i++)
				wa_vector_floats(vector)[i] =
					wa_vector_floats(vector)[selection[i]];
			break;
		case WA_VECTOR_BOOL:
			compact_bytes(wa_vector_bools(vector), selection, nselected);
			break;
		case WA_VECTOR_TEXT:
			for (size_t i = 0; i < nselected; i++)
				wa_vector_texts(vector)[i] =
					wa_vector_texts(vector)[selection[i]];
			break;
	}
	if (vector->has_nulls)
		compact_bytes(vector->valid, selection, nselected);
	if (kind == WA_VECTOR_DECIMAL && vector->mixed)
		compact_bytes(vector->display, selection, nselected);
}
