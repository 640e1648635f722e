/*
 * compile.c
 *		From expressions of SQL to a query program; see compile.h.
 *
 * An expression is computed by the instructions of its arguments followed by its
 * own.  What appears twice is computed once.  Conditional expressions compute
 * all their branches: should a branch trap for a row that PostgreSQL would not
 * have evaluated it for, these rows go another way (core/program.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/joins.h"

/* Compiles AND, OR or NOT. */
static int
compile_bool(WaCompiler *compiler, const BoolExpr *expression)
{
	int number = wa_compile(compiler, linitial(expression->args));

	/* What follows is looked at only as long as the result is open. */
	if (expression->boolop == NOT_EXPR)
		return wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
	for (int i = 1; i < list_length(expression->args); i++)
	{
		bool is_and = expression->boolop == AND_EXPR;
		int next = wa_compile_guarded(compiler, list_nth(expression->args, i),
									  is_and ? WA_UNLESS_FALSE : WA_UNLESS_TRUE,
									  number);

		number = wa_emit_bool(compiler, is_and ? WA_CODE_AND : WA_CODE_OR,
							  number, next);
	}
	return number;
}

/* Compiles IS TRUE and its kin. */
static int
compile_boolean_test(WaCompiler *compiler, const BooleanTest *test)
{
	int number = wa_compile(compiler, test->arg);
	bool negated =
		test->booltesttype == IS_NOT_TRUE || test->booltesttype == IS_NOT_FALSE;

	switch (test->booltesttype)
	{
		case IS_UNKNOWN:
			return wa_emit_one(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL,
							   number);
		case IS_NOT_UNKNOWN:
			return wa_emit_one(compiler, WA_CODE_IS_NOT_NULL, WA_VECTOR_BOOL,
							   number);
		case IS_FALSE:
		case IS_NOT_FALSE:
			number = wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
			break;
		default:
			break;
	}
	number = wa_emit_one(compiler, WA_CODE_IS_TRUE, WA_VECTOR_BOOL, number);
	if (negated)
		number = wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
	return number;
}

/* Compiles IS NULL and its opposite; a column may be of any type. */
static int
compile_null_test(WaCompiler *compiler, const NullTest *test)
{
	WaVectorKind kind;
	int number;

	if (test->argisrow)
		return wa_compiler_refuse(compiler, "a row is tested for NULL");
	if (IsA(test->arg, Var) &&
		!wa_gather_kind(((Var *) test->arg)->vartype, &kind))
		number = wa_compiler_column(compiler, (Var *) test->arg);
	else
		number = wa_compile(compiler, test->arg);
	return wa_emit_one(compiler,
					   test->nulltesttype == IS_NULL ? WA_CODE_IS_NULL
													 : WA_CODE_IS_NOT_NULL,
					   WA_VECTOR_BOOL, number);
}

/* Compiles a value that is merely called another type. */
static int
compile_relabel(WaCompiler *compiler, const RelabelType *relabel)
{
	Oid from = getBaseType(exprType((Node *) relabel->arg));
	Oid to = getBaseType(relabel->resulttype);
	WaVectorKind kind;

	/* An integer that becomes an oid loses its sign. */
	if (from != to && (!wa_gather_kind(to, &kind) || kind != WA_VECTOR_TEXT))
		return wa_compiler_refuse(compiler, "a value is called another type");
	if (from == BPCHAROID && to != BPCHAROID)
		return wa_compiler_refuse(compiler, "a bpchar is called another type");
	return wa_compile(compiler, relabel->arg);
}

/* Compiles the number of the row of a join. */
static int
compile_row(WaCompiler *compiler, int join)
{
	const int key =
		wa_compile(compiler, (Expr *) list_nth(compiler->joins->keys, join));
	const WaCallExpression call = {.kind = WA_CALL_ROWS,
								   .result = WA_VECTOR_INT,
								   .join = join,
								   .wanted = -1};

	return key < 0 ? -1 : wa_compiler_call(compiler, call, key);
}

