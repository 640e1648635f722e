/*
 * result.c
 *		From a state to a result of SQL; see result.h.
 */
#include "postgres.h"

#include "state/column.h"
#include "state/extreme.h"
#include "state/result.h"

#define SUM     WA_OP_BIT(WA_OP_SUM)
#define SQUARES WA_OP_BIT(WA_OP_SQUARES)

WaOpSet
wa_aggregate_operations(WaAggregate aggregate)
{
	switch (aggregate)
	{
		case WA_SUM:
		case WA_AVG:
			return SUM;
		case WA_MIN:
			return WA_OP_BIT(WA_OP_MIN);
		case WA_MAX:
			return WA_OP_BIT(WA_OP_MAX);
		case WA_VAR_POP:
		case WA_VAR_SAMP:
		case WA_STDDEV_POP:
		case WA_STDDEV_SAMP:
			return SUM | SQUARES;
		case WA_BIT_AND:
		case WA_BIT_OR:
		case WA_BIT_XOR:
			return WA_OP_BIT(wa_aggregate_bits(aggregate));
		default:
			return 0;
	}
}

/* Tells whether the aggregate is NULL over a single row. */
static bool
is_of_sample(WaAggregate aggregate)
{
	return aggregate == WA_VAR_SAMP || aggregate == WA_STDDEV_SAMP;
}

Datum
wa_aggregate_result(WaAggregate aggregate, WaAggState *state, bool *is_null)
{
	const WaColumnKind *kind;

	*is_null = false;
	if (aggregate == WA_COUNT)
		return Int64GetDatum(state == NULL ? 0 : state->rows);
	if (state == NULL || state->rows == 0 ||
		(is_of_sample(aggregate) && state->rows == 1))
	{
		*is_null = true;
		return (Datum) 0;
	}
	kind = state->plan->kind;
	switch (aggregate)
	{
		case WA_SUM:
			return kind->sum(state);
		case WA_AVG:
			return kind->average(state);
		case WA_MIN:
			return wa_extreme_result(state, WA_OP_MIN);
		case WA_MAX:
			return wa_extreme_result(state, WA_OP_MAX);
		case WA_VAR_POP:
		case WA_VAR_SAMP:
			return kind->variance(state, is_of_sample(aggregate), false);
		case WA_STDDEV_POP:
		case WA_STDDEV_SAMP:
			return kind->variance(state, is_of_sample(aggregate), true);
		case WA_BIT_AND:
		case WA_BIT_OR:
		case WA_BIT_XOR:
			return wa_extreme_result(state, wa_aggregate_bits(aggregate));
		default:
			elog(ERROR, "unexpected aggregate %d", aggregate);
	}
}
