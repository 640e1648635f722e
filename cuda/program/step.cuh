//
// step.cuh
//		Looking a number up in a table of steps (core/steps.h).
//
#ifndef WA_CUDA_PROGRAM_STEP_CUH
#define WA_CUDA_PROGRAM_STEP_CUH

#include <stdint.h>

// A table in device memory.
struct WaStepTable
{
	uint64_t base; // the first number of step 0
	uint64_t width;
	uint64_t span; // numbers of all steps
	double inverse;
	const int64_t *values;
	const uint8_t *known;
};

__device__ __forceinline__ WaStepTable
wa_step_table(int64_t base, uint64_t width, uint64_t nsteps,
			  const int64_t *values, const uint8_t *known)
{
	return {(uint64_t) base,      width,  width * nsteps,
			1.0 / (double) width, values, known};
}

// Returns the step of an offset that is within the table.  The product is less
// than one step off.
__device__ __forceinline__ uint64_t
wa_step_of(const WaStepTable &table, uint64_t offset)
{
	const uint64_t step =
		(uint64_t) (int64_t) ((double) (int64_t) offset * table.inverse);
	const int64_t rest = (int64_t) (offset - step * table.width);

	return step - (rest < 0) + (rest >= (int64_t) table.width);
}

// Stores the value at x in *value, something where it is not known; tells whether it is
// not.
__device__ __forceinline__ bool
wa_step_traps(const WaStepTable &table, int64_t x, int64_t *value)
{
	const uint64_t offset = (uint64_t) x - table.base;
	const bool inside = offset < table.span;
	const uint64_t step = wa_step_of(table, inside ? offset : 0);

	*value = __ldg(table.values + step);
	return !inside || __ldg(table.known + step) == 0;
}

#endif // WA_CUDA_PROGRAM_STEP_CUH
