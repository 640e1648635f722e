/*
 * test_daemon_client.c
 *		Starting warpaggd for a test and talking to it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/unit/check.h"
#include "test/unit/test_daemon_client.h"

/* Above those that the daemon inherits at fixed places. */
#define FIRST_OWN_FD 10

/* What a sanitizer writes to the log when it has found something. */
static const char *const alarming_words[] = {"AddressSanitizer",
											 "ThreadSanitizer", "runtime error",
											 "Invalid read", "Invalid write"};

void
wa_test_sleep(int milliseconds)
{
	(void) poll(NULL, 0, milliseconds);
}

long
wa_test_clock_ms(void)
{
	struct timespec now;

	(void) clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool
wa_test_enter_directory(WaTestDaemon *daemon)
{
	memset(daemon, 0, sizeof(*daemon));
	daemon->control_fd = -1;
	daemon->counters_fd = -1;
	(void) strcpy(daemon->directory, "/tmp/warpaggd_test_XXXXXX");
	EXPECT(mkdtemp(daemon->directory) != NULL);
	EXPECT(chdir(daemon->directory) == 0);
	EXPECT(mkdir("pg_stat_tmp", 0700) == 0);
	return true;
}

/* Removes the files of a directory, and it. */
static void
remove_directory(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	char name[512];

	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL)
	{
		(void) snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			(void) unlink(name);
	}
	(void) closedir(directory);
	(void) rmdir(path);
}

void
wa_test_leave_directory(WaTestDaemon *daemon)
{
	remove_directory("pg_stat_tmp");
	(void) chdir("/tmp");
	remove_directory(daemon->directory);
}

/* Makes the file of counters that a supervisor makes. */
static bool
make_counters(WaTestDaemon *daemon)
{
	int fd = memfd_create("counters", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	EXPECT(fd >= 0);
	daemon->counters_fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	(void) close(fd);
	EXPECT(ftruncate(daemon->counters_fd, sizeof(WaCounters)) == 0);
	EXPECT(fcntl(daemon->counters_fd, F_ADD_SEALS,
				 F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0);
	daemon->counters = mmap(NULL, sizeof(WaCounters), PROT_READ | PROT_WRITE,
							MAP_SHARED, daemon->counters_fd, 0);
	EXPECT(daemon->counters != MAP_FAILED);
	daemon->counters->magic = WA_COUNTERS_MAGIC;
	daemon->counters->size_bytes = sizeof(WaCounters);
	daemon->counters->followed = 77; /* left by another device process */
	return true;
}

/* Becomes the daemon; does not return. */
static void
execute(const WaTestDaemon *daemon, const WaTestStart *start, int control_fd)
{
	char *argv[WA_TEST_MAX_ARGUMENTS + 2] = {(char *) start->program};
	int log_fd = start->stderr_fd;

	for (int i = 0; i < WA_TEST_MAX_ARGUMENTS; i++)
		argv[i + 1] = (char *) start->arguments[i];
	if (log_fd == 0)
		log_fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
	(void) dup2(log_fd, 2);
	(void) close(WA_CONTROL_FD);
	(void) close(WA_COUNTERS_FD);
	if (!start->without_control)
		(void) dup2(control_fd, WA_CONTROL_FD);
	if (!start->without_counters)
		(void) dup2(daemon->counters_fd, WA_COUNTERS_FD);
	if (start->prepare != NULL)
		start->prepare();
	(void) execv(start->program, argv);
	_exit(127);
}

bool
wa_test_start(WaTestDaemon *daemon, const WaTestStart *start)
{
	int pair[2];
	int theirs;

	EXPECT(make_counters(daemon));
	EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	(void) close(pair[1]);
	daemon->control_fd = pair[0];
	daemon->pid = fork();
	EXPECT(daemon->pid >= 0);
	if (daemon->pid == 0)
		execute(daemon, start, theirs);
	(void) close(theirs);
	return true;
}

int
wa_test_wait(WaTestDaemon *daemon, int patience_ms)
{
	long until_ms = wa_test_clock_ms() + patience_ms;
	int status;

	do
	{
		if (waitpid(daemon->pid, &status, WNOHANG) == daemon->pid)
		{
			daemon->pid = 0;
			return status;
		}
		wa_test_sleep(2);
	} while (wa_test_clock_ms() < until_ms);
	return -1;
}

bool
wa_test_stop(WaTestDaemon *daemon)
{
	int status;

	if (daemon->control_fd >= 0)
		(void) close(daemon->control_fd);
	daemon->control_fd = -1;
	if (daemon->counters != NULL)
		(void) munmap(daemon->counters, sizeof(WaCounters));
	daemon->counters = NULL;
	if (daemon->counters_fd >= 0)
		(void) close(daemon->counters_fd);
	daemon->counters_fd = -1;
	if (daemon->pid <= 0)
		return true;
	status = wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	if (status < 0)
	{
		(void) kill(daemon->pid, SIGKILL);
		(void) wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	}
	EXPECT(status >= 0);
	EXPECT(WIFEXITED(status));
	EXPECT(WEXITSTATUS(status) == 0);
	return true;
}

bool
wa_test_connect(WaTestClient *client)
{
	long until_ms = wa_test_clock_ms() + WA_TEST_PATIENCE_MS;
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	memset(client, 0, sizeof(*client));
	client->staging_fd = -1;
	client->counters_fd = -1;
	(void) strcpy(address.sun_path, WA_SOCKET_PATH);
	client->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	EXPECT(client->fd >= 0);
	while (connect(client->fd, (const struct sockaddr *) &address,
				   sizeof(address)) != 0)
	{
		EXPECT(errno == ENOENT || errno == ECONNREFUSED);
		EXPECT(wa_test_clock_ms() < until_ms);
		wa_test_sleep(5);
	}
	return true;
}

const void *
wa_test_seal(WaMessage *copy, const void *bytes, size_t length)
{
	WaHeader header;

	if (length < sizeof(header) || length > sizeof(*copy))
		return bytes;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != WA_PROTOCOL_MAGIC || header.length != length)
		return bytes;
	memcpy(copy, bytes, length);
	wa_message_seal(&copy->header);
	return copy;
}

bool
wa_test_send(int fd, const void *bytes, size_t length)
{
	WaMessage copy;

	return wa_test_send_unsealed(fd, wa_test_seal(&copy, bytes, length),
								 length);
}

bool
wa_test_send_unsealed(int fd, const void *bytes, size_t length)
{
	return send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t) length;
}

