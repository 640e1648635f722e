/*
 * test_daemon_gpu.c
 *		warpaggd with GPUs that hang, fail and are slow to open.
 *
 *	test_daemon_gpu PROGRAM [WORD]
 *
 * The program is warpaggd linked with test_daemon_fake_cuda.c.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/message/query_wire.h"
#include "test/unit/test_daemon_client.h"
#include "test/unit/test_daemon_fake_cuda.h"
#include "test/unit/test_resident_client.h"

#define SUM WA_OP_BIT(WA_OP_SUM)

/* Opens a client of a daemon whose GPUs are open. */
static bool
open_ready(WaTestClient *client)
{
	return wa_test_open(client) && wa_test_wait_until_ready(client);
}

/* Asks for the sum of three int8, the first of which is trouble. */
static bool
ask_for_trouble(WaTestClient *client, int64_t trouble)
{
	int slot = wa_test_take_slot(client);
	WaReduceMessage reduce = wa_test_request(slot, WA_INT8, SUM, 3);

	EXPECT(slot >= 0);
	memcpy(wa_test_slot(client, slot), &trouble, sizeof(trouble));
	return wa_test_send_reduce(client, &reduce);
}

/* Tells whether a reduction fails with the status. */
static bool
sum_fails(WaTestClient *client, WaWantedDevice device, WaStatus status)
{
	WaReduceMessage reduce;
	WaMessage message;
	int slot = wa_test_take_slot(client);

	EXPECT(slot >= 0);
	reduce = wa_test_request(slot, WA_INT8, SUM, 3);
	reduce.device = (uint32_t) device;
	EXPECT(wa_test_send_reduce(client, &reduce));
	EXPECT(wa_test_receive_reply(client->fd, &message) == WA_MSG_FAILED);
	wa_test_give_slot(client, slot);
	return message.failed.status == (uint32_t) status &&
		   strlen(message.failed.text) > 0;
}

/* Returns how many sums of int8 a kind of device has computed. */
static int64_t
sums_by(const WaTestDaemon *daemon, WaDeviceKind kind)
{
	return wa_counter_get(&daemon->counters->runs[kind][WA_OP_SUM][WA_INT8]);
}

static bool
test_slow_start(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaMessage message;

	EXPECT(wa_test_open(&client));
	EXPECT(client.welcome.state == WA_DAEMON_STARTING);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(sums_by(daemon, WA_DEVICE_CPU) == 1);
	EXPECT(sum_fails(&client, WA_WANT_GPU, WA_UNSUPPORTED));
	EXPECT(wa_test_ping(daemon, 1000));
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(client.welcome.gpus == 2);
	EXPECT(client.welcome.gpu_error[0] == '\0');
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(wa_test_sum_works(&client, WA_WANT_GPU));
	EXPECT(sums_by(daemon, WA_DEVICE_GPU) == 2);
	EXPECT(wa_test_sum_works(&client, WA_WANT_CPU));
	EXPECT(sums_by(daemon, WA_DEVICE_CPU) == 2);
	EXPECT(wa_test_send_simple(client.fd, WA_MSG_STATUS, 3));
	EXPECT(wa_test_receive(client.fd, &message, 1000) == WA_MSG_DEVICES);
	EXPECT(message.devices.devices == 3);
	EXPECT(message.devices.device[2].kind == WA_DEVICE_GPU);
	EXPECT(message.devices.device[2].ordinal == 1);
	EXPECT(message.devices.device[2].compute_major == 9);
	wa_test_close(&client);
	return true;
}

