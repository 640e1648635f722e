//
// chosen.h
//		Copies to the host of what there is of chosen groups.
//
#ifndef WA_CUDA_QUERY_CHOSEN_H
#define WA_CUDA_QUERY_CHOSEN_H

#include "query/numbers.h"

// The keys of chosen groups, in pinned memory.
struct WaQueryKeys
{
	const WaCudaKey *keys;      // of the first group, then of the second, ...
	const uint32_t *first_rows; // WA_KEYS_NO_GROUP: the group has no rows
};

// Starts the copy of the keys of chosen groups.
WaQueryKeys wa_query_copy_keys(WaQueryWork *work, const WaQueryNumbers *numbers,
							   const WaQueryChoice *choice);

// Starts the copy of the table of a reduction, of which chosen groups are left:
// a table for so many groups.
const void *wa_query_copy_table(WaQueryWork *work, const WaGroupColumn *column,
								const WaGroupPlan *plan, const void *d_table,
								const WaQueryChoice *choice);

// Starts the copy of the numbers of rows of chosen groups; they are sorted.
const uint32_t *wa_query_copy_counts(WaQueryWork *work,
									 const WaQueryNumbers *numbers,
									 const WaQueryChoice *choice);

#endif // WA_CUDA_QUERY_CHOSEN_H
