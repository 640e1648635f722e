/*
 * fuzz_daemon.c
 *		Throws damaged sequences of messages at a live warpaggd.
 *
 *	fuzz_daemon PROGRAM [SECONDS [SEED]]
 *
 * Every sequence begins as one that is right and is damaged at random: bits
 * are flipped, fields set to interesting numbers, lengths changed, messages
 * repeated, left out or replaced by noise; owner words, slots and parcels are
 * written to while requests run.  Afterwards the daemon has to answer as if nothing
 * had been.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/checksum.h"
#include "query/message/table_wire.h"
#include "test/unit/test_counting_runner.h"
#include "test/unit/test_resident_client.h"

#define MAX_CLIENTS 6

/* All of a parcel is written to by somebody who does not care. */
#define FUZZ_PARCEL_BYTES ((uint64_t) 1 << 20)

/* Numbers at which checks go wrong. */
static const uint64_t interesting[] = {0,
									   1,
									   2,
									   7,
									   8,
									   59,
									   60,
									   255,
									   4095,
									   4096,
									   131072,
									   1114112,
									   INT32_MAX,
									   UINT32_MAX,
									   (uint64_t) 1 << 61,
									   INT64_MAX,
									   UINT64_MAX - 7,
									   UINT64_MAX};

static uint64_t random_state;

/* The parcel that all connections share, or fail to. */
static uint8_t *parcel;
static int parcel_fd;

/* Set by main; what the one test does. */
static long fuzz_seconds = 5;

/* Returns a random number below the bound. */
static uint64_t
pick(uint64_t bound)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 20) % bound;
}

/* Returns an offset, or nearly. */
static uint64_t
pick_offset(void)
{
	return pick(8) == 0 ? pick(FUZZ_PARCEL_BYTES * 2)
						: pick(FUZZ_PARCEL_BYTES / 65536) * 65536;
}

/*
 * Puts an extent at the beginning of the parcel, for LOADs to come.  It is made
 * elsewhere: answers are written to the parcel at any time.
 */
static void
write_extent(void)
{
	static uint8_t extent[FUZZ_PARCEL_BYTES];
	const uint64_t bytes = wa_test_write_extent(
		extent, wa_test_relation(pick(3)), (uint32_t) pick(70), 1 + pick(3),
		1 + pick(50), (uint32_t) pick(4), pick(1024));

	memcpy(parcel, extent, bytes);
}

/* Puts a query into the parcel. */
static void
write_query(uint64_t offset)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 40 + pick(100000),
							   .failure = (uint32_t) pick(20),
							   .fail_extent = (uint32_t) pick(70),
							   .delay_us = (uint32_t) (pick(4) * pick(2000))};

	memcpy(parcel + offset, &query, sizeof(query));
}

/* Writes the sources of a RUN, or RESIDENCY, to the parcel, mostly right ones. */
static void
write_sources(WaRunMessage *run)
{
	int16_t attributes[WA_TEST_ATTRIBUTES];
	const uint64_t first = pick(3);

	run->nsources = 1 + (uint32_t) (pick(2) * pick(4));
	run->sources = (uint64_t) 5 * 65536;
	run->ncolumns = wa_test_names(pick(1024) & pick(1024), run->columns);
	for (uint32_t i = 0; i < run->ncolumns; i++)
	{
		attributes[i] =
			pick(32) == 0 ? WA_PLACE_ATTRIBUTE : run->columns[i].attribute;
		run->columns[i].attribute = 0;
	}
	for (uint32_t i = 0; i < run->nsources; i++)
		wa_test_write_source(parcel, run, i, (first + i) % 4,
							 (uint32_t) pick(pick(4) == 0 ? 70000 : 5000),
							 attributes);
	if (pick(8) == 0)
		run->nsources = (uint32_t) pick(20000);
	if (pick(8) == 0)
		run->sources = pick_offset();
}

/* Makes a RESIDENCY that is right, or nearly; returns its length. */
static size_t
make_residency(WaResidencyMessage *residency)
{
	WaRunMessage run;

	memset(&run, 0, sizeof(run));
	write_sources(&run);
	residency->nsources = run.nsources;
	residency->ncolumns = run.ncolumns;
	residency->sources = run.sources;
	residency->blocks = pick_offset();
	memcpy(residency->columns, run.columns,
		   run.ncolumns * sizeof(*run.columns));
	return offsetof(WaResidencyMessage, columns) +
		   run.ncolumns * sizeof(*run.columns);
}

