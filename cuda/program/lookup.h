//
// lookup.h
//		Look-up tables (core/lookup_table.h) in device memory.
//
#ifndef WA_CUDA_PROGRAM_LOOKUP_H
#define WA_CUDA_PROGRAM_LOOKUP_H

#include <cuda_runtime.h>

#include "core/lookup_table.h"

// A table of one of three forms; the pointers of the others are NULL.
struct __align__(16) WaLookup
{
	uint64_t base; // the first number of entry 0
	uint64_t width;
	uint64_t span;   // numbers of all entries; of slots, their number - 1
	double inverse;  // of the width
	uint64_t beyond; // WaEntryState, of numbers that have no entry
	const int64_t *values;
	const uint8_t *known;
	const int32_t *narrow;
	const WaLookupSlot *slots; // aligned to 16 bytes
};

// Returns the table that a host's table is, or what is known of it but for its entries.
WaLookup wa_lookup_of(const WaLookupTable *table);

// Returns the bytes of a table's entries, or slots, and of its bits, of which entries are
// made.
size_t wa_lookup_bytes(const WaLookupTable *table);

// Starts to copy the entries of a host's table to device memory of so many bytes, aligned
// to 16, or its bits and what makes entries of these; *lookup is the table that is there when
// the stream has come past that.
cudaError_t wa_lookup_send(const WaLookupTable *table, void *d_memory,
						   cudaStream_t stream, WaLookup *lookup);

#endif // WA_CUDA_PROGRAM_LOOKUP_H
