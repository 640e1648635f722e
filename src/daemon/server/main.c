/*
 * main.c
 *		The start of warpaggd, the device process; see README.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/release.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/machine.h"
#include "daemon/gpu/gpu_runner.h"
#include "daemon/server/control.h"
#include "daemon/server/options.h"
#include "daemon/server/server.h"

#define PROGRAM_NAME "warpaggd"

/* Descriptors beyond this one are none of ours. */
#define LAST_INHERITED_FD WA_COUNTERS_FD

/* Most descriptors that are closed one by one on old kernels. */
#define MAX_CLOSED_FDS 65536

/* Resident columns take one part in so many of the machine's memory. */
#define MEMORY_SHARE 4

/*
 * How long a thread for queries looks for the next one, and where there are enough
 * processors for that.  On a virtual machine whose processors had come to rest, waking
 * one took up to 0.4 ms of a query of 1 ms (H200, 16 cores).
 */
#define LOOK_NS         (1 * WA_NS_PER_MS)
#define MANY_PROCESSORS 8

/* Threads for tasks, at most. */
#define MAX_TASK_THREADS 16

/* Room for all connections and everything else. */
#define WANTED_FDS (WA_MAX_CONNECTIONS + 256)

/*
 * Ends the process.  Nothing has to be cleaned up: what we hold goes with us,
 * and the socket's path may already be another process's.
 */
static void
end_process(int signal_number)
{
	(void) signal_number;
	_exit(EXIT_SUCCESS);
}

/* Gives signals the meaning they should have here, whatever we inherited. */
static void
set_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	struct sigaction inherited;
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &inherited) == 0 &&
			inherited.sa_handler == SIG_IGN)
			(void) sigaction(number, &action, NULL);

	action.sa_handler = SIG_IGN;
	(void) sigaction(SIGPIPE, &action, NULL);
	(void) sigaction(SIGHUP, &action, NULL);
	(void) sigaction(SIGXFSZ, &action, NULL); /* fallocate fails instead */

	action.sa_handler = end_process;
	(void) sigaction(SIGTERM, &action, NULL);
	(void) sigaction(SIGINT, &action, NULL);
	(void) sigaction(SIGQUIT, &action, NULL);

	(void) sigemptyset(&none);
	(void) sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves open what we are meant to inherit, and nothing else. */
static void
set_descriptors(void)
{
	struct rlimit limit;

	if (close_range(LAST_INHERITED_FD + 1, ~0U, 0) != 0)
		for (int fd = LAST_INHERITED_FD + 1; fd < MAX_CLOSED_FDS; fd++)
			(void) close(fd);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void) open("/dev/null", O_RDWR); /* becomes fd, the lowest */
	if (!wa_control_is_usable(WA_CONTROL_FD))
		(void) close(WA_CONTROL_FD);
	(void) fcntl(WA_CONTROL_FD, F_SETFD, FD_CLOEXEC);
	(void) fcntl(WA_COUNTERS_FD, F_SETFD, FD_CLOEXEC);

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < WANTED_FDS)
	{
		limit.rlim_cur =
			limit.rlim_max < WANTED_FDS ? limit.rlim_max : WANTED_FDS;
		(void) setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Makes us the first to go when memory runs out, before any backend. */
static void
offer_to_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "1000", 4) != 4)
		wa_log_write(WA_LOG_LOG, "could not set oom_score_adj: %m");
	(void) close(fd);
}

