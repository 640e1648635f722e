/*
 * supervisor.c
 *		The background worker that keeps warpaggd running.
 *
 * There is one per cluster: it holds the lock of WA_LOCK_PATH for life, and
 * whoever does not get the lock exits with 0, which unregisters it; one that the
 * server started by preloading waits for it.  It starts warpaggd, forwards its
 * log, sends it a ping every second, tells it of changed settings and of what WAL
 * has changed (following.h), and starts it again, with growing pauses, when it has
 * ended or has been silent for too long.  When it ends itself outside a shutdown it
 * exits with 1, so that the postmaster starts it again.
 *
 * It sees to it that what others look for stays where it is (paths.h), and to
 * what becomes of the program's file (program.h):
 *
 *	warpaggd's file       library's file   what the supervisor does
 *	the same              any              nothing
 *	new, same version     any              has warpaggd end when it is idle, and
 *	                                       starts the new one
 *	new, other version    the same, or     goes on with the one that runs, and says
 *	                      preloaded        that the server has to be restarted
 *	new, other version    new              has warpaggd end when it is idle, and
 *	                                       ends: its successor is of the new library
 *	gone, or does not run any              goes on with the one that runs, and says so
 *
 * If none runs there is no need to wait.  A session whose library is of another
 * version than the warpaggd that runs says so in the log and does without it
 * (connection.c).
 *
 * It has no database connection and no shared memory of its own; all its state
 * is in the one Supervisor struct.  The counters (core/counters.h) lie in a
 * memory file that it makes and that warpaggd hands on to the backends; what is
 * to be known of warpaggd itself is there, too (core/condition.h).  Time is that
 * of a clock that nobody sets.
 */
#include "postgres.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "client/channel.h"
#include "client/following.h"
#include "client/paths.h"
#include "client/program.h"
#include "client/spawn.h"
#include "client/supervisor.h"
#include "compat.h"
#include "core/protocol.h"
#include "settings.h"

#define LOOK_INTERVAL_MS 1000
#define SILENCE_LIMIT_MS 15000
#define END_GRACE_MS     5000
#define FIRST_PAUSE_MS   100
#define LONGEST_PAUSE_MS 60000

/* A daemon that lived so long is restarted as if it were the first. */
#define GOOD_LIFE_MS 60000

/* One for which there was nothing to do for so long may be replaced. */
#define IDLE_MS 10000

/* Why a daemon that runs is to be replaced when it is idle. */
typedef enum Replacement
{
	REPLACE_NOTHING = 0,
	REPLACE_DAEMON,    /* by a new program of the same version */
	REPLACE_SUPERVISOR /* by one with a new library, and so both */
} Replacement;

typedef struct Supervisor
{
	WaDaemonProcess daemon;
	WaitEventSet *events; /* while a daemon is running */
	WaCounters *counters;
	int counters_fd;
	WaConditionFields condition; /* as it was published */
	WaProgramWatch program;
	Replacement replacement;
	bool retiring;     /* the daemon has been told to end if it is idle */
	int pause_ms;      /* before the next start */
	int64 look_ms;     /* when to look after files and send the next ping */
	int64 start_ms;    /* of the daemon's start, or when the next is due */
	int64 heard_ms;    /* when it last answered */
	int64 idle_ms;     /* since when there has been nothing to do for it */
	int64 activity;    /* what it had done by then */
	int64 mend_ms;     /* when to have it make its socket anew again */
	int mend_pause_ms; /* after that; 0: the socket is there */
	uint32 pings;
	WaFollowing following; /* of WAL, for the daemon that runs */
	WaChannelLog log;
} Supervisor;

PGDLLEXPORT void wa_supervisor_main(Datum argument);

/* Has everybody know what has become of the daemon. */
static void
publish(Supervisor *supervisor)
{
	supervisor->condition.supervisor_pid = MyProcPid;
	supervisor->condition.pid = (int32) supervisor->daemon.pid;
	wa_condition_write(&supervisor->counters->condition,
					   &supervisor->condition);
}

/* Publishes when something happened that only readers need to know of. */
static void
publish_time(int64_t *time_ms, int64 now_ms)
{
	__atomic_store_n(time_ms, now_ms, __ATOMIC_RELAXED);
}

