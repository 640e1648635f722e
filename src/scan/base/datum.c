/*
 * datum.c
 *		Single values, from SQL to vectors and back; see datum.h.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "compat.h"
#include "heap/gather.h"
#include "scan/base/datum.h"
#include "state/numeric_format.h"

int64
wa_integer_of_datum(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		case OIDOID:
			return DatumGetObjectId(value);
		default:
			return DatumGetInt64(value);
	}
}

/* Stores a finite numeric that may have no room in 64 bits. */
static bool
store_wide(const WaNumericView *view, WaVector *vector)
{
	__int128 number;

	if (!vector->may_be_wide || view->display_scale > WA_WIDE_MAX_SCALE ||
		!wa_numeric_to_wide(view, view->display_scale, &number))
		return false;
	*wa_vector_wides(vector) = wa_int128_make(number);
	vector->wide = true;
	return true;
}

/* Stores a finite numeric that has room in 64 bits. */
static bool
store_narrow(const WaNumericView *view, WaVector *vector)
{
	vector->wide = false;
	return view->display_scale <= WA_DECIMAL_MAX_SCALE &&
		   wa_numeric_to_decimal(view, view->display_scale,
								 wa_vector_ints(vector));
}

/* Stores a numeric. */
static bool
store_decimal(Datum value, WaVector *vector)
{
	WaNumericView view;

	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(value), &view);
	if (view.class != WA_NUMERIC_FINITE ||
		(!store_narrow(&view, vector) && !store_wide(&view, vector)))
		return false;
	vector->scale = (uint8) view.display_scale;
	return true;
}

bool
wa_datum_to_vector(Oid type, WaVectorKind kind, Datum value, WaVector *vector)
{
	const struct varlena *text;

	vector->has_nulls = false;
	vector->mixed = false;
	switch (kind)
	{
		case WA_VECTOR_INT:
			*wa_vector_ints(vector) = wa_integer_of_datum(type, value);
			return true;
		case WA_VECTOR_FLOAT:
			*wa_vector_floats(vector) = type == FLOAT4OID
											? (double) DatumGetFloat4(value)
											: DatumGetFloat8(value);
			return true;
		case WA_VECTOR_BOOL:
			*wa_vector_bools(vector) = DatumGetBool(value);
			return true;
		case WA_VECTOR_TEXT:
			text = PG_DETOAST_DATUM_PACKED(value);
			*wa_vector_texts(vector) =
				(WaText){VARDATA_ANY(text), VARSIZE_ANY_EXHDR(text)};
			return true;
		default:
			return store_decimal(value, vector);
	}
}

Datum
wa_integer_datum(Oid type, int64 value)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) value);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) value);
		case OIDOID:
			return ObjectIdGetDatum((Oid) value);
		default:
			return Int64GetDatum(value);
	}
}

/* Returns a value of a DECIMAL as a numeric. */
static Numeric
decimal_datum(const WaVector *vector, size_t row)
{
	const int display = vector->mixed ? vector->display[row] : vector->scale;

	return vector->wide ? wa_numeric_from_wide(wa_vector_wides(vector)[row],
											   vector->scale, display)
						: wa_numeric_from_decimal(wa_vector_ints(vector)[row],
												  vector->scale, display);
}

Datum
wa_vector_to_datum(Oid type, WaVectorKind kind, const WaVector *vector,
				   size_t row)
{
	switch (kind)
	{
		case WA_VECTOR_INT:
			return wa_integer_datum(type, wa_vector_ints(vector)[row]);
		case WA_VECTOR_FLOAT:
			return type == FLOAT4OID
					   ? Float4GetDatum((float4) wa_vector_floats(vector)[row])
					   : Float8GetDatum(wa_vector_floats(vector)[row]);
		case WA_VECTOR_BOOL:
			return BoolGetDatum(wa_vector_bools(vector)[row] != 0);
		case WA_VECTOR_TEXT:
			return PointerGetDatum(cstring_to_text_with_len(
				wa_vector_texts(vector)[row].data,
				(int) wa_vector_texts(vector)[row].length));
		default:
			return NumericGetDatum(decimal_datum(vector, row));
	}
}

WaDatumForm
wa_datum_form(Oid type, WaVectorKind kind)
{
	WaDatumForm form = {.type = type, .kind = kind};
	WaVectorKind own;

	form.is_stored = !wa_gather_kind(type, &own);
	get_typlenbyval(type, &form.length, &form.by_value);
	return form;
}

Datum
wa_datum_of_row(const WaDatumForm *form, const WaVector *vector, size_t row)
{
	if (!form->is_stored)
		return wa_vector_to_datum(form->type, form->kind, vector, row);
	return fetch_att(wa_vector_texts(vector)[row].data, form->by_value,
					 form->length);
}
