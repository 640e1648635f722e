/*
 * cover_list.c
 *		Making, and keeping, lists of the extents of several covers; see cover_list.h.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/store/cover_list.h"

/* Orders of a cover's extents are below this. */
#define COVER_ORDERS ((uint64_t) 1 << 32)

/* Returns the id of a cover in a list. */
static uint64_t
id_of(const WaCover *cover)
{
	return cover == NULL || cover->count == 0 ? 0 : cover->placements.id;
}

/* Tells whether a list is the one of some covers. */
static bool
is_of(const WaCoverList *list, WaCover *const *covers, uint32_t ncovers)
{
	if (list->ncovers != ncovers)
		return false;
	for (uint32_t i = 0; i < ncovers; i++)
		if (list->covers[i] != id_of(covers[i]))
			return false;
	return true;
}

/* Moves the list at a place, or another one in its stead, to the first place. */
static void
move_to_front(WaStore *store, int place, WaCoverList *list)
{
	memmove(&store->lists[1], &store->lists[0],
			(size_t) place * sizeof(store->lists[0]));
	store->lists[0] = list;
}

/* Returns the place of the list of a name, or the last one; the caller has its lock. */
static int
find_place(const WaStore *store, uint32_t name)
{
	int place = 0;

	while (place < WA_STORE_LISTS - 1 &&
		   (store->lists[place] == NULL || store->lists[place]->name != name))
		place++;
	return place;
}

/* Returns a reference to the list of a name that is kept, or NULL. */
static WaCoverList *
find(WaStore *store, uint32_t name)
{
	WaCoverList *found;
	int place;

	(void) pthread_mutex_lock(&store->lists_lock);
	place = find_place(store, name);
	found = store->lists[place];
	if (found != NULL && found->name != name)
		found = NULL;
	if (found != NULL)
	{
		(void) __atomic_fetch_add(&found->references, 1, __ATOMIC_RELAXED);
		move_to_front(store, place, found);
	}
	(void) pthread_mutex_unlock(&store->lists_lock);
	return found;
}

/* Keeps a list, which gets a reference, in the stead of that of its name, or the oldest. */
static void
keep(WaStore *store, WaCoverList *list)
{
	WaCoverList *old;
	int place;

	(void) __atomic_fetch_add(&list->references, 1, __ATOMIC_RELAXED);
	(void) pthread_mutex_lock(&store->lists_lock);
	place = find_place(store, list->name);
	old = store->lists[place];
	move_to_front(store, place, list);
	(void) pthread_mutex_unlock(&store->lists_lock);
	wa_cover_list_release(old);
}

/* Makes a list with room for so many extents of covers; NULL: there is no memory. */
static WaCoverList *
make_empty(uint32_t ncovers, uint64_t count)
{
	WaCoverList *list = calloc(1, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->references = 1;
	list->covers = malloc(ncovers * sizeof(*list->covers));
	list->list = malloc(count * sizeof(*list->list));
	list->ids = malloc(count * sizeof(*list->ids));
	list->placements.ids = list->ids;
	if (list->covers != NULL && list->list != NULL && list->ids != NULL)
		return list;
	wa_cover_list_release(list);
	return NULL;
}

/* Adds the extents of a cover behind those that a list has. */
static void
add_cover(WaCoverList *list, const WaCover *cover)
{
	const uint64_t order = list->ncovers * COVER_ORDERS;

	list->covers[list->ncovers++] = id_of(cover);
	if (id_of(cover) == 0)
		return;
	memcpy(&list->list[list->count], cover->list,
		   cover->count * sizeof(*cover->list));
	for (uint64_t i = 0; i < cover->count; i++)
		list->ids[list->count + i] =
			(WaExtentId){cover->ids[i].id, order + cover->ids[i].order};
	list->count += cover->count;
}

/* Gives a list an id, and what is kept of the one before it, or of none. */
static bool
identify(WaStore *store, uint32_t name, WaCoverList *list,
		 const WaCoverList *before)
{
	list->name = name;
	list->placements.cache =
		before == NULL ? wa_placement_cache_make()
					   : wa_placement_cache_retain(before->placements.cache);
	(void) pthread_mutex_lock(&store->lock);
	list->placements.id = ++store->ids;
	(void) pthread_mutex_unlock(&store->lock);
	return list->placements.cache != NULL;
}

/* Makes the list of some covers; NULL: there is no memory. */
static WaCoverList *
make(WaStore *store, uint32_t name, WaCover *const *covers, uint32_t ncovers,
	 const WaCoverList *before)
{
	WaCoverList *list;
	uint64_t count = 0;

	for (uint32_t i = 0; i < ncovers; i++)
		if (covers[i] != NULL)
			count += covers[i]->count;
	list = make_empty(ncovers, count);
	if (list == NULL)
		return NULL;
	for (uint32_t i = 0; i < ncovers; i++)
		add_cover(list, covers[i]);
	if (identify(store, name, list, before))
		return list;
	wa_cover_list_release(list);
	return NULL;
}

WaCoverList *
wa_cover_list_take(WaStore *store, uint32_t name, WaCover *const *covers,
				   uint32_t ncovers)
{
	WaCoverList *found = find(store, name);
	WaCoverList *made;

	if (found != NULL && is_of(found, covers, ncovers))
		return found;
	made = make(store, name, covers, ncovers, found);
	wa_cover_list_release(found);
	if (made != NULL)
		keep(store, made);
	return made;
}

void
wa_cover_list_release(WaCoverList *list)
{
	if (list == NULL ||
		__atomic_fetch_sub(&list->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	wa_placement_cache_release(list->placements.cache);
	free(list->covers);
	free(list->list);
	free(list->ids);
	free(list);
}

void
wa_cover_lists_drop(WaStore *store)
{
	WaCoverList *dropped[WA_STORE_LISTS];

	(void) pthread_mutex_lock(&store->lists_lock);
	memcpy(dropped, store->lists, sizeof(dropped));
	memset(store->lists, 0, sizeof(store->lists));
	(void) pthread_mutex_unlock(&store->lists_lock);
	for (int i = 0; i < WA_STORE_LISTS; i++)
		wa_cover_list_release(dropped[i]);
}
