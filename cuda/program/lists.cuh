//
// lists.cuh
//		Instructions that search the lists of a program, or look its tables up.
//
#ifndef WA_CUDA_PROGRAM_LISTS_CUH
#define WA_CUDA_PROGRAM_LISTS_CUH

#include "program/result.cuh"

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
	const uint8_t *known =
		reinterpret_cast<const uint8_t *>(values + op.list_values);
	const uint64_t base = (uint64_t) op.factor_a;
	const uint64_t width = (uint64_t) op.factor_b;
	const uint64_t span = width * op.list_values;
	const double inverse = 1.0 / (double) width;

	wa_program_each(a, a, result,
					[=](int64_t x, int64_t, int64_t *out)
					{
						const uint64_t offset = (uint64_t) x - base;
						const bool inside = offset < span;
						const uint64_t step =
							wa_row_step(inside ? offset : 0, width, inverse);

						*out = __ldg(values + step);
						return !inside || __ldg(known + step) == 0;
					});
}

#endif // WA_CUDA_PROGRAM_LISTS_CUH
