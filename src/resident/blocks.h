/*
 * blocks.h
 *		Sets of blocks of an extent: a bit for each, in WA_EXTENT_WORDS words.
 */
#ifndef WA_RESIDENT_BLOCKS_H
#define WA_RESIDENT_BLOCKS_H

#include "port/pg_bitutils.h"

#include "core/bits.h"
#include "core/resident.h"

/* Returns how many blocks there are. */
static inline uint32
wa_blocks_count(const uint64_t *words)
{
	uint32 count = 0;

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		count += (uint32) pg_popcount64(words[i]);
	return count;
}

/* Tells whether all blocks of the one set are in the other. */
static inline bool
wa_blocks_are_in(const uint64_t *words, const uint64_t *others)
{
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		if ((words[i] & ~others[i]) != 0)
			return false;
	return true;
}

#endif /* WA_RESIDENT_BLOCKS_H */
