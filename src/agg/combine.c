/*
 * combine.c
 *		Combining the states of parallel workers, and shipping them.
 */
#include "postgres.h"

#include "fmgr.h"

#include "agg/state.h"
#include "exec/reduce.h"

PG_FUNCTION_INFO_V1(warpagg_combine);
PG_FUNCTION_INFO_V1(warpagg_serialize);
PG_FUNCTION_INFO_V1(warpagg_deserialize);

/* What stands before the partial in a serialized state. */
typedef struct SerialHeader
{
	uint8 type;
	uint8 ops;
} SerialHeader;

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
	wa_state_flush(from);
	if (PG_ARGISNULL(0))
		into =
			wa_state_make(context, (WaType) from->type, from->ops, true, false);
	else
		into = (WaAggState *) PG_GETARG_POINTER(0);
	if (into->type != from->type || into->ops != from->ops)
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
	WaAggState *state;
	SerialHeader header;
	bytea *result;
	char *data;
	Size length;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_serialize called in a context that is not an "
					"aggregate");
	if (PG_ARGISNULL(0))
	{
		wa_exec_finish(); /* as final functions do */
		PG_RETURN_NULL();
	}
	state = (WaAggState *) PG_GETARG_POINTER(0);
	wa_state_flush(state);
	wa_state_complete_partial(state);
	result = palloc(VARHDRSZ + sizeof(header) + WA_PARTIAL_MAX_BYTES);
	data = VARDATA(result);
	header.type = state->type;
	header.ops = state->ops;
	memcpy(data, &header, sizeof(header));
	length = wa_partial_encode(&state->partial, (WaType) state->type,
							   state->ops, (uint8 *) data + sizeof(header));
	SET_VARSIZE(result, VARHDRSZ + sizeof(header) + length);
	PG_RETURN_BYTEA_P(result);
}

/*
 * warpagg_deserialize(bytea, internal) returns internal: the state, in the
 * current memory context.  The second argument only keeps SQL from calling it.
 */
Datum
warpagg_deserialize(PG_FUNCTION_ARGS)
{
	bytea *serial;
	SerialHeader header;
	WaAggState *state;
	Size length;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "warpagg_deserialize called in a context that is not an "
					"aggregate");
	serial = PG_GETARG_BYTEA_PP(0);
	length = VARSIZE_ANY_EXHDR(serial);
	if (length < sizeof(header))
		elog(ERROR, "serialized warpagg state is too short");
	memcpy(&header, VARDATA_ANY(serial), sizeof(header));
	if (header.type >= WA_TYPE_COUNT ||
		!wa_reductions_exist(header.ops, wa_type_storage((WaType) header.type)))
		elog(ERROR, "serialized warpagg state is of an unknown kind");
	state = wa_state_make(CurrentMemoryContext, (WaType) header.type,
						  header.ops, true, false);
	wa_state_complete_partial(state);
	if (!wa_partial_decode(&state->partial, (WaType) header.type, header.ops,
						   (const uint8 *) VARDATA_ANY(serial) + sizeof(header),
						   length - sizeof(header)))
		elog(ERROR, "serialized warpagg state is damaged");
	PG_RETURN_POINTER(state);
}
