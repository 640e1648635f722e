/*
 * test_run_sources.c
 *		Runs over several relations, without a daemon around them.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon/run/run.h"
#include "test/unit/check.h"
#include "test/unit/test_counting_runner.h"
#include "test/unit/test_extent.h"

#define THREADS  3
#define PLENTY   ((uint64_t) 1 << 40)
#define PATIENCE 20000
#define LOOK_NS  300000
#define EXTENTS  5
#define SOURCES  3

/* That each relation has. */
#define BLOCKS ((uint32_t) (EXTENTS * WA_EXTENT_BLOCKS + 700))

/* Bytes of the words of one. */
#define WORDS_BYTES wa_extents_bytes(BLOCKS)

/* Attributes of all relations have numbers larger by so much times the relation's. */
#define SHIFT 20

/* Where the parts of a RUN lie in the parcel. */
#define QUERY_AT   ((uint64_t) 65536)
#define SOURCES_AT ((uint64_t) 98304)
#define USED_AT    ((uint64_t) 131072)
#define COVER_AT   ((uint64_t) 163840)
#define GROUPS_AT  ((uint64_t) 196608)

static WaPool pool;
static WaFinishedQueue finished;
static int event_fd;
static WaStore store;
static WaParcel parcel;
static uint8_t *extent_memory;

/* Of which family each relation is, whose columns have the numbers without SHIFT; 0: none. */
static uint32_t roots[SOURCES];

/* Waits until so many runs have ended. */
static bool
wait_for(int count)
{
	struct pollfd input = {.fd = event_fd, .events = POLLIN};
	uint64_t number;

	while (count > 0)
	{
		EXPECT(poll(&input, 1, PATIENCE) == 1);
		(void) read(event_fd, &number, sizeof(number));
		for (WaFinished *first = wa_finished_collect(&finished); first != NULL;
			 first = first->next)
			count--;
	}
	EXPECT(count == 0);
	return true;
}

/* Returns the seed of an extent. */
static uint64_t
seed_of(uint64_t relation, uint32_t number)
{
	return 1000 + 50 * relation + number;
}

/* Returns the number that an attribute has in a relation. */
static int16_t
attribute_in(uint64_t relation, int16_t attribute)
{
	return (int16_t) (attribute + SHIFT * (int16_t) relation);
}

/* Loads an extent with attributes 3 and 10, which have other numbers in each relation. */
static bool
load(uint64_t relation, uint32_t number)
{
	WaExtentHead *head = malloc(sizeof(*head));
	char error[WA_MAX_ERROR_BYTES];
	WaStatus status;

	wa_test_write_extent(extent_memory, wa_test_relation(relation), number, 7,
						 seed_of(relation, number), 5, 0x204);
	memcpy(head, extent_memory, sizeof(*head));
	if (roots[relation] != 0)
		head->family = (WaFamily){head->relation.database, roots[relation]};
	for (uint32_t i = 0; i < head->ncolumns; i++)
	{
		WaExtentColumn *column = &head->columns[i];

		if (roots[relation] != 0)
			column->family_attribute = column->name.attribute;
		column->name.attribute = attribute_in(relation, column->name.attribute);
	}
	status = wa_store_load(&store, head, extent_memory, error, sizeof(error));
	free(head);
	EXPECT(status == WA_OK);
	return true;
}

/* Loads all extents of a relation. */
static bool
load_all(uint64_t relation)
{
	for (uint32_t i = 0; i < EXTENTS; i++)
		EXPECT(load(relation, i));
	return true;
}

/* Forgets what there is of all relations. */
static bool
forget(void)
{
	for (uint64_t i = 0; i < SOURCES; i++)
	{
		const WaRelation name = wa_test_relation(i);

		wa_store_unload(&store, &name, 0);
	}
	EXPECT(wa_memory_used(&store.memory) == 0);
	EXPECT(store.lists[0] == NULL);
	memset(roots, 0, sizeof(roots));
	return true;
}

