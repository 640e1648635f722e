/*
 * compile_evaluate.c
 *		Expressions that PostgreSQL evaluates: what they are given, and when
 *		that is allowed; see scan/expr/evaluate.h.
 *
 * PostgreSQL evaluates a clause of WHERE, a key or an argument of an aggregate
 * for all rows that come there, and so all that is not behind a condition in
 * them: if that raises an error, the query has to fail.  Behind a condition
 * (CASE, COALESCE, AND, OR, FILTER) only what cannot raise errors is evaluated,
 * and, unless it costs next to nothing, only for the rows that come there.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"

#include "heap/gather.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/errors.h"
#include "scan/expr/functions.h"
#include "scan/expr/times.h"

/*
 * PostgreSQL's functions take numerics as it has them: to make one of a source, and
 * to take a wide result, or a value as it is stored, to its group, takes as long as so
 * many instructions.  Of a million rows GROUP BY k of max(inet) and max(interval) took
 * 240 ns a row, and PostgreSQL's plan, at a cost of 0.0175, 460 (2026-11-23).
 */
#define NUMERIC_SOURCE_WEIGHT 12
#define WIDE_WEIGHT           12
#define STORED_WEIGHT         6

/* Most rows of a wide key are computed a second time, one by one. */
#define WIDE_KEY_WEIGHT 250

#define UNSAFE "what stands behind a condition may raise errors"

/* The sources of an expression, as they are collected. */
typedef struct Sources
{
	WaCompiler *compiler;
	List *list; /* WaSource */
} Sources;

/* Returns the place, from 1 on, of a source, which is added if it is new. */
static AttrNumber
place_source(Sources *sources, Node *expression, int number)
{
	WaSource *source;
	ListCell *cell;

	foreach (cell, sources->list)
	{
		source = (WaSource *) lfirst(cell);
		if (source->number == number && equal(source->expression, expression))
			return (AttrNumber) (foreach_current_index(cell) + 1);
	}
	source = palloc(sizeof(WaSource));
	*source = (WaSource){(Expr *) expression, number};
	sources->list = lappend(sources->list, source);
	return (AttrNumber) list_length(sources->list);
}

/* Returns a reference to a source.  Functions may look at the name of its type. */
static Node *
refer_to(Sources *sources, Node *expression, int number)
{
	Node *base = (Node *) wa_as_base_type((Expr *) expression);
	Node *var = (Node *) makeVar(OUTER_VAR, place_source(sources, base, number),
								 exprType(base), exprTypmod(base),
								 exprCollation(base), 0);

	return base == expression
			   ? var
			   : (Node *) makeRelabelType((Expr *) var, exprType(expression),
										  -1, exprCollation(expression),
										  COERCE_IMPLICIT_CAST);
}

/* Returns the register of a column of the table, or of a joined value. */
static int
register_of_column(WaCompiler *compiler, Var *column)
{
	return column->varno == INNER_VAR ? wa_compile(compiler, (Expr *) column)
									  : wa_compiler_column(compiler, column);
}

/* Makes columns sources, and leaves all else to PostgreSQL. */
static Node *
take_columns(Node *node, void *context)
{
	Sources *sources = (Sources *) context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return refer_to(sources, node,
						register_of_column(sources->compiler, (Var *) node));
	return expression_tree_mutator(node, take_columns, context);
}

/* Tells whether all arguments of a node are evaluated, and nothing else. */
static bool
is_simple(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
			return true;
		default:
			return false;
	}
}

/*
 * Compiles a part of what is evaluated; returns -1 if the program should not compute
 * it.  What is no function of the program's own may be computed by others.
 */
static int
compile_part(WaCompiler *compiler, Node *node)
{
	const Oid function = wa_function_of(node);
	const bool is_own =
		!OidIsValid(function) || wa_function_find(function) != NULL;
	int number;

	if (IsA(node, RelabelType) || wa_is_wide(compiler, node))
		return -1;
	if (!is_own)
		compiler->no_fallback++;
	number = wa_compile(compiler, (Expr *) node);
	if (!is_own)
		compiler->no_fallback--;
	return number;
}

static Node *take_sources(Node *node, void *context);

/* Makes sources of the parts of a node, unless that takes too long. */
static Node *
take_parts(Node *node, Sources *sources)
{
	bool simple = is_simple(node);
	int nnodes = simple ? 1 : wa_expression_nodes(sources->compiler, node);

	if (!wa_compiler_work(sources->compiler, nnodes))
		return node;
	return simple ? expression_tree_mutator(node, take_sources, sources)
				  : take_columns(node, sources);
}

