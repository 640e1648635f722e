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

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"

#include "scan/compile.h"
#include "scan/functions.h"
#include "scan/gather.h"

/* A program has at most so many registers: each takes a few kB. */
#define MAX_REGISTERS 1024

/* IN with more elements than that is not covered. */
#define MAX_ELEMENTS 100

/* What a register holds. */
typedef struct Done
{
	Expr *expression;
	int number;
	bool trimmed;
	bool lasting; /* a column or a constant */
} Done;

static int
refuse(WaCompiler *compiler, const char *reason)
{
	compiler->refusal = reason;
	return -1;
}

/* Notes that a register holds an expression's value. */
static int
note(WaCompiler *compiler, Expr *expression, int number, bool trimmed,
	 bool lasting)
{
	Done *done = palloc(sizeof(Done));

	*done = (Done){expression, number, trimmed, lasting};
	compiler->done = lappend(compiler->done, done);
	return number;
}

/* Returns the register that holds the expression's value, or -1. */
static int
find_done(const WaCompiler *compiler, Expr *expression, bool trimmed)
{
	ListCell *cell;

	foreach (cell, compiler->done)
	{
		const Done *done = (const Done *) lfirst(cell);

		if (done->trimmed == trimmed && equal(done->expression, expression))
			return done->number;
	}
	return -1;
}

void
wa_compiler_forget(WaCompiler *compiler)
{
	ListCell *cell;

	foreach (cell, compiler->done)
		if (!((const Done *) lfirst(cell))->lasting)
			compiler->done = foreach_delete_current(compiler->done, cell);
}

/* Returns a new register, or -1 if there are too many. */
static int
add_register(WaCompiler *compiler, WaVectorKind kind)
{
	if (compiler->nregisters >= MAX_REGISTERS)
		return refuse(compiler, "its expressions are too long");
	compiler->kinds[compiler->nregisters] = kind;
	return compiler->nregisters++;
}

/* Appends an instruction whose result is of the kind. */
static int
emit(WaCompiler *compiler, WaOpcode code, WaVectorKind kind, int a, int b,
	 int c, uint32 extra)
{
	int out;

	if (a < 0 || b < 0 || c < 0)
		return -1;
	out = add_register(compiler, kind);
	if (out < 0)
		return -1;
	compiler->instructions[compiler->ninstructions++] = (WaInstruction){
		code, (uint16) out, (uint16) a, (uint16) b, (uint16) c, extra};
	return out;
}

WaCompiler *
wa_compiler_make(Index varno, List *expressions, const char **refusal)
{
	WaCompiler *compiler = palloc0(sizeof(WaCompiler));
	Bitmapset *attributes = NULL;
	List *vars = pull_var_clause(
		(Node *) expressions, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
								  PVC_RECURSE_PLACEHOLDERS);
	ListCell *cell;
	int member = -1;

	compiler->varno = varno;
	pull_varattnos((Node *) expressions, varno, &attributes);
	compiler->attnums =
		palloc(sizeof(AttrNumber) * Max(bms_num_members(attributes), 1));
	compiler->kinds = palloc(sizeof(WaVectorKind) *
							 (MAX_REGISTERS + bms_num_members(attributes)));
	compiler->instructions = palloc(sizeof(WaInstruction) * MAX_REGISTERS);
	while ((member = bms_next_member(attributes, member)) >= 0)
	{
		AttrNumber attnum = member + FirstLowInvalidHeapAttributeNumber;

		if (attnum <= 0)
		{
			*refusal = "it uses a system column or a whole row";
			return NULL;
		}
		compiler->attnums[compiler->ncolumns++] = attnum;
	}
	compiler->nregisters = compiler->ncolumns;
	foreach (cell, vars)
	{
		Var *var = castNode(Var, lfirst(cell));
		int number = 0;

		if (var->varno != varno || var->varlevelsup != 0)
		{
			*refusal = "it uses columns of another relation";
			return NULL;
		}
		while (compiler->attnums[number] != var->varattno)
			number++;
		if (!wa_gather_kind(var->vartype, &compiler->kinds[number]))
		{
			*refusal =
				psprintf("a column has type %s", format_type_be(var->vartype));
			return NULL;
		}
		if (find_done(compiler, (Expr *) var, false) < 0)
			note(compiler, (Expr *) var, number, false, true);
	}
	return compiler;
}

