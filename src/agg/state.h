/*
 * state.h
 *		The transition state of every aggregate of the family.
 *
 * A state buffers the column's values that are not NULL.  A full buffer, and
 * what is left at the end, is reduced into the state's partial.  Reducing
 * changes what the state is made of but never what it stands for, so final
 * functions may run any number of times and transitions go on afterwards.
 */
#ifndef WA_AGG_STATE_H
#define WA_AGG_STATE_H

#include "agg/buffer.h"
#include "core/partial.h"

/* Values that a new state holds without a buffer, and their bytes. */
#define WA_INLINE_BYTES 32

/* A full buffer; see DESIGN: PCIe is at its speed from about 1 MiB. */
#define WA_BUFFER_BYTES (1024 * 1024)

typedef struct WaAggState
{
	char *values;    /* of the type's storage, nvalues of them */
	uint32 nvalues;  /* buffered, not yet in partial */
	uint32 capacity; /* of values */
	uint8 type;      /* WaType */
	uint8 width;     /* bytes a value */
	uint8 ops;       /* WaOpSet: the components the aggregates need */
	bool many;       /* one of many groups: keep it small */
	bool may_use_device;
	MemoryContext context; /* the aggregate's; everything here lies in it */
	WaBuffer *buffer;      /* that values lie in; NULL: inline */
	WaPartial partial;     /* exact is allocated when first needed */
	char inline_values[WA_INLINE_BYTES];
} WaAggState;

/*
 * Makes the state of no rows in the context.  many tells that there may be a
 * state for each of many groups.
 */
extern WaAggState *wa_state_make(MemoryContext context, WaType type,
								 WaOpSet ops, bool many, bool may_use_device);

/*
 * Makes room for at least one more value in a state whose buffer is full, by
 * a larger buffer or by reducing what is buffered.
 */
extern void wa_state_make_room(WaAggState *state);

/*
 * Reduces what is buffered and waits for what is under way, of this state and
 * any other, so that all rows are in state->partial.
 */
extern void wa_state_flush(WaAggState *state);

/* Merges *from, whose rows came later and are all in its partial. */
extern void wa_state_merge(WaAggState *into, const WaAggState *from);

/* Sees to it that the partial has a WaExactSum if it needs one. */
extern void wa_state_complete_partial(WaAggState *state);

#endif /* WA_AGG_STATE_H */
