/*
 * compile_choice.c
 *		Expressions that choose among values: CASE, COALESCE, NULLIF, GREATEST
 *		and their kin.
 *
 * The program computes all values for all rows.  So that the usual way to avoid an
 * error, CASE WHEN b <> 0 THEN a / b END, does not make it trap, divisions that
 * stand behind conditions divide by 1 in rows that do not come there.  What
 * PostgreSQL evaluates behind conditions it evaluates for the rows that come there.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "heap/gather.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"

int
wa_compile_guarded(WaCompiler *compiler, Expr *expression, WaGuardForm form,
				   int condition)
{
	WaGuard guard = {compiler->guard, form, condition, false};
	int ndone = compiler->ndone;
	int number;

	if (condition < 0)
		return -1;
	compiler->guard = &guard;
	compiler->conditional++;
	number = wa_compile(compiler, expression);
	compiler->conditional--;
	compiler->guard = guard.outer;
	/* What was made to be right behind the condition only is so nowhere else. */
	if (guard.is_used)
		wa_compiler_forget(compiler, ndone);
	return number;
}

int
wa_compile_guard(WaCompiler *compiler, WaGuard *guard)
{
	int number = guard->condition;

	guard->is_used = true;
	if (guard->form == WA_UNLESS_FALSE)
		number = wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
	if (guard->form != WA_IF_TRUE)
	{
		number = wa_emit_one(compiler, WA_CODE_IS_TRUE, WA_VECTOR_BOOL, number);
		number = wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
	}
	if (guard->outer == NULL)
		return number;
	return wa_emit_bool(compiler, WA_CODE_AND, number,
						wa_compile_guard(compiler, guard->outer));
}

int
wa_compile_divisor(WaCompiler *compiler, WaVectorKind kind, int divisor)
{
	int one;

	if (compiler->guard == NULL || divisor < 0)
		return divisor;
	one = kind == WA_VECTOR_FLOAT     ? wa_constant_float(compiler, 1)
		  : kind == WA_VECTOR_DECIMAL ? wa_constant_numeric(compiler, 1)
									  : wa_constant_int(compiler, 1);
	return wa_emit_choice(compiler, kind,
						  wa_compile_guard(compiler, compiler->guard), divisor,
						  one);
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

/* A condition of CASE: registers. */
typedef struct Condition
{
	int number;
	int any; /* whether a row fulfils this one or one before it */
} Condition;

/*
 * Compiles the conditions of CASE, each for rows that fulfil none before it.
 * Returns NULL if one could not be compiled.
 */
static Condition *
compile_conditions(WaCompiler *compiler, const CaseExpr *expression)
{
	Condition *conditions =
		palloc(sizeof(Condition) * list_length(expression->args));

	for (int i = 0; i < list_length(expression->args); i++)
	{
		const CaseWhen *when = list_nth_node(CaseWhen, expression->args, i);
		Node *condition = (Node *) when->expr;

		if (expression->arg != NULL)
			condition = replace_case_test(condition, expression->arg);
		if (i == 0)
		{
			conditions[0].number = wa_compile(compiler, (Expr *) condition);
			conditions[0].any = conditions[0].number;
		}
		else
		{
			int before = conditions[i - 1].any;

			conditions[i].number = wa_compile_guarded(
				compiler, (Expr *) condition, WA_UNLESS_TRUE, before);
			conditions[i].any = wa_emit_bool(compiler, WA_CODE_OR, before,
											 conditions[i].number);
		}
		if (conditions[i].any < 0)
			return NULL;
	}
	return conditions;
}

/* Compiles a result of CASE, for rows that fulfil no condition before its own. */
static int
compile_result(WaCompiler *compiler, Expr *result, const Condition *conditions,
			   int number)
{
	WaGuard before = {compiler->guard, WA_UNLESS_TRUE, -1, false};
	int value;

	if (number == 0)
		return wa_compile_guarded(compiler, result, WA_IF_TRUE,
								  conditions[0].number);
	before.condition = conditions[number - 1].any;
	compiler->guard = &before;
	value = wa_compile_guarded(compiler, result, WA_IF_TRUE,
							   conditions[number].number);
	compiler->guard = before.outer;
	return value;
}

int
wa_compile_case(WaCompiler *compiler, const CaseExpr *expression)
{
	WaVectorKind kind;
	Condition *conditions;
	int nconditions = list_length(expression->args);
	int number;

	if (!wa_gather_kind(expression->casetype, &kind))
		return wa_compiler_refuse(compiler,
								  "a CASE has a type that is not covered");
	if (expression->arg != NULL && wa_compile(compiler, expression->arg) < 0)
		return -1;
	conditions = compile_conditions(compiler, expression);
	if (conditions == NULL)
		return -1;
	number = wa_compile_guarded(compiler, expression->defresult, WA_UNLESS_TRUE,
								conditions[nconditions - 1].any);
	for (int i = nconditions - 1; i >= 0; i--)
	{
		Expr *result = list_nth_node(CaseWhen, expression->args, i)->result;

		number = wa_emit_choice(compiler, kind, conditions[i].number,
								compile_result(compiler, result, conditions, i),
								number);
	}
	return number;
}

/* Each argument is for the rows in which all before it are NULL. */
int
wa_compile_coalesce(WaCompiler *compiler, const CoalesceExpr *expression)
{
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(expression->coalescetype, &kind))
		return wa_compiler_refuse(compiler,
								  "a COALESCE has a type that is not covered");
	number = wa_compile(compiler, linitial(expression->args));
	for (int i = 1; i < list_length(expression->args); i++)
	{
		int present =
			wa_emit_one(compiler, WA_CODE_IS_NOT_NULL, WA_VECTOR_BOOL, number);
		int next = wa_compile_guarded(compiler, list_nth(expression->args, i),
									  WA_UNLESS_TRUE, present);

		number = wa_emit_choice(compiler, kind, present, number, next);
	}
	return number;
}

