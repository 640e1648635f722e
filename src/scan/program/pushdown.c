/*
 * pushdown.c
 *		Which parts of a query are pushed; see pushdown.h.
 *
 * Each part is compiled by itself to find out: what it shares with others is no
 * part of the question.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "query/records/records.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/errors.h"
#include "scan/expr/times.h"
#include "scan/program/pushdown.h"
#include "scan/program/query_column.h"
#include "scan/program/register_range.h"
#include "scan/tables/column_function.h"
#include "scan/tables/range_tables.h"

/* So many expressions are tried as inputs: to compile each takes time. */
#define MAX_TRIED 64

bool
wa_calls_are_pushable(const WaCompiler *compiler)
{
	const WaRegisterRanges ranges = {.compiler = compiler};

	for (int i = 0; i < compiler->ninstructions; i++)
	{
		const WaInstruction *instruction = &compiler->instructions[i];
		const WaCallExpression *call;
		WaColumnFunction function;
		WaResidency range;

		if (instruction->code != WA_CODE_CALL)
			continue;
		call = (const WaCallExpression *) list_nth(compiler->calls,
												   instruction->extra);
		if (call->kind == WA_CALL_ROWS)
		{
			/* Only columns have codes. */
			if (compiler->kinds[instruction->a] == WA_VECTOR_TEXT &&
				instruction->a >= compiler->ncolumns)
				return false;
			continue;
		}
		/* It is one of a column, or of integers that are computed from some. */
		if (!wa_column_function_of_call(call, NULL, &function) &&
			(!wa_range_table_is_possible(call) ||
			 !wa_register_range(&ranges, instruction->a, &range)))
			return false;
	}
	return true;
}

/* Returns what there may be no table of, if not of a call. */
static WaExcluded
kind_of_table(const WaCallExpression *call)
{
	WaColumnFunction function;
	const bool is_of_column = wa_column_function_of_call(call, NULL, &function);

	if (is_of_column && function.kind == WA_VECTOR_TEXT)
		return WA_EXCLUDES_TEXTS;
	return call->kind == WA_CALL_BUCKETS ||
				   (is_of_column && function.column->vartype == DATEOID)
			   ? WA_EXCLUDES_TIMES
			   : WA_EXCLUDES_INTEGERS;
}

List *
wa_calls_excluded(const WaCompiler *compiler, WaExcluded excluded)
{
	List *calls = NIL;
	ListCell *cell;

	foreach (cell, compiler->calls)
		if (kind_of_table((const WaCallExpression *) lfirst(cell)) == excluded)
			calls = lappend(calls, lfirst(cell));
	return calls;
}

/* Tells whether there are tables of all that a program of a pushdown calls. */
static bool
are_pushable_calls(const WaPushdown *pushdown, const WaCompiler *compiler)
{
	ListCell *cell;

	if (!wa_calls_are_pushable(compiler))
		return false;
	foreach (cell, compiler->calls)
		if (pushdown->excluded >=
			kind_of_table((const WaCallExpression *) lfirst(cell)))
			return false;
	return true;
}

/* Starts a program for expressions, of which some may be NULL. */
static WaCompiler *
make_compiler(const WaPushdown *pushdown, List *expressions)
{
	const char *refusal = NULL;

	return wa_compiler_make(pushdown->varno, NULL, expressions, &refusal);
}

/* Tells whether a clause or a key can be pushed. */
static bool
is_pushable(const WaPushdown *pushdown, Expr *expression)
{
	WaCompiler *compiler = make_compiler(pushdown, list_make1(expression));

	return compiler != NULL && wa_compile_key(compiler, expression) >= 0 &&
		   are_pushable_calls(pushdown, compiler);
}

/*
 * Tells whether an expression can be an input: as a key, but without tables, of which
 * there may be none when the query runs, but for those of times and dates, as there
 * are few of these.
 */
static bool
is_pushable_input(const WaPushdown *pushdown, Expr *input)
{
	WaCompiler *compiler = make_compiler(pushdown, list_make1(input));
	ListCell *cell;

	if (compiler == NULL || wa_compile_key(compiler, input) < 0 ||
		!wa_calls_are_pushable(compiler))
		return false;
	foreach (cell, compiler->calls)
		if (pushdown->excluded == WA_EXCLUDES_TIMES ||
			kind_of_table((const WaCallExpression *) lfirst(cell)) !=
				WA_EXCLUDES_TIMES)
			return false;
	return true;
}

/* Tells whether a column's operations over an argument can be pushed, with a filter. */
static bool
is_pushable_column(const WaPushdown *pushdown, const WaPushdownColumn *column,
				   Expr *argument, Expr *filter)
{
	const Oid type =
		argument == NULL ? BOOLOID : getBaseType(exprType((Node *) argument));
	WaCompiler *compiler =
		make_compiler(pushdown, list_make2(argument, filter));
	WaQueryColumn compiled;

	return compiler != NULL &&
		   wa_compile_column(compiler, argument, filter, column->ops,
							 &compiled) &&
		   wa_column_is_pushable(compiler, &compiled, type) &&
		   are_pushable_calls(pushdown, compiler);
}

