/*
 * test_daemon_residency.c
 *		Questions about what is resident of several relations, in a running warpaggd.
 *
 *	test_daemon_residency PROGRAM [WORD]
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "core/replies.h"
#include "test/unit/check.h"
#include "test/unit/test_resident_client.h"

/* Those that questions are about: integers. */
#define ASKED ((uint64_t) 3)

/* Relations from 0 on: what there is of each. */
#define LOADED_ATTRIBUTES       \
	{                           \
		0x7, 0x3, 0x1, 0x0, 0x3 \
	}
#define RELATIONS 5

/* Loads extents of the relations, of each as many more. */
static bool
load_relations(WaTestOwner *owner)
{
	static const uint64_t attributes[RELATIONS] = LOADED_ATTRIBUTES;

	for (uint32_t i = 0; i < RELATIONS; i++)
		for (uint32_t j = 0; j <= i && attributes[i] != 0; j++)
			EXPECT(wa_test_load_extent(owner, i, j, 9, 1000 + 10 * i + j,
									   attributes[i]) == WA_OK);
	return true;
}

/* Forgets them. */
static bool
forget_relations(WaTestOwner *owner)
{
	for (uint64_t i = 0; i < RELATIONS; i++)
	{
		WaUnloadMessage unload = {.relation = wa_test_relation(i)};
		WaMessage reply;

		wa_message_begin(&unload.header, WA_MSG_UNLOAD, sizeof(unload), 34);
		EXPECT(wa_test_ask(owner, &unload, &reply) == WA_MSG_DONE);
	}
	return true;
}

/* Asks a question; takes the answer if all that can be said of it is right. */
static bool
ask(WaTestOwner *owner, const WaResidencyMessage *question,
	WaResidentMessage *resident, uint64_t *blocks)
{
	const size_t bytes = question->nsources * sizeof(*blocks);
	WaMessage reply;

	memset(owner->parcel + question->blocks, 0xff, bytes);
	EXPECT(wa_test_ask(owner, question, &reply) == WA_MSG_RESIDENT);
	EXPECT(reply.header.request == question->header.request);
	EXPECT(reply.resident.ncolumns == question->ncolumns);
	memcpy(blocks, owner->parcel + question->blocks, bytes);
	EXPECT(reply.header.bulk == wa_checksum(0, blocks, bytes));
	EXPECT(wa_residency_is_sound(&reply.resident, question->nsources));
	EXPECT(wa_complete_blocks_are_sound(&reply.resident, blocks,
										question->nsources));
	*resident = reply.resident;
	return true;
}

/* Tells whether a question is answered with FAILED. */
static bool
is_refused(WaTestOwner *owner, const WaResidencyMessage *question)
{
	WaMessage reply;

	return wa_test_ask(owner, question, &reply) == WA_MSG_FAILED &&
		   reply.failed.status == WA_BAD_REQUEST &&
		   reply.header.request == question->header.request;
}

/* Tells whether a question ends the connection. */
static bool
is_rejected(const WaResidencyMessage *question)
{
	const uint64_t relation = 0;
	WaTestOwner owner;
	WaMessage reply;
	bool closed;

	EXPECT(wa_test_own(&owner));
	(void) wa_test_question(&owner, &relation, 1, ASKED);
	closed = wa_test_ask(&owner, question, &reply) == 0;
	wa_test_disown(&owner);
	return closed;
}

/* Tells whether an answer says what some others, of a source each, come to together. */
static bool
is_sum(const WaResidentMessage *all, const WaResidentMessage *of, int count)
{
	for (uint32_t i = 0; i < all->ncolumns; i++)
	{
		WaResidency sum = {.smallest = INT64_MAX, .largest = INT64_MIN};

		for (int j = 0; j < count; j++)
		{
			const WaResidency *column = &of[j].columns[i];

			sum.blocks += column->blocks;
			sum.odd_blocks += column->odd_blocks;
			sum.rows += column->rows;
			sum.bytes += column->bytes;
			if (column->smallest < sum.smallest)
				sum.smallest = column->smallest;
			if (column->largest > sum.largest)
				sum.largest = column->largest;
		}
		EXPECT(memcmp(&all->columns[i], &sum, sizeof(sum)) == 0);
	}
	return true;
}

