/*
 * test_daemon_run.c
 *		RUN in a running warpaggd that has the counting runner.
 *
 *	test_daemon_run PROGRAM [WORD]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/checksum.h"
#include "core/replies.h"
#include "test/unit/check.h"
#include "test/unit/test_counting_runner.h"
#include "test/unit/test_resident_client.h"

#define EXTENTS 12

/*
 * Loads extents of a relation with attributes 3 and 10, of the same rows, where WAL is
 * known up to 7 at least.
 */
static bool
load_extents(WaTestOwner *owner, uint64_t relation)
{
	EXPECT(wa_test_follow(owner, 7, 7, NULL, 0) >= 7);
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(wa_test_load_extent(owner, relation, i, 7, 831, 0x204) == WA_OK);
	return true;
}

/* Returns the RUN of a query over attribute 3. */
static WaRunMessage
prepare(const WaTestOwner *owner, const WaTestQuery *query)
{
	return wa_test_run(owner, 4, 7, query, sizeof(*query), 41);
}

/* Counts the blocks that words in the parcel tell of. */
static uint64_t
count_blocks(const WaTestOwner *owner, uint64_t offset)
{
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < WA_TEST_USED_BYTES; i++)
		blocks += (uint64_t) __builtin_popcount(owner->parcel[offset + i]);
	return blocks;
}

/* Returns the checksum of something in the parcel. */
static uint32_t
sum_of(const WaTestOwner *owner, uint64_t offset, size_t bytes)
{
	return wa_checksum(0, owner->parcel + offset, bytes);
}

/* Returns the checksum of the blocks that an answer covers, and its groups. */
static uint32_t
bulk_of(const WaTestOwner *owner, size_t groups_bytes)
{
	const uint32_t used =
		wa_checksum(0, owner->parcel + WA_TEST_USED_AT, WA_TEST_USED_BYTES);

	return wa_checksum(used, owner->parcel + WA_TEST_GROUPS_AT, groups_bytes);
}

/* Has a RUN be over so many blocks. */
static void
set_blocks(const WaTestOwner *owner, WaRunMessage *run, uint32_t nblocks)
{
	wa_test_write_only_source(owner->parcel, run, 0, nblocks, 4);
}

/* A query, or a source, that is not as it was when the checksum was computed. */
static bool
test_damage(WaTestDaemon *daemon)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 4096};
	const uint64_t places[] = {
		WA_TEST_QUERY_AT + 5, WA_TEST_QUERY_AT + sizeof(query) - 1,
		WA_TEST_SOURCES_AT + 5,
		WA_TEST_SOURCES_AT + sizeof(WaRunSource) + sizeof(int16_t) - 1};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
	{
		run = prepare(&owner, &query);
		owner.parcel[places[i]] ^= 8;
		EXPECT(wa_test_send(owner.client.fd, &run, run.header.length));
		EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_BAD_REQUEST);
		owner.parcel[places[i]] ^= 8;
		EXPECT(wa_test_send(owner.client.fd, &run, run.header.length));
		EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_ANSWER);
	}
	wa_test_disown(&owner);
	return true;
}

static bool
test_run(WaTestDaemon *daemon)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 4096};
	const WaRunSource source = {wa_test_relation(0), WA_TEST_BLOCKS};
	WaTestOwner owner;
	WaTestGroups groups;
	WaRunMessage run;
	WaMessage reply;
	uint64_t used;
	uint32_t nrows;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	nrows = ((const WaExtentHead *) (const void *) owner.parcel)->nrows;
	run = prepare(&owner, &query);
	for (int i = 0; i < 200; i++)
	{
		memset(owner.parcel + WA_TEST_GROUPS_AT, 0, 4096);
		EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
		EXPECT(reply.header.request == 41);
		EXPECT(reply.answer.in_parcel == 1);
		EXPECT(reply.answer.groups_bytes == 4096);
		EXPECT(reply.answer.rows == (uint64_t) nrows * EXTENTS);
		EXPECT(reply.answer.kept_rows == reply.answer.rows / 2);
		EXPECT(wa_answer_is_sound(&run, WA_TEST_BLOCKS, &reply.answer));
		EXPECT(reply.header.bulk == bulk_of(&owner, 4096));
		memcpy(&groups, owner.parcel + WA_TEST_GROUPS_AT, sizeof(groups));
		EXPECT(groups.rows == reply.answer.rows && groups.extents == EXTENTS);
	}
	used = count_blocks(&owner, WA_TEST_USED_AT);
	EXPECT(used == reply.answer.blocks);
	EXPECT(wa_used_is_sound(
		(const uint64_t *) (const void *) (owner.parcel + WA_TEST_USED_AT),
		&source, 1, used));
	wa_test_disown(&owner);
	return true;
}

