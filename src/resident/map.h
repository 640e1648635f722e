/*
 * map.h
 *		Reading visibility maps, as the proof of freshness needs them.
 *
 * A query reads the map after its snapshot was taken.  What is read under the
 * share lock of a page belongs together: the bits and the LSN.
 */
#ifndef WA_RESIDENT_MAP_H
#define WA_RESIDENT_MAP_H

#include "storage/block.h"
#include "storage/buf.h"
#include "utils/relcache.h"

#include "core/resident.h"

/* What the map has for one extent. */
typedef struct WaMapExtent
{
	uint64_t lsn; /* of the map's page; 0: then nothing is visible */
	uint64_t visible[WA_EXTENT_WORDS];
	uint32 unlogged; /* blocks that would be, had the page an LSN */
} WaMapExtent;

/* Returns the pages of the map of a relation of so many blocks. */
static inline uint32
wa_map_pages(BlockNumber nblocks)
{
	return nblocks / WA_MAP_BLOCKS + (nblocks % WA_MAP_BLOCKS != 0 ? 1 : 0);
}

/*
 * Reads the pages first to first + count - 1 of the map of a relation of nblocks
 * blocks.  Pages that do not exist or have never been logged have LSN 0, and
 * nothing is visible; nor is any block from nblocks on, but for pages that are whole,
 * whose bits are not set.
 */
extern void wa_map_read(Relation relation, BlockNumber nblocks, uint32 first,
						uint32 count, WaMapPage *pages);

/* Sets the bits of a page if it is whole; the relation has nblocks from it on. */
extern void wa_map_spell_out(WaMapPage *page, BlockNumber nblocks);

/*
 * Reads the part of the map that an extent has, likewise.  *pin keeps a page of
 * the map pinned for the next call, at first it is InvalidBuffer; the caller
 * releases it.
 */
extern void wa_map_read_extent(Relation relation, BlockNumber nblocks,
							   uint32 extent, Buffer *pin, WaMapExtent *part);

/* Returns how many bits are set in the words of an extent. */
extern uint32 wa_map_count(const uint64_t *words);

#endif /* WA_RESIDENT_MAP_H */
