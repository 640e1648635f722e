/*
 * group_table.h
 *		From the words of keys to the numbers of groups.
 *
 * A key has been made a word, so that equal keys have equal words (group_key.h);
 * the word of a NULL is 0.  Which keys are NULL is told by masks, words too, of
 * 64 keys each: bit j % 64 of mask j / 64 is set where key j is NULL.
 */
#ifndef WA_QUERY_GROUP_TABLE_H
#define WA_QUERY_GROUP_TABLE_H

#include "core/must_check.h"
#include "core/vector.h"
#include "query/base/arena.h"
#include "query/base/query_key.h"

/*
 * The values of a key that a direct table has places for: those from base, as
 * unsigned numbers, for which value - base is below limit.
 */
typedef struct WaKeyRange
{
	uint64_t base;
	uint64_t limit;
	int shift;     /* of the key's part of a place */
	bool is_known; /* some group has a key that is not NULL; then: */
	int64_t smallest;
	int64_t largest;
} WaKeyRange;

/*
 * Either numbers, the direct table, or slots is there.  A place in the direct
 * table is put together from the keys' parts: 0 for NULL, else 1 + value - base.
 * Behind its last place stands one more, which is always empty.
 *
 * When the arena fails, groups are no longer found, and no longer added beyond
 * the capacity.
 */
typedef struct WaGroupTable
{
	WaArena *arena;
	int nkeys;
	int nmasks;     /* words that tell which keys of a row are NULL */
	int nstored;    /* words kept of a group: those of its keys, and, of several
				  * keys, the masks */
	bool is_closed; /* no group is made any more */
	uint32_t ngroups;
	uint32_t capacity;
	uint32_t expected;   /* groups that a hash table is made for at least */
	uint64_t *words;     /* of the groups, one group after the other */
	uint32_t null_group; /* of a single key, or WA_NO_GROUP */
	WaKeyRange *ranges;  /* of each key */
	uint32_t *numbers;   /* group + 1, 0 for none */
	uint32_t none[2];    /* numbers, while there are no ranges */
	uint64_t nnumbers;   /* a power of two */
	uint64_t *slots;     /* as of wa_hash_slot, with group + 1 */
	uint64_t slot_mask;  /* number of slots - 1 */
	int slot_shift;      /* a hash shifted right by it is a place in slots */
	uint64_t *places;    /* of the rows of a vector; or their hashes */
	uint64_t *masks;     /* of the rows of a vector, one mask after the other */
} WaGroupTable;

/* The keys of the rows of a vector: for each its words. */
typedef struct WaKeyRows
{
	const uint64_t *words;
	const uint8_t *valid; /* NULL: no row is NULL */
} WaKeyRows;

/* Makes *table, which does not move, one without groups, in the arena. */
extern void wa_group_table_init(WaGroupTable *table, WaArena *arena, int nkeys);

/*
 * Makes room for so many groups at once, in an index when one is made anew.  That is
 * no more than they would have in the end.  Returns false if there is not enough memory.
 */
extern WA_MUST_CHECK bool wa_group_table_expect(WaGroupTable *table,
												uint32_t ngroups);

/*
 * Stores the groups of those rows that have one in numbers, and the rows that
 * have none in missing, ascending.  Returns how many these are.
 */
extern size_t wa_group_table_find_rows(WaGroupTable *table,
									   const WaKeyRows *keys, size_t nrows,
									   uint32_t *numbers, uint16_t *missing);

/*
 * Returns the group of one row, which is made if there is none, unless the table
 * is closed; words: those of the keys, and the masks.
 */
extern uint32_t wa_group_table_find(WaGroupTable *table, const uint64_t *words);

/* Returns the word of a key of a group; *is_null tells whether it is NULL. */
extern uint64_t wa_group_table_word(const WaGroupTable *table, uint32_t group,
									int key, bool *is_null);

/*
 * Stores the words of a key of groups[0] to groups[ngroups - 1], and in valid
 * which of them are not NULL; tells whether some are.
 */
extern bool wa_group_table_words(const WaGroupTable *table, int key,
								 const uint32_t *groups, size_t ngroups,
								 uint64_t *words, uint8_t *valid);

#endif /* WA_QUERY_GROUP_TABLE_H */
