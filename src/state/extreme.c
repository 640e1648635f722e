/*
 * extreme.c
 *		The components MIN and MAX of a state; see extreme.h.
 *
 * Values of types that a device takes are compared here; all others by the
 * transition function of the built-in min or max for the type, which so also
 * decides which of two equal values is kept.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/datum.h"

#include "state/column.h"
#include "state/extreme.h"
#include "state/numeric.h"
#include "state/wire.h"

/* Tells whether values of the plan are compared here, not by PostgreSQL. */
static inline bool
is_stored(const WaAggPlan *plan)
{
	return plan->kind == &wa_integer_column || plan->kind == &wa_float_column;
}

/* Returns a value of SQL as it is stored. */
static inline WaExtreme
stored_value(WaStorage storage, Datum value)
{
	switch (storage)
	{
		case WA_I16:
			return (WaExtreme){.i = DatumGetInt16(value)};
		case WA_I32:
			return (WaExtreme){.i = DatumGetInt32(value)};
		case WA_I64:
			return (WaExtreme){.i = DatumGetInt64(value)};
		case WA_U32:
			return (WaExtreme){.u = DatumGetUInt32(value)};
		case WA_U64:
			return (WaExtreme){.u = DatumGetUInt64(value)};
		case WA_F32:
			return (WaExtreme){.f = DatumGetFloat4(value)};
		case WA_F64:
			return (WaExtreme){.f = DatumGetFloat8(value)};
		default:
			elog(ERROR, "unexpected storage %d of a value", storage);
	}
}

/* Tells whether a sorts before b. */
static inline bool
stored_less(WaStorage storage, WaExtreme a, WaExtreme b)
{
	WaValue left = {.u = a.u};
	WaValue right = {.u = b.u};

	return wa_value_less(storage, left, right);
}

/* Offers a stored value; of equal ones the later is kept. */
static inline void
offer_stored(WaAggState *state, WaOp op, WaStorage storage, WaExtreme value)
{
	WaExtreme *kept = (WaExtreme *) wa_state_component(state, op);

	if (state->rows == 0 ||
		!(op == WA_OP_MIN ? stored_less(storage, *kept, value)
						  : stored_less(storage, value, *kept)))
		*kept = value;
}

/* Calls a function of two values. */
static Datum
call_function(FunctionCallInfo call, Datum a, Datum b)
{
	Datum result;

	call->args[0].value = a;
	call->args[1].value = b;
	call->isnull = false;
	result = FunctionCallInvoke(call);
	if (call->isnull)
		elog(ERROR, "function %u returned NULL", call->flinfo->fn_oid);
	return result;
}

/* Returns the one of two values that the built-in would keep. */
static Datum
choose(const WaAggPlan *plan, WaOp op, Datum kept, Datum value)
{
	return call_function(op == WA_OP_MIN ? plan->smaller : plan->larger, kept,
						 value);
}

void
wa_extreme_offer(WaAggState *state, WaOp op, Datum value)
{
	const WaAggPlan *plan = state->plan;
	WaExtreme *kept = (WaExtreme *) wa_state_component(state, op);
	MemoryContext old;

	if (state->rows > 0)
	{
		value = choose(plan, op, kept->datum, value);
		if (value == kept->datum)
			return;
		if (!plan->typbyval)
			pfree(DatumGetPointer(kept->datum));
	}
	old = MemoryContextSwitchTo(wa_state_context(state));
	kept->datum = datumCopy(value, plan->typbyval, plan->typlen);
	MemoryContextSwitchTo(old);
}

/* Returns a number that is less than 0 if a sorts before b, and 0 if they are equal. */
static int
compare(const WaAggPlan *plan, WaExtreme a, WaExtreme b)
{
	if (is_stored(plan))
	{
		const WaStorage storage = wa_type_storage(plan->type);

		return (int) stored_less(storage, b, a) -
			   (int) stored_less(storage, a, b);
	}
	return DatumGetInt32(call_function(plan->compare, a.datum, b.datum));
}

/* Tells whether two values look the same. */
static bool
looks_like(const WaAggPlan *plan, WaExtreme a, WaExtreme b)
{
	if (is_stored(plan))
		return a.u == b.u;
	return datum_image_eq(a.datum, b.datum, plan->typbyval, plan->typlen);
}

/*
 * Notes, in a state that watches, whether an extreme is going to be tied with a value
 * offered, which may be tied itself.  Returns false if the extreme stays what it is.
 */
