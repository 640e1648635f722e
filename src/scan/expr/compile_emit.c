/*
 * compile_emit.c
 *		Puts a query program together: registers, constants, instructions.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/decimal.h"
#include "heap/gather.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/errors.h"
#include "scan/expr/joins.h"

/* A call takes about as long as so many instructions. */
#define CALL_WEIGHT 10
#define ROWS_WEIGHT 2

/*
 * Nodes that are looked at while a query is compiled, at most: what fills the
 * registers looks at some thousands, and so many take about 15 ms.
 */
#define MAX_WORK 32768

/* What registers hold is looked up by so many lists. */
#define DONE_BUCKETS 512

#define TOO_LONG "its expressions are too long"

int
wa_compiler_refuse(WaCompiler *compiler, const char *reason)
{
	compiler->refusal = reason;
	return -1;
}

/* Returns where the notes of expressions with a hash begin. */
static int *
bucket_of(WaCompiler *compiler, uint32 hash)
{
	return &compiler->buckets[hash % DONE_BUCKETS];
}

/* Takes notes away until there are ndone. */
static void
take_notes(WaCompiler *compiler, int ndone)
{
	while (compiler->ndone > ndone)
	{
		const WaDone *last = &compiler->done[--compiler->ndone];

		*bucket_of(compiler, last->hash) = last->next;
	}
}

/* Adds a note, for which there is room. */
static void
add_note(WaCompiler *compiler, WaDone done)
{
	int *bucket = bucket_of(compiler, done.hash);

	done.next = *bucket;
	*bucket = compiler->ndone;
	compiler->done[compiler->ndone++] = done;
}

int
wa_compiler_note(WaCompiler *compiler, Expr *expression, int number,
				 bool trimmed, bool lasting)
{
	if (compiler->ndone == compiler->done_size)
	{
		compiler->done_size *= 2;
		compiler->done =
			repalloc(compiler->done, sizeof(WaDone) * compiler->done_size);
	}
	add_note(compiler,
			 (WaDone){wa_expression_hash(compiler, (Node *) expression), -1,
					  number, expression, trimmed, lasting});
	return number;
}

int
wa_compiler_find(WaCompiler *compiler, Expr *expression, bool trimmed)
{
	uint32 hash = wa_expression_hash(compiler, (Node *) expression);
	const WaDone *done;

	for (int i = *bucket_of(compiler, hash); i >= 0; i = done->next)
	{
		done = &compiler->done[i];
		if (done->hash == hash && done->trimmed == trimmed &&
			equal(done->expression, expression))
			return done->number;
	}
	return -1;
}

void
wa_compiler_forget(WaCompiler *compiler, int ndone)
{
	int nnotes = Max(compiler->ndone - ndone, 0);
	WaDone *notes = palloc(sizeof(WaDone) * (nnotes + 1));

	memcpy(notes, compiler->done + ndone, sizeof(WaDone) * nnotes);
	take_notes(compiler, ndone);
	for (int i = 0; i < nnotes; i++)
		if (notes[i].lasting)
			add_note(compiler, notes[i]);
	pfree(notes);
}

bool
wa_compiler_work(WaCompiler *compiler, int nnodes)
{
	CHECK_FOR_INTERRUPTS();
	compiler->work = Min(compiler->work + nnodes, MAX_WORK + 1);
	compiler->is_long |= compiler->work > MAX_WORK;
	if (compiler->is_long)
		compiler->refusal = TOO_LONG;
	return !compiler->is_long;
}

/* Returns a new register, or -1 if there are too many. */
static int
add_register(WaCompiler *compiler, WaVectorKind kind)
{
	int limit =
		WA_MAX_REGISTERS + (compiler->depth == 0 ? compiler->nspare : 0);

	if (compiler->nregisters >= limit)
	{
		compiler->is_long = true;
		return wa_compiler_refuse(compiler, TOO_LONG);
	}
	compiler->kinds[compiler->nregisters] = kind;
	return compiler->nregisters++;
}

int
wa_compiler_emit(WaCompiler *compiler, WaOpcode code, WaVectorKind kind, int a,
				 int b, int c, uint32 extra)
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

int
wa_emit_one(WaCompiler *compiler, WaOpcode code, WaVectorKind kind, int a)
{
	return wa_compiler_emit(compiler, code, kind, a, 0, 0, 0);
}

int
wa_emit_int(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_INT, a, b, 0,
							sizeof(int64));
}

int
wa_emit_float(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_FLOAT, a, b, 0,
							sizeof(float8));
}

int
wa_emit_decimal(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_DECIMAL, a, b, 0, 0);
}

int
wa_emit_bool(WaCompiler *compiler, WaOpcode code, int a, int b)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_BOOL, a, b, 0, 0);
}

int
wa_emit_comparison(WaCompiler *compiler, WaOpcode code, int a, int b,
				   uint32 comparison)
{
	return wa_compiler_emit(compiler, code, WA_VECTOR_BOOL, a, b, 0,
							comparison);
}