/* Returns the smaller number. */
static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Makes the parts that keep and query resident columns. */
static bool
start_store(WaService *service, const WaOptions *options)
{
	const unsigned processors = wa_machine_processors();
	const unsigned query_threads = options->query_threads > 0
									   ? (unsigned) options->query_threads
									   : least(processors, WA_MAX_POOL_THREADS);
	WaCoverUser cover_user = NULL;

	wa_memory_prepare();
	service->memory_limit = options->memory_limit;
	if (service->memory_limit == 0)
		service->memory_limit = wa_machine_memory() / MEMORY_SHARE;
	wa_store_init(&service->store, service->memory_limit,
				  (unsigned) options->cpu_devices);
	wa_ledger_init(&service->store.memory.ledger,
				   service->counters.counters->memory,
				   service->staging.file_bytes, service->memory_limit);
	service->staging.ledger = &service->store.memory.ledger;
	/* What another process knew of WAL is gone with it. */
	__atomic_store_n(&service->counters.counters->followed, 0,
					 __ATOMIC_RELEASE);
	wa_kept_tables_init(&service->tables, &service->store.memory);
	service->store.tables = &service->tables;
	wa_opening_add_store(&service->opening, &service->store);
	service->store.watch = &service->watch;
#ifdef WA_WITH_CUDA
	wa_gpus_init(&service->gpus, &service->watch);
	service->store.gpus = &service->gpus;
	cover_user = wa_gpu_runner_find;
#endif
	if (!wa_pool_start(&service->tasks, &service->finished, "task",
					   least(processors, MAX_TASK_THREADS), 0) ||
		!wa_pool_start(&service->pool, &service->finished, "query",
					   query_threads,
					   processors >= MANY_PROCESSORS ? LOOK_NS : 0) ||
		!wa_cover_renewer_start(&service->covers, &service->store, cover_user))
	{
		wa_log_write(WA_LOG_WARNING, "could not start a worker thread");
		return false;
	}
	return true;
}

/* Makes the parts that serve connections, with CPU devices open. */
static bool
start_service(WaService *service, const WaOptions *options, int event_fd)
{
	wa_staging_init(&service->staging, options->staging_bytes);
	wa_finished_init(&service->finished, event_fd);
	wa_scheduler_init(&service->scheduler, service->counters.counters,
					  &service->finished);
	wa_opening_init(&service->opening, &service->scheduler, &service->staging);
	if (!start_store(service, options) ||
		!wa_opening_open_cpus(&service->opening,
							  (unsigned) options->cpu_devices))
		return false;
	wa_opening_allow_gpus(&service->opening, !options->cpu_only);
	return true;
}

/* Runs the process; returns what it has to end with. */
static int
run(const WaOptions *options)
{
	static WaService service; /* too large for the stack, there is one */
	static WaServer server;
	int control_fd = wa_control_is_usable(WA_CONTROL_FD) ? WA_CONTROL_FD : -1;
	int event_fd;

	/* Before anything of our own can be at the descriptor. */
	if (!wa_counters_open(&service.counters, WA_COUNTERS_FD))
		return EXIT_FAILURE;
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0 || !start_service(&service, options, event_fd))
		return EXIT_FAILURE;
	if (!wa_server_init(&server, &service, options->socket_path, event_fd,
						control_fd))
		return EXIT_FAILURE;
	return wa_server_run(&server);
}

int
main(int argc, char **argv)
{
	WaOptions options;

	set_descriptors();
	set_signals();
	(void) prctl(PR_SET_NAME, PROGRAM_NAME);
	if (!wa_options_parse(argc, argv, &options))
		return EXIT_FAILURE;
	if (options.protocol != WA_PROTOCOL_VERSION)
	{
		wa_log_write(WA_LOG_WARNING,
					 "protocol %d is spoken here, and %llu was asked for",
					 WA_PROTOCOL_VERSION,
					 (unsigned long long) options.protocol);
		return WA_EXIT_OTHER_VERSION;
	}
	if (options.version_only)
	{
		(void) printf("%s %s, protocol %d\n", PROGRAM_NAME, WA_RELEASE,
					  WA_PROTOCOL_VERSION);
		return EXIT_SUCCESS;
	}
	offer_to_oom_killer();
	/* Not exit: workers may be stuck inside a device, or still at work. */
	_exit(run(&options));
}
