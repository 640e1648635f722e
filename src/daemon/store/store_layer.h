/*
 * store_layer.h
 *		References to what there is of an extent, or of its overlay.
 */
#ifndef WA_DAEMON_STORE_LAYER_H
#define WA_DAEMON_STORE_LAYER_H

#include "daemon/column/column_patch.h"
#include "daemon/store/store_load.h"

/*
 * Takes references to what there is of an extent of the map; the caller has the store's
 * lock.  Returns false if there is no memory.
 */
WA_MUST_CHECK bool wa_layer_take(WaLayer *layer, const WaExtent *extent);

/*
 * Takes references to what another layer has of the columns of a third; returns false if
 * there is no memory.
 */
WA_MUST_CHECK bool wa_layer_copy(WaLayer *layer, const WaLayer *from,
								 const WaLayer *like);

/*
 * Fills in what a load brings, whose columns are copied out of the parcel.  A text is in
 * error if that fails.
 */
WA_MUST_CHECK WaStatus wa_layer_bring(WaLoad *load, const uint8_t *parcel,
									  char *error, size_t error_bytes);

/*
 * Makes a layer in which the blocks of another take the places of the old one's, in the
 * columns that this has; the plan says which.  What its layout says of transactions has
 * yet to be set.
 */
WA_MUST_CHECK WaStatus wa_layer_patch(WaLayer *layer, WaLoad *load,
									  const WaLayer *old,
									  const WaLayer *brought, WaPatch *plan,
									  char *error, size_t error_bytes);

/* Gives the references up, and is empty then. */
void wa_layer_end(WaLayer *layer);

/* Tells whether it is what an extent, or NULL, has; the caller has the lock. */
bool wa_layer_is_of(const WaLayer *layer, const WaExtent *extent);

/* Tells whether it has all columns of another one. */
bool wa_layer_has_all(const WaLayer *layer, const WaLayer *other);

/*
 * Puts all columns into an extent of the map, which takes the references over and has
 * room for them; the caller has the lock.
 */
void wa_layer_put(WaLayer *layer, WaExtent *extent, WaGarbage *garbage);

#endif /* WA_DAEMON_STORE_LAYER_H */
