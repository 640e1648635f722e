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

#include "core/int128.h"
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

/* Reads the record of a group. */
static Values
read_values(const WaScanColumn *column, uint32 group)
{
	const WaOpSet ops = column->plan.key.ops;
	const WaRecordLayout layout = wa_record_layout(WA_VECTOR_INT, ops);
	Values values = {0};
	WaInt128 sum;
	WaRecord record;

	if (column->kind != WA_VECTOR_INT ||
		!wa_accumulator_record(column->accumulator, group, &record))
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

/* Takes the value of a parameter; without rows nobody needs one. */
static void
take_parameter(const WaScanState *state, WaShift *shift)
{
	const WaVector *vector =
		wa_interpreter_register(state->interpreter, shift->number);

	shift->is_null = true;
	if (state->kept_rows == 0)
		return;
	/* All rows may have been taken by others, who do not need it. */
	(void) wa_interpreter_reach(
		state->interpreter, state->css.ss.ps.ps_ExprContext, state->nfilters);
	shift->is_null = !wa_vector_is_valid(vector, 0);
	if (!shift->is_null)
		shift->c = wa_vector_ints(vector)[0];
}

/* What values of a column may be. */
typedef struct Limits
{
	bool is_needed; /* there may be others */
	int64 lowest;
	int64 highest;
} Limits;

/* Returns the limits of a column. */
static Limits
find_limits(const WaScanState *state, int column)
{
	Limits limits = {false, PG_INT64_MIN, PG_INT64_MAX};

	for (int i = 0; i < state->nresults; i++)
	{
		const WaShift *shift = state->results[i].shift;
		int64 lowest;
		int64 highest;

		if (state->results[i].column != column || shift == NULL ||
			shift->is_null)
			continue;
		wa_shift_limits(shift, &lowest, &highest);
		limits.lowest = Max(limits.lowest, lowest);
		limits.highest = Min(limits.highest, highest);
		limits.is_needed |=
			lowest > shift->smallest_x || highest < shift->largest_x;
	}
	return limits;
}

/* Raises the error of the first aggregate of a column that has one. */
static void
raise_error(const WaScanState *state, int column, const Values *values)
{
	const WaOpSet ops = state->columns[column].plan.key.ops;

	for (int i = 0; i < state->nresults; i++)
	{
		const WaShift *shift = state->results[i].shift;

		if (state->results[i].column != column || shift == NULL ||
			shift->is_null)
			continue;
		if (wa_ops_have(ops, WA_OP_MIN))
			wa_shift_call(shift, values->min);
		if (wa_ops_have(ops, WA_OP_MAX))
			wa_shift_call(shift, values->max);
	}
	elog(ERROR,
		 "a shifted value is out of range, which PostgreSQL has not seen");
}

/* Checks all groups of a column. */
static void
check_column(const WaScanState *state, int number)
{
	const WaScanColumn *column = &state->columns[number];
	const Limits limits = find_limits(state, number);

	if (!limits.is_needed)
		return;
	for (uint32 group = 0; group < wa_scan_groups(state); group++)
	{
		const Values values = read_values(column, group);
		const WaOpSet ops = column->plan.key.ops;

		CHECK_FOR_INTERRUPTS();
		if (values.rows > 0 &&
			((wa_ops_have(ops, WA_OP_MIN) && values.min < limits.lowest) ||
			 (wa_ops_have(ops, WA_OP_MAX) && values.max > limits.highest)))
			raise_error(state, number, &values);
	}
}

void
wa_shifted_check(WaScanState *state)
{
	for (int i = 0; i < state->nresults; i++)
	{
		WaShift *shift = state->results[i].shift;

		if (shift != NULL && shift->parameter != NULL)
			take_parameter(state, shift);
	}
	for (int i = 0; i < state->ncolumns; i++)
		check_column(state, i);
}

/* Returns a sum or an average of so many rows. */
static Datum
sum_result(const WaShift *shift, WaAggregate aggregate, const Values *values,
		   bool *is_null)
{
	const WaInt128 sum =
		wa_int128_make(wa_shift_sum(shift, values->sum, values->rows));
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

Datum
wa_shifted_result(const WaScanColumn *column, const WaScanResult *result,
				  uint32 group, bool *is_null)
{
	const WaShift *shift = result->shift;
	Values values = read_values(column, group);

	if (shift->is_null)
		values.rows = 0;
	*is_null = values.rows == 0 && result->aggregate != WA_COUNT;
	if (result->aggregate == WA_COUNT || *is_null)
		return Int64GetDatum(values.rows);
	switch (wa_shift_aggregate(shift, result->aggregate))
	{
		case WA_SUM:
		case WA_AVG:
			return sum_result(shift, result->aggregate, &values, is_null);
		case WA_MIN:
			return wa_shift_datum(shift->type,
								  wa_shift_apply(shift, values.min));
		case WA_MAX:
			return wa_shift_datum(shift->type,
								  wa_shift_apply(shift, values.max));
		default:
			/* The variance is that of x. */
			return wa_aggregate_result(
				result->aggregate,
				wa_accumulator_state(column->accumulator, group), is_null);
	}
}

bool
wa_shifted_estimate(const WaScanColumn *column, const WaScanResult *result,
					uint32 group, double *value)
{
	const WaShift *shift = result->shift;
	const Values values = read_values(column, group);

	if ((result->aggregate != WA_SUM && result->aggregate != WA_AVG) ||
		shift->is_null || values.rows == 0)
		return false;
	*value = (double) wa_shift_sum(shift, values.sum, values.rows);
	if (result->aggregate == WA_AVG)
		*value /= (double) values.rows;
	return true;
}
