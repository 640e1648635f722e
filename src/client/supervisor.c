/*
 * supervisor.c
 *		The background worker that keeps warpaggd running.
 *
 * There is one per cluster: it holds the lock of WA_LOCK_PATH for life, and
 * whoever does not get the lock exits with 0, which unregisters it.  It starts
 * warpaggd, forwards its log, sends it a ping every second, tells it of
 * changed settings, and starts it again, with growing pauses, when it has
 * ended or has been silent for too long.  When it ends itself outside a
 * shutdown it exits with 1, so that the postmaster starts it again.
 *
 * It has no database connection and no shared memory of its own; all its state
 * is in the one Supervisor struct.  The counters (core/counters.h) lie in a
 * memory file that it makes and that warpaggd hands on to the backends.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "client/spawn.h"
#include "client/supervisor.h"
#include "compat.h"
#include "core/protocol.h"
#include "settings.h"

#define PING_INTERVAL_MS 1000
#define SILENCE_LIMIT_MS 15000
#define END_GRACE_MS     5000
#define FIRST_PAUSE_MS   100
#define LONGEST_PAUSE_MS 60000

/* A daemon that lived so long is restarted as if it were the first. */
#define GOOD_LIFE_MS 60000

typedef struct Supervisor
{
	WaDaemonProcess daemon;
	WaitEventSet *events; /* while a daemon is running */
	WaCounters *counters;
	int counters_fd;
	int pause_ms; /* before the next start */
	TimestampTz started;
	TimestampTz next_start;
	TimestampTz last_ping;
	TimestampTz last_heard;
	uint32 pings;
	char line[1024]; /* of the daemon's log, so far without its end */
	int line_length;
} Supervisor;

PGDLLEXPORT void wa_supervisor_main(Datum argument);

