/*
 * group_table_internal.h
 *		The inside of tables of groups.
 */
#ifndef WA_QUERY_GROUP_TABLE_INTERNAL_H
#define WA_QUERY_GROUP_TABLE_INTERNAL_H

#include "query/groups/group_table.h"

/* A place outside the ranges; added to any number of times it stays outside. */
#define OUTSIDE ((uint64_t) 1 << 40)

/* Returns the words of a group. */
static inline uint64_t *
wa_table_words_of(const WaGroupTable *table, uint32_t group)
{
	return table->words + (size_t) group * (size_t) table->nstored;
}

/* Returns the place of a word of a key in a range, 0 of a NULL. */
static inline uint64_t
wa_table_place_of(const WaKeyRange *range, uint64_t word, bool is_null)
{
	uint64_t offset = word - range->base;

	if (is_null)
		return 0;
	return offset < range->limit ? (offset + 1) << range->shift : OUTSIDE;
}

#endif /* WA_QUERY_GROUP_TABLE_INTERNAL_H */