/* Makes a message for a query over some relations, of one of attributes 3 and 10. */
static WaRunMessage
make_message(const WaTestQuery *query, int16_t attribute,
			 const uint64_t *relations, uint32_t count)
{
	WaRunMessage message;

	memset(&message, 0, sizeof(message));
	memcpy(parcel.memory + QUERY_AT, query, sizeof(*query));
	memset(parcel.memory + USED_AT, 0xff, GROUPS_AT - USED_AT);
	message.nsources = count;
	message.ncolumns = 1;
	message.columns[0] = wa_test_column_name(attribute);
	message.columns[0].attribute = 0;
	message.position = 7;
	message.snapshot = wa_test_snapshot;
	message.query = QUERY_AT;
	message.query_bytes = sizeof(*query);
	message.sources = SOURCES_AT;
	message.used = USED_AT;
	message.cover = COVER_AT;
	message.groups = GROUPS_AT;
	message.groups_room = 1000;
	for (uint32_t i = 0; i < count; i++)
	{
		const int16_t in = attribute_in(relations[i], attribute);

		wa_test_write_source(parcel.memory, &message, i, relations[i], BLOCKS,
							 &in);
	}
	wa_message_begin(
		&message.header, WA_MSG_RUN,
		(uint32_t) (offsetof(WaRunMessage, columns) + sizeof(WaColumnName)), 1);
	return message;
}

/* What has been announced. */
typedef struct Told
{
	uint64_t blocks;
	uint32_t bulk;
	int answers;
} Told;

/* Notes an announcement. */
static bool
note_cover(void *owner, uint64_t blocks, uint32_t bulk)
{
	Told *told = owner;

	told->blocks = blocks;
	told->bulk = bulk;
	return true;
}

/* Notes an answer. */
static void
note_answer(void *owner, const WaRunEnd *outcome)
{
	(void) outcome;
	((Told *) owner)->answers++;
}

static const WaRunReplies replies = {.announce = note_cover,
									 .answer = note_answer};

/* Does a run, and expects an answer; returns it, to be freed. */
static WaRun *
do_run(WaRunMessage *message, Told *told)
{
	WaRun *run;

	*told = (Told){0};
	message->header.bulk =
		wa_run_checksum(message, parcel.memory + QUERY_AT,
						parcel.memory + SOURCES_AT, parcel.memory + COVER_AT);
	if (!wa_run_is_sound(message, &parcel))
		return NULL;
	run = wa_run_make(&store, &parcel, message, pool.nthreads, &replies, told);
	wa_pool_submit(&pool, wa_run_job(run));
	return wait_for(1) && told->answers == 1 ? run : NULL;
}

/* What a run has to come to. */
typedef struct Expected
{
	uint64_t blocks;
	uint64_t extents;
	uint64_t rows;
	uint64_t sum;
} Expected;

/* Adds a block of the extent whose head is in extent_memory. */
static void
expect_block(Expected *expected, uint64_t seed, uint32_t block)
{
	const WaExtentHead *head =
		(const WaExtentHead *) (const void *) extent_memory;
	uint32_t row = wa_first_row(head->row_end, block);
	int64_t value;

	expected->blocks++;
	expected->rows += head->row_end[block] - row;
	for (; row < head->row_end[block]; row++)
		if (wa_test_integer(head->relation, seed, 3, row, &value))
			expected->sum += (uint64_t) value;
}

/*
 * Adds what a relation has in its extents, but for block 1 of those with odd rows if that
 * is left out; the words of its blocks have to be right.
 */
static bool
expect_relation(Expected *expected, uint64_t relation, bool leaves_out,
				const uint64_t *words)
{
	for (uint32_t i = 0; i < EXTENTS; i++)
	{
		const WaExtentHead *head =
			(const WaExtentHead *) (const void *) extent_memory;

		wa_test_write_extent(extent_memory, wa_test_relation(relation), i, 7,
							 seed_of(relation, i), 5, 4);
		for (uint32_t b = 0; b < WA_EXTENT_BLOCKS; b++)
		{
			const bool usable = b < head->nblocks && head->block_lsn[b] != 0 &&
								!(leaves_out && head->nrows % 2 == 1 && b == 1);

			EXPECT(wa_bits_get(&words[(size_t) i * WA_EXTENT_WORDS], b) ==
				   usable);
			if (usable)
				expect_block(expected, seed_of(relation, i), b);
		}
		expected->extents++;
	}
	return true;
}

