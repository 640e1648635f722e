/*
 * extreme.h
 *		The components of a state that are one value: MIN, MAX, and what operations over
 *		bits come to.
 *
 * Of equal values that look different that one is kept which comes first by a further
 * order, so that which rows came first is of no concern: the numeric that shows more
 * digits, 0 rather than -0, and else the one whose bytes are smaller.
 */
#ifndef WA_STATE_EXTREME_H
#define WA_STATE_EXTREME_H

#include "lib/stringinfo.h"

#include "state/state.h"

/* Such a value, as the plan's type is stored; undefined without rows. */
typedef union WaExtreme
{
	int64 i;
	uint64 u;
	double f;
	Datum datum; /* of types that no device takes, in the state's context */
} WaExtreme;

/* Bytes of the component. */
#define WA_EXTREME_BYTES sizeof(WaExtreme)

/* The operations that have one. */
#define WA_EXTREME_OPS \
	(WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX) | WA_BIT_OPS)

/* Puts a value into those of these components that the plan has. */
extern void wa_extreme_take(WaAggState *state, Datum value);

/* Puts a value into one of them that the plan has. */
extern void wa_extreme_put(WaAggState *state, WaOp op, Datum value);

/* Likewise, for types whose values are compared by PostgreSQL. */
extern void wa_extreme_offer(WaAggState *state, WaOp op, Datum value);

/* Merges a partial of other rows. */
extern void wa_extreme_absorb(WaAggState *state, const WaPartial *partial);

/* Merges a state of other rows. */
extern void wa_extreme_merge(WaAggState *into, const WaAggState *from);

/* Writes the components, and reads them into an empty state. */
extern void wa_extreme_write(const WaAggState *state, StringInfo buffer);
extern void wa_extreme_read(WaAggState *state, StringInfo buffer);

/* Returns what an operation has come to in a state with rows. */
extern Datum wa_extreme_result(const WaAggState *state, WaOp op);

#endif /* WA_STATE_EXTREME_H */
