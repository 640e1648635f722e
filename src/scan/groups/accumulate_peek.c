/*
 * accumulate_peek.c
 *		Results that can be told from a group's record at once; see
 *		accumulate_peek.h.
 *
 * A state for each of millions of groups takes longer than all their rows: 100 ns
 * and more, where this takes 3.
 */
#include "postgres.h"

#include "core/int128.h"
#include "scan/base/datum.h"
#include "scan/groups/accumulate_peek.h"

/* Stores a sum of integers, if it is a bigint and fits. */
static bool
peek_sum(const WaAggPlan *plan, const uint64 *words, Datum *result)
{
	WaInt128 sum;
	int64 value;

	if (plan->type != WA_INT2 && plan->type != WA_INT4)
		return false;
	memcpy(&sum, words, sizeof(sum));
	if (!wa_int128_to_int64(sum, &value))
		return false;
	*result = Int64GetDatum(value);
	return true;
}

bool
wa_accumulator_peek(const WaAccumulator *accumulator, const WaAggPlan *plan,
					WaVectorKind kind, uint32 group, WaAggregate aggregate,
					Datum *result, bool *is_null)
{
	const WaRecordLayout layout = wa_record_layout(kind, plan->key.ops);
	WaRecord record;

	if (!wa_accumulator_record(accumulator, group, &record))
		return false;
	*is_null = record.words[0] == 0 && aggregate != WA_COUNT;
	if (aggregate == WA_COUNT || *is_null)
	{
		*result = Int64GetDatum((int64) record.words[0]);
		return true;
	}
	if (kind != WA_VECTOR_INT)
		return false;
	switch (aggregate)
	{
		case WA_SUM:
			return peek_sum(plan, record.words + layout.sum, result);
		case WA_MIN:
			*result = wa_integer_datum(plan->key.argument_type,
									   (int64) record.words[layout.min]);
			return true;
		case WA_MAX:
			*result = wa_integer_datum(plan->key.argument_type,
									   (int64) record.words[layout.max]);
			return true;
		default:
			return false;
	}
}

bool
wa_accumulator_estimate(const WaAccumulator *accumulator, const WaAggPlan *plan,
						WaVectorKind kind, uint32 group, WaAggregate aggregate,
						double *result)
{
	const WaRecordLayout layout = wa_record_layout(kind, plan->key.ops);
	WaRecord record;
	WaInt128 sum;

	if ((aggregate != WA_SUM && aggregate != WA_AVG) ||
		(kind != WA_VECTOR_INT && kind != WA_VECTOR_DECIMAL) ||
		!wa_accumulator_record(accumulator, group, &record) ||
		record.words[0] == 0 || record.wide != NULL)
		return false;
	memcpy(&sum, record.words + layout.sum, sizeof(sum));
	*result = (double) wa_int128_get(sum);
	if (aggregate == WA_AVG)
		*result /= (double) record.words[0];
	return true;
}