/* Compiles the comparison that NULLIF and IS DISTINCT FROM are made of. */
static int
compile_equality(WaCompiler *compiler, const OpExpr *expression)
{
	OpExpr *comparison = makeNode(OpExpr);

	*comparison = *expression;
	comparison->xpr.type = T_OpExpr;
	comparison->opfuncid = wa_function_of((Node *) expression);
	comparison->opresulttype = BOOLOID;
	return wa_compile(compiler, (Expr *) comparison);
}

int
wa_compile_nullif(WaCompiler *compiler, const NullIfExpr *expression)
{
	Node *first = (Node *) linitial(expression->args);
	WaVectorKind kind;

	if (!wa_gather_kind(exprType(first), &kind) ||
		exprType(first) != expression->opresulttype)
		return wa_compiler_refuse(compiler,
								  "a NULLIF has a type that is not covered");
	return wa_emit_choice(compiler, kind,
						  compile_equality(compiler, expression),
						  wa_constant_null(compiler, exprType(first)),
						  wa_compile(compiler, (Expr *) first));
}

/* Not distinct is what is equal, or both NULL. */
int
wa_compile_distinct(WaCompiler *compiler, const DistinctExpr *expression)
{
	int a = wa_compile(compiler, linitial(expression->args));
	int b = wa_compile(compiler, lsecond(expression->args));
	int equal = compile_equality(compiler, expression);
	int nulls =
		wa_emit_bool(compiler, WA_CODE_AND,
					 wa_emit_one(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL, a),
					 wa_emit_one(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL, b));

	equal = wa_emit_one(compiler, WA_CODE_IS_TRUE, WA_VECTOR_BOOL, equal);
	return wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL,
					   wa_emit_bool(compiler, WA_CODE_OR, equal, nulls));
}

/* A later argument is taken where it is greater (less), or nothing is yet. */
int
wa_compile_extreme(WaCompiler *compiler, const MinMaxExpr *expression)
{
	TypeCacheEntry *type = lookup_type_cache(
		expression->minmaxtype, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	Oid opno = expression->op == IS_GREATEST ? type->gt_opr : type->lt_opr;
	const WaFunction *function = wa_function_find(get_opcode(opno));
	WaVectorKind kind;
	int number;

	if (function == NULL || function->form != WA_FORM_PLAIN ||
		!wa_gather_kind(expression->minmaxtype, &kind))
		return wa_compiler_refuse(compiler,
								  "a GREATEST has a type that is not covered");
	number = wa_compile(compiler, linitial(expression->args));
	for (int i = 1; i < list_length(expression->args); i++)
	{
		int next = wa_compile(compiler, list_nth(expression->args, i));
		int better = wa_emit_comparison(compiler, function->code, next, number,
										function->extra);
		int is_null =
			wa_emit_one(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL, number);

		number = wa_emit_choice(
			compiler, kind, wa_emit_bool(compiler, WA_CODE_OR, is_null, better),
			next, number);
	}
	return number;
}

/* Returns CASE WHEN condition THEN result END. */
static Expr *
make_case(Expr *condition, Expr *result)
{
	CaseExpr *expression = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);
	Oid type = exprType((Node *) result);
	Oid collation = exprCollation((Node *) result);

	when->expr = condition;
	when->result = result;
	expression->casetype = type;
	expression->casecollid = collation;
	expression->args = list_make1(when);
	expression->defresult =
		(Expr *) makeNullConst(type, exprTypmod((Node *) result), collation);
	return (Expr *) expression;
}

/* Returns an expression that is true where another is not NULL, else NULL. */
static Expr *
make_presence(Expr *expression)
{
	NullTest *test = makeNode(NullTest);

	test->arg = expression;
	test->nulltesttype = IS_NOT_NULL;
	return make_case((Expr *) test, (Expr *) makeBoolConst(true, false));
}

/* What stands behind FILTER is as what stands behind CASE WHEN. */
int
wa_compile_argument(WaCompiler *compiler, Expr *argument, Expr *filter,
					bool counted)
{
	WaVectorKind kind;
	const bool fits = wa_gather_kind(exprType((Node *) argument), &kind);
	int number;

	if (!counted && !fits)
		return wa_compile_stored(compiler, argument,
								 filter == NULL ? argument
												: make_case(filter, argument));
	if (!fits)
		argument = make_presence(argument);
	if (wa_is_wide(compiler, (Node *) argument))
		return wa_compile_wide(
			compiler, filter == NULL ? argument : make_case(filter, argument),
			WA_VECTOR_TEXT);
	if (filter == NULL)
		return wa_compile(compiler, argument);
	number = wa_compile_guarded(compiler, argument, WA_IF_TRUE,
								wa_compile(compiler, filter));
	return number < 0 ? wa_compile(compiler, make_case(filter, argument))
					  : number;
}

int
wa_compile_key(WaCompiler *compiler, Expr *key)
{
	return wa_is_wide(compiler, (Node *) key)
			   ? wa_compile_wide(compiler, key, WA_VECTOR_DECIMAL)
			   : wa_compile(compiler, key);
}
