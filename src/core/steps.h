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
 * A WaVectorFunction (core/program.h): the function at the values of an INT
 * vector.  The context is a WaSteps.  Traps where it is not known.
 */
bool wa_steps_call(void *context, const WaVector *a, WaVector *out,
				   size_t nrows);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_STEPS_H */
