/*
 * store_use.c
 *		Beginning, and ending, what a query uses of a relation; see store_use.h.
 */
#include <string.h>
#include <time.h>

#include "daemon/store/store_evict.h"
#include "daemon/store/store_use.h"

/* Returns microseconds of CLOCK_REALTIME. */
static int64_t
now_us(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

bool
wa_store_use_begin(WaStore *store, const WaRelation *relation,
				   const WaColumnName *names, uint32_t ncolumns, WaUse *use)
{
	const int64_t time_us = now_us();
	bool pinned;

	use->blocks = 0;
	use->garbage = (WaGarbage){0};
	(void) pthread_mutex_lock(&store->lock);
	pinned = wa_map_pin(store, relation, names, ncolumns, NULL, &use->pins);
	for (uint32_t i = 0; pinned && !use->is_ahead && i < ncolumns; i++)
	{
		WaColumnRecord *record =
			&use->pins.relation->records[use->pins.place[i]];

		record->queries++;
		record->blocks_asked += use->nblocks;
		record->last_use_us = time_us;
	}
	if (pinned && !use->is_ahead)
		wa_evict_note_use(&use->pins);
	(void) pthread_mutex_unlock(&store->lock);
	return pinned;
}

void
wa_store_use_columns(WaStore *store, const WaUse *use,
					 const WaDictionary **dictionaries, WaRunBounds *bounds)
{
	(void) pthread_mutex_lock(&store->lock);
	for (uint32_t i = 0; i < use->pins.ncolumns; i++)
	{
		const WaColumnRecord *record =
			&use->pins.relation->records[use->pins.place[i]];

		dictionaries[i] = record->shared->dictionary;
		bounds[i] = (WaRunBounds){record->all.smallest, record->all.largest};
	}
	(void) pthread_mutex_unlock(&store->lock);
}

void
wa_store_use_end(WaStore *store, WaUse *use)
{
	(void) pthread_mutex_lock(&store->lock);
	for (uint32_t i = 0; !use->is_ahead && i < use->pins.ncolumns; i++)
		use->pins.relation->records[use->pins.place[i]].blocks_used +=
			use->blocks;
	wa_map_unpin(store, &use->pins, &use->garbage);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&use->garbage);
	wa_store_trim(store);
}
