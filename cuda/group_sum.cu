//
// group_sum.cu
//		The sum of each group; see group/reduction.h.
//
#include "group/reduction.cuh"

WaGroupReduction
wa_group_sum(WaStorage storage)
{
	return wa_group_reduction_of<WA_OP_SUM>(storage);
}