/* Takes a register for a value that is computed before the scan. */
static int
compile_constant(WaCompiler *compiler, Expr *expression, bool trimmed)
{
	WaConstant *constant;
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(exprType((Node *) expression), &kind))
		return refuse(compiler,
					  psprintf("a constant has type %s",
							   format_type_be(exprType((Node *) expression))));
	number = add_register(compiler, kind);
	if (number < 0)
		return -1;
	constant = palloc(sizeof(WaConstant));
	constant->number = (uint16) number;
	constant->trimmed = trimmed;
	constant->expression = expression;
	compiler->constants = lappend(compiler->constants, constant);
	return note(compiler, expression, number, trimmed, true);
}

/* Appends a call from one register. */
static int
emit_call(WaCompiler *compiler, Expr *function, WaVectorKind kind, int a)
{
	WaCallExpression *call = palloc(sizeof(WaCallExpression));

	call->number = (uint32) list_length(compiler->calls);
	call->function = function;
	call->kind = kind;
	compiler->calls = lappend(compiler->calls, call);
	return emit(compiler, WA_CODE_CALL, kind, a, 0, 0, call->number);
}

/* Compiles a bpchar without its trailing blanks. */
static int
compile_trimmed(WaCompiler *compiler, Expr *expression)
{
	int number = find_done(compiler, expression, true);

	if (number >= 0)
		return number;
	if (!contain_var_clause((Node *) expression))
		return compile_constant(compiler, expression, true);
	number = emit_call(compiler, NULL, WA_VECTOR_TEXT,
					   wa_compile(compiler, expression));
	return number < 0 ? -1 : note(compiler, expression, number, true, false);
}

/* Returns the value of an integer constant, or false. */
static bool
constant_int4(Node *node, int32 *value)
{
	Const *constant = (Const *) node;

	if (!IsA(node, Const) || constant->constisnull ||
		constant->consttype != INT4OID)
		return false;
	*value = DatumGetInt32(constant->constvalue);
	return true;
}

/* Compiles numeric(p, s) or round(numeric, s). */
static int
compile_round(WaCompiler *compiler, const WaFunction *function, List *args)
{
	int32 argument;
	int scale;
	int before = 255; /* digits before the point: any */

	if (!constant_int4(lsecond(args), &argument))
		return refuse(compiler, "a number of digits is not constant");
	if (function->form == WA_FORM_TYPMOD)
	{
		int32 modifier = argument - (int32) VARHDRSZ;

		if (modifier < 0)
			return wa_compile(compiler, linitial(args));
		/* As numeric.c packs it, with a signed scale of 11 bits. */
		scale = ((modifier & 0x7ff) ^ 1024) - 1024;
		before = ((modifier >> 16) & 0xffff) - scale;
	}
	else
		scale = argument;
	if (scale < 0 || scale > WA_DECIMAL_MAX_SCALE)
		return refuse(compiler, "a numeric is rounded to unusual digits");
	return emit(compiler, function->code, WA_VECTOR_DECIMAL,
				wa_compile(compiler, linitial(args)), 0, 0,
				(uint32) scale + 256 * (uint32) Min(before, 255));
}

/* Compiles a call that scan/buckets.h makes. */
static int
compile_buckets(WaCompiler *compiler, FuncExpr *call, WaVectorKind kind)
{
	Expr *varying = llast(call->args);

	if (list_length(call->args) == 2 &&
		contain_var_clause(linitial(call->args)))
		return refuse(compiler, "the unit of a time is not constant");
	return emit_call(compiler, (Expr *) call, kind,
					 wa_compile(compiler, varying));
}

