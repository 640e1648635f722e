/*
 * loader.h
 *		Transactions of the background worker that loads (autoload_worker.c).
 */
#ifndef WA_RESIDENT_LOADER_H
#define WA_RESIDENT_LOADER_H

#include "utils/relcache.h"

/* How what is done for a relation has ended. */
typedef enum WaOutcome
{
	WA_OUTCOME_DONE, /* as far as it can be */
	WA_OUTCOME_GONE, /* there is no such relation any more */
	WA_OUTCOME_AGAIN /* it may go better another time */
} WaOutcome;

/*
 * Waits until the device process is ready, for a while, without a snapshot, and raises an
 * error if it does not get so.
 */
extern void wa_loader_require(void);

/* Begins a transaction, with a snapshot, and ends it. */
extern void wa_loader_begin(void);
extern void wa_loader_end(void);

/*
 * Ends a transaction that an error has left, having told it; returns its code.  To be
 * called where the error was caught.
 */
extern int wa_loader_recover(void);

/*
 * Does something, or nothing if it is NULL, in a transaction of its own, when the device
 * process is ready.  An error is told and ends it; returns its code, 0 if there was none.
 */
extern int wa_loader_try(void (*action)(void *arg), void *arg);

/*
 * Opens a relation, with AccessShareLock.  Returns NULL, and why in *outcome, if
 * somebody is about to change it, it is gone, or it cannot be resident.
 */
extern Relation wa_loader_open(Oid relid, WaOutcome *outcome);

#endif /* WA_RESIDENT_LOADER_H */
