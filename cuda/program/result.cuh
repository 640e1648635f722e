//
// result.cuh
//		What instructions compute of the rows of a thread, and how they go through
//		these.
//
#ifndef WA_CUDA_PROGRAM_RESULT_CUH
#define WA_CUDA_PROGRAM_RESULT_CUH

#include "program/arithmetic.cuh"
#include "program/load.cuh"

// What an instruction computes of a thread's rows.
struct WaProgramResult
{
	WaRowValues rows;
	unsigned valid;
	unsigned truth; // BOOL
	unsigned traps;
};

// Computes rows of two arguments; compute(a, b, &out) tells whether a row traps.
template <typename Compute>
__device__ __forceinline__ void
wa_program_each(const WaRowValues &a, const WaRowValues &b,
				WaProgramResult &result, Compute compute)
{
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		result.traps |=
			(unsigned) compute(a.value[i], b.value[i], &result.rows.value[i])
			<< i;
}

// The same of floats.
template <typename Compute>
__device__ __forceinline__ void
wa_program_each_float(const WaRowValues &a, const WaRowValues &b,
					  WaProgramResult &result, Compute compute)
{
	wa_program_each(a, b, result,
					[=](int64_t x, int64_t y, int64_t *out)
					{
						double number;
						const bool traps =
							compute(wa_float_of(x), wa_float_of(y), &number);

						*out = wa_bits_of(number);
						return traps;
					});
}

// Tests rows: holds(a, b).
template <typename Holds>
__device__ __forceinline__ void
wa_program_test(const WaRowValues &a, const WaRowValues &b,
				WaProgramResult &result, Holds holds)
{
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		result.truth |= (unsigned) holds(a.value[i], b.value[i]) << i;
}

#endif // WA_CUDA_PROGRAM_RESULT_CUH
