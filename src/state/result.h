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
	WA_AGGREGATE_COUNT
} WaAggregate;

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
