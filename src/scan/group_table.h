/*
 * group_table.h
 *		From the words of keys to the numbers of groups.
 *
 * A key has been made a word, so that equal keys have equal words (group_key.h);
 * the word of a NULL is 0.  Which keys are NULL is told by masks, words too, of
 * 64 keys each: bit j % 64 of mask j / 64 is set where key j is NULL.
 */
#ifndef WA_SCAN_GROUP_TABLE_H
#define WA_SCAN_GROUP_TABLE_H

#include "utils/palloc.h"

#include "core/vector.h"

/* No group. */
#define WA_NO_GROUP PG_UINT32_MAX

/*
 * The values of a key that a direct table has places for: those from base, as
 * unsigned numbers, for which value - base is below limit.
 */
typedef struct WaKeyRange
{
	uint64 base;
	uint64 limit;
	int shift;     /* of the key's part of a place */
	bool is_known; /* some group has a key that is not NULL; then: */
	int64 smallest;
	int64 largest;
} WaKeyRange;

/*
 * Either numbers, the direct table, or slots is there.  A place in the direct
 * table is put together from the keys' parts: 0 for NULL, else 1 + value - base.
 * Behind its last place stands one more, which is always empty.
 */
typedef struct WaGroupTable
{
	MemoryContext context;
	int nkeys;
	int nmasks;  /* words that tell which keys of a row are NULL */
	int nstored; /* words kept of a group: those of its keys, and, of several
				  * keys, the masks */
	uint32 ngroups;
	uint32 capacity;
	uint64 *words;      /* of the groups, one group after the other */
	uint32 null_group;  /* of a single key, or WA_NO_GROUP */
	WaKeyRange *ranges; /* of each key */
	uint32 *numbers;    /* group + 1, 0 for none */
	uint64 nnumbers;    /* a power of two */
	uint64 *slots;      /* as of wa_hash_slot, with group + 1 */
	uint64 slot_mask;   /* number of slots - 1 */
	uint64 *places;     /* of the rows of a vector; or their hashes */
	uint64 *masks;      /* of the rows of a vector, one mask after the other */
} WaGroupTable;

/* The keys of the rows of a vector: for each its words. */
typedef struct WaKeyRows
{
	const uint64 *words;
	const uint8 *valid; /* NULL: no row is NULL */
} WaKeyRows;

/* Makes *table a table without groups; it lies in the context. */
extern void wa_group_table_init(WaGroupTable *table, MemoryContext context,
								int nkeys);

/*
 * Stores the groups of those rows that have one in numbers, and the rows that
 * have none in missing, ascending.  Returns how many these are.
 */
extern size_t wa_group_table_find_rows(WaGroupTable *table,
									   const WaKeyRows *keys, size_t nrows,
									   uint32 *numbers, uint16 *missing);

/*
 * Returns the group of one row, which is made if there is none; words: those of
 * the keys, and the masks.
 */
extern uint32 wa_group_table_find(WaGroupTable *table, const uint64 *words);

/* Returns the word of a key of a group; *is_null tells whether it is NULL. */
extern uint64 wa_group_table_word(const WaGroupTable *table, uint32 group,
								  int key, bool *is_null);

#endif /* WA_SCAN_GROUP_TABLE_H */
