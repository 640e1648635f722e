/*
 * test_daemon_abuse.c
 *		Backends that break the protocol, go away or do not read: warpaggd
 *		drops them, frees what they held, and serves everybody else.
 *
 *	test_daemon_abuse PROGRAM [WORD]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "test/unit/check.h"
#include "test/unit/test_daemon_client.h"

#define SUM WA_OP_BIT(WA_OP_SUM)

static bool
test_foreign_slot(WaTestDaemon *daemon)
{
	WaTestClient owner;
	WaTestClient thief;
	WaReduceMessage reduce;

	(void) daemon;
	EXPECT(wa_test_open(&owner));
	EXPECT(wa_test_take_slot(&owner) == 0);
	EXPECT(wa_test_open(&thief));
	reduce = wa_test_request(0, WA_INT4, SUM, 3);
	EXPECT(wa_test_send_reduce(&thief, &reduce));
	EXPECT(wa_test_is_closed(thief.fd));
	wa_test_close(&thief);
	EXPECT(wa_test_open(&thief));
	reduce.slot = 1; /* free */
	EXPECT(wa_test_send_reduce(&thief, &reduce));
	EXPECT(wa_test_is_closed(thief.fd));
	wa_test_close(&thief);
	EXPECT(owner.header->owner[0] == owner.number);
	EXPECT(wa_test_sum_works(&owner, WA_WANT_ANY));
	wa_test_close(&owner);
	return true;
}

static bool
test_bad_bytes(WaTestDaemon *daemon)
{
	uint8_t bytes[8192];
	uint64_t state = 5;

	(void) daemon;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t) next_random(&state);
	EXPECT(wa_test_is_rejected(bytes, 0, false));
	EXPECT(wa_test_is_rejected(bytes, 0, true));
	for (size_t length = 1; length < sizeof(bytes); length += length / 2 + 1)
	{
		EXPECT(wa_test_is_rejected(bytes, length, false));
		EXPECT(wa_test_is_rejected(bytes, length, true));
	}
	EXPECT(wa_test_daemon_answers());
	return true;
}

/* A bit that is not as it was when the message was sealed, whichever it is. */
static bool
test_damaged_bits(WaTestDaemon *daemon)
{
	WaSimpleMessage simple;
	WaTestClient client;

	(void) daemon;
	memset(&simple, 0, sizeof(simple));
	wa_message_begin(&simple.header, WA_MSG_STATUS, sizeof(simple), 1);
	simple.version = WA_PROTOCOL_VERSION;
	wa_message_seal(&simple.header);
	for (size_t bit = 0; bit < 8 * sizeof(simple); bit += 3)
	{
		WaSimpleMessage damaged = simple;

		((uint8_t *) &damaged)[bit / 8] ^= (uint8_t) (1 << bit % 8);
		EXPECT(wa_test_connect(&client));
		EXPECT(wa_test_hello(&client));
		EXPECT(wa_test_send_unsealed(client.fd, &damaged, sizeof(damaged)));
		EXPECT(wa_test_is_closed(client.fd));
		wa_test_close(&client);
	}
	return wa_test_daemon_answers();
}

/* Tells whether a message of zeros, of that length, may follow HELLO. */
static bool
is_welcome(uint32_t type, size_t length)
{
	switch (type)
	{
		case WA_MSG_HELLO:
		case WA_MSG_ATTACH:
		case WA_MSG_STATUS:
			return length == sizeof(WaSimpleMessage);
		case WA_MSG_UNLOAD:
			return length == sizeof(WaUnloadMessage);
		case WA_MSG_PIN:
			return length == sizeof(WaPinMessage);
		case WA_MSG_LIST:
			return length == sizeof(WaListMessage);
		case WA_MSG_RUN:
			return length == offsetof(WaRunMessage, columns);
		default:
			return false;
	}
}

/* Tells whether messages of a type begin with the name of a relation. */
static bool
has_relation(uint32_t type)
{
	return type == WA_MSG_EXTENTS || type == WA_MSG_TEXTS ||
		   type == WA_MSG_CONFIRM || type == WA_MSG_UNLOAD ||
		   type == WA_MSG_PIN;
}

