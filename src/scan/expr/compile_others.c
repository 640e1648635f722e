/*
 * compile_others.c
 *		Functions that are computed by what there are instructions for.
 *
 * All of them are PostgreSQL's to the letter, in value and display scale.  Where
 * PostgreSQL raises an error, such as for infinite times, they trap.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"

#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"

/* Emits floor where a number is not negative, and else ceil, of another one. */
static int
emit_truncation(WaCompiler *compiler, WaVectorKind kind, int condition,
				int number)
{
	const bool is_float = kind == WA_VECTOR_FLOAT;
	const int below = wa_emit_one(
		compiler, is_float ? WA_CODE_FLOAT_FLOOR : WA_CODE_DECIMAL_FLOOR, kind,
		number);
	const int above = wa_emit_one(
		compiler, is_float ? WA_CODE_FLOAT_CEIL : WA_CODE_DECIMAL_CEIL, kind,
		number);

	return wa_emit_choice(compiler, kind, condition, below, above);
}

/* Compiles trunc(double precision). */
static int
compile_float_truncation(WaCompiler *compiler, Expr *argument)
{
	const int number = wa_compile(compiler, argument);
	const int condition =
		wa_emit_comparison(compiler, WA_CODE_COMPARE_FLOAT, number,
						   wa_constant_float(compiler, 0), WA_GREATER_OR_EQUAL);

	return emit_truncation(compiler, WA_VECTOR_FLOAT, condition, number);
}

/* Emits the comparison of a numeric with 0. */
static int
emit_sign_test(WaCompiler *compiler, int number, WaComparison comparison)
{
	return wa_emit_comparison(compiler, WA_CODE_COMPARE_DECIMAL, number,
							  wa_constant_numeric(compiler, 0), comparison);
}

/* Compiles trunc(numeric, digits): digits are shifted before the point, and back. */
static int
compile_truncation(WaCompiler *compiler, Expr *argument, int digits)
{
	const int number = wa_compile(compiler, argument);
	const int condition = emit_sign_test(compiler, number, WA_GREATER_OR_EQUAL);
	int shifted = number;

	if (digits != 0)
		shifted = wa_emit_decimal(compiler, WA_CODE_DECIMAL_MULTIPLY, number,
								  wa_constant_power(compiler, digits));
	shifted = emit_truncation(compiler, WA_VECTOR_DECIMAL, condition, shifted);
	return digits == 0
			   ? shifted
			   : wa_emit_decimal(compiler, WA_CODE_DECIMAL_MULTIPLY, shifted,
								 wa_constant_power(compiler, -digits));
}

/* Compiles round(numeric, -digits), of digits before the point. */
static int
compile_rounding(WaCompiler *compiler, Expr *argument, int digits)
{
	const int shifted = wa_emit_decimal(compiler, WA_CODE_DECIMAL_MULTIPLY,
										wa_compile(compiler, argument),
										wa_constant_power(compiler, -digits));
	const int rounded =
		wa_compiler_emit(compiler, WA_CODE_DECIMAL_ROUND, WA_VECTOR_DECIMAL,
						 shifted, 0, 0, 256 * 255);

	return wa_emit_decimal(compiler, WA_CODE_DECIMAL_MULTIPLY, rounded,
						   wa_constant_power(compiler, digits));
}

/* Compiles sign(numeric). */
static int
compile_sign(WaCompiler *compiler, Expr *argument)
{
	const int number = wa_compile(compiler, argument);
	const int positive = emit_sign_test(compiler, number, WA_GREATER);
	const int negative = emit_sign_test(compiler, number, WA_LESS);
	const int one = wa_constant_numeric(compiler, 1);
	const int minus_one = wa_constant_numeric(compiler, -1);
	const int zero = wa_constant_numeric(compiler, 0);
	const int missing =
		wa_emit_one(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL, number);
	const int null = wa_constant_null(compiler, NUMERICOID);

	return wa_emit_choice(
		compiler, WA_VECTOR_DECIMAL, missing, null,
		wa_emit_choice(compiler, WA_VECTOR_DECIMAL, positive, one,
					   wa_emit_choice(compiler, WA_VECTOR_DECIMAL, negative,
									  minus_one, zero)));
}

/* Finds how many digits a numeric is rounded to; false: that is not constant. */
static bool
find_digits(List *args, int64 *digits)
{
	return wa_constant_integer(lsecond(args), digits) &&
		   *digits >= -WA_DECIMAL_MAX_SCALE && *digits <= WA_DECIMAL_MAX_SCALE;
}

/* Compiles a function of a numeric; returns false if it is none of these. */
static bool
compile_numeric(WaCompiler *compiler, Oid function, List *args, int *number)
{
	int64 digits;

	if (function != F_TRUNC_NUMERIC_INT4 && function != F_ROUND_NUMERIC_INT4 &&
		function != F_SIGN_NUMERIC)
		return false;
	if (wa_is_wide(compiler, (Node *) linitial(args)))
		return false;
	if (function == F_SIGN_NUMERIC)
		*number = compile_sign(compiler, linitial(args));
	else if (!find_digits(args, &digits))
		return false;
	else if (function == F_TRUNC_NUMERIC_INT4 && digits >= 0)
		*number = compile_truncation(compiler, linitial(args), (int) digits);
	else if (function == F_ROUND_NUMERIC_INT4 && digits < 0)
		*number = compile_rounding(compiler, linitial(args), (int) -digits);
	else
		return false;
	return true;
}

bool
wa_compile_by_others(WaCompiler *compiler, Oid function, List *args,
					 int *number)
{
	if (function != F_TRUNC_FLOAT8 && function != F_DTRUNC)
		return compile_numeric(compiler, function, args, number) ||
			   wa_compile_moment(compiler, function, args, number);
	*number = compile_float_truncation(compiler, linitial(args));
	return true;
}