/* Tells whether the device process can group by a column of the table. */
static bool
can_be_sent(const Var *column)
{
	WaVectorKind kind;

	return column->varattno > 0 &&
		   wa_gather_kind(getBaseType(column->vartype), &kind);
}

/* Finds what stands for the argument of a CASE that is around the expression. */
static bool
find_case_test(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, CaseTestExpr))
		return true;
	if (IsA(node, CaseExpr) && ((const CaseExpr *) node)->arg != NULL)
		return find_case_test((Node *) ((const CaseExpr *) node)->arg, context);
	return expression_tree_walker(node, find_case_test, context);
}

/*
 * Tells whether a part of an expression may be computed by the device process, which
 * makes its values, of which there are no more than of its columns, an input.
 */
static bool
can_be_input(WaPushdown *pushdown, Node *node)
{
	WaVectorKind kind;

	switch (nodeTag(node))
	{
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_CoerceViaIO:
		case T_CaseExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
			break;
		default:
			return false;
	}
	return wa_gather_kind(getBaseType(exprType(node)), &kind) &&
		   contain_var_clause(node) && !find_case_test(node, NULL) &&
		   pushdown->ntried++ < MAX_TRIED &&
		   is_pushable_input(pushdown, (Expr *) node);
}

/*
 * Adds the number of digits that rows of an input are shown with, if it is a numeric of
 * which that differs: what is evaluated may depend on it.  Returns false if it cannot.
 */
static bool
add_scale(WaPushdown *pushdown, Node *input)
{
	Expr *scale;

	if (getBaseType(exprType(input)) != NUMERICOID || exprTypmod(input) >= 0)
		return true;
	scale = (Expr *) makeFuncExpr(F_SCALE, INT4OID, list_make1(input),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	if (!is_pushable_input(pushdown, scale))
		return false;
	pushdown->by = list_append_unique(pushdown->by, scale);
	return true;
}

/*
 * Has the device process group by the inputs of an expression.  Returns true if it
 * cannot group by one.
 */
static bool
add_inputs(Node *node, void *context)
{
	WaPushdown *pushdown = (WaPushdown *) context;

	if (node == NULL || list_member(pushdown->by, node))
		return false;
	if (IsA(node, Var) ? !can_be_sent((const Var *) node)
					   : !can_be_input(pushdown, node))
		return IsA(node, Var) ||
			   expression_tree_walker(node, add_inputs, pushdown);
	pushdown->by = lappend(pushdown->by, node);
	return !add_scale(pushdown, node);
}

/*
 * Leaves an expression, which may be NULL, to PostgreSQL; returns false if that
 * cannot be.
 */
static bool
leave(WaPushdown *pushdown, Expr *expression)
{
	if (expression == NULL)
		return true;
	pushdown->params = wa_exec_params(pushdown->params, (Node *) expression);
	return !add_inputs((Node *) expression, pushdown);
}

static Node *
refer(Node *node, void *context)
{
	const WaPushdown *pushdown = (const WaPushdown *) context;
	ListCell *cell;

	if (node == NULL)
		return NULL;
	foreach (cell, pushdown->by)
		if (equal(lfirst(cell), node))
			return (Node *) makeVar(
				OUTER_VAR, (AttrNumber) (foreach_current_index(cell) + 1),
				exprType(node), exprTypmod(node), exprCollation(node), 0);
	return expression_tree_mutator(node, refer, context);
}

Node *
wa_pushdown_refer(const WaPushdown *pushdown, Node *expression)
{
	return refer(expression, unconstify(WaPushdown *, pushdown));
}

/* Finds a column that is a time, of which some are so far away that they raise errors. */
static bool
has_time(Node *expression)
{
	ListCell *cell;

	foreach (cell, pull_var_clause(expression, 0))
		if (wa_is_time(getBaseType(exprType((Node *) lfirst(cell)))))
			return true;
	return false;
}

/*
 * Pushes clauses of WHERE.  What comes behind a clause that is left and may raise errors is
 * left as well: which rows come to that one must not depend on it.
 */
static bool
push_filters(WaPushdown *pushdown)
{
	bool may_raise = false;
	ListCell *cell;

	foreach (cell, pushdown->filters)
	{
		Expr *clause = (Expr *) lfirst(cell);

		if (!may_raise && is_pushable(pushdown, clause))
			pushdown->pushed_filters =
				lappend(pushdown->pushed_filters, clause);
		else if (!leave(pushdown, clause))
			return false;
		else
		{
			pushdown->unpushed_filters =
				lappend(pushdown->unpushed_filters, clause);
			may_raise = may_raise || wa_may_raise((Node *) clause) ||
						has_time((Node *) clause);
		}
	}
	return true;
}

/* Pushes the keys. */
static bool
push_keys(WaPushdown *pushdown)
{
	ListCell *cell;

	foreach (cell, pushdown->keys)
	{
		Expr *key = (Expr *) lfirst(cell);

		if (is_pushable(pushdown, key))
			pushdown->by = list_append_unique(pushdown->by, key);
		else if (!leave(pushdown, key))
			return false;
	}
	return true;
}

/* A CASE in the argument of a column, and what is put into its place. */
typedef struct Replacement
{
	CaseExpr *choice; /* NULL: not found so far */
	Expr *result;
} Replacement;

/* Finds a CASE that is always evaluated, and does not depend on one around it. */
static bool
find_choice(Node *node, void *context)
{
	Replacement *replacement = (Replacement *) context;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_CaseExpr:
			if (find_case_test(node, NULL))
				return false;
			replacement->choice = (CaseExpr *) node;
			return true;
		case T_CoalesceExpr:
			return find_choice(linitial(((CoalesceExpr *) node)->args),
							   context);
		case T_BoolExpr:
			return find_choice(linitial(((BoolExpr *) node)->args), context);
		default:
			return expression_tree_walker(node, find_choice, context);
	}
}

