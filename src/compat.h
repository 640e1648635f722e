/*
 * compat.h
 *		The differences between PostgreSQL versions; the only place that looks
 *		at PG_VERSION_NUM.  Include it after postgres.h.
 */
#ifndef WA_COMPAT_H
#define WA_COMPAT_H

#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

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

/* Returns 1 or -1 for an infinite interval, which 17 brought, else 0. */
static inline int
interval_infinity_compat(const Interval *interval)
{
#if PG_VERSION_NUM >= 170000
	return INTERVAL_IS_NOEND(interval) - INTERVAL_IS_NOBEGIN(interval);
#else
	return 0;
#endif
}

/* Makes an interval infinite, with the sign that a sum of infinite ones has. */
static inline void
interval_set_infinity_compat(Interval *interval, int sign)
{
#if PG_VERSION_NUM >= 170000
	if (sign > 0)
		INTERVAL_NOEND(interval);
	else
		INTERVAL_NOBEGIN(interval);
#endif
}

#endif /* WA_COMPAT_H */
