/*
 * store_map.h
 *		Linking and removing what is in the store's map.
 *
 * The caller has the store's lock, everywhere.  What has lost its last place in
 * the map is collected as garbage and released once the lock is free.
 */
#ifndef WA_DAEMON_STORE_MAP_H
#define WA_DAEMON_STORE_MAP_H

#include "core/must_check.h"
#include "daemon/store/store_find.h"

/* Gives up the references, and large amounts of memory to the system. */
void wa_garbage_release(WaGarbage *garbage);

/*
 * Pins a relation and some of its columns.  load: of a LOAD, whose relation and columns
 * these are, and agree with what is there (store_family.h): what is not there is made;
 * NULL: it has to be there.  Returns false, with nothing pinned, if it is not, or there is
 * no memory for it.
 */
WA_MUST_CHECK bool wa_map_pin(WaStore *store, const WaRelation *name,
							  const WaColumnName *columns, uint32_t ncolumns,
							  const WaExtentHead *load, WaPins *pins);

/* Takes pins away; what nobody needs any more goes. */
void wa_map_unpin(WaStore *store, const WaPins *pins, WaGarbage *garbage);

/*
 * Adds an extent without columns, cached and fresh blocks to a relation that has none of
 * its number.  Takes over the reference to the layout.  Returns NULL if there is no
 * memory.  An extent has another edition whenever its overlay has become another one.
 */
WaExtent *wa_map_add_extent(WaStore *store, WaStoredRelation *relation,
							uint32_t number, WaLayout *layout);

/*
 * Gives an extent another layout, whose reference is taken over, and so another edition
 * without cached and fresh blocks.  Returns the old layout, with the reference to it.
 */
WaLayout *wa_map_set_layout(WaStore *store, WaExtent *extent, WaLayout *layout);

/*
 * Notes that an extent has changed, or what is fresh of it: covers that were made before
 * are not right any more.
 */
void wa_map_note_change(WaExtent *extent);

/* Makes sure that the extent has room for a column at each place. */
WA_MUST_CHECK bool wa_map_make_room(WaExtent *extent);

/*
 * Puts a column, whose reference is taken over, to its place in an extent which
 * has room; NULL only removes what is there.
 */
void wa_map_set_column(WaExtent *extent, uint32_t place, WaColumn *column,
					   WaGarbage *garbage);

/* Removes an extent. */
void wa_map_remove_extent(WaStore *store, WaExtent *extent, WaGarbage *garbage);

/*
 * Removes all extents of a relation, and has no name lead to it any more: who has it
 * pinned keeps what is pinned, and nothing is put there again.
 */
void wa_map_forget(WaStore *store, WaStoredRelation *relation,
				   WaGarbage *garbage);

/* Says that the extent has been loaded just now. */
void wa_map_touch(WaStore *store, WaExtent *extent);

/*
 * Has the order of extents, from the oldest to the newest, show what queries have used:
 * all extents of a relation at once, behind what has been loaded meanwhile.
 */
void wa_map_order_by_use(WaStore *store);

/*
 * Sets the blocks that are cached, among those of the layout that have an LSN; others are
 * not fresh any more.
 */
void wa_map_set_cached(WaExtent *extent, const uint64_t *cached);

#endif /* WA_DAEMON_STORE_MAP_H */