/* Tells whether words say that nothing of a relation is used. */
static bool
has_nothing(const uint64_t *words)
{
	for (uint64_t i = 0; i < WORDS_BYTES / sizeof(*words); i++)
		EXPECT(words[i] == 0);
	return true;
}

/* Returns the words of a source at an offset. */
static const uint64_t *
words_at(uint64_t offset, uint32_t number)
{
	return (const uint64_t *) (const void *) (parcel.memory + offset +
											  number * WORDS_BYTES);
}

/* Tells whether an answer of a sum, and its groups, are what is expected. */
static bool
is_right(const WaRun *run, const Expected *expected)
{
	const WaAnswerMessage *answer = &wa_run_outcome(run)->answer;
	WaTestGroups groups;

	EXPECT(wa_run_outcome(run)->status == WA_OK);
	memcpy(&groups, parcel.memory + GROUPS_AT, sizeof(groups));
	EXPECT(answer->blocks == expected->blocks);
	EXPECT(answer->rows == expected->rows);
	EXPECT(groups.extents == expected->extents);
	EXPECT((uint64_t) groups.sum == expected->sum);
	return true;
}

/* Sums over three relations, in any order, and over some of them. */
static bool
test_sums(void)
{
	static const uint64_t orders[][SOURCES] = {
		{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {0, 1, 2}};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};

	for (uint64_t i = 0; i < SOURCES; i++)
		EXPECT(load_all(i));
	for (int i = 0; i < 40; i++)
	{
		const uint64_t *relations = orders[i % 4];
		const uint32_t count = 1 + (uint32_t) i % SOURCES;
		WaRunMessage message = make_message(&query, 3, relations, count);
		Expected expected = {0};
		Told told;
		WaRun *run;

		message.announces = i % 2;
		run = do_run(&message, &told);
		EXPECT(run != NULL);
		for (uint32_t j = 0; j < count; j++)
			EXPECT(expect_relation(
				&expected, relations[j], false,
				words_at(message.announces != 0 ? COVER_AT : USED_AT, j)));
		EXPECT(is_right(run, &expected));
		EXPECT(told.blocks == (message.announces != 0 ? expected.blocks : 0));
		EXPECT(words_at(USED_AT, count)[0] == UINT64_MAX);
		wa_run_free(run);
	}
	EXPECT(wa_test_runner_live() == 0);
	return true;
}

/* Blocks that the runner leaves out are those of their relations. */
static bool
test_left_out(void)
{
	static const uint64_t relations[] = {0, 1, 2};
	const WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100, .leaves_out = 2};
	WaRunMessage message = make_message(&query, 3, relations, SOURCES);
	Expected all = {0};
	Expected expected = {0};
	const WaAnswerMessage *answer;
	Told told;
	WaRun *run;

	message.announces = 1;
	run = do_run(&message, &told);
	EXPECT(run != NULL);
	for (uint32_t i = 0; i < SOURCES; i++)
	{
		EXPECT(expect_relation(&all, i, false, words_at(COVER_AT, i)));
		EXPECT(expect_relation(&expected, i, true, words_at(USED_AT, i)));
	}
	answer = &wa_run_outcome(run)->answer;
	EXPECT(all.blocks > expected.blocks && told.blocks == all.blocks);
	EXPECT(answer->blocks == expected.blocks && answer->rows == expected.rows);
	EXPECT(answer->left_blocks == all.blocks - expected.blocks);
	wa_run_free(run);
	return true;
}

/*
 * Says that rows of those blocks of relation 0 come with the query that are not usable, and
 * of one in so many that are; adds what is left.
 */
