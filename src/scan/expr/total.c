/*
 * total.c
 *		Which expressions over groups raise no errors; see total.h.
 *
 * Parts that are known to raise none are replaced by Vars, from the leaves on:
 * keys, aggregates, widening casts, divisions by what is never zero, and
 * arithmetic on integers and numerics whose digits are too few for an overflow.  The rest is
 * judged as what stands behind a condition is (scan/expr/compile_evaluate.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "scan/expr/aggregates.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/times.h"
#include "scan/expr/total.h"

/* Digits that a count of rows has at most: a table has 2^32 blocks. */
#define COUNT_DIGITS 13

/* A numeric has room for 131072 digits before its point. */
#define NUMERIC_DIGITS 100000

/* A sum, or a sum of squares, has so many more than its values, or their squares. */
#define SUM_DIGITS 20

/* A numeric's scale may be as low as -1000. */
#define SCALE_DIGITS 1000

/* Returns how many digits every value of a type may have; -1 for other types. */
static int
room_for_digits(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return 4;
		case INT4OID:
			return 9;
		case INT8OID:
			return 18;
		case NUMERICOID:
			return NUMERIC_DIGITS;
		default:
			return -1;
	}
}

/* Returns the arguments of a function, an operator or NULLIF; else NIL. */
static List *
arguments_of(Node *node)
{
	if (IsA(node, FuncExpr))
		return ((FuncExpr *) node)->args;
	return IsA(node, OpExpr) || IsA(node, NullIfExpr) ? ((OpExpr *) node)->args
													  : NIL;
}

/* Tells whether a function is a cast to a type that has room for every value. */
static bool
is_widening(Oid function)
{
	switch (function)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_FLOAT4_INT2:
		case F_FLOAT4_INT4:
		case F_FLOAT4_INT8:
		case F_FLOAT8_INT2:
		case F_FLOAT8_INT4:
		case F_FLOAT8_INT8:
		case F_FLOAT8_FLOAT4:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return true;
		default:
			return false;
	}
}

/* Tells whether an expression is count(*) or count(x), without FILTER. */
static bool
is_count(Node *node, bool of_all)
{
	WaAggregateCall call;

	return IsA(node, Aggref) &&
		   wa_aggregate_describe((Aggref *) node, &call) == NULL &&
		   call.aggregate == WA_COUNT &&
		   (!of_all || (call.argument == NULL && call.filter == NULL));
}

/* Tells whether a constant is a number above zero, or, if may_be_zero, zero. */
static bool
is_small_constant(Node *node, bool may_be_zero)
{
	const Const *constant = (const Const *) node;
	int64 value;

	if (!IsA(node, Const) || constant->constisnull)
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(constant->constvalue);
			break;
		case INT4OID:
			value = DatumGetInt32(constant->constvalue);
			break;
		case INT8OID:
			value = DatumGetInt64(constant->constvalue);
			break;
		case NUMERICOID:
			/* A fraction would make a quotient larger. */
			return DatumGetBool(DirectFunctionCall2(
				numeric_ge, constant->constvalue,
				DirectFunctionCall1(int4_numeric, Int32GetDatum(1))));
		default:
			return false;
	}
	return value > 0 || (may_be_zero && value == 0);
}

/* Tells whether an expression is NULL or 1 and more in every group. */
static bool
is_positive(Node *node)
{
	List *args = arguments_of(node);

	if (IsA(node, NullIfExpr))
		return is_count((Node *) linitial(args), false) &&
			   is_small_constant((Node *) lsecond(args), true) &&
			   !is_small_constant((Node *) lsecond(args), false);
	if (args != NIL && is_widening(wa_function_of(node)))
		return is_positive((Node *) linitial(args));
	return is_count(node, true) || is_small_constant(node, false);
}

static int digits_of(Node *node);

/* Returns the most digits of several expressions; -1 if they are not known. */
static int
most_digits(const List *expressions)
{
	int most = 0;
	ListCell *cell;

	foreach (cell, expressions)
	{
		int digits = digits_of((Node *) lfirst(cell));

		if (digits < 0)
			return -1;
		most = Max(most, digits);
	}
	return most;
}

/* The same of what a function of numerics returns. */
static int
digits_of_function(Node *node)
{
	List *args = arguments_of(node);
	const int first = args == NIL ? -1 : digits_of((Node *) linitial(args));
	int second;

	if (args != NIL && is_widening(wa_function_of(node)))
		return first;
	switch (wa_function_of(node))
	{
		case F_INT2PL:
		case F_INT4PL:
		case F_INT8PL:
		case F_INT24PL:
		case F_INT42PL:
		case F_INT28PL:
		case F_INT82PL:
		case F_INT48PL:
		case F_INT84PL:
		case F_INT2MI:
		case F_INT4MI:
		case F_INT8MI:
		case F_INT24MI:
		case F_INT42MI:
		case F_INT28MI:
		case F_INT82MI:
		case F_INT48MI:
		case F_INT84MI:
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
			return most_digits(args) < 0 ? -1 : most_digits(args) + 1;
		case F_INT2MUL:
		case F_INT4MUL:
		case F_INT8MUL:
		case F_INT24MUL:
		case F_INT42MUL:
		case F_INT28MUL:
		case F_INT82MUL:
		case F_INT48MUL:
		case F_INT84MUL:
		case F_NUMERIC_MUL:
			second = digits_of((Node *) lsecond(args));
			return first < 0 || second < 0 ? -1 : first + second;
		case F_NUMERIC_DIV:
			return is_positive((Node *) lsecond(args)) ? first : -1;
		case F_NUMERIC_UMINUS:
		case F_NUMERIC_ABS:
		case F_ABS_NUMERIC:
			return first;
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			if (!is_small_constant((Node *) lsecond(args), true))
				return -1;
			pg_fallthrough;
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
		case F_FLOOR_NUMERIC:
			return first < 0 ? -1 : first + 1;
		default:
			return -1;
	}
}

