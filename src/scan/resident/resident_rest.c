/*
 * resident_rest.c
 *		Reading what the device process does not answer for; see resident_rest.h.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/bits.h"
#include "scan/base/context_arena.h"
#include "scan/parallel/parallel.h"
#include "scan/plan/resident_worth.h"
#include "scan/resident/resident_rest.h"
#include "scan/resident/stamps.h"
#include "scan/rows/batch_loop.h"
#include "scan/spill/group_message.h"
#include "scan/spill/group_store.h"
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

/* Tells whether the node reads so many blocks by itself, now. */
static bool
is_read_here(const WaScanState *state, uint64 nblocks)
{
	/* Tables that only the device process has cannot be made now. */
	return wa_parallel_wanted(state, nblocks, true) == 0 &&
		   !wa_interpreter_lends(state->query.interpreter);
}

/* Reads all but the covered blocks. */
static void
read_others(WaRest *rest, const uint64_t *cover)
{
	WaScanState *state = rest->state;
	MemoryContext old;

	rest->cover = cover;
	rest->kept_rows = state->now.kept_rows;
	rest->rowwise_rows = state->now.rowwise_rows;
	old = MemoryContextSwitchTo(state->sources.estate->es_query_cxt);
	wa_resident_leave_out(rest->asking, cover);
	wa_scan_read(state);
	MemoryContextSwitchTo(old);
}

void
wa_rest_read(void *rest, uint64_t *cover, uint64 blocks)
{
	WaRest *reading = rest;
	WaScanState *state = reading->state;

	if (!is_read_here(state, wa_sources_nblocks(&state->sources) - blocks))
		return;
	ereport(DEBUG1,
			(errmsg_internal("warpagg reads the rest of \"%s\" while the "
							 "device process computes",
							 get_rel_name(state->sources.table))));
	read_others(reading, cover);
}

/*
 * Finds the blocks of a source that are resident, and the others, in words of whole extents.
 * Returns false if the others are too many, or none, or nobody can tell.
 */
static bool
find_blocks(const WaScanSources *sources, const WaScanSource *source,
			uint64_t *resident, WaRestRows *rows)
{
	const uint32 nblocks = wa_heap_nblocks(source->heap);
	uint64 *identities =
		palloc_extended(sizeof(uint64) * (Size) nblocks + 1, MCXT_ALLOC_HUGE);

	rows->nblocks = 0;
	if (!wa_resident_blocks(source->relation, sources->estate->es_snapshot,
							nblocks, identities))
		return false;
	for (uint32 block = 0; block < nblocks; block++)
	{
		wa_bits_set(identities[block] != 0 ? resident : rows->blocks, block);
		rows->nblocks += identities[block] == 0;
	}
	pfree(identities);
	return rows->nblocks > 0 && wa_resident_brings(rows->nblocks, nblocks);
}

/* Writes the groups of a store as those that come with a query. */
static void
write_groups(WaScanStore *store, WaRestRows *rows)
{
	WaArena arena;
	WaWriter writer;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	wa_scan_write_all_groups(store, wa_scan_shape(store), &writer);
	rows->words = writer.words;
	rows->nwords = writer.nwords;
}

bool
wa_rest_bring(WaRest *rest, WaRestRows *rows)
{
	WaScanState *state = rest->state;
	const WaScanSource *source = rest->asking->asked[0];
	const Size bytes = wa_heap_covered_bytes(source->heap);
	uint64_t *resident = palloc0(bytes);

	rows->blocks = palloc0(bytes);
	if (!find_blocks(&state->sources, source, resident, rows) ||
		!is_read_here(state, rows->nblocks))
		return false;
	read_others(rest, resident);
	if (state->batch.has_left || wa_spill_has_spilled(&state->store))
		return false;
	write_groups(&state->store, rows);
	ereport(DEBUG1, (errmsg_internal(
						"warpagg has the groups of %u blocks of \"%s\" "
						"come with its query",
						rows->nblocks, get_rel_name(state->sources.table))));
	return true;
}

void
wa_rest_drop_groups(WaRest *rest)
{
	WaScanState *state = rest->state;
	MemoryContext old =
		MemoryContextSwitchTo(state->sources.estate->es_query_cxt);

	wa_scan_make_groups(&state->store);
	MemoryContextSwitchTo(old);
	rest->cover = NULL;
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
