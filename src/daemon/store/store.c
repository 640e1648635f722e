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
#include "daemon/store/store_family.h"
#include "daemon/store/store_follow.h"
#include "daemon/store/store_layer.h"
#include "daemon/store/store_stamp.h"

/* Queries find a patched extent with its copies, if these take no longer. */
#define COPIES_NS (200 * WA_NS_PER_MS)

void
wa_store_init(WaStore *store, uint64_t limit, unsigned ndevices)
{
	memset(store, 0, offsetof(WaStore, known));
	wa_known_init(&store->known);
	(void) pthread_mutex_init(&store->lock, NULL);
	(void) pthread_mutex_init(&store->lists_lock, NULL);
	wa_ledger_set_limit(&store->memory.ledger, limit);
	store->memory.make_room = wa_evict;
	store->memory.arg = store;
	wa_chunks_init(&store->memory.chunks);
	store->autoload_permille = 1000;
	store->copies_ns = COPIES_NS;
	store->contents = wa_store_first_content();
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
		extent->device =
			wa_map_device_of(store, extent->relation, extent->number);
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
								   load->brought.layout);
		if (extent == NULL)
			return NULL;
		load->brought.layout = NULL;
	}
	if (!wa_map_make_room(extent))
	{
		wa_map_remove_extent(load->store, extent, garbage);
		return NULL;
	}
	if (load->brought.layout != NULL &&
		wa_layout_is_of(extent->layout, load->head))
		wa_layout_take_xids(extent->layout, load->head);
	else if (load->brought.layout != NULL)
	{
		for (uint32_t i = 0; i < extent->room; i++)
			wa_map_set_column(extent, i, NULL, garbage);
		load->brought.layout =
			wa_map_set_layout(load->store, extent, load->brought.layout);
	}
	return extent;
}

/*
 * Puts what was loaded into the map, unless the relation has been forgotten meanwhile:
 * then it is as if that had been so afterwards.  Returns false if there is no memory.
 */
static bool
publish(WaLoad *load)
{
	static const uint64_t all[WA_EXTENT_WORDS] = {
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	const WaStore *store = load->store;
	WaGarbage garbage = {0};
	WaExtent *extent = NULL;
	uint32_t device = 0;
	bool is_forgotten;

	(void) pthread_mutex_lock(&load->store->lock);
	is_forgotten = load->pins.relation->is_forgotten;
	if (!is_forgotten)
		extent = prepare_extent(load, &garbage);
	if (extent != NULL)
	{
		wa_layer_put(&load->brought, extent, &garbage);
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
	return is_forgotten || extent != NULL;
}

/* Tells whether there is a share of the memory for what a load will bring. */
static WaStatus
check_shares(const WaLoad *load, char *error, size_t error_bytes)
{
	const char *refusal = wa_evict_check_shares(load->store, &load->need);

	if (refusal == NULL)
		return WA_OK;
	(void) snprintf(error, error_bytes, "%s", refusal);
	return WA_OUT_OF_MEMORY;
}

/* Does what is left of a load that is no patch. */
static WaStatus
load_extent(WaLoad *load, char *error, size_t error_bytes)
{
	const WaStatus status = wa_load_fold(load, error, error_bytes);

	return status != WA_OK || publish(load) ? status : WA_OUT_OF_MEMORY;
}

/* Gives back what is left of a load. */
static void
end_load(WaLoad *load)
{
	WaGarbage garbage = {0};

	wa_layer_end(&load->brought);
	(void) pthread_mutex_lock(&load->store->lock);
	wa_map_unpin(load->store, &load->pins, &garbage);
	(void) pthread_mutex_unlock(&load->store->lock);
	wa_garbage_release(&garbage);
}

/* Forgets what there is of a load's relation as one of another family; with the lock. */
static void
forget_others(WaStore *store, const WaExtentHead *head, WaGarbage *garbage)
{
	WaStoredRelation *relation = wa_map_find_relation(store, &head->relation);

	if (relation != NULL && !wa_family_agrees(relation, head))
		wa_map_forget(store, relation, garbage);
}

/*
 * Pins the columns of a sound head, which it makes known if they are not.  If there is no
 * memory, and it returns false, there is nothing to be ended.
 */
static bool
begin_load(WaLoad *load, WaStore *store, const WaExtentHead *head)
{
	WaGarbage garbage = {0};
	bool pinned;

	memset(load, 0, sizeof(*load));
	load->store = store;
	load->head = head;
	load->need = (WaNeed){.pins = &load->pins,
						  .head = head,
						  .is_asked = head->asked != 0,
						  .is_patch = head->is_patch != 0};
	(void) pthread_mutex_lock(&store->lock);
	forget_others(store, head, &garbage);
	pinned = wa_map_pin(store, &head->relation, NULL, head->ncolumns, head,
						&load->pins);
	(void) pthread_mutex_unlock(&store->lock);
	wa_garbage_release(&garbage);
	return pinned;
}

WaStatus
wa_store_load(WaStore *store, const WaExtentHead *head, const uint8_t *parcel,
			  char *error, size_t error_bytes)
{
	WaLoad load;
	WaStatus status;

	(void) snprintf(error, error_bytes, "not enough memory for an extent");
	if (!begin_load(&load, store, head))
		return WA_OUT_OF_MEMORY;
	status =
		head->is_patch != 0 ? WA_OK : check_shares(&load, error, error_bytes);
	if (status == WA_OK)
		status = wa_layer_bring(&load, parcel, error, error_bytes);
	if (status == WA_OK)
		status = head->is_patch != 0 ? wa_load_patch(&load, error, error_bytes)
									 : load_extent(&load, error, error_bytes);
	end_load(&load);
	return status;
}
