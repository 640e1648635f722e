//
// shape.h
//		The instructions that kernels have.
//
#ifndef WA_CUDA_PROGRAM_SHAPE_H
#define WA_CUDA_PROGRAM_SHAPE_H

#include "program/code.h"

// What an instruction is: the unit that runs it, and the kinds of its arguments
// and its result (i f d b, * for any).
struct WaProgramShape
{
	WaProgramUnit unit;
	const char *kinds;
};

// Returns what an instruction is; the unit is WA_UNIT_NONE if kernels do not
// have it.
WaProgramShape wa_program_shape(uint16_t code);

#endif // WA_CUDA_PROGRAM_SHAPE_H
