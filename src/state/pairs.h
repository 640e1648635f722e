/*
 * pairs.h
 *		Aggregates of pairs of floats (y, x): correlation, covariances and linear
 *		regression.
 *
 * They are made of the states of several columns of floats, whose rows are the pairs: y and
 * x, both with sums and squares, and the sums of the parts of their products (core/product.h).
 * An aggregate may do with some of them; and a part of products that no pair has needs no state.
 */
#ifndef WA_STATE_PAIRS_H
#define WA_STATE_PAIRS_H

#include "core/product.h"
#include "lib/stringinfo.h"
#include "state/result.h"

/* The columns: y, x, and the parts. */
#define WA_PAIR_Y        0
#define WA_PAIR_X        1
#define WA_PAIR_PRODUCTS 2
#define WA_PAIR_COLUMNS  (WA_PAIR_PRODUCTS + WA_PRODUCT_PARTS)

/* Returns the operations that an aggregate needs of a column; 0: none. */
extern WaOpSet wa_pair_operations(WaAggregate aggregate, int column);

/* The plans of states: of the numbers, and of the parts. */
typedef struct WaPairPlans
{
	WaAggPlan numbers;
	WaAggPlan parts;
} WaPairPlans;

typedef struct WaPairState
{
	const WaPairPlans *plans;
	WaAggState *columns[WA_PAIR_COLUMNS]; /* NULL: no rows */
} WaPairState;

/*
 * Completes plans, zeroed but for the circumstances of the first (state/plan.h), as
 * wa_plan_complete does.
 */
extern void wa_pair_plans_complete(WaPairPlans *plans, MemoryContext context);

/* Makes the state of no pairs in the context. */
extern WaPairState *wa_pair_state_make(MemoryContext context,
									   const WaPairPlans *plans);

/* Takes a pair, or takes one away again that was taken, in a moving aggregate. */
extern void wa_pair_state_take(WaPairState *state, double y, double x);
extern void wa_pair_state_drop(WaPairState *state, double y, double x);

/* As wa_state_collect, and wa_state_merge. */
extern void wa_pair_state_collect(WaPairState *state);
extern void wa_pair_state_merge(WaPairState *into, const WaPairState *from);

/*
 * Returns a state, which is collected, as bytes for another process of the same server, and
 * reads these into a new one in the current memory context.
 */
extern bytea *wa_pair_state_write(WaPairState *state);
extern WaPairState *wa_pair_state_read(StringInfo buffer,
									   const WaPairPlans *plans);

/*
 * Returns an aggregate's result over the states of the columns, collected, NULL for those that
 * have no rows.  Sets *is_null; a count is never NULL.  Raises "value out of range: overflow"
 * if it is too large.
 */
extern Datum wa_pair_result(WaAggregate aggregate, WaAggState *const *columns,
							bool *is_null);

#endif /* WA_STATE_PAIRS_H */
