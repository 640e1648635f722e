/*
 * scan_batch.h
 *		A batch of rows on its way into groups.
 */
#ifndef WA_SCAN_SCAN_BATCH_H
#define WA_SCAN_SCAN_BATCH_H

#include "core/vector.h"
#include "heap/heap.h"
#include "query/run/query_batch.h"

/* How many rows are tried in vectors at once. */
typedef struct WaPace
{
	int rows;
	int nright;  /* tries since it changed, or since one was of no use */
	int nwrong;  /* tries of the fewest rows in a row that were of no use */
	int nsingly; /* rows that are not tried, as such tries were of no use */
} WaPace;

/* Which groups are wanted: so many of the first by a key; 0: all are. */
typedef struct WaWantedKeys
{
	uint64 limit;
	uint16 key;
	bool descending;
	bool nulls_first;
} WaWantedKeys;

typedef struct WaScanBatch
{
	WaRow *rows; /* of the batch, or what is left of it */
	WaVector **key_vectors;
	WaQueryBatch *query; /* the same on its way through the query */
	uint32 *group_numbers;
	struct WaChosenRows
		*chosen; /* scan/rows/choose_rows.h; NULL: all rows become groups */
	struct WaKeyBound
		*bound; /* scan/rows/key_bound.h; NULL: none are left out */
	WaPace pace;
	struct WaRowwise
		*rowwise;  /* scan/rows/rowwise.h; NULL: nothing does that */
	bool has_left; /* rows that it would have had to take */
} WaScanBatch;

#endif /* WA_SCAN_SCAN_BATCH_H */
