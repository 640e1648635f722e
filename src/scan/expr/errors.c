/*
 * errors.c
 *		Which expressions may raise errors when PostgreSQL evaluates them; see errors.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "scan/expr/errors.h"
#include "scan/expr/functions.h"
#include "scan/expr/times.h"

/* Functions that raise no errors, whatever their arguments are. */
static const Oid safe_functions[] = {
	F_LENGTH_TEXT,
	F_LENGTH_BPCHAR,
	F_CHAR_LENGTH_TEXT,
	F_CHARACTER_LENGTH_TEXT,
	F_OCTET_LENGTH_TEXT,
	F_OCTET_LENGTH_BPCHAR,
	F_STARTS_WITH,
	F_UPPER_TEXT,
	F_LOWER_TEXT,
	F_BTRIM_TEXT,
	F_LTRIM_TEXT,
	F_RTRIM_TEXT,
	F_REVERSE,
	F_STRPOS,
	F_TEXT_BPCHAR,
	F_SIGN_NUMERIC,
	F_SIGN_FLOAT8,
	F_ROUND_FLOAT8,
	F_TRUNC_FLOAT8,
	F_TRUNC_NUMERIC_INT4,
	F_SCALE,
	F_INT2AND,
	F_INT2OR,
	F_INT2XOR,
	F_INT2NOT,
	F_INT4AND,
	F_INT4OR,
	F_INT4XOR,
	F_INT4NOT,
	F_INT8AND,
	F_INT8OR,
	F_INT8XOR,
	F_INT8NOT,
	F_INT4SHL,
	F_INT4SHR,
	F_INT8SHL,
	F_INT8SHR,
};

/* Functions that tell what time it is, which raise none either. */
static const Oid clock_functions[] = {
	F_NOW,
	F_TRANSACTION_TIMESTAMP,
	F_STATEMENT_TIMESTAMP,
};

/* Tells whether a node tells what time it is. */
static bool
is_clock(const Node *node)
{
	if (IsA(node, SQLValueFunction))
		return ((const SQLValueFunction *) node)->op <= SVFOP_LOCALTIMESTAMP_N;
	for (int i = 0; i < lengthof(clock_functions); i++)
		if (IsA(node, FuncExpr) &&
			((const FuncExpr *) node)->funcid == clock_functions[i])
			return true;
	return false;
}

/* Tells whether the second argument is a pattern of LIKE that is well formed. */
static bool
has_plain_pattern(List *args)
{
	const char *pattern = wa_constant_text(lsecond(args));

	return pattern != NULL && strchr(pattern, '\\') == NULL;
}

/* Tells whether all arguments from the second on are constants, not negative. */
static bool
has_small_counts(List *args)
{
	ListCell *cell;

	for_each_from(cell, args, 1)
	{
		int64 count;

		if (!wa_constant_integer(lfirst(cell), &count) || count < 0 ||
			count > 1000000)
			return false;
	}
	return true;
}

/* Tells whether a function raises no errors with such arguments. */
static bool
is_safe_function(Oid function, List *args)
{
	for (int i = 0; i < lengthof(safe_functions); i++)
		if (safe_functions[i] == function)
			return true;
	switch (function)
	{
		case F_TEXTLIKE:
		case F_TEXTNLIKE:
		case F_BPCHARLIKE:
		case F_BPCHARNLIKE:
		case F_TEXTICLIKE:
		case F_TEXTICNLIKE:
			return has_plain_pattern(args);
		case F_SUBSTR_TEXT_INT4:
		case F_SUBSTR_TEXT_INT4_INT4:
		case F_SUBSTRING_TEXT_INT4:
		case F_SUBSTRING_TEXT_INT4_INT4:
		case F_LEFT:
		case F_RIGHT:
			return has_small_counts(args);
		default:
			return wa_time_function_is_safe(function, args);
	}
}

/* Tells whether an operator is one of order or equality of the system's own. */
static bool
is_comparison(Oid opno, Oid collation, List *args)
{
	Oid type = exprType(linitial(args));

	/* Elements of an array may be of a type that has no order. */
	if (opno >= FirstGenbkiObjectId || OidIsValid(get_element_type(type)) ||
		type == RECORDOID || operator_meaning_compat(opno) == 0)
		return false;
	return OidIsValid(collation) || !OidIsValid(get_typcollation(type));
}