/* What is not there, or WAL that is not known, is answered without a query. */
static bool
test_nothing(WaTestDaemon *daemon)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
						 .groups_bytes = 4096,
						 .failure = WA_TEST_FAIL_BEGIN};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	for (int i = 0; i < 4; i++)
	{
		run = prepare(&owner, &query);
		if (i == 0)
			wa_test_write_only_source(owner.parcel, &run, 1, WA_TEST_BLOCKS, 4);
		else if (i == 1)
			wa_test_write_only_source(owner.parcel, &run, 0, WA_TEST_BLOCKS, 8);
		else if (i == 2)
			run.position = 8;
		EXPECT(wa_test_ask(&owner, &run, &reply) ==
			   (i < 3 ? WA_MSG_ANSWER : WA_MSG_FAILED));
		EXPECT(reply.header.request == 41);
		EXPECT(i == 3 ||
			   (reply.answer.in_parcel == 1 && reply.answer.blocks == 0 &&
				reply.answer.groups_bytes == 0));
	}
	wa_test_disown(&owner);
	return true;
}

/* Blocks that WAL has changed, or that are not settled for the snapshot, are left out. */
static bool
test_changes(WaTestDaemon *daemon)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 4096};
	const uint64_t lsn = (uint64_t) 1 << 40;
	const uint32_t block = 0;
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;
	uint64_t blocks;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	run = prepare(&owner, &query);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	blocks = reply.answer.blocks;
	EXPECT((owner.parcel[WA_TEST_USED_AT] & 1) == 1);
	EXPECT(wa_test_follow(&owner, 7, lsn, &block, 1) == lsn);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks == blocks - 1);
	EXPECT((owner.parcel[WA_TEST_USED_AT] & 1) == 0);
	run.position = lsn;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks == blocks - 1);
	run.snapshot = (WaSnapshot){.xmin = 1, .xmax = 1};
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks > 0 && reply.answer.blocks < blocks - 1);
	run.snapshot = wa_test_snapshot;
	/* Whatever lies between is not known. */
	EXPECT(wa_test_follow(&owner, lsn + 1, lsn + 2, NULL, 0) == lsn + 2);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks == 0 && reply.answer.rows == 0);
	wa_test_disown(&owner);
	return true;
}

/*
 * Asks what announces its cover, and expects that.  Stores the answer and how many blocks
 * the cover has.
 */
static bool
ask_announced(WaTestOwner *owner, const WaRunMessage *run, WaMessage *reply,
			  uint64_t *blocks)
{
	memset(owner->parcel + WA_TEST_USED_AT, 0xaa, WA_TEST_USED_BYTES);
	EXPECT(wa_test_ask(owner, run, reply) == WA_MSG_COVER);
	EXPECT(reply->header.request == 41);
	*blocks = reply->cover.blocks;
	EXPECT(count_blocks(owner, WA_TEST_COVER_AT) == *blocks);
	EXPECT(reply->header.bulk ==
		   sum_of(owner, WA_TEST_COVER_AT, WA_TEST_USED_BYTES));
	EXPECT(wa_test_receive_reply(owner->client.fd, reply) == WA_MSG_ANSWER);
	EXPECT(reply->header.request == 41);
	return true;
}

