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
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "scan/compile_internal.h"
#include "scan/gather.h"

/* IN with more elements than that is not covered. */
#define MAX_ELEMENTS 100

/* Compiles AND, OR or NOT. */
static int
compile_bool(WaCompiler *compiler, const BoolExpr *expression)
{
	int number = wa_compile(compiler, linitial(expression->args));

	/* What follows is looked at only as long as the result is open. */
	if (expression->boolop == NOT_EXPR)
		return wa_compiler_emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number,
								0, 0, 0);
	for (int i = 1; i < list_length(expression->args); i++)
		number = wa_compiler_emit(
			compiler, expression->boolop == AND_EXPR ? WA_CODE_AND : WA_CODE_OR,
			WA_VECTOR_BOOL, number,
			wa_compile_conditional(compiler, list_nth(expression->args, i),
								   true),
			0, 0);
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
			return wa_compiler_emit(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL,
									number, 0, 0, 0);
		case IS_NOT_UNKNOWN:
			return wa_compiler_emit(compiler, WA_CODE_IS_NOT_NULL,
									WA_VECTOR_BOOL, number, 0, 0, 0);
		case IS_FALSE:
		case IS_NOT_FALSE:
			number = wa_compiler_emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL,
									  number, 0, 0, 0);
			break;
		default:
			break;
	}
	number = wa_compiler_emit(compiler, WA_CODE_IS_TRUE, WA_VECTOR_BOOL, number,
							  0, 0, 0);
	if (negated)
		number = wa_compiler_emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number,
								  0, 0, 0);
	return number;
}

/* Emits the choice between two values of the expression's type. */
static int
emit_select(WaCompiler *compiler, WaVectorKind kind, int condition, int yes,
			int no)
{
	return wa_compiler_emit(compiler, WA_CODE_SELECT, kind, condition, yes, no,
							(uint32) kind);
}

/* Replaces the placeholder for the argument of CASE by the argument. */
static Node *
replace_case_test(Node *node, void *argument)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, CaseTestExpr))
		return (Node *) argument;
	if (IsA(node, CaseExpr) && ((CaseExpr *) node)->arg != NULL)
		return node; /* whose placeholders are for an argument of its own */
	return expression_tree_mutator(node, replace_case_test, argument);
}

/* Compiles CASE, from its last branch to its first. */
static int
compile_case(WaCompiler *compiler, const CaseExpr *expression)
{
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(expression->casetype, &kind))
		return wa_compiler_refuse(compiler,
								  "a CASE has a type that is not covered");
	if (expression->arg != NULL && wa_compile(compiler, expression->arg) < 0)
		return -1;
	number = wa_compile_conditional(compiler, expression->defresult, true);
	for (int i = list_length(expression->args) - 1; i >= 0; i--)
	{
		const CaseWhen *when = list_nth_node(CaseWhen, expression->args, i);
		Node *condition = (Node *) when->expr;

		if (expression->arg != NULL)
			condition = replace_case_test(condition, expression->arg);
		number = emit_select(
			compiler, kind,
			wa_compile_conditional(compiler, (Expr *) condition, i > 0),
			wa_compile_conditional(compiler, when->result, true), number);
	}
	return number;
}

/* Compiles COALESCE, from its last argument to its first. */
static int
compile_coalesce(WaCompiler *compiler, const CoalesceExpr *expression)
{
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(expression->coalescetype, &kind))
		return wa_compiler_refuse(compiler,
								  "a COALESCE has a type that is not covered");
	number = wa_compile_conditional(compiler, llast(expression->args), true);
	for (int i = list_length(expression->args) - 2; i >= 0; i--)
	{
		int value = wa_compile_conditional(
			compiler, list_nth(expression->args, i), i > 0);

		number = emit_select(compiler, kind,
							 wa_compiler_emit(compiler, WA_CODE_IS_NOT_NULL,
											  WA_VECTOR_BOOL, value, 0, 0, 0),
							 value, number);
	}
	return number;
}