static Node *
replace_choice(Node *node, void *context)
{
	const Replacement *replacement = (const Replacement *) context;

	if (node == (Node *) replacement->choice)
		return (Node *) copyObject(replacement->result);
	return node == NULL
			   ? NULL
			   : expression_tree_mutator(node, replace_choice, context);
}

/*
 * Adds a branch: a column's argument with a result in the place of the CASE.  Returns
 * the branch's number, which is the result of the choice.
 */
static Expr *
add_branch(WaPushdownColumn *column, Replacement *replacement, Expr *result)
{
	const int number = list_length(column->branches);

	replacement->result = result;
	column->branches =
		lappend(column->branches,
				replace_choice((Node *) column->argument, replacement));
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(number), false, true);
}

/* Makes a column's argument its only branch. */
static void
make_one_branch(WaPushdownColumn *column)
{
	column->choice = NULL;
	column->branches = list_make1(column->argument);
}

/* Makes the branches of a column: as many as a CASE in its argument has. */
static void
make_branches(WaPushdownColumn *column)
{
	Replacement replacement = {0};
	CaseExpr *choice;
	ListCell *cell;

	if (!find_choice((Node *) column->argument, &replacement))
	{
		make_one_branch(column);
		return;
	}
	choice = copyObject(replacement.choice);
	choice->casetype = INT4OID;
	choice->casecollid = InvalidOid;
	foreach (cell, choice->args)
	{
		CaseWhen *when = lfirst_node(CaseWhen, cell);

		when->result = add_branch(column, &replacement, when->result);
	}
	choice->defresult = add_branch(column, &replacement, choice->defresult);
	column->choice = (Expr *) choice;
}

/* Finds the branches of a column that are pushed; those alone that vary are worth it. */
static void
find_pushed_branches(const WaPushdown *pushdown, WaPushdownColumn *column)
{
	ListCell *cell;

	foreach (cell, column->branches)
	{
		Expr *branch = (Expr *) lfirst(cell);

		if (branch != NULL && contain_var_clause((Node *) branch) &&
			is_pushable_column(pushdown, column, branch, NULL))
			column->pushed_branches = bms_add_member(
				column->pushed_branches, foreach_current_index(cell));
	}
}

/* Pushes branches of a column that cannot be pushed as a whole. */
static bool
push_branches(WaPushdown *pushdown, WaPushdownColumn *column)
{
	ListCell *cell;

	make_branches(column);
	find_pushed_branches(pushdown, column);
	if (bms_is_empty(column->pushed_branches))
		make_one_branch(column);
	if (!leave(pushdown, column->filter) || !leave(pushdown, column->choice))
		return false;
	foreach (cell, column->branches)
		if (!bms_is_member(foreach_current_index(cell),
						   column->pushed_branches) &&
			!leave(pushdown, (Expr *) lfirst(cell)))
			return false;
	return true;
}

/* Pushes the aggregated columns. */
static bool
push_columns(WaPushdown *pushdown)
{
	for (int i = 0; i < pushdown->ncolumns; i++)
	{
		WaPushdownColumn *column = &pushdown->columns[i];

		column->is_pushed = is_pushable_column(
			pushdown, column, column->argument, column->filter);
		if (!column->is_pushed && !push_branches(pushdown, column))
			return false;
	}
	return true;
}

bool
wa_push_down(WaPushdown *pushdown)
{
	return push_filters(pushdown) && push_keys(pushdown) &&
		   push_columns(pushdown) && pushdown->by != NIL;
}
