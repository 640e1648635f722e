/*
 * test_daemon_tables.c
 *		Look-up tables that a running warpaggd keeps, and queries that name them.
 *
 *	test_daemon_tables PROGRAM [WORD]
 */
#include <stdlib.h>
#include <string.h>

#include "core/checksum.h"
#include "query/message/query_wire.h"
#include "query/message/table_wire.h"
#include "test/unit/check.h"
#include "test/unit/test_resident_client.h"

/* Entries of tables for the values of attribute 1, an INT16, and of large ones. */
#define ENTRIES       50000
#define LARGE_ENTRIES 1125000

/* Of large tables so many have room at the same time, of the memory that queries have. */
#define LARGE_TABLES 7

#define GROUPS_ROOM 65536

/* Where the message of a table has the form of its entries. */
#define FLAGS_WORD 4
#define FORM_BIT   ((uint64_t) 1 << 18)

static int64_t values[LARGE_ENTRIES];
static uint8_t known[LARGE_ENTRIES];
static const WaText texts[] = {{"even", 4}, {"odd", 3}};

/* Makes a table, of which others are made by other numbers. */
static WaLookupTable
make_table(uint64_t number, uint64_t nentries)
{
	for (uint64_t i = 0; i < nentries; i++)
	{
		known[i] = i % 7 == number % 7 ? WA_ENTRY_NULL : WA_ENTRY_VALUE;
		values[i] =
			known[i] == WA_ENTRY_NULL ? 0 : (int64_t) (i / 5000 + number);
	}
	return (WaLookupTable){.base = -30000,
						   .width = 1,
						   .nentries = nentries,
						   .values = values,
						   .known = known,
						   .is_total = true,
						   .digest = {{number, ~number}}};
}

/* Writes a table to the parcel; returns the KEEP. */
static WaKeepMessage
make_keep(const WaTestOwner *owner, const WaLookupTable *table)
{
	const uint64_t bytes = wa_table_message_bytes(table);
	WaKeepMessage keep = {.digest = table->digest, .table = 0, .bytes = bytes};
	WaWriter writer = {.words = (uint64_t *) (void *) owner->parcel,
					   .capacity = bytes / sizeof(uint64_t)};

	wa_table_message_write(&writer, table);
	wa_message_begin(&keep.header, WA_MSG_KEEP, sizeof(keep), 45);
	keep.header.bulk = wa_checksum(0, owner->parcel, bytes);
	return keep;
}

/* Sends a message; returns the status that comes back, -1 if something else does. */
static int
ask_status(WaTestOwner *owner, const void *message)
{
	WaMessage reply;

	switch (wa_test_ask(owner, message, &reply))
	{
		case WA_MSG_DONE:
			return WA_OK;
		case WA_MSG_FAILED:
			return (int) reply.failed.status;
		default:
			return -1;
	}
}

/* Has a table kept; returns as ask_status does. */
static int
keep_table(WaTestOwner *owner, const WaLookupTable *table)
{
	const WaKeepMessage keep = make_keep(owner, table);

	return ask_status(owner, &keep);
}

/* Asks whether two tables are kept; returns as ask_status does. */
static int
ask_kept(WaTestOwner *owner, WaTableDigest first, WaTableDigest second)
{
	const WaTableDigest digests[] = {first, second};
	WaKeptMessage kept = {.digests = 64, .count = 2};

	memcpy(owner->parcel + kept.digests, digests, sizeof(digests));
	wa_message_begin(&kept.header, WA_MSG_KEPT, sizeof(kept), 46);
	kept.header.bulk = wa_checksum(0, digests, sizeof(digests));
	return ask_status(owner, &kept);
}

/*
 * Has rows of attribute 1 counted by what a table has for them.  Stores the groups;
 * returns the status that comes back, -1 if something else does.
 */
