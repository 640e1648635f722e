/*
 * store.c
 *		Loading extents, and the limit of their memory; see store.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/store/store.h"
#include "daemon/store/store_evict.h"
#include "daemon/store/store_follow.h"
#include "daemon/store/store_load.h"

/* Queries find a patched extent with its copies, if these take no longer. */
#define COPIES_NS (200 * WA_NS_PER_MS)

void
wa_store_init(WaStore *store, uint64_t limit, unsigned ndevices)
{
	memset(store, 0, offsetof(WaStore, known));
	wa_known_init(&store->known);
	(void) pthread_mutex_init(&store->lock, NULL);
	wa_ledger_set_limit(&store->memory.ledger, limit);
	store->memory.make_room = wa_evict;
	store->memory.arg = store;
	wa_chunks_init(&store->memory.chunks);
	store->autoload_permille = 1000;
	store->copies_ns = COPIES_NS;
	store->ndevices = ndevices;
	for (unsigned i = 0; i < ndevices; i++)
		store->devices[i] = i;
}

void
wa_store_set_devices(WaStore *store, const uint32_t *devices, unsigned ndevices)
{
	(void) pthread_mutex_lock(&store->lock);
	store->ndevices = ndevices;
	memcpy(store->devices, devices, ndevices * sizeof(*devices));
	for (WaExtent *extent = store->newest; extent != NULL;
		 extent = extent->older)
	{
		extent->device = devices[wa_extent_number(extent->number) % ndevices];
		wa_map_note_change(extent);
	}
	(void) pthread_mutex_unlock(&store->lock);
}

void
wa_store_set_limit(WaStore *store, uint64_t limit)
{
	wa_ledger_set_limit(&store->memory.ledger, limit);
	wa_store_trim(store);
}

void
wa_store_set_keeping(WaStore *store, uint32_t autoload_permille,
					 int64_t keep_ns)
{
	__atomic_store_n(&store->autoload_permille, autoload_permille,
					 __ATOMIC_RELAXED);
	__atomic_store_n(&store->keep_ns, keep_ns, __ATOMIC_RELAXED);
}

/*
 * Takes a reference to the dictionary of one of the load's columns, and makes it
 * if there is none yet.  Returns false if there is no memory for it.
 */
static bool
get_dictionary(WaLoad *load, uint32_t column)
{
	WaStore *store = load->store;
	const uint32_t place = load->pins.place[column];
	WaDictionary *made = NULL;

	for (;;)
	{
		WaDictionary **known;

		(void) pthread_mutex_lock(&store->lock);
		known = &load->pins.relation->records[place].dictionary;
		if (*known == NULL)
		{
			*known = made;
			made = NULL;
		}
		load->dictionaries[column] = *known;
		if (*known != NULL)
			wa_dictionary_retain(*known);
		(void) pthread_mutex_unlock(&store->lock);
		wa_dictionary_release(made); /* another load was faster */
		if (load->dictionaries[column] != NULL)
			return true;
		made = wa_dictionary_make(&store->memory, &load->need);
		if (made == NULL)
			return false;
	}
}

WaStatus
wa_load_copy(WaLoad *load, uint32_t i, const uint8_t *parcel, char *error,
			 size_t error_bytes)
{
	const WaExtentColumn *column = &load->head->columns[i];

	if (column->form == WA_FORM_TEXT && !get_dictionary(load, i))
	{
		(void) snprintf(error, error_bytes,
						"not enough memory for attribute %d",
						column->name.attribute);
		return WA_OUT_OF_MEMORY;
	}
	return wa_column_copy(&load->store->memory, &load->need, column,
						  load->head->nrows, parcel, load->dictionaries[i],
						  &load->columns[i], error, error_bytes);
}

/*
 * Returns the load's extent with the load's layout, and room for all columns; or
 * NULL if there is no memory.  The caller has the lock.
 */
static WaExtent *
prepare_extent(WaLoad *load, WaGarbage *garbage)
{
	WaStoredRelation *relation = load->pins.relation;
	WaExtent *extent = wa_map_find_extent(relation, load->head->number);
	WaExtent *overlay = wa_map_find_overlay(relation, load->head->number);

	if (overlay != NULL)
		wa_map_remove_extent(load->store, overlay, garbage);
	if (extent == NULL)
	{
		extent = wa_map_add_extent(load->store, relation, load->head->number,
								   load->layout);
		if (extent == NULL)
			return NULL;
		load->layout = NULL;
	}
	if (!wa_map_make_room(extent))
	{
		wa_map_remove_extent(load->store, extent, garbage);
		return NULL;
	}
	if (load->layout != NULL && wa_layout_is_of(extent->layout, load->head))
		wa_layout_take_xids(extent->layout, load->head);
	else if (load->layout != NULL)
	{
		for (uint32_t i = 0; i < extent->room; i++)
			wa_map_set_column(extent, i, NULL, garbage);
		load->layout = wa_map_set_layout(load->store, extent, load->layout);
	}
	return extent;
}

