/*
 * narrow.h
 *		Integers of 64 bits in the forms that take fewer.
 */
#ifndef WA_RESIDENT_NARROW_H
#define WA_RESIDENT_NARROW_H

#include "core/resident.h"

/* Moves *smallest and *largest so that all values lie between them. */
extern void wa_narrow_bounds(const int64_t *values, uint32_t nrows,
							 int64_t *smallest, int64_t *largest);

/* Stores values in a form of INT or DECIMAL, of up to 64 bits, that takes all. */
extern void wa_narrow_copy(WaForm form, void *to, const int64_t *from,
						   uint32_t nrows);

/* Brings values of up to 64 bits to a form that is at least as wide, in place. */
extern void wa_narrow_widen(WaForm from, WaForm to, void *values,
							uint32_t nrows);

#endif /* WA_RESIDENT_NARROW_H */