static bool
test_end_while_starting(WaTestDaemon *daemon)
{
	int status;

	EXPECT(wa_test_daemon_answers());
	(void) close(daemon->control_fd);
	daemon->control_fd = -1;
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

static bool
test_no_gpu(WaTestDaemon *daemon)
{
	WaTestClient client;

	EXPECT(open_ready(&client));
	EXPECT(client.welcome.gpus == 0);
	EXPECT(strstr(client.welcome.gpu_error, "no CUDA driver") != NULL);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(sums_by(daemon, WA_DEVICE_CPU) == 1);
	wa_test_close(&client);
	return true;
}

static bool
test_one_broken(WaTestDaemon *daemon)
{
	WaTestClient client;

	EXPECT(open_ready(&client));
	EXPECT(client.welcome.gpus == 1);
	EXPECT(wa_test_sum_works(&client, WA_WANT_GPU));
	EXPECT(sums_by(daemon, WA_DEVICE_GPU) == 1);
	wa_test_close(&client);
	return true;
}

static bool
test_settings(WaTestDaemon *daemon)
{
	WaTestClient client;

	/* Started with --device=cpu: the GPUs are opened when they are allowed. */
	EXPECT(wa_test_open(&client));
	EXPECT(client.welcome.state == WA_DAEMON_READY);
	EXPECT(client.welcome.gpus == 0);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(sums_by(daemon, WA_DEVICE_CPU) == 1);
	EXPECT(wa_test_settings(daemon, WA_WANT_ANY));
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(client.welcome.gpus == 2);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(sums_by(daemon, WA_DEVICE_GPU) == 1);
	EXPECT(wa_test_settings(daemon, WA_WANT_CPU));
	EXPECT(wa_test_hello(&client));
	EXPECT(client.welcome.gpus == 0);
	EXPECT(client.welcome.gpu_error[0] != '\0');
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(sums_by(daemon, WA_DEVICE_CPU) == 2);
	EXPECT(sum_fails(&client, WA_WANT_GPU, WA_UNSUPPORTED));
	EXPECT(wa_test_settings(daemon, WA_WANT_GPU));
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(wa_test_sum_works(&client, WA_WANT_GPU));
	wa_test_close(&client);
	return true;
}

static bool
test_out_of_memory(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaMessage message;

	(void) daemon;
	EXPECT(open_ready(&client));
	EXPECT(ask_for_trouble(&client, WA_FAKE_NO_MEMORY));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_OUT_OF_MEMORY);
	EXPECT(strstr(message.failed.text, "trouble") != NULL);
	EXPECT(wa_test_sum_works(&client, WA_WANT_GPU));
	wa_test_close(&client);
	return true;
}

static bool
test_lost(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaTestClient other;
	WaTestClient late;
	WaReduceMessage reduce;
	WaMessage message;
	int status;

	EXPECT(open_ready(&client));
	EXPECT(open_ready(&other));
	reduce = wa_test_request(wa_test_take_slot(&other), WA_INT8, SUM, 3);
	reduce.delay_ms = 60000;
	EXPECT(wa_test_send_reduce(&other, &reduce));
	EXPECT(open_ready(&late));
	EXPECT(ask_for_trouble(&client, WA_FAKE_LOSS));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_DEVICE_LOST);
	EXPECT(sum_fails(&late, WA_WANT_GPU, WA_DEVICE_LOST));
	EXPECT(wa_test_sum_works(&late, WA_WANT_CPU));
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	EXPECT(wa_test_is_closed(other.fd));
	EXPECT(wa_test_is_closed(late.fd));
	wa_test_close(&client);
	wa_test_close(&other);
	wa_test_close(&late);
	return true;
}

/* Counts the heartbeats that come in so many milliseconds. */
static int
count_heartbeats(const WaTestClient *client, int milliseconds)
{
	long until_ms = wa_test_clock_ms() + milliseconds;
	int heartbeats = 0;
	WaMessage message;

	while (wa_test_clock_ms() < until_ms)
		heartbeats +=
			wa_test_receive(client->fd, &message, 50) == WA_MSG_HEARTBEAT;
	return heartbeats;
}

static bool
test_hang(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaTestClient other;
	WaMessage message;

	EXPECT(open_ready(&client));
	EXPECT(wa_test_open(&other));
	EXPECT(ask_for_trouble(&client, WA_FAKE_HANG));
	EXPECT(count_heartbeats(&client, 2500) >= 1);
	EXPECT(wa_test_ping(daemon, 1000));
	wa_test_sleep(1000);
	while (wa_test_receive(client.fd, &message, 0) == WA_MSG_HEARTBEAT)
		continue;
	/* Now it has been at it for more than three seconds. */
	EXPECT(!wa_test_ping(daemon, 500));
	EXPECT(sum_fails(&other, WA_WANT_ANY, WA_DEVICE_LOST));
	EXPECT(sum_fails(&other, WA_WANT_GPU, WA_DEVICE_LOST));
	EXPECT(wa_test_sum_works(&other, WA_WANT_CPU));
	EXPECT(count_heartbeats(&client, 1500) == 0);
	/* It was only slow, as it turns out. */
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_RESULT);
	EXPECT(wa_test_ping(daemon, 1000));
	EXPECT(wa_test_sum_works(&other, WA_WANT_GPU));
	wa_test_close(&client);
	wa_test_close(&other);
	return true;
}

