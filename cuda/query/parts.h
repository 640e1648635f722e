//
// parts.h
//		What of aggregated columns is reduced, and how cells are made of that.
//
#ifndef WA_CUDA_QUERY_PARTS_H
#define WA_CUDA_QUERY_PARTS_H

#include "query/work.h"

// What of an aggregated column is reduced.
enum WaQueryReduced
{
	WA_QUERY_VALUES,
	WA_QUERY_DIGITS, // shown
	WA_QUERY_OF_HALF,
	WA_QUERY_OF_LOOK
};

// A part of an aggregated column that is reduced by itself.
struct WaQueryPart
{
	unsigned source; // the aggregated column
	WaQueryReduced of;
	unsigned half; // OF_HALF: which
	WaBatch batch;
	WaOpSet ops; // empty: values are counted
};

// Returns the type that a reduction knows a form by.
WaType wa_query_type(WaColumnForm form);

// Starts what splits values of 128 bits that are to be added up in halves, and what
// makes the looks of values.
void wa_query_start_parts(WaQueryWork *work);

// Returns the parts of all aggregated columns but those that count rows.
std::vector<WaQueryPart> wa_query_list_parts(const WaQueryWork *work);

// Makes the cell of an aggregated column, of no rows yet; exact: room for sums.
void wa_query_begin_cell(const WaQueryWork *work, size_t source,
						 WaExactPart *exact, WaCudaCell *cell);

// Adds to the cell what a part has been reduced to by some of its operations.  That of
// VALUES is the cell's partial.
void wa_query_add_part(const WaQueryPart *part, WaOpSet ops,
					   const WaPartial *partial, WaCudaCell *cell);

#endif // WA_CUDA_QUERY_PARTS_H
