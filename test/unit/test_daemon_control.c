/*
 * test_daemon_control.c
 *		What the supervisor has warpaggd do, and what warpaggd says when it cannot
 *		serve somebody.
 *
 *	test_daemon_control PROGRAM [WORD]
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/test_daemon_client.h"
#include "test/unit/test_resident_client.h"

#define SUM  WA_OP_BIT(WA_OP_SUM)
#define MANY 40

/* For the tests that start a daemon in their own way. */
static const char *program;

/* Replaces the daemon that was started for the test. */
static bool
restart(WaTestDaemon *daemon, WaTestStart *start)
{
	EXPECT(wa_test_daemon_answers());
	EXPECT(wa_test_stop(daemon));
	start->program = program;
	return wa_test_start(daemon, start);
}

/* Sends PING and stores what comes back. */
static bool
ping(const WaTestDaemon *daemon, WaPongMessage *pong)
{
	WaMessage message;

	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_PING, 17));
	EXPECT(wa_test_receive(daemon->control_fd, &message, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_PONG);
	EXPECT(message.header.request == 17);
	*pong = message.pong;
	return true;
}

/* The supervisor follows WAL, too; what it says that cannot be is not answered. */
static bool
test_follow(WaTestDaemon *daemon)
{
	WaFollowMessage follow;
	WaMessage reply;

	memset(&follow, 0, sizeof(follow));
	wa_message_begin(&follow.header, WA_MSG_FOLLOW,
					 offsetof(WaFollowMessage, changes), 19);
	EXPECT(wa_test_send(daemon->control_fd, &follow, follow.header.length));
	follow.from = 100;
	follow.to = 200;
	EXPECT(wa_test_send(daemon->control_fd, &follow, follow.header.length));
	EXPECT(wa_test_receive(daemon->control_fd, &reply, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_FOLLOWED);
	EXPECT(reply.header.request == 19 && reply.followed.position == 200);
	EXPECT(__atomic_load_n(&daemon->counters->followed, __ATOMIC_RELAXED) ==
		   200);
	return wa_test_daemon_answers();
}

/* Tells whether the daemon listens on what is at the path, as it says. */
static bool
listens_there(const WaTestDaemon *daemon)
{
	struct stat status;
	WaFileIdentity found;
	WaPongMessage pong;

	EXPECT(ping(daemon, &pong));
	EXPECT(pong.version == WA_PROTOCOL_VERSION);
	if (lstat(WA_SOCKET_PATH, &status) != 0)
		return false;
	found = wa_file_identity(&status);
	return wa_file_is_same(&found, &pong.socket);
}

static bool
test_listen(WaTestDaemon *daemon)
{
	WaTestClient client;
	struct stat status;

	EXPECT(wa_test_open(&client));
	EXPECT(listens_there(daemon));
	EXPECT(unlink(WA_SOCKET_PATH) == 0);
	EXPECT(!listens_there(daemon));
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_LISTEN, 18));
	EXPECT(listens_there(daemon));
	EXPECT(lstat(WA_SOCKET_PATH, &status) == 0);
	EXPECT((status.st_mode & 07777) == 0600);
	EXPECT(wa_test_daemon_answers());
	/* In the place of one that is there, too. */
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_LISTEN, 19));
	EXPECT(listens_there(daemon));
	EXPECT(wa_test_daemon_answers());
	EXPECT(access(WA_SOCKET_PATH ".new", F_OK) != 0);
	/* Whoever was connected still is. */
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	wa_test_close(&client);
	return true;
}

/* Connections that wait while the socket is replaced are served. */
static bool
test_listen_with_backlog(WaTestDaemon *daemon)
{
	WaTestClient clients[MANY];

	EXPECT(wa_test_daemon_answers());
	for (int i = 0; i < MANY; i++)
		EXPECT(wa_test_connect(&clients[i]));
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_LISTEN, 18));
	for (int i = 0; i < MANY; i++)
	{
		EXPECT(wa_test_hello(&clients[i]));
		wa_test_close(&clients[i]);
	}
	return true;
}

/* What is no socket stays, and the old socket stays in use. */
static bool
test_listen_in_vain(WaTestDaemon *daemon)
{
	WaTestClient client;
	struct stat status;
	int fd;

	EXPECT(wa_test_open(&client));
	EXPECT(unlink(WA_SOCKET_PATH) == 0);
	fd = open(WA_SOCKET_PATH, O_CREAT | O_WRONLY, 0600);
	EXPECT(fd >= 0);
	(void) close(fd);
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_LISTEN, 18));
	EXPECT(!listens_there(daemon));
	EXPECT(lstat(WA_SOCKET_PATH, &status) == 0 && S_ISREG(status.st_mode));
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(unlink(WA_SOCKET_PATH) == 0);
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_LISTEN, 19));
	EXPECT(listens_there(daemon));
	EXPECT(wa_test_daemon_answers());
	wa_test_close(&client);
	return true;
}

static bool
test_retire(WaTestDaemon *daemon)
{
	WaReduceMessage reduce = wa_test_request(0, WA_INT8, SUM, 3);
	WaPongMessage pong;
	WaTestClient client;
	WaMessage message;
	int status;

	EXPECT(wa_test_open(&client));
	EXPECT(ping(daemon, &pong) && pong.working == 0);
	EXPECT(wa_test_take_slot(&client) == 0);
	reduce.delay_ms = 1000;
	reduce.header.bulk = wa_test_batch_checksum(&client, &reduce);
	EXPECT(wa_test_send(client.fd, &reduce, sizeof(reduce)));
	wa_test_sleep(50);
	EXPECT(ping(daemon, &pong) && pong.working == 1);
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_RETIRE, 20));
	EXPECT(ping(daemon, &pong));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_RESULT);
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_RETIRE, 21));
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	EXPECT(wa_test_is_closed(client.fd));
	wa_test_close(&client);
	return true;
}

