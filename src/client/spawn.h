/*
 * spawn.h
 *		Starting, signalling and reaping warpaggd.
 */
#ifndef WA_CLIENT_SPAWN_H
#define WA_CLIENT_SPAWN_H

#include <sys/types.h>

#include "core/counters.h"
#include "core/must_check.h"

/* A running warpaggd as its supervisor sees it. */
typedef struct WaDaemonProcess
{
	pid_t pid;      /* 0: none is running */
	int control_fd; /* our end of the control socket */
	int log_fd;     /* our end of its standard error, non-blocking */
} WaDaemonProcess;

/*
 * Makes the file that holds the counters and maps it.  Returns the counters
 * and the descriptor of the sealed file; raises an error if that fails.
 */
extern WaCounters *wa_spawn_make_counters(int *counters_fd);

/*
 * Starts the program at a path as warpaggd, with clean signals and with no
 * descriptors but its log, the control socket and the counters.  Returns 0, or an
 * error number if that fails.
 */
extern WA_MUST_CHECK int wa_spawn_daemon(WaDaemonProcess *process,
										 const char *path, int counters_fd);

/*
 * Starts the program at a path only to have it tell, by what it ends with, whether
 * it speaks our version of the protocol: 0 or WA_EXIT_OTHER_VERSION.  Returns the
 * process, or 0 if that fails.
 */
extern WA_MUST_CHECK pid_t wa_spawn_probe(const char *path);

/*
 * Ends warpaggd, if one is running: closes its descriptors, which alone makes
 * it end, sends SIGTERM, and SIGKILL once grace_ms have passed, and reaps it.
 * Returns its wait status, or -1 if it could not be reaped in time: a process
 * that is stuck in a driver cannot be.
 */
extern int wa_spawn_end(WaDaemonProcess *process, int grace_ms);

#endif /* WA_CLIENT_SPAWN_H */
