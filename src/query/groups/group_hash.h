/*
 * group_hash.h
 *		Hashing of words, for the tables of groups and of their keys.
 */
#ifndef WA_QUERY_GROUP_HASH_H
#define WA_QUERY_GROUP_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* How far ahead of a row's look-up its place in a table is fetched. */
#define WA_PREFETCH_ROWS 12

/* Odd constants with their bits well spread. */
#define WA_HASH_FACTOR UINT64_C(0x9E3779B97F4A7C15)
#define WA_HASH_FINAL  UINT64_C(0xD6E8FEB86659FD93)

/* Returns a hash of what has the hash so far, and of a word. */
static inline uint64_t
wa_hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * WA_HASH_FACTOR;
	return hash ^ (hash >> 32);
}

/* Spreads what the last words changed to the low bits and to the high ones. */
static inline uint64_t
wa_hash_finish(uint64_t hash)
{
	hash *= WA_HASH_FINAL;
	return hash ^ (hash >> 32);
}

/*
 * Slots of a hash table hold the high half of a hash and a number, which is not
 * 0.  Where to look first is told by the low bits of the hash, or by its highest,
 * which a slot has, too.
 */
static inline uint64_t
wa_hash_slot(uint64_t hash, uint32_t number)
{
	return (hash & UINT64_C(0xFFFFFFFF00000000)) | number;
}

/* Tells whether a slot is of something with the same hash. */
static inline bool
wa_hash_slot_matches(uint64_t slot, uint64_t hash)
{
	return ((slot ^ hash) >> 32) == 0;
}

#endif /* WA_QUERY_GROUP_HASH_H */
