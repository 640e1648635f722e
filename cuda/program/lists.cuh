//
// lists.cuh
//		Instructions that search the lists of a program, or look its tables up.
//
#ifndef WA_CUDA_PROGRAM_LISTS_CUH
#define WA_CUDA_PROGRAM_LISTS_CUH

#include "program/result.cuh"
#include "program/step.cuh"

// Lists up to this long are searched value by value.
constexpr unsigned kShortList = 16;

// Tells which rows are in the list of an IN.
template <typename Code>
__device__ __forceinline__ void
wa_program_in(const Code &code, const WaProgramOp &op, const WaRowValues &a,
			  WaProgramResult &result)
{
	const int64_t *list = code.lists + op.list;
	const unsigned nvalues = op.list_values;

	if (nvalues > kShortList)
	{
		wa_program_test(a, a, result,
						[=](int64_t x, int64_t)
						{ return wa_row_in_list(x, list, nvalues); });
		return;
	}
	for (unsigned k = 0; k < nvalues; k++)
	{
		const int64_t value = __ldg(list + k);

		wa_program_test(a, a, result,
						[=](int64_t x, int64_t) { return x == value; });
	}
}

// Looks rows up in a table.
template <typename Code>
__device__ __forceinline__ void
wa_program_look_up(const Code &code, const WaProgramOp &op,
				   const WaRowValues &a, WaProgramResult &result)
{
	const int64_t *values = code.lists + op.list;
	const WaStepTable table = wa_step_table(
		op.factor_a, (uint64_t) op.factor_b, op.list_values, values,
		reinterpret_cast<const uint8_t *>(values + op.list_values));

	wa_program_each(a, a, result,
					[=](int64_t x, int64_t, int64_t *out)
					{ return wa_step_traps(table, x, out); });
}

#endif // WA_CUDA_PROGRAM_LISTS_CUH