int
wa_emit_choice(WaCompiler *compiler, WaVectorKind kind, int condition, int yes,
			   int no)
{
	return wa_compiler_emit(compiler, WA_CODE_SELECT, kind, condition, yes, no,
							(uint32) kind);
}

int
wa_compiler_column(const WaCompiler *compiler, const Var *var)
{
	int number = 0;

	while (compiler->attnums[number] != var->varattno)
		number++;
	return number;
}

Var *
wa_compiler_place(Index varno)
{
	return makeVar((int) varno, SelfItemPointerAttributeNumber, INT8OID, -1,
				   InvalidOid, 0);
}

bool
wa_compiler_has_places(const WaCompiler *compiler)
{
	return compiler->ncolumns > 0 &&
		   compiler->attnums[0] == SelfItemPointerAttributeNumber;
}

/* Tells whether a column can be one of a program: no system column, or the place. */
static bool
is_program_column(const Var *var)
{
	return var->varattno > 0 ||
		   (var->varattno == SelfItemPointerAttributeNumber &&
			var->vartype == INT8OID);
}

/* Tells whether all columns of relation varno can be some of a program. */
static bool
are_program_columns(Index varno, const List *vars)
{
	ListCell *cell;

	foreach (cell, vars)
	{
		const Var *var = lfirst_node(Var, cell);

		if (var->varno == (int) varno && var->varlevelsup == 0 &&
			!is_program_column(var))
			return false;
	}
	return true;
}

WaCompiler *
wa_compiler_make(Index varno, WaJoins *joins, List *expressions,
				 const char **refusal)
{
	WaCompiler *compiler = palloc0(sizeof(WaCompiler));
	Bitmapset *attributes = NULL;
	List *vars = pull_var_clause(
		(Node *) expressions, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
								  PVC_RECURSE_PLACEHOLDERS);
	ListCell *cell;
	int member = -1;

	compiler->varno = varno;
	compiler->joins = joins;
	compiler->refusal = "an expression is not covered";
	compiler->known = wa_known_nodes_make();
	compiler->done_size = 64;
	compiler->done = palloc(sizeof(WaDone) * compiler->done_size);
	compiler->buckets = palloc(sizeof(int) * DONE_BUCKETS);
	memset(compiler->buckets, -1, sizeof(int) * DONE_BUCKETS);
	pull_varattnos((Node *) expressions, varno, &attributes);
	compiler->attnums =
		palloc(sizeof(AttrNumber) * Max(bms_num_members(attributes), 1));
	compiler->kinds =
		palloc(sizeof(WaVectorKind) *
			   (2 * WA_MAX_REGISTERS + bms_num_members(attributes)));
	compiler->instructions =
		palloc(sizeof(WaInstruction) * 2 * WA_MAX_REGISTERS);
	if (!are_program_columns(varno, vars))
	{
		*refusal = "it uses a system column or a whole row";
		return NULL;
	}
	while ((member = bms_next_member(attributes, member)) >= 0)
		compiler->attnums[compiler->ncolumns++] =
			(AttrNumber) (member + FirstLowInvalidHeapAttributeNumber);
	compiler->nregisters = compiler->ncolumns;
	foreach (cell, vars)
	{
		Var *var = castNode(Var, lfirst(cell));
		WaVectorKind kind;
		int number;

		if (joins != NULL && var->varno == INNER_VAR)
		{
			if (wa_gather_kind(var->vartype, &kind))
				continue;
			*refusal = psprintf("a column of a joined table has type %s",
								format_type_be(var->vartype));
			return NULL;
		}
		if (var->varno != varno || var->varlevelsup != 0)
		{
			*refusal = "it uses columns of another relation";
			return NULL;
		}
		number = wa_compiler_column(compiler, var);
		if (!wa_gather_kind(var->vartype, &compiler->kinds[number]))
			compiler->kinds[number] = WA_VECTOR_TEXT;
		else if (wa_compiler_find(compiler, (Expr *) var, false) < 0)
			wa_compiler_note(compiler, (Expr *) var, number, false, true);
	}
	return compiler;
}

Expr *
wa_as_base_type(Expr *expression)
{
	Oid type = exprType((Node *) expression);
	Oid base = getBaseType(type);

	return type == base
			   ? expression
			   : (Expr *) makeRelabelType(expression, base, -1,
										  exprCollation((Node *) expression),
										  COERCE_IMPLICIT_CAST);
}

/* Tells whether a constant has to wait for the rows that need it. */
static bool
is_late(const WaCompiler *compiler, Expr *expression)
{
	return compiler->conditional > 0 && wa_has_exec_param((Node *) expression);
}

