/*
 * pairs.c
 *		States of aggregates of pairs of floats; see pairs.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "utils/float.h"

#include "core/exact_pairs.h"
#include "state/float.h"
#include "state/pairs.h"
#include "state/wire.h"

#define SUM     WA_OP_BIT(WA_OP_SUM)
#define SQUARES WA_OP_BIT(WA_OP_SQUARES)

/* What an aggregate needs of y, of x and of each part of the products. */
static const struct
{
	WaOpSet y;
	WaOpSet x;
	WaOpSet products;
} operations[] = {
	[WA_REGR_COUNT - WA_REGR_COUNT] = {0, SUM, 0},
	[WA_CORR - WA_REGR_COUNT] = {SUM | SQUARES, SUM | SQUARES, SUM},
	[WA_COVAR_POP - WA_REGR_COUNT] = {SUM, SUM, SUM},
	[WA_COVAR_SAMP - WA_REGR_COUNT] = {SUM, SUM, SUM},
	[WA_REGR_AVGX - WA_REGR_COUNT] = {0, SUM, 0},
	[WA_REGR_AVGY - WA_REGR_COUNT] = {SUM, 0, 0},
	[WA_REGR_SXX - WA_REGR_COUNT] = {0, SUM | SQUARES, 0},
	[WA_REGR_SYY - WA_REGR_COUNT] = {SUM | SQUARES, 0, 0},
	[WA_REGR_SXY - WA_REGR_COUNT] = {SUM, SUM, SUM},
	[WA_REGR_SLOPE - WA_REGR_COUNT] = {SUM, SUM | SQUARES, SUM},
	[WA_REGR_INTERCEPT - WA_REGR_COUNT] = {SUM, SUM | SQUARES, SUM},
	[WA_REGR_R2 - WA_REGR_COUNT] = {SUM | SQUARES, SUM | SQUARES, SUM},
};

WaOpSet
wa_pair_operations(WaAggregate aggregate, int column)
{
	Assert(wa_aggregate_is_of_pairs(aggregate));
	switch (column)
	{
		case WA_PAIR_Y:
			return operations[aggregate - WA_REGR_COUNT].y;
		case WA_PAIR_X:
			return operations[aggregate - WA_REGR_COUNT].x;
		default:
			return operations[aggregate - WA_REGR_COUNT].products;
	}
}

/* Returns the plan of a column's states. */
static const WaAggPlan *
plan_of(const WaPairPlans *plans, int column)
{
	return column < WA_PAIR_PRODUCTS ? &plans->numbers : &plans->parts;
}

void
wa_pair_plans_complete(WaPairPlans *plans, MemoryContext context)
{
	plans->numbers.key.argument_type = FLOAT8OID;
	plans->parts = plans->numbers;
	plans->numbers.key.ops = SUM | SQUARES;
	plans->parts.key.ops = SUM;
	wa_plan_complete(&plans->numbers, context);
	wa_plan_complete(&plans->parts, context);
}

WaPairState *
wa_pair_state_make(MemoryContext context, const WaPairPlans *plans)
{
	WaPairState *state = MemoryContextAllocZero(context, sizeof(WaPairState));

	state->plans = plans;
	return state;
}

/* Returns the state of a column, which is made if there is none. */
static WaAggState *
column_of(WaPairState *state, int column)
{
	if (state->columns[column] == NULL)
		state->columns[column] = wa_state_make(GetMemoryChunkContext(state),
											   plan_of(state->plans, column));
	return state->columns[column];
}

/* Has each column that has something of a pair take it, or take it away. */
static void
change(WaPairState *state, double y, double x,
	   void (*take_value)(WaAggState *column, Datum value))
{
	take_value(column_of(state, WA_PAIR_Y), Float8GetDatum(y));
	take_value(column_of(state, WA_PAIR_X), Float8GetDatum(x));
	for (WaProductPart part = 0; part < WA_PRODUCT_PARTS; part++)
	{
		double value;

		if (wa_product_part(y, x, part, &value))
			take_value(column_of(state, WA_PAIR_PRODUCTS + part),
					   Float8GetDatum(value));
	}
}