/* While one of two GPUs hangs, the other one does the work. */
static bool
test_hang_of_one(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaTestClient other;

	EXPECT(open_ready(&client));
	EXPECT(client.welcome.gpus == 2);
	EXPECT(wa_test_open(&other));
	EXPECT(ask_for_trouble(&client, WA_FAKE_HANG));
	wa_test_sleep(3500);
	for (int i = 0; i < 6; i++)
		EXPECT(wa_test_sum_works(&other, WA_WANT_GPU));
	EXPECT(!wa_test_ping(daemon, 300));
	wa_test_close(&client);
	wa_test_close(&other);
	return true;
}

/* The supervisor goes while a worker is stuck, its client being gone too. */
static bool
test_end_while_hanging(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaTestClient other;
	uint32_t owner;
	int status;

	EXPECT(open_ready(&client));
	EXPECT(wa_test_open(&other));
	EXPECT(ask_for_trouble(&client, WA_FAKE_HANG));
	wa_test_sleep(100);
	owner = client.number;
	wa_test_close(&client);
	/* The GPU may still be reading the slot. */
	wa_test_sleep(1500);
	EXPECT(other.header->owner[0] == owner);
	wa_test_close(&other);
	(void) close(daemon->control_fd);
	daemon->control_fd = -1;
	status = wa_test_wait(daemon, 2000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return true;
}

/* Asks for the one column that there is; returns how many there are. */
static int64_t
ask_for_column(WaTestOwner *owner, WaResidentColumn *column)
{
	WaListMessage ask;
	WaMessage reply;

	memset(&ask, 0, sizeof(ask));
	wa_message_begin(&ask.header, WA_MSG_LIST, sizeof(ask), 36);
	ask.room = 1;
	ask.list = WA_TEST_ANSWERS;
	if (wa_test_ask(owner, &ask, &reply) != WA_MSG_LISTED)
		return -1;
	memcpy(column, owner->parcel + WA_TEST_ANSWERS, sizeof(*column));
	return reply.listed.columns;
}

/* Waits until the column's copies have so many bytes for each row at least. */
static bool
wait_for_copies(WaTestOwner *owner, uint64_t bytes, WaResidentColumn *column)
{
	for (int i = 0; i < 500; i++)
	{
		if (ask_for_column(owner, column) != 1)
			return false;
		if (column->device_bytes >= column->rows * bytes)
			return true;
		wa_test_sleep(10);
	}
	return false;
}

/* Columns are copied to GPUs, those too that come before the GPUs do. */
static bool
test_copies(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn column;
	WaUnloadMessage unload;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(wa_test_load_extent(&owner, 0, 0, 9, 400, 2) == WA_OK);
	EXPECT(wa_test_load_extent(&owner, 0, 1, 9, 402, 2) == WA_OK);
	EXPECT(ask_for_column(&owner, &column) == 1 && column.device_bytes == 0);
	EXPECT(wa_test_wait_until_ready(&owner.client));
	EXPECT(wait_for_copies(&owner, sizeof(int32_t), &column));
	EXPECT(wa_test_load_extent(&owner, 0, 2, 9, 404, 2) == WA_OK);
	EXPECT(wait_for_copies(&owner, sizeof(int32_t), &column));
	/* 4 bytes and a bit for each row */
	EXPECT(column.extents == 3 && column.device_bytes % (1024 * 33 / 8) == 0);
	memset(&unload, 0, sizeof(unload));
	wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 37);
	unload.relation = wa_test_relation(0);
	EXPECT(wa_test_ask(&owner, &unload, &reply) == WA_MSG_DONE);
	EXPECT(ask_for_column(&owner, &column) == 0);
	wa_test_disown(&owner);
	return true;
}