static int
count_rows(WaTestOwner *owner, const WaLookupTable *table,
		   uint8_t groups[GROUPS_ROOM])
{
	const bool is_text = table->results == WA_LOOKUP_TEXTS;
	const WaVectorKind kinds[] = {WA_VECTOR_INT,
								  is_text ? WA_VECTOR_TEXT : WA_VECTOR_INT};
	const WaInstruction look_up = {.code = WA_CODE_LOOK_UP, .out = 1};
	const WaQueryKey key = {.kind = kinds[1]};
	const uint16_t number = 1;
	const WaQueryColumn column = {-1, -1, WA_VECTOR_BOOL, 0};
	const WaQuery query = {.program = {.nregisters = 2,
									   .kinds = kinds,
									   .instructions = &look_up,
									   .ninstructions = 1,
									   .tables = table},
						   .ntables = 1,
						   .ninputs = 1,
						   .end = 1,
						   .nkeys = 1,
						   .keys = &key,
						   .key_numbers = &number,
						   .ncolumns = 1,
						   .columns = &column};
	WaMessage reply;
	WaRunMessage run;
	WaArena arena;
	WaWriter writer;
	int type;

	wa_arena_init(&arena, (size_t) 64 << 20);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	run = wa_test_run(owner, 1, 9, writer.words,
					  writer.nwords * sizeof(uint64_t), 43);
	/* It may be longer than the tests' other queries. */
	run.query = 0;
	memcpy(owner->parcel, writer.words, run.query_bytes);
	run.groups_room = GROUPS_ROOM;
	wa_arena_reset(&arena);
	type = wa_test_ask(owner, &run, &reply);
	if (type == WA_MSG_FAILED)
		return (int) reply.failed.status;
	if (type != WA_MSG_ANSWER || reply.answer.rows == 0 ||
		reply.answer.groups_bytes == 0 ||
		reply.answer.groups_bytes > GROUPS_ROOM)
		return -1;
	memset(groups, 0, GROUPS_ROOM);
	memcpy(groups, owner->parcel + WA_TEST_GROUPS_AT,
		   reply.answer.groups_bytes);
	return WA_OK;
}

/* Counts rows with a table that comes along. */
static bool
count_with(WaTestOwner *owner, const WaLookupTable *table,
		   uint8_t groups[GROUPS_ROOM])
{
	WaLookupTable whole = *table;

	whole.digest = (WaTableDigest){{0, 0}};
	return count_rows(owner, &whole, groups) == WA_OK;
}

/* Connects, and has an extent of attribute 1. */
static bool
begin(WaTestOwner *owner)
{
	EXPECT(wa_test_own(owner));
	EXPECT(wa_test_follow(owner, 9, 9, NULL, 0) == 9);
	EXPECT(wa_test_load_extent(owner, 0, 0, 9, 400, 1) == WA_OK);
	return true;
}

