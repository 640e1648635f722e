//
// column.h
//		The kernels that reduce one column.  Those of integers and of floats are
//		compiled by themselves, since they are many.
//
#ifndef WA_CUDA_GRID_COLUMN_H
#define WA_CUDA_GRID_COLUMN_H

#include "grid/args.cuh"

typedef void (*WaColumnKernel)(const WaColumnArgs column);

// A set of operations over a storage, and the kernels for it: without a bitmap
// and with one.
struct WaColumnEntry
{
	WaStorage storage;
	WaOpSet ops;
	WaColumnKernel kernels[2];
	size_t shared_bytes;
	bool is_ahead;
};

// Return the entry that serves operations over a storage, or NULL.
const WaColumnEntry *wa_column_integer_entry(WaStorage storage, WaOpSet ops);
const WaColumnEntry *wa_column_float_entry(WaStorage storage, WaOpSet ops);

#endif // WA_CUDA_GRID_COLUMN_H
