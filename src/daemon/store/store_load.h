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

/* What it has made so far; belongs to the thread that does it. */
typedef struct WaLoad
{
	WaStore *store;
	const WaExtentHead *head;
	WaPins pins; /* of the head's columns */
	WaNeed need;
	WaLayout *layout; /* or NULL, like the columns */
	WaDictionary *dictionaries[WA_MAX_RESIDENT_COLUMNS];
	WaColumn *columns[WA_MAX_RESIDENT_COLUMNS];
} WaLoad;

/*
 * Pins the columns of a sound head, which it makes known if they are not.  If there is no
 * memory there is nothing to be ended.
 */
WA_MUST_CHECK WaStatus wa_load_begin(WaLoad *load, WaStore *store,
									 const WaExtentHead *head);

/* Copies one of the head's columns; a text is in error if that fails. */
WA_MUST_CHECK WaStatus wa_load_copy(WaLoad *load, uint32_t i,
									const uint8_t *parcel, char *error,
									size_t error_bytes);

/* Does what is left of a LOAD that is a patch; likewise. */
WA_MUST_CHECK WaStatus wa_load_patch(WaLoad *load, const uint8_t *parcel,
									 char *error, size_t error_bytes);

/*
 * Folds the overlay of the load's extent into it, if there is one: so that columns can be
 * added to all of its blocks.  Likewise.
 */
WA_MUST_CHECK WaStatus wa_load_fold(WaLoad *load, char *error,
									size_t error_bytes);

/* Gives back what is left of a load. */
void wa_load_end(WaLoad *load);

#endif /* WA_DAEMON_STORE_LOAD_H */
