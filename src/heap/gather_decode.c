/*
 * gather_decode.c
 *		From values in tuples to vectors, but for numerics.
 *
 * Values of a fixed length lie aligned.  One loop a form, so that each is a few
 * instructions a row.
 */
#include "postgres.h"

#include "compat.h"
#include "heap/gather_column.h"

#define DEFINE_DECODE(name, stored, held)                                      \
	static void decode_##name(const char *const *base, Size offset, int nrows, \
							  held *values)                                    \
	{                                                                          \
		for (int i = 0; i < nrows; i++)                                        \
			values[i] = *(const stored *) (base[i] + offset);                  \
	}

DEFINE_DECODE(int16, int16, int64_t)
DEFINE_DECODE(int32, int32, int64_t)
DEFINE_DECODE(int64, int64, int64_t)
DEFINE_DECODE(uint32, uint32, int64_t)
DEFINE_DECODE(float4, float4, double)
DEFINE_DECODE(float8, float8, double)

static void
decode_bool(const char *const *base, Size offset, int nrows, uint8_t *values)
{
	for (int i = 0; i < nrows; i++)
		values[i] = base[i][offset] != 0;
}

/* Texts stay where they are.  Returns false at one that must be detoasted. */
static bool
decode_text(const char *const *base, Size offset, int nrows, WaText *values)
{
	for (int i = 0; i < nrows; i++)
	{
		const char *value = base[i] + offset;

		if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
			return false;
		values[i].data = VARDATA_ANY(value);
		values[i].length = VARSIZE_ANY_EXHDR(value);
	}
	return true;
}

/* Values stay where they are, whatever they are. */
static void
decode_stored(const char *const *base, Size offset, int nrows, WaText *values)
{
	for (int i = 0; i < nrows; i++)
		values[i] = (WaText){base[i] + offset, 0};
}

bool
wa_gather_decode(const WaGatherColumn *column, int nrows, WaVector *vector)
{
	const char *const *base = column->base;
	Size offset = column->offset;
	int64_t *ints = wa_vector_ints(vector);
	double *floats = wa_vector_floats(vector);

	switch (column->form)
	{
		case WA_GATHER_INT16:
			decode_int16(base, offset, nrows, ints);
			return true;
		case WA_GATHER_INT32:
			decode_int32(base, offset, nrows, ints);
			return true;
		case WA_GATHER_INT64:
			decode_int64(base, offset, nrows, ints);
			return true;
		case WA_GATHER_UINT32:
			decode_uint32(base, offset, nrows, ints);
			return true;
		case WA_GATHER_FLOAT4:
			decode_float4(base, offset, nrows, floats);
			return true;
		case WA_GATHER_FLOAT8:
			decode_float8(base, offset, nrows, floats);
			return true;
		case WA_GATHER_BOOL:
			decode_bool(base, offset, nrows, wa_vector_bools(vector));
			return true;
		case WA_GATHER_NUMERIC:
			return wa_gather_numerics(column, nrows, vector);
		case WA_GATHER_TEXT:
			return decode_text(base, offset, nrows, wa_vector_texts(vector));
		case WA_GATHER_STORED:
			decode_stored(base, offset, nrows, wa_vector_texts(vector));
			return true;
	}
	pg_unreachable();
}
