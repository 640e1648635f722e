/*
 * tally.c
 *		What EXPLAIN ANALYZE counts of a node; see tally.h.
 */
#include "postgres.h"

#include "scan/node.h"
#include "scan/top.h"

void
wa_tally_add(WaTally *tally, const WaTally *other, bool at_once)
{
	tally->read.blocks += other->read.blocks;
	tally->read.rows += other->read.rows;
	tally->kept_rows += other->kept_rows;
	tally->rowwise_rows += other->rowwise_rows;
	tally->compared_groups += other->compared_groups;
	tally->resident_blocks += other->resident_blocks;
	tally->resident_rows += other->resident_rows;
	tally->combinations += other->combinations;
	tally->refusals += other->refusals;
	tally->resident_ms += other->resident_ms;
	tally->is_gpu |= other->is_gpu;
	tally->spilled_rows += other->spilled_rows;
	tally->batches = Max(tally->batches, other->batches);
	tally->disk_bytes = at_once ? tally->disk_bytes + other->disk_bytes
								: Max(tally->disk_bytes, other->disk_bytes);
	tally->memory_bytes = Max(tally->memory_bytes, other->memory_bytes);
	for (int phase = 0; phase < WA_PHASE_COUNT; phase++)
		tally->spent_ms[phase] += other->spent_ms[phase];
}

/* Returns what is counted anew for each scan. */
static WaTally
of_scan(const WaScanState *state)
{
	return (WaTally){.kept_rows = state->kept_rows,
					 .rowwise_rows = state->rowwise_rows,
					 .batches = state->batches,
					 .spilled_rows = state->spilled.rows,
					 .disk_bytes = state->spilled.most_disk_bytes,
					 .memory_bytes = state->spilled.memory_bytes};
}

void
wa_tally_start(WaScanState *state)
{
	const WaTally scan = of_scan(state);

	wa_tally_add(&state->past, &scan, false);
	memset(&state->spilled, 0, sizeof(state->spilled));
	state->batches = 0;
	state->kept_rows = 0;
	state->rowwise_rows = 0;
}

WaTally
wa_tally_of(const WaScanState *state)
{
	WaTally tally = of_scan(state);

	wa_tally_add(&tally, &state->past, false);
	if (state->heap != NULL)
		tally.read = wa_heap_counts(state->heap);
	tally.read.blocks += state->worker_counts.blocks;
	tally.read.rows += state->worker_counts.rows;
	if (state->top != NULL)
		tally.compared_groups = wa_top_compared(state->top);
	tally.resident_blocks = state->resident_blocks;
	tally.resident_rows = state->resident_rows;
	tally.combinations = state->combinations;
	tally.refusals = state->refusals;
	tally.resident_ms = state->resident_ms;
	tally.is_gpu = state->is_gpu;
	memcpy(tally.spent_ms, state->clock.spent_ms, sizeof(tally.spent_ms));
	return tally;
}
