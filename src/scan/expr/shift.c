/*
 * shift.c
 *		Aggregates over a shifted expression; see shift.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "scan/expr/compile.h"
#include "scan/expr/shift.h"

/* Both operations of a pair of integer types, and that of a single one */
#define PAIR(types, left, right, result)                                     \
	{F_INT##types##PL, INT##left##OID, INT##right##OID, INT##result##OID,    \
	 false},                                                                 \
	{                                                                        \
		F_INT##types##MI, INT##left##OID, INT##right##OID, INT##result##OID, \
			true                                                             \
	}
#define SINGLE(type)                                                      \
	{                                                                     \
		F_INT##type##UM, InvalidOid, INT##type##OID, INT##type##OID, true \
	}

/* PostgreSQL's functions. */
static const struct
{
	Oid function;
	Oid left; /* invalid: there is one argument */
	Oid right;
	Oid result;
	bool is_difference;
} functions[] = {
	PAIR(2, 2, 2, 2),  PAIR(4, 4, 4, 4),  PAIR(8, 8, 8, 8),  PAIR(24, 2, 4, 4),
	PAIR(42, 4, 2, 4), PAIR(28, 2, 8, 8), PAIR(82, 8, 2, 8), PAIR(48, 4, 8, 8),
	PAIR(84, 8, 4, 8), SINGLE(2),         SINGLE(4),         SINGLE(8),
};

/* Finds the function that an expression calls, and its arguments. */
static Oid
called_function(const Expr *expression, List **arguments)
{
	if (IsA(expression, FuncExpr))
	{
		*arguments = ((const FuncExpr *) expression)->args;
		return ((const FuncExpr *) expression)->funcid;
	}
	if (IsA(expression, OpExpr))
	{
		const OpExpr *operation = (const OpExpr *) expression;

		*arguments = operation->args;
		return OidIsValid(operation->opfuncid) ? operation->opfuncid
											   : get_opcode(operation->opno);
	}
	return InvalidOid;
}

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

/* Sets what x can be: no more than it could before it was widened. */
static void
find_range(WaShift *shift, const Expr *x)
{
	Oid type = shift->x_type;
	List *arguments = NIL;

	switch (called_function(x, &arguments))
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
			type = INT2OID;
			break;
		case F_INT8_INT4:
			type = INT4OID;
			break;
		default:
			break;
	}
	shift->smallest_x = least_of(type);
	shift->largest_x = greatest_of(type);
}

/* Returns an integer of a type of SQL as a number. */
static int64
number_of(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

Datum
wa_shift_datum(Oid type, int64 number)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) number);
		case INT4OID:
			return Int32GetDatum((int32) number);
		default:
			return Int64GetDatum(number);
	}
}

/* Notes c, which has no column. */
static void
set_constant(WaShift *shift, Expr *c)
{
	const Const *value = (const Const *) c;

	if (!IsA(c, Const))
		shift->parameter = c;
	else if (value->constisnull)
		shift->is_null = true;
	else
		shift->c = number_of(shift->c_type, value->constvalue);
}

/* Tells which of the functions it is, or -1. */
static int
find_function(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].function == function)
			return i;
	return -1;
}

/* Describes what function number i makes of its arguments; returns x. */
static Expr *
describe(WaShift *shift, int i, const List *arguments)
{
	Expr *left = linitial(arguments);
	Expr *right = llast(arguments);

	shift->function = functions[i].function;
	shift->type = functions[i].result;
	shift->x_type = functions[i].right;
	shift->is_negated = functions[i].is_difference;
	if (!OidIsValid(functions[i].left))
		return right;
	shift->is_c_first = !contain_var_clause((Node *) left);
	shift->c_type = shift->is_c_first ? functions[i].left : functions[i].right;
	set_constant(shift, shift->is_c_first ? left : right);
	if (shift->is_c_first)
		return right;
	shift->x_type = functions[i].left;
	shift->is_negated = false;
	shift->is_subtracted = functions[i].is_difference;
	return left;
}

/* Returns what is added to x, or to -x. */
static inline __int128
addend(const WaShift *shift)
{
	return shift->is_subtracted ? -(__int128) shift->c : shift->c;
}

