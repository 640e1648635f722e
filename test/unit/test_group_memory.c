/*
 * test_group_memory.c
 *		The memory of groups: little of it is there before the groups are, and none
 *		of what the rows of a vector need.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "query/groups/groups.h"
#include "query/records/records.h"
#include "test/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#define SUM WA_OP_BIT(WA_OP_SUM)

/* What groups are to keep to, and what is no concern here. */
#define SMALL ((size_t) 128 * 1024)
#define LARGE ((size_t) 1 << 30)

/* Makes an arena of a limit, with another one for vectors. */
static void
make_arenas(WaArena *arena, WaArena *vectors, size_t limit)
{
	wa_arena_init(vectors, LARGE);
	wa_arena_init(arena, LARGE);
	arena->limit = limit;
	arena->vectors = vectors;
}

/* Groups rows of integers 0, step, 2 * step and so on. */
static bool
group_integers(WaQueryGroups *groups, int64_t step, size_t nrows)
{
	char memory[WA_VECTOR_ROWS * (sizeof(int64_t) + 2)]
		__attribute__((aligned(64)));
	uint32_t numbers[WA_VECTOR_ROWS];
	WaVector vector;
	WaVector *keys[] = {&vector};

	wa_vector_place(&vector, WA_VECTOR_INT, memory);
	for (size_t i = 0; i < nrows; i++)
		wa_vector_ints(&vector)[i] = (int64_t) i * step;
	EXPECT(wa_query_groups_find(groups, keys, nrows, numbers));
	for (size_t i = 0; i < nrows; i++)
		EXPECT(numbers[i] == i);
	return true;
}

/* Without groups, tables of all kinds of keys and a record take few bytes. */
static bool
test_empty(void)
{
	static const WaQueryKey keys[] = {{.kind = WA_VECTOR_INT},
									  {.kind = WA_VECTOR_TEXT},
									  {.kind = WA_VECTOR_DECIMAL},
									  {.kind = WA_VECTOR_FLOAT}};
	WaArena arena;
	WaArena vectors;

	for (size_t i = 0; i < LENGTH(keys); i++)
	{
		make_arenas(&arena, &vectors, SMALL);
		EXPECT(wa_query_groups_make(&arena, 1, &keys[i]) != NULL);
		EXPECT(arena.bytes < SMALL / 8);
		EXPECT(vectors.bytes >= WA_VECTOR_ROWS * sizeof(uint64_t));
		wa_arena_reset(&arena);
		wa_arena_reset(&vectors);
	}
	make_arenas(&arena, &vectors, SMALL);
	EXPECT(wa_records_make(&arena, WA_VECTOR_INT, SUM, NULL) != NULL);
	EXPECT(arena.bytes < 1024);
	EXPECT(vectors.bytes >= WA_VECTOR_ROWS * sizeof(int64_t));
	wa_arena_reset(&arena);
	wa_arena_reset(&vectors);
	return true;
}

/*
 * Keys that lie apart are looked up directly where there is memory for all that
 * lie between them, and not where that would be most of it.
 */
static bool
test_direct_table(void)
{
	static const WaQueryKey key = {.kind = WA_VECTOR_INT};
	static const size_t limits[] = {SMALL, LARGE / 2};
	const size_t places = 60000 * sizeof(uint32_t);
	WaArena arena;
	WaArena vectors;

	for (size_t i = 0; i < LENGTH(limits); i++)
	{
		WaQueryGroups *groups;

		make_arenas(&arena, &vectors, limits[i]);
		groups = wa_query_groups_make(&arena, 1, &key);
		EXPECT(groups != NULL && group_integers(groups, 600, 100));
		EXPECT(limits[i] == SMALL ? arena.bytes < SMALL / 2
								  : arena.bytes > places);
		EXPECT(group_integers(groups, 600, 100));
		wa_arena_reset(&arena);
		wa_arena_reset(&vectors);
		EXPECT(arena.bytes == 0 && vectors.bytes == 0);
	}
	return true;
}

/* Texts lie in blocks that are small beside the memory. */
static bool
test_texts(void)
{
	static const WaQueryKey key = {.kind = WA_VECTOR_TEXT};
	char memory[WA_VECTOR_ROWS * (sizeof(WaText) + 2)]
		__attribute__((aligned(64)));
	char texts[WA_VECTOR_ROWS][32];
	uint32_t numbers[WA_VECTOR_ROWS];
	WaVector vector;
	WaVector *keys[] = {&vector};
	WaQueryGroups *groups;
	WaArena arena;
	WaArena vectors;

	make_arenas(&arena, &vectors, SMALL);
	groups = wa_query_groups_make(&arena, 1, &key);
	wa_vector_place(&vector, WA_VECTOR_TEXT, memory);
	for (int i = 0; i < 500; i++)
	{
		const int length =
			snprintf(texts[i], sizeof(texts[i]), "text number %d", i);

		wa_vector_texts(&vector)[i] = (WaText){texts[i], (size_t) length};
	}
	EXPECT(groups != NULL && wa_query_groups_find(groups, keys, 500, numbers));
	EXPECT(numbers[499] == 499 && arena.bytes < SMALL / 2);
	wa_arena_reset(&arena);
	wa_arena_reset(&vectors);
	return true;
}

int
main(void)
{
	check(test_empty(), "tables without groups");
	check(test_direct_table(), "a direct table within the memory");
	check(test_texts(), "texts within the memory");
	return finish_checks();
}
