/*
 * place.h
 *		Where a row of a heap table lies, as an integer.
 */
#ifndef WA_HEAP_PLACE_H
#define WA_HEAP_PLACE_H

#include "access/htup_details.h"
#include "storage/itemptr.h"

/* Returns the place of a row; those of a table's rows lie close together. */
static inline int64
wa_place_of_item(const ItemPointerData *item)
{
	return (int64) ItemPointerGetBlockNumberNoCheck(item) *
			   MaxHeapTuplesPerPage +
		   ItemPointerGetOffsetNumberNoCheck(item) - FirstOffsetNumber;
}

/* Stores which row has a place. */
static inline void
wa_place_item(int64 place, ItemPointer item)
{
	ItemPointerSet(
		item, (BlockNumber) (place / MaxHeapTuplesPerPage),
		(OffsetNumber) (place % MaxHeapTuplesPerPage + FirstOffsetNumber));
}

#endif /* WA_HEAP_PLACE_H */