static void
write_rest(uint64_t *words, uint32_t per_rest, Expected *expected)
{
	memset(words, 0, WORDS_BYTES);
	for (uint32_t i = 0; i < BLOCKS; i++)
	{
		const uint32_t number = i / WA_EXTENT_BLOCKS;
		const uint32_t block = i % WA_EXTENT_BLOCKS;
		const WaExtentHead *head =
			(const WaExtentHead *) (const void *) extent_memory;

		if (block == 0 && number < EXTENTS)
		{
			wa_test_write_extent(extent_memory, wa_test_relation(0), number, 7,
								 seed_of(0, number), 5, 4);
			expected->extents++;
		}
		if (number < EXTENTS && block < head->nblocks &&
			head->block_lsn[block] != 0 && i % per_rest != 0)
			expect_block(expected, seed_of(0, number), block);
		else
			wa_bits_set(words, i);
	}
	expected->blocks = BLOCKS;
}

/* Rows of some blocks that come with the query, in place of those that are there. */
static bool
test_rest(void)
{
	static const uint64_t relations[] = {0, 1};
	static const uint32_t shares[] = {2, 3, 50, BLOCKS + 1};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	uint64_t *words = (uint64_t *) (void *) wa_parcel_place(&parcel, COVER_AT);

	for (int i = 0; i < 4; i++)
	{
		WaRunMessage message = make_message(&query, 3, relations, 1);
		Expected expected = {0};
		Told told;
		WaRun *run;

		message.has_rest = 1;
		write_rest(words, shares[i], &expected);
		run = do_run(&message, &told);
		EXPECT(run != NULL && is_right(run, &expected));
		EXPECT(words_at(USED_AT, 0)[0] == UINT64_MAX);
		wa_run_free(run);
		/* One is neither here nor there. */
		words[WORDS_BYTES / sizeof(*words) / 2] = 0;
		words[0] &= ~UINT64_C(1);
		words[(BLOCKS - 1) / 64] &= ~(UINT64_C(1) << (BLOCKS - 1) % 64);
		run = do_run(&message, &told);
		EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
		EXPECT(wa_run_outcome(run)->answer.blocks == 0);
		wa_run_free(run);
		/* Nor are they where the parcel has no room for them. */
		message.cover = parcel.bytes - 64;
		run = do_run(&message, &told);
		EXPECT(run != NULL && wa_run_outcome(run)->status != WA_OK);
		wa_run_free(run);
	}
	EXPECT(wa_test_runner_live() == 0);
	return !wa_run_is_sound(
		&(WaRunMessage){.nsources = 2, .has_rest = 1, .ncolumns = 0}, &parcel);
}

/* What the run before has found serves the next one, unless something has changed. */
static bool
test_lists(void)
{
	static const uint64_t relations[] = {0, 1, 2};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	const struct WaCoverList *list = store.lists[0];

	EXPECT(list != NULL);
	for (int i = 0; i < 4; i++)
	{
		WaRunMessage message = make_message(&query, 3, relations, SOURCES);
		Told told;
		WaRun *run = do_run(&message, &told);

		EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
		EXPECT((store.lists[0] == list) == (i % 2 == 0));
		list = store.lists[0];
		wa_run_free(run);
		if (i % 2 == 0)
			EXPECT(load(1, 2));
	}
	return true;
}

/* Has WAL change the first block of a relation. */
static void
change_block(uint64_t relation)
{
	WaMessage message = {0};

	message.follow.from = 7;
	message.follow.to = (uint64_t) 1 << 40;
	message.follow.nchanges = 1;
	message.follow.changes[0] =
		(WaChange){.relation = wa_test_relation(relation),
				   .kind = WA_CHANGE_BLOCK,
				   .lsn = message.follow.to};
	(void) wa_store_follow(&store, &message.follow);
}