/* What an answer will cover is announced, and not said again if it comes true. */
static bool
test_announcement(WaTestDaemon *daemon)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 4096};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;
	uint64_t blocks;
	uint64_t left;
	uint32_t nblocks = 0;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	run = prepare(&owner, &query);
	run.announces = 1;
	EXPECT(ask_announced(&owner, &run, &reply, &blocks));
	EXPECT(reply.answer.blocks == blocks && reply.answer.left_blocks == 0);
	EXPECT(reply.header.bulk == sum_of(&owner, WA_TEST_GROUPS_AT, 4096));
	EXPECT(owner.parcel[WA_TEST_USED_AT] == 0xaa);
	/* Some is left out after all. */
	query.leaves_out = 1;
	run = prepare(&owner, &query);
	run.announces = 1;
	EXPECT(ask_announced(&owner, &run, &reply, &left));
	EXPECT(left == blocks && reply.answer.left_blocks > 0);
	EXPECT(reply.answer.blocks == blocks - reply.answer.left_blocks);
	EXPECT(count_blocks(&owner, WA_TEST_USED_AT) == reply.answer.blocks);
	EXPECT(reply.header.bulk == bulk_of(&owner, 4096));
	/* Failures come in the place of the answer. */
	query.failure = WA_TEST_FAIL_PROCESS;
	run = prepare(&owner, &query);
	run.announces = 1;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_COVER);
	EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_FAILED);
	/* Nothing is announced where nothing can be used, or all can. */
	query = (WaTestQuery){.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 4096};
	run = prepare(&owner, &query);
	run.announces = 1;
	run.position = 8;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks == 0);
	run = prepare(&owner, &query);
	run.announces = 1;
	while ((owner.parcel[WA_TEST_COVER_AT + nblocks / 8] >> nblocks % 8 & 1) !=
		   0)
		nblocks++;
	EXPECT(nblocks > 0);
	set_blocks(&owner, &run, nblocks);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.blocks == nblocks);
	/* Of a relation that was shorter nothing is said of what came later. */
	set_blocks(&owner, &run, ++nblocks);
	memset(owner.parcel + WA_TEST_COVER_AT, 0xaa, WA_TEST_USED_BYTES);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_COVER);
	EXPECT(wa_test_receive_reply(owner.client.fd, &reply) == WA_MSG_ANSWER);
	for (size_t i = wa_extents_bytes(nblocks); i < WA_TEST_USED_BYTES; i++)
		EXPECT(owner.parcel[WA_TEST_COVER_AT + i] == 0xaa);
	wa_test_disown(&owner);
	return true;
}

/* A query of which an answer is of use only if it has all blocks. */
static bool
test_complete(WaTestDaemon *daemon)
{
	const WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 4096, .only_complete = 1};
	WaTestOwner owner;
	WaTestQuery *sent;
	WaRunMessage run;
	WaMessage reply;
	uint32_t nblocks = 0;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	sent = (WaTestQuery *) (void *) (owner.parcel + WA_TEST_QUERY_AT);
	run = prepare(&owner, &query);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.groups_bytes == 0 && reply.answer.blocks == 0 &&
		   reply.answer.rows > 0);
	sent->only_complete = 0;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.groups_bytes == 4096 && reply.answer.blocks > 0);
	/* A relation of the first blocks, all of which can be used. */
	while ((owner.parcel[WA_TEST_USED_AT + nblocks / 8] >> nblocks % 8 & 1) !=
		   0)
		nblocks++;
	EXPECT(nblocks > 0);
	sent->only_complete = 1;
	set_blocks(&owner, &run, nblocks);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.groups_bytes == 4096 && reply.answer.blocks == nblocks);
	set_blocks(&owner, &run, nblocks + 1);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(reply.answer.groups_bytes == 0 && reply.answer.blocks == 0);
	wa_test_disown(&owner);
	return true;
}

