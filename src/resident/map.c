/*
 * map.c
 *		Reading visibility maps; see map.h.
 *
 * A page of the map has two bits for each block, of which the lower one says
 * all-visible: 16 words for the 512 blocks of an extent.  Maps are mostly ones or
 * mostly zeros, which needs no bit by bit work.
 */
#include "postgres.h"

#ifdef WORDS_BIGENDIAN
#error "bits are taken from words whose lowest byte comes first"
#endif

#include "access/visibilitymap.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"

#include "resident/map.h"
#include "resident/relation.h"

/* Blocks that eight bytes of the map are about. */
#define WORD_BLOCKS 32

/* Words of the map of an extent. */
#define EXTENT_MAP_WORDS (WA_EXTENT_BLOCKS / WORD_BLOCKS)

/* Words of a page of the map, those of its last extent being fewer. */
#define MAP_WORDS (WA_MAP_BLOCKS / WORD_BLOCKS)

/* Of a word of the map, the bits that say all-visible. */
#define VISIBLE_BITS UINT64CONST(0x5555555555555555)

StaticAssertDecl((BLCKSZ - MAXALIGN(SizeOfPageHeaderData)) * 4 == WA_MAP_BLOCKS,
				 "a page of the map is about as many blocks as expected");

/* Returns the all-visible bits of a word of the map, one after the other. */
static inline uint64
take_visible(uint64 word)
{
	word &= VISIBLE_BITS;
	if (likely(word == VISIBLE_BITS))
		return PG_UINT32_MAX;
	if (word == 0)
		return 0;
	word = (word | word >> 1) & UINT64CONST(0x3333333333333333);
	word = (word | word >> 2) & UINT64CONST(0x0F0F0F0F0F0F0F0F);
	word = (word | word >> 4) & UINT64CONST(0x00FF00FF00FF00FF);
	word = (word | word >> 8) & UINT64CONST(0x0000FFFF0000FFFF);
	return (word | word >> 16) & PG_UINT32_MAX;
}

/*
 * Stores the all-visible bits of so many words of the map, 64 blocks a word; an odd
 * last one is the lower half of its own.
 */
static void
take_words(const char *bytes, int count, uint64_t *visible)
{
	for (int i = 0; i < count; i++)
	{
		uint64 word;

		memcpy(&word, bytes + i * sizeof(word), sizeof(word));
		if (i % 2 == 0)
			visible[i / 2] = take_visible(word);
		else
			visible[i / 2] |= take_visible(word) << WORD_BLOCKS;
	}
}

/* Tells whether all blocks of an extent are all-visible. */
static inline bool
is_all_visible(const char *bytes)
{
	uint64 words[EXTENT_MAP_WORDS];
	uint64 all = VISIBLE_BITS;

	memcpy(words, bytes, sizeof(words));
	for (int i = 0; i < EXTENT_MAP_WORDS; i++)
		all &= words[i];
	return all == VISIBLE_BITS;
}

/* Stores the all-visible bits of map words first to first + count - 1. */
static void
take_page(Page page, int first, int count, uint64_t *visible)
{
	const char *bytes = PageGetContents(page) + first * sizeof(uint64);

	for (; count >= EXTENT_MAP_WORDS; count -= EXTENT_MAP_WORDS)
	{
		if (is_all_visible(bytes))
			memset(visible, 0xff, WA_EXTENT_WORDS * sizeof(*visible));
		else
			take_words(bytes, EXTENT_MAP_WORDS, visible);
		bytes += EXTENT_MAP_WORDS * sizeof(uint64);
		visible += WA_EXTENT_WORDS;
	}
	take_words(bytes, count, visible);
}

/* Unsets the bits from nblocks on. */
static void
cut_off(uint64_t *visible, uint32 nwords, uint32 nblocks)
{
	uint32 word = nblocks / 64;

	if (word >= nwords)
		return;
	visible[word] &= (UINT64CONST(1) << nblocks % 64) - 1;
	memset(&visible[word + 1], 0, (nwords - word - 1) * sizeof(*visible));
}