/* Relations that lack the column, or blocks that are fresh. */
static bool
test_parts(void)
{
	static const uint64_t relations[] = {2, 1, 0};
	const WaRelation name = wa_test_relation(1);
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	uint64_t blocks = 0;

	wa_store_unload(&store, &name, attribute_in(1, 3));
	for (int i = 0; i < 2; i++)
	{
		WaRunMessage message = make_message(&query, 3, relations, SOURCES);
		Expected expected = {0};
		Told told;
		WaRun *run = do_run(&message, &told);

		EXPECT(run != NULL);
		EXPECT(expect_relation(&expected, 2, false, words_at(USED_AT, 0)));
		EXPECT(has_nothing(words_at(USED_AT, 1)));
		EXPECT(wa_bits_get(words_at(USED_AT, 2), 0) == (i == 0));
		if (i == 0)
		{
			EXPECT(expect_relation(&expected, 0, false, words_at(USED_AT, 2)));
			EXPECT(is_right(run, &expected));
			blocks = expected.blocks;
		}
		else
			EXPECT(wa_run_outcome(run)->answer.blocks == blocks - 1);
		wa_run_free(run);
		change_block(0);
	}
	return true;
}

/* Nothing of any of several relations: no query, no groups. */
static bool
test_nothing(void)
{
	static const uint64_t relations[] = {3, 4, 5};
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaRunMessage message = make_message(&query, 3, relations, SOURCES);
	Told told;
	WaRun *run = do_run(&message, &told);

	EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
	EXPECT(wa_run_outcome(run)->answer.blocks == 0);
	EXPECT(wa_run_outcome(run)->answer.groups_bytes == 0);
	wa_run_free(run);
	return true;
}

/* An answer is complete if it has all blocks of all relations. */
static bool
test_complete(void)
{
	static const uint64_t relations[] = {0, 2};
	const WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100, .only_complete = 1};
	const int16_t in[] = {attribute_in(0, 3), attribute_in(2, 3)};
	WaRunMessage message = make_message(&query, 3, relations, 2);
	uint32_t nblocks[2] = {0};

	for (int i = 0; i < 2; i++)
	{
		wa_test_write_extent(extent_memory, wa_test_relation(relations[i]), 0,
							 7, seed_of(relations[i], 0), 5, 4);
		while (((const WaExtentHead *) (const void *) extent_memory)
				   ->block_lsn[nblocks[i]] != 0)
			nblocks[i]++;
		EXPECT(nblocks[i] > 0);
	}
	for (uint32_t i = 0; i < 4; i++)
	{
		Told told;
		WaRun *run;

		for (uint32_t j = 0; j < 2; j++)
			wa_test_write_source(parcel.memory, &message, j, relations[j],
								 nblocks[j] + (i >> j & 1), &in[j]);
		run = do_run(&message, &told);
		EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
		EXPECT(wa_run_outcome(run)->answer.blocks ==
			   (i == 0 ? nblocks[0] + nblocks[1] : 0));
		EXPECT((wa_run_outcome(run)->answer.groups_bytes > 0) == (i == 0));
		wa_run_free(run);
	}
	return true;
}

/* Runs a query over texts; stores which relations are used, and the bytes of texts. */
static bool
run_texts(const uint64_t *relations, uint32_t count, bool *used,
		  uint64_t *text_bytes)
{
	const WaTestQuery query = {.magic = WA_TEST_QUERY_MAGIC,
							   .groups_bytes = 100};
	WaRunMessage message = make_message(&query, 10, relations, count);
	WaTestGroups groups;
	Told told;
	WaRun *run = do_run(&message, &told);

	EXPECT(run != NULL && wa_run_outcome(run)->status == WA_OK);
	memcpy(&groups, parcel.memory + GROUPS_AT, sizeof(groups));
	*text_bytes = groups.text_bytes;
	for (uint32_t i = 0; i < count; i++)
	{
		used[i] = false;
		for (uint64_t j = 0; j < WORDS_BYTES / sizeof(uint64_t); j++)
			used[i] |= words_at(USED_AT, i)[j] != 0;
	}
	wa_run_free(run);
	return true;
}

