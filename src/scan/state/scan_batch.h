/*
 * scan_batch.h
 *		A batch of rows on its way into groups.
 */
#ifndef WA_SCAN_SCAN_BATCH_H
#define WA_SCAN_SCAN_BATCH_H

#include "core/vector.h"
#include "heap/heap.h"

/* How many rows are tried in vectors at once. */
typedef struct WaPace
{
	int rows;
	int nright;  /* tries since it changed, or since one was of no use */
	int nwrong;  /* tries of the fewest rows in a row that were of no use */
	int nsingly; /* rows that are not tried, as such tries were of no use */
} WaPace;

typedef struct WaScanBatch
{
	WaRow *rows; /* of the batch, or what is left of it */
	WaVector **key_vectors;
	WaVector ones; /* what is counted where rows are */
	uint8 *keep;   /* rows that pass the filter of an aggregate */
	uint32 *group_numbers;
	uint16_t *selection;
	WaPace pace;
	struct WaRowwise *rowwise; /* scan/rows/rowwise.h */
} WaScanBatch;

#endif /* WA_SCAN_SCAN_BATCH_H */