/* Makes a KEEP that is right, or nearly. */
static size_t
make_keep(WaKeepMessage *keep)
{
	static const int64_t values[] = {3, 0, -1};
	static const uint8_t known[] = {1, 2, 1};
	const WaLookupTable table = {.width = 1 + pick(3),
								 .nentries = 1 + pick(4) % 3,
								 .values = values,
								 .known = known,
								 .scale = (uint8_t) pick(30),
								 .is_total = pick(2) == 0};
	uint64_t words[64];
	WaWriter writer = {.words = words, .capacity = 64};

	wa_table_message_write(&writer, &table);
	keep->table = pick(8) == 0 ? pick_offset() : (uint64_t) 6 * 65536;
	keep->bytes = pick(8) == 0 ? pick(1000) : writer.nwords * sizeof(uint64_t);
	keep->digest = (WaTableDigest){{pick(4), pick(2)}};
	memcpy(parcel + (size_t) 6 * 65536, words,
		   writer.nwords * sizeof(uint64_t));
	return sizeof(*keep);
}

/* Makes a KEPT that is right, or nearly. */
static size_t
make_kept(WaKeptMessage *kept)
{
	WaTableDigest *digests = (WaTableDigest *) (void *) (parcel + 65536);

	kept->digests = pick(8) == 0 ? pick_offset() : 65536;
	kept->count = pick(8) == 0 ? pick(2000) : pick(4);
	for (uint64_t i = 0; i < 4; i++)
		digests[i] = (WaTableDigest){{pick(4), pick(2)}};
	return sizeof(*kept);
}

/* Makes a STAMPS that is right, or nearly. */
static size_t
make_stamps(WaStampsMessage *stamps)
{
	for (uint32_t i = 0; i < 4; i++)
	{
		const WaRunSource source = {wa_test_relation(i),
									(uint32_t) pick(5) * WA_EXTENT_BLOCKS};

		memcpy(parcel + (size_t) 5 * 65536 + i * sizeof(source), &source,
			   sizeof(source));
	}
	stamps->nsources = (uint32_t) (pick(8) == 0 ? pick(20000) : 1 + pick(4));
	stamps->position = pick(4);
	stamps->snapshot = wa_test_random_snapshot(&random_state);
	stamps->sources = pick(8) == 0 ? pick_offset() : (uint64_t) 5 * 65536;
	stamps->stamps = pick_offset();
	return sizeof(*stamps);
}

/* Makes a BLOCKS that is right, or nearly. */
static size_t
make_blocks(WaBlocksMessage *blocks)
{
	blocks->relation = wa_test_relation(pick(3));
	blocks->nblocks = (uint32_t) (pick(8) == 0 ? pick(UINT32_MAX) : pick(4000));
	blocks->position = pick(4);
	blocks->snapshot = wa_test_random_snapshot(&random_state);
	blocks->blocks = pick_offset();
	return sizeof(*blocks);
}

/* Makes a RUN that is right, or nearly. */
static size_t
make_run(WaRunMessage *run)
{
	write_sources(run);
	run->position = pick(4);
	run->snapshot = wa_test_random_snapshot(&random_state);
	run->query = pick_offset();
	run->query_bytes = pick(1000);
	run->used = pick_offset();
	run->cover = pick_offset();
	run->announces = (uint32_t) pick(2);
	run->groups = pick_offset();
	run->groups_room = pick(70000);
	if (pick(4) != 0)
	{
		run->query = (uint64_t) 4 * 65536;
		run->query_bytes = sizeof(WaTestQuery);
		write_query(run->query);
	}
	return offsetof(WaRunMessage, columns) +
		   run->ncolumns * sizeof(WaColumnName);
}

/* Makes a FOLLOW that is right, or nearly; returns its length. */
static size_t
make_follow(WaFollowMessage *follow)
{
	follow->from = 1 + pick(4);
	follow->to = follow->from + pick(70000);
	follow->nchanges = (uint32_t) pick(20);
	follow->no_reply = (uint32_t) pick(2);
	for (uint32_t i = 0; i < follow->nchanges; i++)
	{
		WaChange *change = &follow->changes[i];

		change->kind = (uint32_t) (pick(10) == 0 ? 1 + pick(2) : 0);
		change->block = (uint32_t) pick(40000);
		change->lsn = 1 + pick(follow->to);
		change->relation = wa_test_relation(pick(3));
		if (change->kind != WA_CHANGE_FILES)
			continue;
		change->relation = (WaRelation){.database = change->relation.database};
		change->block = 0;
	}
	return offsetof(WaFollowMessage, changes) +
		   follow->nchanges * sizeof(WaChange);
}

