/*
 * program.h
 *		Query programs: typed instructions over vectors.
 *
 * A program computes expressions of SQL over the rows of a step, without
 * branches on single rows: every instruction runs over all rows.  Registers are
 * vectors; those of columns and constants are filled by whoever runs the
 * program.
 *
 * Results are PostgreSQL's, bit for bit.  Where PostgreSQL would raise an error
 * for a row, or where a result does not fit a vector, the program traps: it
 * stops, what is in its registers is undefined, and the caller computes these
 * rows in another way, which knows whether PostgreSQL would have come to the
 * error at all.  A trap is never wrong, only slow.  Rows that are NULL never
 * trap.
 */
#ifndef WA_CORE_PROGRAM_H
#define WA_CORE_PROGRAM_H

#include "core/lookup_table.h"
#include "core/must_check.h"

/*
 * X(NAME, arguments): what an instruction computes into `out` from the registers
 * a, b, c.  Unless said otherwise a row is NULL where an argument is.  `extra`
 * has further meaning where its name stands behind the arguments.
 *
 * INT arithmetic traps beyond `extra` bytes (2, 4 or 8), and where PostgreSQL
 * divides by zero; int division truncates, the remainder has the sign of a.
 * FLOAT arithmetic with extra 4 rounds to float4; it traps where PostgreSQL's
 * float4pl, float8mul and so on report an overflow, an underflow or a division
 * by zero.  DECIMAL: the display scale of a sum is the larger, of a product the
 * sum of its arguments', row by row.  A result is wide where a value does not fit 64
 * bits, or the scale is more than 18, and the register may be wide; the instruction
 * traps where that is not enough: beyond 38 digits, before and after the point
 * taken together.  DECIMAL_FLOOR_DIVIDE and DECIMAL_TO_FLOAT take
 * what is exact in 64 bits only, unless the registers of DECIMALs may be wide.
 */
#define WA_OPCODE_LIST(X)                                                        \
	X(INT_ADD)          /* a + b, extra: bytes */                                \
	X(INT_SUBTRACT)     /* a - b, extra: bytes */                                \
	X(INT_MULTIPLY)     /* a * b, extra: bytes */                                \
	X(INT_DIVIDE)       /* a / b, extra: bytes */                                \
	X(INT_REMAINDER)    /* a % b, extra: bytes */                                \
	X(INT_NEGATE)       /* -a, extra: bytes */                                   \
	X(INT_ABS)          /* |a|, extra: bytes */                                  \
	X(INT_NARROW)       /* a, traps beyond extra bytes */                        \
	X(FLOAT_ADD)        /* a + b, extra: bytes of the type (4, 8) */             \
	X(FLOAT_SUBTRACT)   /* a - b, extra: bytes */                                \
	X(FLOAT_MULTIPLY)   /* a * b, extra: bytes */                                \
	X(FLOAT_DIVIDE)     /* a / b, extra: bytes */                                \
	X(FLOAT_NEGATE)     /* -a */                                                 \
	X(FLOAT_ABS)        /* |a| */                                                \
	X(FLOAT_FLOOR)      /* floor(a) */                                           \
	X(FLOAT_CEIL)       /* ceil(a) */                                            \
	X(FLOAT_NARROW)     /* a as float4; traps as dtof reports */                 \
	X(FLOAT_HIGH_PART)  /* a * b, 0 where one is not finite; traps by \
						   wa_product_traps (core/product.h) */          \
	X(FLOAT_LOW_PART)   /* what that leaves of the product */                    \
	X(DECIMAL_ADD)      /* a + b */                                              \
	X(DECIMAL_SUBTRACT) /* a - b */                                              \
	X(DECIMAL_MULTIPLY) /* a * b */                                              \
	X(DECIMAL_DIVIDE) /* a / b with the digits that numeric_div chooses, row \
						 by row; traps where b is 0 */   \
	X(DECIMAL_REMAINDER) /* a % b, with the sign of a; traps where b is 0 */     \
	X(DECIMAL_DIVIDE_WHOLE) /* a / b cut off at the point, display scale 0; \
							   traps where b is 0 */    \
	X(DECIMAL_NEGATE)       /* -a */                                             \
	X(DECIMAL_ABS)          /* |a| */                                            \
	X(DECIMAL_FLOOR)        /* floor(a), display scale 0 */                      \
	X(DECIMAL_CEIL)         /* ceil(a), display scale 0 */                       \
	X(DECIMAL_ROUND) /* a rounded half away from zero to the display scale \
						  extra % 256 and padded to it; traps at 10^p and   \
						  beyond, p = extra / 256 digits before the point,  \
						  255: any */     \
	X(DECIMAL_FLOOR_DIVIDE) /* floor(a / b), display scale 0, of the quotient  \
							   that PostgreSQL rounds; traps where b is 0 */ \
	X(INT_TO_FLOAT)         /* extra: bytes of the float type */                 \
	X(INT_TO_DECIMAL)       /* display scale 0 */                                \
	X(FLOAT_TO_INT)   /* rounded half to even; extra: bytes of the integer */    \
	X(DECIMAL_TO_INT) /* rounded half away from zero; extra: bytes */            \
	X(DECIMAL_TO_FLOAT) /* correctly rounded; extra: bytes of the float type */  \
	X(DATE_TO_TIMESTAMP) /* days to microseconds; traps at -infinity,       \
							infinity and out of range */    \
	X(TIMESTAMP_TO_DATE) /* rounded down; traps at the infinities */             \
	X(TIMESTAMP_TO_DECIMAL) /* seconds since 1970, display scale 6; traps at   \
							   the infinities and where that is too large */ \
	X(TIMESTAMP_TO_FLOAT)   /* the same as a double */                           \
	X(DECIMAL_SCALE)        /* INT: the display scale of a */                    \
	X(COMPARE_INT)          /* BOOL: a <extra: WaComparison> b */                \
	X(COMPARE_FLOAT) /* NaN is equal to itself and larger than the rest */       \
	X(COMPARE_DECIMAL)                                                           \
	X(COMPARE_BOOL) /* false is less than true */                                \
	X(COMPARE_TEXT) /* by bytes, as unsigned; the shorter is less */             \
	X(TRIM)         /* the TEXT a without its trailing blanks */                 \
	X(IN_INT)       /* BOOL: a is among the list number extra */                 \
	X(AND)          /* BOOL, as SQL: false and NULL is false */                  \
	X(OR)           /* true or NULL is true */                                   \
	X(NOT)                                                                       \
	X(IS_NULL) /* BOOL, never NULL; a of any kind */                             \
	X(IS_NOT_NULL)                                                               \
	X(IS_TRUE) /* BOOL, never NULL: a is true, not false or NULL */              \
	X(SELECT)  /* a is true ? b : c; b, c, out of kind extra */                  \
	X(LOOK_UP) /* what table number extra has at the INT, or the code of the   \
				  TEXT, a, of any kind; NULL where the table has it, or is  \
				  total and has no entry; traps where that is not known */ \
	X(CALL)    /* out by the function number extra from a */