/* Takes the lock that only one supervisor can have, for life. */
static bool
become_the_only_one(void)
{
	int fd = open(WA_LOCK_PATH, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", WA_LOCK_PATH)));
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Logs one line of the daemon's: "LEVEL: text". */
static void
forward_line(const char *line)
{
	int level = strncmp(line, "WARNING: ", 9) == 0 ? WARNING : LOG;
	const char *colon = strstr(line, ": ");

	ereport(level, (errmsg("warpaggd: %s", colon ? colon + 2 : line)));
}

/* Forwards what the daemon has logged. */
static void
forward_log(Supervisor *supervisor)
{
	char bytes[4096];
	ssize_t length = read(supervisor->daemon.log_fd, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < length; i++)
	{
		bool full =
			supervisor->line_length >= (int) sizeof(supervisor->line) - 1;

		if (bytes[i] == '\n' || full)
		{
			supervisor->line[supervisor->line_length] = '\0';
			forward_line(supervisor->line);
			supervisor->line_length = 0;
		}
		if (bytes[i] != '\n')
			supervisor->line[supervisor->line_length++] = bytes[i];
	}
}

/* Sends a message to the daemon; it does not matter if that fails. */
static void
send_control(Supervisor *supervisor, WaHeader *message)
{
	wa_message_seal(message);
	if (send(supervisor->daemon.control_fd, message, message->length,
			 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		ereport(DEBUG1, (errmsg("could not write to warpaggd: %m")));
}

/* Sends the settings that the daemon goes by. */
static void
send_settings(Supervisor *supervisor)
{
	WaSettingsMessage message = {0};

	wa_message_begin(&message.header, WA_MSG_SETTINGS, sizeof(message), 0);
	message.version = WA_PROTOCOL_VERSION;
	message.device = wa_device == WA_WANT_CPU ? WA_WANT_CPU : WA_WANT_ANY;
	message.staging_bytes = (uint64) wa_staging_memory_kb * 1024;
	message.memory_limit = (uint64) wa_memory_limit_kb * 1024;
	send_control(supervisor, &message.header);
}

/* Sends a ping if one is due. */
static void
ping(Supervisor *supervisor, TimestampTz now)
{
	WaSimpleMessage message = {0};

	if (!TimestampDifferenceExceeds(supervisor->last_ping, now,
									PING_INTERVAL_MS))
		return;
	supervisor->last_ping = now;
	wa_message_begin(&message.header, WA_MSG_PING, sizeof(message),
					 ++supervisor->pings);
	message.version = WA_PROTOCOL_VERSION;
	send_control(supervisor, &message.header);
}

/* Starts the daemon, or sets the time of the next try. */
static void
start_daemon(Supervisor *supervisor, TimestampTz now)
{
	supervisor->started = supervisor->last_ping = supervisor->last_heard = now;
	if (!wa_spawn_daemon(&supervisor->daemon, supervisor->counters_fd))
	{
		supervisor->pause_ms = LONGEST_PAUSE_MS;
		supervisor->next_start =
			TimestampTzPlusMilliseconds(now, supervisor->pause_ms);
		return;
	}
	wa_counter_add(&supervisor->counters->starts, 1);
	supervisor->line_length = 0;
	supervisor->events = create_wait_event_set_compat(4);
	AddWaitEventToSet(supervisor->events, WL_LATCH_SET, PGINVALID_SOCKET,
					  MyLatch, NULL);
	AddWaitEventToSet(supervisor->events, WL_EXIT_ON_PM_DEATH, PGINVALID_SOCKET,
					  NULL, NULL);
	AddWaitEventToSet(supervisor->events, WL_SOCKET_READABLE,
					  supervisor->daemon.control_fd, NULL, NULL);
	AddWaitEventToSet(supervisor->events, WL_SOCKET_READABLE,
					  supervisor->daemon.log_fd, NULL, NULL);
	send_settings(supervisor);
}

/* Says in the log how the daemon ended. */
static void
report_end(int status, int next_ms)
{
	char how[64];

	if (status == -1)
		strlcpy(how, "does not end", sizeof(how));
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exited with code %d", WEXITSTATUS(status));
	ereport(LOG, (errmsg("device process warpaggd %s", how),
				  errdetail("Queries go on on the CPU; the device process is "
							"started again in %d ms.",
							next_ms)));
}

/* Cleans up after a daemon that has ended or is to end, and plans the next. */
static void
replace_daemon(Supervisor *supervisor, TimestampTz now)
{
	int status;

	forward_log(supervisor);
	FreeWaitEventSet(supervisor->events);
	supervisor->events = NULL;
	status = wa_spawn_end(&supervisor->daemon, 0);
	wa_counter_add(&supervisor->counters->failures, 1);
	if (TimestampDifferenceExceeds(supervisor->started, now, GOOD_LIFE_MS))
		supervisor->pause_ms = FIRST_PAUSE_MS;
	else
		supervisor->pause_ms = Min(supervisor->pause_ms * 2, LONGEST_PAUSE_MS);
	supervisor->next_start =
		TimestampTzPlusMilliseconds(now, supervisor->pause_ms);
	report_end(status, supervisor->pause_ms);
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
			wa_message_is_intact(&message, (size_t) length) &&
			message.header.type == WA_MSG_PONG)
			supervisor->last_heard = GetCurrentTimestamp();
	return length < 0 &&
		   (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* Waits for something to happen to the running daemon, and sees to it. */
static void
attend(Supervisor *supervisor)
{
	WaitEvent event;
	TimestampTz now;
	bool alive;

	if (WaitEventSetWait(supervisor->events, PING_INTERVAL_MS, &event, 1,
						 PG_WAIT_EXTENSION) == 1 &&
		(event.events & WL_LATCH_SET) != 0)
		ResetLatch(MyLatch);
	forward_log(supervisor);
	alive = hear(supervisor);
	now = GetCurrentTimestamp();
	if (alive && TimestampDifferenceExceeds(supervisor->last_heard, now,
											SILENCE_LIMIT_MS))
	{
		ereport(LOG, (errmsg("device process warpaggd has not answered for "
							 "%d s and is ended",
							 SILENCE_LIMIT_MS / 1000)));
		alive = false;
	}
	if (alive)
		ping(supervisor, now);
	else
		replace_daemon(supervisor, now);
}

/* Waits until the next start is due, or something else is. */
static void
pause_before_start(Supervisor *supervisor, TimestampTz now)
{
	long wait_ms = TimestampDifferenceMilliseconds(now, supervisor->next_start);

	if (wait_ms > 0)
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 wait_ms, PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/* Ends the daemon together with the supervisor. */
static void
end_daemon(int code, Datum supervisor)
{
	(void) wa_spawn_end(&((Supervisor *) DatumGetPointer(supervisor))->daemon,
						END_GRACE_MS);
}

/* The worker's main function; the postmaster calls it by name. */
void
wa_supervisor_main(Datum argument)
{
	static Supervisor supervisor; /* outlives this frame for end_daemon */

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	if (!become_the_only_one())
		proc_exit(0);

	supervisor.pause_ms = FIRST_PAUSE_MS / 2;
	supervisor.next_start = GetCurrentTimestamp();
	supervisor.counters = wa_spawn_make_counters(&supervisor.counters_fd);
	before_shmem_exit(end_daemon, PointerGetDatum(&supervisor));

	while (!ShutdownRequestPending)
	{
		TimestampTz now = GetCurrentTimestamp();

		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
			if (supervisor.daemon.pid != 0)
				send_settings(&supervisor);
		}
		if (supervisor.daemon.pid != 0)
			attend(&supervisor);
		else if (now >= supervisor.next_start)
			start_daemon(&supervisor, now);
		else
			pause_before_start(&supervisor, now);
	}
	proc_exit(1);
}
