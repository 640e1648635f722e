/*
 * test_daemon_process.c
 *		warpaggd as a process: how it starts, what it inherits, its log, its
 *		end, and what it does when the system runs out of something.
 *
 *	test_daemon_process PROGRAM [WORD]
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/test_daemon_client.h"

#define SUM WA_OP_BIT(WA_OP_SUM)

/* For the tests that start a daemon in their own way. */
static const char *program;

static bool
test_supervisor_gone(WaTestDaemon *daemon)
{
	WaReduceMessage reduce = wa_test_request(0, WA_INT8, SUM, 3);
	WaTestClient client;
	int status;

	EXPECT(wa_test_open(&client));
	EXPECT(wa_test_take_slot(&client) == 0);
	reduce.delay_ms = 60000;
	EXPECT(wa_test_send_reduce(&client, &reduce));
	wa_test_sleep(50);
	(void) close(daemon->control_fd);
	daemon->control_fd = -1;
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT(access(WA_SOCKET_PATH, F_OK) == 0);
	EXPECT(wa_test_is_closed(client.fd));
	wa_test_close(&client);
	return true;
}

static bool
test_terminated(WaTestDaemon *daemon)
{
	int status;

	EXPECT(wa_test_daemon_answers());
	EXPECT(kill(daemon->pid, SIGHUP) == 0);
	EXPECT(wa_test_daemon_answers());
	EXPECT(kill(daemon->pid, SIGTERM) == 0);
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

/* A file of the process in /proc as a string. */
static bool
read_process_file(pid_t pid, const char *name, char *text, size_t bytes)
{
	char path[64];
	ssize_t length;
	int fd;

	(void) snprintf(path, sizeof(path), "/proc/%d/%s", (int) pid, name);
	fd = open(path, O_RDONLY);
	EXPECT(fd >= 0);
	length = read(fd, text, bytes - 1);
	(void) close(fd);
	EXPECT(length >= 0);
	text[length] = '\0';
	return true;
}

static bool
test_process(WaTestDaemon *daemon)
{
	char text[256];
	struct stat status;

	EXPECT(wa_test_daemon_answers());
	EXPECT(stat(WA_SOCKET_PATH, &status) == 0);
	EXPECT((status.st_mode & 07777) == 0600);
	EXPECT(read_process_file(daemon->pid, "oom_score_adj", text, sizeof(text)));
	EXPECT(strcmp(text, "1000\n") == 0);
	EXPECT(read_process_file(daemon->pid, "comm", text, sizeof(text)));
	EXPECT(strcmp(text, "warpaggd\n") == 0 || strstr(text, "memcheck") != NULL);
	return true;
}

/* Replaces the daemon that was started for the test. */
static bool
restart(WaTestDaemon *daemon, WaTestStart *start)
{
	EXPECT(wa_test_daemon_answers());
	EXPECT(wa_test_stop(daemon));
	start->program = program;
	return wa_test_start(daemon, start);
}

static bool
test_stale_socket(WaTestDaemon *daemon)
{
	WaTestStart start = {.arguments = {NULL}};
	int status;
	int fd;

	EXPECT(restart(daemon, &start)); /* the old socket's file is there */
	EXPECT(wa_test_daemon_answers());
	EXPECT(wa_test_stop(daemon));
	EXPECT(unlink(WA_SOCKET_PATH) == 0);
	fd = open(WA_SOCKET_PATH, O_CREAT | O_WRONLY, 0600);
	EXPECT(fd >= 0);
	(void) close(fd);
	EXPECT(wa_test_start(daemon, &start));
	status = wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	EXPECT(access(WA_SOCKET_PATH, F_OK) == 0);
	return true;
}

static bool
test_no_supervisor(WaTestDaemon *daemon)
{
	WaTestStart start = {.without_control = true, .without_counters = true};
	WaTestClient client;
	int status;

	EXPECT(restart(daemon, &start));
	EXPECT(wa_test_open(&client));
	EXPECT(client.counters->magic == WA_COUNTERS_MAGIC);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(wa_counter_get(&client.counters->requests) == 1);
	EXPECT(wa_counter_get(&daemon->counters->requests) == 0);
	wa_test_close(&client);
	(void) close(daemon->control_fd);
	daemon->control_fd = -1;
	EXPECT(wa_test_wait(daemon, 300) == -1);
	EXPECT(kill(daemon->pid, SIGINT) == 0);
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

/* With a control socket but no counters their place must not be mistaken. */
static bool
test_no_counters(WaTestDaemon *daemon)
{
	WaTestStart start = {.without_counters = true};

	EXPECT(restart(daemon, &start));
	EXPECT(wa_test_daemon_answers());
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	return true;
}

/* Leaves the daemon something strange where the counters should be. */
static void
spoil_inheritance(void)
{
	int fd = open("/dev/null", O_RDONLY);
	sigset_t all;

	(void) dup2(fd, WA_COUNTERS_FD);
	(void) dup2(fd, 77);
	(void) close(0);
	(void) close(1);
	(void) signal(SIGTERM, SIG_IGN);
	(void) signal(SIGCHLD, SIG_IGN);
	(void) sigfillset(&all);
	(void) sigprocmask(SIG_BLOCK, &all, NULL);
}

static bool
test_strange_inheritance(WaTestDaemon *daemon)
{
	WaTestStart start = {.prepare = spoil_inheritance};
	char path[64];
	int status;

	EXPECT(restart(daemon, &start));
	EXPECT(wa_test_daemon_answers());
	(void) snprintf(path, sizeof(path), "/proc/%d/fd/77", (int) daemon->pid);
	EXPECT(access(path, F_OK) != 0);
	EXPECT(kill(daemon->pid, SIGTERM) == 0);
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

/* Memory files cannot grow beyond a megabyte. */
static void
limit_file_size(void)
{
	struct rlimit limit = {1 << 20, 1 << 20};

	(void) setrlimit(RLIMIT_FSIZE, &limit);
}

static bool
test_no_memory(WaTestDaemon *daemon)
{
	WaTestStart start = {.prepare = limit_file_size};
	WaTestClient client;
	WaMessage message;

	EXPECT(restart(daemon, &start));
	EXPECT(wa_test_connect(&client));
	EXPECT(wa_test_hello(&client));
	for (int i = 0; i < 3; i++)
	{
		EXPECT(wa_test_send_simple(client.fd, WA_MSG_ATTACH, 5));
		EXPECT(wa_test_receive(client.fd, &message, WA_TEST_PATIENCE_MS) ==
			   WA_MSG_FAILED);
		EXPECT(message.failed.status == WA_OUT_OF_MEMORY);
		EXPECT(strlen(message.failed.text) > 0);
	}
	EXPECT(wa_test_hello(&client));
	wa_test_close(&client);
	return true;
}

static void
limit_descriptors(void)
{
	struct rlimit limit = {24, 24};

	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

/* Milliseconds of processor time that the process has had. */
static long
processor_ms(pid_t pid)
{
	char text[1024];
	unsigned long user = 0;
	unsigned long system = 0;

	if (read_process_file(pid, "stat", text, sizeof(text)))
		(void) sscanf(strrchr(text, ')'),
					  ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
					  &user, &system);
	return (long) ((user + system) * 1000 /
				   (unsigned long) sysconf(_SC_CLK_TCK));
}

static bool
test_no_descriptors(WaTestDaemon *daemon)
{
	WaTestStart start = {.prepare = limit_descriptors};
	WaTestClient clients[40];
	long used_ms;

	EXPECT(restart(daemon, &start));
	for (int i = 0; i < 40; i++)
		EXPECT(wa_test_connect(&clients[i]));
	EXPECT(wa_test_hello(&clients[0]));
	used_ms = processor_ms(daemon->pid);
	wa_test_sleep(2000);
	EXPECT(processor_ms(daemon->pid) < used_ms + 500);
	EXPECT(wa_test_hello(&clients[0]));
	for (int i = 0; i < 40; i++)
		wa_test_close(&clients[i]);
	return wa_test_daemon_answers();
}

/* Makes the daemon write to its log. */
static bool
provoke_log(void)
{
	for (int i = 0; i < 20; i++)
		EXPECT(wa_test_is_rejected("nonsense", 8, true));
	return wa_test_daemon_answers();
}

static bool
test_log_unread(WaTestDaemon *daemon)
{
	WaTestStart start = {.arguments = {NULL}};
	char bytes[4096];
	int ends[2];

	memset(bytes, 'x', sizeof(bytes));
	EXPECT(pipe2(ends, O_CLOEXEC) == 0);
	EXPECT(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(ends[1], bytes, sizeof(bytes)) > 0)
		continue;
	EXPECT(fcntl(ends[1], F_SETFL, 0) == 0);
	start.stderr_fd = ends[1];
	EXPECT(restart(daemon, &start));
	EXPECT(provoke_log());
	/* Now the reader goes. */
	(void) close(ends[1]);
	(void) close(ends[0]);
	return provoke_log();
}

/* Reads from the pipe until the text has come, or the time is over. */
static bool
log_says(int fd, const char *word)
{
	char text[8192];
	size_t length = 0;
	long until_ms = wa_test_clock_ms() + 5000;

	EXPECT(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
	while (wa_test_clock_ms() < until_ms && length < sizeof(text) - 1)
	{
		ssize_t got = read(fd, text + length, sizeof(text) - 1 - length);

		length += got > 0 ? (size_t) got : 0;
		text[length] = '\0';
		if (strstr(text, word) != NULL)
			return true;
		wa_test_sleep(10);
	}
	return false;
}

static bool
test_log_lines(WaTestDaemon *daemon)
{
	WaTestStart start = {.arguments = {NULL}};
	int ends[2];

	EXPECT(pipe2(ends, O_CLOEXEC) == 0);
	start.stderr_fd = ends[1];
	EXPECT(restart(daemon, &start));
	EXPECT(provoke_log());
	EXPECT(log_says(ends[0], "LOG: closing connection of process"));
	(void) close(ends[0]);
	(void) close(ends[1]);
	return true;
}

/* Starts a daemon with one argument and returns its exit status. */
static int
exit_status_with(WaTestDaemon *daemon, const char *argument)
{
	WaTestStart start = {.program = program, .arguments = {argument}};
	int status;

	if (!wa_test_start(daemon, &start))
		return -1;
	status = wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	(void) wa_test_stop(daemon);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool
test_options(WaTestDaemon *daemon)
{
	static const char *const bad[] = {"--device=gpu",
									  "--device",
									  "--socket=",
									  "--staging-bytes=1x",
									  "--cpu-devices=0",
									  "--cpu-devices=17",
									  "--staging-bytes=-1",
									  "--staging-bytes=",
									  "--what",
									  "word",
									  "-v"};
	WaTestClient client;

	/* This one was started with --staging-bytes=0 and --device=cpu. */
	EXPECT(wa_test_open(&client));
	EXPECT(client.geometry.slots == 1);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	wa_test_close(&client);
	EXPECT(wa_test_stop(daemon));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT(exit_status_with(daemon, bad[i]) == 1);
	EXPECT(exit_status_with(daemon, "--version") == 0);
	return true;
}

static const WaTestCase tests[] = {
	{.name = "the supervisor goes", .run = test_supervisor_gone},
	{.name = "SIGTERM", .run = test_terminated},
	{.name = "the process", .run = test_process},
	{.name = "a stale socket", .run = test_stale_socket},
	{.name = "no supervisor", .run = test_no_supervisor},
	{.name = "no counters", .run = test_no_counters},
	{.name = "a strange inheritance", .run = test_strange_inheritance},
	{.name = "no memory for staging", .run = test_no_memory},
	{.name = "no descriptors left", .run = test_no_descriptors},
	{.name = "a log that nobody reads", .run = test_log_unread},
	{.name = "lines in the log", .run = test_log_lines},
	{.name = "options",
	 .run = test_options,
	 .arguments = {"--staging-bytes=0", "--device=cpu"}},
};

int
main(int argc, char **argv)
{
	program = argc > 1 ? realpath(argv[1], NULL) : NULL;
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
