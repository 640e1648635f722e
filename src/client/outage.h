/*
 * outage.h
 *		What a backend does when it has to do without the device process.
 */
#ifndef WA_CLIENT_OUTAGE_H
#define WA_CLIENT_OUTAGE_H

#include "client/connection.h"
#include "core/counters.h"

/* Counts a buffer or a query that is left to the backend; returns false. */
extern bool wa_client_fall_back(WaFallback why);

/*
 * Notes that the device process failed: under warpagg.device = gpu an error;
 * else it is counted, warned of once per outage, and the device is left alone
 * for a while.  detail is a sentence without its period.  Returns false.
 */
extern bool wa_client_fail(WaFallback why, const char *detail);

/* Does that for an exchange of messages that was not completed. */
extern bool wa_client_fail_exchange(WaExchange exchange);

/* Tells whether the session still leaves the device alone. */
extern bool wa_client_is_resting(void);

/* Notes that the device process has done its work: the outage is over. */
extern void wa_client_recover(void);

#endif /* WA_CLIENT_OUTAGE_H */