static bool
test_protocol(WaTestDaemon *daemon)
{
	WaTestStart other = {.arguments = {"--protocol=1"}};
	WaTestStart asked = {.arguments = {"--protocol=1", "--version"}};
	char own[32];
	WaTestStart same = {.arguments = {own}};
	int status;

	(void) snprintf(own, sizeof(own), "--protocol=%d", WA_PROTOCOL_VERSION);
	EXPECT(restart(daemon, &other));
	status = wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == WA_EXIT_OTHER_VERSION);
	asked.program = same.program = program;
	(void) wa_test_stop(daemon);
	EXPECT(wa_test_start(daemon, &asked));
	status = wa_test_wait(daemon, WA_TEST_PATIENCE_MS);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == WA_EXIT_OTHER_VERSION);
	(void) wa_test_stop(daemon);
	EXPECT(wa_test_start(daemon, &same));
	return wa_test_daemon_answers();
}

/* Counts how often the daemon's log has a word. */
static int
count_logged(const char *word)
{
	static char text[1 << 16];
	FILE *file = fopen("log", "r");
	int count = 0;

	if (file == NULL)
		return -1;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void) fclose(file);
	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		count++;
	return count;
}

static void
limit_descriptors(void)
{
	struct rlimit limit = {24, 24};

	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

/* Tells whether a connection is told that it cannot be served, and why. */
static bool
is_refused(int fd, const char *why)
{
	WaMessage message;

	return wa_test_receive(fd, &message, WA_TEST_PATIENCE_MS) ==
			   WA_MSG_FAILED &&
		   message.header.request == 0 &&
		   message.failed.status == WA_OUT_OF_FILES &&
		   strstr(message.failed.text, why) != NULL && wa_test_is_closed(fd);
}

/* Tells whether connections are served, when it has seen that others have gone. */
static bool
answers_soon(void)
{
	for (int i = 0; i < 100; i++)
	{
		WaTestClient client;
		WaMessage message;
		int type;

		EXPECT(wa_test_connect(&client));
		EXPECT(wa_test_send_simple(client.fd, WA_MSG_HELLO, 3));
		type = wa_test_receive(client.fd, &message, WA_TEST_PATIENCE_MS);
		wa_test_close(&client);
		if (type == WA_MSG_WELCOME)
			return true;
		wa_test_sleep(50);
	}
	return false;
}

static bool
test_no_descriptors(WaTestDaemon *daemon)
{
	WaTestStart start = {.prepare = limit_descriptors};
	WaTestClient clients[MANY];
	WaShareMessage share = {0};
	WaMessage message;
	int parcel;

	EXPECT(restart(daemon, &start));
	for (int i = 0; i < MANY; i++)
		EXPECT(wa_test_connect(&clients[i]));
	EXPECT(wa_test_hello(&clients[0]));
	for (int i = MANY - 3; i < MANY; i++)
		EXPECT(is_refused(clients[i].fd, "too many files are open"));
	EXPECT(count_logged("connections are refused") == 1);

	/* One that is served cannot hand over a file, and learns of it. */
	parcel = wa_test_make_parcel(1 << 20, F_SEAL_SHRINK);
	EXPECT(parcel >= 0);
	wa_message_begin(&share.header, WA_MSG_SHARE, sizeof(share), 30);
	share.bytes = 1 << 20;
	EXPECT(wa_test_send_with(clients[0].fd, &share, sizeof(share), &parcel, 1));
	EXPECT(wa_test_receive(clients[0].fd, &message, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_FAILED);
	EXPECT(message.header.request == 30);
	EXPECT(message.failed.status == WA_OUT_OF_FILES);

	/* When others go there is room, also for that. */
	for (int i = 1; i < MANY; i++)
		wa_test_close(&clients[i]);
	EXPECT(answers_soon());
	EXPECT(wa_test_send_with(clients[0].fd, &share, sizeof(share), &parcel, 1));
	EXPECT(wa_test_receive(clients[0].fd, &message, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_DONE);
	wa_test_close(&clients[0]);
	(void) close(parcel);
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
test_staging_once(WaTestDaemon *daemon)
{
	WaTestStart start = {.prepare = limit_file_size};
	WaMessage message;

	EXPECT(restart(daemon, &start));
	for (int i = 0; i < 10; i++)
	{
		WaTestClient client;

		EXPECT(wa_test_connect(&client));
		EXPECT(wa_test_hello(&client));
		EXPECT(wa_test_send_simple(client.fd, WA_MSG_ATTACH, 5));
		EXPECT(wa_test_receive(client.fd, &message, WA_TEST_PATIENCE_MS) ==
			   WA_MSG_FAILED);
		EXPECT(message.failed.status == WA_OUT_OF_MEMORY);
		wa_test_close(&client);
	}
	EXPECT(count_logged("of staging memory") == 1);
	return true;
}

static const WaTestCase tests[] = {
	{.name = "a socket anew", .run = test_listen},
	{.name = "a socket anew, with a backlog", .run = test_listen_with_backlog},
	{.name = "no socket anew", .run = test_listen_in_vain},
	{.name = "following WAL", .run = test_follow},
	{.name = "retirement", .run = test_retire},
	{.name = "other versions", .run = test_protocol},
	{.name = "no descriptors left", .run = test_no_descriptors},
	{.name = "one warning of no staging", .run = test_staging_once},
};

int
main(int argc, char **argv)
{
	program = argc > 1 ? realpath(argv[1], NULL) : NULL;
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
