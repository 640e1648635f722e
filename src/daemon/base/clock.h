/*
 * clock.h
 *		The one clock of the device process.
 */
#ifndef WA_DAEMON_CLOCK_H
#define WA_DAEMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define WA_NS_PER_MS ((int64_t) 1000000)
#define WA_NS_PER_S  ((int64_t) 1000000000)

/* Returns nanoseconds since some moment in the past, never going back. */
static inline int64_t
wa_clock_ns(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * WA_NS_PER_S + now.tv_nsec;
}

#endif /* WA_DAEMON_CLOCK_H */
