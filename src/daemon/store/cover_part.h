/*
 * cover_part.h
 *		What a query may use of an extent and its overlay.
 *
 * Constant, but for the references and what the store's lock guards.  Covers share parts
 * that have not changed.
 */
#ifndef WA_DAEMON_COVER_PART_H
#define WA_DAEMON_COVER_PART_H

#include "daemon/store/run_extents.h"
#include "daemon/store/store_usable.h"

/* An extent, to whose layout and columns its part has references. */
typedef struct WaCoverExtent
{
	WaRunExtent extent; /* first */
	WaLayout *layout;
	uint64_t usable[WA_EXTENT_WORDS]; /* a bit for each block */
} WaCoverExtent;

/* What else is known of it is in its WaCoverPlace. */
typedef struct WaCoverPart
{
	uint32_t references; /* atomic */
	uint32_t ncolumns;
	uint32_t count;           /* of extents, the overlay behind the other */
	struct WaCoverPart *next; /* of garbage; the store's lock guards it */
	WaCoverExtent extents[];  /* behind them columns and ranges */
} WaCoverPart;

/* Returns the first block of a relation of nblocks that is none of a part any more. */
static inline uint32_t
wa_cover_part_end(uint32_t number, uint32_t nblocks)
{
	const uint64_t end = ((uint64_t) number + 1) * WA_EXTENT_BLOCKS;

	return end < nblocks ? (uint32_t) end : nblocks;
}

/* An extent has no more ranges, which are separated by blocks that are not used. */
#define WA_COVER_MAX_RANGES (WA_EXTENT_BLOCKS / 2)

/*
 * Stores the ranges of rows of the usable blocks of an extent of so many, whose rows end
 * there; there is room for WA_COVER_MAX_RANGES.  Blocks that follow each other, or have
 * none but empty ones between them, share one.  Returns how many there are.
 */
uint32_t wa_cover_ranges(const uint64_t *usable, const uint32_t *row_end,
						 uint32_t nblocks, WaRowRange *ranges);

/* Parts that are made at once at most. */
#define WA_PARTS_AT_ONCE 16

/*
 * Makes the parts of some places, which have numbers, each with one reference, of what a
 * use finds of them.  The caller has the store's lock.  Returns false if there is no memory
 * for one.
 */
WA_MUST_CHECK bool wa_cover_parts_make(WaStore *store, const WaUse *use,
									   WaCoverPlace *const *places,
									   uint32_t count);

/* Takes another reference. */
void wa_cover_part_retain(WaCoverPart *part);

/* Gives up a reference; NULL is nothing. */
void wa_cover_part_release(WaCoverPart *part);

#endif /* WA_DAEMON_COVER_PART_H */
