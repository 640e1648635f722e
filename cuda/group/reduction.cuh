//
// reduction.cuh
//		Gathers the kernels of a grouped reduction.
//
#ifndef WA_CUDA_GROUP_REDUCTION_CUH
#define WA_CUDA_GROUP_REDUCTION_CUH

#include "group/bits.cuh"
#include "group/extreme_wide.cuh"
#include "group/kernel.cuh"
#include "group/reduction.h"
#include "group/sample.cuh"
#include "group/special.cuh"
#include "group/sum.cuh"

// Returns the kernels of an operation.
template <typename Operation>
WaGroupKernels
wa_group_kernels()
{
	return {
		{wa_group_kernel<Operation, false>, wa_group_kernel<Operation, true>}};
}

// Returns how values of one storage are reduced.
template <WaOp kOp, WaStorage kStorage>
WaGroupReduction
wa_group_reduction()
{
	using Operation = typename WaGroupOperation<kOp, kStorage>::Type;
	using Value = typename Operation::Value;
	WaGroupReduction reduction = {};

	reduction.first = wa_group_kernels<Operation>();
	reduction.words = Operation::kWords + 1;
	reduction.wide = Operation::kWide;
	reduction.narrow = Operation::kNarrow;
	if constexpr ((kOp == WA_OP_MIN || kOp == WA_OP_MAX) && kStorage == WA_I128)
		reduction.second = wa_group_kernels<WaGroupExtremeLow<kOp>>();
	if constexpr ((kOp == WA_OP_SUM || kOp == WA_OP_SQUARES) &&
				  std::is_floating_point<Value>::value)
	{
		reduction.sample = wa_group_sample_kernel<Value>;
		reduction.range = WaGroupShape<kOp, Value>::kRange;
		reduction.unit = WaGroupFloat<Value>::kUnit;
		if constexpr (kOp == WA_OP_SUM)
			reduction.special = wa_group_kernels<WaGroupSpecial<Value>>();
	}
	return reduction;
}

// Returns how values of a storage are reduced, as WA_REDUCTION_LIST has it; first
// is NULL if there is no way.
template <WaOp kOp>
WaGroupReduction
wa_group_reduction_of(WaStorage storage)
{
#define X(name, stored, accumulator)                       \
	if constexpr (WA_OP_##name == kOp)                     \
	{                                                      \
		if (storage == WA_##stored)                        \
			return wa_group_reduction<kOp, WA_##stored>(); \
	}
	WA_REDUCTION_LIST(X)
#undef X
	return {};
}

#endif // WA_CUDA_GROUP_REDUCTION_CUH
