/*
 * result.h
 *		From a state to a result of SQL.
 */
#ifndef WA_STATE_RESULT_H
#define WA_STATE_RESULT_H

#include "state/state.h"

/* The aggregates of the family, by what they make of a state. */
typedef enum WaAggregate
{
	WA_COUNT,
	WA_SUM,
	WA_AVG,
	WA_MIN,
	WA_MAX,
	WA_VAR_POP,
	WA_VAR_SAMP,
	WA_STDDEV_POP,
	WA_STDDEV_SAMP,
	WA_BIT_AND,
	WA_BIT_OR,
	WA_BIT_XOR,

	/* Of pairs of floats (state/pairs.h), in the order of WaPairStatistic but the first */
	WA_REGR_COUNT,
	WA_CORR,
	WA_COVAR_POP,
	WA_COVAR_SAMP,
	WA_REGR_AVGX,
	WA_REGR_AVGY,
	WA_REGR_SXX,
	WA_REGR_SYY,
	WA_REGR_SXY,
	WA_REGR_SLOPE,
	WA_REGR_INTERCEPT,
	WA_REGR_R2,
	WA_AGGREGATE_COUNT
} WaAggregate;

/* Tells whether an aggregate is of pairs. */
static inline bool
wa_aggregate_is_of_pairs(WaAggregate aggregate)
{
	return aggregate >= WA_REGR_COUNT && aggregate <= WA_REGR_R2;
}

/* Returns the operation of one of those over bits. */
static inline WaOp
wa_aggregate_bits(WaAggregate aggregate)
{
	return (WaOp) (WA_OP_BIT_AND + (aggregate - WA_BIT_AND));
}

/* Returns the operations that the state of an aggregate needs. */
extern WaOpSet wa_aggregate_operations(WaAggregate aggregate);

/*
 * Returns the aggregate's result over the rows of a state, all of which are in
 * its components (wa_state_collect), or which is NULL for no rows.  Sets
 * *is_null; a count is never NULL.  What the result points to may lie in the
 * state.  Raises the built-in aggregate's errors.
 */
extern Datum wa_aggregate_result(WaAggregate aggregate, WaAggState *state,
								 bool *is_null);

#endif /* WA_STATE_RESULT_H */
