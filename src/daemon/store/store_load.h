/*
 * store_load.h
 *		A LOAD at work.
 *
 * Its columns are pinned and copied; then they take the places of all that there is of
 * the extent (store.c), or, as a patch, of some of its blocks (store_patch.c).
 */
#ifndef WA_DAEMON_STORE_LOAD_H
#define WA_DAEMON_STORE_LOAD_H

#include "daemon/store/store_evict.h"

/*
 * What there is of an extent, or of its overlay: a layout and columns, by the places of
 * the relation's records, with references to them; columns may be NULL, and all is 0 if
 * there is nothing.
 */
typedef struct WaLayer
{
	WaLayout *layout;
	uint32_t room; /* of columns */
	WaColumn **columns;
} WaLayer;

/* What it has made so far; belongs to the thread that does it. */
typedef struct WaLoad
{
	WaStore *store;
	const WaExtentHead *head;
	WaPins pins; /* of the head's columns */
	WaNeed need;
	WaLayer brought;
} WaLoad;

/* Does what is left of a LOAD that is a patch; a text is in error if that fails. */
WA_MUST_CHECK WaStatus wa_load_patch(WaLoad *load, char *error,
									 size_t error_bytes);

/*
 * Folds the overlay of the load's extent into it, if there is one: so that columns can be
 * added to all of its blocks.  Likewise.
 */
WA_MUST_CHECK WaStatus wa_load_fold(WaLoad *load, char *error,
									size_t error_bytes);

#endif /* WA_DAEMON_STORE_LOAD_H */
