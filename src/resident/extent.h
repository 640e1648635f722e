/*
 * extent.h
 *		Reading extents from a heap relation, for a parcel.
 */
#ifndef WA_RESIDENT_EXTENT_H
#define WA_RESIDENT_EXTENT_H

#include "storage/block.h"
#include "utils/relcache.h"

#include "core/must_check.h"
#include "core/resident.h"

typedef struct WaExtentReader WaExtentReader;

/* What a reader has read so far, extents that were given up included. */
typedef struct WaExtentCounts
{
	int64 blocks; /* pages of the heap */
	int64 odd;    /* of them, that some column lacks for a value that no vector
					* holds */
} WaExtentCounts;

/*
 * Prepares to read columns of an open relation, that has nblocks blocks, in the
 * current memory context.  The columns are ascending, without doubles, at most
 * WA_MAX_RESIDENT_COLUMNS, and as wa_resident_column names them.
 */
extern WaExtentReader *wa_extent_begin(Relation relation, BlockNumber nblocks,
									   int ncolumns,
									   const WaColumnName *columns);

/*
 * Finds out which columns an extent can have, by a look at a few blocks: a column
 * that would lack most of its blocks is left out.  Returns a bit for each that
 * it can have.  visible: what the map has of the extent.
 */
extern uint64 wa_extent_choose(WaExtentReader *reader, uint32 number,
							   const uint64_t *visible);

/*
 * Reads an extent and keeps it until the next one.  wanted: WA_EXTENT_WORDS words
 * with a bit for each block that is wanted, or NULL for all.  Returns false if
 * there is nothing to keep: no block is all-visible, or the visibility map has
 * changed each time that it was looked at again.  The extent has those columns that
 * wa_extent_choose finds.  Checks for interrupts.
 */
extern WA_MUST_CHECK bool wa_extent_read(WaExtentReader *reader, uint32 number,
										 const uint64_t *wanted);

/* Returns a bit for each column that it has. */
extern uint64 wa_extent_columns(const WaExtentReader *reader);

/* Returns the bits of the blocks that are kept, WA_EXTENT_WORDS words. */
extern const uint64_t *wa_extent_kept(const WaExtentReader *reader);

/* Returns the bytes of a parcel that the extent takes, its head included. */
extern uint64 wa_extent_bytes(const WaExtentReader *reader);

/*
 * Writes the extent to a parcel, its head being at the parcel's first byte.  asked: a
 * bit for each of the reader's columns that a user has asked for.  Returns how many rows
 * it has.
 */
extern uint32 wa_extent_write(const WaExtentReader *reader, uint64 asked,
							  void *parcel);

/* Lets go of everything. */
extern void wa_extent_end(WaExtentReader *reader);

extern WaExtentCounts wa_extent_counts(const WaExtentReader *reader);

/*
 * Compares the blocks of an extent that warpaggd has with those of the heap, as
 * they are now: sets the bits of those that are all-visible and unchanged in
 * `kept`, WA_EXTENT_WORDS words.  visible: what the map has of the extent.
 */
extern void wa_extent_compare(WaExtentReader *reader, uint32 number,
							  const WaExtentState *state,
							  const uint64_t *visible, uint64_t *kept);

#endif /* WA_RESIDENT_EXTENT_H */
