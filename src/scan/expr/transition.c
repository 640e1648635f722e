/*
 * transition.c
 *		Aggregates whose own transition functions are called; see transition.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "scan/expr/transition.h"

/*
 * What a state takes whose functions alone know what it is, unless the aggregate says so: the text
 * of string_agg begins with 1 kB, and the array of array_agg with 576 bytes.
 */
#define INTERNAL_BYTES 1024

/* Likewise one whose length its type does not tell. */
#define VARYING_BYTES 64

HeapTuple
wa_transition_find(const Aggref *aggref)
{
	HeapTuple tuple =
		SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
	return tuple;
}

const char *
wa_transition_refusal(const Aggref *aggref)
{
	Node *direct = (Node *) aggref->aggdirectargs;

	if (aggref->agglevelsup != 0)
		return "an aggregate belongs to an outer query";
	if (aggref->aggsplit != AGGSPLIT_SIMPLE)
		return "an aggregate is of an unusual kind";
	/* What percentiles are of, and whatever else is no row's, is the same for all groups. */
	if (contain_var_clause(direct) || contain_agg_clause(direct) ||
		contain_subplans(direct))
		return "a direct argument of an aggregate depends on a group, or has a "
			   "subquery";
	return NULL;
}

Oid
wa_transition_function(const Aggref *aggref)
{
	HeapTuple tuple = wa_transition_find(aggref);
	const Oid function = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn;

	ReleaseSysCache(tuple);
	return function;
}

int
wa_transition_bytes(const Aggref *aggref)
{
	HeapTuple tuple = wa_transition_find(aggref);
	const int bytes = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransspace;
	const int length = get_typlen(aggref->aggtranstype);

	ReleaseSysCache(tuple);
	if (bytes > 0)
		return bytes;
	if (aggref->aggtranstype == INTERNALOID)
		return INTERNAL_BYTES;
	return length > 0 ? length : VARYING_BYTES;
}