/*
 * Makes sources of what does not vary, and of what the program can compute, and
 * leaves all else to PostgreSQL.
 */
static Node *
take_sources(Node *node, void *context)
{
	Sources *sources = (Sources *) context;
	WaCompiler *compiler = sources->compiler;
	WaCompilerMark mark;
	int number;

	if (node == NULL || IsA(node, Const))
		return node;
	if (IsA(node, List))
		return expression_tree_mutator(node, take_sources, context);
	if (!wa_varies(compiler, node))
		return refer_to(sources, node, -1);
	mark = wa_compiler_mark(compiler);
	number = compile_part(compiler, node);
	if (number >= 0)
		return refer_to(sources, node, number);
	wa_compiler_return(compiler, &mark);
	return take_parts(node, sources);
}

/* Replaces a node, told by its address, by the reference to a source. */
typedef struct Replacement
{
	Node *base;
	Node *reference;
	Sources *sources;
} Replacement;

static Node *
replace_base(Node *node, void *context)
{
	const Replacement *replacement = (const Replacement *) context;

	if (node == NULL || IsA(node, Const))
		return node;
	if (node == replacement->base)
		return replacement->reference;
	if (!IsA(node, List) && !wa_varies(replacement->sources->compiler, node))
		return refer_to(replacement->sources, node, -1);
	return expression_tree_mutator(node, replace_base, context);
}

/*
 * Tells whether a call may raise errors: its expression, or one of its sources that
 * are constant, which are computed as the scan starts.
 */
static bool
may_raise(const WaCallExpression *call)
{
	ListCell *cell;

	foreach (cell, call->sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);

		if (source->number < 0 && wa_may_raise((Node *) source->expression))
			return true;
	}
	return wa_may_raise((Node *) call->expression);
}

/* Has PostgreSQL evaluate an expression that changes in steps. */
static int
compile_steps(WaCompiler *compiler, Expr *expression, const WaTimeSteps *steps,
			  WaCallExpression *call)
{
	int number = wa_compile(compiler, (Expr *) steps->base);
	int nnodes = wa_expression_nodes(compiler, (Node *) expression);
	Sources sources = {compiler, NIL};
	Replacement replacement = {steps->base, NULL, &sources};

	if (number < 0 || !wa_compiler_work(compiler, nnodes))
		return -1;
	replacement.reference = refer_to(&sources, steps->base, number);
	call->kind = WA_CALL_BUCKETS;
	call->expression = wa_as_base_type(
		(Expr *) replace_base((Node *) expression, &replacement));
	if (steps->step != NULL)
	{
		call->moved = (Expr *) replace_base(steps->moved, &replacement);
		call->step = (Expr *) replace_base(steps->step, &replacement);
	}
	call->sources = sources.list;
	if (call->guarded && may_raise(call))
		return wa_compiler_refuse(compiler, UNSAFE);
	return wa_compiler_call(compiler, *call, number);
}

/* Returns the register of the first source that varies. */
static int
first_register(const List *sources)
{
	ListCell *cell;

	foreach (cell, sources)
		if (((const WaSource *) lfirst(cell))->number >= 0)
			return ((const WaSource *) lfirst(cell))->number;
	return -1;
}

/* Counts what it takes to give the sources to PostgreSQL. */
static void
weigh_sources(WaCompiler *compiler, const List *sources)
{
	ListCell *cell;

	foreach (cell, sources)
	{
		const WaSource *source = (const WaSource *) lfirst(cell);

		if (source->number >= 0 &&
			compiler->kinds[source->number] == WA_VECTOR_DECIMAL)
			compiler->weight += NUMERIC_SOURCE_WEIGHT;
	}
}

/* Has PostgreSQL evaluate what is over sources, into a register. */
static int
call_evaluation(WaCompiler *compiler, WaCallExpression *call, List *sources)
{
	call->sources = sources;
	call->expression = wa_as_base_type(call->expression);
	if (first_register(sources) < 0)
		return wa_compiler_refuse(
			compiler,
			psprintf("a constant has type %s",
					 format_type_be(exprType((Node *) call->expression))));
	if (call->guarded && may_raise(call))
		return wa_compiler_refuse(compiler, UNSAFE);
	weigh_sources(compiler, sources);
	if (compiler->guard != NULL)
	{
		call->wanted = wa_compile_guard(compiler, compiler->guard);
		if (call->wanted < 0)
			return -1;
	}
	return wa_compiler_call(compiler, *call, first_register(sources));
}

