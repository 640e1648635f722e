//
// numbers.h
//		The groups of a query: their numbers, and their keys.
//
#ifndef WA_CUDA_QUERY_NUMBERS_H
#define WA_CUDA_QUERY_NUMBERS_H

#include "keys.h"
#include "query/work.h"

// What is in pinned memory is there once the stream has been waited for.
struct WaQueryNumbers
{
	bool trapped; // found out while there was something to wait for
	WaKeysPlan plan;
	uint32_t ngroups;           // all numbers are below
	uint32_t *d_groups;         // of the rows
	const uint64_t *words;      // of the groups; NULL if they are direct
	const uint32_t *first_rows; // of the groups
	const WaKeysStatus *status;
	// Of each key, by group: bits of floats, digits shown; NULL: not needed.
	const int64_t *bits[WA_CUDA_QUERY_KEYS];
	const int64_t *digits[WA_CUDA_QUERY_KEYS];
};

// Starts the numbering of the rows.  If it has to find out how many groups there
// are, it waits; then rows may turn out to have trapped.
cudaError_t wa_query_number(WaQueryWork *work, WaQueryNumbers *numbers);

// Tells whether there is a row with this number.
bool wa_query_numbers_have(const WaQueryNumbers *numbers, uint32_t group);

// Returns a key of a group.
WaCudaKey wa_query_numbers_key(const WaQueryWork *work,
							   const WaQueryNumbers *numbers, uint32_t group,
							   unsigned key);

#endif // WA_CUDA_QUERY_NUMBERS_H
