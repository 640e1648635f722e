/*
 * store_evict.c
 *		What of the store makes room for other columns; see store_evict.h.
 */
#include <stdio.h>

#include "daemon/base/clock.h"
#include "daemon/store/cover_kept.h"
#include "daemon/store/store_evict.h"
#include "daemon/store/store_family.h"

/* Pinned relations take one part in so many of the memory at most. */
#define PINNED_PART 2

/* What columns take, by what counts. */
typedef struct Totals
{
	uint64_t keep[WA_KEEP_CLASSES]; /* but for the relation of who needs room */
	uint64_t unasked;               /* that nobody has asked for, not pinned */
	uint64_t pinned;
} Totals;

WaKeep
wa_evict_keep(const WaStore *store, const WaStoredRelation *relation,
			  uint32_t place, int64_t now_ns)
{
	const WaColumnRecord *record = &relation->records[place];

	if (relation->is_pinned)
		return WA_KEEP_PINNED;
	if (record->needed_ns != 0 &&
		now_ns - record->needed_ns <
			__atomic_load_n(&store->keep_ns, __ATOMIC_RELAXED))
		return WA_KEEP_NEEDED;
	return record->asked ? WA_KEEP_ASKED : WA_KEEP_NOTHING;
}

/* Adds up what a relation's columns take. */
static void
add_relation(const WaStore *store, const WaStoredRelation *relation,
			 const WaNeed *need, int64_t now_ns, Totals *totals)
{
	const bool is_own = need != NULL && relation == need->pins->relation;

	for (uint32_t i = 0; i < relation->nrecords; i++)
	{
		const WaColumnRecord *record = &relation->records[i];
		uint64_t bytes;

		if (!record->exists || (bytes = wa_family_bytes(record)) == 0)
			continue;
		if (relation->is_pinned)
			totals->pinned += bytes;
		else if (!record->asked)
			totals->unasked += bytes;
		if (!is_own)
			totals->keep[wa_evict_keep(store, relation, i, now_ns)] += bytes;
	}
}

/* Adds up what all columns take; the caller has the lock. */
static Totals
add_up(const WaStore *store, const WaNeed *need, int64_t now_ns)
{
	Totals totals = {{0}, 0, 0};

	for (int i = 0; i < WA_STORE_BUCKETS; i++)
		for (const WaStoredRelation *relation = store->buckets[i];
			 relation != NULL; relation = relation->next)
			add_relation(store, relation, need, now_ns, &totals);
	return totals;
}

/* An eviction at work, with the store's lock. */
typedef struct Eviction
{
	WaStore *store;
	const WaNeed *need;
	WaKeep most;          /* what is kept for such a reason goes */
	bool spares_replaced; /* what the LOAD is going to replace stays so far */
	int64_t now_ns;
	WaGarbage garbage;
} Eviction;

/* Tells whether an extent is one that the LOAD is going to replace. */
static bool
is_replaced(const Eviction *eviction, const WaExtent *extent)
{
	const WaNeed *need = eviction->need;

	return need != NULL && !need->is_patch &&
		   extent->relation == need->pins->relation &&
		   extent->number == need->head->number &&
		   !wa_layout_is_of(extent->layout, need->head);
}

/* Tells whether an extent's column at a place may go. */
static bool
may_go(const Eviction *eviction, const WaExtent *extent, uint32_t place)
{
	return is_replaced(eviction, extent) ||
		   wa_evict_keep(eviction->store, extent->relation, place,
						 eviction->now_ns) <= eviction->most;
}

/* Evicts what may go of an extent, or the extent if that is all it has. */
static void
evict_from(Eviction *eviction, WaExtent *extent)
{
	uint32_t going = 0;
	uint32_t staying = 0;

	for (uint32_t i = 0; i < extent->room; i++)
	{
		if (extent->columns[i] == NULL)
			continue;
		if (may_go(eviction, extent, i))
			going++;
		else
			staying++;
	}
	if (going == 0 && staying > 0)
		return;
	wa_kept_drop(extent->relation);
	if (wa_layout_is_in_use(extent->layout))
		return;
	if (staying == 0)
	{
		wa_map_remove_extent(eviction->store, extent, &eviction->garbage);
		return;
	}
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL && may_go(eviction, extent, i))
			wa_map_set_column(extent, i, NULL, &eviction->garbage);
}

