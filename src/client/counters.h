/*
 * counters.h
 *		The cluster's counters, as one backend finds them.
 */
#ifndef WA_CLIENT_COUNTERS_H
#define WA_CLIENT_COUNTERS_H

#include "core/protocol.h"

/*
 * Puts the cluster's counters, which are in a file, in the place of our own and
 * adds those.  Returns false if it is no such file.
 */
extern bool wa_counters_adopt(int fd);

/*
 * Looks for them where the supervisor has them, unless they are known, from there or
 * from a connection that was attached; tells whether they are.
 */
extern bool wa_counters_find(void);

/* Looks for them even if they are known: there may be another supervisor. */
extern bool wa_counters_renew(void);

/*
 * Returns the counters: those of the cluster once they are known, before that some of
 * this process that are added to them then.
 */
extern WaCounters *wa_counters(void);

/* Returns how far WAL has been followed, as a hint; 0: not at all, or not known. */
extern uint64 wa_counters_followed(void);

#endif /* WA_CLIENT_COUNTERS_H */