/* Compiles one of two dates or timestamps as a timestamp. */
static int
compile_moment(WaCompiler *compiler, Expr *expression, bool is_date)
{
	int number = wa_compile(compiler, expression);

	return is_date ? emit(compiler, WA_CODE_DATE_TO_TIMESTAMP, WA_VECTOR_INT,
						  number, 0, 0, 0)
				   : number;
}

/* Tells whether texts of the collation are ordered by their bytes. */
static bool
is_c_collation(Oid collation)
{
	return OidIsValid(collation) && lc_collate_is_c(collation);
}

/* Tells whether equal texts of the collation have equal bytes. */
static bool
is_deterministic(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* Compiles a function of at most two arguments. */
static int
compile_function(WaCompiler *compiler, Expr *expression, Oid oid, List *args,
				 Oid collation)
{
	const WaFunction *function = wa_function_find(oid);
	WaVectorKind kind;
	int a;
	int b = 0;
	bool trimmed;

	if (oid == F_TEXT_BPCHAR)
		return compile_trimmed(compiler, linitial(args));
	if (function == NULL ||
		!wa_gather_kind(exprType((Node *) expression), &kind))
		return refuse(compiler, psprintf("function %s is not covered",
										 get_func_name(oid)));
	if (function->code == WA_CODE_COMPARE_TEXT && !is_deterministic(collation))
		return refuse(compiler, "a collation is not deterministic");
	if ((function->form == WA_FORM_C_TEXT ||
		 function->form == WA_FORM_C_TRIMMED) &&
		!is_c_collation(collation))
		return refuse(compiler,
					  "texts are ordered by a collation other than C");
	switch (function->form)
	{
		case WA_FORM_NOTHING:
			return wa_compile(compiler, linitial(args));
		case WA_FORM_ROUND:
		case WA_FORM_TYPMOD:
			return compile_round(compiler, function, args);
		case WA_FORM_BUCKETS:
			return compile_buckets(compiler, castNode(FuncExpr, expression),
								   kind);
		case WA_FORM_DATE_FIRST:
		case WA_FORM_DATE_LAST:
			a = compile_moment(compiler, linitial(args),
							   function->form == WA_FORM_DATE_FIRST);
			b = compile_moment(compiler, lsecond(args),
							   function->form == WA_FORM_DATE_LAST);
			break;
		default:
			trimmed = function->form == WA_FORM_TRIMMED ||
					  function->form == WA_FORM_C_TRIMMED;
			a = trimmed ? compile_trimmed(compiler, linitial(args))
						: wa_compile(compiler, linitial(args));
			if (list_length(args) == 2)
				b = trimmed ? compile_trimmed(compiler, lsecond(args))
							: wa_compile(compiler, lsecond(args));
			break;
	}
	return emit(compiler, function->code, kind, a, b, 0, function->extra);
}

/* Compiles AND, OR or NOT. */
static int
compile_bool(WaCompiler *compiler, const BoolExpr *expression)
{
	int number = wa_compile(compiler, linitial(expression->args));

	if (expression->boolop == NOT_EXPR)
		return emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number, 0, 0, 0);
	for (int i = 1; i < list_length(expression->args); i++)
		number = emit(
			compiler, expression->boolop == AND_EXPR ? WA_CODE_AND : WA_CODE_OR,
			WA_VECTOR_BOOL, number,
			wa_compile(compiler, list_nth(expression->args, i)), 0, 0);
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
			return emit(compiler, WA_CODE_IS_NULL, WA_VECTOR_BOOL, number, 0, 0,
						0);
		case IS_NOT_UNKNOWN:
			return emit(compiler, WA_CODE_IS_NOT_NULL, WA_VECTOR_BOOL, number,
						0, 0, 0);
		case IS_FALSE:
		case IS_NOT_FALSE:
			number =
				emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number, 0, 0, 0);
			break;
		default:
			break;
	}
	number = emit(compiler, WA_CODE_IS_TRUE, WA_VECTOR_BOOL, number, 0, 0, 0);
	if (negated)
		number = emit(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number, 0, 0, 0);
	return number;
}

