/*
 * cover_list.h
 *		The extents of covers of several relations, as those of one request.
 *
 * To list thousands of extents for every query, and to find where they are on GPUs, would
 * take longer than a GPU takes for the query.  So the last lists are kept with the store,
 * and what was found of them on GPUs goes on to the next one of the same sources.
 *
 * A list is constant, and has no references to extents: those who use it have all of its
 * covers.  It is the one of some covers if these have the same ids (WaPlacements), as a
 * cover never has the id of another one.
 */
#ifndef WA_DAEMON_COVER_LIST_H
#define WA_DAEMON_COVER_LIST_H

#include "core/must_check.h"
#include "daemon/store/cover.h"

typedef struct WaCoverList
{
	uint32_t references; /* atomic */
	uint32_t name;
	uint32_t ncovers;
	uint64_t *covers; /* the id of each; 0: it has no extents */
	uint64_t count;   /* of extents */
	const WaRunExtent **list;
	WaExtentId *ids; /* of each */
	WaPlacements placements;
} WaCoverList;

/*
 * Returns a reference to the list of the extents of so many covers, of which some may be
 * NULL, in their order: one that is kept, or one that is made.  name: a number that other
 * requests for the same columns of the same relations have; if they were mistaken for
 * others, what was found before would be of no use, and nothing worse.  Returns NULL if
 * there is no memory.
 */
WA_MUST_CHECK WaCoverList *wa_cover_list_take(WaStore *store, uint32_t name,
											  WaCover *const *covers,
											  uint32_t ncovers);

/* Gives up a reference; NULL is nothing. */
void wa_cover_list_release(WaCoverList *list);

/* Gives up all lists that are kept, as a relation goes; the caller may have the store's lock. */
void wa_cover_lists_drop(WaStore *store);

#endif /* WA_DAEMON_COVER_LIST_H */
