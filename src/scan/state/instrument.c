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
	instrument->distinct_inputs += other->distinct_inputs;
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