/*
 * Of relations whose texts have different dictionaries only those of one are used: of that
 * of the largest.
 */
static bool
test_texts(void)
{
	static const uint64_t relations[] = {1, 0, 2};
	uint64_t bytes[SOURCES];
	uint64_t all_bytes;
	bool used[SOURCES];

	EXPECT(forget());
	/* They are of one database. */
	roots[0] = roots[2] = 9;
	EXPECT(load_all(0) && load(2, 0) && load(2, 1) && load(1, 0));
	for (int i = 0; i < SOURCES; i++)
	{
		EXPECT(run_texts(&relations[i], 1, used, &bytes[i]));
		EXPECT(used[0] && bytes[i] > 0);
	}
	EXPECT(run_texts(relations, SOURCES, used, &all_bytes));
	EXPECT(!used[0] && used[1] && used[2]);
	EXPECT(all_bytes == bytes[1] + bytes[2]);
	/* More of the first one than of any other, then. */
	for (uint32_t i = 0; i < EXTENTS + 1; i++)
		EXPECT(load(1, i));
	EXPECT(run_texts(relations, 1, used, &bytes[0]));
	EXPECT(run_texts(relations, SOURCES, used, &all_bytes));
	EXPECT(used[0] && !used[1] && !used[2]);
	EXPECT(all_bytes == bytes[0]);
	return forget();
}

/* Runs that are cancelled while extents of their relations are loaded and evicted. */
static bool
test_disturbed(void)
{
	static const uint64_t relations[] = {0, 1, 2};
	const WaTestQuery query = {
		.magic = WA_TEST_QUERY_MAGIC, .groups_bytes = 100, .delay_us = 20};
	WaRunMessage message = make_message(&query, 3, relations, SOURCES);
	WaRun *runs[20]; /* each writes to a place of its own */

	message.header.bulk =
		wa_run_checksum(&message, parcel.memory + QUERY_AT,
						parcel.memory + SOURCES_AT, parcel.memory + COVER_AT);
	for (uint64_t round = 0; round < 30; round++)
	{
		int collected = 0;

		for (uint64_t i = 0; i < 20; i++)
		{
			message.used = GROUPS_AT + i * 16384;
			message.groups = message.used + 8192;
			runs[i] = wa_run_make(&store, &parcel, &message, pool.nthreads,
								  NULL, NULL);
			wa_pool_submit(&pool, wa_run_job(runs[i]));
			EXPECT(load((round + i) % SOURCES, (uint32_t) (i % EXTENTS)));
		}
		if (round % 3 == 0)
			wa_store_set_limit(&store, round * 10000);
		for (uint64_t i = 0; i < 20; i++)
			collected += !((round + i) % 2 == 0 &&
						   wa_pool_cancel(&pool, wa_run_job(runs[i])));
		EXPECT(wait_for(collected));
		for (int i = 0; i < 20; i++)
			wa_run_free(runs[i]);
		EXPECT(wa_test_runner_live() == 0);
		wa_store_set_limit(&store, PLENTY);
	}
	return forget();
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"sums over relations", test_sums},
	{"blocks that are left out", test_left_out},
	{"rows that come with the query", test_rest},
	{"lists that are kept", test_lists},
	{"all blocks of relations or none", test_complete},
	{"relations of which there is a part", test_parts},
	{"relations of which there is nothing", test_nothing},
	{"texts of several dictionaries", test_texts},
	{"disturbed runs", test_disturbed},
};

int
main(void)
{
	event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	wa_finished_init(&finished, event_fd);
	wa_store_init(&store, PLENTY, 1);
	wa_test_know(&store, 7);
	parcel.bytes = (uint64_t) 1 << 20;
	parcel.memory = aligned_alloc(64, parcel.bytes);
	extent_memory = aligned_alloc(64, WA_TEST_EXTENT_BYTES);
	check(wa_pool_start(&pool, &finished, "test", THREADS, LOOK_NS), "start");
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	free(parcel.memory);
	free(extent_memory);
	return finish_checks();
}