/* Evicts what was used longest ago, until so many bytes have gone. */
static void
evict_oldest(Eviction *eviction, uint64_t bytes)
{
	const WaStoredRelation *own =
		eviction->need == NULL ? NULL : eviction->need->pins->relation;
	WaExtent *newer;

	for (WaExtent *extent = eviction->store->oldest;
		 extent != NULL && eviction->garbage.bytes < bytes; extent = newer)
	{
		newer = extent->newer;
		if (extent->relation != own ||
			(!eviction->spares_replaced && is_replaced(eviction, extent)))
			evict_from(eviction, extent);
	}
}

/* Returns the last class that goes for who needs room. */
static WaKeep
last_class(const WaNeed *need)
{
	if (need == NULL)
		return WA_KEEP_PINNED;
	return need->is_asked ? WA_KEEP_ASKED : WA_KEEP_NOTHING;
}

bool
wa_evict(void *arg, const void *user, uint64_t bytes)
{
	const WaNeed *need = user;
	const WaKeep last = last_class(need);
	Eviction eviction = {.store = arg, .need = need, .now_ns = wa_clock_ns()};
	Totals totals;
	bool evicted;

	(void) pthread_mutex_lock(&eviction.store->lock);
	wa_map_order_by_use(eviction.store);
	totals = add_up(eviction.store, need, eviction.now_ns);
	for (int class = 0; class <= (int) last && eviction.garbage.bytes < bytes;
		 class ++)
	{
		eviction.most = (WaKeep) class;
		if (totals.keep[class] > 0 || class == (int) last)
			evict_oldest(&eviction, bytes);
	}
	(void) pthread_mutex_unlock(&eviction.store->lock);
	evicted = eviction.garbage.bytes > 0;
	wa_garbage_release(&eviction.garbage);
	return evicted;
}

void
wa_store_trim(WaStore *store)
{
	uint64_t excess;

	do
		excess = wa_memory_excess(&store->memory);
	while (excess > 0 && wa_evict(store, NULL, excess));
}

/* Returns what a column of a head will take, the texts of a dictionary aside. */
static uint64_t
bytes_of(const WaExtentColumn *column, uint32_t nrows)
{
	return sizeof(WaColumn) + wa_form_bytes((WaForm) column->form, nrows) +
		   (column->validity != 0 ? nrows : 0) +
		   (column->display != 0 ? nrows : 0);
}

/* Tells whether a LOAD brings the column of a record. */
static bool
brings(const WaNeed *need, uint32_t place)
{
	for (uint32_t i = 0; i < need->pins->ncolumns; i++)
		if (need->pins->place[i] == place)
			return true;
	return false;
}

/* Tells whether a relation's column counts for the share that the LOAD is about. */
static bool
counts(const WaStoredRelation *relation, uint32_t place)
{
	return relation->is_pinned || !relation->records[place].asked;
}

/* Returns what goes of a share as the LOAD replaces it. */
static uint64_t
replaced_bytes(const WaNeed *need)
{
	const WaStoredRelation *relation = need->pins->relation;
	const WaExtent *extent = wa_map_find_extent(relation, need->head->number);
	uint64_t bytes = 0;
	bool stays;

	if (extent == NULL)
		return 0;
	stays = wa_layout_is_of(extent->layout, need->head);
	for (uint32_t i = 0; i < extent->room; i++)
		if (extent->columns[i] != NULL && counts(relation, i) &&
			(!stays || brings(need, i)))
			bytes += extent->columns[i]->bytes;
	return bytes;
}

/* Returns what comes to a share with the LOAD. */
static uint64_t
added_bytes(const WaNeed *need)
{
	const WaExtentHead *head = need->head;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < head->ncolumns; i++)
		if (need->pins->relation->is_pinned ||
			((head->asked >> i & 1) == 0 &&
			 counts(need->pins->relation, need->pins->place[i])))
			bytes += bytes_of(&head->columns[i], head->nrows);
	return bytes;
}