/* Waits for a while, if there is no daemon to wait for. */
static void
rest(int64 wait_ms)
{
	if (wait_ms > 0)
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 wait_ms, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/*
 * Takes the lock that only one supervisor can have, or does not return.  Nobody
 * registers a supervisor in the place of one that was preloaded, so that one
 * waits.
 */
static void
become_the_only_one(void)
{
	bool said = false;

	while (!wa_paths_lock())
	{
		if (!wa_supervisor_is_preloaded())
			proc_exit(0);
		if (!said)
			ereport(LOG,
					(errmsg("another process holds the lock of \"%s\"",
							WA_LOCK_PATH),
					 errdetail("The %s waits for it.", WA_SUPERVISOR_NAME)));
		said = true;
		rest(LOOK_INTERVAL_MS);
		if (ShutdownRequestPending)
			proc_exit(1);
	}
}

/*
 * Plans the next start, after the pause.  A failure, unless reason is NULL, is
 * noted; returns whether it is another one than the last.
 */
static bool
plan_start(Supervisor *supervisor, const char *reason)
{
	WaConditionFields *condition = &supervisor->condition;
	bool is_new = false;

	supervisor->start_ms = wa_condition_now_ms() + supervisor->pause_ms;
	publish_time(&supervisor->counters->condition.heard_ms, 0);
	condition->version = 0;
	condition->up_since = 0;
	condition->next_start = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
														supervisor->pause_ms);
	if (reason != NULL)
	{
		is_new = strncmp(condition->reason, reason,
						 sizeof(condition->reason) - 1) != 0;
		condition->last_failure = GetCurrentTimestamp();
		strlcpy(condition->reason, reason, sizeof(condition->reason));
	}
	publish(supervisor);
	return is_new;
}

/* Makes the set of events that are waited for while the daemon runs. */
static WaitEventSet *
make_events(const WaDaemonProcess *daemon)
{
	WaitEventSet *events = create_wait_event_set_compat(4);

	AddWaitEventToSet(events, WL_LATCH_SET, PGINVALID_SOCKET, MyLatch, NULL);
	AddWaitEventToSet(events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET, NULL,
					  NULL);
	AddWaitEventToSet(events, WL_SOCKET_READABLE, daemon->control_fd, NULL,
					  NULL);
	AddWaitEventToSet(events, WL_SOCKET_READABLE, daemon->log_fd, NULL, NULL);
	return events;
}

/* Starts the daemon, or sets the time of the next try. */
static void
start_daemon(Supervisor *supervisor, int64 now_ms)
{
	WaProgram *program = &supervisor->program.started;
	int error;

	wa_paths_prepare_socket();
	wa_program_find(program);
	supervisor->program.seen = *program;
	memset(&supervisor->log, 0, sizeof(supervisor->log));
	memset(&supervisor->following, 0, sizeof(supervisor->following));
	__atomic_store_n(&supervisor->counters->followed, 0, __ATOMIC_RELAXED);
	supervisor->mend_pause_ms = 0;
	supervisor->start_ms = supervisor->heard_ms = supervisor->idle_ms = now_ms;
	error = wa_spawn_daemon(&supervisor->daemon, program->path,
							supervisor->counters_fd);
	if (error != 0)
	{
		char *reason = psprintf("could not start \"%s\": %s", program->path,
								strerror(error));

		supervisor->pause_ms = LONGEST_PAUSE_MS;
		ereport(plan_start(supervisor, reason) ? LOG : DEBUG1,
				(errmsg_internal("%s", reason)));
		pfree(reason);
		return;
	}
	wa_counter_add(&supervisor->counters->starts, 1);
	publish_time(&supervisor->counters->condition.heard_ms, now_ms);
	supervisor->condition.up_since = GetCurrentTimestamp();
	supervisor->condition.next_start = 0;
	publish(supervisor);
	supervisor->events = make_events(&supervisor->daemon);
	wa_channel_send_settings(&supervisor->daemon);
}

/*
 * Says that the program is of another version than we are; ends the supervisor if
 * the postmaster will start one that is not.
 */
