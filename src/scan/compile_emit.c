/*
 * compile_emit.c
 *		Puts a query program together: registers, constants, instructions.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"

#include "heap/gather.h"
#include "scan/compile_internal.h"

/* A program has at most so many registers: each takes a few kB. */
#define MAX_REGISTERS 1024

/* A call takes about as long as so many instructions. */
#define CALL_WEIGHT 10

/* What a register holds. */
typedef struct Done
{
	Expr *expression;
	int number;
	bool trimmed;
	bool lasting; /* a column or a constant */
} Done;

int
wa_compiler_refuse(WaCompiler *compiler, const char *reason)
{
	compiler->refusal = reason;
	return -1;
}

int
wa_compiler_note(WaCompiler *compiler, Expr *expression, int number,
				 bool trimmed, bool lasting)
{
	Done *done = palloc(sizeof(Done));

	*done = (Done){expression, number, trimmed, lasting};
	compiler->done = lappend(compiler->done, done);
	return number;
}

int
wa_compiler_find(const WaCompiler *compiler, Expr *expression, bool trimmed)
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
wa_compiler_forget_since(WaCompiler *compiler, int ndone)
{
	ListCell *cell;

	for_each_from(cell, compiler->done,
				  ndone) if (!((const Done *) lfirst(cell))->lasting)
		compiler->done = foreach_delete_current(compiler->done, cell);
}

void
wa_compiler_forget(WaCompiler *compiler)
{
	wa_compiler_forget_since(compiler, 0);
}

/* Returns a new register, or -1 if there are too many. */
static int
add_register(WaCompiler *compiler, WaVectorKind kind)
{
	if (compiler->nregisters >= MAX_REGISTERS)
		return wa_compiler_refuse(compiler, "its expressions are too long");
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
wa_compiler_column(const WaCompiler *compiler, const Var *var)
{
	int number = 0;

	while (compiler->attnums[number] != var->varattno)
		number++;
	return number;
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
		int number;

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

int
wa_compile_constant(WaCompiler *compiler, Expr *expression, bool trimmed)
{
	WaConstant *constant;
	WaVectorKind kind;
	int number;

	if (!wa_gather_kind(exprType((Node *) expression), &kind))
		return wa_compiler_refuse(
			compiler, psprintf("a constant has type %s",
							   format_type_be(exprType((Node *) expression))));
	number = add_register(compiler, kind);
	if (number < 0)
		return -1;
	constant = palloc(sizeof(WaConstant));
	constant->number = (uint16) number;
	constant->trimmed = trimmed;
	constant->expression = expression;
	compiler->constants = lappend(compiler->constants, constant);
	return wa_compiler_note(compiler, expression, number, trimmed, true);
}

int
wa_compiler_call(WaCompiler *compiler, WaCallExpression call, int a)
{
	WaCallExpression *copy = palloc(sizeof(WaCallExpression));

	call.number = (uint32) list_length(compiler->calls);
	*copy = call;
	compiler->calls = lappend(compiler->calls, copy);
	compiler->weight += CALL_WEIGHT;
	return wa_compiler_emit(compiler, WA_CODE_CALL, call.result, a, 0, 0,
							call.number);
}

WaCompilerMark
wa_compiler_mark(const WaCompiler *compiler)
{
	return (WaCompilerMark){compiler->nregisters,
							compiler->ninstructions,
							list_length(compiler->constants),
							list_length(compiler->lists),
							list_length(compiler->calls),
							list_length(compiler->done),
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
	compiler->done = list_truncate(compiler->done, mark->ndone);
	compiler->weight = mark->weight;
}
