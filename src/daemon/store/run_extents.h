/*
 * run_extents.h
 *		The extents that a run uses, and what else it is about.
 */
#ifndef WA_DAEMON_RUN_EXTENTS_H
#define WA_DAEMON_RUN_EXTENTS_H

#include "daemon/column/column.h"
#include "query/base/budget.h"

/* Rows begin to end - 1 of an extent. */
typedef struct WaRowRange
{
	uint32_t begin;
	uint32_t end;
} WaRowRange;

/*
 * An extent that a run uses.  Rows lie in the order of blocks and of line
 * pointers within; row_end says which block a row is of: block i of the extent
 * (wa_extent_first_block(number) + i of the relation) has the rows row_end[i - 1]
 * to row_end[i] - 1.  Only the rows in ranges are to be used; the ranges ascend,
 * and do not touch.
 */
typedef struct WaRunExtent
{
	uint32_t number;
	uint32_t device; /* ordinal of that which has it */
	uint32_t nblocks;
	uint32_t nrows; /* of each column */
	const uint32_t *row_end;
	uint32_t nranges;
	const WaRowRange *ranges;
	const WaColumn *const *columns; /* in the order of the request */
} WaRunExtent;

/* Integers lie between these; more than largest if there are none. */
typedef struct WaRunBounds
{
	int64_t smallest;
	int64_t largest;
} WaRunBounds;

/* Returns the first block of an extent whose rows end after a row. */
static inline uint32_t
wa_run_block_of_row(const WaRunExtent *extent, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = extent->nblocks;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (extent->row_end[middle] > row)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What a run is about; constant, and there until it has ended. */
typedef struct WaRunRequest
{
	const uint8_t *query; /* our own copy, unchecked; aligned to 64 bytes */
	size_t query_bytes;
	uint32_t ncolumns;
	const WaColumnName *columns;
	/*
	 * Of the TEXTs that all extents' columns have; NULL for others, and if there
	 * is no extent.  More texts may be added meanwhile, but none that these
	 * extents have.
	 */
	const WaDictionary *const *dictionaries;
	const WaRunBounds *bounds; /* of each column that is INT, in all extents */
	uint64_t nextents;         /* may be 0 */
	const WaRunExtent *const *extents;
	uint64_t rows; /* of all ranges */
	/*
	 * A bit for each block of the relation, in words of whole extents: its rows come with
	 * the query, and extents have none of them in their ranges, unlike their copies on
	 * GPUs.  NULL: the query brings none.
	 */
	const uint64_t *rest_blocks;
	/*
	 * The extents have all other blocks of the relation; and, once a run is to be
	 * finished, none was left out.
	 */
	bool is_complete;
	unsigned threads;                /* that take part at most */
	WaBudget *budget;                /* of what the run takes */
	struct WaMirror *mirror;         /* copies on GPUs (mirror.h), or NULL */
	struct WaPlacements *placements; /* of these extents there */
	struct WaGpus *gpus;         /* that compute queries (gpus.h), or NULL */
	struct WaKeptTables *tables; /* that are kept (kept_tables.h), or NULL */
} WaRunRequest;

/* What devices have done with an extent. */
typedef struct WaDeviceShare
{
	bool taken; /* the state has its rows, but for those of blocks left out */
	uint64_t *left_out; /* these: WA_EXTENT_WORDS words for free(), or NULL */
} WaDeviceShare;

#endif /* WA_DAEMON_RUN_EXTENTS_H */
