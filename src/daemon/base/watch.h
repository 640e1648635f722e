/*
 * watch.h
 *		How long threads have been waiting for a GPU.
 *
 * Who goes to a GPU enters, and leaves when it is back.  All of it is changed and
 * read atomically, without a lock.
 */
#ifndef WA_DAEMON_WATCH_H
#define WA_DAEMON_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A query or a copy that has been at a GPU for so long hangs.  Queries enter when they
 * have their turn, so however many wait, none does for that.
 */
#define WA_GPU_HANG_MS 30000

/* Threads that are watched at a time; others are not. */
#define WA_WATCH_PLACES 64

typedef struct WaWatch
{
	int64_t since_ns[WA_WATCH_PLACES]; /* 0: nobody is at this place */
} WaWatch;

/*
 * Notes that a thread goes at this time, not 0; returns its place, for leaving.  NULL:
 * nobody watches.
 */
int wa_watch_enter(WaWatch *watch, int64_t now_ns);

/* Notes that it is back. */
void wa_watch_leave(WaWatch *watch, int place);

/* Tells whether a thread has been away for longer than so many milliseconds. */
bool wa_watch_exceeds(const WaWatch *watch, int64_t now_ns, int64_t ms);

#endif /* WA_DAEMON_WATCH_H */