bool
wa_test_send_simple(int fd, WaMessageType type, uint32_t request)
{
	WaSimpleMessage message;

	memset(&message, 0, sizeof(message));
	wa_message_begin(&message.header, type, sizeof(message), request);
	message.version = WA_PROTOCOL_VERSION;
	return wa_test_send(fd, &message, sizeof(message));
}

int
wa_test_receive(int fd, WaMessage *message, int patience_ms)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};
	ssize_t length;

	if (poll(&input, 1, patience_ms) != 1)
		return -1;
	length = recv(fd, message, sizeof(*message), 0);
	if (length == 0 || (length < 0 && errno == ECONNRESET))
		return 0;
	if (length < 0 || !wa_message_is_sound(message, (size_t) length) ||
		!wa_message_is_intact(message, (size_t) length))
		return -1;
	return (int) message->header.type;
}

int
wa_test_receive_reply(int fd, WaMessage *message)
{
	int type;

	do
		type = wa_test_receive(fd, message, WA_TEST_PATIENCE_MS);
	while (type == WA_MSG_HEARTBEAT);
	return type;
}

bool
wa_test_hello(WaTestClient *client)
{
	WaMessage message;

	EXPECT(wa_test_send_simple(client->fd, WA_MSG_HELLO, 7));
	EXPECT(wa_test_receive_reply(client->fd, &message) == WA_MSG_WELCOME);
	EXPECT(message.header.request == 7);
	client->welcome = message.welcome;
	client->number = message.welcome.connection;
	return true;
}

bool
wa_test_wait_until_ready(WaTestClient *client)
{
	long until_ms = wa_test_clock_ms() + WA_TEST_PATIENCE_MS;

	EXPECT(wa_test_hello(client));
	while (client->welcome.state != WA_DAEMON_READY)
	{
		EXPECT(wa_test_clock_ms() < until_ms);
		wa_test_sleep(5);
		EXPECT(wa_test_hello(client));
	}
	return true;
}

/* Receives ATTACHED and its two descriptors. */
static bool
receive_attached(WaTestClient *client)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct iovec part = {&client->geometry, sizeof(client->geometry)};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control.bytes)};
	const struct cmsghdr *rights;
	int fds[2];

	EXPECT(recvmsg(client->fd, &packet, MSG_CMSG_CLOEXEC) ==
		   (ssize_t) sizeof(client->geometry));
	EXPECT(wa_message_is_sound(&client->geometry, sizeof(client->geometry)));
	rights = CMSG_FIRSTHDR(&packet);
	EXPECT(rights != NULL && rights->cmsg_type == SCM_RIGHTS);
	EXPECT(rights->cmsg_len == CMSG_LEN(sizeof(fds)));
	memcpy(fds, CMSG_DATA(rights), sizeof(fds));
	client->staging_fd = fds[0];
	client->counters_fd = fds[1];
	return true;
}

