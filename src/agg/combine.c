/*
 * combine.c
 *		Combining the states of parallel workers, and shipping them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"

#include "agg/call_site.h"
#include "client/client.h"
#include "compat.h"
#include "state/wire.h"

PG_FUNCTION_INFO_V1(warpagg_combine);
PG_FUNCTION_INFO_V1(warpagg_serialize);
PG_FUNCTION_INFO_V1(warpagg_deserialize);

/*
 * warpagg_combine(into internal, from internal) returns internal: the state of
 * the rows of both, either of which may be NULL for no rows.
 */
Datum
warpagg_combine(PG_FUNCTION_ARGS)
{
	WaAggState *into;
	WaAggState *from;
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR,
			 "warpagg_combine called in a context that is not an aggregate");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	from = (WaAggState *) PG_GETARG_POINTER(1);
	wa_state_collect(from);
	if (PG_ARGISNULL(0))
		into = wa_state_make(context, wa_plan_states(fcinfo, &from->plan->key));
	else
		into = (WaAggState *) PG_GETARG_POINTER(0);
	if (!wa_plan_keys_match(&into->plan->key, &from->plan->key))
		elog(ERROR, "cannot combine different warpagg states");
	wa_state_merge(into, from);
	PG_RETURN_POINTER(into);
}

/*
 * warpagg_serialize(state internal) returns bytea: a form that the
 * deserialization function of the same version reads in another process.
 */
Datum
warpagg_serialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_serialize called in a context that is not an "
					"aggregate");
	if (PG_ARGISNULL(0))
	{
		wa_client_finish(); /* as final functions do */
		PG_RETURN_NULL();
	}
	PG_RETURN_BYTEA_P(wa_wire_state((WaAggState *) PG_GETARG_POINTER(0)));
}

/*
 * warpagg_deserialize(bytea, internal) returns internal: the state, in the
 * current memory context.  The second argument only keeps SQL from calling it.
 */
Datum
warpagg_deserialize(PG_FUNCTION_ARGS)
{
	bytea *serial;
	WaPlanKey key;
	StringInfoData buffer;
	const WaAggPlan *plan;
	WaAggState *state;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_deserialize called in a context that is not an "
					"aggregate");
	serial = PG_GETARG_BYTEA_PP(0);
	initStringInfo(&buffer);
	appendBinaryStringInfo(&buffer, VARDATA_ANY(serial),
						   VARSIZE_ANY_EXHDR(serial));
	pq_copymsgbytes(&buffer, (char *) &key, sizeof(key));
	plan = wa_plan_states(fcinfo, &key);
	if (!wa_plan_keys_match(&plan->key, &key))
		elog(ERROR, "serialized warpagg state is of an unknown kind");
	state = wa_wire_get_state(&buffer, plan);
	pq_getmsgend(&buffer);
	pfree(buffer.data);
	PG_RETURN_POINTER(state);
}