/* Receives ANSWER and the descriptor that comes along. */
static int
receive_file(int fd, WaAnswerMessage *answer)
{
	union
	{
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	WaMessage reply;
	struct iovec part = {&reply, sizeof(reply)};
	struct msghdr packet = {.msg_iov = &part,
							.msg_iovlen = 1,
							.msg_control = control.bytes,
							.msg_controllen = sizeof(control.bytes)};
	const struct cmsghdr *rights;
	ssize_t length;
	int file;

	do
	{
		packet.msg_controllen = sizeof(control);
		length = recvmsg(fd, &packet, MSG_CMSG_CLOEXEC);
	} while (length > 0 && reply.header.type == WA_MSG_HEARTBEAT);
	if (length != (ssize_t) sizeof(*answer))
	{
		(void) fprintf(stderr, "a message of %zd bytes: %s\n", length,
					   length > 0 && reply.header.type == WA_MSG_FAILED
						   ? reply.failed.text
						   : "");
		return -1;
	}
	*answer = reply.answer;
	rights = CMSG_FIRSTHDR(&packet);
	if (rights == NULL || rights->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&file, CMSG_DATA(rights), sizeof(file));
	return file;
}

static bool
test_file(WaTestDaemon *daemon)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 3000000};
	WaTestOwner owner;
	WaAnswerMessage answer;
	WaTestGroups groups;
	WaRunMessage run;
	int file;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	run = prepare(&owner, &query);
	run.memory = UINT64_MAX;
	EXPECT(wa_test_send(owner.client.fd, &run, run.header.length));
	file = receive_file(owner.client.fd, &answer);
	EXPECT(file >= 0 && answer.in_parcel == 0);
	EXPECT(answer.groups_bytes == 3000000);
	EXPECT(pread(file, &groups, sizeof(groups), 0) == sizeof(groups));
	EXPECT(groups.rows == answer.rows);
	EXPECT(ftruncate(file, 4096) != 0);
	(void) close(file);
	wa_test_disown(&owner);
	return true;
}

/*
 * An answer that takes more than the query may take is none, which is no fault of the
 * connection's; what a backend says of that may be any number.
 */
static bool
test_memory(WaTestDaemon *daemon)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 5000000};
	WaTestOwner owner;
	WaAnswerMessage answer;
	WaRunMessage run;
	WaMessage reply;
	int file;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	for (int i = 0; i < 100; i++)
	{
		run = prepare(&owner, &query);
		run.memory = i % 2 == 0 ? 0 : 4999999;
		EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_OUT_OF_MEMORY);
		run.memory = 5000000;
		EXPECT(wa_test_send(owner.client.fd, &run, run.header.length));
		file = receive_file(owner.client.fd, &answer);
		EXPECT(file >= 0 && answer.groups_bytes == 5000000);
		(void) close(file);
	}
	/* More than all queries may take together. */
	query.groups_bytes = 100000000;
	run = prepare(&owner, &query);
	run.memory = UINT64_MAX;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_FAILED);
	EXPECT(reply.failed.status == WA_OUT_OF_MEMORY);
	wa_test_disown(&owner);
	return true;
}

/* What goes wrong with a query does not end the connection. */
static bool
test_failing(WaTestDaemon *daemon)
{
	WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	for (query.failure = WA_TEST_FAIL_BEGIN;
		 query.failure <= WA_TEST_FAIL_FINISH; query.failure++)
	{
		query.delay_us = 2000;
		run = prepare(&owner, &query);
		EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_UNSUPPORTED);
		EXPECT(strcmp(reply.failed.text, "so be it") == 0);
	}
	query.failure = WA_TEST_FAIL_NOWHERE;
	run = prepare(&owner, &query);
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	wa_test_disown(&owner);
	return true;
}

/* Tells whether a RUN ends the connection. */
static bool
run_is_rejected(WaRunMessage run)
{
	WaTestOwner owner;
	WaMessage reply;
	bool closed;

	EXPECT(wa_test_own(&owner));
	closed = wa_test_ask(&owner, &run, &reply) == 0;
	wa_test_disown(&owner);
	return closed;
}

