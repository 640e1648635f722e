/*
 * test_daemon.c
 *		What warpaggd answers, with CPU devices, to backends and supervisor.
 *
 *	test_daemon PROGRAM [WORD]	runs the tests whose names contain WORD
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/check.h"
#include "test/unit/test_daemon_client.h"

#define SUM WA_OP_BIT(WA_OP_SUM)
#define ALL (WA_OP_BIT(WA_OP_BIT_AND) - 1) /* but those over bits */

static bool
test_hello(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaTestClient other;
	uint32_t number;

	EXPECT(wa_test_connect(&client));
	EXPECT(wa_test_hello(&client));
	number = client.number;
	EXPECT(number != 0);
	EXPECT(client.welcome.version == WA_PROTOCOL_VERSION);
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(client.welcome.gpus == 0);
	EXPECT(strlen(client.welcome.gpu_error) > 0);
	for (int i = 0; i < 10; i++)
		EXPECT(wa_test_hello(&client) && client.number == number);
	EXPECT(wa_test_connect(&other));
	EXPECT(wa_test_hello(&other));
	EXPECT(other.number != number);
	EXPECT(wa_counter_get(&daemon->counters->connections) == 2);
	wa_test_close(&client);
	wa_test_close(&other);
	return true;
}

static bool
test_attach(WaTestDaemon *daemon)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	WaTestClient client;
	struct stat status;

	EXPECT(wa_test_open(&client));
	EXPECT(fcntl(client.staging_fd, F_GET_SEALS) == seals);
	EXPECT(fstat(client.staging_fd, &status) == 0);
	EXPECT((uint64_t) status.st_size == client.geometry.file_bytes);
	EXPECT((uint64_t) status.st_blocks * 512 >= client.geometry.file_bytes);
	EXPECT(client.geometry.slots == 64); /* 64 MiB */
	EXPECT(client.geometry.slot_bytes % 4096 == 0);
	EXPECT(client.geometry.slots_offset % 4096 == 0);
	EXPECT(client.geometry.slots_offset >= sizeof(WaStagingHeader));
	EXPECT(client.geometry.slots_offset +
			   client.geometry.slots * client.geometry.slot_bytes ==
		   client.geometry.file_bytes);
	EXPECT(client.header->magic == WA_PROTOCOL_MAGIC);
	EXPECT(client.header->slots == client.geometry.slots);
	EXPECT(ftruncate(client.staging_fd, 4096) != 0);
	EXPECT(client.geometry.counters_bytes == sizeof(WaCounters));
	EXPECT(client.counters->magic == WA_COUNTERS_MAGIC);
	EXPECT(wa_counter_get(&client.counters->connections) == 1);
	EXPECT(wa_counter_get(&daemon->counters->connections) == 1);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	wa_test_close(&client);
	return true;
}

/* Fills memory with values of any kind. */
static void
fill(uint8_t *memory, WaType type, uint64_t nrows, uint64_t *state)
{
	static const double specials[] = {0.0, -0.0, 1e308, -1e308, 5e-324, 1.5};
	size_t width = wa_type_width(type);

	for (uint64_t row = 0; row < nrows; row++)
	{
		uint64_t bits = next_random(state) ^ next_random(state) << 30;
		WaInt128 wide = {bits, (int32_t) next_random(state) / 4};
		double special = specials[bits % 6];
		float narrow = (float) (bits % 6 < 2 ? special : 1.25);

		memcpy(memory + row * width, &wide, width);
		if (bits % 4 == 0 && wa_type_storage(type) == WA_F64)
			memcpy(memory + row * width, &special, width);
		if (bits % 4 == 0 && wa_type_storage(type) == WA_F32)
			memcpy(memory + row * width, &narrow, width);
	}
}

/* Reduces what is in a slot and compares with the fold on this side. */
static bool
reduction_agrees(WaTestClient *client, int slot, const WaReduceMessage *reduce)
{
	WaBatch batch = {.type = (WaType) reduce->type, .nrows = reduce->nrows};
	uint8_t expected[WA_PARTIAL_MAX_BYTES];
	WaExactPart exact;
	WaPartial partial;
	WaMessage message;
	size_t length;

	batch.values = wa_test_slot(client, slot);
	wa_partial_init(&partial, wa_partial_needs_exact(batch.type, reduce->ops)
								  ? &exact
								  : NULL);
	wa_partial_fold(&partial, reduce->ops, &batch);
	length = wa_partial_encode(&partial, batch.type, reduce->ops, expected);

	EXPECT(wa_test_send_reduce(client, reduce));
	EXPECT(wa_test_receive_reply(client->fd, &message) == WA_MSG_RESULT);
	EXPECT(message.header.request == reduce->header.request);
	EXPECT(message.header.length ==
		   offsetof(WaResultMessage, partial) + length);
	EXPECT(memcmp(message.result.partial, expected, length) == 0);
	return true;
}