/* Has PostgreSQL evaluate the whole of an expression, from columns. */
static int
evaluate_whole(WaCompiler *compiler, Expr *expression, WaCallExpression *call)
{
	Sources sources = {compiler, NIL};

	compiler->is_long = false;
	call->expression = (Expr *) take_columns((Node *) expression, &sources);
	/* Half of the nodes, columns and constants, take next to nothing. */
	compiler->weight += wa_expression_nodes(compiler, (Node *) expression) / 2;
	return call_evaluation(compiler, call, sources.list);
}

/* Has PostgreSQL evaluate an expression into a register of the call's kind. */
static int
evaluate(WaCompiler *compiler, Expr *expression, WaCallExpression *call)
{
	Sources sources = {compiler, NIL};
	Node *node = (Node *) expression;

	compiler->depth++;
	call->expression = (Expr *) take_parts(node, &sources);
	compiler->depth--;
	if (compiler->is_long)
		return -1;
	return call_evaluation(compiler, call, sources.list);
}

/* Begins a call that evaluates an expression, or says why there is none. */
static bool
begin_evaluation(WaCompiler *compiler, Node *node, WaCallExpression *call)
{
	memset(call, 0, sizeof(*call));
	call->kind = WA_CALL_EVALUATE;
	call->wanted = -1;
	call->guarded = compiler->conditional > 0;
	if (wa_is_wide(compiler, node))
		compiler->refusal = "a square root has too many digits for vectors";
	else if (!wa_gather_kind(exprType(node), &call->result))
		compiler->refusal = psprintf("an expression has type %s",
									 format_type_be(exprType(node)));
	else
		return true;
	return false;
}

int
wa_compile_evaluation(WaCompiler *compiler, Expr *expression)
{
	WaCallExpression call;
	Node *node = (Node *) expression;
	WaTimeSteps steps;

	if (IsA(node, CaseTestExpr) || compiler->no_fallback > 0 ||
		!begin_evaluation(compiler, node, &call))
		return -1;
	if (wa_has_time(compiler, node) && wa_time_steps(node, &steps) &&
		node != steps.base && !(call.guarded && wa_has_exec_param(node)))
		return compile_steps(compiler, expression, &steps, &call);
	return evaluate(compiler, expression, &call);
}

int
wa_compile_whole(WaCompiler *compiler, Expr *expression)
{
	WaCallExpression call;

	if (!begin_evaluation(compiler, (Node *) expression, &call))
		return -1;
	return evaluate_whole(compiler, expression, &call);
}

int
wa_compile_wide(WaCompiler *compiler, Expr *expression, WaVectorKind kind)
{
	WaCallExpression call = {
		.kind = WA_CALL_EVALUATE, .result = kind, .wanted = -1};
	/* Nobody is to take the register for one of the usual kind. */
	Oid type = kind == WA_VECTOR_TEXT ? BYTEAOID : NUMERICOID;
	Expr *wide = (Expr *) makeRelabelType(expression, type, -1, InvalidOid,
										  COERCE_IMPLICIT_CAST);
	WaCompilerMark mark = wa_compiler_mark(compiler);
	int number = wa_compiler_find(compiler, wide, false);

	if (number >= 0)
		return number;
	compiler->is_long = false;
	number = evaluate(compiler, expression, &call);
	if (number < 0 && compiler->is_long)
	{
		wa_compiler_return(compiler, &mark);
		number = evaluate_whole(compiler, expression, &call);
	}
	if (number < 0)
		return -1;
	compiler->weight += kind == WA_VECTOR_TEXT ? WIDE_WEIGHT : WIDE_KEY_WEIGHT;
	return wa_compiler_note(compiler, wide, number, false, false);
}

int
wa_compile_stored(WaCompiler *compiler, Expr *argument, Expr *value)
{
	WaVectorKind kind;

	while (IsA(argument, RelabelType))
		argument = ((RelabelType *) argument)->arg;
	if (!IsA(argument, Var) ||
		wa_gather_kind(((Var *) argument)->vartype, &kind))
		return wa_compile_wide(compiler, value, WA_VECTOR_TEXT);
	compiler->weight += STORED_WEIGHT;
	return wa_compiler_column(compiler, (Var *) argument);
}
