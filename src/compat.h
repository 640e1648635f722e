/*
 * compat.h
 *		The differences between PostgreSQL versions; the only place that looks
 *		at PG_VERSION_NUM.  Include it after postgres.h.
 */
#ifndef WA_COMPAT_H
#define WA_COMPAT_H

#include "storage/latch.h"
#include "utils/memutils.h"

#if PG_VERSION_NUM < 150000
#error "warpagg needs PostgreSQL 15 or later"
#endif

#if PG_VERSION_NUM >= 180000
#include "storage/waiteventset.h"
#endif

/* Makes a wait event set that lives until FreeWaitEventSet. */
static inline WaitEventSet *
create_wait_event_set_compat(int nevents)
{
#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(NULL, nevents);
#else
	return CreateWaitEventSet(TopMemoryContext, nevents);
#endif
}

#endif /* WA_COMPAT_H */
