//
// column.cuh
//		A kernel for each reduction of one column, and tables of them.
//
#ifndef WA_CUDA_GRID_COLUMN_CUH
#define WA_CUDA_GRID_COLUMN_CUH

#include "block/shared.cuh"
#include "grid/column.h"
#include "grid/list.cuh"
#include "grid/reduce.cuh"
#include "op/bits.cuh"
#include "op/exact_squares.cuh"
#include "op/exact_sum.cuh"
#include "op/extreme.cuh"
#include "op/squares.cuh"
#include "op/sum.cuh"

// Whether a reduction computes for so long that it loads ahead.
template <WaStorage kStorage, WaOpSet kOps>
constexpr bool kIsAhead = (kOps & WA_OP_BIT(WA_OP_SQUARES)) != 0 &&
						  (kStorage == WA_I64 || kStorage == WA_F32 ||
						   kStorage == WA_F64);

// Reduces a column.  column.blocks blocks of kBlockThreads threads;
// sizeof(WaReduction<kStorage, kOps>::Shared) of dynamic shared memory.  The
// result is deterministic: the same for any number of blocks.  The last block
// writes it.
template <WaStorage kStorage, WaOpSet kOps, bool kBitmap>
__global__ void
__launch_bounds__(kBlockThreads, (kResidentBlocks<kIsAhead<kStorage, kOps>>) )
	wa_column_kernel(const __grid_constant__ WaColumnArgs column)
{
	wa_reduce_column<kStorage, kOps, kBitmap, kIsAhead<kStorage, kOps>>(
		column,
		wa_block_shared<typename WaReduction<kStorage, kOps>::Shared>());
}

// What an entry consists of, for the lists of grid/list.cuh.
#define WA_COLUMN_ENTRY(storage, ops)                         \
	{WA_##storage,                                            \
	 WA_OPS_##ops,                                            \
	 {wa_column_kernel<WA_##storage, WA_OPS_##ops, false>,    \
	  wa_column_kernel<WA_##storage, WA_OPS_##ops, true>},    \
	 sizeof(WaReduction<WA_##storage, WA_OPS_##ops>::Shared), \
	 kIsAhead<WA_##storage, WA_OPS_##ops>},

// Returns the first entry of a table that serves operations over a storage, or
// NULL.
template <size_t kEntries>
const WaColumnEntry *
wa_column_find(const WaColumnEntry (&entries)[kEntries], WaStorage storage,
			   WaOpSet ops)
{
	for (const WaColumnEntry &entry : entries)
		if (entry.storage == storage && (ops & ~entry.ops) == 0)
			return &entry;
	return NULL;
}

#endif // WA_CUDA_GRID_COLUMN_CUH
