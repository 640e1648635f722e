/*
 * value_list.c
 *		Values of the rows of groups, as a list; see value_list.h.
 */
#include "query/run/value_list.h"

#define SIGN UINT64_C(0x8000000000000000)

/* The words of -0 and of 0. */
#define MINUS_ZERO (~SIGN)
#define ZERO       SIGN

/* Entries that a list begins with. */
#define FIRST_CAPACITY 4096

/* The exponent of infinities; with digits behind it there is no number. */
#define INFINITE_BITS UINT64_C(0x7ff0000000000000)

uint64_t
wa_value_word(WaVectorKind kind, int64_t value)
{
	const uint64_t bits = (uint64_t) value;

	if (kind == WA_VECTOR_BOOL)
		return bits;
	if (kind == WA_VECTOR_INT)
		return bits ^ SIGN;
	if ((bits & ~SIGN) > INFINITE_BITS)
		return UINT64_MAX;
	return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

int64_t
wa_value_of_word(WaVectorKind kind, uint64_t word)
{
	if (kind == WA_VECTOR_BOOL)
		return (int64_t) word;
	if (kind == WA_VECTOR_INT)
		return (int64_t) (word ^ SIGN);
	return (int64_t) ((word & SIGN) != 0 ? word ^ SIGN : ~word);
}

bool
wa_value_words_match(WaVectorKind kind, uint64_t word, uint64_t next)
{
	return word == next ||
		   (kind == WA_VECTOR_FLOAT && word == MINUS_ZERO && next == ZERO);
}

WaValueList *
wa_value_list_make(WaArena *arena, WaVectorKind kind)
{
	WaValueList *list = wa_arena_alloc_zero(arena, sizeof(*list));

	if (list == NULL)
		return NULL;
	list->arena = arena;
	list->kind = kind;
	return list;
}

/* Makes room for so many entries more. */
static bool
reserve(WaValueList *list, size_t count)
{
	size_t capacity =
		list->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : list->capacity;

	if (list->count + count <= list->capacity)
		return true;
	while (list->count + count > capacity)
		capacity += capacity / 2;
	if (!wa_arena_resize(list->arena, &list->entries,
						 capacity * sizeof(WaValueEntry)))
		return false;
	list->capacity = capacity;
	return true;
}

/* Returns a row of a vector. */
static inline int64_t
value_at(const WaValueList *list, const WaVector *values, size_t row)
{
	return list->kind == WA_VECTOR_BOOL ? wa_vector_bools(values)[row]
										: wa_vector_ints(values)[row];
}

bool
wa_value_list_take(WaValueList *list, const uint32_t *groups,
				   const WaVector *values, size_t nrows)
{
	WaValueEntry *next;

	if (!reserve(list, nrows))
		return false;
	next = list->entries + list->count;
	for (size_t i = 0; i < nrows; i++)
	{
		*next = (WaValueEntry){
			.word = wa_value_word(list->kind, value_at(list, values, i)),
			.group = groups == NULL ? 0 : groups[i],
			.rows = 1};
		next += wa_vector_is_valid(values, i);
	}
	list->count = (size_t) (next - list->entries);
	return true;
}

bool
wa_value_list_add(WaValueList *list, uint32_t group, int64_t value,
				  uint64_t rows)
{
	while (rows > 0)
	{
		const uint32_t some = rows > UINT32_MAX ? UINT32_MAX : (uint32_t) rows;

		if (!reserve(list, 1))
			return false;
		list->entries[list->count++] =
			(WaValueEntry){.word = wa_value_word(list->kind, value),
						   .group = group,
						   .rows = some};
		rows -= some;
	}
	return true;
}

void
wa_value_list_forget(WaValueList *list)
{
	wa_arena_free(list->arena, list->entries);
	list->entries = NULL;
	list->count = 0;
	list->capacity = 0;
}