/* Emits the choice between two values of the expression's type. */
static int
emit_select(WaCompiler *compiler, WaVectorKind kind, int condition, int yes,
			int no)
{
	return emit(compiler, WA_CODE_SELECT, kind, condition, yes, no,
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
	return expression_tree_mutator(node, replace_case_test, argument);
}

/* Compiles CASE, from its last branch to its first. */
static int
compile_case(WaCompiler *compiler, const CaseExpr *expression)
{
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(expression->casetype, &kind))
		return refuse(compiler, "a CASE has a type that is not covered");
	number = wa_compile(compiler, expression->defresult);
	for (int i = list_length(expression->args) - 1; i >= 0; i--)
	{
		const CaseWhen *when = list_nth_node(CaseWhen, expression->args, i);
		Node *condition = (Node *) when->expr;

		if (expression->arg != NULL)
			condition = replace_case_test(condition, expression->arg);
		number = emit_select(compiler, kind,
							 wa_compile(compiler, (Expr *) condition),
							 wa_compile(compiler, when->result), number);
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
		return refuse(compiler, "a COALESCE has a type that is not covered");
	number = wa_compile(compiler, llast(expression->args));
	for (int i = list_length(expression->args) - 2; i >= 0; i--)
	{
		int value = wa_compile(compiler, list_nth(expression->args, i));

		number = emit_select(
			compiler, kind,
			emit(compiler, WA_CODE_IS_NOT_NULL, WA_VECTOR_BOOL, value, 0, 0, 0),
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

	if (elements == NIL)
		return refuse(compiler,
					  "the list of IN is empty, long or not constant");
	foreach (cell, elements)
	{
		OpExpr *comparison = makeNode(OpExpr);
		int one;

		comparison->opno = expression->opno;
		comparison->opfuncid = function;
		comparison->opresulttype = BOOLOID;
		comparison->inputcollid = expression->inputcollid;
		comparison->args = list_make2(linitial(expression->args), lfirst(cell));
		one = wa_compile(compiler, (Expr *) comparison);
		number = number < 0 ? one
							: emit(compiler,
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
		return refuse(compiler, "a value is called another type");
	if (from == BPCHAROID && relabel->resulttype != BPCHAROID)
		return refuse(compiler, "a bpchar is called another type");
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

			return compile_function(compiler, expression,
									OidIsValid(operation->opfuncid)
										? operation->opfuncid
										: get_opcode(operation->opno),
									operation->args, operation->inputcollid);
		}
		case T_FuncExpr:
		{
			FuncExpr *call = (FuncExpr *) expression;

			return compile_function(compiler, expression, call->funcid,
									call->args, call->inputcollid);
		}
		case T_BoolExpr:
			return compile_bool(compiler, (BoolExpr *) expression);
		case T_NullTest:
			if (((NullTest *) expression)->argisrow)
				return refuse(compiler, "a row is tested for NULL");
			return emit(compiler,
						((NullTest *) expression)->nulltesttype == IS_NULL
							? WA_CODE_IS_NULL
							: WA_CODE_IS_NOT_NULL,
						WA_VECTOR_BOOL,
						wa_compile(compiler, ((NullTest *) expression)->arg), 0,
						0, 0);
		case T_BooleanTest:
			return compile_boolean_test(compiler, (BooleanTest *) expression);
		case T_CaseExpr:
			return compile_case(compiler, (CaseExpr *) expression);
		case T_CoalesceExpr:
			return compile_coalesce(compiler, (CoalesceExpr *) expression);
		case T_ScalarArrayOpExpr:
			return compile_in(compiler, (ScalarArrayOpExpr *) expression);
		default:
			return refuse(compiler, psprintf("an expression is of a kind that "
											 "is not covered (node %d)",
											 (int) nodeTag(expression)));
	}
}

int
wa_compile(WaCompiler *compiler, Expr *expression)
{
	int number = find_done(compiler, expression, false);

	if (number >= 0)
		return number;
	if (!contain_var_clause((Node *) expression))
		return compile_constant(compiler, expression, false);
	number = compile_new(compiler, expression);
	return number < 0 ? -1 : note(compiler, expression, number, false, false);
}
