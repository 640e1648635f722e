/*
 * test_daemon_stamps.c
 *		Stamps of relations in a running warpaggd, and of blocks: whether they are as they
 *		were.
 *
 *	test_daemon_stamps PROGRAM [WORD]
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "test/unit/check.h"
#include "test/unit/test_resident_client.h"

/* Relations that questions are about; of each all blocks of an extent are loaded. */
#define RELATIONS 3

/* A seed, and how many blocks an extent has by it. */
#define SEED   415
#define BLOCKS 416

#define POSITION 9

/* Writes an extent, all of whose blocks have LSNs, and has it loaded. */
static bool
load(WaTestOwner *owner, uint64_t relation, uint64_t position,
	 uint64_t attributes)
{
	uint64_t lsn[WA_EXTENT_BLOCKS];
	WaLoadMessage message = {.extent = 0};
	WaMessage reply;

	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
		lsn[i] = 1 + (i + relation) % position;
	wa_test_write_extent_of(owner->parcel, wa_test_relation(relation), 0,
							position, SEED, 3, attributes, lsn);
	wa_message_begin(&message.header, WA_MSG_LOAD, sizeof(message), 32);
	message.header.bulk =
		wa_test_extent_checksum(owner->parcel, 0, WA_TEST_PARCEL_BYTES);
	return wa_test_ask(owner, &message, &reply) == WA_MSG_DONE;
}

/* Makes a question about the relations, of so many blocks each. */
static WaStampsMessage
make_question(const WaTestOwner *owner, uint32_t nblocks, uint64_t position)
{
	WaStampsMessage question = {.nsources = RELATIONS,
								.position = position,
								.snapshot = wa_test_snapshot,
								.sources = WA_TEST_SOURCES_AT,
								.stamps = WA_TEST_BLOCKS_AT};

	for (uint32_t i = 0; i < RELATIONS; i++)
	{
		const WaRunSource source = {wa_test_relation(i), nblocks};

		memcpy(owner->parcel + WA_TEST_SOURCES_AT + i * sizeof(source), &source,
			   sizeof(source));
	}
	wa_message_begin(&question.header, WA_MSG_STAMPS, sizeof(question), 36);
	question.header.bulk = wa_checksum(0, owner->parcel + WA_TEST_SOURCES_AT,
									   wa_run_sources_bytes(RELATIONS, 0));
	return question;
}

/* Asks it; takes the stamps. */
static bool
ask(WaTestOwner *owner, const WaStampsMessage *question,
	uint64_t stamps[RELATIONS])
{
	const size_t bytes = RELATIONS * sizeof(*stamps);
	WaMessage reply;

	memset(owner->parcel + question->stamps, 0xff, bytes);
	EXPECT(wa_test_ask(owner, question, &reply) == WA_MSG_DONE);
	EXPECT(reply.header.request == 36);
	memcpy(stamps, owner->parcel + question->stamps, bytes);
	EXPECT(reply.header.bulk == wa_checksum(0, stamps, bytes));
	return true;
}

/* Asks for the stamps of all blocks, as they are at POSITION. */
static bool
ask_all(WaTestOwner *owner, uint64_t stamps[RELATIONS])
{
	const WaStampsMessage question = make_question(owner, BLOCKS, POSITION);

	return ask(owner, &question, stamps);
}

/* Loads all relations, of which it connects to a daemon that knows WAL. */
static bool
begin(WaTestOwner *owner)
{
	EXPECT(wa_test_own(owner));
	EXPECT(wa_test_follow(owner, 1, POSITION, NULL, 0) == POSITION);
	for (uint64_t i = 0; i < RELATIONS; i++)
		EXPECT(load(owner, i, POSITION, (uint64_t) 1 << i));
	return true;
}

/* Ends that. */
static bool
end(WaTestOwner *owner)
{
	wa_test_disown(owner);
	return wa_test_daemon_answers();
}

