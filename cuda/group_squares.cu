//
// group_squares.cu
//		The sum of squares of each group; see group/reduction.h.
//
#include "group/reduction.cuh"

WaGroupReduction
wa_group_squares(WaStorage storage)
{
	return wa_group_reduction_of<WA_OP_SQUARES>(storage);
}
