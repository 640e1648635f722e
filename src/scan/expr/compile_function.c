/*
 * compile_function.c
 *		Calls of functions and operators, from SQL to instructions.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "heap/gather.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"
#include "scan/expr/pairs.h"

/*
 * A quotient of numerics takes as long as 40 instructions, but to PostgreSQL, whose
 * own takes four times that, it is one operator as any other, or five instructions.
 */
#define DIVISION_WEIGHT 4

int
wa_compile_trimmed(WaCompiler *compiler, Expr *expression)
{
	int number = wa_compiler_find(compiler, expression, true);

	if (number >= 0)
		return number;
	if (!wa_varies(compiler, (Node *) expression))
		return wa_compile_constant(compiler, expression, true);
	number = wa_emit_one(compiler, WA_CODE_TRIM, WA_VECTOR_TEXT,
						 wa_compile(compiler, expression));
	return number < 0
			   ? -1
			   : wa_compiler_note(compiler, expression, number, true, false);
}

/* Compiles numeric(p, s) or round(numeric, s). */
static int
compile_round(WaCompiler *compiler, const WaFunction *function, List *args)
{
	int64 argument;
	int64 scale;
	int64 before = 255; /* digits before the point: any */

	if (!wa_constant_integer(lsecond(args), &argument))
		return wa_compiler_refuse(compiler,
								  "a number of digits is not constant");
	if (function->form == WA_FORM_TYPMOD)
	{
		const int64 modifier = argument - VARHDRSZ;

		if (modifier < 0)
			return wa_compile(compiler, linitial(args));
		/* As numeric.c packs it, with a signed scale of 11 bits. */
		scale = ((modifier & 0x7ff) ^ 1024) - 1024;
		before = ((modifier >> 16) & 0xffff) - scale;
	}
	else
		scale = argument;
	if (scale < 0 || scale > WA_DECIMAL_MAX_SCALE)
		return wa_compiler_refuse(compiler,
								  "a numeric is rounded to unusual digits");
	return wa_compiler_emit(compiler, function->code, WA_VECTOR_DECIMAL,
							wa_compile(compiler, linitial(args)), 0, 0,
							(uint32) scale + 256 * (uint32) Min(before, 255));
}

/* Returns the arguments of a division of a numeric by a constant, or NIL. */
static List *
division_by_constant(WaCompiler *compiler, Node *node)
{
	List *args = wa_arguments_of(node);

	return wa_function_of(node) == F_NUMERIC_DIV &&
				   !wa_varies(compiler, lsecond(args))
			   ? args
			   : NIL;
}

/* Compiles one of two dates or timestamps as a timestamp. */
static int
compile_moment(WaCompiler *compiler, Expr *expression, bool is_date)
{
	int number = wa_compile(compiler, expression);

	return is_date ? wa_emit_one(compiler, WA_CODE_DATE_TO_TIMESTAMP,
								 WA_VECTOR_INT, number)
				   : number;
}

/* Tells whether texts of the collation are ordered by their bytes. */
static bool
is_c_collation(Oid collation)
{
	return OidIsValid(collation) && collation_is_c_compat(collation);
}

/* Tells whether equal texts of the collation have equal bytes. */
static bool
is_deterministic(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* Tells whether an instruction traps where its second argument is 0. */
static bool
divides(WaOpcode code)
{
	return code == WA_CODE_INT_DIVIDE || code == WA_CODE_INT_REMAINDER ||
		   code == WA_CODE_FLOAT_DIVIDE || code == WA_CODE_DECIMAL_DIVIDE ||
		   code == WA_CODE_DECIMAL_REMAINDER ||
		   code == WA_CODE_DECIMAL_DIVIDE_WHOLE;
}

int
wa_compile_function(WaCompiler *compiler, Expr *expression)
{
	const Oid oid = wa_function_of((Node *) expression);
	const Oid collation = exprInputCollation((Node *) expression);
	const WaFunction *function = wa_function_find(oid);
	List *args = wa_arguments_of((Node *) expression);
	WaVectorKind kind;
	ListCell *cell;
	int a;
	int b = 0;
	bool trimmed;

	if (oid == F_TEXT_BPCHAR)
		return wa_compile_trimmed(compiler, linitial(args));
	if (wa_compile_by_others(compiler, oid, args, &a))
		return a;
	if (wa_is_pair_part(oid))
		return wa_compile_pair_part(compiler, args);
	if (oid == F_FLOOR_NUMERIC &&
		division_by_constant(compiler, linitial(args)) != NIL)
	{
		args = division_by_constant(compiler, linitial(args));
		a = wa_compile(compiler, linitial(args));
		b = wa_compile(compiler, lsecond(args));
		return wa_compiler_emit(compiler, WA_CODE_DECIMAL_FLOOR_DIVIDE,
								WA_VECTOR_DECIMAL, a, b, 0, 0);
	}
	foreach (cell, args)
		if (wa_is_wide(compiler, (Node *) lfirst(cell)))
			return wa_compiler_refuse(
				compiler, "a square root has too many digits for vectors");
	if (function == NULL ||
		!wa_gather_kind(exprType((Node *) expression), &kind))
		return wa_compiler_refuse(
			compiler,
			psprintf("function %s is not covered", get_func_name(oid)));
	if (function->code == WA_CODE_COMPARE_TEXT && !is_deterministic(collation))
		return wa_compiler_refuse(compiler, "a collation is not deterministic");
	if ((function->form == WA_FORM_C_TEXT ||
		 function->form == WA_FORM_C_TRIMMED) &&
		!is_c_collation(collation))
		return wa_compiler_refuse(
			compiler, "texts are ordered by a collation other than C");
	switch (function->form)
	{
		case WA_FORM_NOTHING:
			return wa_compile(compiler, linitial(args));
		case WA_FORM_ROUND:
		case WA_FORM_TYPMOD:
			return compile_round(compiler, function, args);
		case WA_FORM_TIME:
			return wa_compile_evaluation(compiler, expression);
		case WA_FORM_DATE_FIRST:
		case WA_FORM_DATE_LAST:
			a = compile_moment(compiler, linitial(args),
							   function->form == WA_FORM_DATE_FIRST);
			b = compile_moment(compiler, lsecond(args),
							   function->form == WA_FORM_DATE_LAST);
			break;
		default:
			trimmed = function->form == WA_FORM_TRIMMED ||
					  function->form == WA_FORM_C_TRIMMED;
			a = trimmed ? wa_compile_trimmed(compiler, linitial(args))
						: wa_compile(compiler, linitial(args));
			if (list_length(args) == 2)
				b = trimmed ? wa_compile_trimmed(compiler, lsecond(args))
							: wa_compile(compiler, lsecond(args));
			break;
	}
	if (divides(function->code))
		b = wa_compile_divisor(compiler, kind, b);
	if (function->code == WA_CODE_DECIMAL_DIVIDE)
		compiler->weight += DIVISION_WEIGHT;
	return wa_compiler_emit(compiler, function->code, kind, a, b, 0,
							function->extra);
}
