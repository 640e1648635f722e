//
// group_max.cu
//		The largest value of each group; see group/reduction.h.
//
#include "group/reduction.cuh"

WaGroupReduction
wa_group_max(WaStorage storage)
{
	return wa_group_reduction_of<WA_OP_MAX>(storage);
}