static bool
test_bad_order(WaTestDaemon *daemon)
{
	WaMessage message;

	(void) daemon;
	for (uint32_t type = 0; type < 30; type++)
	{
		/* Of every type a message of every length that any type has. */
		static const size_t lengths[] = {
			sizeof(WaSimpleMessage),        sizeof(WaWelcomeMessage),
			sizeof(WaAttachedMessage),      sizeof(WaReduceMessage),
			sizeof(WaResultMessage),        sizeof(WaFailedMessage),
			sizeof(WaDevicesMessage),       sizeof(WaSettingsMessage),
			sizeof(WaConfirmMessage),       sizeof(WaUnloadMessage),
			sizeof(WaAnswerMessage),        offsetof(WaExtentsMessage, columns),
			offsetof(WaRunMessage, columns)};

		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		{
			memset(&message, 0, sizeof(message));
			if (has_relation(type))
				message.extents.relation = (WaRelation){1, 2, 3};
			wa_message_begin(&message.header, (WaMessageType) type,
							 (uint32_t) lengths[i], 1);
			if (lengths[i] == sizeof(WaSimpleMessage))
				message.simple.version = WA_PROTOCOL_VERSION;
			if (type != WA_MSG_HELLO || !is_welcome(type, lengths[i]))
				EXPECT(wa_test_is_rejected(&message, lengths[i], false));
			if (!is_welcome(type, lengths[i]))
				EXPECT(wa_test_is_rejected(&message, lengths[i], true));
		}
	}
	EXPECT(wa_test_daemon_answers());
	return true;
}

/* Sends a request for a slot of one's own; tells whether that ends it all. */
static bool
request_is_rejected(WaReduceMessage reduce)
{
	WaTestClient client;
	bool closed;

	EXPECT(wa_test_open(&client));
	EXPECT(wa_test_take_slot(&client) == 0);
	EXPECT(wa_test_send_reduce(&client, &reduce));
	closed = wa_test_is_closed(client.fd);
	wa_test_close(&client);
	return closed;
}

static bool
test_bad_requests(WaTestDaemon *daemon)
{
	const WaReduceMessage good = wa_test_request(0, WA_INT8, SUM, 3);
	WaReduceMessage bad[16];
	int nbad = 0;

	(void) daemon;
	for (int i = 0; i < 16; i++)
		bad[i] = good;
	bad[nbad++].slot = 64;
	bad[nbad++].slot = UINT32_MAX;
	bad[nbad++].device = 3;
	bad[nbad++].type = WA_TYPE_COUNT;
	bad[nbad++].type = UINT32_MAX;
	bad[nbad++].ops = 0;
	bad[nbad++].ops = UINT32_MAX;
	bad[nbad++].nrows = UINT64_MAX;
	bad[nbad++].nrows = ((uint64_t) 1 << 61) + 1;
	bad[nbad++].nrows = (1 << 17) + 1;
	for (int i = 0; i < nbad; i++)
		EXPECT(request_is_rejected(bad[i]));
	EXPECT(wa_test_daemon_answers());
	return true;
}

/* Descriptors that nobody asked for do not stay with the daemon. */
static bool
test_sent_descriptor(WaTestDaemon *daemon)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	WaSimpleMessage hello;
	struct iovec part = {&hello, sizeof(hello)};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
	WaTestClient client;

	(void) daemon;
	memset(&control, 0, sizeof(control));
	memset(&hello, 0, sizeof(hello));
	wa_message_begin(&hello.header, WA_MSG_HELLO, sizeof(hello), 1);
	hello.version = WA_PROTOCOL_VERSION;
	wa_message_seal(&hello.header);
	EXPECT(wa_test_connect(&client));
	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &client.fd, sizeof(int));
	EXPECT(sendmsg(client.fd, &packet, 0) == (ssize_t) sizeof(hello));
	EXPECT(wa_test_is_closed(client.fd));
	wa_test_close(&client);
	return wa_test_daemon_answers();
}

static bool
test_impatient(WaTestDaemon *daemon)
{
	static const WaMessageType second[] = {WA_MSG_ATTACH, WA_MSG_STATUS};
	WaReduceMessage reduce = wa_test_request(0, WA_INT8, SUM, 3);
	WaTestClient client;

	(void) daemon;
	reduce.delay_ms = 10000;
	for (int i = 0; i < 3; i++)
	{
		long start_ms = wa_test_clock_ms();

		EXPECT(wa_test_open(&client));
		EXPECT(wa_test_take_slot(&client) == 0);
		EXPECT(wa_test_send_reduce(&client, &reduce));
		EXPECT(wa_test_hello(&client)); /* which is allowed */
		if (i < 2)
			EXPECT(wa_test_send_simple(client.fd, second[i], 1));
		else
			EXPECT(wa_test_send_reduce(&client, &reduce));
		EXPECT(wa_test_is_closed(client.fd));
		while (__atomic_load_n(&client.header->owner[0], __ATOMIC_ACQUIRE) != 0)
			EXPECT(wa_test_clock_ms() < start_ms + 5000);
		wa_test_close(&client);
	}
	return wa_test_daemon_answers();
}

/* Waits until no slot has an owner. */
static bool
slots_become_free(const WaTestClient *client, int patience_ms)
{
	long until_ms = wa_test_clock_ms() + patience_ms;

	for (uint32_t slot = 0; slot < client->geometry.slots; slot++)
		while (__atomic_load_n(&client->header->owner[slot],
							   __ATOMIC_ACQUIRE) != 0)
		{
			EXPECT(wa_test_clock_ms() < until_ms);
			wa_test_sleep(2);
		}
	return true;
}