static void
report_other_version(const char *path)
{
	const bool preloaded = wa_supervisor_is_preloaded();

	if (!preloaded && wa_program_library_is_replaced())
	{
		ereport(LOG,
				(errmsg("library and device process of warpagg have been "
						"replaced by those of another version"),
				 errdetail("The %s is started anew.", WA_SUPERVISOR_NAME)));
		proc_exit(1);
	}
	ereport(WARNING,
			(errmsg("\"%s\" is of another version than the library of warpagg",
					path),
			 errdetail("It cannot be started; queries go on on the CPU."),
			 preloaded ? errhint("Restart the server.")
					   : errhint("Install library and program of the same "
								 "version.")));
}

/* Puts into words how the daemon ended. */
static void
describe_end(const Supervisor *supervisor, int status, char *how, size_t bytes)
{
	if (status == -1)
		strlcpy(how, "does not end", bytes);
	else if (WIFSIGNALED(status))
		snprintf(how, bytes, "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, bytes, "exited with code %d", WEXITSTATUS(status));
	if (supervisor->log.warning[0] != '\0')
		snprintf(how + strlen(how), bytes - strlen(how), ": %s",
				 supervisor->log.warning);
}

/* Notes, and says in the log, that the daemon has ended unasked. */
static void
note_failure(Supervisor *supervisor, int status, const char *silence)
{
	const bool other_version =
		WIFEXITED(status) && WEXITSTATUS(status) == WA_EXIT_OTHER_VERSION;
	char how[WA_REASON_BYTES];
	bool is_new;

	wa_counter_add(&supervisor->counters->failures, 1);
	if (silence != NULL)
		strlcpy(how, silence, sizeof(how));
	else
		describe_end(supervisor, status, how, sizeof(how));
	if (other_version)
		supervisor->pause_ms = LONGEST_PAUSE_MS;
	else if (wa_condition_now_ms() - supervisor->start_ms > GOOD_LIFE_MS)
		supervisor->pause_ms = FIRST_PAUSE_MS;
	else
		supervisor->pause_ms = Min(supervisor->pause_ms * 2, LONGEST_PAUSE_MS);
	is_new = plan_start(supervisor, how);
	if (other_version && is_new)
		report_other_version(supervisor->program.started.path);
	ereport(!other_version || is_new ? LOG : DEBUG1,
			(errmsg("device process warpaggd %s", how),
			 errdetail("Queries go on on the CPU; the device process is "
					   "started again in %d ms.",
					   supervisor->pause_ms)));
}

/*
 * Cleans up after a daemon that has ended, or is to end as it has been silent, and
 * plans the next.
 */
static void
replace_daemon(Supervisor *supervisor, const char *silence)
{
	const Replacement replacement = supervisor->replacement;
	int status;

	wa_channel_forward_log(&supervisor->daemon, &supervisor->log);
	FreeWaitEventSet(supervisor->events);
	supervisor->events = NULL;
	wa_program_stop_looking(&supervisor->program);
	status = wa_spawn_end(&supervisor->daemon, 0);
	supervisor->replacement = REPLACE_NOTHING;
	if (supervisor->retiring && silence == NULL && WIFEXITED(status) &&
		WEXITSTATUS(status) == EXIT_SUCCESS)
	{
		if (replacement == REPLACE_SUPERVISOR)
			proc_exit(1);
		supervisor->pause_ms = 0;
		(void) plan_start(supervisor, NULL);
		supervisor->pause_ms = FIRST_PAUSE_MS / 2;
	}
	else
		note_failure(supervisor, status, silence);
	supervisor->retiring = false;
}

/* Has the daemon make its socket anew if what it has is not at the path. */
static void
mend_socket(Supervisor *supervisor, const WaPongMessage *pong, int64 now_ms)
{
	const bool is_there = wa_paths_has_socket(&pong->socket);

	if (is_there && supervisor->mend_pause_ms > LOOK_INTERVAL_MS)
		ereport(LOG,
				(errmsg("socket \"%s\" has been made anew", WA_SOCKET_PATH)));
	if (is_there)
		supervisor->mend_pause_ms = 0;
	if (is_there ||
		(supervisor->mend_pause_ms > 0 && now_ms < supervisor->mend_ms))
		return;
	if (supervisor->mend_pause_ms == 0)
		ereport(LOG, (errmsg("socket \"%s\" of the device process was removed "
							 "or replaced and is made anew",
							 WA_SOCKET_PATH)));
	wa_paths_prepare_socket();
	wa_channel_send(&supervisor->daemon, WA_MSG_LISTEN, ++supervisor->pings);
	supervisor->mend_pause_ms = Min(
		Max(supervisor->mend_pause_ms * 2, LOOK_INTERVAL_MS), LONGEST_PAUSE_MS);
	supervisor->mend_ms = now_ms + supervisor->mend_pause_ms;
}

/* Notes since when the daemon has had nothing to do. */
static void
note_idleness(Supervisor *supervisor, const WaPongMessage *pong, int64 now_ms)
{
	const WaCounters *counters = supervisor->counters;
	const int64 activity = wa_counter_get(&counters->connections) +
						   wa_counter_get(&counters->requests) +
						   wa_counter_get(&counters->loads) +
						   wa_counter_get(&counters->queries);

	if (pong->working > 0 || activity != supervisor->activity)
		supervisor->idle_ms = now_ms;
	supervisor->activity = activity;
}

/* Takes the answer to a ping. */
static void
take_pong(Supervisor *supervisor, const WaPongMessage *pong)
{
	const int64 now_ms = wa_condition_now_ms();

	supervisor->heard_ms = now_ms;
	publish_time(&supervisor->counters->condition.heard_ms, now_ms);
	if (supervisor->condition.version != (int32) pong->version)
	{
		supervisor->condition.version = (int32) pong->version;
		publish(supervisor);
	}
	mend_socket(supervisor, pong, now_ms);
	note_idleness(supervisor, pong, now_ms);
}

/* Takes a message of the daemon's. */
static void
take(Supervisor *supervisor, const WaMessage *message)
{
	if (message->header.type == WA_MSG_PONG)
		take_pong(supervisor, &message->pong);
	else if (message->header.type == WA_MSG_FOLLOWED)
		wa_following_hear(&supervisor->following, &message->followed,
						  wa_condition_now_ms());
}

/*
 * Reads what the daemon sent.  Returns false if it has closed its end, which
 * it does only by ending.
 */
static bool
hear(Supervisor *supervisor)
{
	WaMessage message;
	ssize_t length;

	while ((length = recv(supervisor->daemon.control_fd, &message,
						  sizeof(message), MSG_DONTWAIT)) > 0)
		if (wa_message_is_sound(&message, (size_t) length) &&
			wa_message_is_intact(&message, (size_t) length))
			take(supervisor, &message);
	return length < 0 &&
		   (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* Sees what has become of the program's file, and says so. */
static void
look_at_program(Supervisor *supervisor)
{
	const char *path = supervisor->program.seen.path;
	const bool preloaded = wa_supervisor_is_preloaded();

	switch (wa_program_look(&supervisor->program))
	{
		case WA_PROGRAM_NO_NEWS:
			return;
		case WA_PROGRAM_NEW:
			supervisor->replacement = REPLACE_DAEMON;
			ereport(LOG, (errmsg("\"%s\" has been replaced", path),
						  errdetail("The device process is restarted when it "
									"has had nothing to do for %d s.",
									IDLE_MS / 1000)));
			return;
		case WA_PROGRAM_OTHER_VERSION:
			if (!preloaded && wa_program_library_is_replaced())
				supervisor->replacement = REPLACE_SUPERVISOR;
			break;
		case WA_PROGRAM_UNUSABLE:
			break;
	}
	if (supervisor->replacement == REPLACE_SUPERVISOR)
		ereport(LOG,
				(errmsg("\"%s\" has been replaced by another version", path),
				 errdetail("The %s and the device process are restarted "
						   "when there has been nothing to do for %d s.",
						   WA_SUPERVISOR_NAME, IDLE_MS / 1000)));
	else
		ereport(
			WARNING,
			(errmsg("\"%s\" has been replaced by what cannot be used", path),
			 errdetail("It is of another version, or does not run; the "
					   "device process goes on as it is until it ends."),
			 preloaded ? errhint("Restart the server.")
					   : errhint("Install library and program of the same "
								 "version.")));
}

/* Does what is due once a second, whether or not a daemon runs. */
static void
look_after_all(Supervisor *supervisor, int64 now_ms)
{
	if (now_ms < supervisor->look_ms)
		return;
	supervisor->look_ms = now_ms + LOOK_INTERVAL_MS;
	publish_time(&supervisor->counters->condition.looked_ms, now_ms);
	if (!wa_paths_keep_lock())
	{
		ereport(LOG, (errmsg("another process has taken the lock of \"%s\"",
							 WA_LOCK_PATH),
					  errdetail("This %s ends.", WA_SUPERVISOR_NAME)));
		proc_exit(wa_supervisor_is_preloaded() ? 1 : 0);
	}
	wa_paths_keep_counters(supervisor->counters_fd);
	if (supervisor->daemon.pid == 0)
		return;
	look_at_program(supervisor);
	if (supervisor->replacement != REPLACE_NOTHING &&
		now_ms - supervisor->idle_ms > IDLE_MS)
	{
		supervisor->retiring = true;
		wa_channel_send(&supervisor->daemon, WA_MSG_RETIRE,
						++supervisor->pings);
	}
	wa_channel_send(&supervisor->daemon, WA_MSG_PING, ++supervisor->pings);
}

/* Waits for something to happen to the running daemon, and sees to it. */
static void
attend(Supervisor *supervisor)
{
	const uint64 followed =
		__atomic_load_n(&supervisor->counters->followed, __ATOMIC_RELAXED);
	const int rest_ms =
		wa_following_turn(&supervisor->following, &supervisor->daemon, followed,
						  wa_condition_now_ms());
	WaitEvent event;
	bool alive;

	if (WaitEventSetWait(supervisor->events, Min(rest_ms, LOOK_INTERVAL_MS),
						 &event, 1, PG_WAIT_EXTENSION) == 1 &&
		(event.events & WL_LATCH_SET) != 0)
		ResetLatch(MyLatch);
	wa_channel_forward_log(&supervisor->daemon, &supervisor->log);
	alive = hear(supervisor);
	if (!alive)
		replace_daemon(supervisor, NULL);
	else if (wa_condition_now_ms() - supervisor->heard_ms > SILENCE_LIMIT_MS)
	{
		char *silence = psprintf("has not answered for %d s and is ended",
								 SILENCE_LIMIT_MS / 1000);

		replace_daemon(supervisor, silence);
		pfree(silence);
	}
}

/*
 * Waits until the next start is due, or something else is.  It is at once when the
 * program has been replaced.
 */
static void
pause_before_start(Supervisor *supervisor, int64 now_ms)
{
	WaProgram now;

	wa_program_find(&now);
	if (!wa_program_is_same(&now, &supervisor->program.started))
		supervisor->start_ms = now_ms;
	rest(Min(supervisor->start_ms - now_ms, LOOK_INTERVAL_MS));
}

/* Ends the daemon together with the supervisor. */
static void
end_daemon(int code, Datum argument)
{
	Supervisor *supervisor = (Supervisor *) DatumGetPointer(argument);

	wa_program_stop_looking(&supervisor->program);
	(void) wa_spawn_end(&supervisor->daemon, END_GRACE_MS);
}

/* The worker's main function; the postmaster calls it by name. */
void
wa_supervisor_main(Datum argument)
{
	static Supervisor supervisor; /* outlives this frame for end_daemon */

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	(void) wa_program_library_is_replaced();
	become_the_only_one();

	supervisor.pause_ms = FIRST_PAUSE_MS / 2;
	supervisor.start_ms = wa_condition_now_ms();
	supervisor.counters = wa_spawn_make_counters(&supervisor.counters_fd);
	wa_program_find(&supervisor.program.started);
	publish(&supervisor);
	before_shmem_exit(end_daemon, PointerGetDatum(&supervisor));

	while (!ShutdownRequestPending)
	{
		int64 now_ms = wa_condition_now_ms();

		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			if (supervisor.daemon.pid != 0)
				wa_channel_send_settings(&supervisor.daemon);
		}
		look_after_all(&supervisor, now_ms);
		if (supervisor.daemon.pid != 0)
			attend(&supervisor);
		else if (now_ms >= supervisor.start_ms)
			start_daemon(&supervisor, now_ms);
		else
			pause_before_start(&supervisor, now_ms);
	}
	proc_exit(1);
}
