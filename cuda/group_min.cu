//
// group_min.cu
//		The smallest value of each group; see group/reduction.h.
//
#include "group/reduction.cuh"

WaGroupReduction
wa_group_min(WaStorage storage)
{
	return wa_group_reduction_of<WA_OP_MIN>(storage);
}