/* Stamps stay, and differ; they change when a block does, and when it has come again. */
static bool
test_changes(WaTestDaemon *daemon)
{
	static const uint32_t blocks[] = {7};
	WaUnloadMessage unload = {.relation = wa_test_relation(1), .attribute = 0};
	uint64_t first[RELATIONS];
	uint64_t stamps[RELATIONS];
	WaTestOwner owner;
	WaMessage reply;

	(void) daemon;
	EXPECT(begin(&owner) && ask_all(&owner, first));
	EXPECT(first[0] > WA_EMPTY_STAMP && first[1] > WA_EMPTY_STAMP &&
		   first[2] > WA_EMPTY_STAMP);
	EXPECT(first[0] != first[1] && first[1] != first[2]);
	EXPECT(ask_all(&owner, stamps));
	EXPECT(memcmp(stamps, first, sizeof(first)) == 0);
	/* A record behind what was loaded. */
	EXPECT(wa_test_follow(&owner, POSITION, POSITION + 5, blocks, 1) ==
		   POSITION + 5);
	EXPECT(ask_all(&owner, stamps));
	EXPECT(stamps[0] == 0 && stamps[1] == first[1] && stamps[2] == first[2]);
	EXPECT(load(&owner, 0, POSITION + 5, 1));
	EXPECT(ask_all(&owner, stamps));
	EXPECT(stamps[0] != 0 && stamps[0] != first[0]);
	/* What has gone, and come again, may have changed meanwhile. */
	wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 34);
	EXPECT(wa_test_ask(&owner, &unload, &reply) == WA_MSG_DONE);
	EXPECT(ask_all(&owner, stamps) && stamps[1] == 0);
	EXPECT(load(&owner, 1, POSITION + 5, 1));
	EXPECT(ask_all(&owner, stamps));
	EXPECT(stamps[1] != 0 && stamps[1] != first[1] && stamps[2] == first[2]);
	/* Where nobody knows what has changed nothing is as it was. */
	EXPECT(wa_test_follow(&owner, POSITION + 50, POSITION + 60, NULL, 0) ==
		   POSITION + 60);
	EXPECT(ask_all(&owner, stamps));
	EXPECT(stamps[0] == 0 && stamps[1] == 0 && stamps[2] == 0);
	return end(&owner);
}

/* All blocks have to be there, whatever columns there are of them. */
static bool
test_blocks(WaTestDaemon *daemon)
{
	uint64_t first[RELATIONS];
	uint64_t stamps[RELATIONS];
	WaStampsMessage question;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(begin(&owner) && ask_all(&owner, first));
	question = make_question(&owner, BLOCKS + 1, POSITION);
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(stamps[0] == 0 && stamps[1] == 0 && stamps[2] == 0);
	question = make_question(&owner, BLOCKS - 1, POSITION);
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(stamps[0] != 0 && stamps[0] != first[0]);
	question = make_question(&owner, 0, POSITION);
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(stamps[0] == WA_EMPTY_STAMP && stamps[2] == WA_EMPTY_STAMP);
	/* The same blocks, with other columns. */
	EXPECT(ask_all(&owner, first));
	EXPECT(load(&owner, 1, POSITION, 5));
	EXPECT(ask_all(&owner, stamps));
	EXPECT(stamps[0] != 0 && stamps[1] != 0 && stamps[2] == first[2]);
	return end(&owner);
}

/* WAL has to be known, and transactions that decide have to have ended. */
static bool
test_snapshots(WaTestDaemon *daemon)
{
	uint64_t first[RELATIONS];
	uint64_t stamps[RELATIONS];
	WaStampsMessage question;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(begin(&owner) && ask_all(&owner, first));
	question = make_question(&owner, BLOCKS, POSITION + 1);
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(stamps[0] == 0 && stamps[1] == 0 && stamps[2] == 0);
	question = make_question(&owner, BLOCKS, POSITION);
	question.snapshot = (WaSnapshot){.xmin = 1, .xmax = 1};
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(stamps[0] == 0 && stamps[1] == 0 && stamps[2] == 0);
	/* Another one, for which all have ended as well. */
	question.snapshot =
		(WaSnapshot){.xmin = UINT64_MAX - 1, .xmax = UINT64_MAX};
	EXPECT(ask(&owner, &question, stamps));
	EXPECT(memcmp(stamps, first, sizeof(first)) == 0);
	return end(&owner);
}

/* Another daemon gives other stamps to what is the same. */
static bool
test_starts(WaTestDaemon *daemon)
{
	static uint64_t before[RELATIONS];
	uint64_t stamps[RELATIONS];
	WaTestOwner owner;

	(void) daemon;
	EXPECT(begin(&owner) && ask_all(&owner, stamps));
	for (int i = 0; i < RELATIONS; i++)
		for (int j = 0; j < RELATIONS; j++)
			EXPECT(stamps[i] != 0 && stamps[i] != before[j]);
	memcpy(before, stamps, sizeof(before));
	return end(&owner);
}

