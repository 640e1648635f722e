/*
 * cover_part.h
 *		What a query may use of a few extents that follow each other.
 *
 * Constant, but for the references and what the store's lock guards.  Covers share parts
 * that have not changed.
 */
#ifndef WA_DAEMON_COVER_PART_H
#define WA_DAEMON_COVER_PART_H

#include "daemon/runner.h"
#include "daemon/store.h"

/* An extent, to whose shape and columns its part has references. */
typedef struct WaCoverExtent
{
	WaRunExtent extent; /* first */
	WaShape *shape;
	uint64_t usable[WA_EXTENT_WORDS]; /* a bit for each block */
} WaCoverExtent;

typedef struct WaCoverPart
{
	uint32_t references;      /* atomic */
	struct WaCoverPart *next; /* of garbage; the store's lock guards it */
	uint32_t number;          /* as that of a WaExtentPart */
	uint32_t ncolumns;
	uint64_t stamp;     /* of the relation, at the latest when this was begun */
	uint32_t end_block; /* none from this on is looked at */
	bool has_left;      /* fresh blocks, as they are not settled */
	WaDeciders deciders; /* of all extents that were looked at */
	uint64_t rows;       /* that are usable */
	uint64_t blocks;
	uint32_t count; /* of extents, by number, overlays behind theirs */
	WaCoverExtent *extents;
	WaColumn **columns; /* ncolumns of each */
} WaCoverPart;

/* Returns the first block of a relation of nblocks that is none of a part any more. */
uint32_t wa_cover_part_end(uint32_t number, uint32_t nblocks);

/*
 * Makes a part, with one reference, of what a use finds of it: what that has counted is
 * lost.  Returns NULL if there is no memory.
 */
WaCoverPart *wa_cover_part_make(WaStore *store, WaUse *use, uint32_t number,
								uint64_t stamp);

/* Takes another reference. */
void wa_cover_part_retain(WaCoverPart *part);

/* Gives up a reference; NULL is nothing. */
void wa_cover_part_release(WaCoverPart *part);

#endif /* WA_DAEMON_COVER_PART_H */