/* Makes a message about resident columns; returns its length. */
static size_t
fill_resident(WaMessage *message, WaMessageType type)
{
	const WaRelation relation = wa_test_relation(pick(3));
	WaColumnName names[WA_MAX_RESIDENT_COLUMNS];

	switch (type)
	{
		case WA_MSG_LOAD:
			if (pick(2) == 0)
				write_extent();
			message->load.extent = pick(4) == 0 ? pick_offset() : 0;
			return sizeof(message->load);
		case WA_MSG_RESIDENCY:
			return make_residency(&message->residency);
		case WA_MSG_STAMPS:
			return make_stamps(&message->stamps);
		case WA_MSG_BLOCKS:
			return make_blocks(&message->blocks);
		case WA_MSG_KEEP:
			return make_keep(&message->keep);
		case WA_MSG_KEPT:
			return make_kept(&message->kept);
		case WA_MSG_FETCH:
			message->fetch.digest = (WaTableDigest){{pick(4), pick(2)}};
			message->fetch.table = pick(4) == 0 ? pick_offset() : 65536;
			message->fetch.room = pick(8) == 0 ? pick_offset() : pick(200);
			return sizeof(message->fetch);
		case WA_MSG_TEXTS:
			message->texts.relation = relation;
			message->texts.first = (uint32_t) pick(70);
			message->texts.place = pick_offset();
			message->texts.room = pick(70000);
			(void) wa_test_names(1 + pick(1023), names);
			message->texts.column = names[0];
			return sizeof(message->texts);
		case WA_MSG_EXTENTS:
			message->extents.relation = relation;
			message->extents.first = (uint32_t) pick(70);
			message->extents.nblocks = (uint32_t) pick(40000);
			message->extents.room = (uint32_t) pick(20);
			message->extents.all = (uint32_t) pick(20) % 3;
			message->extents.states = pick_offset();
			message->extents.ncolumns =
				wa_test_names(pick(1024), message->extents.columns);
			return offsetof(WaExtentsMessage, columns) +
				   message->extents.ncolumns * sizeof(WaColumnName);
		case WA_MSG_CONFIRM:
			message->confirm.relation = relation;
			message->confirm.extent = (uint32_t) pick(70);
			message->confirm.edition = 1 + pick(100);
			message->confirm.position = 1 + pick(3);
			memset(message->confirm.same, (int) pick(256),
				   sizeof(message->confirm.same));
			return sizeof(message->confirm);
		case WA_MSG_FOLLOW:
			return make_follow(&message->follow);
		case WA_MSG_UNLOAD:
			message->unload.relation = relation;
			message->unload.attribute = (int32_t) pick(12) + WA_PLACE_ATTRIBUTE;
			return sizeof(message->unload);
		case WA_MSG_PIN:
			message->pin.relation = relation;
			message->pin.pinned = (uint32_t) pick(3) % 2;
			return sizeof(message->pin);
		case WA_MSG_LIST:
			message->list.room = (uint32_t) pick(50);
			message->list.list = pick_offset();
			return sizeof(message->list);
		default:
			return make_run(&message->run);
	}
}

/* Makes such a message of any type. */
static size_t
make_resident(WaMessage *message)
{
	static const WaMessageType types[] = {
		WA_MSG_LOAD,    WA_MSG_LOAD,    WA_MSG_LOAD,   WA_MSG_RESIDENCY,
		WA_MSG_EXTENTS, WA_MSG_LIST,    WA_MSG_RUN,    WA_MSG_RUN,
		WA_MSG_CONFIRM, WA_MSG_RUN,     WA_MSG_UNLOAD, WA_MSG_TEXTS,
		WA_MSG_PIN,     WA_MSG_EXTENTS, WA_MSG_FOLLOW, WA_MSG_FOLLOW,
		WA_MSG_STAMPS,  WA_MSG_KEEP,    WA_MSG_KEPT,   WA_MSG_BLOCKS,
		WA_MSG_FETCH};
	const WaMessageType type = types[pick(sizeof(types) / sizeof(types[0]))];
	const size_t length = fill_resident(message, type);

	wa_message_begin(&message->header, type, (uint32_t) length,
					 (uint32_t) pick(100));
	return length;
}