static bool
watch(WaAggState *state, WaOp op, WaExtreme value, bool is_tied)
{
	const WaExtreme kept = *(const WaExtreme *) wa_state_component(state, op);
	const WaOpSet bit = WA_OP_BIT(op);
	int order;

	if (!is_stored(state->plan) && state->plan->compare == NULL)
		return true;
	if (state->rows == 0)
		order = -1;
	else if (op == WA_OP_MIN)
		order = compare(state->plan, value, kept);
	else
		order = compare(state->plan, kept, value);
	if (order < 0)
		state->tied &= ~bit;
	if (order <= 0 &&
		(is_tied || (order == 0 && !looks_like(state->plan, value, kept))))
		state->tied |= bit;
	return order <= 0;
}

/* Puts a value, which may be tied, into one of the components. */
static void
offer(WaAggState *state, WaOp op, WaExtreme value, bool is_tied)
{
	if (state->watches && !watch(state, op, value, is_tied))
		return;
	if (is_stored(state->plan))
		offer_stored(state, op, wa_type_storage(state->plan->type), value);
	else
		wa_extreme_offer(state, op, value.datum);
}

void
wa_extreme_take(WaAggState *state, Datum value)
{
	const WaAggPlan *plan = state->plan;
	WaExtreme extreme = {.datum = value};

	if (is_stored(plan))
		extreme = stored_value(wa_type_storage(plan->type), value);
	for (WaOp op = WA_OP_MIN; op <= WA_OP_MAX; op++)
		if (wa_state_has(state, op))
			offer(state, op, extreme, false);
}

void
wa_extreme_absorb(WaAggState *state, const WaPartial *partial)
{
	for (WaOp op = WA_OP_MIN; op <= WA_OP_MAX; op++)
	{
		WaValue value = op == WA_OP_MIN ? partial->min : partial->max;
		WaStorage storage = wa_type_storage(state->plan->type);

		if (!wa_state_has(state, op))
			continue;
		if (!is_stored(state->plan))
			wa_extreme_offer(
				state, op, NumericGetDatum(wa_numeric_of_value(state, value)));
		else if (state->plan->kind == &wa_float_column)
			offer_stored(state, op, storage, (WaExtreme){.f = value.f});
		else
			offer_stored(state, op, storage, (WaExtreme){.i = value.i});
	}
}

void
wa_extreme_merge(WaAggState *into, const WaAggState *from)
{
	for (WaOp op = WA_OP_MIN; op <= WA_OP_MAX; op++)
		if (wa_state_has(into, op))
			offer(into, op, *(const WaExtreme *) wa_state_component(from, op),
				  (from->tied & WA_OP_BIT(op)) != 0);
}

void
wa_extreme_write(const WaAggState *state, StringInfo buffer)
{
	const WaAggPlan *plan = state->plan;

	if (state->rows == 0)
		return;
	for (WaOp op = WA_OP_MIN; op <= WA_OP_MAX; op++)
	{
		const WaExtreme *kept;

		if (!wa_state_has(state, op))
			continue;
		kept = (const WaExtreme *) wa_state_component(state, op);
		if (is_stored(plan))
		{
			appendBinaryStringInfo(buffer, (const char *) kept, sizeof(*kept));
			continue;
		}
		wa_wire_put_datum(buffer, kept->datum, false, plan->typbyval,
						  plan->typlen);
	}
}

void
wa_extreme_read(WaAggState *state, StringInfo buffer)
{
	const WaAggPlan *plan = state->plan;

	if (state->rows == 0)
		return;
	for (WaOp op = WA_OP_MIN; op <= WA_OP_MAX; op++)
	{
		WaExtreme *kept;
		bool is_null;

		if (!wa_state_has(state, op))
			continue;
		kept = (WaExtreme *) wa_state_component(state, op);
		if (is_stored(plan))
		{
			pq_copymsgbytes(buffer, (char *) kept, sizeof(*kept));
			continue;
		}
		kept->datum = wa_wire_get_datum(buffer, &is_null);
	}
}

/* Returns a stored value as one of SQL. */
static Datum
stored_datum(WaStorage storage, WaExtreme value)
{
	switch (storage)
	{
		case WA_I16:
			return Int16GetDatum((int16) value.i);
		case WA_I32:
			return Int32GetDatum((int32) value.i);
		case WA_I64:
			return Int64GetDatum(value.i);
		case WA_U32:
			return UInt32GetDatum((uint32) value.u);
		case WA_U64:
			return UInt64GetDatum(value.u);
		case WA_F32:
			return Float4GetDatum((float4) value.f);
		case WA_F64:
			return Float8GetDatum(value.f);
		default:
			elog(ERROR, "unexpected storage %d of a value", storage);
	}
}

Datum
wa_extreme_result(const WaAggState *state, WaOp op)
{
	const WaExtreme *kept = (const WaExtreme *) wa_state_component(state, op);

	if (is_stored(state->plan))
		return stored_datum(wa_type_storage(state->plan->type), *kept);
	return kept->datum;
}
