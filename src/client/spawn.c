/*
 * spawn.c
 *		Starting, signalling and reaping warpaggd; see spawn.h.
 *
 * warpaggd is an ordinary child of the supervisor.  It has no parent-death
 * signal and is not forked twice: where the postmaster is process 1 it would
 * adopt the orphan and take its death by a signal for a crashed backend.
 * Instead the supervisor reaps it, and warpaggd ends by itself when the
 * control socket is closed, however the supervisor ended.
 */
#include "postgres.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"
#include "storage/fd.h"

#include "client/spawn.h"
#include "core/protocol.h"
#include "settings.h"

/* Descriptors are moved up to here before they are dealt to the child. */
#define LOWEST_MOVED_FD 16

#define REAP_INTERVAL_US 10000

/* How long a process that got SIGKILL is waited for. */
#define KILL_GRACE_MS 5000

extern char **environ;

WaCounters *
wa_spawn_make_counters(int *counters_fd)
{
	WaCounters *counters;
	int fd = memfd_create("warpagg counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || posix_fallocate(fd, 0, sizeof(WaCounters)) != 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("could not create the counters' memory: %m")));
	counters = mmap(NULL, sizeof(WaCounters), PROT_READ | PROT_WRITE,
					MAP_SHARED, fd, 0);
	if (counters == MAP_FAILED)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
						errmsg("could not map the counters' memory: %m")));
	counters->size_bytes = sizeof(WaCounters);
	counters->magic = WA_COUNTERS_MAGIC;
	*counters_fd = fd;
	return counters;
}

/* Moves a descriptor out of the way of those that the child expects. */
static int
move_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_MOVED_FD);

	if (moved >= 0)
		close(fd);
	return moved;
}

/*
 * Makes the log pipe and the control socket.  fds[0] and fds[1] are ours,
 * fds[2] (log) and fds[3] (control) the child's.
 */
static bool
make_channels(int fds[4])
{
	int log_pipe[2];
	int control[2];

	if (pipe2(log_pipe, O_CLOEXEC) != 0)
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
	{
		close(log_pipe[0]);
		close(log_pipe[1]);
		return false;
	}
	fds[0] = control[0];
	fds[1] = log_pipe[0];
	fds[2] = move_up(log_pipe[1]);
	fds[3] = move_up(control[1]);
	return fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0 &&
		   fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0 && fds[2] >= 0 &&
		   fds[3] >= 0;
}

/* Runs a program with clean signals; returns 0 or an error number. */
static int
run_program(pid_t *pid, const char *path, char *const argv[],
			const posix_spawn_file_actions_t *actions)
{
	posix_spawnattr_t attributes;
	sigset_t none;
	sigset_t all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes,
							 POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	error = posix_spawn(pid, path, actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Runs warpaggd; returns 0 or an error number. */
static int
run_daemon(pid_t *pid, const char *path, const int fds[4], int counters_fd)
{
	char protocol[64];
	char staging[64];
	char *device = wa_device == WA_WANT_CPU ? "--device=cpu" : "--device=auto";
	char *argv[] = {"warpaggd", "--socket=" WA_SOCKET_PATH,
					protocol,   device,
					staging,    NULL};
	posix_spawn_file_actions_t actions;
	int error;

	snprintf(protocol, sizeof(protocol), "--protocol=%d", WA_PROTOCOL_VERSION);
	snprintf(staging, sizeof(staging), "--staging-bytes=" INT64_FORMAT,
			 (int64) wa_staging_memory_kb * 1024);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
									 O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[2], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[2], STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fds[3], WA_CONTROL_FD);
	posix_spawn_file_actions_adddup2(&actions, counters_fd, WA_COUNTERS_FD);
	error = run_program(pid, path, argv, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* Closes a descriptor if there is one. */
static void
close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

int
wa_spawn_daemon(WaDaemonProcess *process, const char *path, int counters_fd)
{
	int fds[4] = {-1, -1, -1, -1};
	int error = make_channels(fds)
					? run_daemon(&process->pid, path, fds, counters_fd)
					: errno;

	close_if_open(fds[2]);
	close_if_open(fds[3]);
	if (error != 0)
	{
		close_if_open(fds[0]);
		close_if_open(fds[1]);
		process->pid = 0;
		return error;
	}
	process->control_fd = fds[0];
	process->log_fd = fds[1];
	return 0;
}

pid_t
wa_spawn_probe(const char *path)
{
	char protocol[64];
	char *argv[] = {"warpaggd", protocol, "--version", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	snprintf(protocol, sizeof(protocol), "--protocol=%d", WA_PROTOCOL_VERSION);
	posix_spawn_file_actions_init(&actions);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	error = run_program(&pid, path, argv, &actions);
	posix_spawn_file_actions_destroy(&actions);
	return error == 0 ? pid : 0;
}

/* Waits for the child until the time is up; returns whether it was reaped. */
static bool
reap_within(pid_t pid, int wait_ms, int *status)
{
	for (int64 waited_us = 0;; waited_us += REAP_INTERVAL_US)
	{
		pid_t reaped = waitpid(pid, status, WNOHANG);

		if (reaped == pid || (reaped < 0 && errno == ECHILD))
			return true;
		if (waited_us >= (int64) wait_ms * 1000)
			return false;
		pg_usleep(REAP_INTERVAL_US);
	}
}

int
wa_spawn_end(WaDaemonProcess *process, int grace_ms)
{
	int status = 0;
	pid_t pid = process->pid;

	if (pid == 0)
		return 0;
	close(process->control_fd);
	close(process->log_fd);
	process->pid = 0;
	if (grace_ms > 0)
	{
		kill(pid, SIGTERM);
		if (reap_within(pid, grace_ms, &status))
			return status;
	}
	kill(pid, SIGKILL);
	return reap_within(pid, KILL_GRACE_MS, &status) ? status : -1;
}
