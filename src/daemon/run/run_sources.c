/*
 * run_sources.c
 *		Collecting what a RUN uses; see run_sources.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "daemon/run/named_sources.h"
#include "daemon/run/run_sources.h"
#include "daemon/store/cover_take.h"
#include "daemon/store/store_use.h"

uint64_t
wa_run_sources_room(uint32_t nsources)
{
	return nsources == 1 ? 0
						 : nsources * (sizeof(WaSourceUse) + sizeof(WaCover *));
}

WaStatus
wa_run_sources_check(WaRunSources *sources, const WaParcel *parcel)
{
	const WaRunMessage *message = sources->message;
	const WaNamedSources *named = &sources->named;

	sources->nblocks = wa_run_blocks(named->sources, named->nsources);
	sources->words_bytes = wa_run_words_bytes(named->sources, named->nsources);
	if (!wa_parcel_holds(parcel, message->used, sources->words_bytes) ||
		!wa_parcel_holds(parcel, message->cover, sources->words_bytes))
		return WA_BAD_REQUEST;
	return wa_named_sources_check(named);
}

/* Makes room for the use of each source; false if there is no memory. */
static bool
make_uses(WaRunSources *sources)
{
	const uint32_t nsources = sources->message->nsources;

	if (nsources == 1)
	{
		sources->uses = &sources->one;
		sources->covers = &sources->one_cover;
		return true;
	}
	sources->uses = calloc(nsources, sizeof(*sources->uses));
	sources->covers = calloc(nsources, sizeof(*sources->covers));
	return sources->uses != NULL && sources->covers != NULL;
}

/* Begins the use of a source, and takes its cover; false if there is no memory. */
static bool
take_cover(WaRunSources *sources, uint32_t number)
{
	const WaRunMessage *message = sources->message;
	const WaRunSource *source = &sources->named.sources[number];
	WaSourceUse *of = &sources->uses[number];
	WaColumnName names[WA_MAX_QUERY_COLUMNS];

	wa_named_columns(&sources->named, number, names);
	of->use.snapshot = &message->snapshot;
	of->use.position = message->position;
	of->use.nblocks = source->nblocks;
	of->in_use = wa_store_use_begin(sources->store, &source->relation, names,
									message->ncolumns, &of->use);
	if (!of->in_use)
		return true;
	sources->covers[number] = wa_cover_take(sources->store, &of->use, names);
	return sources->covers[number] != NULL;
}

/* Tells whether something of a source is used. */
static bool
is_used(const WaRunSources *sources, uint32_t number)
{
	return sources->covers[number] != NULL &&
		   sources->covers[number]->count > 0;
}

/* Leaves a source out. */
static void
leave_source_out(WaRunSources *sources, uint32_t number)
{
	wa_cover_release(sources->covers[number]);
	sources->covers[number] = NULL;
	sources->uses[number].use.blocks = 0;
}

/* Returns the source of which most blocks can be used, or -1. */
static int64_t
find_largest(const WaRunSources *sources)
{
	int64_t largest = -1;

	for (uint32_t i = 0; i < sources->message->nsources; i++)
		if (is_used(sources, i) &&
			(largest < 0 ||
			 sources->covers[i]->blocks > sources->covers[largest]->blocks))
			largest = i;
	return largest;
}

/* Tells whether a source that has some dictionaries may be used with the largest one. */
static bool
may_share(const WaRunSources *sources, const WaDictionary *const *dictionaries)
{
	return memcmp(sources->dictionaries, dictionaries,
				  sources->message->ncolumns * sizeof(*dictionaries)) == 0;
}

/* Adds a source to what is known of the columns in all of them, or leaves it out. */
static void
add_columns(WaRunSources *sources, uint32_t number)
{
	const WaDictionary *dictionaries[WA_MAX_QUERY_COLUMNS];
	WaRunBounds bounds[WA_MAX_QUERY_COLUMNS];

	wa_store_use_columns(sources->store, &sources->uses[number].use,
						 dictionaries, bounds);
	if (!may_share(sources, dictionaries))
	{
		leave_source_out(sources, number);
		return;
	}
	for (uint32_t i = 0; i < sources->message->ncolumns; i++)
	{
		WaRunBounds *all = &sources->bounds[i];

		if (bounds[i].smallest < all->smallest)
			all->smallest = bounds[i].smallest;
		if (bounds[i].largest > all->largest)
			all->largest = bounds[i].largest;
	}
}

