/*
 * extreme.h
 *		The components MIN and MAX of a state.
 *
 * Of equal values that look different the one that came last is kept, or
 * whichever the built-in keeps for the type (for character(n), the first).  A state
 * that watches notes of each extreme whether there were some, among which the order of
 * rows decides: it is tied.
 */
#ifndef WA_STATE_EXTREME_H
#define WA_STATE_EXTREME_H

#include "lib/stringinfo.h"

#include "state/state.h"

/* An extreme value, as the plan's type is stored; undefined without rows. */
typedef union WaExtreme
{
	int64 i;
	uint64 u;
	double f;
	Datum datum; /* of types that no device takes, in the state's context */
} WaExtreme;

/* Bytes of the component. */
#define WA_EXTREME_BYTES sizeof(WaExtreme)

/* Puts a value into the components MIN and MAX that the plan has. */
extern void wa_extreme_take(WaAggState *state, Datum value);

/*
 * Puts a value into one of them that the plan has, for types whose values are
 * compared by PostgreSQL.  Nobody watches.
 */
extern void wa_extreme_offer(WaAggState *state, WaOp op, Datum value);

/* Merges a partial of later rows, which nobody watches. */
extern void wa_extreme_absorb(WaAggState *state, const WaPartial *partial);

/* Merges a state of later rows. */
extern void wa_extreme_merge(WaAggState *into, const WaAggState *from);

/* Writes the components, and reads them into an empty state. */
extern void wa_extreme_write(const WaAggState *state, StringInfo buffer);
extern void wa_extreme_read(WaAggState *state, StringInfo buffer);

/* Returns MIN or MAX of a state with rows. */
extern Datum wa_extreme_result(const WaAggState *state, WaOp op);

#endif /* WA_STATE_EXTREME_H */
