/*
 * datum.h
 *		Single values, from SQL to vectors and back.
 */
#ifndef WA_SCAN_DATUM_H
#define WA_SCAN_DATUM_H

#include "core/must_check.h"
#include "core/vector.h"

/*
 * Stores a value of SQL that is not NULL, of a type that wa_gather_kind knows,
 * as row 0 of the vector, which has no NULLs then.  Returns false if it does not
 * fit; only a vector that may be wide becomes wide.  A TEXT points into the value, or if that is
 * compressed or out of line, into a copy in the current memory context.
 */
extern WA_MUST_CHECK bool wa_datum_to_vector(Oid type, WaVectorKind kind,
											 Datum value, WaVector *vector);

/*
 * Returns a row of a vector, which is not NULL, as a value of SQL, in the current
 * memory context.
 */
extern Datum wa_vector_to_datum(Oid type, WaVectorKind kind,
								const WaVector *vector, size_t row);

/* How values of a type lie in vectors. */
typedef struct WaDatumForm
{
	Oid type;
	WaVectorKind kind;
	bool
		is_stored; /* no vector can hold the type: TEXTs are values as tuples have them, */
	bool by_value; /* like this, */
	int16 length;  /* and with this length */
} WaDatumForm;

/* Returns how values of a type lie in vectors of a kind, which is one that they may have. */
extern WaDatumForm wa_datum_form(Oid type, WaVectorKind kind);

/*
 * Returns a row of a vector, which is not NULL, as a value of SQL: in the current memory
 * context, or where the vector has it.
 */
extern Datum wa_datum_of_row(const WaDatumForm *form, const WaVector *vector,
							 size_t row);

/*
 * Returns a value of SQL of a type that vectors hold as INT, that an INT stands for, and
 * the other way around.
 */
extern Datum wa_integer_datum(Oid type, int64 value);
extern int64 wa_integer_of_datum(Oid type, Datum value);

#endif /* WA_SCAN_DATUM_H */