/* Returns the elements of an array that is written out, unless they are many. */
static List *
array_elements(Node *array)
{
	Const *constant = (Const *) array;
	List *elements = NIL;
	ArrayType *value;
	int16 typlen;
	bool typbyval;
	char typalign;
	Datum *datums;
	bool *nulls;
	int nelements;

	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return list_length(((ArrayExpr *) array)->elements) <= MAX_ELEMENTS
				   ? ((ArrayExpr *) array)->elements
				   : NIL;
	if (!IsA(array, Const) || constant->constisnull)
		return NIL;
	value = DatumGetArrayTypeP(constant->constvalue);
	if (ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value)) > MAX_ELEMENTS)
		return NIL;
	get_typlenbyvalalign(ARR_ELEMTYPE(value), &typlen, &typbyval, &typalign);
	deconstruct_array(value, ARR_ELEMTYPE(value), typlen, typbyval, typalign,
					  &datums, &nulls, &nelements);
	for (int i = 0; i < nelements; i++)
		elements = lappend(elements, makeConst(ARR_ELEMTYPE(value), -1,
											   constant->constcollid, typlen,
											   datums[i], nulls[i], typbyval));
	return elements;
}

/* Compiles IN over a constant array, one comparison for each element. */
static int
compile_in(WaCompiler *compiler, const ScalarArrayOpExpr *expression)
{
	Node *array = lsecond(expression->args);
	Oid function = OidIsValid(expression->opfuncid)
					   ? expression->opfuncid
					   : get_opcode(expression->opno);
	List *elements = array_elements(array);
	int number = -1;
	ListCell *cell;

	if (elements == NIL ||
		wa_compile(compiler, (Expr *) linitial(expression->args)) < 0)
		return wa_compiler_refuse(
			compiler, "the list of IN is empty, long or not constant");
	foreach (cell, elements)
	{
		OpExpr *comparison = makeNode(OpExpr);
		int one;

		comparison->opno = expression->opno;
		comparison->opfuncid = function;
		comparison->opresulttype = BOOLOID;
		comparison->inputcollid = expression->inputcollid;
		comparison->args = list_make2(linitial(expression->args), lfirst(cell));
		compiler->native++;
		one = wa_compile(compiler, (Expr *) comparison);
		compiler->native--;
		number =
			number < 0
				? one
				: wa_compiler_emit(compiler,
								   expression->useOr ? WA_CODE_OR : WA_CODE_AND,
								   WA_VECTOR_BOOL, number, one, 0, 0);
		if (number < 0 || one < 0)
			return -1;
	}
	return number;
}

/* Compiles a value that is merely called another type. */
static int
compile_relabel(WaCompiler *compiler, const RelabelType *relabel)
{
	Oid from = exprType((Node *) relabel->arg);
	WaVectorKind kind;

	/* An integer that becomes an oid loses its sign. */
	if (from != relabel->resulttype &&
		(!wa_gather_kind(relabel->resulttype, &kind) || kind != WA_VECTOR_TEXT))
		return wa_compiler_refuse(compiler, "a value is called another type");
	if (from == BPCHAROID && relabel->resulttype != BPCHAROID)
		return wa_compiler_refuse(compiler, "a bpchar is called another type");
	return wa_compile(compiler, relabel->arg);
}

/* Compiles an expression that no register holds yet. */
static int
compile_new(WaCompiler *compiler, Expr *expression)
{
	switch (nodeTag(expression))
	{
		case T_RelabelType:
			return compile_relabel(compiler, (RelabelType *) expression);
		case T_OpExpr:
		{
			OpExpr *operation = (OpExpr *) expression;

			return wa_compile_function(compiler, expression,
									   OidIsValid(operation->opfuncid)
										   ? operation->opfuncid
										   : get_opcode(operation->opno),
									   operation->args, operation->inputcollid);
		}
		case T_FuncExpr:
		{
			FuncExpr *call = (FuncExpr *) expression;

			return wa_compile_function(compiler, expression, call->funcid,
									   call->args, call->inputcollid);
		}
		case T_BoolExpr:
			return compile_bool(compiler, (BoolExpr *) expression);
		case T_NullTest:
			if (((NullTest *) expression)->argisrow)
				return wa_compiler_refuse(compiler, "a row is tested for NULL");
			return wa_compiler_emit(
				compiler,
				((NullTest *) expression)->nulltesttype == IS_NULL
					? WA_CODE_IS_NULL
					: WA_CODE_IS_NOT_NULL,
				WA_VECTOR_BOOL,
				wa_compile(compiler, ((NullTest *) expression)->arg), 0, 0, 0);
		case T_BooleanTest:
			return compile_boolean_test(compiler, (BooleanTest *) expression);
		case T_CaseExpr:
			return compile_case(compiler, (CaseExpr *) expression);
		case T_CoalesceExpr:
			return compile_coalesce(compiler, (CoalesceExpr *) expression);
		case T_ScalarArrayOpExpr:
			return compile_in(compiler, (ScalarArrayOpExpr *) expression);
		default:
			return wa_compiler_refuse(
				compiler, psprintf("an expression is of a kind that "
								   "is not covered (node %d)",
								   (int) nodeTag(expression)));
	}
}

