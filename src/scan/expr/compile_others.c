/*
 * compile_others.c
 *		Functions that are computed by what there are instructions for.
 *
 * All of them are PostgreSQL's to the letter, in value and display scale.  Where
 * PostgreSQL raises an error, such as for infinite times, they trap.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"

#include "scan/expr/compile_internal.h"
#include "scan/expr/compile_others.h"
#include "scan/expr/functions.h"

/* Makes constants. */
static Expr *
make_int(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
							  Int64GetDatum(value), false, FLOAT8PASSBYVAL);
}

static Expr *
make_float(float8 value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
							  Float8GetDatum(value), false, FLOAT8PASSBYVAL);
}

static Expr *
make_numeric(Numeric value)
{
	return (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1,
							  NumericGetDatum(value), false, false);
}

int
wa_constant_int(WaCompiler *compiler, int64 value)
{
	return wa_compile(compiler, make_int(value));
}

int
wa_constant_float(WaCompiler *compiler, float8 value)
{
	return wa_compile(compiler, make_float(value));
}

int
wa_constant_power(WaCompiler *compiler, int exponent)
{
	int64 power = 1;

	for (int i = 0; i < exponent; i++)
		power *= 10;
	return wa_compile(compiler,
					  make_numeric(exponent < 0
									   ? int64_div_fast_to_numeric(1, -exponent)
									   : int64_to_numeric(power)));
}

int
wa_emit_int(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_INT, a, b, 0,
							sizeof(int64));
}

int
wa_emit_float(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_FLOAT, a, b, 0,
							sizeof(float8));
}

int
wa_emit_decimal(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_DECIMAL, a, b, 0, 0);
}

int
wa_emit_choice(WaCompiler *compiler, WaVectorKind kind, int condition, int yes,
			   int no)
{
	return wa_compiler_emit(compiler, WA_CODE_SELECT, kind, condition, yes, no,
							(uint32) kind);
}

/* Emits floor where a number is not negative, and else ceil, of another one. */
static int
emit_truncation(WaCompiler *compiler, WaVectorKind kind, int condition,
				int number)
{
	const bool is_float = kind == WA_VECTOR_FLOAT;
	const int below = wa_compiler_emit(
		compiler, is_float ? WA_CODE_FLOAT_FLOOR : WA_CODE_DECIMAL_FLOOR, kind,
		number, 0, 0, 0);
	const int above = wa_compiler_emit(
		compiler, is_float ? WA_CODE_FLOAT_CEIL : WA_CODE_DECIMAL_CEIL, kind,
		number, 0, 0, 0);

	return wa_emit_choice(compiler, kind, condition, below, above);
}

/* Compiles trunc(double precision). */
static int
compile_float_truncation(WaCompiler *compiler, Expr *argument)
{
	const int number = wa_compile(compiler, argument);
	const int condition = wa_compiler_emit(
		compiler, WA_CODE_COMPARE_FLOAT, WA_VECTOR_BOOL, number,
		wa_constant_float(compiler, 0), 0, WA_GREATER_OR_EQUAL);

	return emit_truncation(compiler, WA_VECTOR_FLOAT, condition, number);
}

/* Emits the comparison of a numeric with 0. */
static int
emit_sign_test(WaCompiler *compiler, int number, WaComparison comparison)
{
	return wa_compiler_emit(
		compiler, WA_CODE_COMPARE_DECIMAL, WA_VECTOR_BOOL, number,
		wa_compile(compiler, make_numeric(int64_to_numeric(0))), 0, comparison);
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
	const int one = wa_compile(compiler, make_numeric(int64_to_numeric(1)));
	const int minus_one =
		wa_compile(compiler, make_numeric(int64_to_numeric(-1)));
	const int zero = wa_compile(compiler, make_numeric(int64_to_numeric(0)));
	const int missing = wa_compiler_emit(compiler, WA_CODE_IS_NULL,
										 WA_VECTOR_BOOL, number, 0, 0, 0);
	const int null = wa_compile(
		compiler, (Expr *) makeNullConst(NUMERICOID, -1, InvalidOid));

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
