/*
 * functions.c
 *		The table of PostgreSQL's functions that query programs compute, and calls of
 *		functions; see functions.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "scan/base/datum.h"
#include "scan/expr/functions.h"

#define PLAIN(oid, code, extra)                   \
	{                                             \
		oid, WA_FORM_PLAIN, WA_CODE_##code, extra \
	}
#define NOTHING(oid)                         \
	{                                        \
		oid, WA_FORM_NOTHING, WA_CODE_NOT, 0 \
	}
#define TIME(oid)                          \
	{                                      \
		oid, WA_FORM_TIME, WA_CODE_CALL, 0 \
	}

/* The four operations, for each pair of integer types with its result's bytes */
#define INT_OPERATIONS(types, bytes)                   \
	PLAIN(F_INT##types##PL, INT_ADD, bytes),           \
		PLAIN(F_INT##types##MI, INT_SUBTRACT, bytes),  \
		PLAIN(F_INT##types##MUL, INT_MULTIPLY, bytes), \
		PLAIN(F_INT##types##DIV, INT_DIVIDE, bytes)

#define INT_SINGLE(type)                                         \
	PLAIN(F_INT##type##MOD, INT_REMAINDER, type),                \
		PLAIN(F_MOD_INT##type##_INT##type, INT_REMAINDER, type), \
		PLAIN(F_INT##type##UM, INT_NEGATE, type),                \
		PLAIN(F_INT##type##ABS, INT_ABS, type),                  \
		PLAIN(F_ABS_INT##type, INT_ABS, type),                   \
		PLAIN(F_FLOAT4_INT##type, INT_TO_FLOAT, 4),              \
		PLAIN(F_FLOAT8_INT##type, INT_TO_FLOAT, 8),              \
		PLAIN(F_NUMERIC_INT##type, INT_TO_DECIMAL, 0),           \
		PLAIN(F_INT##type##_FLOAT4, FLOAT_TO_INT, type),         \
		PLAIN(F_INT##type##_FLOAT8, FLOAT_TO_INT, type),         \
		PLAIN(F_INT##type##_NUMERIC, DECIMAL_TO_INT, type)

#define FLOAT_OPERATIONS(types, bytes)                     \
	PLAIN(F_FLOAT##types##PL, FLOAT_ADD, bytes),           \
		PLAIN(F_FLOAT##types##MI, FLOAT_SUBTRACT, bytes),  \
		PLAIN(F_FLOAT##types##MUL, FLOAT_MULTIPLY, bytes), \
		PLAIN(F_FLOAT##types##DIV, FLOAT_DIVIDE, bytes)

#define FLOAT_SINGLE(type)                          \
	PLAIN(F_FLOAT##type##UM, FLOAT_NEGATE, type),   \
		PLAIN(F_FLOAT##type##ABS, FLOAT_ABS, type), \
		PLAIN(F_ABS_FLOAT##type, FLOAT_ABS, type),  \
		PLAIN(F_FLOAT##type##_NUMERIC, DECIMAL_TO_FLOAT, type)

/* The six comparisons named F_##prefix##EQ and so on */
#define COMPARISONS(prefix, form, code)                                 \
	{F_##prefix##EQ, WA_FORM_##form, WA_CODE_##code, WA_EQUAL},         \
		{F_##prefix##NE, WA_FORM_##form, WA_CODE_##code, WA_NOT_EQUAL}, \
		ORDER_COMPARISONS(prefix, form, code)

#define ORDER_COMPARISONS(prefix, form, code)                               \
	{F_##prefix##LT, WA_FORM_##form, WA_CODE_##code, WA_LESS},              \
		{F_##prefix##LE, WA_FORM_##form, WA_CODE_##code, WA_LESS_OR_EQUAL}, \
		{F_##prefix##GT, WA_FORM_##form, WA_CODE_##code, WA_GREATER},       \
	{                                                                       \
		F_##prefix##GE, WA_FORM_##form, WA_CODE_##code, WA_GREATER_OR_EQUAL \
	}

/* Those of a date and a timestamp: the name of the comparison in between */
#define DATE_COMPARISON(name, comparison)                                  \
	{F_DATE_##name##_TIMESTAMP, WA_FORM_DATE_FIRST, WA_CODE_COMPARE_INT,   \
	 WA_##comparison},                                                     \
	{                                                                      \
		F_TIMESTAMP_##name##_DATE, WA_FORM_DATE_LAST, WA_CODE_COMPARE_INT, \
			WA_##comparison                                                \
	}

static const WaFunction functions[] = {
	INT_OPERATIONS(2, 2),
	INT_OPERATIONS(4, 4),
	INT_OPERATIONS(8, 8),
	INT_OPERATIONS(24, 4),
	INT_OPERATIONS(42, 4),
	INT_OPERATIONS(28, 8),
	INT_OPERATIONS(82, 8),
	INT_OPERATIONS(48, 8),
	INT_OPERATIONS(84, 8),
	INT_SINGLE(2),
	INT_SINGLE(4),
	INT_SINGLE(8),
	NOTHING(F_INT4_INT2),
	NOTHING(F_INT8_INT2),
	NOTHING(F_INT8_INT4),
	PLAIN(F_INT2_INT4, INT_NARROW, 2),
	PLAIN(F_INT2_INT8, INT_NARROW, 2),
	PLAIN(F_INT4_INT8, INT_NARROW, 4),

	FLOAT_OPERATIONS(4, 4),
	FLOAT_OPERATIONS(8, 8),
	FLOAT_OPERATIONS(48, 8),
	FLOAT_OPERATIONS(84, 8),
	FLOAT_SINGLE(4),
	FLOAT_SINGLE(8),
	NOTHING(F_FLOAT8_FLOAT4),
	PLAIN(F_FLOAT4_FLOAT8, FLOAT_NARROW, 0),
	PLAIN(F_FLOOR_FLOAT8, FLOAT_FLOOR, 0),
	PLAIN(F_CEIL_FLOAT8, FLOAT_CEIL, 0),
	PLAIN(F_CEILING_FLOAT8, FLOAT_CEIL, 0),

	PLAIN(F_NUMERIC_ADD, DECIMAL_ADD, 0),
	PLAIN(F_NUMERIC_SUB, DECIMAL_SUBTRACT, 0),
	PLAIN(F_NUMERIC_MUL, DECIMAL_MULTIPLY, 0),
	PLAIN(F_NUMERIC_DIV, DECIMAL_DIVIDE, 0),
	PLAIN(F_NUMERIC_MOD, DECIMAL_REMAINDER, 0),
	PLAIN(F_MOD_NUMERIC_NUMERIC, DECIMAL_REMAINDER, 0),
	PLAIN(F_NUMERIC_DIV_TRUNC, DECIMAL_DIVIDE_WHOLE, 0),
	PLAIN(F_DIV, DECIMAL_DIVIDE_WHOLE, 0),
	PLAIN(F_NUMERIC_UMINUS, DECIMAL_NEGATE, 0),
	NOTHING(F_NUMERIC_UPLUS),
	PLAIN(F_NUMERIC_ABS, DECIMAL_ABS, 0),
	PLAIN(F_ABS_NUMERIC, DECIMAL_ABS, 0),
	PLAIN(F_FLOOR_NUMERIC, DECIMAL_FLOOR, 0),
	PLAIN(F_SCALE, DECIMAL_SCALE, 0),
	PLAIN(F_CEIL_NUMERIC, DECIMAL_CEIL, 0),
	PLAIN(F_CEILING_NUMERIC, DECIMAL_CEIL, 0),
	{F_ROUND_NUMERIC_INT4, WA_FORM_ROUND, WA_CODE_DECIMAL_ROUND, 0},
	{F_NUMERIC_NUMERIC_INT4, WA_FORM_TYPMOD, WA_CODE_DECIMAL_ROUND, 0},

	COMPARISONS(INT2, PLAIN, COMPARE_INT),
	COMPARISONS(INT4, PLAIN, COMPARE_INT),
	COMPARISONS(INT8, PLAIN, COMPARE_INT),
	COMPARISONS(INT24, PLAIN, COMPARE_INT),
	COMPARISONS(INT42, PLAIN, COMPARE_INT),
	COMPARISONS(INT28, PLAIN, COMPARE_INT),
	COMPARISONS(INT82, PLAIN, COMPARE_INT),
	COMPARISONS(INT48, PLAIN, COMPARE_INT),
	COMPARISONS(INT84, PLAIN, COMPARE_INT),
	COMPARISONS(OID, PLAIN, COMPARE_INT),
	COMPARISONS(CASH_, PLAIN, COMPARE_INT),
	COMPARISONS(DATE_, PLAIN, COMPARE_INT),
	COMPARISONS(TIME_, PLAIN, COMPARE_INT),
	COMPARISONS(TIMESTAMP_, PLAIN, COMPARE_INT),
	COMPARISONS(TIMESTAMPTZ_, PLAIN, COMPARE_INT),
	COMPARISONS(FLOAT4, PLAIN, COMPARE_FLOAT),
	COMPARISONS(FLOAT8, PLAIN, COMPARE_FLOAT),
	COMPARISONS(FLOAT48, PLAIN, COMPARE_FLOAT),
	COMPARISONS(FLOAT84, PLAIN, COMPARE_FLOAT),
	COMPARISONS(NUMERIC_, PLAIN, COMPARE_DECIMAL),
	COMPARISONS(BOOL, PLAIN, COMPARE_BOOL),
	{F_TEXTEQ, WA_FORM_PLAIN, WA_CODE_COMPARE_TEXT, WA_EQUAL},
	{F_TEXTNE, WA_FORM_PLAIN, WA_CODE_COMPARE_TEXT, WA_NOT_EQUAL},
	ORDER_COMPARISONS(TEXT_, C_TEXT, COMPARE_TEXT),
	{F_BPCHAREQ, WA_FORM_TRIMMED, WA_CODE_COMPARE_TEXT, WA_EQUAL},
	{F_BPCHARNE, WA_FORM_TRIMMED, WA_CODE_COMPARE_TEXT, WA_NOT_EQUAL},
	ORDER_COMPARISONS(BPCHAR, C_TRIMMED, COMPARE_TEXT),

	PLAIN(F_TIMESTAMP_DATE, DATE_TO_TIMESTAMP, 0),
	PLAIN(F_DATE_TIMESTAMP, TIMESTAMP_TO_DATE, 0),
	DATE_COMPARISON(EQ, EQUAL),
	DATE_COMPARISON(NE, NOT_EQUAL),
	DATE_COMPARISON(LT, LESS),
	DATE_COMPARISON(LE, LESS_OR_EQUAL),
	DATE_COMPARISON(GT, GREATER),
	DATE_COMPARISON(GE, GREATER_OR_EQUAL),
	TIME(F_DATE_TRUNC_TEXT_TIMESTAMP),
	TIME(F_DATE_TRUNC_TEXT_TIMESTAMPTZ),
	TIME(F_EXTRACT_TEXT_TIMESTAMP),
	TIME(F_EXTRACT_TEXT_TIMESTAMPTZ),
	TIME(F_DATE_PART_TEXT_TIMESTAMP),
	TIME(F_DATE_PART_TEXT_TIMESTAMPTZ),
};

const WaFunction *
wa_function_find(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
		if (functions[i].function == function)
			return &functions[i];
	return NULL;
}

int
wa_function_code(Oid function)
{
	const WaFunction *found = wa_function_find(function);

	return found != NULL && found->form == WA_FORM_PLAIN ? (int) found->code
														 : -1;
}

Oid
wa_function_of(const Node *expression)
{
	const OpExpr *operation = (const OpExpr *) expression;

	if (IsA(expression, FuncExpr))
		return ((const FuncExpr *) expression)->funcid;
	if (!IsA(expression, OpExpr) && !IsA(expression, DistinctExpr) &&
		!IsA(expression, NullIfExpr))
		return InvalidOid;
	return OidIsValid(operation->opfuncid) ? operation->opfuncid
										   : get_opcode(operation->opno);
}

List *
wa_arguments_of(const Node *expression)
{
	switch (nodeTag(expression))
	{
		case T_FuncExpr:
			return ((const FuncExpr *) expression)->args;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return ((const OpExpr *) expression)->args;
		default:
			return NIL;
	}
}

const Const *
wa_constant_of(const Node *node, Oid type)
{
	const Const *constant = (const Const *) node;

	return IsA(node, Const) && constant->consttype == type &&
				   !constant->constisnull
			   ? constant
			   : NULL;
}

const char *
wa_constant_text(const Node *node)
{
	const Const *constant = wa_constant_of(node, TEXTOID);

	return constant == NULL ? NULL : TextDatumGetCString(constant->constvalue);
}

bool
wa_constant_integer(const Node *node, int64 *value)
{
	const Const *constant = (const Const *) node;

	if (!IsA(node, Const) || constant->constisnull ||
		(constant->consttype != INT2OID && constant->consttype != INT4OID &&
		 constant->consttype != INT8OID))
		return false;
	*value = wa_integer_of_datum(constant->consttype, constant->constvalue);
	return true;
}
