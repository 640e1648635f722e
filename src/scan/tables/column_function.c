/*
 * column_function.c
 *		Expressions that PostgreSQL evaluates, as functions of one column; see
 *		column_function.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "scan/tables/column_function.h"
#include "scan/tables/table_values.h"

/* What an expression over sources is, when these are put into it. */
typedef struct Merging
{
	const WaCallExpression *call;
	const WaEvaluation *evaluation;
	AttrNumber attnum; /* of the one column so far; 0: none */
	Var *column;
	bool has_failed;
} Merging;

/* Puts the reference to it in the place of a column. */
static Node *
take_column(Node *node, void *context)
{
	Merging *merging = (Merging *) context;
	const Var *var = (const Var *) node;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, take_column, context);
	if (var->varno == INNER_VAR ||
		(merging->attnum != 0 && merging->attnum != var->varattno))
		merging->has_failed = true;
	merging->attnum = var->varattno;
	merging->column =
		makeVar(OUTER_VAR, 1, var->vartype, var->vartypmod, var->varcollid, 0);
	return (Node *) merging->column;
}

/* Puts sources in the place of references to them. */
static Node *
take_sources(Node *node, void *context)
{
	const Merging *merging = (const Merging *) context;
	const Var *var = (const Var *) node;
	const WaSource *source;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Var))
		return expression_tree_mutator(node, take_sources, context);
	source =
		(const WaSource *) list_nth(merging->call->sources, var->varattno - 1);
	if (source->number >= 0)
		return take_column((Node *) source->expression, context);
	return merging->evaluation == NULL
			   ? (Node *) makeNullConst(var->vartype, var->vartypmod,
										var->varcollid)
			   : (Node *) wa_evaluation_constant(merging->evaluation, var);
}

/* Tells whether there may be tables of functions of a column, and of what kind. */
static bool
has_tables(const Var *column, WaVectorKind *kind)
{
	if (!wa_gather_kind(column->vartype, kind))
		return false;
	switch (column->vartype)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
			return true;
		default:
			return *kind == WA_VECTOR_TEXT;
	}
}

bool
wa_column_function_of_column(const Var *column, WaColumnFunction *function)
{
	function->attnum = column->varattno;
	function->column = makeVar(OUTER_VAR, 1, column->vartype, column->vartypmod,
							   column->varcollid, 0);
	function->expression = (Expr *) function->column;
	function->result = WA_VECTOR_TEXT;
	return has_tables(column, &function->kind) &&
		   function->kind == WA_VECTOR_TEXT;
}

bool
wa_column_function_of_call(const WaCallExpression *call,
						   const WaEvaluation *evaluation,
						   WaColumnFunction *function)
{
	Merging merging = {.call = call, .evaluation = evaluation};
	Node *expression;

	if (call->kind != WA_CALL_EVALUATE)
		return false;
	expression = take_sources((Node *) call->expression, &merging);
	function->attnum = merging.attnum;
	function->column = merging.column;
	function->expression = (Expr *) expression;
	function->result = call->result;
	return !merging.has_failed && merging.column != NULL &&
		   has_tables(merging.column, &function->kind) &&
		   wa_table_is_allowed(expression);
}

bool
wa_column_function_has_ranks(const WaColumnFunction *function)
{
	const Oid type = getBaseType(exprType((Node *) function->expression));
	WaVectorKind kind;

	return function->kind == WA_VECTOR_TEXT && wa_gather_kind(type, &kind) &&
		   kind == WA_VECTOR_TEXT;
}

WaCallExpression
wa_column_function_call(const WaColumnFunction *function)
{
	WaSource *source = palloc(sizeof(WaSource));
	WaCallExpression call = {.kind = WA_CALL_EVALUATE,
							 .result = function->result,
							 .expression = function->expression,
							 .wanted = -1};

	*source = (WaSource){(Expr *) function->column, 0};
	call.sources = list_make1(source);
	return call;
}