/* Finds the dictionaries, and bounds, of the columns of all sources, of one at least. */
static void
find_columns(WaRunSources *sources, uint32_t largest)
{
	wa_store_use_columns(sources->store, &sources->uses[largest].use,
						 sources->dictionaries, sources->bounds);
	for (uint32_t i = 0; i < sources->message->nsources; i++)
		if (i != largest && is_used(sources, i))
			add_columns(sources, i);
}

/*
 * Returns a number that stands for the columns and relations: queries over the same ones
 * have the same.
 */
static uint32_t
number_names(const WaRunSources *sources)
{
	const WaNamedSources *named = &sources->named;
	uint32_t number =
		wa_checksum(0, named->columns, named->ncolumns * sizeof(WaColumnName));

	number = wa_checksum(number, named->attributes,
						 (size_t) named->nsources * named->ncolumns *
							 sizeof(*named->attributes));
	for (uint32_t i = 0; i < named->nsources; i++)
		number = wa_checksum(number, &named->sources[i].relation,
							 sizeof(named->sources[i].relation));
	return number;
}

/* Lists the extents of several covers; false if there is no memory. */
static bool
join(WaRunSources *sources)
{
	sources->joined =
		wa_cover_list_take(sources->store, number_names(sources),
						   sources->covers, sources->message->nsources);
	if (sources->joined == NULL)
		return false;
	sources->list = sources->joined->list;
	sources->placements = &sources->joined->placements;
	return true;
}

/* Adds up the covers, and lists their extents; false if there is no memory. */
static bool
list_extents(WaRunSources *sources, uint32_t largest)
{
	WaCover *cover = sources->covers[largest];

	for (uint32_t i = 0; i < sources->message->nsources; i++)
		if (is_used(sources, i))
		{
			sources->count += sources->covers[i]->count;
			sources->rows += sources->covers[i]->rows;
			sources->blocks += sources->covers[i]->blocks;
		}
	if (sources->count > cover->count)
		return join(sources);
	sources->list = cover->list;
	sources->placements = &cover->placements;
	return true;
}

bool
wa_run_sources_collect(WaRunSources *sources)
{
	int64_t largest;

	if (!make_uses(sources))
		return false;
	for (uint32_t i = 0; i < sources->message->nsources; i++)
		if (!take_cover(sources, i))
			return false;
	largest = find_largest(sources);
	if (largest < 0)
		return true;
	find_columns(sources, (uint32_t) largest);
	return list_extents(sources, (uint32_t) largest);
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
	for (uint32_t i = 0; i < sources->message->nsources; i++)
	{
		const WaCover *cover = sources->covers[i];
		const uint64_t bytes =
			wa_extents_bytes(sources->named.sources[i].nblocks);

		if (cover == NULL)
			memset(words, 0, bytes);
		else
			wa_cover_write_blocks(cover, words);
		if (cover != NULL && left_out != NULL)
		{
			leave_blocks_out(cover, left_out, words);
			left_out += cover->count;
		}
		words += bytes / sizeof(*words);
	}
}

/* Ends the use of a source, if it has begun. */
static void
end_use(WaRunSources *sources, uint32_t number)
{
	WaSourceUse *of = &sources->uses[number];

	wa_cover_release(sources->covers[number]);
	sources->covers[number] = NULL;
	if (of->in_use)
		wa_store_use_end(sources->store, &of->use);
	of->in_use = false;
}

void
wa_run_sources_end(WaRunSources *sources)
{
	const bool have_uses = sources->uses != NULL && sources->covers != NULL;

	wa_cover_list_release(sources->joined);
	for (uint32_t i = 0; have_uses && i < sources->message->nsources; i++)
		end_use(sources, i);
	if (sources->uses != &sources->one)
		free(sources->uses);
	if (sources->covers != &sources->one_cover)
		free(sources->covers);
	sources->joined = NULL;
	sources->uses = NULL;
	sources->covers = NULL;
}