/* Asks for the sum of attribute 2, once that is on the GPU. */
static int
ask_for_sum(WaTestOwner *owner, WaMessage *reply)
{
	const WaVectorKind kind = WA_VECTOR_INT;
	const WaQueryColumn column = {0, -1, kind, SUM};
	WaQuery query = {.ninputs = 1, .ncolumns = 1, .columns = &column};
	WaResidentColumn resident;
	WaRunMessage run;
	WaArena arena;
	WaWriter writer;

	if (!wait_for_copies(owner, sizeof(int32_t), &resident))
		return -1;
	query.program.nregisters = 1;
	query.program.kinds = &kind;
	wa_arena_init(&arena, 65536);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	run = wa_test_run(owner, 2, 9, writer.words,
					  writer.nwords * sizeof(uint64_t), 43);
	wa_arena_reset(&arena);
	return wa_test_ask(owner, &run, reply);
}

/* Loads two extents of attribute 2 and waits for the GPU. */
static bool
own_column(WaTestOwner *owner)
{
	EXPECT(wa_test_own(owner));
	EXPECT(wa_test_follow(owner, 9, 9, NULL, 0) == 9);
	EXPECT(wa_test_load_extent(owner, 0, 0, 9, 400, 2) == WA_OK);
	EXPECT(wa_test_load_extent(owner, 0, 1, 9, 402, 2) == WA_OK);
	EXPECT(wa_test_wait_until_ready(&owner->client));
	return true;
}

/* What a GPU has no memory for the CPU computes. */
static bool
test_query_without_memory(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaResidentColumn column;
	WaMessage reply;

	(void) daemon;
	EXPECT(own_column(&owner));
	EXPECT(ask_for_sum(&owner, &reply) == WA_MSG_ANSWER);
	EXPECT(ask_for_column(&owner, &column) == 1);
	EXPECT(reply.answer.kind == WA_DEVICE_CPU);
	EXPECT(reply.answer.rows == column.rows && reply.answer.blocks > 0);
	wa_test_disown(&owner);
	return true;
}

/* A GPU that is lost during a query ends the process, with a reply. */
static bool
test_query_that_loses(WaTestDaemon *daemon)
{
	WaTestOwner owner;
	WaMessage reply;
	int status;

	EXPECT(own_column(&owner));
	EXPECT(ask_for_sum(&owner, &reply) == WA_MSG_FAILED);
	EXPECT(reply.failed.status == WA_DEVICE_LOST);
	status = wa_test_wait(daemon, 3000);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 2);
	EXPECT(wa_test_is_closed(owner.client.fd));
	wa_test_disown(&owner);
	return true;
}

static const WaTestCase tests[] = {
	{.name = "GPUs that open slowly",
	 .run = test_slow_start,
	 .environment = WA_FAKE_VARIABLE "=2,500,-1,1"},
	{.name = "the end while GPUs open",
	 .run = test_end_while_starting,
	 .environment = WA_FAKE_VARIABLE "=2,60000,-1,1"},
	{.name = "no GPU", .run = test_no_gpu},
	{.name = "one of two GPUs is broken",
	 .run = test_one_broken,
	 .environment = WA_FAKE_VARIABLE "=2,0,0,1"},
	{.name = "memory that cannot be pinned",
	 .run = test_one_broken,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,0"},
	{.name = "settings",
	 .run = test_settings,
	 .arguments = {"--device=cpu"},
	 .environment = WA_FAKE_VARIABLE "=2,200,-1,1"},
	{.name = "out of device memory",
	 .run = test_out_of_memory,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1"},
	{.name = "copies of resident columns",
	 .run = test_copies,
	 .environment = WA_FAKE_VARIABLE "=2,300,-1,1"},
	{.name = "a query that the GPU has no memory for",
	 .run = test_query_without_memory,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1,2"},
	{.name = "a query that loses the GPU",
	 .run = test_query_that_loses,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1,3"},
	{.name = "a lost GPU",
	 .run = test_lost,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1"},
	{.name = "a GPU that hangs",
	 .run = test_hang,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1"},
	{.name = "one of two GPUs hangs",
	 .run = test_hang_of_one,
	 .environment = WA_FAKE_VARIABLE "=2,0,-1,1"},
	{.name = "the end while a GPU hangs",
	 .run = test_end_while_hanging,
	 .environment = WA_FAKE_VARIABLE "=1,0,-1,1"},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
