//
// reduction.h
//		The grouped reductions (groups.h) of a query.
//
#ifndef WA_CUDA_QUERY_REDUCTION_H
#define WA_CUDA_QUERY_REDUCTION_H

#include "query/work.h"

// The table of one layer, in pinned memory: of the groups that are chosen.
struct WaQueryLayer
{
	WaGroupLayer layer;
	const void *table;
};

// What of an aggregated column is reduced.
enum WaQueryReduced
{
	WA_QUERY_VALUES,
	WA_QUERY_DIGITS, // shown
	WA_QUERY_OF_HALF,
	WA_QUERY_OF_LOOK
};

// An operation over a column.
struct WaQueryReduction
{
	unsigned source; // the aggregated column that it is for
	WaQueryReduced of;
	unsigned part;   // OF_HALF: which half
	bool has_layers; // a float's sum: there may be more than one
	WaGroupColumn column;
	WaGroupPlan plan;
	WaGroupMemory memory;
	WaGroupLayer layer; // the last one that was started
	std::vector<WaQueryLayer> layers;
};

#endif // WA_CUDA_QUERY_REDUCTION_H