/* Sources without complete blocks do not count beside others that have some. */
static bool
test_many(WaTestDaemon *daemon)
{
	static const uint64_t asked[] = {7, 2, 4, 3, 0, 1};
	static WaResidentMessage single[RELATIONS];
	WaResidentMessage complete[3];
	WaResidentMessage all;
	uint64_t blocks[6];
	WaResidencyMessage question;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_relations(&owner));
	for (uint64_t i = 0; i < RELATIONS; i++)
	{
		EXPECT(wa_test_residency(&owner, i, ASKED, &single[i]));
		EXPECT((single[i].complete_blocks > 0) == (i != 2 && i != 3));
	}
	question = wa_test_question(&owner, asked, 6, ASKED);
	EXPECT(ask(&owner, &question, &all, blocks));
	EXPECT(blocks[0] == 0 && blocks[1] == 0 && blocks[3] == 0);
	EXPECT(blocks[2] == single[4].complete_blocks);
	EXPECT(blocks[4] == single[0].complete_blocks);
	EXPECT(blocks[5] == single[1].complete_blocks);
	complete[0] = single[4];
	complete[1] = single[0];
	complete[2] = single[1];
	EXPECT(is_sum(&all, complete, 3));
	/* Of the sources alone that have none there is what there is. */
	question = wa_test_question(&owner, asked, 2, ASKED);
	EXPECT(ask(&owner, &question, &all, blocks));
	EXPECT(all.complete_blocks == 0 && all.columns[0].blocks > 0 &&
		   all.columns[1].blocks == 0);
	EXPECT(is_sum(&all, &single[2], 1));
	EXPECT(forget_relations(&owner));
	question = wa_test_question(&owner, asked, 6, ASKED);
	EXPECT(ask(&owner, &question, &all, blocks));
	EXPECT(all.complete_blocks == 0 && is_sum(&all, single, 0));
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Each source has attributes of its own, or none: then all of its blocks count. */
static bool
test_attributes(WaTestDaemon *daemon)
{
	static const uint64_t asked[] = {1, 4};
	WaResidentMessage all;
	uint64_t blocks[2];
	WaResidencyMessage question;
	WaTestOwner owner;
	int16_t *attributes;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	EXPECT(load_relations(&owner));
	question = wa_test_question(&owner, asked, 2, 1);
	attributes = (int16_t *) (void *) (owner.parcel + question.sources +
									   2 * sizeof(WaRunSource));
	for (int i = 0; i < 2; i++)
	{
		attributes[i] = 9;
		attributes[1 - i] = 1;
		EXPECT(ask(&owner, &question, &all, blocks));
		EXPECT(blocks[i] == 0 && blocks[1 - i] > 0);
	}
	question = wa_test_question(&owner, asked, 2, 0);
	EXPECT(ask(&owner, &question, &all, blocks));
	EXPECT(blocks[0] > 0 && blocks[1] > blocks[0] && all.ncolumns == 0);
	EXPECT(forget_relations(&owner));
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* As many sources as there may be, of which one is there. */
static bool
test_most(WaTestDaemon *daemon)
{
	uint64_t *relations = calloc(WA_MAX_RUN_SOURCES, sizeof(*relations));
	uint64_t *blocks = calloc(WA_MAX_RUN_SOURCES, sizeof(*blocks));
	WaResidentMessage one;
	WaResidentMessage all;
	WaResidencyMessage question;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(relations != NULL && blocks != NULL);
	EXPECT(wa_test_own(&owner));
	EXPECT(load_relations(&owner));
	EXPECT(wa_test_residency(&owner, 4, ASKED, &one));
	for (uint64_t i = 0; i < WA_MAX_RUN_SOURCES; i++)
		relations[i] = i + 100;
	relations[12345] = 4;
	question = wa_test_question(&owner, relations, WA_MAX_RUN_SOURCES, ASKED);
	EXPECT(ask(&owner, &question, &all, blocks));
	EXPECT(blocks[12345] == one.complete_blocks && is_sum(&all, &one, 1));
	EXPECT(forget_relations(&owner));
	wa_test_disown(&owner);
	free(relations);
	free(blocks);
	return wa_test_daemon_answers();
}

/* Relations and attributes that cannot be, and damage, have a question fail alone. */
static bool
test_unsound(WaTestDaemon *daemon)
{
	static const uint64_t asked[] = {0, 1, 0};
	static const int16_t bad[] = {0, -2, -3, INT16_MIN};
	WaResidencyMessage question;
	WaResidentMessage all;
	WaRunSource *sources;
	uint64_t blocks[2];
	int16_t *attributes;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	question = wa_test_question(&owner, asked, 3, ASKED);
	EXPECT(is_refused(&owner, &question)); /* a relation twice */
	question = wa_test_question(&owner, asked, 2, ASKED);
	sources = (WaRunSource *) (void *) (owner.parcel + question.sources);
	attributes = (int16_t *) (void *) (sources + 2);
	EXPECT(ask(&owner, &question, &all, blocks));
	for (int i = 0; i < 4; i++)
	{
		attributes[i] = bad[i];
		EXPECT(is_refused(&owner, &question));
		attributes[i] = WA_PLACE_ATTRIBUTE;
		EXPECT(!is_refused(&owner, &question));
		attributes[i] = 3;
	}
	sources[1].relation.file = 0;
	EXPECT(is_refused(&owner, &question));
	question = wa_test_question(&owner, asked, 2, ASKED);
	EXPECT(wa_test_send(owner.client.fd, &question, question.header.length));
	EXPECT(wa_test_receive_reply(owner.client.fd, (WaMessage *) &all) ==
		   WA_MSG_FAILED); /* without the checksum */
	EXPECT(ask(&owner, &question, &all, blocks));
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* What does not lie in the parcel, and numbers that cannot be, end the connection. */
static bool
test_bounds(WaTestDaemon *daemon)
{
	static const uint64_t bad[] = {
		1,          63,         WA_TEST_PARCEL_BYTES, WA_TEST_PARCEL_BYTES + 64,
		UINT64_MAX, 1ULL << 63, UINT64_MAX - 63};
	const uint64_t relation = 0;
	WaResidencyMessage question;
	WaResidencyMessage good;
	WaTestOwner owner;

	(void) daemon;
	EXPECT(wa_test_own(&owner));
	good = wa_test_question(&owner, &relation, 1, ASKED);
	wa_test_disown(&owner);
	EXPECT(!is_rejected(&good));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		question = good;
		question.sources = bad[i];
		EXPECT(is_rejected(&question));
		question = good;
		question.blocks = bad[i];
		EXPECT(is_rejected(&question));
	}
	question = good;
	question.nsources = 0;
	EXPECT(is_rejected(&question));
	question.nsources = WA_MAX_RUN_SOURCES + 1;
	EXPECT(is_rejected(&question));
	question.nsources = UINT32_MAX;
	EXPECT(is_rejected(&question));
	question = good;
	question.blocks = WA_TEST_PARCEL_BYTES - 64;
	question.nsources = 9;
	EXPECT(is_rejected(&question));
	question = good;
	question.columns[1].attribute = 1;
	EXPECT(is_rejected(&question));
	EXPECT(wa_test_is_rejected(&good, good.header.length, true));
	EXPECT(wa_test_ping(daemon, WA_TEST_PATIENCE_MS));
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "what there is of many relations", .run = test_many},
	{.name = "attributes of each relation", .run = test_attributes},
	{.name = "as many relations as may be", .run = test_most},
	{.name = "relations that cannot be", .run = test_unsound},
	{.name = "questions out of bounds", .run = test_bounds},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
