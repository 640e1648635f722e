/*
 * extreme.c
 *		The components of a state that are one value; see extreme.h.
 *
 * Values of types that a device takes are compared here, all others by PostgreSQL's
 * default order of the type.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/numeric.h"
#include "state/numeric_format.h"

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

/* Offers a stored value. */
static inline void
offer_stored(WaAggState *state, WaOp op, WaStorage storage, WaExtreme value)
{
	WaExtreme *kept = (WaExtreme *) wa_state_component(state, op);
	const WaValue offered = {.u = value.u};
	const WaValue present = {.u = kept->u};

	if (state->rows > 0 && wa_ops_have(WA_BIT_OPS, op))
		kept->u = wa_bits_of_two(op, kept->u, value.u);
	else if (state->rows == 0 || wa_value_beats(op, storage, offered, present))
		*kept = value;
}

/* Raises what PostgreSQL raises where values of a type, or of an array, have no order. */
static void
raise_no_order(Oid type)
{
	const Oid element = get_element_type(type);

	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("could not identify a comparison function for type %s",
					format_type_be(OidIsValid(element) ? element : type))));
}

/* Compares two values as PostgreSQL does by default. */
static int
compare(const WaAggPlan *plan, Datum a, Datum b)
{
	FunctionCallInfo call = plan->compare;
	Datum order;

	if (call == NULL)
		raise_no_order(plan->key.argument_type);
	call->args[0].value = a;
	call->args[1].value = b;
	call->isnull = false;
	order = FunctionCallInvoke(call);
	if (call->isnull)
		elog(ERROR, "function %u returned NULL", call->flinfo->fn_oid);
	return DatumGetInt32(order);
}

/* Compares the bytes of two values. */
static int
compare_bytes(const WaAggPlan *plan, Datum a, Datum b)
{
	struct varlena *left;
	struct varlena *right;
	int order;

	if (plan->typbyval)
		return 0;
	if (plan->typlen > 0)
		return memcmp(DatumGetPointer(a), DatumGetPointer(b),
					  (Size) plan->typlen);
	left = PG_DETOAST_DATUM_PACKED(a);
	right = PG_DETOAST_DATUM_PACKED(b);
	order = memcmp(VARDATA_ANY(left), VARDATA_ANY(right),
				   Min(VARSIZE_ANY_EXHDR(left), VARSIZE_ANY_EXHDR(right)));
	if (order == 0)
		order = (VARSIZE_ANY_EXHDR(left) > VARSIZE_ANY_EXHDR(right)) -
				(VARSIZE_ANY_EXHDR(left) < VARSIZE_ANY_EXHDR(right));
	if ((Pointer) left != DatumGetPointer(a))
		pfree(left);
	if ((Pointer) right != DatumGetPointer(b))
		pfree(right);
	return order;
}

/* Returns the digits after the point that a numeric is shown with. */
static int
display_scale(Datum numeric)
{
	WaNumericView view;

	wa_numeric_view((Numeric) PG_DETOAST_DATUM_PACKED(numeric), &view);
	return view.class == WA_NUMERIC_FINITE ? view.display_scale : 0;
}

/* Tells whether the operation has one value rather than another. */
static bool
beats(const WaAggPlan *plan, WaOp op, Datum value, Datum kept)
{
	const int order = compare(plan, value, kept);

	if (order != 0)
		return (op == WA_OP_MIN) == (order < 0);
	if (plan->kind == &wa_numeric_column)
		return display_scale(value) > display_scale(kept);
	return compare_bytes(plan, value, kept) < 0;
}

void
wa_extreme_offer(WaAggState *state, WaOp op, Datum value)
{
	const WaAggPlan *plan = state->plan;
	WaExtreme *kept = (WaExtreme *) wa_state_component(state, op);
	MemoryContext old;

	if (state->rows > 0)
	{
		if (!beats(plan, op, value, kept->datum))
			return;
		if (!plan->typbyval)
			pfree(DatumGetPointer(kept->datum));
	}
	old = MemoryContextSwitchTo(wa_state_context(state));
	kept->datum = datumCopy(value, plan->typbyval, plan->typlen);
	MemoryContextSwitchTo(old);
}

/* Puts a value into one of the components. */
static void
offer(WaAggState *state, WaOp op, WaExtreme value)
{
	if (is_stored(state->plan))
		offer_stored(state, op, wa_type_storage(state->plan->type), value);
	else
		wa_extreme_offer(state, op, value.datum);
}

/* Returns a value of SQL as the components have it. */
static inline WaExtreme
extreme_of(const WaAggPlan *plan, Datum value)
{
	return is_stored(plan) ? stored_value(wa_type_storage(plan->type), value)
						   : (WaExtreme){.datum = value};
}

void
wa_extreme_put(WaAggState *state, WaOp op, Datum value)
{
	offer(state, op, extreme_of(state->plan, value));
}

void
wa_extreme_take(WaAggState *state, Datum value)
{
	const WaExtreme extreme = extreme_of(state->plan, value);
	WaOpSet ops = state->plan->key.ops & WA_EXTREME_OPS;

	for (; ops != 0; ops &= ops - 1)
		offer(state, (WaOp) pg_rightmost_one_pos32(ops), extreme);
}

/* Returns what an operation has come to in a partial. */
static WaValue
value_of(const WaPartial *partial, WaOp op)
{
	switch (op)
	{
		case WA_OP_MIN:
			return partial->min;
		case WA_OP_MAX:
			return partial->max;
		default:
			return (WaValue){.u = partial->bits[op - WA_OP_BIT_AND]};
	}
}

void
wa_extreme_absorb(WaAggState *state, const WaPartial *partial)
{
	for (WaOp op = WA_OP_MIN; op < WA_OP_COUNT; op++)
	{
		WaValue value = value_of(partial, op);
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
	for (WaOp op = WA_OP_MIN; op < WA_OP_COUNT; op++)
		if (wa_state_has(into, op))
			offer(into, op, *(const WaExtreme *) wa_state_component(from, op));
}

/* Appends a value of SQL to a message. */
static void
put_datum(StringInfo buffer, Datum value, bool typbyval, int16 typlen)
{
	Size length = datumEstimateSpace(value, false, typbyval, typlen);
	char *end;

	if (length > MaxAllocSize)
		elog(ERROR, "a value is too long to be sent");
	enlargeStringInfo(buffer, (int) length);
	end = buffer->data + buffer->len;
	datumSerialize(value, false, typbyval, typlen, &end);
	buffer->len += (int) length;
	buffer->data[buffer->len] = '\0';
}

void
wa_extreme_write(const WaAggState *state, StringInfo buffer)
{
	const WaAggPlan *plan = state->plan;

	if (state->rows == 0)
		return;
	for (WaOp op = WA_OP_MIN; op < WA_OP_COUNT; op++)
	{
		const WaExtreme *kept;

		if (!wa_state_has(state, op))
			continue;
		kept = (const WaExtreme *) wa_state_component(state, op);
		if (is_stored(plan))
			appendBinaryStringInfo(buffer, (const char *) kept, sizeof(*kept));
		else
			put_datum(buffer, kept->datum, plan->typbyval, plan->typlen);
	}
}

void
wa_extreme_read(WaAggState *state, StringInfo buffer)
{
	const WaAggPlan *plan = state->plan;

	if (state->rows == 0)
		return;
	for (WaOp op = WA_OP_MIN; op < WA_OP_COUNT; op++)
	{
		char *begin = buffer->data + buffer->cursor;
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
		kept->datum = datumRestore(&begin, &is_null);
		buffer->cursor = (int) (begin - buffer->data);
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
