/*
 * query_column.c
 *		Aggregated columns in a query program; see query_column.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "query/records/records.h"
#include "scan/program/query_column.h"
#include "scan/tables/column_function.h"

bool
wa_compile_column(WaCompiler *compiler, Expr *argument, Expr *filter,
				  WaOpSet ops, WaQueryColumn *column)
{
	*column = (WaQueryColumn){
		.argument = -1, .filter = -1, .kind = WA_VECTOR_BOOL, .ops = ops};
	if (argument != NULL)
	{
		column->argument =
			wa_compile_argument(compiler, argument, filter, ops == 0);
		if (column->argument < 0)
			return false;
		column->kind = compiler->kinds[column->argument];
	}
	if (filter != NULL)
		column->filter = wa_compile(compiler, filter);
	return filter == NULL || column->filter >= 0;
}

/* Tells whether there may be ranks of the texts in a register. */
static bool
may_have_ranks(const WaCompiler *compiler, int number)
{
	const WaCallExpression *call = wa_compiler_call_of(compiler, number);
	WaColumnFunction function;

	return number < compiler->ncolumns ||
		   (call != NULL && wa_column_function_of_call(call, NULL, &function) &&
			wa_column_function_has_ranks(&function));
}

bool
wa_column_has_ranks(const WaCompiler *compiler, const WaQueryColumn *column,
					Oid type)
{
	const WaOpSet ranked = WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);
	WaVectorKind kind;

	/* Values of a type that no vector holds are texts of their bytes. */
	return column->argument >= 0 && column->kind == WA_VECTOR_TEXT &&
		   wa_gather_kind(type, &kind) && kind == WA_VECTOR_TEXT &&
		   column->ops != 0 && (column->ops & ~ranked) == 0 &&
		   may_have_ranks(compiler, column->argument);
}

bool
wa_order_has_ranks(const WaCompiler *compiler, int number, Oid type,
				   Oid collation)
{
	const Oid base = getBaseType(type);

	return (base == TEXTOID || base == VARCHAROID) &&
		   get_collation_isdeterministic(collation) &&
		   may_have_ranks(compiler, number);
}

bool
wa_column_is_pushable(const WaCompiler *compiler, const WaQueryColumn *column,
					  Oid type)
{
	return wa_records_exist(column->kind, column->ops) ||
		   wa_column_has_ranks(compiler, column, type);
}