/* What is kept is the table that came, for whoever names it. */
static bool
test_kept(WaTestDaemon *daemon)
{
	static uint8_t expected[GROUPS_ROOM];
	static uint8_t other[GROUPS_ROOM];
	static uint8_t groups[GROUPS_ROOM];
	WaLookupTable table = make_table(3, ENTRIES);
	const WaTableDigest other_digest = {{7, 7}};
	WaTestOwner owner;
	WaTestOwner second;

	(void) daemon;
	EXPECT(begin(&owner) && wa_test_own(&second));
	EXPECT(count_with(&owner, &table, expected));
	EXPECT(count_rows(&owner, &table, groups) == WA_NOT_KEPT);
	EXPECT(ask_kept(&owner, table.digest, table.digest) == WA_NOT_KEPT);
	EXPECT(keep_table(&owner, &table) == WA_OK);
	EXPECT(ask_kept(&owner, table.digest, table.digest) == WA_OK);
	EXPECT(ask_kept(&owner, table.digest, other_digest) == WA_NOT_KEPT);
	EXPECT(count_rows(&owner, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	wa_test_disown(&owner);
	EXPECT(count_rows(&second, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	/* Another one by the same name takes its place. */
	table = make_table(4, ENTRIES);
	table.digest = (WaTableDigest){{3, ~UINT64_C(3)}};
	EXPECT(count_with(&second, &table, other));
	EXPECT(memcmp(other, expected, GROUPS_ROOM) != 0);
	EXPECT(keep_table(&second, &table) == WA_OK);
	EXPECT(count_rows(&second, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, other, GROUPS_ROOM) == 0);
	wa_test_disown(&second);
	return wa_test_daemon_answers();
}

/* Makes a FETCH to the beginning of the parcel. */
static WaFetchMessage
make_fetch(const WaLookupTable *table, uint64_t room)
{
	WaFetchMessage fetch = {.digest = table->digest, .table = 0, .room = room};

	wa_message_begin(&fetch.header, WA_MSG_FETCH, sizeof(fetch), 47);
	return fetch;
}

/* Tells whether a table that is kept comes back, if there is room for it. */
static bool
comes_back(WaTestOwner *owner, const WaLookupTable *table)
{
	const WaKeepMessage keep = make_keep(owner, table);
	const uint64_t bytes = keep.bytes;
	uint8_t *expected = malloc(bytes);
	WaFetchMessage fetch = make_fetch(table, bytes - 1);
	WaMessage reply;

	EXPECT(expected != NULL);
	memcpy(expected, owner->parcel, bytes);
	EXPECT(ask_status(owner, &keep) == WA_OK);
	memset(owner->parcel, 77, bytes);
	EXPECT(wa_test_ask(owner, &fetch, &reply) == WA_MSG_LISTED);
	EXPECT(reply.listed.columns == bytes / sizeof(uint64_t));
	for (uint64_t i = 0; i < bytes; i++)
		EXPECT(owner->parcel[i] == 77);
	fetch = make_fetch(table, bytes);
	EXPECT(wa_test_ask(owner, &fetch, &reply) == WA_MSG_LISTED);
	EXPECT(reply.listed.columns == bytes / sizeof(uint64_t));
	EXPECT(reply.header.bulk == wa_checksum(0, owner->parcel, bytes));
	EXPECT(memcmp(owner->parcel, expected, bytes) == 0);
	free(expected);
	return true;
}

/* What is kept comes back to whoever names it, as it came. */
static bool
test_fetched(WaTestDaemon *daemon)
{
	WaLookupTable table = make_table(6, ENTRIES);
	const WaFetchMessage fetch = make_fetch(&table, 0);
	WaTestOwner owner;

	(void) daemon;
	EXPECT(begin(&owner));
	EXPECT(ask_status(&owner, &fetch) == WA_NOT_KEPT);
	EXPECT(comes_back(&owner, &table));
	values[1] = INT64_MAX; /* which is not narrow */
	EXPECT(comes_back(&owner, &table));
	for (int i = 0; i < ENTRIES; i++)
		values[i] = known[i] == WA_ENTRY_NULL ? 0 : i % 2;
	table.results = WA_LOOKUP_TEXTS;
	table.ntexts = 2;
	table.texts = texts;
	EXPECT(comes_back(&owner, &table));
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Tables of texts are kept as well. */
static bool
test_texts(WaTestDaemon *daemon)
{
	static uint8_t expected[GROUPS_ROOM];
	static uint8_t groups[GROUPS_ROOM];
	WaLookupTable table = make_table(5, ENTRIES);
	WaTestOwner owner;

	(void) daemon;
	for (int i = 0; i < ENTRIES; i++)
		values[i] = known[i] == WA_ENTRY_NULL ? 0 : i % 2;
	table.results = WA_LOOKUP_TEXTS;
	table.ntexts = 2;
	table.texts = texts;
	EXPECT(begin(&owner));
	EXPECT(count_with(&owner, &table, expected));
	EXPECT(keep_table(&owner, &table) == WA_OK);
	EXPECT(count_rows(&owner, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Those go that were used longest ago; queries find room where tables are kept. */
static bool
test_room(WaTestDaemon *daemon)
{
	static uint8_t groups[GROUPS_ROOM];
	const WaLookupTable small = make_table(1000, ENTRIES);
	WaTestOwner owner;

	(void) daemon;
	EXPECT(begin(&owner));
	EXPECT(keep_table(&owner, &small) == WA_OK);
	for (uint64_t i = 1; i <= (uint64_t) 2 * LARGE_TABLES; i++)
	{
		const WaLookupTable table = make_table(i, LARGE_ENTRIES);

		EXPECT(keep_table(&owner, &table) == WA_OK);
		EXPECT(count_rows(&owner, &small, groups) == WA_OK);
	}
	for (uint64_t i = 1; i <= (uint64_t) 2 * LARGE_TABLES; i++)
	{
		const WaLookupTable table = make_table(i, LARGE_ENTRIES);
		const int status = count_rows(&owner, &table, groups);

		EXPECT(status == (i > LARGE_TABLES + 1 ? WA_OK : WA_NOT_KEPT) ||
			   i == LARGE_TABLES || i == LARGE_TABLES + 1);
	}
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* Tables with more entries than can travel with a query are kept, in a narrower form. */
static bool
test_large(WaTestDaemon *daemon)
{
	static uint8_t expected[GROUPS_ROOM];
	static uint8_t groups[GROUPS_ROOM];
	const uint64_t nentries = WA_MAX_ENTRIES + 77;
	WaLookupTable table = make_table(2, ENTRIES);
	int64_t *more = calloc(nentries, sizeof(*more));
	uint8_t *states = calloc(nentries, 1);
	WaTestOwner owner;

	(void) daemon;
	EXPECT(more != NULL && states != NULL);
	EXPECT(begin(&owner));
	EXPECT(count_with(&owner, &table, expected));
	memcpy(more, values, ENTRIES * sizeof(*more));
	memcpy(states, known, ENTRIES);
	memset(states + ENTRIES, WA_ENTRY_NULL, nentries - ENTRIES);
	table.values = more;
	table.known = states;
	table.nentries = nentries;
	EXPECT(wa_table_message_bytes(&table) < nentries * 4 + 128);
	EXPECT(keep_table(&owner, &table) == WA_OK);
	EXPECT(count_rows(&owner, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	wa_test_disown(&owner);
	free(states);
	free(more);
	return wa_test_daemon_answers();
}

/* Tables of slots are kept, and travel with queries, as others do. */
static bool
test_slots(WaTestDaemon *daemon)
{
	static uint8_t expected[GROUPS_ROOM];
	static uint8_t groups[GROUPS_ROOM];
	const uint64_t count = wa_lookup_slots_count(ENTRIES);
	const WaLookupTable entries = make_table(4, ENTRIES);
	WaLookupSlot *slots = calloc(count, sizeof(*slots));
	const WaLookupTable table = {.width = 1,
								 .nentries = count,
								 .slots = slots,
								 .is_total = true,
								 .digest = entries.digest};
	WaTestOwner owner;

	(void) daemon;
	EXPECT(slots != NULL);
	wa_lookup_slots_clear(slots, count);
	for (uint64_t i = 0; i < ENTRIES; i++)
		EXPECT(known[i] == WA_ENTRY_NULL ||
			   wa_lookup_slots_add(slots, count, entries.base + (int64_t) i,
								   values[i]));
	EXPECT(begin(&owner));
	EXPECT(count_with(&owner, &entries, expected));
	EXPECT(count_with(&owner, &table, groups));
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	EXPECT(keep_table(&owner, &table) == WA_OK);
	EXPECT(count_rows(&owner, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	/* Without a free one, a look-up would not end. */
	for (uint64_t i = 0; i < count; i++)
		slots[i].value = 0;
	EXPECT(keep_table(&owner, &table) == WA_BAD_REQUEST);
	wa_test_disown(&owner);
	free(slots);
	return wa_test_daemon_answers();
}

/* Tells whether a table is refused, and not kept. */
static bool
is_refused(WaTestOwner *owner, const WaLookupTable *table)
{
	static uint8_t groups[GROUPS_ROOM];

	EXPECT(keep_table(owner, table) == WA_BAD_REQUEST);
	return !wa_digest_is_set(&table->digest) ||
		   count_rows(owner, table, groups) == WA_NOT_KEPT;
}

/* Tables that are not sound are not kept. */
static bool
test_unsound(WaTestDaemon *daemon)
{
	const WaLookupTable good = make_table(9, ENTRIES);
	WaLookupTable table = good;
	WaTestOwner owner;
	WaMessage reply;
	WaKeepMessage keep;

	(void) daemon;
	EXPECT(begin(&owner));
	known[77] = 3;
	EXPECT(is_refused(&owner, &table));
	known[77] = WA_ENTRY_VALUE;
	table.width = 0;
	EXPECT(is_refused(&owner, &table));
	table = good;
	table.dictionary = 5;
	table.base = 0;
	EXPECT(is_refused(&owner, &table));
	table = good;
	table.results = WA_LOOKUP_TEXTS;
	table.ntexts = 2; /* of values beyond that */
	table.texts = texts;
	EXPECT(is_refused(&owner, &table));
	table = good;
	table.digest = (WaTableDigest){{0, 0}};
	EXPECT(is_refused(&owner, &table));
	/* Cut off, too long, and damaged. */
	for (int i = 0; i < 4; i++)
	{
		static const int64_t more[] = {-8, 8, -3, 0};

		keep = make_keep(&owner, &good);
		keep.bytes = (uint64_t) ((int64_t) keep.bytes + more[i]);
		keep.header.bulk =
			wa_checksum(0, owner.parcel, keep.bytes) ^ (more[i] == 0);
		EXPECT(wa_test_ask(&owner, &keep, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_BAD_REQUEST);
	}
	/* Another form of entries: of these there are too many words, or it is none. */
	for (uint64_t form = 0; form < 4; form++)
	{
		uint8_t *place = owner.parcel + FLAGS_WORD * sizeof(uint64_t);
		uint64_t word;

		if (form == 1) /* that it has */
			continue;
		keep = make_keep(&owner, &good);
		memcpy(&word, place, sizeof(word));
		word = (word & (FORM_BIT - 1)) | form * FORM_BIT;
		memcpy(place, &word, sizeof(word));
		keep.header.bulk = wa_checksum(0, owner.parcel, keep.bytes);
		EXPECT(wa_test_ask(&owner, &keep, &reply) == WA_MSG_FAILED);
		EXPECT(reply.failed.status == WA_BAD_REQUEST);
	}
	EXPECT(keep_table(&owner, &good) == WA_OK);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

/* What does not lie in the parcel ends the connection. */
static bool
test_bounds(WaTestDaemon *daemon)
{
	static const uint64_t bad[] = {1, 63, WA_TEST_PARCEL_BYTES, UINT64_MAX,
								   UINT64_MAX - 63};
	const WaLookupTable table = make_table(9, ENTRIES);

	(void) daemon;
	for (size_t i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++)
	{
		WaTestOwner owner;
		WaMessage reply;
		WaKeepMessage keep;

		EXPECT(wa_test_own(&owner));
		keep = make_keep(&owner, &table);
		if (i % 2 == 0)
			keep.table = bad[i / 2];
		else
			keep.bytes = WA_TEST_PARCEL_BYTES + bad[i / 2];
		EXPECT(wa_test_ask(&owner, &keep, &reply) ==
			   (i % 2 == 1 && i / 2 >= 3 ? WA_MSG_FAILED : 0));
		wa_test_disown(&owner);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		WaFetchMessage fetch = make_fetch(&table, 64);
		WaTestOwner owner;
		WaMessage reply;

		EXPECT(wa_test_own(&owner));
		fetch.table = bad[i];
		EXPECT(wa_test_ask(&owner, &fetch, &reply) == 0);
		wa_test_disown(&owner);
	}
	return wa_test_daemon_answers();
}

/*
 * Has a table be made of the values of attribute 1 in some first blocks.  Returns of how
 * many; -1: there is no answer, -2: something else comes back.
 */
static int64_t
ask_made(WaTestOwner *owner, uint32_t nblocks, WaTableDigest digest)
{
	const WaVectorKind kinds[] = {WA_VECTOR_INT};
	const WaQueryKey key = {.kind = WA_VECTOR_INT};
	const uint16_t number = 0;
	const WaQuery query = {.program = {.nregisters = 1, .kinds = kinds},
						   .ninputs = 1,
						   .nkeys = 1,
						   .keys = &key,
						   .key_numbers = &number,
						   .only_wanted = true,
						   .made = &digest};
	WaMessage reply;
	WaRunMessage run;
	WaArena arena;
	WaWriter writer;
	uint64_t rows;

	wa_arena_init(&arena, (size_t) 1 << 20);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	run = wa_test_run(owner, 1, 9, writer.words,
					  writer.nwords * sizeof(uint64_t), 44);
	wa_test_write_only_source(owner->parcel, &run, 0, nblocks, 1);
	wa_arena_reset(&arena);
	if (wa_test_ask(owner, &run, &reply) != WA_MSG_ANSWER)
		return -2;
	if (reply.answer.blocks == 0 && reply.answer.groups_bytes == 0)
		return -1;
	if (reply.answer.blocks != nblocks ||
		reply.answer.groups_bytes != sizeof(rows))
		return -2;
	memcpy(&rows, owner->parcel + WA_TEST_GROUPS_AT, sizeof(rows));
	return (int64_t) rows;
}

/* Makes the table that numbers the values of attribute 1; returns how many they are. */
static int64_t
number_values(uint32_t nrows, WaLookupTable *table)
{
	static uint8_t is_there[UINT16_MAX + 1];
	int64_t count = 0;

	memset(is_there, 0, sizeof(is_there));
	for (uint32_t row = 0; row < nrows; row++)
	{
		int64_t value;

		if (wa_test_integer(wa_test_relation(0), 400, 1, row, &value))
			is_there[value - INT16_MIN] = 1;
	}
	*table = make_table(9, sizeof(is_there));
	table->base = INT16_MIN;
	for (size_t i = 0; i < sizeof(is_there); i++)
	{
		known[i] = is_there[i] != 0 ? WA_ENTRY_VALUE : WA_ENTRY_NULL;
		values[i] = is_there[i] != 0 ? count++ : 0;
	}
	return count;
}

/* Connects, and has an extent of attribute 1 all of whose blocks can be used. */
static bool
begin_whole(WaTestOwner *owner)
{
	uint64_t block_lsn[WA_EXTENT_BLOCKS];
	WaMessage reply;

	for (int i = 0; i < WA_EXTENT_BLOCKS; i++)
		block_lsn[i] = 400;
	EXPECT(wa_test_own(owner));
	EXPECT(wa_test_follow(owner, 9, 9, NULL, 0) == 9);
	wa_test_write_extent_of(owner->parcel, wa_test_relation(0), 0, 9, 400, 4, 1,
							block_lsn);
	EXPECT(wa_test_send_load(owner, 0));
	EXPECT(wa_test_receive_reply(owner->client.fd, &reply) == WA_MSG_DONE);
	return true;
}

/* A table that was made of resident rows is kept like any other. */
static bool
test_made(WaTestDaemon *daemon)
{
	static uint8_t expected[GROUPS_ROOM];
	static uint8_t groups[GROUPS_ROOM];
	const WaExtentHead *head;
	WaLookupTable table;
	WaTestOwner owner;
	uint32_t nblocks;
	int64_t count;

	(void) daemon;
	EXPECT(begin_whole(&owner));
	head = (const WaExtentHead *) (const void *) owner.parcel;
	nblocks = head->nblocks;
	count = number_values(head->nrows, &table);
	EXPECT(count > 300);
	EXPECT(ask_made(&owner, nblocks + 1, table.digest) == -1);
	EXPECT(ask_kept(&owner, table.digest, table.digest) == WA_NOT_KEPT);
	EXPECT(ask_made(&owner, nblocks, table.digest) == count);
	EXPECT(ask_kept(&owner, table.digest, table.digest) == WA_OK);
	EXPECT(count_with(&owner, &table, expected));
	EXPECT(count_rows(&owner, &table, groups) == WA_OK);
	EXPECT(memcmp(groups, expected, GROUPS_ROOM) == 0);
	wa_test_disown(&owner);
	return wa_test_daemon_answers();
}

static const WaTestCase tests[] = {
	{.name = "tables that are kept",
	 .run = test_kept,
	 .arguments = {"--query-threads=1"}},
	{.name = "tables that come back",
	 .run = test_fetched,
	 .arguments = {"--query-threads=1"}},
	{.name = "tables of texts",
	 .run = test_texts,
	 .arguments = {"--query-threads=1"}},
	{.name = "tables with many entries",
	 .run = test_large,
	 .arguments = {"--query-threads=1"}},
	{.name = "tables of slots",
	 .run = test_slots,
	 .arguments = {"--query-threads=1"}},
	{.name = "tables that are made",
	 .run = test_made,
	 .arguments = {"--query-threads=1"}},
	{.name = "room for tables",
	 .run = test_room,
	 .arguments = {"--memory-limit=1000000"}},
	{.name = "tables that are not sound", .run = test_unsound},
	{.name = "tables out of bounds", .run = test_bounds},
};

int
main(int argc, char **argv)
{
	return wa_test_main(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
