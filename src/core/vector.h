/*
 * vector.h
 *		Columns of a few rows, as query programs compute with them.
 *
 * All vectors of a step have the same number of rows, at most WA_VECTOR_ROWS,
 * so that they stay in the processor's cache.  A vector owns memory for so many
 * values; its maker decides where that lies.
 */
#ifndef WA_CORE_VECTOR_H
#define WA_CORE_VECTOR_H

#include "core/int128.h"
#include "core/types.h"

#define WA_VECTOR_ROWS 1024

/*
 * INT		int64_t: integers of any width, dates, times, money, oids, as SQL
 *			stores them, widened
 * FLOAT	double; a float4 is a double that has a float4's value
 * DECIMAL	int64_t: a numeric, in units of 10^-scale; where the vector is wide,
 *			WaInt128
 * BOOL		uint8_t, 0 or 1
 * TEXT		WaText: bytes that lie elsewhere, for as long as the rows do
 */
typedef enum WaVectorKind
{
	WA_VECTOR_INT,
	WA_VECTOR_FLOAT,
	WA_VECTOR_DECIMAL,
	WA_VECTOR_BOOL,
	WA_VECTOR_TEXT
} WaVectorKind;

typedef struct WaText
{
	const char *data;
	size_t length;
} WaText;

/* The largest scale of a DECIMAL: 10^18 is the last that fits 64 bits. */
#define WA_DECIMAL_MAX_SCALE 18

/*
 * The same where it is wide, and the digits of its values: they are below
 * 10^38 in magnitude, the last power of ten that fits 128 bits.
 */
#define WA_WIDE_MAX_SCALE 38

/*
 * Where has_nulls is set, valid[i] is 0 for the rows that are NULL and 1 for the
 * others, and the value of a NULL is all zero bytes; else valid is not looked
 * at.  A DECIMAL is shown with `scale` digits after the point; where mixed is
 * set, with display[i] digits instead, at most `scale`.  A vector whose own memory
 * has room for values of 128 bits may be wide (wa_vector_place_wide): only there may
 * wide values be stored.  A vector that refers to the rows of a column may be wide
 * without.
 */
typedef struct WaVector
{
	void *values;
	uint8_t *valid;
	uint8_t *display; /* DECIMAL only */
	bool has_nulls;
	bool mixed;
	bool wide; /* DECIMAL only */
	bool may_be_wide;
	uint8_t scale;
} WaVector;

/* Returns a text without its trailing blanks. */
WA_INLINE WaText
wa_text_trim(WaText text)
{
	while (text.length > 0 && text.data[text.length - 1] == ' ')
		text.length--;
	return text;
}

/* Returns the bytes of a value. */
WA_INLINE size_t
wa_vector_width(WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_BOOL:
			return sizeof(uint8_t);
		case WA_VECTOR_TEXT:
			return sizeof(WaText);
		default:
			return sizeof(int64_t);
	}
}

/* Returns the bytes that wa_vector_place puts a vector into, a multiple of 64. */
WA_INLINE size_t
wa_vector_bytes(WaVectorKind kind)
{
	return WA_VECTOR_ROWS * (wa_vector_width(kind) + 2);
}

/* Makes *vector an empty one in the memory, which is aligned to 64 bytes. */
WA_INLINE void
wa_vector_place(WaVector *vector, WaVectorKind kind, void *memory)
{
	vector->values = memory;
	vector->valid = (uint8_t *) memory + WA_VECTOR_ROWS * wa_vector_width(kind);
	vector->display = vector->valid + WA_VECTOR_ROWS;
	vector->has_nulls = false;
	vector->mixed = false;
	vector->wide = false;
	vector->may_be_wide = false;
	vector->scale = 0;
}

/* Returns the bytes of a vector that may be wide, a multiple of 64. */
WA_INLINE size_t
wa_vector_wide_bytes(void)
{
	return WA_VECTOR_ROWS * (sizeof(WaInt128) + 2);
}

/* Makes *vector an empty DECIMAL that has memory for values of 128 bits. */
WA_INLINE void
wa_vector_place_wide(WaVector *vector, void *memory)
{
	wa_vector_place(vector, WA_VECTOR_DECIMAL, memory);
	vector->valid = (uint8_t *) memory + WA_VECTOR_ROWS * sizeof(WaInt128);
	vector->display = vector->valid + WA_VECTOR_ROWS;
	vector->may_be_wide = true;
}

/*
 * Returns the bytes of a vector of the kind that a program may store anything of it
 * in: a DECIMAL may be wide.
 */
WA_INLINE size_t
wa_vector_register_bytes(WaVectorKind kind)
{
	return kind == WA_VECTOR_DECIMAL ? wa_vector_wide_bytes()
									 : wa_vector_bytes(kind);
}

/* Makes *vector such a one, and empty. */
WA_INLINE void
wa_vector_place_register(WaVector *vector, WaVectorKind kind, void *memory)
{
	if (kind == WA_VECTOR_DECIMAL)
		wa_vector_place_wide(vector, memory);
	else
		wa_vector_place(vector, kind, memory);
}

WA_INLINE int64_t *
wa_vector_ints(const WaVector *vector)
{
	return (int64_t *) vector->values;
}

WA_INLINE WaInt128 *
wa_vector_wides(const WaVector *vector)
{
	return (WaInt128 *) vector->values;
}

WA_INLINE double *
wa_vector_floats(const WaVector *vector)
{
	return (double *) vector->values;
}

WA_INLINE uint8_t *
wa_vector_bools(const WaVector *vector)
{
	return (uint8_t *) vector->values;
}

WA_INLINE WaText *
wa_vector_texts(const WaVector *vector)
{
	return (WaText *) vector->values;
}

/* Tells whether a row is not NULL. */
WA_INLINE bool
wa_vector_is_valid(const WaVector *vector, size_t row)
{
	return !vector->has_nulls || vector->valid[row] != 0;
}

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Writes the numbers of the rows that are true in a BOOL vector (not false, not
 * NULL) to selection, ascending.  Returns how many there are.
 */
size_t wa_vector_select(const WaVector *condition, size_t nrows,
						uint16_t *selection);

/*
 * Keeps of a vector only the rows of an ascending selection, in their order; in
 * place.
 */
void wa_vector_compact(WaVector *vector, WaVectorKind kind,
					   const uint16_t *selection, size_t nselected);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_VECTOR_H */
