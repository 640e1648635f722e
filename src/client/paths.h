/*
 * paths.h
 *		What the supervisor keeps at known paths: its lock, the link to the
 *		counters, the socket of the device process.
 *
 * Others may remove these files, replace them, or remove their whole directory.
 * Whoever looks for them then finds nothing, or a second supervisor takes a
 * lock of its own; so the supervisor looks after them once a second.  What it
 * mends it says in the log, once; what it cannot mend too, until it can.
 */
#ifndef WA_CLIENT_PATHS_H
#define WA_CLIENT_PATHS_H

#include "core/protocol.h"

/*
 * Takes the lock that only one supervisor can have, for life.  Returns false if
 * another process has it, or if its file cannot be opened, which is logged.
 */
extern bool wa_paths_lock(void);

/*
 * Sees to it that the lock at its path is the one that we hold.  Returns false if
 * it is another one that somebody else has.
 */
extern bool wa_paths_keep_lock(void);

/*
 * Sees to it that backends find the counters without the device process, by a link
 * to our descriptor of their file.
 */
extern void wa_paths_keep_counters(int counters_fd);

/* Tells whether a socket is the one at its path. */
extern bool wa_paths_has_socket(const WaFileIdentity *socket);

/*
 * Makes way for the device process to put a socket at its path: makes the
 * directory, and removes what is no socket.
 */
extern void wa_paths_prepare_socket(void);

#endif /* WA_CLIENT_PATHS_H */
