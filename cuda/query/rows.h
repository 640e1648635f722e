//
// rows.h
//		Lists of the rows that a bitmap has.
//
#ifndef WA_CUDA_QUERY_ROWS_H
#define WA_CUDA_QUERY_ROWS_H

#include "query/work.h"

// A bitmap of a query's rows, and how many it has.
struct WaQueryListing
{
	const uint64_t *d_selection;
	uint32_t nrows; // of the query
	uint32_t *
		d_ends; // of each word of the bitmap: the rows that it has up to its end
};

// Starts the counting of the rows of a bitmap.
WaQueryListing wa_query_start_listing(WaQueryWork *work,
									  const uint64_t *d_selection);

// Counts the rows of a bitmap, and waits for all that was started.
uint32_t wa_query_count_rows(WaQueryWork *work, const uint64_t *d_selection,
							 WaQueryListing *listing);

// Starts to list the rows, ascending.
void wa_query_list_rows(WaQueryWork *work, const WaQueryListing *listing,
						uint32_t *d_rows);

// Starts to make each number the sum of those up to it.
void wa_query_start_sums(WaQueryWork *work, uint32_t *d_numbers,
						 uint32_t count);

#endif // WA_CUDA_QUERY_ROWS_H
