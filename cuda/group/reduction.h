//
// reduction.h
//		How each grouped reduction is made: its kernels, and what they need.  The
//		kernels of an operation are compiled by themselves, since they are many.
//
#ifndef WA_CUDA_GROUP_REDUCTION_H
#define WA_CUDA_GROUP_REDUCTION_H

#include "group/args.cuh"

typedef void (*WaGroupKernel)(WaGroupArgs);

// A kernel for columns without and with a bitmap.
struct WaGroupKernels
{
	WaGroupKernel kernel[2];
};

// How a reduction is made.  What it does not need is NULL.
struct WaGroupReduction
{
	WaGroupKernels first;
	WaGroupKernels second;  // goes on where the first has ended
	WaGroupKernels special; // of the layer of special values
	WaGroupKernel sample;   // places the windows
	int range;              // of a window
	int unit;               // exponent of the number with exponent 0
	unsigned words;         // of a table entry
	unsigned wide;          // arrays of the result, as in WaGroupOperation
	unsigned narrow;
};

// Return how values of a storage are reduced; first is NULL if there is no way.
WaGroupReduction wa_group_sum(WaStorage storage);           // group_sum.cu
WaGroupReduction wa_group_squares(WaStorage storage);       // group_squares.cu
WaGroupReduction wa_group_min(WaStorage storage);           // group_min.cu
WaGroupReduction wa_group_max(WaStorage storage);           // group_max.cu
WaGroupReduction wa_group_bits(WaOp op, WaStorage storage); // group_bits.cu

#endif // WA_CUDA_GROUP_REDUCTION_H