static bool
test_bad_offsets(WaTestDaemon *daemon)
{
	static const uint64_t bad[] = {8, WA_TEST_PARCEL_BYTES + 64,
								   UINT64_MAX - 63, 1ULL << 63};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaTestOwner owner;
	WaRunMessage good;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	good = prepare(&owner, &query);
	wa_test_disown(&owner);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		WaRunMessage run = good;

		run.query = bad[i];
		EXPECT(run_is_rejected(run));
		run = good;
		run.sources = bad[i];
		EXPECT(run_is_rejected(run));
		run = good;
		run.used = bad[i];
		EXPECT(run_is_rejected(run));
		run = good;
		run.cover = bad[i];
		EXPECT(run_is_rejected(run));
		run = good;
		run.groups = bad[i];
		EXPECT(run_is_rejected(run));
	}
	good.sources = WA_TEST_PARCEL_BYTES;
	EXPECT(run_is_rejected(good));
	good.sources = WA_TEST_SOURCES_AT;
	good.nsources = 0;
	EXPECT(run_is_rejected(good));
	good.nsources = WA_MAX_RUN_SOURCES + 1;
	EXPECT(run_is_rejected(good));
	good.nsources = UINT32_MAX;
	EXPECT(run_is_rejected(good));
	good.nsources = 1;
	good.columns[0].attribute = 3;
	EXPECT(run_is_rejected(good));
	good.columns[0].attribute = 0;
	good.snapshot.xmax--;
	EXPECT(run_is_rejected(good));
	good.snapshot = wa_test_snapshot;
	good.snapshot.nxids = 1;
	EXPECT(run_is_rejected(good));
	good.snapshot = wa_test_snapshot;
	good.query_bytes = UINT64_MAX;
	EXPECT(run_is_rejected(good));
	good.query_bytes = 40;
	good.groups_room = UINT64_MAX;
	EXPECT(run_is_rejected(good));
	EXPECT(wa_test_is_rejected(&good, good.header.length, true));
	return wa_test_daemon_answers();
}

/* Tells whether a RUN fails as its sources cannot be; the connection stays. */
static bool
run_is_refused(WaTestOwner *owner, const WaRunMessage *run)
{
	WaMessage reply;

	return wa_test_ask(owner, run, &reply) == WA_MSG_FAILED &&
		   reply.failed.status == WA_BAD_REQUEST;
}

/* Relations and attributes that cannot be, and more blocks than there is room to tell of. */
static bool
test_bad_sources(WaTestDaemon *daemon)
{
	static const int16_t attributes[] = {3, WA_PLACE_ATTRIBUTE, 0, -2,
										 INT16_MIN};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;
	WaRunSource *sources;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_extents(&owner, 0));
	run = prepare(&owner, &query);
	run.nsources = 2;
	sources = (WaRunSource *) (void *) (owner.parcel + run.sources);
	for (uint64_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
	{
		wa_test_write_source(owner.parcel, &run, 0, 0, 50, attributes);
		wa_test_write_source(owner.parcel, &run, 1, 1, 50, &attributes[i]);
		EXPECT(run_is_refused(&owner, &run) == (i > 1));
	}
	wa_test_write_source(owner.parcel, &run, 1, 0, 50, attributes);
	EXPECT(run_is_refused(&owner, &run));
	wa_test_write_source(owner.parcel, &run, 1, 1, UINT32_MAX, attributes);
	EXPECT(run_is_refused(&owner, &run));
	wa_test_write_source(owner.parcel, &run, 1, 1, 50, attributes);
	sources[1].relation.tablespace = 0;
	EXPECT(run_is_refused(&owner, &run));
	sources[1].relation = wa_test_relation(1);
	run.used = WA_TEST_PARCEL_BYTES - 64;
	EXPECT(run_is_refused(&owner, &run));
	run.used = WA_TEST_PARCEL_BYTES - 128;
	EXPECT(!run_is_refused(&owner, &run));
	run.cover = WA_TEST_PARCEL_BYTES - 64;
	EXPECT(run_is_refused(&owner, &run));
	run.cover = WA_TEST_COVER_AT;
	EXPECT(wa_test_ask(&owner, &run, &reply) == WA_MSG_ANSWER);
	wa_test_disown(&owner);
	return true;
}

/* Backends hear that their long queries go on, and small ones get through. */
static bool
test_heartbeats(WaTestDaemon *daemon)
{
	WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100, .delay_us = 500000};
	WaTestOwner slow;
	WaTestOwner quick;
	WaRunMessage run;
	WaMessage reply;
	int heartbeats = 0;
	int type;

	(void) daemon;
	EXPECT(wa_test_own(&slow));
	EXPECT(wa_test_own(&quick));
	EXPECT(load_extents(&slow, 0));
	run = prepare(&slow, &query);
	EXPECT(wa_test_send(slow.client.fd, &run, run.header.length));
	query.delay_us = 0;
	run = prepare(&quick, &query);
	EXPECT(wa_test_ask(&quick, &run, &reply) == WA_MSG_ANSWER);
	do
	{
		type = wa_test_receive(slow.client.fd, &reply, WA_TEST_PATIENCE_MS);
		heartbeats += type == WA_MSG_HEARTBEAT;
	} while (type == WA_MSG_HEARTBEAT);
	EXPECT(type == WA_MSG_ANSWER && heartbeats >= 1);
	wa_test_disown(&slow);
	wa_test_disown(&quick);
	return true;
}

