/*
 * resident_rest.c
 *		Reading what the device process does not answer for; see resident_rest.h.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "scan/parallel/parallel.h"
#include "scan/resident/resident_rest.h"
#include "scan/rows/batch_loop.h"
#include "scan/spill/spill.h"

void
wa_resident_leave_out(const WaAsking *asking, const uint64_t *covered)
{
	WaScanSources *sources = asking->sources;

	sources->is_covered = true;
	for (uint32 i = 0; i < asking->run.nsources; i++)
	{
		WaScanSource *source = asking->asked[i];
		const Size bytes = wa_heap_covered_bytes(source->heap);

		if (covered == NULL)
		{
			wa_heap_leave_out_all(source->heap);
			continue;
		}
		/* Groups may be spilled while the scan goes on. */
		source->covered =
			MemoryContextAlloc(sources->estate->es_query_cxt, bytes);
		memcpy(source->covered, covered, bytes);
		wa_heap_leave_out(source->heap, source->covered);
		covered += bytes / sizeof(*covered);
	}
}

void
wa_rest_read(void *rest, uint64_t *cover, uint64 blocks)
{
	WaRest *reading = rest;
	WaScanState *state = reading->state;
	const uint64 left = wa_sources_nblocks(&state->sources) - blocks;
	MemoryContext old;

	/* Tables that only the device process has cannot be made now. */
	if (wa_parallel_wanted(state, left, true) > 0 ||
		wa_interpreter_lends(state->query.interpreter))
		return;
	ereport(DEBUG1,
			(errmsg_internal("warpagg reads the rest of \"%s\" while the "
							 "device process computes",
							 get_rel_name(state->sources.table))));
	reading->cover = cover;
	reading->kept_rows = state->now.kept_rows;
	reading->rowwise_rows = state->now.rowwise_rows;
	old = MemoryContextSwitchTo(state->sources.estate->es_query_cxt);
	wa_resident_leave_out(reading->asking, cover);
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
	state->now.kept_rows = rest->kept_rows;
	state->now.rowwise_rows = rest->rowwise_rows;
	old = MemoryContextSwitchTo(state->sources.estate->es_query_cxt);
	wa_spill_end(&state->store);
	wa_scan_begin(state);
	MemoryContextSwitchTo(old);
}