/* All operations over a type, with so many rows. */
static bool
type_agrees(WaTestClient *client, int slot, WaType type, uint64_t nrows,
			uint64_t *state)
{
	fill(wa_test_slot(client, slot), type, nrows, state);
	for (WaOpSet ops = 1; ops < WA_OP_BIT(WA_OP_COUNT); ops++)
	{
		WaReduceMessage reduce = wa_test_request(slot, type, ops, nrows);

		if (!wa_reductions_exist(ops, wa_type_storage(type)))
			continue;
		EXPECT(reduction_agrees(client, slot, &reduce));
	}
	return true;
}

/* Returns how many reductions there were, whatever the device. */
static int64_t
runs_of(const WaTestDaemon *daemon, WaOp op, WaType type)
{
	int64_t runs = 0;

	for (int kind = 0; kind < WA_DEVICE_KINDS; kind++)
		runs += wa_counter_get(&daemon->counters->runs[kind][op][type]);
	return runs;
}

static bool
test_reductions(WaTestDaemon *daemon)
{
	static const uint64_t sizes[] = {0, 1, 63, 64, 65, 1000, 50000};
	WaTestClient client;
	uint64_t state = 1;
	int slot;

	EXPECT(wa_test_open(&client));
	slot = wa_test_take_slot(&client);
	EXPECT(slot == 0);
	for (int type = 0; type < WA_TYPE_COUNT; type++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			EXPECT(type_agrees(&client, slot, (WaType) type, sizes[i], &state));
	for (int type = 0; type < WA_TYPE_COUNT; type++)
		for (int op = 0; op < WA_OP_COUNT; op++)
			EXPECT((runs_of(daemon, (WaOp) op, (WaType) type) > 0) ==
				   wa_reductions_exist(WA_OP_BIT(op),
									   wa_type_storage((WaType) type)));
	wa_test_close(&client);
	return true;
}

/* The largest batch that fits. */
static bool
test_full_slot(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaReduceMessage reduce;
	uint64_t state = 3;
	int slot;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	slot = wa_test_take_slot(&client);
	fill(wa_test_slot(&client, slot), WA_INT2, client.geometry.slot_bytes / 2,
		 &state);
	reduce =
		wa_test_request(slot, WA_INT2, ALL, client.geometry.slot_bytes / 2);
	EXPECT(reduction_agrees(&client, slot, &reduce));
	wa_test_close(&client);
	return true;
}

static bool
test_unsupported(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaReduceMessage reduce;
	WaMessage message;
	int slot;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	slot = wa_test_take_slot(&client);
	reduce = wa_test_request(slot, WA_OID, SUM, 3);
	EXPECT(wa_test_send_reduce(&client, &reduce));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_UNSUPPORTED);
	EXPECT(message.header.request == 9);
	EXPECT(strlen(message.failed.text) > 0);
	reduce = wa_test_request(slot, WA_WIDE_NUMERIC, ALL, 3);
	EXPECT(wa_test_send_reduce(&client, &reduce));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_UNSUPPORTED);
	reduce = wa_test_request(slot, WA_INT4, SUM, 3);
	reduce.device = WA_WANT_GPU;
	EXPECT(wa_test_send_reduce(&client, &reduce));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_UNSUPPORTED);
	EXPECT(wa_test_sum_works(&client, WA_WANT_CPU));
	wa_test_close(&client);
	return true;
}

/* Values that are not as they were when the checksum was computed. */
static bool
test_damaged_batch(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaReduceMessage reduce;
	WaMessage message;
	int slot;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	slot = wa_test_take_slot(&client);
	reduce = wa_test_request(slot, WA_INT4, SUM, 3);
	reduce.header.bulk = wa_test_batch_checksum(&client, &reduce);
	wa_test_slot(&client, slot)[5] ^= 16;
	EXPECT(wa_test_send(client.fd, &reduce, sizeof(reduce)));
	EXPECT(wa_test_receive_reply(client.fd, &message) == WA_MSG_FAILED);
	EXPECT(message.failed.status == WA_BAD_REQUEST);
	EXPECT(wa_test_sum_works(&client, WA_WANT_CPU));
	wa_test_close(&client);
	return true;
}

