/*
 * resident_rest.c
 *		Reading what the device process does not answer for; see resident_rest.h.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/rel.h"

#include "scan/parallel/parallel.h"
#include "scan/resident/resident_rest.h"
#include "scan/rows/batch_loop.h"
#include "scan/spill/spill.h"

void
wa_resident_leave_out(WaScanState *state, const uint64_t *covered)
{
	const Size bytes = wa_heap_covered_bytes(state->heap);

	state->is_covered = true;
	if (covered == NULL)
	{
		wa_heap_leave_out_all(state->heap);
		return;
	}
	/* Groups may be spilled while the scan goes on. */
	state->covered =
		MemoryContextAlloc(state->css.ss.ps.state->es_query_cxt, bytes);
	memcpy(state->covered, covered, bytes);
	wa_heap_leave_out(state->heap, state->covered);
}

void
wa_rest_read(void *rest, uint64_t *cover, uint64 blocks)
{
	WaRest *reading = rest;
	WaScanState *state = reading->state;
	const BlockNumber left =
		wa_heap_nblocks(state->heap) - (BlockNumber) blocks;
	MemoryContext old;

	if (wa_parallel_wanted(state, left, true) > 0)
		return;
	ereport(DEBUG1,
			(errmsg_internal("warpagg reads the rest of \"%s\" while the "
							 "device process computes",
							 RelationGetRelationName(state->relation))));
	reading->cover = cover;
	reading->kept_rows = state->kept_rows;
	reading->rowwise_rows = state->rowwise_rows;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	wa_resident_leave_out(state, cover);
	wa_scan_read(state);
	MemoryContextSwitchTo(old);
}

void
wa_rest_forget(WaRest *rest)
{
	WaScanState *state = rest->state;
	MemoryContext old;

	if (rest->cover == NULL)
		return;
	rest->cover = NULL;
	state->kept_rows = rest->kept_rows;
	state->rowwise_rows = rest->rowwise_rows;
	old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	wa_spill_end(state);
	wa_scan_begin(state);
	MemoryContextSwitchTo(old);
}