void
wa_pair_state_take(WaPairState *state, double y, double x)
{
	change(state, y, x, wa_state_take);
}

void
wa_pair_state_drop(WaPairState *state, double y, double x)
{
	change(state, y, x, wa_state_drop);
}

void
wa_pair_state_collect(WaPairState *state)
{
	for (int i = 0; i < WA_PAIR_COLUMNS; i++)
		if (state->columns[i] != NULL)
			wa_state_collect(state->columns[i]);
}

void
wa_pair_state_merge(WaPairState *into, const WaPairState *from)
{
	for (int i = 0; i < WA_PAIR_COLUMNS; i++)
		if (from->columns[i] != NULL)
			wa_state_merge(column_of(into, i), from->columns[i]);
}

bytea *
wa_pair_state_write(WaPairState *state)
{
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	for (int i = 0; i < WA_PAIR_COLUMNS; i++)
	{
		pq_sendbyte(&buffer, state->columns[i] != NULL);
		if (state->columns[i] != NULL)
			wa_wire_put_state(&buffer, state->columns[i]);
	}
	return pq_endtypsend(&buffer);
}

WaPairState *
wa_pair_state_read(StringInfo buffer, const WaPairPlans *plans)
{
	WaPairState *state = wa_pair_state_make(CurrentMemoryContext, plans);

	for (int i = 0; i < WA_PAIR_COLUMNS; i++)
		if (pq_getmsgbyte(buffer) != 0)
			state->columns[i] = wa_wire_get_state(buffer, plan_of(plans, i));
	return state;
}

/* Stores the sums of a column; squares that it has not are 0. */
static void
take_column(const WaAggState *state, WaExactPart *part)
{
	wa_exact_init(&part->sum);
	wa_squares_init(&part->squares);
	if (state == NULL)
		return;
	wa_float_copy_exact(state, part);
	/* The built-in averages add them to 0. */
	part->sum.negative_zeros = 0;
}

/* Gathers the sums of the columns, of so many pairs. */
static void
take_sums(WaAggState *const *columns, int64 rows, WaExactPairs *pairs)
{
	pairs->rows = rows;
	take_column(columns[WA_PAIR_Y], &pairs->y);
	take_column(columns[WA_PAIR_X], &pairs->x);
	wa_products_init(&pairs->products);
	for (WaProductPart part = 0; part < WA_PRODUCT_PARTS; part++)
	{
		const WaAggState *state = columns[WA_PAIR_PRODUCTS + part];
		WaExactPart sums;

		if (state == NULL || state->rows == 0)
			continue;
		take_column(state, &sums);
		wa_products_merge(&pairs->products, part, &sums.sum);
	}
}

/* Returns the number of pairs. */
static int64
count_pairs(WaAggState *const *columns)
{
	const WaAggState *state =
		columns[columns[WA_PAIR_X] != NULL ? WA_PAIR_X : WA_PAIR_Y];

	return state == NULL ? 0 : state->rows;
}

Datum
wa_pair_result(WaAggregate aggregate, WaAggState *const *columns, bool *is_null)
{
	const int64 rows = count_pairs(columns);
	bool overflow = false;
	WaExactPairs pairs;
	double result;

	StaticAssertStmt(WA_REGR_R2 - WA_CORR == (int) WA_PAIR_R2,
					 "the statistics are in the order of the aggregates");
	*is_null = false;
	if (aggregate == WA_REGR_COUNT)
		return Int64GetDatum(rows);
	*is_null = rows == 0;
	if (*is_null)
		return (Datum) 0;
	take_sums(columns, rows, &pairs);
	*is_null = !wa_exact_pair_statistic(
		&pairs, (WaPairStatistic) (aggregate - WA_CORR), &result, &overflow);
	if (*is_null)
		return (Datum) 0;
	if (overflow)
		float_overflow_error();
	return Float8GetDatum(result);
}
