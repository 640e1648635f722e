//
// order.h
//		The grouped reductions of a query, and choosing the first groups of an order.
//
#ifndef WA_CUDA_QUERY_ORDER_H
#define WA_CUDA_QUERY_ORDER_H

#include "query/numbers.h"
#include "query/parts.h"

// The table of one layer, in pinned memory: of the groups that are chosen.
struct WaQueryLayer
{
	WaGroupLayer layer;
	const void *table;
};

// An operation over a part, by groups (groups.h).
struct WaQueryReduction
{
	WaQueryPart part;
	bool has_layers; // a float's sum: there may be more than one
	WaGroupColumn column;
	WaGroupPlan plan;
	WaGroupMemory memory;
	WaGroupLayer layer; // the last one that was started
	std::vector<WaQueryLayer> layers;
};

typedef enum WaQueryOrderOf
{
	WA_QUERY_ORDER_KEY,
	WA_QUERY_ORDER_STARTS, // the rows of groups that are sorted
	WA_QUERY_ORDER_ROWS,   // of a table
	WA_QUERY_ORDER_SUM,
	WA_QUERY_ORDER_HALVES, // the sum of halves
	WA_QUERY_ORDER_EXTREME
} WaQueryOrderOf;

// What groups are ordered by, in device memory.
struct WaQueryOrder
{
	WaQueryOrderOf of;
	bool descending;
	bool nulls_first;
	bool is_turned; // EXTREME: keys are turned around, as those of MIN are
	bool is_float;  // EXTREME: of floats
	bool is_wide;   // the integer may have more than 94 bits
	// Of the integer, or of what is_wide has above its lowest 64 bits: those of the
	// second word of a place; 0: there is none.
	unsigned low_bits;
	// KEY
	WaKeyColumn key;
	const uint32_t *first_rows;
	// STARTS
	const uint32_t *starts;
	// The others: a table of a grouped reduction (cuda/group/table.cuh).
	const uint64_t *wide;
	const uint32_t *narrow;
	unsigned nwide;
	uint32_t ngroups;
	// HALVES: these are of the low ones, and of the high ones there are
	const uint64_t *high_wide;
	unsigned high_nwide;
	unsigned look_bits; // EXTREME, is_wide: bits to be left out
};

// Tells whether some groups alone are to be chosen.
bool wa_query_chooses(const WaQueryWork *work, const WaQueryNumbers *numbers);

// Returns the groups that may be among the first, and waits.  The first layers of all
// reductions have come to their end.  cudaErrorNotSupported if there are too many.
WaQueryChoice wa_query_choose(WaQueryWork *work, const WaQueryNumbers *numbers,
							  const std::vector<WaQueryReduction> &reductions);

#endif // WA_CUDA_QUERY_ORDER_H
