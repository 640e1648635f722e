//
// values.h
//		Values of the rows of each group: how many there are, each once, or what lies where in
//		their order (core/ranks.h).
//
// All rows' values are sorted, by group and then by value, by CUB's radix sort; what is
// wanted is told by kernels over what is sorted.
//
#ifndef WA_CUDA_QUERY_VALUES_H
#define WA_CUDA_QUERY_VALUES_H

#include "query/work.h"

// What was found, in pinned memory once the stream has been waited for.
struct WaQueryFound
{
	const uint32_t
		*distinct;         // values of each group; NULL with ranks, of which:
	const int64_t *values; // group by group, as WaCudaKey has words
	const uint8_t *are_there;
};

// Starts to find what a query wants of its values.  d_groups: the numbers of the rows'
// groups, below ngroups; NULL: there is one.  It waits, to find out how many rows have values.
WaQueryFound wa_query_find_values(WaQueryWork *work, const uint32_t *d_groups,
								  uint32_t ngroups);

// Adds what was found of a group to its cells, behind those of aggregated columns.
void wa_query_add_found(const WaQueryWork *work, const WaQueryFound *found,
						uint32_t group, WaCudaCell *cells);

// Returns how many cells that makes.
size_t wa_query_count_found(const WaCudaQuery *query);

#endif // WA_CUDA_QUERY_VALUES_H