/* Makes a message that is right, or nearly. */
static size_t
make_message(WaTestClient *client, WaMessage *message)
{
	static const WaMessageType simple[] = {WA_MSG_HELLO, WA_MSG_ATTACH,
										   WA_MSG_STATUS, WA_MSG_PING};
	int slot;

	memset(message, 0, sizeof(*message));
	if (pick(2) == 0)
		return make_resident(message);
	if (client->header == NULL || pick(3) == 0)
	{
		wa_message_begin(&message->header, simple[pick(4)],
						 sizeof(message->simple), (uint32_t) pick(100));
		message->simple.version = WA_PROTOCOL_VERSION;
		return sizeof(message->simple);
	}
	slot = wa_test_take_slot(client);
	message->reduce =
		wa_test_request(slot < 0 ? 0 : slot, (WaType) pick(WA_TYPE_COUNT),
						(WaOpSet) (1 + pick(3)), pick(140000));
	message->reduce.delay_ms = (uint32_t) (pick(4) == 0 ? pick(50) : 0);
	return sizeof(message->reduce);
}

/* Fills in the checksum of the data that goes with a message, if it lies right. */
static void
add_bulk(const WaTestClient *client, WaMessage *message)
{
	const WaRunMessage *run = &message->run;
	const WaResidencyMessage *residency = &message->residency;
	const WaStampsMessage *stamps = &message->stamps;

	switch (message->header.type)
	{
		case WA_MSG_REDUCE:
			message->header.bulk =
				wa_test_batch_checksum(client, &message->reduce);
			break;
		case WA_MSG_LOAD:
			message->header.bulk = wa_test_extent_checksum(
				parcel, message->load.extent, FUZZ_PARCEL_BYTES);
			break;
		case WA_MSG_RESIDENCY:
			if (residency->nsources < 1000 && residency->ncolumns < 16 &&
				residency->sources < FUZZ_PARCEL_BYTES - 65536)
				message->header.bulk =
					wa_checksum(0, parcel + residency->sources,
								wa_run_sources_bytes(residency->nsources,
													 residency->ncolumns));
			break;
		case WA_MSG_STAMPS:
			if (stamps->nsources < 1000 &&
				stamps->sources < FUZZ_PARCEL_BYTES - 65536)
				message->header.bulk =
					wa_checksum(0, parcel + stamps->sources,
								wa_run_sources_bytes(stamps->nsources, 0));
			break;
		case WA_MSG_KEPT:
			if (message->kept.count < 1000 &&
				message->kept.digests < FUZZ_PARCEL_BYTES - 65536)
				message->header.bulk =
					wa_checksum(0, parcel + message->kept.digests,
								message->kept.count * sizeof(WaTableDigest));
			break;
		case WA_MSG_KEEP:
			if (message->keep.bytes < 65536 &&
				message->keep.table < FUZZ_PARCEL_BYTES - 65536)
				message->header.bulk = wa_checksum(
					0, parcel + message->keep.table, message->keep.bytes);
			break;
		case WA_MSG_RUN:
			if (run->query_bytes < 65536 &&
				run->query < FUZZ_PARCEL_BYTES - 65536 &&
				run->nsources < 1000 && run->ncolumns < 16 &&
				run->sources < FUZZ_PARCEL_BYTES - 65536 && run->has_rest == 0)
				message->header.bulk = wa_run_checksum(
					run, parcel + run->query, parcel + run->sources, NULL);
			break;
		default:
			break;
	}
}

/* Damages a message; returns its new length. */
static size_t
damage(uint8_t *bytes, size_t length, size_t room)
{
	uint64_t number = interesting[pick(sizeof(interesting) / 8)];
	size_t field = pick(length / 4) * 4;

	switch (pick(6))
	{
		case 0:
			bytes[pick(length)] ^= (uint8_t) (1 << pick(8));
			return length;
		case 1:
			memcpy(bytes + field, &number, 4);
			return length;
		case 2:
			memcpy(bytes + field, &number, field + 8 <= length ? 8 : 4);
			return length;
		case 3:
			return pick(room);
		case 4:
			for (size_t i = sizeof(WaHeader); i < length; i++)
				bytes[i] = (uint8_t) pick(256);
			return length;
		default:
			bytes[4] = (uint8_t) pick(36); /* the type */
			return length;
	}
}

