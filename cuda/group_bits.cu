//
// group_bits.cu
//		What AND, OR and XOR make of the bits of each group; see group/reduction.h.
//
#include "group/reduction.cuh"

WaGroupReduction
wa_group_bits(WaOp op, WaStorage storage)
{
	switch (op)
	{
		case WA_OP_BIT_AND:
			return wa_group_reduction_of<WA_OP_BIT_AND>(storage);
		case WA_OP_BIT_OR:
			return wa_group_reduction_of<WA_OP_BIT_OR>(storage);
		default:
			return wa_group_reduction_of<WA_OP_BIT_XOR>(storage);
	}
}
