/*
 * instrument.c
 *		What EXPLAIN ANALYZE counts of a node; see instrument.h.
 */
#include "postgres.h"

#include "scan/state/instrument.h"

void
wa_instrument_add(WaInstrument *instrument, const WaInstrument *other,
				  bool at_once)
{
	instrument->read.blocks += other->read.blocks;
	instrument->read.rows += other->read.rows;
	instrument->kept_rows += other->kept_rows;
	instrument->rowwise_rows += other->rowwise_rows;
	instrument->compared_groups += other->compared_groups;
	instrument->resident_blocks += other->resident_blocks;
	instrument->resident_rows += other->resident_rows;
	instrument->combinations += other->combinations;
	instrument->refusals += other->refusals;
	instrument->resident_ms += other->resident_ms;
	instrument->is_gpu |= other->is_gpu;
	instrument->spilled_rows += other->spilled_rows;
	instrument->batches = Max(instrument->batches, other->batches);
	instrument->disk_bytes =
		at_once ? instrument->disk_bytes + other->disk_bytes
				: Max(instrument->disk_bytes, other->disk_bytes);
	instrument->memory_bytes =
		Max(instrument->memory_bytes, other->memory_bytes);
	for (int phase = 0; phase < WA_PHASE_COUNT; phase++)
		instrument->spent_ms[phase] += other->spent_ms[phase];
}

/* Returns what is counted anew for each scan. */
static WaInstrument
of_scan(const WaScanState *state)
{
	return (WaInstrument){.kept_rows = state->kept_rows,
						  .rowwise_rows = state->rowwise_rows,
						  .batches = state->batches,
						  .spilled_rows = state->spilled.rows,
						  .disk_bytes = state->spilled.most_disk_bytes,
						  .memory_bytes = state->spilled.memory_bytes};
}

void
wa_instrument_start(WaScanState *state)
{
	const WaInstrument scan = of_scan(state);

	wa_instrument_add(&state->past, &scan, false);
	memset(&state->spilled, 0, sizeof(state->spilled));
	state->batches = 0;
	state->kept_rows = 0;
	state->rowwise_rows = 0;
}

WaInstrument
wa_instrument_of(const WaScanState *state)
{
	WaInstrument instrument = of_scan(state);

	wa_instrument_add(&instrument, &state->past, false);
	if (state->heap != NULL)
		instrument.read = wa_heap_counts(state->heap);
	instrument.read.blocks += state->worker_counts.blocks;
	instrument.read.rows += state->worker_counts.rows;
	instrument.compared_groups = state->compared_groups;
	instrument.resident_blocks = state->resident_blocks;
	instrument.resident_rows = state->resident_rows;
	instrument.combinations = state->combinations;
	instrument.refusals = state->refusals;
	instrument.resident_ms = state->resident_ms;
	instrument.is_gpu = state->is_gpu;
	memcpy(instrument.spent_ms, state->clock.spent_ms,
		   sizeof(instrument.spent_ms));
	return instrument;
}