/* Receives whatever has come; tells whether the connection still stands. */
static bool
drain(const WaTestClient *client)
{
	struct pollfd input = {.fd = client->fd, .events = POLLIN};
	char bytes[WA_MAX_MESSAGE_BYTES];

	while (poll(&input, 1, 0) == 1)
		if (recv(client->fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
			return false;
	return true;
}

/* Writes nonsense to memory that the daemon shares. */
static void
scribble(const WaTestClient *client)
{
	uint32_t slot;

	for (int i = 0; i < 3; i++)
		parcel[pick(pick(2) == 0 ? FUZZ_PARCEL_BYTES : 16384)] =
			(uint8_t) pick(256);
	if (client->header == NULL)
		return;
	slot = (uint32_t) pick(client->geometry.slots);
	if (pick(4) == 0)
		client->header->owner[slot] =
			(uint32_t) (pick(2) == 0 ? client->number : pick(100));
	for (int i = 0; i < 64; i++)
		wa_test_slot(client, (int) slot)[pick(client->geometry.slot_bytes)] =
			(uint8_t) pick(256);
}

/* Does one random thing with one connection. */
static bool
step(WaTestClient *client, bool *is_open)
{
	union
	{
		WaMessage message;
		uint8_t bytes[2 * WA_MAX_MESSAGE_BYTES];
	} packet;
	size_t length;

	if (!*is_open)
	{
		EXPECT(wa_test_connect(client));
		*is_open = true;
		/* A daemon that is right may close a connection at any time. */
		if (pick(4) != 0)
			EXPECT(
				wa_test_hello(client) &&
				(pick(4) == 0 || wa_test_attach(client)) &&
				(pick(8) == 0 ||
				 wa_test_share(client->fd, parcel_fd,
							   (1 + pick(FUZZ_PARCEL_BYTES / 4096)) * 4096)));
		return true;
	}
	memset(&packet, 0, sizeof(packet));
	length = make_message(client, &packet.message);
	if (pick(3) == 0)
		length = damage(packet.bytes, length, sizeof(packet));
	scribble(client);
	if (pick(8) != 0 && packet.message.header.length == length)
	{
		if (pick(8) != 0)
			add_bulk(client, &packet.message);
		wa_message_seal(&packet.message.header);
	}
	if (send(client->fd, packet.bytes, length, MSG_NOSIGNAL | MSG_DONTWAIT) !=
			(ssize_t) length ||
		pick(20) == 0 || !drain(client))
	{
		wa_test_close(client);
		memset(client, 0, sizeof(*client));
		*is_open = false;
	}
	else if (pick(3) == 0)
		wa_test_sleep((int) pick(3));
	return true;
}

/* Makes the parcel. */
static bool
make_parcel(void)
{
	void *memory;

	parcel_fd = wa_test_make_parcel(FUZZ_PARCEL_BYTES, F_SEAL_SHRINK);
	EXPECT(parcel_fd >= 0);
	memory = mmap(NULL, FUZZ_PARCEL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
				  parcel_fd, 0);
	EXPECT(memory != MAP_FAILED);
	parcel = memory;
	return true;
}

/* Fuzzes one daemon for the time asked for. */
static bool
fuzz(WaTestDaemon *daemon)
{
	long until_ms = wa_test_clock_ms() + fuzz_seconds * 1000;
	WaTestClient clients[MAX_CLIENTS];
	bool is_open[MAX_CLIENTS] = {false};
	long steps = 0;

	memset(clients, 0, sizeof(clients));
	EXPECT(make_parcel());
	while (wa_test_clock_ms() < until_ms)
	{
		uint64_t client = pick(MAX_CLIENTS);

		EXPECT(step(&clients[client], &is_open[client]));
		steps++;
	}
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (is_open[i])
			wa_test_close(&clients[i]);
	(void) munmap(parcel, FUZZ_PARCEL_BYTES);
	(void) close(parcel_fd);
	wa_test_sleep(1500); /* for slots with made-up owners to be swept */
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	EXPECT(wa_test_daemon_answers());
	(void) printf("# %ld steps, %ld connections, %ld requests\n", steps,
				  (long) wa_counter_get(&daemon->counters->connections),
				  (long) wa_counter_get(&daemon->counters->requests));
	return true;
}

static const WaTestCase tests[] = {
	{.name = "fuzzing one device", .run = fuzz},
	{.name = "fuzzing three devices",
	 .run = fuzz,
	 .arguments = {"--cpu-devices=3", "--memory-limit=300000"}},
};

int
main(int argc, char **argv)
{
	if (argc < 2)
	{
		(void) fprintf(stderr, "usage: %s PROGRAM [SECONDS [SEED]]\n", argv[0]);
		return EXIT_FAILURE;
	}
	if (argc > 2)
		fuzz_seconds = strtol(argv[2], NULL, 10);
	random_state = argc > 3 ? strtoull(argv[3], NULL, 10)
							: (uint64_t) time(NULL) * 1000003;
	(void) printf("# seed %llu\n", (unsigned long long) random_state);
	return wa_test_run_all(argv[1], tests, sizeof(tests) / sizeof(tests[0]),
						   NULL);
}
