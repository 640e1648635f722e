/*
 * cover_kept.h
 *		The covers that are kept with a relation, of up to WA_STORE_COVERS sets of
 *		columns, and their parts, which are kept by themselves.
 *
 * When an extent loses something its part goes, and no other: it would keep what is gone.
 * A cover that nobody uses gives that part up, and is not taken any more, but may become
 * the next one.  A cover that somebody uses goes.  Parts that have left out blocks for a
 * snapshot are not kept.  But for wa_kept_take, wa_kept_begin and wa_kept_put the caller
 * has the store's lock.
 */
#ifndef WA_DAEMON_COVER_KEPT_H
#define WA_DAEMON_COVER_KEPT_H

#include "daemon/store/cover.h"

/* Returns a reference to the cover that is kept for such a use, or NULL. */
WaCover *wa_kept_take(WaStore *store, const WaUse *use,
					  const WaColumnName *names);

/* A cover that is being made. */
typedef struct WaCoverMaking
{
	WaStore *store;
	WaUse *use;
	const WaColumnName *names;
	WaCover *cover; /* NULL: there is no memory */
	bool is_next;   /* it was another one, of which only some places change */
	uint32_t nchanged;
	uint32_t *changed; /* these places, which ascend; if it was */
	uint32_t nmissing;
	uint32_t
		*missing; /* places whose parts have yet to be made, or have been */
} WaCoverMaking;

/*
 * Begins a cover with those of the parts that it has to have that there are; with none if
 * WAL is not known up to the use's position.  The caller frees the cover, changed and
 * missing.  Returns false if there is no memory.
 */
WA_MUST_CHECK bool wa_kept_begin(WaCoverMaking *making);

/*
 * Keeps a cover that was made, and the parts that were missing, as far as they are right.
 * What was kept before is released when the use has ended.  Returns false if there is no
 * memory.
 */
WA_MUST_CHECK bool wa_kept_put(const WaCoverMaking *making);

/* Tells whether nothing has changed since the cover was made that is kept at a place. */
bool wa_kept_is_current(const WaStoredRelation *relation, int place);

/*
 * Gives up what is kept of an extent and its overlay, of which a change has been noted
 * (wa_map_note_change).
 */
void wa_kept_give_up(const WaExtent *extent, WaGarbage *garbage);

/* cover_places.c: makes room for what is kept of so many parts; false if there is no memory. */
WA_MUST_CHECK bool wa_kept_make_room(WaStoredRelation *relation, uint32_t room);

/* Makes a place for what is kept of a part that is about to be there. */
void wa_kept_insert(WaStoredRelation *relation, uint32_t place);

/* Removes the place of a part of which nothing is kept, and that is about to go. */
void wa_kept_remove(WaStoredRelation *relation, uint32_t place);

/*
 * Gives up the covers and parts of a relation that no query uses.  What they refer to is
 * in the map, too, so that nothing is freed by it but themselves.
 */
void wa_kept_drop(WaStoredRelation *relation);

/* Frees what is left of a relation that has no extents any more. */
void wa_kept_end(WaStoredRelation *relation);

#endif /* WA_DAEMON_COVER_KEPT_H */