/* Tells whether the first nblocks of a page of the map are all-visible. */
static bool
is_whole(Page page, BlockNumber nblocks)
{
	const char *bytes = PageGetContents(page);
	const BlockNumber nwords = nblocks / WORD_BLOCKS;
	const int rest = (int) (nblocks % WORD_BLOCKS);
	uint64 all = VISIBLE_BITS;
	uint64 word;

	for (BlockNumber i = 0; i < nwords; i++)
	{
		memcpy(&word, bytes + i * sizeof(word), sizeof(word));
		all &= word;
	}
	if (rest == 0)
		return all == VISIBLE_BITS;
	memcpy(&word, bytes + nwords * sizeof(word), sizeof(word));
	word |= ~UINT64CONST(0) << (rest * BITS_PER_HEAPBLOCK);
	return (all & word) == VISIBLE_BITS;
}

/*
 * Pins the page of the map that covers a block and locks it for reading; returns
 * false if there is none.  *lsn: the page's, 0 if it has never been logged.
 */
static bool
lock_page(Relation relation, BlockNumber block, Buffer *pin, uint64_t *lsn)
{
	*lsn = 0;
	/* What this returns was read unlocked. */
	(void) visibilitymap_get_status(relation, block, pin);
	if (!BufferIsValid(*pin))
		return false;
	LockBuffer(*pin, BUFFER_LOCK_SHARE);
	*lsn = BufferGetLSNAtomic(*pin);
	if (XLogRecPtrIsInvalid(*lsn) && !wa_resident_has_rule(WA_RULE_LOGGED))
		*lsn = 1;
	return true;
}

/* Reads a page of the map, nblocks of whose blocks the relation has. */
static void
read_page(Relation relation, BlockNumber first, BlockNumber nblocks,
		  Buffer *pin, WaMapPage *page)
{
	const bool locked = lock_page(relation, first, pin, &page->lsn);

	page->is_whole = 0;
	if (page->lsn == 0)
		memset(page->visible, 0, sizeof(page->visible));
	else if (is_whole(BufferGetPage(*pin), nblocks))
		page->is_whole = 1;
	else
	{
		page->visible[WA_EXTENTS_PER_MAP - 1][WA_EXTENT_WORDS - 2] = 0;
		page->visible[WA_EXTENTS_PER_MAP - 1][WA_EXTENT_WORDS - 1] = 0;
		take_page(BufferGetPage(*pin), 0, MAP_WORDS, page->visible[0]);
		cut_off(page->visible[0], WA_EXTENTS_PER_MAP * WA_EXTENT_WORDS,
				nblocks);
	}
	if (locked)
		LockBuffer(*pin, BUFFER_LOCK_UNLOCK);
}

void
wa_map_read(Relation relation, BlockNumber nblocks, uint32 first, uint32 count,
			WaMapPage *pages)
{
	Buffer pin = InvalidBuffer;

	for (uint32 i = 0; i < count; i++)
	{
		const BlockNumber block = (first + i) * WA_MAP_BLOCKS;

		read_page(relation, block,
				  block < nblocks ? Min(nblocks - block, WA_MAP_BLOCKS) : 0,
				  &pin, &pages[i]);
	}
	if (BufferIsValid(pin))
		ReleaseBuffer(pin);
}

void
wa_map_spell_out(WaMapPage *page, BlockNumber nblocks)
{
	if (page->is_whole == 0)
		return;
	memset(page->visible, 0xff, sizeof(page->visible));
	cut_off(page->visible[0], WA_EXTENTS_PER_MAP * WA_EXTENT_WORDS, nblocks);
	page->is_whole = 0;
}

void
wa_map_read_extent(Relation relation, BlockNumber nblocks, uint32 extent,
				   Buffer *pin, WaMapExtent *part)
{
	BlockNumber block = wa_extent_first_block(extent);
	int first = (int) (extent % WA_EXTENTS_PER_MAP) * WA_EXTENT_WORDS * 2;
	int count = Min(MAP_WORDS - first, WA_EXTENT_WORDS * 2);

	memset(part->visible, 0, sizeof(part->visible));
	if (lock_page(relation, block, pin, &part->lsn))
	{
		take_page(BufferGetPage(*pin), first, count, part->visible);
		LockBuffer(*pin, BUFFER_LOCK_UNLOCK);
	}
	cut_off(part->visible, WA_EXTENT_WORDS,
			block < nblocks ? nblocks - block : 0);
	part->unlogged = 0;
	if (part->lsn != 0)
		return;
	part->unlogged = wa_map_count(part->visible);
	memset(part->visible, 0, sizeof(part->visible));
}

uint32
wa_map_count(const uint64_t *words)
{
	uint32 count = 0;

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		count += (uint32) pg_popcount64(words[i]);
	return count;
}