/* Adds a constant; returns its register. */
static int
add_constant(WaCompiler *compiler, Expr *expression, bool trimmed,
			 const WaBorder *border)
{
	const bool waits = is_late(compiler, expression);
	WaConstant *constant;
	WaVectorKind kind;
	int wanted = -1;
	int number;

	if (!wa_gather_kind(exprType((Node *) expression), &kind))
		return wa_compiler_refuse(
			compiler, psprintf("a constant has type %s",
							   format_type_be(exprType((Node *) expression))));
	/* It is computed whether a row comes there or not, but for a subselect. */
	if (compiler->conditional > 0 && wa_may_raise((Node *) expression))
		return wa_compiler_refuse(
			compiler, "a constant behind a condition may raise errors");
	if (waits)
		wanted = wa_compile_guard(compiler, compiler->guard);
	number = add_register(compiler, kind);
	if (number < 0 || (waits && wanted < 0))
		return -1;
	constant = palloc(sizeof(WaConstant));
	constant->number = (uint16) number;
	constant->trimmed = trimmed;
	constant->stage = compiler->stage;
	constant->wanted = wanted;
	constant->expression = wa_as_base_type(expression);
	constant->border = border;
	compiler->constants = lappend(compiler->constants, constant);
	return number;
}

int
wa_compile_constant(WaCompiler *compiler, Expr *expression, bool trimmed)
{
	const int number = add_constant(compiler, expression, trimmed, NULL);

	return number < 0 ? -1
					  : wa_compiler_note(compiler, expression, number, trimmed,
										 !is_late(compiler, expression));
}

/* Returns the register of a constant of a type that is passed by reference, or is 8 bytes. */
static int
compile_const(WaCompiler *compiler, Oid type, int length, Datum value)
{
	return wa_compile(compiler,
					  (Expr *) makeConst(type, -1, InvalidOid, length, value,
										 false, length > 0 && FLOAT8PASSBYVAL));
}

int
wa_constant_int(WaCompiler *compiler, int64 value)
{
	return compile_const(compiler, INT8OID, sizeof(int64),
						 Int64GetDatum(value));
}

int
wa_constant_float(WaCompiler *compiler, float8 value)
{
	return compile_const(compiler, FLOAT8OID, sizeof(float8),
						 Float8GetDatum(value));
}

int
wa_constant_numeric(WaCompiler *compiler, int64 value)
{
	return compile_const(compiler, NUMERICOID, -1,
						 NumericGetDatum(int64_to_numeric(value)));
}

int
wa_constant_power(WaCompiler *compiler, int exponent)
{
	if (exponent >= 0)
		return wa_constant_numeric(compiler, wa_powers_of_ten[exponent]);
	return compile_const(
		compiler, NUMERICOID, -1,
		NumericGetDatum(int64_div_fast_to_numeric(1, -exponent)));
}

int
wa_constant_null(WaCompiler *compiler, Oid type)
{
	return wa_compile(compiler, (Expr *) makeNullConst(type, -1, InvalidOid));
}

int
wa_compile_border(WaCompiler *compiler, Expr *limit, const WaBorder *border)
{
	WaBorder *copy = palloc(sizeof(WaBorder));

	*copy = *border;
	return add_constant(compiler, limit, false, copy);
}

int
wa_compiler_call(WaCompiler *compiler, WaCallExpression call, int a)
{
	WaCallExpression *copy = palloc(sizeof(WaCallExpression));

	call.number = (uint32) list_length(compiler->calls);
	call.stage = compiler->stage;
	*copy = call;
	compiler->calls = lappend(compiler->calls, copy);
	compiler->weight += call.kind == WA_CALL_ROWS ? ROWS_WEIGHT : CALL_WEIGHT;
	return wa_compiler_emit(compiler, WA_CODE_CALL, call.result, a, 0, 0,
							call.number);
}

const WaCallExpression *
wa_compiler_call_of(const WaCompiler *compiler, int number)
{
	int i = compiler->ninstructions - 1;

	while (i >= 0 && compiler->instructions[i].out != number)
		i--;
	return i < 0 || compiler->instructions[i].code != WA_CODE_CALL
			   ? NULL
			   : (const WaCallExpression *) list_nth(
					 compiler->calls, compiler->instructions[i].extra);
}

WaCompilerMark
wa_compiler_mark(const WaCompiler *compiler)
{
	return (WaCompilerMark){compiler->nregisters,
							compiler->ninstructions,
							list_length(compiler->constants),
							list_length(compiler->lists),
							list_length(compiler->calls),
							compiler->ndone,
							compiler->weight};
}

void
wa_compiler_return(WaCompiler *compiler, const WaCompilerMark *mark)
{
	compiler->nregisters = mark->nregisters;
	compiler->ninstructions = mark->ninstructions;
	compiler->constants = list_truncate(compiler->constants, mark->nconstants);
	compiler->lists = list_truncate(compiler->lists, mark->nlists);
	compiler->calls = list_truncate(compiler->calls, mark->ncalls);
	take_notes(compiler, mark->ndone);
	compiler->weight = mark->weight;
}