/* Returns by how many bytes the LOAD would exceed a share, or 0; with the lock. */
static uint64_t
excess(const WaStore *store, const WaNeed *need)
{
	const uint64_t limit = wa_memory_limit(&store->memory);
	const uint32_t permille =
		__atomic_load_n(&store->autoload_permille, __ATOMIC_RELAXED);
	const bool is_pinned = need->pins->relation->is_pinned;
	const uint64_t most =
		is_pinned ? limit / PINNED_PART : limit / 1000 * permille;
	const uint64_t added = added_bytes(need);
	Totals totals;
	uint64_t total;

	if (added == 0 || (!is_pinned && permille >= 1000))
		return 0;
	totals = add_up(store, need, wa_clock_ns());
	total = added + (is_pinned ? totals.pinned : totals.unasked) -
			replaced_bytes(need);
	return total > most ? total - most : 0;
}

const char *
wa_evict_check_shares(WaStore *store, const WaNeed *need)
{
	Eviction eviction = {.store = store,
						 .need = need,
						 .most = WA_KEEP_NOTHING,
						 .spares_replaced = true,
						 .now_ns = wa_clock_ns()};
	bool is_pinned;
	bool goes_on = true;
	uint64_t bytes;

	(void) pthread_mutex_lock(&store->lock);
	is_pinned = need->pins->relation->is_pinned;
	while ((bytes = excess(store, need)) > 0 && !is_pinned && goes_on)
	{
		const uint64_t before = eviction.garbage.bytes;

		/* What goes may have counted for nothing, as the layout of an extent. */
		evict_oldest(&eviction, before + bytes);
		goes_on = eviction.garbage.bytes > before;
	}
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&eviction.garbage);
	if (bytes == 0)
		return NULL;
	return is_pinned ? "pinned columns would take more than half of the memory"
					 : "columns that nobody has asked for take their share of "
					   "the memory";
}

/* Notes that a column is needed. */
static void
note_needed(WaStoredRelation *relation, uint32_t place)
{
	relation->records[place].needed_ns = wa_clock_ns();
}

void
wa_evict_note_load(const WaNeed *need)
{
	WaStoredRelation *relation = need->pins->relation;

	for (uint32_t i = 0; i < need->pins->ncolumns; i++)
	{
		const uint32_t place = need->pins->place[i];

		note_needed(relation, place);
		if ((need->head->asked >> i & 1) != 0)
			relation->records[place].asked = true;
	}
}

/* A query without columns, count(*), needs one that most extents have. */
void
wa_evict_note_use(const WaPins *pins)
{
	WaStoredRelation *relation = pins->relation;
	uint32_t most = 0;

	relation->used_ns = wa_clock_ns();
	for (uint32_t i = 0; i < pins->ncolumns; i++)
		note_needed(relation, pins->place[i]);
	if (pins->ncolumns > 0 || relation->nrecords == 0)
		return;
	for (uint32_t i = 1; i < relation->nrecords; i++)
		if (relation->records[i].extents > relation->records[most].extents)
			most = i;
	note_needed(relation, most);
}

/* Tells whether all that is pinned would be too much with a relation. */
static bool
is_too_much(const WaStore *store, const WaStoredRelation *relation)
{
	uint64_t bytes = add_up(store, NULL, wa_clock_ns()).pinned;

	for (uint32_t i = 0; i < relation->nrecords; i++)
		if (relation->records[i].exists)
			bytes += wa_family_bytes(&relation->records[i]);
	return bytes > wa_memory_limit(&store->memory) / PINNED_PART;
}

/* Pins a relation that may be NULL; returns NULL, or why it cannot. */
static const char *
pin(const WaStore *store, WaStoredRelation *relation, WaStatus *status)
{
	*status = WA_BAD_REQUEST;
	if (relation == NULL || relation->nextents == 0)
		return "nothing of the relation is resident";
	*status = WA_OUT_OF_MEMORY;
	if (!relation->is_pinned && is_too_much(store, relation))
		return "pinned columns would take more than half of the memory";
	*status = WA_OK;
	relation->is_pinned = true;
	return NULL;
}

WaStatus
wa_store_pin(WaStore *store, const WaRelation *name, bool pinned, char *error,
			 size_t error_bytes)
{
	WaStoredRelation *relation;
	const char *refusal = NULL;
	WaStatus status = WA_OK;

	(void) pthread_mutex_lock(&store->lock);
	relation = wa_map_find_relation(store, name);
	if (pinned)
		refusal = pin(store, relation, &status);
	else if (relation != NULL)
		relation->is_pinned = false;
	(void) pthread_mutex_unlock(&store->lock);
	if (refusal != NULL)
		(void) snprintf(error, error_bytes, "%s", refusal);
	return status;
}
