//
// signs.cuh
//		Which zeros a column of floats has.
//
#ifndef WA_CUDA_QUERY_SIGNS_CUH
#define WA_CUDA_QUERY_SIGNS_CUH

#include "core/batch.h"
#include "query/work.h"

// What there may be.
constexpr uint32_t kPlusZero = 1;
constexpr uint32_t kMinusZero = 2;

// What the kernel takes.
struct WaQuerySigns
{
	const void *values;
	const uint64_t *selection;
	const uint64_t *validity; // NULL: all rows are valid
	uint32_t nrows;
	uint32_t *signs; // 0 at first
};

// Adds what there is in selected rows to *signs.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_signs_kernel(const WaQuerySigns args)
{
	const Value *values = static_cast<const Value *>(args.values);
	uint32_t signs = 0;

	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
		if (wa_row_is_valid(args.selection, row) &&
			wa_row_is_valid(args.validity, row) && values[row] == 0)
			signs |= 1 / values[row] < 0 ? kMinusZero : kPlusZero;
	if (signs != 0)
		atomicOr(args.signs, signs);
}

#endif // WA_CUDA_QUERY_SIGNS_CUH