/* One of several clients that reduce at the same time. */
static void *
busy_client(void *arg)
{
	const unsigned *seed = arg;
	uint64_t state = *seed;
	WaTestClient client;
	bool ok = wa_test_open(&client);

	for (int i = 0; ok && i < 60; i++)
	{
		WaType type = (WaType) (next_random(&state) % WA_TYPE_COUNT);
		int slot = wa_test_take_slot(&client);

		ok = slot >= 0 && type_agrees(&client, slot, type,
									  next_random(&state) % 5000, &state);
		if (slot >= 0)
			wa_test_give_slot(&client, slot);
		if (i % 20 == 19)
		{
			wa_test_close(&client);
			ok = wa_test_open(&client) && ok;
		}
	}
	wa_test_close(&client);
	return ok ? arg : NULL;
}

static bool
test_many_clients(WaTestDaemon *daemon)
{
	pthread_t threads[8];
	unsigned seeds[8];
	bool ok = true;

	EXPECT(wa_test_daemon_answers());
	for (unsigned i = 0; i < 8; i++)
	{
		seeds[i] = i + 100;
		EXPECT(pthread_create(&threads[i], NULL, busy_client, &seeds[i]) == 0);
	}
	for (unsigned i = 0; i < 8; i++)
	{
		void *result;

		EXPECT(pthread_join(threads[i], &result) == 0);
		ok = ok && result != NULL;
	}
	EXPECT(ok);
	EXPECT(wa_counter_get(&daemon->counters->connections) == 1 + 8 * 4);
	EXPECT(wa_counter_get(&daemon->counters->requests) > 8 * 60);
	EXPECT(wa_counter_get(&daemon->counters->bytes) > 0);
	EXPECT(wa_counter_get(&daemon->counters->device_ns) > 0);
	return true;
}

static bool
test_counted_rows(WaTestDaemon *daemon)
{
	const WaCounters *counters = daemon->counters;
	WaTestClient client;
	WaReduceMessage reduce;
	int slot;

	EXPECT(wa_test_open(&client));
	slot = wa_test_take_slot(&client);
	reduce = wa_test_request(slot, WA_INT4, ALL, 5);
	EXPECT(reduction_agrees(&client, slot, &reduce));
	for (int op = 0; op < WA_OP_COUNT; op++)
	{
		const int64_t runs = wa_ops_have(ALL, (WaOp) op);

		EXPECT(counters->runs[WA_DEVICE_CPU][op][WA_INT4] == runs);
		EXPECT(counters->rows[WA_DEVICE_CPU][op][WA_INT4] == 5 * runs);
	}
	EXPECT(counters->bytes == 5 * 4);
	EXPECT(counters->requests == 1);
	EXPECT(counters->starts == 0 && counters->failures == 0);
	wa_test_close(&client);
	return true;
}

static bool
test_heartbeats(WaTestDaemon *daemon)
{
	WaReduceMessage reduce = wa_test_request(0, WA_INT8, SUM, 3);
	WaTestClient client;
	WaMessage message;
	int heartbeats = 0;
	int type;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	EXPECT(wa_test_take_slot(&client) == 0);
	reduce.delay_ms = 5500; /* longer than a device may hang */
	EXPECT(wa_test_send_reduce(&client, &reduce));
	while ((type = wa_test_receive(client.fd, &message, 3000)) ==
		   WA_MSG_HEARTBEAT)
	{
		EXPECT(message.header.request == 9);
		heartbeats++;
	}
	EXPECT(type == WA_MSG_RESULT);
	EXPECT(heartbeats >= 4 && heartbeats <= 6);
	EXPECT(wa_test_receive(client.fd, &message, 1500) == -1);
	wa_test_close(&client);
	return true;
}

/* Those that wait in the queue hear heartbeats as well. */
static bool
test_queued_heartbeats(WaTestDaemon *daemon)
{
	WaTestClient clients[9];
	WaMessage message;

	(void) daemon;
	for (int i = 0; i < 9; i++)
	{
		WaReduceMessage reduce;

		EXPECT(wa_test_open(&clients[i]));
		reduce =
			wa_test_request(wa_test_take_slot(&clients[i]), WA_INT8, SUM, 3);
		reduce.delay_ms = i < 8 ? 2500 : 0;
		EXPECT(wa_test_send_reduce(&clients[i], &reduce));
	}
	for (int i = 0; i < 9; i++)
	{
		EXPECT(wa_test_receive(clients[i].fd, &message, 3000) ==
			   WA_MSG_HEARTBEAT);
		EXPECT(wa_test_receive_reply(clients[i].fd, &message) == WA_MSG_RESULT);
		wa_test_close(&clients[i]);
	}
	return true;
}

