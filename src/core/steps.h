/*
 * steps.h
 *		Functions of an integer that are constant on steps of equal width, as
 *		tables.
 *
 * The day, the month or the hour of a time in some time zone is such a function,
 * and so is any function of a date.  Who knows the function fills the table; who
 * has the table can do without the function.
 */
#ifndef WA_CORE_STEPS_H
#define WA_CORE_STEPS_H

#include "core/vector.h"

/* nsteps * width is at most this, so that doubles hold it. */
#define WA_MAX_STEPS_SPAN ((uint64_t) 1 << 52)

/* Steps of a table that travels with a query. */
#define WA_MAX_STEPS ((uint64_t) 1 << 20)

/*
 * The function at x has the value values[(x - base) / width], which is that of a
 * vector of kind INT, FLOAT or DECIMAL, where known[] is 1.  Elsewhere, and
 * outside the steps, it is not known.
 */
typedef struct WaSteps
{
	int64_t base;
	uint64_t width;  /* at least 1 */
	uint64_t nsteps; /* at least 1 */
	const int64_t *values;
	const uint8_t *known;
	uint8_t scale; /* DECIMAL */
} WaSteps;

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Computes the function at the values of an INT vector; sets all of *out but its
 * pointers.  Returns false to trap: it is not known somewhere.
 */
bool wa_steps_call(const WaSteps *steps, const WaVector *a, WaVector *out,
				   size_t nrows);

/*
 * Tells whether a table is one that can travel: its counts and its span are what
 * this file says, and no step is beyond the integers.
 */
bool wa_steps_are_sound(const WaSteps *steps);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_STEPS_H */
