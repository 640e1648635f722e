/*
 * shifted.c
 *		The results of aggregates over shifted expressions; see shifted.h.
 *
 * A result is made of the record of x.  PostgreSQL raises the error of a value
 * that is out of range whatever becomes of its group, so groups are looked at
 * before HAVING and LIMIT are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/int128.h"
#include "scan/base/datum.h"
#include "scan/output/shifted.h"
#include "scan/spill/group_store.h"

/* What a column has of a group, as far as its operations go. */
typedef struct Values
{
	int64 rows;
	__int128 sum;
	int64 min;
	int64 max;
} Values;

/* Reads the record of a group and a column. */
static Values
read_values(const WaScanStore *store, int number, uint32 group)
{
	const WaQueryColumn *column = &store->query->compiled.columns[number];
	const WaOpSet ops = column->ops;
	const WaRecordLayout layout = wa_record_layout(WA_VECTOR_INT, ops);
	Values values = {0};
	WaInt128 sum;
	WaRecord record;

	if (column->kind != WA_VECTOR_INT ||
		!wa_accumulator_record(store->columns[number], group, &record))
		elog(ERROR, "unexpected form of a column of integers");
	values.rows = (int64) record.words[0];
	if (wa_ops_have(ops, WA_OP_SUM))
	{
		memcpy(&sum, record.words + layout.sum, sizeof(sum));
		values.sum = wa_int128_get(sum);
	}
	if (wa_ops_have(ops, WA_OP_MIN))
		values.min = (int64) record.words[layout.min];
	if (wa_ops_have(ops, WA_OP_MAX))
		values.max = (int64) record.words[layout.max];
	return values;
}

/* Raises PostgreSQL's error of a result that is out of range. */
static void
raise_error(const WaShift *shift)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("%s out of range", format_type_be(shift->type))));
}

/* Checks the groups of a result. */
static void
check_result(const WaScanStore *store, const WaScanResult *result)
{
	const WaShift *shift = result->shift;

	for (uint32 group = 0; group < wa_scan_groups(store); group++)
	{
		const Values values = read_values(store, result->column, group);

		CHECK_FOR_INTERRUPTS();
		if (values.rows > 0 && ((wa_ops_have(shift->checks, WA_OP_MIN) &&
								 values.min < shift->lowest) ||
								(wa_ops_have(shift->checks, WA_OP_MAX) &&
								 values.max > shift->highest)))
			raise_error(shift);
	}
}

void
wa_shifted_check(const WaScanStore *store)
{
	for (int i = 0; i < store->query->nresults; i++)
		if (store->query->results[i].shift != NULL &&
			store->query->results[i].shift->checks != 0)
			check_result(store, &store->query->results[i]);
}

/* Returns a sum or an average of so many rows. */
static Datum
sum_result(const WaShift *shift, WaAggregate aggregate, const Values *values,
		   bool *is_null)
{
	const WaInt128 sum =
		wa_int128_make(wa_shift_apply(shift, values->sum, values->rows));
	WaAggState *state;
	int64 number;

	if (aggregate == WA_SUM && shift->type != INT8OID &&
		wa_int128_to_int64(sum, &number))
		return Int64GetDatum(number);
	state = wa_state_make(CurrentMemoryContext, &shift->plan);
	memcpy(wa_state_component(state, WA_OP_SUM), &sum, sizeof(sum));
	state->rows = values->rows;
	return wa_aggregate_result(aggregate, state, is_null);
}

/* Returns the result of an x. */
static Datum
result_of(const WaShift *shift, int64 x)
{
	return wa_integer_datum(shift->type, (int64) wa_shift_apply(shift, x, 1));
}

Datum
wa_shifted_result(const WaScanStore *store, const WaScanResult *result,
				  uint32 group, bool *is_null)
{
	const WaShift *shift = result->shift;
	const Values values = read_values(store, result->column, group);

	*is_null = values.rows == 0 && result->aggregate != WA_COUNT;
	if (result->aggregate == WA_COUNT || *is_null)
		return Int64GetDatum(values.rows);
	switch (result->aggregate)
	{
		case WA_SUM:
		case WA_AVG:
			return sum_result(shift, result->aggregate, &values, is_null);
		case WA_MIN:
			return result_of(shift, values.min);
		case WA_MAX:
			return result_of(shift, values.max);
		default:
			/* The variance is that of x. */
			return wa_aggregate_result(
				result->aggregate,
				wa_accumulator_state(store->columns[result->column], group),
				is_null);
	}
}

bool
wa_shifted_estimate(const WaScanStore *store, const WaScanResult *result,
					uint32 group, double *value)
{
	const WaShift *shift = result->shift;
	const Values values = read_values(store, result->column, group);

	if ((result->aggregate != WA_SUM && result->aggregate != WA_AVG) ||
		values.rows == 0)
		return false;
	*value = (double) wa_shift_apply(shift, values.sum, values.rows);
	if (result->aggregate == WA_AVG)
		*value /= (double) values.rows;
	return true;
}