/* Makes a question what the blocks of a relation are. */
static WaBlocksMessage
make_blocks_question(uint64_t relation, uint32_t nblocks, uint64_t position)
{
	WaBlocksMessage question = {.relation = wa_test_relation(relation),
								.nblocks = nblocks,
								.position = position,
								.snapshot = wa_test_snapshot,
								.blocks = WA_TEST_BLOCKS_AT};

	wa_message_begin(&question.header, WA_MSG_BLOCKS, sizeof(question), 37);
	return question;
}

/*
 * Asks it; each block has the LSN that it was loaded with, or 0 if that says nothing, if it
 * is one that is not known, or behind those that are there.
 */
static bool
blocks_are(WaTestOwner *owner, const WaBlocksMessage *question, uint64_t first,
		   uint64_t position, uint32_t unknown)
{
	const size_t bytes = question->nblocks * sizeof(uint64_t);
	uint64_t blocks[BLOCKS + 2];
	WaMessage reply;

	EXPECT(question->nblocks <= BLOCKS + 1);
	memset(owner->parcel + question->blocks, 0xff, bytes + sizeof(uint64_t));
	EXPECT(wa_test_ask(owner, question, &reply) == WA_MSG_DONE);
	EXPECT(reply.header.request == 37);
	memcpy(blocks, owner->parcel + question->blocks, bytes + sizeof(uint64_t));
	EXPECT(reply.header.bulk == wa_checksum(0, blocks, bytes));
	EXPECT(blocks[question->nblocks] == UINT64_MAX);
	for (uint32_t i = 0; i < question->nblocks; i++)
	{
		const uint64_t lsn = 1 + (i + first) % position;

		EXPECT(blocks[i] ==
			   (lsn == 1 || i == unknown || i >= BLOCKS ? 0 : lsn));
	}
	return true;
}

/* Returns how many of the blocks are known. */
static uint32_t
count_known(WaTestOwner *owner, const WaBlocksMessage *question)
{
	uint32_t known = 0;
	WaMessage reply;
	uint64_t block;

	memset(owner->parcel + question->blocks, 0xff,
		   question->nblocks * sizeof(block));
	EXPECT(wa_test_ask(owner, question, &reply) == WA_MSG_DONE);
	for (uint32_t i = 0; i < question->nblocks; i++)
	{
		memcpy(&block, owner->parcel + question->blocks + i * sizeof(block),
			   sizeof(block));
		known += block != 0;
	}
	return known;
}

/* Blocks have their LSNs as long as they are fresh, and can be used. */
static bool
test_identities(WaTestDaemon *daemon)
{
	static const uint32_t changed[] = {7};
	WaBlocksMessage question;
	WaTestOwner owner;
	uint32_t known;

	(void) daemon;
	EXPECT(begin(&owner));
	question = make_blocks_question(0, BLOCKS, POSITION);
	EXPECT(blocks_are(&owner, &question, 0, POSITION, UINT32_MAX));
	question = make_blocks_question(1, BLOCKS + 1, POSITION);
	EXPECT(blocks_are(&owner, &question, 1, POSITION, UINT32_MAX));
	question = make_blocks_question(1, 3, POSITION);
	EXPECT(blocks_are(&owner, &question, 1, POSITION, UINT32_MAX));
	/* Nothing is there of another relation, nor for what WAL is not known for. */
	question = make_blocks_question(RELATIONS, BLOCKS, POSITION);
	EXPECT(count_known(&owner, &question) == 0);
	question = make_blocks_question(0, BLOCKS, POSITION + 1);
	EXPECT(count_known(&owner, &question) == 0);
	/* For a snapshot for which nothing has ended those are that nobody decides about. */
	question = make_blocks_question(0, BLOCKS, POSITION);
	known = count_known(&owner, &question);
	question.snapshot = (WaSnapshot){.xmin = 1, .xmax = 1};
	EXPECT(count_known(&owner, &question) < known);
	/* One that has changed is not known until it has been loaded again. */
	EXPECT(wa_test_follow(&owner, POSITION, POSITION + 5, changed, 1) ==
		   POSITION + 5);
	question = make_blocks_question(0, BLOCKS, POSITION + 5);
	EXPECT(blocks_are(&owner, &question, 0, POSITION, changed[0]));
	EXPECT(load(&owner, 0, POSITION + 5, 1));
	EXPECT(blocks_are(&owner, &question, 0, POSITION + 5, UINT32_MAX));
	return end(&owner);
}

