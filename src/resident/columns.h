/*
 * columns.h
 *		Which columns of a relation somebody who loads means.
 */
#ifndef WA_RESIDENT_COLUMNS_H
#define WA_RESIDENT_COLUMNS_H

#include "access/attnum.h"
#include "utils/array.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "core/resident.h"

/*
 * Finds the columns that are named in an array of text, or all that can be
 * resident if it is NULL, for the current user to load.  Stores them, ascending,
 * in columns, which has room for all that the relation has and one more, and returns how many.
 * Raises an error if a column does not exist, cannot be resident or may not be
 * selected from, or if none is named.  Of all columns, those that cannot be
 * or may not be are left out.
 */
extern int wa_columns_to_load(Relation relation, const ArrayType *names,
							  WaColumnName *columns);

/*
 * Finds the attribute numbers of named columns.  Returns how many, and the array
 * in *attributes, ascending and without doubles.
 */
extern int wa_columns_find(Relation relation, const ArrayType *names,
						   AttrNumber **attributes);

/*
 * Finds the column that takes the least memory, of those that can be resident and
 * that the current user may select from.  Returns false if there is none.
 */
extern WA_MUST_CHECK bool wa_columns_narrowest(Relation relation,
											   AttrNumber *attribute);

#endif /* WA_RESIDENT_COLUMNS_H */
