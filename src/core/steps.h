/*
 * steps.h
 *		Functions of an integer that are constant on steps of equal width, and
 *		functions of texts that have codes, as tables.
 *
 * The day, the month or the hour of a time in some time zone is such a function,
 * and so is any function of a date, or of a text of a dictionary.  Who knows the
 * function fills the table; who has the table can do without the function.
 */
#ifndef WA_CORE_STEPS_H
#define WA_CORE_STEPS_H

#include "core/vector.h"

/* nsteps * width is at most this, so that doubles hold it. */
#define WA_MAX_STEPS_SPAN ((uint64_t) 1 << 52)

/* Steps of a table that travels with a query. */
#define WA_MAX_STEPS ((uint64_t) 1 << 20)

/* What is known of a step. */
typedef enum WaStepState
{
	WA_STEP_UNKNOWN,
	WA_STEP_VALUE,
	WA_STEP_NULL
} WaStepState;

/* What the values of a table are. */
typedef enum WaStepResults
{
	WA_STEPS_WORDS, /* those of a vector of kind INT, FLOAT or DECIMAL */
	WA_STEPS_BOOLS, /* 0 or 1 */
	WA_STEPS_TEXTS  /* numbers of texts of the table, which are all different */
} WaStepResults;

/*
 * The function at x has the value values[(x - base) / width] where known[] is
 * WA_STEP_VALUE.  Where that is WA_STEP_UNKNOWN, and outside the steps, it is not
 * known.  If there is a dictionary, x is the code of a text in it, base is 0 and
 * width 1.
 */
typedef struct WaSteps
{
	int64_t base;
	uint64_t width;  /* at least 1 */
	uint64_t nsteps; /* at least 1 */
	const int64_t *values;
	const uint8_t *known; /* WaStepState */
	uint8_t scale;        /* DECIMAL */
	uint8_t results;      /* WaStepResults */
	bool null_has_value; /* the function of NULL has a value: this; else NULL */
	int64_t null_value;
	uint64_t dictionary; /* its number (core/protocol.h); 0: x is an INT */
	uint32_t ntexts;
	const WaText *texts;
} WaSteps;

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Computes the function at the values of an INT vector; sets all of *out, of a
 * kind that suits the results, but its pointers.  Returns false to trap: it is not
 * known somewhere.
 */
bool wa_steps_call(const WaSteps *steps, const WaVector *a, WaVector *out,
				   size_t nrows);

/*
 * Likewise, but stores values of the table in words, 0 where the result is NULL.
 * codes: of a TEXT vector, whose values are not looked at; NULL: a is an INT.
 */
bool wa_steps_look_up(const WaSteps *steps, const WaVector *a,
					  const int32_t *codes, WaVector *out, int64_t *words,
					  size_t nrows);

/* Makes values of a vector of what has been looked up. */
void wa_steps_store(const WaSteps *steps, const int64_t *words, WaVector *out,
					size_t nrows);

/*
 * Tells whether a table is one that can travel: its counts and its span are what
 * this file says, no step is beyond the integers, and values are what they may be.
 */
bool wa_steps_are_sound(const WaSteps *steps);

/* Tells whether a table has results for a register of the kind. */
bool wa_steps_suit(const WaSteps *steps, WaVectorKind kind);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_STEPS_H */
