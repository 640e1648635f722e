//
// lookup.cuh
//		Looking a number up in a table of entries (core/lookup_table.h).
//
#ifndef WA_CUDA_PROGRAM_LOOKUP_CUH
#define WA_CUDA_PROGRAM_LOOKUP_CUH

#include <stdint.h>

#include "core/lookup_table.h"

// A table in device memory.
struct WaLookup
{
	uint64_t base; // the first number of entry 0
	uint64_t width;
	uint64_t span; // numbers of all entries
	double inverse;
	const int64_t *values;
	const uint8_t *known;
	uint8_t beyond; // WaEntryState, of numbers that have no entry
};

__device__ __forceinline__ WaLookup
wa_lookup_make(int64_t base, uint64_t width, uint64_t nentries,
			   const int64_t *values, const uint8_t *known, bool is_total)
{
	return {(uint64_t) base,
			width,
			width * nentries,
			1.0 / (double) width,
			values,
			known,
			(uint8_t) (is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN)};
}

// Returns the entry of an offset that is within the table.  The product is less
// than one entry off.
__device__ __forceinline__ uint64_t
wa_lookup_entry_of(const WaLookup &table, uint64_t offset)
{
	const uint64_t step =
		(uint64_t) (int64_t) ((double) (int64_t) offset * table.inverse);
	const int64_t rest = (int64_t) (offset - step * table.width);

	return step - (rest < 0) + (rest >= (int64_t) table.width);
}

// Stores the value at x in *value, something where there is none; returns what is known
// there, a WaEntryState.
__device__ __forceinline__ uint8_t
wa_lookup_find(const WaLookup &table, int64_t x, int64_t *value)
{
	const uint64_t offset = (uint64_t) x - table.base;
	const bool inside = offset < table.span;
	const uint64_t step = wa_lookup_entry_of(table, inside ? offset : 0);

	*value = __ldg(table.values + step);
	return inside ? __ldg(table.known + step) : table.beyond;
}

#endif // WA_CUDA_PROGRAM_LOOKUP_CUH
