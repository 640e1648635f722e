/*
 * program_internal.h
 *		What the files that implement the instructions of programs share.
 *
 * program.c has the table of them and takes care of NULLs; program_KIND.c have
 * the loops.  Loops are written for the compiler to turn into vector
 * instructions, or at least to overlap: they have no branches, and what traps is
 * collected and looked at after the loop.
 */
#ifndef WA_CORE_PROGRAM_INTERNAL_H
#define WA_CORE_PROGRAM_INTERNAL_H

#include "core/must_check.h"
#include "core/program.h"
#include "core/vectorised.h"

/* An instruction with its registers; those that it does not have are NULL. */
typedef struct WaStep
{
	const WaProgram *program;
	const WaVector *a;
	const WaVector *b;
	const WaVector *c;
	WaVector *out;
	size_t nrows;
	uint32_t extra;
} WaStep;

/*
 * Computes the values of *out, its scale, mixed and display, which are 0 and
 * false before.  Returns false to trap.  NULLs are the caller's business for
 * most operations (program.c): rows that are NULL hold anything then, and those
 * of an argument 0.
 */
typedef bool (*WaOperation)(const WaStep *step);

/* 64 bits of any type. */
typedef uint64_t __attribute__((may_alias)) WaWord;

/* program_int.c */
bool wa_int_add(const WaStep *step);
bool wa_int_subtract(const WaStep *step);
bool wa_int_multiply(const WaStep *step);
bool wa_int_divide(const WaStep *step);
bool wa_int_remainder(const WaStep *step);
bool wa_int_negate(const WaStep *step);
bool wa_int_abs(const WaStep *step);
bool wa_int_narrow(const WaStep *step);

/* program_float.c */
bool wa_float_add(const WaStep *step);
bool wa_float_subtract(const WaStep *step);
bool wa_float_multiply(const WaStep *step);
bool wa_float_divide(const WaStep *step);
bool wa_float_negate(const WaStep *step);
bool wa_float_abs(const WaStep *step);
bool wa_float_floor(const WaStep *step);
bool wa_float_ceil(const WaStep *step);
bool wa_float_narrow(const WaStep *step);
bool wa_float_high_part(const WaStep *step);
bool wa_float_low_part(const WaStep *step);
bool wa_float_to_int(const WaStep *step);

/* program_decimal.c */
bool wa_decimal_add(const WaStep *step);
bool wa_decimal_subtract(const WaStep *step);
bool wa_decimal_multiply(const WaStep *step);
bool wa_decimal_negate(const WaStep *step);
bool wa_decimal_abs(const WaStep *step);
bool wa_decimal_floor_divide(const WaStep *step);

/* program_divide.c */
bool wa_decimal_divide(const WaStep *step);
bool wa_decimal_remainder(const WaStep *step);
bool wa_decimal_divide_whole(const WaStep *step);

/* program_wide.c: the same as those without `wide`, of values of 128 bits */
bool wa_wide_add(const WaStep *step);
bool wa_wide_subtract(const WaStep *step);
bool wa_wide_multiply(const WaStep *step);
bool wa_wide_negate(const WaStep *step);
bool wa_wide_abs(const WaStep *step);
bool wa_wide_floor(const WaStep *step);
bool wa_wide_ceil(const WaStep *step);
bool wa_wide_round(const WaStep *step);
bool wa_wide_to_int(const WaStep *step);
bool wa_wide_to_float(const WaStep *step);
bool wa_wide_select(const WaStep *step);

/* program_divide.c: likewise, which rounds the quotient down that PostgreSQL rounds */
bool wa_wide_floor_divide(const WaStep *step);

/* program_round.c */
bool wa_decimal_floor(const WaStep *step);
bool wa_decimal_ceil(const WaStep *step);
bool wa_decimal_round(const WaStep *step);
bool wa_decimal_to_int(const WaStep *step);

