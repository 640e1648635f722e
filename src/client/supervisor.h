/*
 * supervisor.h
 *		The background worker that keeps warpaggd running.
 */
#ifndef WA_CLIENT_SUPERVISOR_H
#define WA_CLIENT_SUPERVISOR_H

/* Name and type of the worker as pg_stat_activity and the log show it. */
#define WA_SUPERVISOR_NAME "warpagg supervisor"

/*
 * Registers the supervisor to start with the server, if the library is being
 * preloaded.  Called once, from _PG_init.
 */
extern void wa_supervisor_init(void);

/* Tells whether the library was preloaded, and the supervisor registered then. */
extern bool wa_supervisor_is_preloaded(void);

/*
 * Asks for a supervisor from a session that found no device process.  Does
 * nothing if the library was preloaded, if one was asked for in the cluster in
 * the last ten seconds, or if no worker slot is free, which is logged once: whoever
 * needs the device process tries again later.  Never raises an error.
 */
extern void wa_supervisor_launch(void);

#endif /* WA_CLIENT_SUPERVISOR_H */