bool
wa_test_attach(WaTestClient *client)
{
	void *memory;

	EXPECT(wa_test_send_simple(client->fd, WA_MSG_ATTACH, 8));
	EXPECT(receive_attached(client));
	memory = mmap(NULL, client->geometry.file_bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED, client->staging_fd, 0);
	EXPECT(memory != MAP_FAILED);
	client->staging = memory;
	client->header = memory;
	memory = mmap(NULL, client->geometry.counters_bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED, client->counters_fd, 0);
	EXPECT(memory != MAP_FAILED);
	client->counters = memory;
	return true;
}

bool
wa_test_open(WaTestClient *client)
{
	return wa_test_connect(client) && wa_test_hello(client) &&
		   wa_test_attach(client);
}

void
wa_test_close(WaTestClient *client)
{
	if (client->staging != NULL)
		(void) munmap(client->staging, client->geometry.file_bytes);
	if (client->counters != NULL)
		(void) munmap((void *) client->counters,
					  client->geometry.counters_bytes);
	if (client->staging_fd >= 0)
		(void) close(client->staging_fd);
	if (client->counters_fd >= 0)
		(void) close(client->counters_fd);
	(void) close(client->fd);
}

int
wa_test_take_slot(WaTestClient *client)
{
	for (uint32_t slot = 0; slot < client->geometry.slots; slot++)
	{
		uint32_t expected = 0;

		if (__atomic_compare_exchange_n(&client->header->owner[slot], &expected,
										client->number, false, __ATOMIC_ACQ_REL,
										__ATOMIC_RELAXED))
			return (int) slot;
	}
	return -1;
}

void
wa_test_give_slot(WaTestClient *client, int slot)
{
	__atomic_store_n(&client->header->owner[slot], 0, __ATOMIC_RELEASE);
}

uint8_t *
wa_test_slot(const WaTestClient *client, int slot)
{
	return client->staging + client->geometry.slots_offset +
		   (uint64_t) slot * client->geometry.slot_bytes;
}

WaReduceMessage
wa_test_request(int slot, WaType type, WaOpSet ops, uint64_t nrows)
{
	WaReduceMessage reduce;

	memset(&reduce, 0, sizeof(reduce));
	wa_message_begin(&reduce.header, WA_MSG_REDUCE, sizeof(reduce), 9);
	reduce.slot = (uint32_t) slot;
	reduce.type = (uint32_t) type;
	reduce.ops = ops;
	reduce.nrows = nrows;
	return reduce;
}

uint32_t
wa_test_batch_checksum(const WaTestClient *client,
					   const WaReduceMessage *reduce)
{
	WaBatch batch = {.nrows = reduce->nrows};

	if (client->header == NULL ||
		!wa_reduce_is_sound(reduce, client->geometry.slots,
							client->geometry.slot_bytes))
		return 0;
	batch.type = (WaType) reduce->type;
	batch.values = wa_test_slot(client, (int) reduce->slot);
	return wa_batch_checksum(&batch);
}

bool
wa_test_send_reduce(const WaTestClient *client, const WaReduceMessage *reduce)
{
	WaReduceMessage sent = *reduce;

	sent.header.bulk = wa_test_batch_checksum(client, reduce);
	return wa_test_send(client->fd, &sent, sizeof(sent));
}

bool
wa_test_sum_works(WaTestClient *client, WaWantedDevice device)
{
	const int64_t values[] = {40, -1, 3};
	int slot = wa_test_take_slot(client);
	WaReduceMessage reduce =
		wa_test_request(slot, WA_INT8, WA_OP_BIT(WA_OP_SUM), 3);
	WaMessage message;
	WaPartial partial;

	EXPECT(slot >= 0);
	memcpy(wa_test_slot(client, slot), values, sizeof(values));
	reduce.device = (uint32_t) device;
	EXPECT(wa_test_send_reduce(client, &reduce));
	EXPECT(wa_test_receive_reply(client->fd, &message) == WA_MSG_RESULT);
	EXPECT(message.header.request == 9);
	wa_partial_init(&partial, NULL);
	EXPECT(wa_partial_decode(
		&partial, WA_INT8, WA_OP_BIT(WA_OP_SUM), message.result.partial,
		message.header.length - offsetof(WaResultMessage, partial)));
	EXPECT(partial.rows == 3 && partial.sum.lo == 42 && partial.sum.hi == 0);
	wa_test_give_slot(client, slot);
	return true;
}