typedef enum WaOpcode
{
#define X(name) WA_CODE_##name,
	WA_OPCODE_LIST(X)
#undef X
		WA_OPCODE_COUNT
} WaOpcode;

typedef enum WaComparison
{
	WA_EQUAL,
	WA_NOT_EQUAL,
	WA_LESS,
	WA_LESS_OR_EQUAL,
	WA_GREATER,
	WA_GREATER_OR_EQUAL
} WaComparison;

/* An instruction.  out is none of a, b, c. */
typedef struct WaInstruction
{
	uint16_t code; /* WaOpcode */
	uint16_t out;
	uint16_t a;
	uint16_t b;
	uint16_t c;
	uint32_t extra;
} WaInstruction;

/* A list of values of INT, ascending and without doubles. */
typedef struct WaIntList
{
	const int64_t *values;
	size_t nvalues;
} WaIntList;

/*
 * A function of a vector, or of several that its context knows, that core does not
 * have.  Returns false to trap.  Sets all of *out but its pointers.
 */
typedef bool (*WaVectorFunction)(void *context, const WaVector *a,
								 WaVector *out, size_t nrows);

typedef struct WaCall
{
	WaVectorFunction function;
	void *context;
} WaCall;

typedef struct WaProgram
{
	uint16_t nregisters;
	const WaVectorKind *kinds; /* of the registers */
	const WaInstruction *instructions;
	size_t ninstructions;
	const WaIntList *lists;
	const WaCall *calls;
	const WaLookupTable *tables;
} WaProgram;

#ifdef __cplusplus
extern "C"
{
#endif

/*
 * Runs the instructions begin to end - 1 of a program over nrows rows, at most
 * WA_VECTOR_ROWS.  Returns false if it trapped.
 */
bool wa_program_run(const WaProgram *program, size_t begin, size_t end,
					WaVector *registers, size_t nrows);

/* Returns the comparison of b with a that is a WaComparison of a with b. */
uint32_t wa_comparison_turned(uint32_t comparison);

/*
 * Returns a number below, equal to or above 0 as a text is less than another one by
 * its bytes, the same, or more.
 */
int wa_texts_order(WaText a, WaText b);

/* Tells whether a comparison of texts, a WaComparison, holds, by their bytes. */
bool wa_texts_compare(uint32_t comparison, WaText a, WaText b);

/*
 * Stores the registers that an instruction reads in arguments; returns how many
 * they are.
 */
int wa_instruction_arguments(const WaInstruction *instruction,
							 uint16_t arguments[3]);

/* Tells whether an instruction traps for some values. */
bool wa_instruction_may_trap(const WaInstruction *instruction);

/*
 * Tells whether an instruction has registers of the right kinds and an extra
 * that it knows.  Whoever knows the lists and tables looks at their numbers.
 */
WA_MUST_CHECK bool wa_instruction_is_sound(const WaProgram *program,
										   const WaInstruction *instruction);

#ifdef __cplusplus
}
#endif

#endif /* WA_CORE_PROGRAM_H */
