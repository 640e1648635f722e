/*
 * outage.h
 *		What a backend does when it has to do without the device process.
 */
#ifndef WA_CLIENT_OUTAGE_H
#define WA_CLIENT_OUTAGE_H

#include "client/trouble.h"
#include "core/counters.h"

/* Counts a buffer or a query that is left to the backend; returns false. */
extern bool wa_client_fall_back(WaFallback why);

/* Returns the reason to count, and the SQLSTATE, of how a request failed. */
extern WaFallback wa_client_reason(const WaTrouble *trouble);
extern int wa_client_errcode(WaStatus status);

/*
 * Notes that the device process failed, as trouble.h says: under warpagg.device = gpu an
 * error; else it is counted, warned of once per outage, and the device is left alone
 * for a while.  Returns false.
 */
extern bool wa_client_fail(void);

/* Has the session leave the device alone for a while. */
extern void wa_client_rest(void);

/*
 * Tells whether the session still leaves the device alone, or has to, as the
 * device process is silent.
 */
extern bool wa_client_is_resting(void);

/* A supervisor that has not been at work for so long cannot tell anything. */
#define WA_UNWATCHED_MS 5000

/*
 * Tells whether the device process is known to be silent: it does not answer the
 * supervisor, so nobody need wait to find that out.
 */
extern bool wa_client_is_silent(void);

/* Notes that the device process has done its work: the outage is over. */
extern void wa_client_recover(void);

#endif /* WA_CLIENT_OUTAGE_H */