/* The same of a constant. */
static int
digits_of_constant(const Const *constant)
{
	Oid output;
	bool is_varlena;

	if (constant->constisnull)
		return 0;
	getTypeOutputInfo(constant->consttype, &output, &is_varlena);
	return (int) strlen(OidOutputFunctionCall(output, constant->constvalue));
}

/* The same of a numeric, by what its type says. */
static int
digits_of_type(int32 typmod)
{
	if (typmod < (int32) VARHDRSZ)
		return -1;
	return ((typmod - VARHDRSZ) >> 16 & 0xffff) + SCALE_DIGITS;
}

/* The same of what is aggregated, or of its square. */
static int
digits_of_aggregate(const Aggref *aggref)
{
	WaAggregateCall call;
	int digits;

	if (wa_aggregate_describe(aggref, &call) != NULL)
		return -1;
	if (call.aggregate == WA_COUNT)
		return COUNT_DIGITS;
	digits = digits_of((Node *) call.argument);
	return digits < 0 ? -1 : 2 * digits + SUM_DIGITS;
}

/* The same of what an expression looks like. */
static int
digits_of_form(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
			return digits_of_constant((Const *) node);
		case T_Aggref:
			return digits_of_aggregate((Aggref *) node);
		case T_CoalesceExpr:
			return most_digits(((CoalesceExpr *) node)->args);
		default:
			return digits_of_function(node);
	}
}

/* Returns how many digits a number has before its point, at most, or -1. */
static int
digits_of(Node *node)
{
	const Oid type = exprType(node);
	int digits;

	if (room_for_digits(type) < 0)
		return -1;
	digits = digits_of_form(node);
	if (type == NUMERICOID)
		return digits < 0 ? digits_of_type(exprTypmod(node)) : digits;
	/* An integer has them in any case. */
	return digits < 0 ? room_for_digits(type) + 1
					  : Min(digits, room_for_digits(type) + 1);
}

/* Tells whether an operation raises no error if its arguments raise none. */
static bool
is_total_operation(Node *node)
{
	List *args = arguments_of(node);
	int digits;

	switch (wa_function_of(node))
	{
		case F_RANDOM:
			return true;
		case F_INT2DIV:
		case F_INT4DIV:
		case F_INT8DIV:
		case F_INT24DIV:
		case F_INT42DIV:
		case F_INT28DIV:
		case F_INT82DIV:
		case F_INT48DIV:
		case F_INT84DIV:
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			return is_positive((Node *) lsecond(args));
		default:
			if (is_widening(wa_function_of(node)))
				return true;
			digits = digits_of_function(node);
			return digits >= 0 && digits <= room_for_digits(exprType(node));
	}
}

/* Finds a function whose times may be out of range. */
static bool
find_time_function(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (arguments_of(node) != NIL &&
			wa_time_function_is_safe(wa_function_of(node),
									 arguments_of(node))) ||
		   expression_tree_walker(node, find_time_function, context);
}

/* Tells whether an expression whose total parts are Vars raises no errors. */
static bool
is_total(Node *expression)
{
	return wa_is_total(expression) && !find_time_function(expression, NULL);
}

/* Tells whether a part is there, or is a parameter that is. */
static bool
is_there(Node *node, const List *keys)
{
	return IsA(node, Aggref) || list_member(keys, node) ||
		   (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN);
}

/* Replaces parts that raise no errors by Vars. */
static Node *
hide_total(Node *node, void *keys)
{
	Node *hidden = node;

	if (node == NULL || IsA(node, Const))
		return node;
	if (!IsA(node, List) && !is_there(node, (const List *) keys))
	{
		hidden = expression_tree_mutator(node, hide_total, keys);
		if (!is_total_operation(node) ||
			!is_total((Node *) arguments_of(hidden)))
			return hidden;
	}
	if (IsA(node, List))
		return expression_tree_mutator(node, hide_total, keys);
	return (Node *) makeVar(1, 1, exprType(node), exprTypmod(node),
							exprCollation(node), 0);
}

bool
wa_is_total_over_groups(Node *expression, const List *keys)
{
	return expression == NULL ||
		   is_total(hide_total(expression, (void *) keys));
}
