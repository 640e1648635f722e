/*
 * blocks.h
 *		Sets of blocks of an extent: a bit for each, in WA_EXTENT_WORDS words.
 */
#ifndef WA_RESIDENT_BLOCKS_H
#define WA_RESIDENT_BLOCKS_H

#include "port/pg_bitutils.h"

#include "core/resident.h"

/* Tells whether a block is in a set. */
static inline bool
wa_blocks_has(const uint64_t *words, uint32 block)
{
	return (words[block / 64] >> block % 64 & 1) != 0;
}

/* Adds a block. */
static inline void
wa_blocks_add(uint64_t *words, uint32 block)
{
	words[block / 64] |= UINT64CONST(1) << block % 64;
}

/* Adds the first blocks. */
static inline void
wa_blocks_add_first(uint64_t *words, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
		wa_blocks_add(words, i);
}

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

/* Returns how many blocks an extent has, of a relation of nblocks. */
static inline uint32
wa_blocks_of(uint32 number, uint32 nblocks)
{
	const uint32 first = wa_extent_first_block(number);

	return nblocks <= first ? 0 : Min(nblocks - first, WA_EXTENT_BLOCKS);
}

#endif /* WA_RESIDENT_BLOCKS_H */
