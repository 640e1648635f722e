/*
 * test_query_made.c
 *		Queries whose rows become tables: which are sound, and their messages.
 */
#include <string.h>

#include "query/message/query_wire.h"
#include "test/unit/test_query_data.h"

#define MEMORY ((size_t) 1024 * 1024)

static const WaTableDigest digests[WA_QUERY_MAX_MADE + 1] = {
	{{1, 0}}, {{0, 2}}, {{3, 4}}, {{5, 0}}, {{0, 6}}};

/* Returns the unit tests' query with tables of its first keys. */
static WaQuery
make_query(uint32_t nkeys)
{
	WaQuery query = *test_query(nkeys);

	query.ncolumns = 0;
	query.only_wanted = true;
	query.made = digests;
	query.is_unique = true;
	return query;
}

static bool
is_sound(const WaQuery *query)
{
	uint8_t scratch[NREGISTERS];

	return wa_query_is_sound(query, scratch);
}

/* All that makes a query one with tables has to be there, and nothing else. */
static bool
test_parts(void)
{
	WaQuery query = make_query(NKEYS);

	EXPECT(is_sound(&query));
	query.only_wanted = false;
	EXPECT(!is_sound(&query));
	query = make_query(NKEYS);
	query.max_groups = 1;
	EXPECT(!is_sound(&query));
	query = make_query(NKEYS);
	query.ncolumns = 1;
	EXPECT(!is_sound(&query));
	query = make_query(NKEYS);
	query.top_n =
		(WaTopN){.limit = 1, .norders = 1, .orders = {{.of = WA_ORDER_KEY}}};
	EXPECT(!is_sound(&query));
	query.made = NULL;
	EXPECT(!is_sound(&query));
	query.is_unique = false;
	EXPECT(is_sound(&query));
	query = make_query(NKEYS);
	query.made = NULL;
	query.is_unique = false;
	EXPECT(!is_sound(&query));
	query.only_wanted = false;
	EXPECT(is_sound(&query));
	return true;
}

/* The first key is an INT, and, where several rows may have one, the only one. */
static bool
test_keys(void)
{
	WaQuery query = make_query(0);
	uint16_t numbers[NKEYS];
	WaQueryKey keys[NKEYS];

	EXPECT(!is_sound(&query));
	query = make_query(1);
	EXPECT(is_sound(&query));
	query.is_unique = false;
	EXPECT(is_sound(&query));
	query = make_query(2);
	query.is_unique = false;
	EXPECT(!is_sound(&query));
	for (uint32_t first = 0; first < NKEYS; first++)
	{
		query = make_query(NKEYS);
		memcpy(keys, query.keys, sizeof(keys));
		memcpy(numbers, query.key_numbers, sizeof(numbers));
		keys[0] = query.keys[first];
		numbers[0] = query.key_numbers[first];
		query.keys = keys;
		query.key_numbers = numbers;
		EXPECT(is_sound(&query) == (keys[0].kind == WA_VECTOR_INT));
	}
	return true;
}

/* Each key has a digest, and there are only so many. */
static bool
test_digests(void)
{
	static WaTableDigest some[WA_QUERY_MAX_MADE + 1];
	static WaQueryKey keys[WA_QUERY_MAX_MADE + 1];
	static uint16_t numbers[WA_QUERY_MAX_MADE + 1];
	WaQuery query = make_query(NKEYS);

	for (size_t i = 0; i < LENGTH(some); i++)
	{
		some[i] = (WaTableDigest){{0, i + 1}};
		keys[i] = (WaQueryKey){.kind = WA_VECTOR_INT};
		numbers[i] = KEY_INT;
	}
	query.made = some;
	EXPECT(is_sound(&query));
	some[NKEYS - 1] = (WaTableDigest){{0, 0}};
	EXPECT(!is_sound(&query));
	query.nkeys--;
	EXPECT(is_sound(&query));
	some[NKEYS - 1] = (WaTableDigest){{1, 0}};
	query.keys = keys;
	query.key_numbers = numbers;
	query.nkeys = WA_QUERY_MAX_MADE;
	EXPECT(is_sound(&query));
	query.nkeys++;
	EXPECT(!is_sound(&query));
	return true;
}

/* Writes a query, and reads it into another arena; NULL: it is refused. */
static const WaQuery *
pass_on(WaArena *arena, const WaQuery *query)
{
	WaWriter writer;

	wa_writer_init(&writer, arena);
	wa_query_write(&writer, query);
	return wa_query_read(arena, writer.words, writer.nwords * sizeof(uint64_t));
}

/* A query comes through as it was, with tables and without. */
static bool
test_wire(void)
{
	WaQuery query = make_query(NKEYS);
	const WaQuery *read;
	WaArena arena;

	wa_arena_init(&arena, MEMORY);
	read = pass_on(&arena, &query);
	EXPECT(read != NULL && read->made != NULL && read->is_unique &&
		   read->only_wanted);
	EXPECT(memcmp(read->made, digests, NKEYS * sizeof(digests[0])) == 0);
	query = make_query(1);
	query.is_unique = false;
	read = pass_on(&arena, &query);
	EXPECT(read != NULL && read->made != NULL && !read->is_unique);
	query = make_query(2);
	query.is_unique = false;
	EXPECT(pass_on(&arena, &query) == NULL);
	read = pass_on(&arena, test_query(NKEYS));
	EXPECT(read != NULL && read->made == NULL && !read->is_unique);
	wa_arena_reset(&arena);
	return true;
}

/* A message without its last words, or with a digest of zeros, is refused. */
static bool
test_damage(void)
{
	const WaQuery query = make_query(NKEYS);
	WaWriter writer;
	WaArena arena;
	size_t bytes;
	uint64_t *last;

	wa_arena_init(&arena, MEMORY);
	wa_writer_init(&writer, &arena);
	wa_query_write(&writer, &query);
	bytes = writer.nwords * sizeof(uint64_t);
	last = &writer.words[writer.nwords - 1];
	EXPECT(*last == digests[NKEYS - 1].words[1]);
	EXPECT(wa_query_read(&arena, writer.words, bytes) != NULL);
	EXPECT(wa_query_read(&arena, writer.words, bytes - sizeof(uint64_t)) ==
		   NULL);
	*last = 0;
	EXPECT(wa_query_read(&arena, writer.words, bytes) == NULL);
	wa_arena_reset(&arena);
	return true;
}

int
main(void)
{
	check(test_parts(), "what a query with tables has, and has not");
	check(test_keys(), "which keys there may be tables of");
	check(test_digests(), "each key has a digest");
	check(test_wire(), "queries with tables are read as they were written");
	check(test_damage(), "what is no query with tables is refused");
	return finish_checks();
}
