/*
 * vector.c
 *		Picking rows out of vectors.
 */
#include <string.h>

#include "core/vector.h"
#include "core/vectorised.h"

/*
 * Of a byte, the numbers of its bits that are set, in ascending order, as the
 * bytes of a word.
 */
#define PLACE(byte, bit)                        \
	((uint64_t) (((byte) >> (bit)) & 1) * (bit) \
	 << 8 * __builtin_popcount((byte) & ((1 << (bit)) - 1)))
#define PLACES(byte)                                                     \
	(PLACE(byte, 0) | PLACE(byte, 1) | PLACE(byte, 2) | PLACE(byte, 3) | \
	 PLACE(byte, 4) | PLACE(byte, 5) | PLACE(byte, 6) | PLACE(byte, 7))
#define PLACES_4(byte) \
	PLACES(byte), PLACES((byte) + 1), PLACES((byte) + 2), PLACES((byte) + 3)
#define PLACES_16(byte)                                         \
	PLACES_4(byte), PLACES_4((byte) + 4), PLACES_4((byte) + 8), \
		PLACES_4((byte) + 12)
#define PLACES_64(byte)                                              \
	PLACES_16(byte), PLACES_16((byte) + 16), PLACES_16((byte) + 32), \
		PLACES_16((byte) + 48)

static const uint64_t places_of_bits[256] = {PLACES_64(0), PLACES_64(64),
											 PLACES_64(128), PLACES_64(192)};

/* Makes eight bytes that are 0 or 1 eight bits, the first one's the lowest. */
static inline unsigned
bits_of_bytes(uint64_t bytes)
{
	return (unsigned) (bytes * UINT64_C(0x0102040810204080) >> 56);
}

/*
 * Writes eight numbers for eight rows, those of rows that are true first; the
 * others are written over or not looked at.  The value of a NULL is 0.
 */
WA_VECTORISED size_t
wa_vector_select(const WaVector *condition, size_t nrows, uint16_t *selection)
{
	const uint8_t *values = wa_vector_bools(condition);
	size_t nselected = 0;
	size_t row = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; row + 8 <= nrows; row += 8)
	{
		uint16_t *next = selection + nselected;
		uint8_t places[8];
		uint64_t bytes;
		unsigned bits;

		memcpy(&bytes, values + row, sizeof(bytes));
		bits = bits_of_bytes(bytes);
		memcpy(places, &places_of_bits[bits], sizeof(places));
		for (int i = 0; i < 8; i++)
			next[i] = (uint16_t) (row + places[i]);
		nselected += (size_t) __builtin_popcount(bits);
	}
#endif
	for (; row < nrows; row++)
	{
		selection[nselected] = (uint16_t) row;
		nselected += values[row];
	}
	return nselected;
}

static void
compact_bytes(uint8_t *bytes, const uint16_t *selection, size_t nselected)
{
	for (size_t i = 0; i < nselected; i++)
		bytes[i] = bytes[selection[i]];
}

static void
compact_words(WaVector *vector, const uint16_t *selection, size_t nselected)
{
	if (vector->wide)
		for (size_t i = 0; i < nselected; i++)
			wa_vector_wides(vector)[i] = wa_vector_wides(vector)[selection[i]];
	else
		for (size_t i = 0; i < nselected; i++)
			wa_vector_ints(vector)[i] = wa_vector_ints(vector)[selection[i]];
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
			compact_words(vector, selection, nselected);
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
