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
#include "resident/family.h"

typedef struct WaExtentReader WaExtentReader;

/*
 * Prepares to read columns of an open relation, that has nblocks blocks, in the
 * current memory context.  The columns are ascending, without doubles, at most
 * WA_MAX_RESIDENT_COLUMNS, and as wa_resident_column names them.
 */
extern WaExtentReader *wa_extent_begin(Relation relation, BlockNumber nblocks,
									   int ncolumns,
									   const WaColumnName *columns);

/*
 * Finds out which columns an extent can have, by a look at a few of these blocks: a
 * column that would lack most of its blocks is left out.  Returns a bit for each that
 * it can have.
 */
extern uint64 wa_extent_choose(WaExtentReader *reader, uint32 number,
							   const uint64_t *blocks);

/*
 * Reads these blocks of an extent (resident/blocks.h) and keeps what has been read until
 * the next time.  Returns false if there is nothing to keep: all blocks are in flux, or
 * there are no columns.  The extent has those of these columns (a bit for each of the
 * reader's) that wa_extent_choose finds, a patch all of these, as the extent has them.  A
 * snapshot is active.  Checks for interrupts.
 */
extern WA_MUST_CHECK bool wa_extent_read(WaExtentReader *reader, uint32 number,
										 const uint64_t *blocks, uint64 columns,
										 bool is_patch);

/* Tells whether it has all blocks that warpaggd has, with the LSNs that they have there. */
extern bool wa_extent_has_all(const WaExtentReader *reader,
							  const WaExtentState *state);

/* Returns the bytes of a parcel that the extent takes, its head included. */
extern uint64 wa_extent_bytes(const WaExtentReader *reader);

/*
 * Writes the extent to a parcel, its head being at the parcel's first byte.  family: that
 * of the relation.  asked: a bit for each of the reader's columns that a user has asked
 * for.  Returns how many rows it has.
 */
extern uint32 wa_extent_write(const WaExtentReader *reader,
							  const WaFamilyPlan *family, uint64 asked,
							  void *parcel);

/* Lets go of everything. */
extern void wa_extent_end(WaExtentReader *reader);

/*
 * Compares blocks of an extent that warpaggd has with those of the heap, as they are now:
 * stores in `same` which have the same LSN, and have one.  Returns the position of WAL that
 * was read before.
 */
extern uint64 wa_extent_compare(WaExtentReader *reader, uint32 number,
								const WaExtentState *state,
								const uint64_t *blocks, uint64_t *same);

#endif /* WA_RESIDENT_EXTENT_H */
