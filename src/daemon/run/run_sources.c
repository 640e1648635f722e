/*
 * run_sources.c
 *		Collecting what a RUN uses; see run_sources.h.
 */
#include "daemon/run/run_sources.h"
#include "daemon/store/cover_take.h"
#include "daemon/store/store_use.h"

bool
wa_run_sources_collect(WaRunSources *sources)
{
	const WaRunMessage *message = sources->message;
	WaUse *use = &sources->use;

	use->snapshot = &message->snapshot;
	use->position = message->position;
	use->nblocks = message->nblocks;
	sources->in_use =
		wa_store_use_begin(sources->store, &message->relation, message->columns,
						   message->ncolumns, use);
	if (!sources->in_use)
		return true;
	sources->cover = wa_cover_take(sources->store, use, message->columns);
	if (sources->cover == NULL)
		return false;
	wa_store_use_columns(sources->store, use, sources->dictionaries,
						 sources->bounds);
	return true;
}

/* Takes the blocks that the runner has left out of those that are usable. */
static void
leave_blocks_out(const WaCover *cover, uint64_t (*left_out)[WA_EXTENT_WORDS],
				 uint64_t *words)
{
	for (uint64_t i = 0; i < cover->count; i++)
	{
		const uint32_t number = wa_extent_number(cover->list[i]->number);
		uint64_t *of = &words[(size_t) number * WA_EXTENT_WORDS];

		for (int j = 0; j < WA_EXTENT_WORDS; j++)
			if (left_out[i][j] != 0)
				of[j] &= ~left_out[i][j];
	}
}

void
wa_run_sources_write_blocks(const WaRunSources *sources,
							uint64_t (*left_out)[WA_EXTENT_WORDS],
							uint64_t *words)
{
	wa_cover_write_blocks(sources->cover, words);
	if (left_out != NULL)
		leave_blocks_out(sources->cover, left_out, words);
}

void
wa_run_sources_end(WaRunSources *sources)
{
	wa_cover_release(sources->cover);
	if (sources->in_use)
		wa_store_use_end(sources->store, &sources->use);
	sources->in_use = false;
	sources->cover = NULL;
}