/* Backends that go end their queries soon. */
static bool
test_leaving(WaTestDaemon *daemon)
{
	WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100, .delay_us = 300000};
	WaTestOwner owners[10];
	WaTestOwner last;
	WaRunMessage run;
	WaMessage reply;
	long start_ms;

	EXPECT(wa_test_own(&last));
	EXPECT(load_extents(&last, 0));
	for (int i = 0; i < 10; i++)
	{
		EXPECT(wa_test_own(&owners[i]));
		run = prepare(&owners[i], &query);
		EXPECT(wa_test_send(owners[i].client.fd, &run, run.header.length));
	}
	wa_test_sleep(100);
	for (int i = 0; i < 10; i++)
		wa_test_disown(&owners[i]);
	start_ms = wa_test_clock_ms();
	query.delay_us = 0;
	run = prepare(&last, &query);
	EXPECT(wa_test_ask(&last, &run, &reply) == WA_MSG_ANSWER);
	EXPECT(wa_test_clock_ms() - start_ms < 5000);
	wa_test_disown(&last);
	return wa_test_ping(daemon, WA_TEST_PATIENCE_MS);
}

/* Queries until somebody says that it is enough. */
static bool enough;

static void *
query_much(void *arg)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaTestOwner owner;
	WaRunMessage run;
	WaMessage reply;

	if (!wa_test_own(&owner))
		return NULL;
	run = prepare(&owner, &query);
	while (!__atomic_load_n(&enough, __ATOMIC_RELAXED))
		if (wa_test_ask(&owner, &run, &reply) != WA_MSG_ANSWER)
			return NULL;
	wa_test_disown(&owner);
	return arg;
}

/* Queries and loads at the same time, in little memory. */
static bool
test_loading_meanwhile(WaTestDaemon *daemon)
{
	pthread_t threads[3];
	WaTestOwner owner;
	void *result;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	enough = false;
	for (uintptr_t i = 0; i < 3; i++)
		EXPECT(pthread_create(&threads[i], NULL, query_much,
							  (void *) (i + 1)) == 0);
	for (uint32_t i = 0; i < 150; i++)
	{
		int status = wa_test_load_extent(&owner, i % 7 == 0, i % 10, 7,
										 831 + i % 3, 0x204);

		EXPECT(status == WA_OK || status == WA_OUT_OF_MEMORY);
	}
	__atomic_store_n(&enough, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		EXPECT(pthread_join(threads[i], &result) == 0 && result != NULL);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "a query", .run = test_run},
	{.name = "a query, one thread",
	 .run = test_run,
	 .arguments = {"--query-threads=1"}},
	{.name = "a query, many threads and devices",
	 .run = test_run,
	 .arguments = {"--query-threads=40", "--cpu-devices=3"}},
	{.name = "a damaged query", .run = test_damage},
	{.name = "nothing to query", .run = test_nothing},
	{.name = "blocks that change", .run = test_changes},
	{.name = "an announced answer", .run = test_announcement},
	{.name = "all blocks or none", .run = test_complete},
	{.name = "groups in a file", .run = test_file},
	{.name = "memory of queries",
	 .run = test_memory,
	 .arguments = {"--memory-limit=100000000", "--query-threads=2"}},
	{.name = "queries that fail", .run = test_failing},
	{.name = "offsets out of bounds", .run = test_bad_offsets},
	{.name = "sources that cannot be", .run = test_bad_sources},
	{.name = "heartbeats during queries", .run = test_heartbeats},
	{.name = "leaving during queries", .run = test_leaving},
	{.name = "loading during queries",
	 .run = test_loading_meanwhile,
	 .arguments = {"--memory-limit=500000", "--query-threads=4"}},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
