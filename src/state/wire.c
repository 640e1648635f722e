/*
 * wire.c
 *		Transition states as bytes; see wire.h.
 *
 * A state is the number of its rows, then the components of its sums as the kind
 * of the column writes them, then MIN and MAX.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "state/column.h"
#include "state/extreme.h"
#include "state/wire.h"

/* Returns the bytes of a component of the sums. */
static int
component_bytes(const WaAggState *state, WaOp op)
{
	const WaColumnKind *kind = state->plan->kind;

	return (int) (op == WA_OP_SUM ? kind->sum_bytes : kind->squares_bytes);
}

void
wa_wire_put_components(StringInfo buffer, const WaAggState *state)
{
	for (WaOp op = WA_OP_SUM; op <= WA_OP_SQUARES; op++)
		if (wa_state_has(state, op))
			appendBinaryStringInfo(buffer, wa_state_component(state, op),
								   component_bytes(state, op));
}

void
wa_wire_get_components(StringInfo buffer, WaAggState *state)
{
	for (WaOp op = WA_OP_SUM; op <= WA_OP_SQUARES; op++)
		if (wa_state_has(state, op))
			pq_copymsgbytes(buffer, wa_state_component(state, op),
							component_bytes(state, op));
}

void
wa_wire_put_state(StringInfo buffer, WaAggState *state)
{
	appendBinaryStringInfo(buffer, (char *) &state->rows, sizeof(state->rows));
	if (state->plan->kind->write == NULL)
		wa_wire_put_components(buffer, state);
	else if (wa_state_has(state, WA_OP_SUM))
		state->plan->kind->write(state, buffer);
	wa_extreme_write(state, buffer);
}

bytea *
wa_wire_state(WaAggState *state)
{
	StringInfoData buffer;

	wa_state_collect(state);
	pq_begintypsend(&buffer);
	appendBinaryStringInfo(&buffer, (const char *) &state->plan->key,
						   sizeof(WaPlanKey));
	wa_wire_put_state(&buffer, state);
	return pq_endtypsend(&buffer);
}

WaAggState *
wa_wire_get_state(StringInfo buffer, const WaAggPlan *plan)
{
	WaAggState *state = wa_state_make(CurrentMemoryContext, plan);
	int64 rows;

	pq_copymsgbytes(buffer, (char *) &rows, sizeof(rows));
	if (rows < 0)
		elog(ERROR, "serialized warpagg state is damaged");
	if (plan->kind->read == NULL)
		wa_wire_get_components(buffer, state);
	else if (wa_state_has(state, WA_OP_SUM))
		plan->kind->read(state, buffer);
	state->rows = rows;
	wa_extreme_read(state, buffer);
	return state;
}
