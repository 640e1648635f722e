/*
 * pairs.c
 *		Aggregates of pairs of floats; see pairs.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/expr/aggregates.h"
#include "scan/expr/compile_internal.h"
#include "scan/expr/functions.h"
#include "scan/expr/pairs.h"
#include "settings.h"

#define PART "warpagg_pair_part"

/* The aggregates by PostgreSQL's name and by our final function's. */
static const struct
{
	const char *name;
	const char *final;
	WaAggregate aggregate;
} family[] = {
	{"corr", "warpagg_corr_final", WA_CORR},
	{"covar_pop", "warpagg_covar_pop_final", WA_COVAR_POP},
	{"covar_samp", "warpagg_covar_samp_final", WA_COVAR_SAMP},
	{"regr_count", "warpagg_regr_count_final", WA_REGR_COUNT},
	{"regr_avgx", "warpagg_regr_avgx_final", WA_REGR_AVGX},
	{"regr_avgy", "warpagg_regr_avgy_final", WA_REGR_AVGY},
	{"regr_sxx", "warpagg_regr_sxx_final", WA_REGR_SXX},
	{"regr_syy", "warpagg_regr_syy_final", WA_REGR_SYY},
	{"regr_sxy", "warpagg_regr_sxy_final", WA_REGR_SXY},
	{"regr_slope", "warpagg_regr_slope_final", WA_REGR_SLOPE},
	{"regr_intercept", "warpagg_regr_intercept_final", WA_REGR_INTERCEPT},
	{"regr_r2", "warpagg_regr_r2_final", WA_REGR_R2},
};

/* Finds one of PostgreSQL's own aggregates, if it may be taken. */
static bool
find_builtin(const Aggref *aggref, WaAggregate *aggregate)
{
	char *name;

	if (aggref->aggfnoid >= FirstGenbkiObjectId ||
		wa_accelerate == WA_ACCELERATE_OFF)
		return false;
	name = get_func_name(aggref->aggfnoid);
	for (int i = 0; i < lengthof(family); i++)
		if (strcmp(family[i].name, name) == 0)
		{
			*aggregate = family[i].aggregate;
			/* All but the count depend on the order of rows. */
			return *aggregate == WA_REGR_COUNT ||
				   wa_accelerate == WA_ACCELERATE_ALL;
		}
	return false;
}

/* Finds one of ours by what it is made of. */
static bool
find_ours(const Aggref *aggref, WaAggregate *aggregate)
{
	HeapTuple tuple =
		SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	Oid transition;
	Oid final;

	if (!HeapTupleIsValid(tuple))
		return false;
	transition = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;
	final = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(final) ||
		!wa_is_c_function(transition, "warpagg_pair_transition"))
		return false;
	for (int i = 0; i < lengthof(family); i++)
		if (wa_is_c_function(final, family[i].final))
		{
			*aggregate = family[i].aggregate;
			return true;
		}
	return false;
}

bool
wa_is_pair_part(Oid function)
{
	return function >= FirstNormalObjectId && wa_is_c_function(function, PART);
}

/* Returns warpagg_pair_part, wherever the extension is; InvalidOid: it is not there. */
static Oid
find_part(void)
{
	CatCList *functions =
		SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(PART));
	Oid found = InvalidOid;

	for (int i = 0; i < functions->n_members && !OidIsValid(found); i++)
	{
		const Form_pg_proc function =
			(Form_pg_proc) GETSTRUCT(&functions->members[i]->tuple);

		if (wa_is_pair_part(function->oid))
			found = function->oid;
	}
	ReleaseSysCacheList(functions);
	return found;
}

bool
wa_pair_describe(const Aggref *aggref, WaPairCall *call)
{
	ListCell *cell;

	if (list_length(aggref->args) != 2 || aggref->aggkind != AGGKIND_NORMAL ||
		aggref->aggvariadic || aggref->aggdistinct != NIL ||
		aggref->aggorder != NIL || aggref->agglevelsup != 0 ||
		aggref->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	call->builtin = find_builtin(aggref, &call->aggregate);
	if (!call->builtin && !find_ours(aggref, &call->aggregate))
		return false;
	call->part = find_part();
	call->filter = aggref->aggfilter;
	call->args = NIL;
	foreach (cell, aggref->args)
		call->args = lappend(call->args, lfirst_node(TargetEntry, cell)->expr);
	return OidIsValid(call->part);
}

Expr *
wa_pair_expression(const WaPairCall *call, int column)
{
	Const *number = makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(column), false, true);

	return (Expr *) makeFuncExpr(call->part, FLOAT8OID,
								 lappend(list_copy(call->args), number),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Parts of products that are out of the ordinary are there where the others trap. */
int
wa_compile_pair_part(WaCompiler *compiler, List *args)
{
	int64 column;
	int y;
	int x;

	if (!wa_constant_integer(lthird(args), &column))
		return wa_compiler_refuse(compiler, "a part of a pair is not constant");
	y = wa_compile(compiler, linitial(args));
	x = wa_compile(compiler, lsecond(args));
	switch (column)
	{
		case WA_PAIR_Y:
		case WA_PAIR_X:
			return wa_emit_choice(compiler, WA_VECTOR_FLOAT,
								  wa_emit_one(compiler, WA_CODE_IS_NOT_NULL,
											  WA_VECTOR_BOOL,
											  column == WA_PAIR_Y ? x : y),
								  column == WA_PAIR_Y ? y : x,
								  wa_constant_null(compiler, FLOAT8OID));
		case WA_PAIR_PRODUCTS + WA_PRODUCT_HIGH:
			return wa_compiler_emit(compiler, WA_CODE_FLOAT_HIGH_PART,
									WA_VECTOR_FLOAT, y, x, 0, 0);
		case WA_PAIR_PRODUCTS + WA_PRODUCT_LOW:
			return wa_compiler_emit(compiler, WA_CODE_FLOAT_LOW_PART,
									WA_VECTOR_FLOAT, y, x, 0, 0);
		default:
			return wa_constant_null(compiler, FLOAT8OID);
	}
}
