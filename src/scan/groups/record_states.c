/*
 * record_states.c
 *		From the records of groups to states; see record_states.h.
 */
#include "postgres.h"

#include "scan/groups/record_states.h"
#include "state/column.h"
#include "state/extreme.h"
#include "state/float.h"
#include "state/numeric.h"
#include "state/numeric_format.h"

/* Stores the smallest and the largest value, or bits, of an INT or FLOAT in a partial. */
static inline void
load_extremes(const WaRecordLayout *layout, const WaRecord *record, WaOpSet ops,
			  WaPartial *partial)
{
	if (wa_ops_have(ops, WA_OP_MIN))
		partial->min.u = record->words[layout->min];
	if (wa_ops_have(ops, WA_OP_MAX))
		partial->max.u = record->words[layout->max];
	wa_record_get_bits(*layout, ops, record, partial);
}

/* Puts the sums of an INT or DECIMAL into a state; makes *partial theirs. */
static inline void
put_sums(const WaRecordLayout *layout, const WaRecord *record,
		 WaAggState *state, WaPartial *partial)
{
	const WaOpSet ops = state->plan->key.ops;

	wa_partial_init(partial, NULL);
	if (!wa_ops_have(ops, WA_OP_SUM))
		return;
	memcpy(&partial->sum, record->words + layout->sum, sizeof(partial->sum));
	if (wa_ops_have(ops, WA_OP_SQUARES))
		memcpy(&partial->squares, record->words + layout->squares,
			   sizeof(partial->squares));
	state->plan->kind->absorb(state, partial);
}

static void
put_int(const WaRecordLayout *layout, const WaRecord *record, WaAggState *state)
{
	WaPartial partial;

	put_sums(layout, record, state, &partial);
	load_extremes(layout, record, state->plan->key.ops, &partial);
	wa_extreme_absorb(state, &partial);
}

static void
put_float_sums(const WaRecordLayout *layout, const WaRecord *record,
			   WaAggState *state)
{
	WaSmallSums sums = {0};
	WaFloatHeader header;
	WaPartial partial;

	memcpy(&header, record->words + layout->header, sizeof(header));
	memcpy(&sums.sum, record->words + layout->sum, sizeof(sums.sum));
	sums.negative_zeros = header.other == 0;
	if (header.exponent != WA_NO_EXPONENT)
		sums.exponent = header.exponent;
	if (wa_state_has(state, WA_OP_SQUARES))
	{
		memcpy(&sums.squares, record->words + layout->squares,
			   sizeof(sums.squares));
		sums.squares_exponent = header.squares_exponent;
	}
	wa_float_set_small(state, &sums);
	if (record->rest == NULL)
		return;
	wa_partial_init(&partial, NULL);
	partial.exact = unconstify(WaExactPart *, record->rest);
	state->plan->kind->absorb(state, &partial);
}

static void
put_float(const WaRecordLayout *layout, const WaRecord *record,
		  WaAggState *state)
{
	const WaOpSet ops = state->plan->key.ops;
	WaPartial partial;

	if (wa_ops_have(ops, WA_OP_SUM))
		put_float_sums(layout, record, state);
	wa_partial_init(&partial, NULL);
	load_extremes(layout, record, ops, &partial);
	wa_extreme_absorb(state, &partial);
}

/* Offers the smallest or the largest of wide values to a state. */
static void
offer_wide(WaAggState *state, WaOp op, const WaWideExtreme *extreme)
{
	if (wa_state_has(state, op))
		wa_extreme_offer(
			state, op,
			NumericGetDatum(wa_numeric_from_wide(extreme->value, extreme->scale,
												 extreme->display)));
}

/* Puts what a record has of wide rows into a state. */
static void
put_wide(const WaWideRest *rest, WaAggState *state)
{
	if (wa_state_has(state, WA_OP_SUM))
		wa_numeric_add_sum(state,
						   wa_numeric_from_words(rest->sum, lengthof(rest->sum),
												 rest->scale, rest->display));
	if (wa_state_has(state, WA_OP_SQUARES))
		wa_numeric_add_squares(
			state, wa_numeric_from_words(rest->squares, lengthof(rest->squares),
										 2 * rest->scale, 0));
	offer_wide(state, WA_OP_MIN, &rest->min);
	offer_wide(state, WA_OP_MAX, &rest->max);
}

/* Puts what a record has of rows that are not wide into an empty state. */
static void
put_narrow(const WaRecordLayout *layout, const WaRecord *record,
		   WaAggState *state)
{
	WaDecimalHeader header;
	WaPartial partial;

	memcpy(&header, record->words + layout->header, sizeof(header));
	if (wa_state_has(state, WA_OP_SUM))
		wa_numeric_set_unit(state, record->scale / WA_NUMERIC_BASE_DIGITS,
							header.display);
	put_sums(layout, record, state, &partial);
	if (wa_state_has(state, WA_OP_MIN))
		wa_extreme_offer(state, WA_OP_MIN,
						 NumericGetDatum(wa_numeric_from_decimal(
							 (int64) record->words[layout->min],
							 header.min_scale, header.min_display)));
	if (wa_state_has(state, WA_OP_MAX))
		wa_extreme_offer(state, WA_OP_MAX,
						 NumericGetDatum(wa_numeric_from_decimal(
							 (int64) record->words[layout->max],
							 header.max_scale, header.max_display)));
}

static void
put_decimal(const WaRecordLayout *layout, const WaRecord *record,
			WaAggState *state)
{
	if (wa_record_has_narrow(record))
		put_narrow(layout, record, state);
	if (record->wide == NULL)
		return;
	/* An extreme is only compared with another one if there are rows. */
	state->rows = (int64) (record->words[0] - record->wide->rows);
	put_wide(record->wide, state);
}

void
wa_record_put(WaVectorKind kind, const WaRecordLayout *layout,
			  const WaRecord *record, WaAggState *state)
{
	switch (kind)
	{
		case WA_VECTOR_INT:
			put_int(layout, record, state);
			break;
		case WA_VECTOR_FLOAT:
			put_float(layout, record, state);
			break;
		default:
			put_decimal(layout, record, state);
			break;
	}
	state->rows = (int64) record->words[0];
}