/* Returns a number as an int64, or the nearest there is. */
static inline int64
clamp(__int128 number)
{
	return (int64) Max(Min(number, PG_INT64_MAX), PG_INT64_MIN);
}

void
wa_shift_limits(const WaShift *shift, int64 *lowest, int64 *highest)
{
	const __int128 below = (__int128) least_of(shift->type) - addend(shift);
	const __int128 above = (__int128) greatest_of(shift->type) - addend(shift);

	*lowest = clamp(shift->is_negated ? -above : below);
	*highest = clamp(shift->is_negated ? -below : above);
}

/* Returns which checks there are to be if c has the value. */
static WaOpSet
checks_of(const WaShift *shift, int64 c)
{
	WaShift known = *shift;
	WaOpSet checks = 0;
	int64 lowest;
	int64 highest;

	known.c = c;
	wa_shift_limits(&known, &lowest, &highest);
	if (shift->smallest_x < lowest)
		checks |= WA_OP_BIT(WA_OP_MIN);
	if (shift->largest_x > highest)
		checks |= WA_OP_BIT(WA_OP_MAX);
	return checks;
}

WaOpSet
wa_shift_checks(const WaShift *shift)
{
	if (shift->parameter == NULL)
		return shift->is_null ? 0 : checks_of(shift, shift->c);
	return checks_of(shift, least_of(shift->c_type)) |
		   checks_of(shift, greatest_of(shift->c_type));
}

/*
 * Tells whether what is computed once for a shift may raise an error, or is a
 * subselect, which may as well.
 */
static bool
parameter_may_raise(const WaShift *shift)
{
	return wa_may_raise((Node *) shift->parameter) ||
		   wa_has_exec_param((Node *) shift->parameter);
}

WaShift *
wa_shift_make(WaAggregateCall *call)
{
	List *arguments = NIL;
	WaShift *shift;
	Expr *x;
	int i;

	/* States are of the values as they are. */
	if (call->argument == NULL || call->is_partial)
		return NULL;
	i = find_function(called_function(call->argument, &arguments));
	if (i < 0)
		return NULL;
	shift = palloc0(sizeof(WaShift));
	x = describe(shift, i, arguments);
	/* Either none or one of the arguments may depend on the row. */
	if (!contain_var_clause((Node *) x) ||
		contain_var_clause((Node *) shift->parameter))
		return NULL;
	/* It is computed whether a row passes the filter or not. */
	if (call->filter != NULL && parameter_may_raise(shift))
		return NULL;
	find_range(shift, x);
	shift->plan.key.argument_type = shift->type;
	shift->plan.key.ops = wa_aggregate_operations(WA_SUM);
	shift->plan.many = true;
	call->argument = x;
	call->argument_type = shift->x_type;
	return shift;
}

WaAggregate
wa_shift_aggregate(const WaShift *shift, WaAggregate aggregate)
{
	if (!shift->is_negated)
		return aggregate;
	switch (aggregate)
	{
		case WA_MIN:
			return WA_MAX;
		case WA_MAX:
			return WA_MIN;
		default:
			return aggregate;
	}
}

WaOpSet
wa_shift_operations(const WaShift *shift, WaAggregate aggregate)
{
	if (shift == NULL)
		return wa_aggregate_operations(aggregate);
	return wa_aggregate_operations(wa_shift_aggregate(shift, aggregate)) |
		   wa_shift_checks(shift);
}

int64
wa_shift_apply(const WaShift *shift, int64 x)
{
	return (int64) (addend(shift) + (shift->is_negated ? -(__int128) x : x));
}

__int128
wa_shift_sum(const WaShift *shift, __int128 sum, int64 rows)
{
	return addend(shift) * rows + (shift->is_negated ? -sum : sum);
}

void
wa_shift_call(const WaShift *shift, int64 x)
{
	const Datum value = wa_shift_datum(shift->x_type, x);
	Datum c;

	if (!OidIsValid(shift->c_type))
	{
		(void) OidFunctionCall1(shift->function, value);
		return;
	}
	c = wa_shift_datum(shift->c_type, shift->c);
	if (shift->is_c_first)
		(void) OidFunctionCall2(shift->function, c, value);
	else
		(void) OidFunctionCall2(shift->function, value, c);
}
