/*
 * shift.c
 *		Aggregates over a shifted column; see shift.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "scan/expr/functions.h"
#include "scan/expr/shift.h"

/* Returns the least value of a type. */
static int64
least_of(Oid type)
{
	return type == INT2OID ? PG_INT16_MIN
						   : (type == INT4OID ? PG_INT32_MIN : PG_INT64_MIN);
}

/* Returns the greatest value of a type. */
static int64
greatest_of(Oid type)
{
	return -1 - least_of(type);
}

/* Returns a type that has all values of an integer: the one before it was widened. */
static Oid
narrowest_type(const Expr *x)
{
	const FuncExpr *call = (const FuncExpr *) x;

	if (IsA(x, FuncExpr) &&
		(call->funcid == F_INT4_INT2 || call->funcid == F_INT8_INT2 ||
		 call->funcid == F_INT8_INT4))
		return exprType((const Node *) linitial(call->args));
	return exprType((const Node *) x);
}

/* Sets which x have a result that is in range, and what is to be looked at. */
static void
find_range(WaShift *shift, const Expr *x)
{
	const Oid x_type = narrowest_type(x);
	WaShift back = *shift;
	__int128 lowest;
	__int128 highest;

	back.is_less = !shift->is_less;
	lowest = wa_shift_apply(&back, least_of(shift->type), 1);
	highest = wa_shift_apply(&back, greatest_of(shift->type), 1);
	shift->lowest = (int64) Max(lowest, PG_INT64_MIN);
	shift->highest = (int64) Min(highest, PG_INT64_MAX);
	if (least_of(x_type) < lowest)
		shift->checks |= WA_OP_BIT(WA_OP_MIN);
	if (greatest_of(x_type) > highest)
		shift->checks |= WA_OP_BIT(WA_OP_MAX);
}

WaShift *
wa_shift_make(WaAggregateCall *call)
{
	const OpExpr *sum = (const OpExpr *) call->argument;
	int code;
	WaShift *shift;
	Expr *x;
	Expr *c;
	int64 value;

	/* States are of the values as they are, and so are bits. */
	if (sum == NULL || !IsA(sum, OpExpr) || call->is_partial ||
		(wa_aggregate_operations(call->aggregate) & WA_BIT_OPS) != 0)
		return NULL;
	code = wa_function_code(sum->opfuncid);
	if (code != WA_CODE_INT_ADD && code != WA_CODE_INT_SUBTRACT)
		return NULL;
	x = linitial(sum->args);
	c = lsecond(sum->args);
	if (code == WA_CODE_INT_ADD && IsA(x, Const))
	{
		x = c;
		c = linitial(sum->args);
	}
	if (!wa_constant_integer((Node *) c, &value) ||
		!contain_var_clause((Node *) x))
		return NULL;
	shift = palloc0(sizeof(WaShift));
	shift->function = sum->opfuncid;
	shift->type = sum->opresulttype;
	shift->c = value;
	shift->is_less = code == WA_CODE_INT_SUBTRACT;
	call->argument = x;
	call->argument_type = exprType((Node *) x);
	find_range(shift, x);
	shift->plan.key.argument_type = shift->type;
	shift->plan.key.ops = wa_aggregate_operations(WA_SUM);
	shift->plan.many = true;
	return shift;
}