bool
wa_test_daemon_answers(void)
{
	WaTestClient client;
	bool answers;

	if (!wa_test_connect(&client))
		return false;
	answers = wa_test_hello(&client) && wa_test_attach(&client) &&
			  wa_test_sum_works(&client, WA_WANT_CPU);
	wa_test_close(&client);
	return answers;
}

bool
wa_test_is_closed(int fd)
{
	WaMessage message;

	return wa_test_receive(fd, &message, WA_TEST_PATIENCE_MS) == 0;
}

bool
wa_test_is_rejected(const void *bytes, size_t length, bool after_hello)
{
	WaTestClient client;
	bool closed;

	EXPECT(wa_test_connect(&client));
	EXPECT(!after_hello || wa_test_hello(&client));
	EXPECT(wa_test_send(client.fd, bytes, length));
	closed = wa_test_is_closed(client.fd);
	wa_test_close(&client);
	return closed;
}

bool
wa_test_ping(const WaTestDaemon *daemon, int patience_ms)
{
	WaMessage message;

	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_PING, 11));
	return wa_test_receive(daemon->control_fd, &message, patience_ms) ==
			   WA_MSG_PONG &&
		   message.header.request == 11;
}

bool
wa_test_settings(const WaTestDaemon *daemon, WaWantedDevice device)
{
	WaSettingsMessage settings;

	memset(&settings, 0, sizeof(settings));
	wa_message_begin(&settings.header, WA_MSG_SETTINGS, sizeof(settings), 1);
	settings.version = WA_PROTOCOL_VERSION;
	settings.device = (uint32_t) device;
	EXPECT(wa_test_send(daemon->control_fd, &settings, sizeof(settings)));
	/* The order of messages is kept, so after this it is in force. */
	return wa_test_ping(daemon, WA_TEST_PATIENCE_MS);
}

/* Tells whether no sanitizer has written to the log; else shows it. */
static bool
log_is_clean(void)
{
	static char text[1 << 20];
	FILE *file = fopen("log", "r");
	size_t length;
	bool clean = true;

	if (file == NULL)
		return true;
	length = fread(text, 1, sizeof(text) - 1, file);
	(void) fclose(file);
	text[length] = '\0';
	for (size_t i = 0; i < sizeof(alarming_words) / sizeof(char *); i++)
		clean = clean && strstr(text, alarming_words[i]) == NULL;
	if (!clean)
		(void) fputs(text, stderr);
	return clean;
}

/* Runs one test with a daemon of its own. */
static bool
run_case(const char *program, const WaTestCase *test)
{
	WaTestStart start = {.program = program};
	WaTestDaemon daemon;
	bool passed;

	memcpy(start.arguments, test->arguments, sizeof(start.arguments));
	if (test->environment != NULL)
		(void) putenv((char *) test->environment);
	if (!wa_test_enter_directory(&daemon))
		return false;
	passed = wa_test_start(&daemon, &start) && test->run(&daemon);
	passed = wa_test_stop(&daemon) && passed;
	passed = log_is_clean() && passed;
	wa_test_leave_directory(&daemon);
	if (test->environment != NULL)
	{
		char name[64];

		(void) snprintf(name, sizeof(name), "%s", test->environment);
		name[strcspn(name, "=")] = '\0';
		(void) unsetenv(name);
	}
	return passed;
}

int
wa_test_run_all(const char *program, const WaTestCase *cases, size_t ncases,
				const char *argument)
{
	char *absolute = realpath(program, NULL);

	if (absolute == NULL)
	{
		(void) fprintf(stderr, "there is no program %s\n", program);
		return EXIT_FAILURE;
	}
	(void) signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < ncases; i++)
	{
		if (argument != NULL && strstr(cases[i].name, argument) == NULL)
			continue;
		check(run_case(absolute, &cases[i]), cases[i].name);
		(void) fflush(stdout);
	}
	free(absolute);
	return finish_checks();
}

int
wa_test_main(int argc, char **argv, const WaTestCase *cases, size_t ncases)
{
	if (argc < 2)
	{
		(void) fprintf(stderr, "usage: %s PROGRAM [WORD]\n", argv[0]);
		return EXIT_FAILURE;
	}
	return wa_test_run_all(argv[1], cases, ncases, argc > 2 ? argv[2] : NULL);
}
