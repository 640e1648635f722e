/*
 * state.c
 *		The transition state: how its buffer grows and is reduced.
 *
 * A buffer that is folded here should be small, so that it stays in the
 * processor's cache; one that goes to a device should be large.  So a buffer
 * grows beyond SMALL_BYTES only while a device would take a full one.
 *
 * Where there may be a million groups, it grows only to a share of the rows
 * that its group has already seen: a small group then costs no more than the
 * state itself, and all buffers together take a fraction of what the values
 * would.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "agg/state.h"
#include "exec/reduce.h"
#include "settings.h"

/* A buffer of this size and its fold's work fit the first-level cache. */
#define SMALL_BYTES 16384

/* The buffer of one of many groups grows by this factor. */
#define GROWTH 4

/* Rows that one of many groups has seen for each value of its buffer. */
#define ROWS_PER_VALUE 16

/* Values to hold before a WaExactSum (600 bytes) is worth its memory. */
#define ROWS_BEFORE_EXACT 64

WaAggState *
wa_state_make(MemoryContext context, WaType type, WaOpSet ops, bool many,
			  bool may_use_device)
{
	WaAggState *state = MemoryContextAlloc(context, sizeof(WaAggState));

	state->values = state->inline_values;
	state->nvalues = 0;
	state->type = (uint8) type;
	state->width = (uint8) wa_type_width(type);
	state->capacity = WA_INLINE_BYTES / state->width;
	state->ops = (uint8) ops;
	state->many = many;
	state->may_use_device = may_use_device;
	state->context = context;
	state->buffer = NULL;
	wa_partial_init(&state->partial, NULL);
	return state;
}

/* Tells whether the state's buffer should grow rather than be reduced. */
static bool
should_grow(const WaAggState *state)
{
	Size bytes = (Size) state->capacity * state->width;
	int64 rows = state->partial.rows + state->nvalues;

	if (bytes >= WA_BUFFER_BYTES)
		return false;
	if (bytes >= SMALL_BYTES &&
		!(state->may_use_device &&
		  wa_exec_wants(WA_BUFFER_BYTES / state->width)))
		return false;
	if (!state->many || (state->may_use_device && wa_min_device_rows == 0))
		return true;
	if (wa_partial_needs_exact((WaType) state->type, state->ops) &&
		state->capacity < ROWS_BEFORE_EXACT)
		return true;
	return rows >= (int64) state->capacity * ROWS_PER_VALUE;
}

/* Returns the bytes that the state's buffer should have next. */
static Size
next_size(const WaAggState *state)
{
	Size bytes = (Size) state->capacity * state->width;

	if (state->many)
		return Min(bytes * GROWTH, WA_BUFFER_BYTES);
	return bytes < SMALL_BYTES ? SMALL_BYTES : WA_BUFFER_BYTES;
}

/* Gives the state a buffer of so many bytes; false if there is none. */
static bool
grow_to(WaAggState *state, Size bytes)
{
	if (state->buffer != NULL)
	{
		if (!wa_buffer_grow(state->buffer, bytes))
			return false;
	}
	else
	{
		state->buffer =
			wa_buffer_borrow(state->context, bytes, &state->partial);
		if (state->buffer == NULL)
			return false;
		memcpy(wa_buffer_memory(state->buffer), state->inline_values,
			   (Size) state->nvalues * state->width);
	}
	state->values = wa_buffer_memory(state->buffer);
	state->capacity = (uint32) (bytes / state->width);
	return true;
}

void
wa_state_complete_partial(WaAggState *state)
{
	if (state->partial.exact == NULL &&
		wa_partial_needs_exact((WaType) state->type, state->ops))
	{
		state->partial.exact =
			MemoryContextAlloc(state->context, sizeof(WaExactSum));
		wa_exact_init(state->partial.exact);
	}
}

/* Returns what is buffered as a batch, and sees to it that it can be taken. */
static WaBatch
prepare_batch(WaAggState *state)
{
	wa_state_complete_partial(state);
	return (WaBatch){.type = (WaType) state->type,
					 .values = state->values,
					 .validity = NULL,
					 .nrows = state->nvalues};
}

/*
 * While a device reduces the batch the buffer fills again.  That takes a
 * borrowed buffer, which tells when the state goes away.
 */
void
wa_state_make_room(WaAggState *state)
{
	WaBatch batch;

	if (should_grow(state) && grow_to(state, next_size(state)))
		return;
	batch = prepare_batch(state);
	if (state->buffer != NULL && state->may_use_device)
		wa_exec_submit(&state->partial, state->ops, &batch);
	else
		wa_exec_reduce(&state->partial, state->ops, &batch,
					   state->may_use_device);
	state->nvalues = 0;
}

void
wa_state_flush(WaAggState *state)
{
	if (state->nvalues > 0)
	{
		WaBatch batch = prepare_batch(state);

		wa_exec_reduce(&state->partial, state->ops, &batch,
					   state->may_use_device);
		state->nvalues = 0;
	}
	wa_exec_finish();
}

void
wa_state_merge(WaAggState *into, const WaAggState *from)
{
	wa_state_flush(into);
	wa_state_complete_partial(into);
	wa_partial_merge(&into->partial, &from->partial, (WaType) into->type,
					 into->ops);
}
