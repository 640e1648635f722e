/*
 * refresh.h
 *		Reading again what has changed of relations that queries use.
 *
 * For the background worker (autoload.h), in rounds: each asks warpaggd what it has of
 * this database, and of each relation that a query has used in the last minute what WAL
 * has changed, and has only that read again.  A round lasts for a limited time, and
 * the pause behind it several times as long as the worker had a processor for it, of which
 * it so takes a bounded share; what is left is done in the next one.
 *
 * The functions are called outside of transactions, and raise no error but that the
 * process is to end.
 */
#ifndef WA_RESIDENT_REFRESH_H
#define WA_RESIDENT_REFRESH_H

#include "core/must_check.h"
#include "resident/queue.h"

typedef struct WaRefresh WaRefresh;

/* Returns what there is to remember, with nothing in it, for the process's life. */
extern WaRefresh *wa_refresh_begin(void);

/*
 * Does a round if one is due: if the last has been long enough ago.  Returns false if
 * there is no use in another: queries use nothing, the device process is away, or
 * warpagg.autoload is off.
 */
extern bool wa_refresh_round(WaRefresh *refresh);

/*
 * Waits until a round is due, or, if there was nothing to do lately, for a while longer,
 * but not if somebody sets the latch meanwhile.
 */
extern void wa_refresh_wait(WaRefresh *refresh);

/*
 * Tells whether columns that a query would gain from are to be loaded: some of them are
 * not resident, and were not when that was tried a moment ago.  What has only changed is
 * left to the rounds.
 */
extern WA_MUST_CHECK bool wa_refresh_lacks(WaRefresh *refresh,
										   const WaQueued *queued);

/* Notes that they have been loaded as far as they can be. */
extern void wa_refresh_note_load(WaRefresh *refresh, const WaQueued *queued);

#endif /* WA_RESIDENT_REFRESH_H */
