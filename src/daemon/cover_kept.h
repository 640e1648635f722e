/*
 * cover_kept.h
 *		The covers that are kept with a relation, of up to WA_STORE_COVERS sets of
 *		columns, and their parts, which are kept by themselves.
 *
 * A cover goes when an extent loses something: it would keep what is gone.  So does the
 * extent's part, but no other.  Parts that have left out blocks for a snapshot are not
 * kept.  But for wa_kept_take, wa_kept_find_parts,
 * wa_kept_put and wa_kept_renew the caller has the store's lock.
 */
#ifndef WA_DAEMON_COVER_KEPT_H
#define WA_DAEMON_COVER_KEPT_H

#include "daemon/cover.h"
#include "daemon/store_map.h"

/* Returns a reference to the cover that is kept for such a use, or NULL. */
WaCover *wa_kept_take(WaStore *store, const WaUse *use,
					  const WaColumnName *names);

/*
 * Finds the parts that a cover of a use has to have, and which of them there are, to which
 * it takes references; none if WAL is not known up to the use's position.  Returns false
 * if there is no memory.
 */
WA_MUST_CHECK bool wa_kept_find_parts(WaStore *store, const WaUse *use,
									  WaCover *cover);

/*
 * Keeps a cover that was made for a use, and its parts, as far as they are right.  What
 * was kept before is released when the use has ended.
 */
void wa_kept_put(WaStore *store, WaUse *use, WaCover *cover);

/*
 * Makes the part of an extent anew that has been loaded, for the columns that queries have
 * used lately: the next one would have to.
 */
void wa_kept_renew(WaStore *store, const WaRelation *name, uint32_t number);

/* Gives up the relation's covers, and the parts that an extent belongs to. */
void wa_kept_give_up(const WaExtent *extent, WaGarbage *garbage);

/*
 * Gives up the covers and parts of a relation that no query uses.  What they refer to is
 * in the map, too, so that nothing is freed by it but themselves.
 */
void wa_kept_drop(WaStoredRelation *relation);

/* Frees what is left of a relation that has no extents any more. */
void wa_kept_end(WaStoredRelation *relation);

#endif /* WA_DAEMON_COVER_KEPT_H */