/*
 * Finds what may raise errors where it is evaluated for rows in vain.  context: not
 * NULL if what tells the time does not count.
 */
static bool
find_unsafe(Node *node, void *context)
{
	if (node == NULL || (context != NULL && is_clock(node)))
		return false;
	switch (nodeTag(node))
	{
		case T_List:
		case T_Const:
		case T_Var:
		case T_Param:
		case T_RelabelType:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
			break;
		case T_FuncExpr:
			if (!is_safe_function(wa_function_of(node), wa_arguments_of(node)))
				return true;
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			if (!is_safe_function(wa_function_of(node),
								  wa_arguments_of(node)) &&
				!is_comparison(((OpExpr *) node)->opno,
							   ((OpExpr *) node)->inputcollid,
							   wa_arguments_of(node)))
				return true;
			break;
		case T_ScalarArrayOpExpr:
			if (!is_comparison(((ScalarArrayOpExpr *) node)->opno,
							   ((ScalarArrayOpExpr *) node)->inputcollid,
							   ((ScalarArrayOpExpr *) node)->args))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, find_unsafe, context);
}

/* Finds a parameter. */
static bool
find_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) ||
		   expression_tree_walker(node, find_parameter, context);
}

bool
wa_has_parameter(Node *expression)
{
	return find_parameter(expression, NULL);
}

bool
wa_may_raise(Node *expression)
{
	bool clocks = true;

	return find_unsafe(expression, &clocks);
}

bool
wa_is_total(Node *expression)
{
	return !find_unsafe(expression, NULL) && !find_parameter(expression, NULL);
}

/* Tells whether a type is one of the system's own, as far as code goes. */
static bool
is_own_type(Oid type)
{
	type = getBaseType(type);
	return (type < FirstGenbkiObjectId && type != RECORDOID &&
			type != RECORDARRAYOID) ||
		   get_typtype(type) == TYPTYPE_ENUM;
}

/*
 * Finds a function that is not the system's own: written in C, as it is in
 * PostgreSQL's code, and neither run as another user nor with settings.  What is
 * not immutable and makes XML runs queries.
 */
static bool
is_foreign_function(Oid function, void *context)
{
	HeapTuple tuple;
	Form_pg_proc form;
	bool is_own;

	if (function >= FirstGenbkiObjectId)
		return true;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	is_own = form->prolang == INTERNALlanguageId && !form->prosecdef &&
			 heap_attisnull(tuple, Anum_pg_proc_proconfig, NULL) &&
			 (form->provolatile == PROVOLATILE_IMMUTABLE ||
			  form->prorettype != XMLOID);
	ReleaseSysCache(tuple);
	return !is_own;
}

/* Finds what may run code that is not the system's own. */
static bool
find_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, find_foreign, context);
	if (check_functions_in_node(node, is_foreign_function, context))
		return true;
	switch (nodeTag(node))
	{
		case T_CoerceToDomain:
		case T_RowExpr:
		case T_RowCompareExpr:
		case T_ArrayCoerceExpr:
		case T_ConvertRowtypeExpr:
		case T_XmlExpr:
			return true;
		case T_RelabelType:
			/* The type that a column had before does not matter. */
			if (IsA(((RelabelType *) node)->arg, Var))
				return !is_own_type(exprType(node));
			break;
		case T_CaseWhen:
		case T_TargetEntry:
			break;
		default:
			if (!is_own_type(exprType(node)))
				return true;
			break;
	}
	return expression_tree_walker(node, find_foreign, context);
}

bool
wa_runs_foreign_code(Node *expression)
{
	return find_foreign(expression, NULL);
}

/* Adds the parameters that the executor sets to a List *. */
static bool
add_exec_params(Node *node, void *params)
{
	const Param *param = (const Param *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Param) && param->paramkind == PARAM_EXEC)
		*(List **) params =
			list_append_unique_int(*(List **) params, param->paramid);
	return expression_tree_walker(node, add_exec_params, params);
}

List *
wa_exec_params(List *params, Node *expression)
{
	(void) add_exec_params(expression, &params);
	return params;
}

bool
wa_has_exec_param(Node *expression)
{
	return wa_exec_params(NIL, expression) != NIL;
}
