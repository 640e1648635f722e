/*
 * state.c
 *		The transition state: where its rows lie; see state.h.
 *
 * A buffer that is folded here should be small, so that it stays in the
 * processor's cache; one that goes to a device should be large.  So a buffer
 * grows beyond SMALL_BYTES only while a device would take a full one.
 *
 * Where there may be a million groups, a state gets a bulk only after
 * thousands of rows, and a buffer for a share of the rows that its group has
 * already seen: all buffers together take a fraction of what the values would.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "client/client.h"
#include "settings.h"
#include "state/column.h"
#include "state/extreme.h"

/* A buffer of this size and its fold's work fit the first-level cache. */
#define SMALL_BYTES 16384

/* The first buffer of one of many groups. */
#define FIRST_BYTES 1024

/* The buffer of one of many groups grows by this factor. */
#define GROWTH 4

/* Rows that one of many groups has seen for each value of its buffer. */
#define ROWS_PER_VALUE 16

/* No sum of so many rows of WIDE_NUMERIC overflows 128 bits. */
#define MAX_BULK_ROWS ((int64) 1 << 30)

WaAggState *
wa_state_make(MemoryContext context, const WaAggPlan *plan)
{
	WaAggState *state = MemoryContextAllocZero(context, plan->state_bytes);

	state->plan = plan;
	state->width = plan->width;
	state->negative_zeros = true;
	return state;
}

/* Returns the bytes a value takes in the buffer of the bulk. */
static Size
bulk_width(const WaAggState *state)
{
	return wa_type_width(state->bulk->type);
}

/* Returns the bytes of the bulk's buffer. */
static Size
buffer_bytes(const WaAggState *state)
{
	return (Size) (state->capacity + state->bulk->capacity) * bulk_width(state);
}

/* Notes the buffer's size, where the transition function looks for it. */
static void
note_buffer(WaAggState *state, Size bytes)
{
	WaBulk *bulk = state->bulk;
	uint32 capacity = (uint32) (bytes / bulk_width(state));

	if (state->width == 0)
		bulk->capacity = capacity;
	else
	{
		state->values = bulk->buffer->memory;
		state->capacity = capacity;
	}
}

/* Tells whether the bulk's buffer should grow rather than be reduced. */
static bool
should_grow(const WaAggState *state)
{
	Size bytes = buffer_bytes(state);
	int64 rows = state->rows + state->bulk->partial.rows + state->nvalues +
				 state->bulk->nvalues;

	if (bytes >= WA_BUFFER_BYTES ||
		(bytes >= SMALL_BYTES &&
		 !wa_client_wants(WA_BUFFER_BYTES / bulk_width(state))))
		return false;
	return !state->plan->many || wa_min_device_rows == 0 ||
		   rows >=
			   (int64) (bytes / bulk_width(state)) * GROWTH * ROWS_PER_VALUE;
}

/* Returns the bytes that the bulk's buffer should have next. */
static Size
next_size(const WaAggState *state)
{
	Size bytes = buffer_bytes(state);

	if (state->plan->many)
		return Min(bytes * GROWTH, WA_BUFFER_BYTES);
	return bytes < SMALL_BYTES ? SMALL_BYTES : WA_BUFFER_BYTES;
}

/* Lets the bulk's buffer grow if it should; false if it did not. */
static bool
grow(WaAggState *state)
{
	Size bytes;

	if (!should_grow(state))
		return false;
	bytes = next_size(state);
	if (!wa_buffer_grow(state->bulk->buffer, bytes))
		return false;
	note_buffer(state, bytes);
	return true;
}

/* Gives the state a bulk, unless the budget of buffers is spent. */
static void
start_bulk(WaAggState *state)
{
	const WaAggPlan *plan = state->plan;
	MemoryContext context = wa_state_context(state);
	Size bytes = plan->many ? FIRST_BYTES : SMALL_BYTES;
	WaBulk *bulk = MemoryContextAllocZero(context, sizeof(WaBulk));
	WaExactPart *exact = NULL;

	bulk->buffer = wa_buffer_borrow(context, bytes, &bulk->partial);
	if (bulk->buffer == NULL)
	{
		pfree(bulk);
		state->stay_small = true;
		return;
	}
	if (wa_partial_needs_exact(plan->type, plan->key.ops))
		exact = MemoryContextAlloc(context, sizeof(WaExactPart));
	wa_partial_init(&bulk->partial, exact);
	bulk->type = plan->type;
	state->bulk = bulk;
	note_buffer(state, bytes);
}

/* Takes what the buffer holds as a batch. */
static WaBatch
buffer_batch(WaAggState *state)
{
	WaBulk *bulk = state->bulk;
	WaBatch batch = {.type = bulk->type,
					 .values = bulk->buffer->memory,
					 .validity = NULL,
					 .nrows = state->nvalues + bulk->nvalues};

	state->nvalues = 0;
	bulk->nvalues = 0;
	return batch;
}

/* Merges the bulk's partial, which is complete, into the components. */
static void
absorb(WaAggState *state)
{
	WaPartial *partial = &state->bulk->partial;

	if (partial->rows == 0)
		return;
	if (wa_state_has(state, WA_OP_SUM))
		state->plan->kind->absorb(state, partial);
	wa_extreme_absorb(state, partial);
	state->rows += partial->rows;
	wa_partial_init(partial, partial->exact);
}

/*
 * Reduces what the buffer of the bulk holds.  While a device does so the buffer
 * fills again.
 */
static void
reduce(WaAggState *state)
{
	WaBatch batch = buffer_batch(state);

	if (batch.nrows == 0)
		return;
	if (state->bulk->partial.rows >= MAX_BULK_ROWS)
	{
		wa_client_finish();
		absorb(state);
	}
	wa_client_reduce(&state->bulk->partial, state->plan->key.ops, &batch);
}

/* Takes a value into a state that has a bulk. */
static void
take_into_bulk(WaAggState *state, Datum value)
{
	WaBulk *bulk = state->bulk;

	if (state->nvalues + bulk->nvalues == state->capacity + bulk->capacity &&
		!grow(state))
		reduce(state);
	if (state->width != 0)
		wa_state_put(state, value);
	else
		state->plan->kind->take_bulk(state, value);
}

void
wa_state_take(WaAggState *state, Datum value)
{
	const WaAggPlan *plan = state->plan;

	if (state->bulk != NULL && !state->stay_small)
	{
		take_into_bulk(state, value);
		return;
	}
	if (wa_state_has(state, WA_OP_SUM))
		plan->kind->add(state, value, 1);
	if ((plan->key.ops & WA_EXTREME_OPS) != 0)
		wa_extreme_take(state, value);
	state->rows++;
	if (unlikely(state->rows >= plan->bulk_rows) && !state->stay_small)
		start_bulk(state);
}

void
wa_state_drop(WaAggState *state, Datum value)
{
	Assert(state->plan->moving && state->rows > 0);
	if (wa_state_has(state, WA_OP_SUM))
		state->plan->kind->add(state, value, -1);
	state->rows--;
}

void
wa_state_collect(WaAggState *state)
{
	if (state->bulk != NULL)
		reduce(state);
	wa_client_finish();
	if (state->bulk != NULL)
		absorb(state);
}

void
wa_state_merge(WaAggState *into, const WaAggState *from)
{
	wa_state_collect(into);
	if (from->rows == 0)
		return;
	if (wa_state_has(into, WA_OP_SUM))
		into->plan->kind->merge(into, from);
	wa_extreme_merge(into, from);
	into->rows += from->rows;
}