static bool
test_disconnect(WaTestDaemon *daemon)
{
	WaTestClient watcher;
	WaTestClient clients[12]; /* more than there are workers */
	const WaCounters *counters = daemon->counters;

	EXPECT(wa_test_open(&watcher));
	for (int i = 0; i < 12; i++)
	{
		WaReduceMessage reduce;

		EXPECT(wa_test_open(&clients[i]));
		(void) wa_test_take_slot(&clients[i]);
		reduce =
			wa_test_request(wa_test_take_slot(&clients[i]), WA_INT8, SUM, 3);
		reduce.delay_ms = 60000;
		EXPECT(wa_test_send_reduce(&clients[i], &reduce));
	}
	wa_test_sleep(100);
	EXPECT(watcher.header->owner[0] == clients[0].number);
	EXPECT(watcher.header->owner[23] == clients[11].number);
	for (int i = 0; i < 12; i++)
		wa_test_close(&clients[11 - i]);
	EXPECT(slots_become_free(&watcher, 5000));
	EXPECT(counters->requests == 0);
	EXPECT(wa_test_sum_works(&watcher, WA_WANT_ANY));
	wa_test_close(&watcher);
	return true;
}

static bool
test_swept_slots(WaTestDaemon *daemon)
{
	WaTestClient client;
	uint32_t dead;

	(void) daemon;
	EXPECT(wa_test_open(&client));
	dead = client.number;
	wa_test_close(&client);
	EXPECT(wa_test_open(&client));
	EXPECT(client.number != dead);
	__atomic_store_n(&client.header->owner[3], dead, __ATOMIC_RELEASE);
	__atomic_store_n(&client.header->owner[4], UINT32_MAX, __ATOMIC_RELEASE);
	EXPECT(slots_become_free(&client, 5000));
	EXPECT(wa_test_take_slot(&client) == 0);
	wa_test_sleep(1500);
	EXPECT(client.header->owner[0] == client.number);
	wa_test_close(&client);
	return true;
}

/* A peer that never reads is dropped, and nobody else suffers. */
static bool
test_silent_peer(WaTestDaemon *daemon)
{
	WaTestClient client;
	struct timeval patience = {.tv_sec = 5};
	bool dropped = false;

	(void) daemon;
	EXPECT(wa_test_connect(&client));
	EXPECT(setsockopt(client.fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
					  sizeof(patience)) == 0);
	for (int i = 0; !dropped && i < 100000; i++)
		dropped = !wa_test_send_simple(client.fd, WA_MSG_HELLO, 1);
	EXPECT(dropped && (errno == EPIPE || errno == ECONNRESET));
	EXPECT(wa_test_daemon_answers());
	wa_test_close(&client);
	return true;
}

static bool
test_too_many_connections(WaTestDaemon *daemon)
{
	struct rlimit limit = {4096, 4096};
	WaTestClient *clients = calloc(1100, sizeof(*clients));
	int refused = 0;
	WaMessage message;

	(void) daemon;
	(void) getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	EXPECT(limit.rlim_cur > 1200);
	for (int i = 0; i < 1100; i++)
	{
		EXPECT(wa_test_connect(&clients[i]));
		(void) wa_test_send_simple(clients[i].fd, WA_MSG_HELLO, 1);
	}
	for (int i = 0; i < 1100; i++)
	{
		int type = wa_test_receive(clients[i].fd, &message, 5000);

		if (type == WA_MSG_WELCOME)
			continue;
		EXPECT(type == WA_MSG_FAILED && message.header.request == 0);
		EXPECT(message.failed.status == WA_OUT_OF_FILES);
		EXPECT(strstr(message.failed.text, "there are too many") != NULL);
		EXPECT(wa_test_is_closed(clients[i].fd));
		refused++;
	}
	EXPECT(refused == 1100 - 1024);
	for (int i = 0; i < 1100; i++)
		wa_test_close(&clients[i]);
	free(clients);
	wa_test_sleep(300);
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "somebody else's slot", .run = test_foreign_slot},
	{.name = "bad bytes", .run = test_bad_bytes},
	{.name = "damaged bits", .run = test_damaged_bits},
	{.name = "bad order of messages", .run = test_bad_order},
	{.name = "bad requests", .run = test_bad_requests},
	{.name = "a descriptor sent along", .run = test_sent_descriptor},
	{.name = "a request before the reply", .run = test_impatient},
	{.name = "disconnecting with requests under way", .run = test_disconnect},
	{.name = "slots of nobody are swept", .run = test_swept_slots},
	{.name = "a peer that never reads", .run = test_silent_peer},
	{.name = "too many connections", .run = test_too_many_connections},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
