/*
 * join_rest.c
 *		Rows of a joined relation that the device process lacks; see join_rest.h.
 *
 * Writers change some blocks all the time, and those are few: they are read here, like those
 * of the node's own table.
 */
#include "postgres.h"

#include "utils/rel.h"

#include "core/bits.h"
#include "scan/base/context_arena.h"
#include "scan/node/join_rest.h"
#include "scan/plan/resident_worth.h"
#include "scan/resident/stamps.h"
#include "scan/rows/batch_loop.h"
#include "scan/spill/group_message.h"

/*
 * Finds the blocks that are not resident, and those that are, in words of whole extents.
 * Returns false if the former are too many, or nobody can tell.
 */
static bool
find_blocks(const WaScanSources *sources, WaRestRows *rest, uint64_t *resident)
{
	const WaScanSource *source = sources->list[0];
	const uint32 nblocks = wa_heap_nblocks(source->heap);
	uint64 *identities =
		palloc_extended(sizeof(uint64) * (Size) nblocks + 1, MCXT_ALLOC_HUGE);

	if (!wa_resident_blocks(source->relation, sources->estate->es_snapshot,
							nblocks, identities))
		return false;
	for (uint32 block = 0; block < nblocks; block++)
	{
		wa_bits_set(identities[block] != 0 ? resident : rest->blocks, block);
		rest->nblocks += identities[block] == 0;
	}
	pfree(identities);
	return rest->nblocks <= nblocks / WA_RESIDENT_REST_SHARE;
}

/* Brings the rows of all blocks but the resident ones into groups; false: it cannot. */
static bool
read_rows(WaScanState *state, const uint64_t *resident)
{
	const WaJoinTables *joined = state->query.interpreter->joined;

	if (joined != NULL && !wa_join_tables_have(joined))
		return false;
	wa_heap_leave_out(state->sources.list[0]->heap, resident);
	/* There is no description of rows that would be spilled. */
	state->store.never_spills = true;
	while (!state->batch.has_left && !state->store.has_outgrown &&
		   wa_scan_take_batch(state))
		;
	return !state->batch.has_left && !state->store.has_outgrown;
}

/* Writes the groups, each of which is a row. */
static void
write_rows(WaScanStore *store, WaRestRows *rest)
{
	WaArena arena;
	WaWriter writer;

	wa_context_arena_init(&arena, CurrentMemoryContext);
	wa_writer_init(&writer, &arena);
	wa_scan_write_all_groups(store, wa_scan_shape(store), &writer);
	rest->words = writer.words;
	rest->nwords = writer.nwords;
}

bool
wa_join_rest_read(WaScanState *state, WaRestRows *rest)
{
	uint64_t *resident;
	bool is_read;
	Size bytes;

	/* From now on it is fixed how many blocks there are. */
	wa_scan_begin(state);
	bytes = wa_heap_covered_bytes(state->sources.list[0]->heap);
	resident = palloc0(bytes);
	*rest = (WaRestRows){.blocks = palloc0(bytes)};
	is_read = find_blocks(&state->sources, rest, resident) &&
			  read_rows(state, resident);
	if (is_read)
		write_rows(&state->store, rest);
	/* The scan, which has ended, reads no more of it. */
	pfree(resident);
	return is_read;
}

void
wa_join_rest_free(WaRestRows *rest)
{
	if (rest->words != NULL)
		pfree(rest->words);
	if (rest->blocks != NULL)
		pfree(rest->blocks);
	*rest = (WaRestRows){0};
}
