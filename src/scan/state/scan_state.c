/*
 * scan_state.c
 *		The state of a node: its source, and what its parts have counted; see
 *		scan_state.h.
 */
#include "postgres.h"

#include "scan/state/scan_state.h"

void
wa_scan_set_source(WaScanState *state, Relation relation)
{
	WaScanSource **known = palloc(sizeof(WaScanSource *));

	state->table.relation = relation;
	known[0] = &state->table;
	wa_sources_set(&state->sources, known, 1);
}

/*
 * Returns what the present scan has counted, with its workers, but for what others keep
 * until the end.
 */
static WaInstrument
of_scan(const WaScanState *state)
{
	WaInstrument scan = state->now;

	scan.batches = state->batches;
	scan.spilled_rows += state->store.spilled.rows;
	/* The files of workers are among these. */
	scan.disk_bytes = state->store.spilled.most_disk_bytes;
	scan.memory_bytes =
		Max(scan.memory_bytes, state->store.spilled.memory_bytes);
	return scan;
}

void
wa_instrument_start(WaScanState *state)
{
	const WaInstrument scan = of_scan(state);

	wa_instrument_add(&state->past, &scan, false);
	memset(&state->now, 0, sizeof(state->now));
	memset(&state->store.spilled, 0, sizeof(state->store.spilled));
	state->batches = 0;
}

WaInstrument
wa_instrument_of(const WaScanState *state)
{
	WaInstrument instrument = of_scan(state);

	wa_instrument_add(&instrument, &state->past, false);
	for (int i = 0; i < state->sources.nknown; i++)
	{
		const WaHeapScan *heap = state->sources.known[i]->heap;

		if (heap == NULL)
			continue;
		instrument.read.blocks += heap->counts.blocks;
		instrument.read.rows += heap->counts.rows;
	}
	for (int phase = 0; phase < WA_PHASE_COUNT; phase++)
		instrument.spent_ms[phase] += state->clock.spent_ms[phase];
	return instrument;
}
