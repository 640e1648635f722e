/*
 * test_program_reference.h
 *		What instructions of programs compute, one row at a time.
 */
#ifndef WA_TEST_PROGRAM_REFERENCE_H
#define WA_TEST_PROGRAM_REFERENCE_H

#include "core/program.h"

/* A value of any kind; a DECIMAL is i units of 10^-scale, a BOOL is i. */
typedef struct Cell
{
	bool null;
	int64_t i;
	double f;
	WaText text;
	uint8_t scale;
	uint8_t display;
} Cell;

/* UNSURE: the instruction may trap, or give the result. */
typedef enum Outcome
{
	FITS,
	TRAPS,
	UNSURE
} Outcome;

/*
 * Computes a row of an instruction; CALL is as its function.  The scale of the
 * result is set in NULL rows too.
 */
Outcome reference_compute(const WaProgram *program,
						  const WaInstruction *instruction,
						  const Cell arguments[3], Cell *result);

/* The function that calls call: doubles integers, but traps at 100 and beyond. */
bool reference_call(void *context, const WaVector *a, WaVector *out,
					size_t nrows);

#endif /* WA_TEST_PROGRAM_REFERENCE_H */