/* program_convert.c */
bool wa_int_to_float(const WaStep *step);
bool wa_int_to_decimal(const WaStep *step);
bool wa_decimal_to_float(const WaStep *step);
bool wa_decimal_scale(const WaStep *step);
bool wa_date_to_timestamp(const WaStep *step);
bool wa_timestamp_to_date(const WaStep *step);
bool wa_timestamp_to_decimal(const WaStep *step);
bool wa_timestamp_to_float(const WaStep *step);

/* program_compare.c */
bool wa_compare_int(const WaStep *step);
bool wa_compare_float(const WaStep *step);
bool wa_compare_decimal(const WaStep *step);
bool wa_compare_bool(const WaStep *step);
bool wa_compare_text(const WaStep *step);
bool wa_in_int(const WaStep *step);

/* program_text.c */
bool wa_trim_text(const WaStep *step);

/* program_bool.c */
bool wa_bool_and(const WaStep *step);
bool wa_bool_or(const WaStep *step);
bool wa_bool_not(const WaStep *step);
bool wa_is_null(const WaStep *step);
bool wa_is_not_null(const WaStep *step);
bool wa_is_true(const WaStep *step);

/* program_select.c */
bool wa_select(const WaStep *step);

/*
 * Returns a DECIMAL's values in units of 10^-scale, its own scale or a larger
 * one: those of the vector, or computed to memory.  NULL if one does not fit.
 */
const int64_t *wa_decimal_at_scale(const WaVector *vector, uint8_t scale,
								   int64_t *memory, size_t nrows);

/*
 * Returns the digits that the rows of a DECIMAL are shown with: those of the
 * vector if it is mixed, or written to memory.
 */
const uint8_t *wa_decimal_display(const WaVector *vector, uint8_t *memory,
								  size_t nrows);

/*
 * Makes the display scale of each row the larger of the arguments', or their sum;
 * the result has the scale already, and is mixed if an argument is.
 */
void wa_decimal_show_larger(const WaStep *step);
void wa_decimal_show_sum(const WaStep *step);

/* Gives the result the scale of the only argument, and its display. */
void wa_decimal_keep_display(const WaStep *step);

/*
 * Makes *out the values in units of 10^-scale, wide if need be; those of NULL rows
 * are 0.  Returns false if they do not fit it: only a register that may be wide is.
 */
WA_MUST_CHECK bool wa_wide_store(WaVector *out, int scale,
								 const __int128 *values, size_t nrows);

/* Returns a row's value of a DECIMAL. */
static inline __int128
wa_decimal_at(const WaVector *vector, size_t row)
{
	return vector->wide ? wa_int128_get(wa_vector_wides(vector)[row])
						: wa_vector_ints(vector)[row];
}

/* Returns how many digits are shown of a row of a DECIMAL. */
static inline uint8_t
wa_decimal_shown(const WaVector *vector, size_t row)
{
	return vector->mixed ? vector->display[row] : vector->scale;
}

/* Multiplies integers.  Returns false if a product does not fit. */
bool wa_multiply_values(const int64_t *restrict a, const int64_t *restrict b,
						int64_t *restrict out, size_t nrows);

/* Tells in 64 bits, for loops, what of a value is beyond a number of bytes. */
typedef struct WaIntRange
{
	uint64_t bias;
	uint64_t mask;
} WaIntRange;

/* Returns the range of the integers of 2, 4 or 8 bytes. */
static inline WaIntRange
wa_int_range(uint32_t bytes)
{
	WaIntRange range;

	range.bias = (uint64_t) 1 << (bytes * 8 - 1);
	range.mask = bytes == 8 ? 0 : ~(uint64_t) 0 << (bytes * 8);
	return range;
}

/* Returns 0 if the value is in the range, else something else. */
static inline uint64_t
wa_int_beyond(WaIntRange range, uint64_t value)
{
	return (value + range.bias) & range.mask;
}

/* Returns 1 if the number is among those from -limit to limit - 1, else 0. */
static inline uint64_t
wa_int_within(int64_t value, uint64_t limit)
{
	return (uint64_t) value + limit < 2 * limit ? 1 : 0;
}

#endif /* WA_CORE_PROGRAM_INTERNAL_H */