static bool
test_other_version(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaSimpleMessage hello;
	WaMessage message;

	EXPECT(wa_test_connect(&client));
	memset(&hello, 0, sizeof(hello));
	wa_message_begin(&hello.header, WA_MSG_HELLO, sizeof(hello), 1);
	hello.version = WA_PROTOCOL_VERSION + 1;
	EXPECT(wa_test_send(client.fd, &hello, sizeof(hello)));
	EXPECT(wa_test_receive(client.fd, &message, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_WELCOME);
	EXPECT(message.welcome.version == WA_PROTOCOL_VERSION);
	EXPECT(wa_test_is_closed(client.fd));
	EXPECT(wa_counter_get(&daemon->counters->connections) == 0);
	wa_test_close(&client);
	return true;
}

static bool
test_control(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaSettingsMessage settings;
	char first_reason[WA_MAX_ERROR_BYTES];

	EXPECT(wa_test_open(&client));
	EXPECT(wa_test_wait_until_ready(&client));
	(void) strcpy(first_reason, client.welcome.gpu_error);
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	EXPECT(wa_test_settings(daemon, WA_WANT_CPU));
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(strcmp(first_reason, client.welcome.gpu_error) != 0);
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	EXPECT(wa_test_settings(daemon, WA_WANT_ANY));
	EXPECT(wa_test_wait_until_ready(&client));
	EXPECT(strcmp(first_reason, client.welcome.gpu_error) == 0);
	memset(&settings, 0, sizeof(settings));
	wa_message_begin(&settings.header, WA_MSG_SETTINGS, sizeof(settings), 1);
	settings.version = 99;
	EXPECT(wa_test_send(daemon->control_fd, &settings, sizeof(settings)));
	EXPECT(wa_test_send(daemon->control_fd, "nonsense", 8));
	EXPECT(wa_test_send_simple(daemon->control_fd, WA_MSG_HELLO, 1));
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	wa_test_close(&client);
	return true;
}

/* SETTINGS come while requests are under way, and none is lost. */
static bool
test_settings_under_load(WaTestDaemon *daemon)
{
	pthread_t thread;
	unsigned seed = 17;
	void *result;

	EXPECT(wa_test_daemon_answers());
	EXPECT(pthread_create(&thread, NULL, busy_client, &seed) == 0);
	for (int i = 0; i < 200; i++)
		EXPECT(
			wa_test_settings(daemon, i % 2 == 0 ? WA_WANT_CPU : WA_WANT_ANY));
	EXPECT(pthread_join(thread, &result) == 0);
	return result != NULL;
}

static bool
test_cpu_devices(WaTestDaemon *daemon)
{
	WaTestClient client;
	WaMessage message;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	EXPECT(wa_test_send_simple(client.fd, WA_MSG_STATUS, 21));
	EXPECT(wa_test_receive(client.fd, &message, WA_TEST_PATIENCE_MS) ==
		   WA_MSG_DEVICES);
	EXPECT(message.header.request == 21);
	EXPECT(message.devices.devices == 3);
	for (uint32_t i = 0; i < 3; i++)
	{
		const WaDeviceInfo *info = &message.devices.device[i];

		EXPECT(info->kind == WA_DEVICE_CPU && info->ordinal == i);
		EXPECT(info->memory_bytes > 0 && info->free_bytes > 0);
		EXPECT(info->multiprocessors >= 1 && info->name[0] != '\0');
	}
	for (int i = 0; i < 10; i++)
		EXPECT(wa_test_sum_works(&client, WA_WANT_ANY));
	wa_test_close(&client);
	return true;
}

static const WaTestCase tests[] = {
	{.name = "hello", .run = test_hello},
	{.name = "attach", .run = test_attach},
	{.name = "reductions of every operation and type", .run = test_reductions},
	{.name = "a full slot", .run = test_full_slot},
	{.name = "unsupported reductions", .run = test_unsupported},
	{.name = "a damaged batch", .run = test_damaged_batch},
	{.name = "many clients", .run = test_many_clients},
	{.name = "many clients, several devices",
	 .run = test_many_clients,
	 .arguments = {"--cpu-devices=3"}},
	{.name = "counters", .run = test_counted_rows},
	{.name = "heartbeats", .run = test_heartbeats},
	{.name = "heartbeats in the queue", .run = test_queued_heartbeats},
	{.name = "another version", .run = test_other_version},
	{.name = "control messages", .run = test_control},
	{.name = "settings under load", .run = test_settings_under_load},
	{.name = "several CPU devices",
	 .run = test_cpu_devices,
	 .arguments = {"--cpu-devices=3"}},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