/* An expression that could not be compiled, and how that was tried. */
typedef struct Failure
{
	const Expr *expression;
	bool conditional;
	bool native;
	const char *refusal;
} Failure;

/* Tells whether an expression, by its address, has failed before. */
static bool
has_failed(WaCompiler *compiler, const Expr *expression)
{
	ListCell *cell;

	foreach (cell, compiler->failed)
	{
		const Failure *failure = (const Failure *) lfirst(cell);

		if (failure->expression == expression &&
			failure->conditional <= (compiler->conditional > 0) &&
			failure->native <= (compiler->native > 0))
		{
			compiler->refusal = failure->refusal;
			return true;
		}
	}
	return false;
}

/* Notes that an expression has failed.  Returns -1. */
static int
note_failure(WaCompiler *compiler, const Expr *expression)
{
	Failure *failure = palloc(sizeof(Failure));

	*failure = (Failure){expression, compiler->conditional > 0,
						 compiler->native > 0, compiler->refusal};
	compiler->failed = lappend(compiler->failed, failure);
	return -1;
}

/* Compiles an expression, or else has PostgreSQL evaluate it. */
static int
compile_or_evaluate(WaCompiler *compiler, Expr *expression)
{
	WaCompilerMark mark = wa_compiler_mark(compiler);
	int number = compile_new(compiler, expression);

	if (number >= 0)
		return number;
	wa_compiler_return(compiler, &mark);
	number = wa_compile_evaluation(compiler, expression);
	if (number >= 0)
		return number;
	wa_compiler_return(compiler, &mark);
	return note_failure(compiler, expression);
}

int
wa_compile(WaCompiler *compiler, Expr *expression)
{
	int number = wa_compiler_find(compiler, expression, false);

	if (number >= 0)
		return number;
	if (!contain_var_clause((Node *) expression))
		return wa_compile_constant(compiler, expression, false);
	if (has_failed(compiler, expression))
		return -1;
	number = compile_or_evaluate(compiler, expression);
	return number < 0
			   ? -1
			   : wa_compiler_note(compiler, expression, number, false, false);
}

/* What stands behind FILTER is as what stands behind CASE WHEN. */
int
wa_compile_argument(WaCompiler *compiler, Expr *argument, Expr *filter)
{
	int number = wa_compile_conditional(compiler, argument, filter != NULL);
	CaseExpr *expression;
	CaseWhen *when;

	if (number >= 0 || filter == NULL)
		return number;
	when = makeNode(CaseWhen);
	when->expr = filter;
	when->result = argument;
	expression = makeNode(CaseExpr);
	expression->casetype = exprType((Node *) argument);
	expression->casecollid = exprCollation((Node *) argument);
	expression->args = list_make1(when);
	expression->defresult = (Expr *) makeNullConst(
		exprType((Node *) argument), exprTypmod((Node *) argument),
		exprCollation((Node *) argument));
	return wa_compile(compiler, (Expr *) expression);
}

int
wa_compile_conditional(WaCompiler *compiler, Expr *expression, bool conditional)
{
	int number;

	compiler->conditional += conditional ? 1 : 0;
	number = wa_compile(compiler, expression);
	compiler->conditional -= conditional ? 1 : 0;
	return number;
}