/* Puts what was loaded into the map. */
static bool
publish(WaLoad *load)
{
	static const uint64_t all[WA_EXTENT_WORDS] = {
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	const WaStore *store = load->store;
	WaGarbage garbage = {0};
	WaExtent *extent;
	uint32_t device = 0;

	(void) pthread_mutex_lock(&load->store->lock);
	extent = prepare_extent(load, &garbage);
	for (uint32_t i = 0; extent != NULL && i < load->pins.ncolumns; i++)
	{
		wa_map_set_column(extent, load->pins.place[i], load->columns[i],
						  &garbage);
		load->columns[i] = NULL;
	}
	if (extent != NULL)
	{
		wa_map_set_cached(extent, all);
		wa_follow_refresh(load->store, extent, load->head->position, all);
		wa_map_touch(load->store, extent);
		wa_evict_note_load(&load->need);
		device = extent->device;
	}
	(void) pthread_mutex_unlock(&load->store->lock);
	wa_garbage_release(&garbage);
	if (extent != NULL && store->mirror != NULL)
		store->copier->loaded(store->mirror, &load->head->relation,
							  load->head->number, device);
	return extent != NULL;
}

/* Makes and publishes all that belongs to a load whose columns are pinned. */
static WaStatus
load_extent(WaLoad *load, const uint8_t *parcel, char *error,
			size_t error_bytes)
{
	const char *refusal = wa_evict_check_shares(load->store, &load->need);
	WaStatus status;

	if (refusal != NULL)
	{
		(void) snprintf(error, error_bytes, "%s", refusal);
		return WA_OUT_OF_MEMORY;
	}
	load->layout =
		wa_layout_make(&load->store->memory, &load->need, load->head);
	if (load->layout == NULL)
		return WA_OUT_OF_MEMORY;
	for (uint32_t i = 0; i < load->head->ncolumns; i++)
	{
		status = wa_load_copy(load, i, parcel, error, error_bytes);
		if (status != WA_OK)
			return status;
	}
	status = wa_load_fold(load, error, error_bytes);
	if (status != WA_OK)
		return status;
	return publish(load) ? WA_OK : WA_OUT_OF_MEMORY;
}

void
wa_load_end(WaLoad *load)
{
	WaGarbage garbage = {0};

	wa_layout_release(load->layout);
	for (uint32_t i = 0; i < load->head->ncolumns; i++)
	{
		wa_column_release(load->columns[i]);
		wa_dictionary_release(load->dictionaries[i]);
	}
	(void) pthread_mutex_lock(&load->store->lock);
	wa_map_unpin(load->store, &load->pins, &garbage);
	(void) pthread_mutex_unlock(&load->store->lock);
	wa_garbage_release(&garbage);
}

WaStatus
wa_load_begin(WaLoad *load, WaStore *store, const WaExtentHead *head)
{
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];
	bool pinned;

	memset(load, 0, sizeof(*load));
	load->store = store;
	load->head = head;
	load->need = (WaNeed){.pins = &load->pins,
						  .head = head,
						  .is_asked = head->asked != 0,
						  .is_patch = head->is_patch != 0};
	for (uint32_t i = 0; i < head->ncolumns; i++)
		names[i] = head->columns[i].name;
	(void) pthread_mutex_lock(&store->lock);
	pinned = wa_map_pin(store, &head->relation, names, head->ncolumns, true,
						&load->pins);
	(void) pthread_mutex_unlock(&store->lock);
	return pinned ? WA_OK : WA_OUT_OF_MEMORY;
}

WaStatus
wa_store_load(WaStore *store, const WaExtentHead *head, const uint8_t *parcel,
			  char *error, size_t error_bytes)
{
	WaLoad load;
	WaStatus status;

	(void) snprintf(error, error_bytes, "not enough memory for an extent");
	status = wa_load_begin(&load, store, head);
	if (status != WA_OK)
		return status;
	status = head->is_patch != 0
				 ? wa_load_patch(&load, parcel, error, error_bytes)
				 : load_extent(&load, parcel, error, error_bytes);
	wa_load_end(&load);
	return status;
}
