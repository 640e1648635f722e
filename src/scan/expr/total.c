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
#include "scan/expr/errors.h"
#include "scan/expr/functions.h"
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

/* Tells whether a function is a cast to a type that has room for every value. */
static bool
is_widening(Oid function)
{
	const WaFunction *found = wa_function_find(function);

	return found != NULL && (found->form == WA_FORM_NOTHING ||
							 found->code == WA_CODE_INT_TO_FLOAT ||
							 found->code == WA_CODE_INT_TO_DECIMAL);
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
	const Const *numeric = wa_constant_of(node, NUMERICOID);
	int64 value;

	/* A fraction would make a quotient larger. */
	if (numeric != NULL)
		return DatumGetBool(DirectFunctionCall2(
			numeric_ge, numeric->constvalue,
			DirectFunctionCall1(int4_numeric, Int32GetDatum(1))));
	return wa_constant_integer(node, &value) &&
		   (value > 0 || (may_be_zero && value == 0));
}

/* Tells whether an expression is NULL or 1 and more in every group. */
static bool
is_positive(Node *node)
{
	List *args = wa_arguments_of(node);

	if (IsA(node, NullIfExpr))
		return is_count((Node *) linitial(args), false) &&
			   is_small_constant((Node *) lsecond(args), true) &&
			   !is_small_constant((Node *) lsecond(args), false);
	if (is_widening(wa_function_of(node)))
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
	const Oid function = wa_function_of(node);
	List *args = wa_arguments_of(node);
	const int first = args == NIL ? -1 : digits_of((Node *) linitial(args));
	int second;

	if (is_widening(function))
		return first;
	if (function == F_ROUND_NUMERIC_INT4 || function == F_TRUNC_NUMERIC_INT4)
		return first < 0 || !is_small_constant((Node *) lsecond(args), true)
				   ? -1
				   : first + 1;
	switch (wa_function_code(function))
	{
		case WA_CODE_INT_ADD:
		case WA_CODE_INT_SUBTRACT:
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
			return most_digits(args) < 0 ? -1 : most_digits(args) + 1;
		case WA_CODE_INT_MULTIPLY:
		case WA_CODE_DECIMAL_MULTIPLY:
			second = digits_of((Node *) lsecond(args));
			return first < 0 || second < 0 ? -1 : first + second;
		case WA_CODE_DECIMAL_DIVIDE:
			return is_positive((Node *) lsecond(args)) ? first : -1;
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
			return first;
		case WA_CODE_DECIMAL_CEIL:
		case WA_CODE_DECIMAL_FLOOR:
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
	const Oid function = wa_function_of(node);
	const int code = wa_function_code(function);
	int digits;

	if (function == F_RANDOM || is_widening(function))
		return true;
	if (code == WA_CODE_INT_DIVIDE || code == WA_CODE_INT_REMAINDER)
		return is_positive((Node *) lsecond(wa_arguments_of(node)));
	digits = digits_of_function(node);
	return digits >= 0 && digits <= room_for_digits(exprType(node));
}

/* Finds a function whose times may be out of range. */
static bool
find_time_function(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return (wa_arguments_of(node) != NIL &&
			wa_time_function_is_safe(wa_function_of(node),
									 wa_arguments_of(node))) ||
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
			!is_total((Node *) wa_arguments_of(hidden)))
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
