/*
 * value_list.h
 *		Values of the rows of groups, as a list: for aggregates that take each value once, or
 *		want what lies at some place in their order (WaQueryRolled).
 *
 * To make groups by many values takes 50 ns and more for each row, as their table is
 * larger than a cache; to append to a list, and to sort parts of it that are not, a third of that.
 */
#ifndef WA_QUERY_VALUE_LIST_H
#define WA_QUERY_VALUE_LIST_H

#include "core/must_check.h"
#include "core/vector.h"
#include "query/base/arena.h"

/* A value of some rows of a group. */
typedef struct WaValueEntry
{
	uint64_t word; /* has the order of the values: wa_value_word */
	uint32_t group;
	uint32_t rows;
} WaValueEntry;

typedef struct WaValueList
{
	WaArena *arena;
	WaVectorKind kind;
	WaValueEntry *entries;
	size_t count;
	size_t capacity;
} WaValueList;

/* Tells whether lists hold values of a kind. */
static inline bool
wa_value_list_holds(WaVectorKind kind)
{
	return kind == WA_VECTOR_INT || kind == WA_VECTOR_BOOL ||
		   kind == WA_VECTOR_FLOAT;
}

/*
 * Returns a word for a value as a vector has it, which is larger for larger values, and the
 * same for the same ones, but -0 comes before 0.  NaN is the largest.
 */
extern uint64_t wa_value_word(WaVectorKind kind, int64_t value);

/* Returns the value of a word. */
extern int64_t wa_value_of_word(WaVectorKind kind, uint64_t word);

/* Tells whether two words, of which the first is not larger, are of equal values. */
extern bool wa_value_words_match(WaVectorKind kind, uint64_t word,
								 uint64_t next);

/* Makes an empty list, in the arena; NULL: there is not enough memory. */
extern WaValueList *wa_value_list_make(WaArena *arena, WaVectorKind kind);

/*
 * Appends the values of a vector that are not NULL; row i is of group groups[i], or 0 where groups
 * is NULL.  Returns false, with the arena failed, if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_value_list_take(WaValueList *list,
											 const uint32_t *groups,
											 const WaVector *values,
											 size_t nrows);

/* Likewise one value that so many rows have. */
extern WA_MUST_CHECK bool wa_value_list_add(WaValueList *list, uint32_t group,
											int64_t value, uint64_t rows);

/* Gives the memory of the entries back. */
extern void wa_value_list_forget(WaValueList *list);

#endif /* WA_QUERY_VALUE_LIST_H */
