/*
 * compile_list.c
 *		IN and its kin: comparisons with the elements of a list.
 *
 * Integers and times are searched for in a sorted list.  Other short lists are
 * compared with one by one; long ones are left to PostgreSQL, which hashes them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "heap/gather.h"
#include "scan/base/datum.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"

/* More elements than that are not compared with one by one. */
#define MAX_TEXTS    8
#define MAX_ELEMENTS 40

/* Returns the elements, as Consts, of an array that is a constant, not NULL. */
static List *
constant_elements(const Const *constant)
{
	ArrayType *value = DatumGetArrayTypeP(constant->constvalue);
	List *elements = NIL;
	int16 typlen;
	bool typbyval;
	char typalign;
	Datum *datums;
	bool *nulls;
	int nelements;

	get_typlenbyvalalign(ARR_ELEMTYPE(value), &typlen, &typbyval, &typalign);
	deconstruct_array(value, ARR_ELEMTYPE(value), typlen, typbyval, typalign,
					  &datums, &nulls, &nelements);
	for (int i = 0; i < nelements; i++)
		elements = lappend(elements, makeConst(ARR_ELEMTYPE(value), -1,
											   constant->constcollid, typlen,
											   datums[i], nulls[i], typbyval));
	return elements;
}

/* Returns the elements of an array that is written out, or NIL. */
static List *
array_elements(Node *array)
{
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return ((ArrayExpr *) array)->elements;
	if (!IsA(array, Const) || ((Const *) array)->constisnull)
		return NIL;
	return constant_elements((Const *) array);
}

static int
compare_values(const void *a, const void *b)
{
	int64 left = *(const int64 *) a;
	int64 right = *(const int64 *) b;

	return (left > right) - (left < right);
}

/* Makes a list of Consts one of INT.  Tells whether there were NULLs. */
static bool
make_list(const List *elements, WaIntList *list)
{
	int64_t *values = palloc(sizeof(int64_t) * list_length(elements));
	size_t nvalues = 0;
	size_t kept = 0;
	ListCell *cell;

	foreach (cell, elements)
	{
		const Const *element = lfirst_node(Const, cell);

		if (!element->constisnull)
			values[nvalues++] =
				wa_integer_of_datum(element->consttype, element->constvalue);
	}
	qsort(values, nvalues, sizeof(int64_t), compare_values);
	for (size_t i = 0; i < nvalues; i++)
		if (i == 0 || values[i] != values[i - 1])
			values[kept++] = values[i];
	list->values = values;
	list->nvalues = kept;
	return nvalues < (size_t) list_length(elements);
}

/*
 * Compiles IN or NOT IN of constants by a sorted list of INT, which a NULL among
 * them makes NULL where it is not true.
 */
static int
compile_sorted(WaCompiler *compiler, const ScalarArrayOpExpr *expression,
			   const List *elements)
{
	WaIntList *list = palloc(sizeof(WaIntList));
	bool has_nulls = make_list(elements, list);
	int number;

	if (list->nvalues == 0)
		return wa_compiler_refuse(compiler, "a list of IN is all NULL");
	compiler->lists = lappend(compiler->lists, list);
	number = wa_compiler_emit(compiler, WA_CODE_IN_INT, WA_VECTOR_BOOL,
							  wa_compile(compiler, linitial(expression->args)),
							  0, 0, (uint32) list_length(compiler->lists) - 1);
	if (has_nulls)
		number = wa_emit_bool(compiler, WA_CODE_OR, number,
							  wa_constant_null(compiler, BOOLOID));
	if (!expression->useOr)
		number = wa_emit_one(compiler, WA_CODE_NOT, WA_VECTOR_BOOL, number);
	return number;
}

/* Compiles one comparison for each element. */
static int
compile_each(WaCompiler *compiler, const ScalarArrayOpExpr *expression,
			 Oid function, const List *elements)
{
	int number = -1;
	ListCell *cell;

	if (wa_compile(compiler, linitial(expression->args)) < 0)
		return -1;
	foreach (cell, elements)
	{
		OpExpr *comparison = makeNode(OpExpr);
		int one;

		comparison->opno = expression->opno;
		comparison->opfuncid = function;
		comparison->opresulttype = BOOLOID;
		comparison->inputcollid = expression->inputcollid;
		comparison->args = list_make2(linitial(expression->args), lfirst(cell));
		compiler->no_fallback++;
		one = wa_compile(compiler, (Expr *) comparison);
		compiler->no_fallback--;
		number = number < 0 ? one
							: wa_emit_bool(compiler,
										   expression->useOr ? WA_CODE_OR
															 : WA_CODE_AND,
										   number, one);
		if (number < 0 || one < 0)
			return -1;
	}
	return number;
}

int
wa_compile_list(WaCompiler *compiler, const ScalarArrayOpExpr *expression)
{
	Node *array = lsecond(expression->args);
	Oid oid = OidIsValid(expression->opfuncid) ? expression->opfuncid
											   : get_opcode(expression->opno);
	const WaFunction *function = wa_function_find(oid);
	List *elements = array_elements(array);
	WaVectorKind kind;

	if (elements == NIL || function == NULL ||
		!wa_gather_kind(exprType(linitial(expression->args)), &kind))
		return wa_compiler_refuse(compiler,
								  "the list of IN is empty or not constant");
	if (IsA(array, Const) && function->code == WA_CODE_COMPARE_INT &&
		function->form == WA_FORM_PLAIN &&
		function->extra == (expression->useOr ? WA_EQUAL : WA_NOT_EQUAL))
		return compile_sorted(compiler, expression, elements);
	if (list_length(elements) >
		(kind == WA_VECTOR_TEXT ? MAX_TEXTS : MAX_ELEMENTS))
		return wa_compiler_refuse(compiler, "a list of IN is long");
	return compile_each(compiler, expression, oid, elements);
}