/* Compiles a value of a relation that is joined, which is looked up by its row. */
static int
compile_joined(WaCompiler *compiler, const Var *var)
{
	const WaJoins *joins = compiler->joins;
	const WaJoinedValue *value = wa_joined_value(joins, var);
	WaVectorKind kind;
	Var *row;

	if (value == NULL || !wa_gather_kind(var->vartype, &kind))
		return wa_compiler_refuse(compiler, "a column has no vector");
	if (value->fact != WA_FACT_NONE)
		return wa_compiler_emit(compiler, WA_CODE_LOOK_UP, kind,
								wa_constant_int(compiler, 0), 0, 0,
								(uint32) var->varattno - 1);
	if (value->expression == NULL)
		return compile_row(compiler, value->join);
	row = wa_joins_row(compiler->joins, wa_joins_owner(joins, value->join));
	return wa_compiler_emit(compiler, WA_CODE_LOOK_UP, kind,
							wa_compile(compiler, (Expr *) row), 0, 0,
							(uint32) var->varattno - 1);
}

/* Compiles an expression that no register holds yet. */
static int
compile_new(WaCompiler *compiler, Expr *expression)
{
	switch (nodeTag(expression))
	{
		case T_Var:
			return compile_joined(compiler, (Var *) expression);
		case T_RelabelType:
			return compile_relabel(compiler, (RelabelType *) expression);
		case T_OpExpr:
		case T_FuncExpr:
			return wa_compile_function(compiler, expression);
		case T_BoolExpr:
			return compile_bool(compiler, (BoolExpr *) expression);
		case T_NullTest:
			return compile_null_test(compiler, (NullTest *) expression);
		case T_BooleanTest:
			return compile_boolean_test(compiler, (BooleanTest *) expression);
		case T_CaseExpr:
			return wa_compile_case(compiler, (CaseExpr *) expression);
		case T_CoalesceExpr:
			return wa_compile_coalesce(compiler, (CoalesceExpr *) expression);
		case T_NullIfExpr:
			return wa_compile_nullif(compiler, (NullIfExpr *) expression);
		case T_DistinctExpr:
			return wa_compile_distinct(compiler, (DistinctExpr *) expression);
		case T_MinMaxExpr:
			return wa_compile_extreme(compiler, (MinMaxExpr *) expression);
		case T_ScalarArrayOpExpr:
			return wa_compile_list(compiler, (ScalarArrayOpExpr *) expression);
		default:
			return wa_compiler_refuse(
				compiler, psprintf("an expression is of a kind that "
								   "is not covered (node %d)",
								   (int) nodeTag(expression)));
	}
}

/*
 * Compiles an expression, or else has PostgreSQL evaluate it: from values that the
 * program computes, or if that gets too long, the whole of what was given.
 */
static int
compile_or_evaluate(WaCompiler *compiler, Expr *expression)
{
	WaCompilerMark mark = wa_compiler_mark(compiler);
	int number;

	compiler->depth++;
	number = compile_new(compiler, expression);
	if (number < 0 && !compiler->is_long)
	{
		wa_compiler_return(compiler, &mark);
		number = wa_compile_evaluation(compiler, expression);
	}
	compiler->depth--;
	if (number >= 0)
		return number;
	wa_compiler_return(compiler, &mark);
	if (!compiler->is_long)
		wa_compiler_note_failure(compiler, (Node *) expression);
	else if (compiler->depth == 0)
		return wa_compile_whole(compiler, expression);
	return -1;
}

int
wa_compile(WaCompiler *compiler, Expr *expression)
{
	int number = wa_compiler_find(compiler, expression, false);

	if (number >= 0)
		return number;
	if (!wa_varies(compiler, (Node *) expression))
		return wa_compile_constant(compiler, expression, false);
	if (wa_compiler_has_failed(compiler, (Node *) expression))
		return -1;
	if (compiler->depth == 0)
		compiler->is_long = false;
	if (!wa_compiler_work(compiler, 1) && compiler->depth > 0)
		return -1;
	number = compile_or_evaluate(compiler, expression);
	return number < 0
			   ? -1
			   : wa_compiler_note(compiler, expression, number, false, false);
}
