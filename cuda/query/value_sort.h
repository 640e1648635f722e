//
// value_sort.h
//		Values of rows as words that have their order, sorted by group and word.
//
// Where group and word have room in 64 bits together, they are sorted at once; else words are
// sorted first, and then, stably, groups.
//
#ifndef WA_CUDA_QUERY_VALUE_SORT_H
#define WA_CUDA_QUERY_VALUE_SORT_H

#include "query/work.h"

// The sign bit of an integer, and the word of 0.0.
static const uint64_t kSign = (uint64_t) 1 << 63;

// What values are.
enum WaQueryValueKind
{
	WA_QUERY_INTEGERS,
	WA_QUERY_BOOLEANS,
	WA_QUERY_FLOATS
};

// Sorted values with their groups.
struct WaQuerySorted
{
	WaQueryValueKind kind;
	uint32_t count;
	uint32_t ngroups;
	unsigned word_bits;    // of keys: group and word; 0: keys are one of both
	uint64_t base;         // that has been taken from words
	const uint64_t *keys;  // ascending; or groups, of which:
	const uint64_t *words; // the words, by the
	const uint32_t *positions; // positions of the rows there; or NULL
};

// Sorts the values of all rows that are valid, ascending.  d_groups: the numbers of the rows'
// groups, below ngroups; NULL: there is one.  It waits, to find out how many rows have values;
// values of 128 bits are not for GPUs (cudaErrorNotSupported).
WaQuerySorted wa_query_sort_values(WaQueryWork *work, const uint32_t *d_groups,
								   uint32_t ngroups);

#endif // WA_CUDA_QUERY_VALUE_SORT_H
