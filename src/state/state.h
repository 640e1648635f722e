/*
 * state.h
 *		The transition state of every aggregate of the family.
 *
 * A state begins small: a header and the components that its aggregates need,
 * each value put into them as it comes.  A state with many rows gets a bulk: a
 * buffer of values that are reduced together, here or by a device, into a
 * partial of its own, which is merged into the components when they are asked
 * for.  Where a row lies changes what the state is made of but never what it
 * stands for, so final functions may run any number of times and transitions go
 * on afterwards.
 */
#ifndef WA_STATE_STATE_H
#define WA_STATE_STATE_H

#include "utils/memutils.h"

#include "core/partial.h"
#include "state/buffer.h"
#include "state/plan.h"

/* A full buffer; see DESIGN: PCIe is at its speed from about 1 MiB. */
#define WA_BUFFER_BYTES (1024 * 1024)

/* What a state with many rows has beside its components. */
typedef struct WaBulk
{
	WaBuffer *buffer;
	WaPartial partial; /* of rows that are not in the components */
	WaType type;       /* of what is in the buffer */

	/* Of kinds whose values do not go into the buffer as they are */
	uint32 nvalues;
	uint32 capacity;
	uint16 display_scale; /* numeric: of all values in it */
	uint32 changes;       /* of type and scale so far */
} WaBulk;

typedef struct WaAggState
{
	const WaAggPlan *plan;
	int64 rows;      /* that are not NULL, in the components */
	WaBulk *bulk;    /* NULL: there is none */
	char *values;    /* the bulk's buffer, of values put into it as they are */
	uint32 nvalues;  /* in the buffer, not yet in the bulk's partial */
	uint32 capacity; /* of the buffer; 0: take values with care */
	uint8 width;     /* bytes a value */
	bool wide;       /* FLOAT: the components are pointers to wide sums */
	bool negative_zeros; /* FLOAT, not wide: all rows so far are -0 */
	bool stay_small : 1; /* never get a bulk again */
	int16 exponent;      /* FLOAT, NUMERIC: unit of the sum */
	union
	{
		int16 squares_exponent; /* FLOAT: unit of the squares */
		uint16 display_scale;   /* NUMERIC: largest so far */
	};
} WaAggState;

/* Returns the component of an operation of the plan. */
static inline void *
wa_state_component(const WaAggState *state, WaOp op)
{
	return (char *) state + state->plan->offsets[op];
}

/* Tells whether the state has the component. */
static inline bool
wa_state_has(const WaAggState *state, WaOp op)
{
	return (state->plan->key.ops & WA_OP_BIT(op)) != 0;
}

/* Returns the memory context that the state and all it points to lie in. */
static inline MemoryContext
wa_state_context(const WaAggState *state)
{
	return GetMemoryChunkContext(unconstify(WaAggState *, state));
}

/* Puts a value at the end of the buffer, which has room for it. */
static inline void
wa_state_put(WaAggState *state, Datum value)
{
	switch (state->width)
	{
		case sizeof(int64):
			((int64 *) state->values)[state->nvalues++] = DatumGetInt64(value);
			break;
		case sizeof(int32):
			((int32 *) state->values)[state->nvalues++] = DatumGetInt32(value);
			break;
		default:
			((int16 *) state->values)[state->nvalues++] = DatumGetInt16(value);
			break;
	}
}

/* Makes the state of no rows in the context. */
extern WaAggState *wa_state_make(MemoryContext context, const WaAggPlan *plan);

/* Takes a value that is not NULL, wherever it has to go. */
extern void wa_state_take(WaAggState *state, Datum value);

/* Takes a value away again that was taken, in a moving aggregate. */
extern void wa_state_drop(WaAggState *state, Datum value);

/*
 * Brings all rows into the components, and waits for what is under way, of
 * this state and any other.
 */
extern void wa_state_collect(WaAggState *state);

/* Merges *from, whose rows are all in its components. */
extern void wa_state_merge(WaAggState *into, const WaAggState *from);

#endif /* WA_STATE_STATE_H */