/* Tells whether a question about blocks ends the connection. */
static bool
blocks_are_rejected(const WaBlocksMessage *question)
{
	WaTestOwner owner;
	WaMessage reply;
	bool closed;

	EXPECT(wa_test_own(&owner));
	closed = wa_test_ask(&owner, question, &reply) == 0;
	wa_test_disown(&owner);
	return closed;
}

/* What cannot be ends the connection. */
static bool
test_unsound_blocks(WaTestDaemon *daemon)
{
	const WaBlocksMessage good = make_blocks_question(0, BLOCKS, POSITION);
	WaBlocksMessage question = good;

	(void) daemon;
	EXPECT(!blocks_are_rejected(&good));
	question.nblocks = 0;
	EXPECT(blocks_are_rejected(&question));
	question.nblocks = UINT32_MAX;
	EXPECT(blocks_are_rejected(&question));
	question = good;
	question.blocks = WA_TEST_PARCEL_BYTES - BLOCKS * sizeof(uint64_t) + 1;
	EXPECT(blocks_are_rejected(&question));
	question = good;
	question.relation = (WaRelation){0};
	EXPECT(blocks_are_rejected(&question));
	question = good;
	question.snapshot.xmax = question.snapshot.xmin - 1;
	EXPECT(blocks_are_rejected(&question));
	EXPECT(wa_test_is_rejected(&good, good.header.length, true));
	return wa_test_daemon_answers();
}

/* Tells whether a question ends the connection. */
static bool
is_rejected(const WaStampsMessage *question)
{
	WaTestOwner owner;
	WaMessage reply;
	bool closed;

	EXPECT(wa_test_own(&owner));
	(void) make_question(&owner, BLOCKS, POSITION);
	closed = wa_test_ask(&owner, question, &reply) == 0;
	wa_test_disown(&owner);
	return closed;
}

/* What cannot be, or was damaged, has a question fail, or end the connection. */
static bool
test_unsound(WaTestDaemon *daemon)
{
	WaStampsMessage question;
	WaStampsMessage good;
	WaTestOwner owner;
	WaMessage reply;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	good = make_question(&owner, BLOCKS, POSITION);
	owner.parcel[WA_TEST_SOURCES_AT] ^= 1;
	EXPECT(wa_test_ask(&owner, &good, &reply) == WA_MSG_FAILED);
	EXPECT(reply.failed.status == WA_BAD_REQUEST);
	good = make_question(&owner, BLOCKS, POSITION);
	memset(owner.parcel + WA_TEST_SOURCES_AT, 0, sizeof(WaRelation));
	question = good;
	question.header.bulk = wa_checksum(0, owner.parcel + WA_TEST_SOURCES_AT,
									   wa_run_sources_bytes(RELATIONS, 0));
	EXPECT(wa_test_ask(&owner, &question, &reply) == WA_MSG_FAILED);
	EXPECT(reply.failed.status == WA_BAD_REQUEST);
	wa_test_disown(&owner);
	EXPECT(!is_rejected(&good));
	question = good;
	question.nsources = 0;
	EXPECT(is_rejected(&question));
	question.nsources = WA_MAX_RUN_SOURCES + 1;
	EXPECT(is_rejected(&question));
	question = good;
	question.sources = 63;
	EXPECT(is_rejected(&question));
	question = good;
	question.stamps = WA_TEST_PARCEL_BYTES;
	EXPECT(is_rejected(&question));
	question = good;
	question.unused = 1;
	EXPECT(is_rejected(&question));
	question = good;
	question.snapshot.xmax = question.snapshot.xmin - 1;
	EXPECT(is_rejected(&question));
	EXPECT(wa_test_is_rejected(&good, good.header.length, true));
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "what changes, goes and comes", .run = test_changes},
	{.name = "blocks that are there", .run = test_blocks},
	{.name = "snapshots and positions", .run = test_snapshots},
	{.name = "a daemon", .run = test_starts},
	{.name = "another daemon", .run = test_starts},
	{.name = "questions that cannot be", .run = test_unsound},
	{.name = "blocks", .run = test_identities},
	{.name = "questions about blocks that cannot be",
	 .run = test_unsound_blocks},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
