/*
 * store_evict.h
 *		What of the store makes room for other columns.
 *
 * The rule.  A column that is asked for, by warpagg_load, is told from one that is
 * loaded as queries would gain.  For a LOAD go, those of extents that were used longest
 * ago first:
 *
 *	1. columns that nobody has asked for;
 *	2. if the LOAD itself is asked for, columns that somebody has asked for;
 *
 * and never a column that a query has used, or a LOAD has brought, in the last keep_ns,
 * nor one of a pinned relation, nor what a query uses now.  Nor one of the LOAD's own
 * relation, so that a relation too large for the memory does not evict itself in a
 * circle, but for what the LOAD is going to replace.  A LOAD that finds no room so fails.
 * So does a patch, which needs room for columns of its extent beside those that there are.
 *
 * Columns that nobody has asked for take autoload_permille of the memory at most, and
 * those of pinned relations half of it: a LOAD beyond that fails, too, after columns
 * that nobody has asked for have gone; but not a patch, which brings little more than
 * there is.
 *
 * Only if the limit has been lowered, all of it goes in this order: 1, 2, what was used
 * lately, what is pinned.
 *
 * Copies on GPUs make room for others by the same rule.
 *
 * The caller has the store's lock where a function says so.
 */
#ifndef WA_DAEMON_STORE_EVICT_H
#define WA_DAEMON_STORE_EVICT_H

#include "daemon/store/store_map.h"

/* Why a column stays; the lower goes first. */
typedef enum WaKeep
{
	WA_KEEP_NOTHING, /* nobody has asked for it */
	WA_KEEP_ASKED,   /* somebody has */
	WA_KEEP_NEEDED,  /* it was used, or loaded, lately */
	WA_KEEP_PINNED,  /* its relation is pinned */
	WA_KEEP_CLASSES
} WaKeep;

/* Who needs room: a LOAD, whose columns are pinned as `pins` says. */
typedef struct WaNeed
{
	const WaPins *pins;
	const WaExtentHead *head;
	bool is_asked; /* somebody has asked for what it brings, or makes anew */
	bool is_patch; /* what is there of its extent stays until it is made anew */
} WaNeed;

/*
 * Tries to evict so many bytes.  need: a WaNeed, or NULL if the limit was lowered.
 * Returns whether anything went.  What make_room of the store's memory does; takes the
 * lock.
 */
bool wa_evict(void *store, const void *need, uint64_t bytes);

/*
 * Sees to it that a LOAD keeps to the shares of the memory, before it takes any.
 * Returns NULL, or why it cannot.  Takes the lock.
 */
const char *wa_evict_check_shares(WaStore *store, const WaNeed *need);

/* Notes what a LOAD has brought; the caller has the lock. */
void wa_evict_note_load(const WaNeed *need);

/* Notes that a query uses columns; the caller has the lock. */
void wa_evict_note_use(const WaPins *pins);

/* Returns why a column stays at a time of clock.h; the caller has the lock. */
WaKeep wa_evict_keep(const WaStore *store, const WaStoredRelation *relation,
					 uint32_t place, int64_t now_ns);

/* Evicts what is too much for the limit, unless it is in use. */
void wa_store_trim(WaStore *store);

/*
 * Pins a relation, or unpins it.  Returns WA_OK; or a text in error, and WA_BAD_REQUEST
 * if there is nothing of it to be pinned, or WA_OUT_OF_MEMORY if it is too much.
 */
WaStatus wa_store_pin(WaStore *store, const WaRelation *relation, bool pinned,
					  char *error, size_t error_bytes);

#endif /* WA_DAEMON_STORE_EVICT_H */
