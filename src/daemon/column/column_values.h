/*
 * column_values.h
 *		Loops over the values of a resident column.
 */
#ifndef WA_DAEMON_COLUMN_VALUES_H
#define WA_DAEMON_COLUMN_VALUES_H

#include "core/resident.h"

/* Returns the largest of some bytes, 0 if there are none. */
uint8_t wa_values_largest_byte(const uint8_t *bytes, size_t count);

/* The same of numbers. */
uint32_t wa_values_largest_number(const uint32_t *numbers, size_t count);

/* Tells whether wide values have no more than 38 digits each. */
bool wa_values_are_decimals(const WaInt128 *values, size_t nrows);

/* Tells whether some wide values are 2^95 or more in magnitude, or nearly. */
bool wa_values_have_large(const WaInt128 *values, size_t nrows);

/* Sets the values of NULLs, where valid has a 0 and not a 1, to 0. */
void wa_values_clear_nulls(WaForm form, void *values, const uint8_t *valid,
						   size_t nrows);

/*
 * Finds the smallest and the largest of an INT's values that are not NULL.  valid
 * NULL: none is.  *smallest is more than *largest if there are none, or if the
 * form is none of an INT.
 */
void wa_values_find_bounds(WaForm form, const void *values,
						   const uint8_t *valid, size_t nrows,
						   int64_t *smallest, int64_t *largest);

#endif /* WA_DAEMON_COLUMN_VALUES_H */
