//
// wide.cuh
//		Instructions over DECIMALs of up to 38 digits, and the storing of these:
//		the units of programs that are wide.
//
#ifndef WA_CUDA_PROGRAM_WIDE_CUH
#define WA_CUDA_PROGRAM_WIDE_CUH

#include "program/kernel.cuh"
#include "program/wide_load.cuh"

// Computes a row of an instruction; *out of a comparison is 0 or 1.  Returns false
// if it traps.
__device__ __forceinline__ bool
wa_wide_compute(const WaProgramOp &op, WaWideRow a, WaWideRow b, WaWideRow *out)
{
	int order;

	*out = a;
	switch (op.code)
	{
		case WA_CODE_DECIMAL_SUBTRACT:
			b.value = -b.value;
			return wa_wide_add(a, b, out);
		case WA_CODE_DECIMAL_ADD:
			return wa_wide_add(a, b, out);
		case WA_CODE_DECIMAL_MULTIPLY:
			return wa_wide_multiply(a, b, out);
		case WA_CODE_DECIMAL_DIVIDE:
			return wa_wide_quotient(a, b, out);
		case WA_CODE_DECIMAL_REMAINDER:
			return wa_wide_remainder(a, b, out);
		case WA_CODE_DECIMAL_DIVIDE_WHOLE:
			return wa_wide_whole_quotient(a, b, out);
		case WA_CODE_DECIMAL_FLOOR_DIVIDE:
			return wa_wide_floor_quotient(a, b, out);
		case WA_CODE_DECIMAL_NEGATE:
			out->value = -a.value;
			return true;
		case WA_CODE_DECIMAL_ABS:
			out->value = a.value < 0 ? -a.value : a.value;
			return true;
		case WA_CODE_DECIMAL_FLOOR:
			*out = wa_wide_cut_off(a, -1);
			return true;
		case WA_CODE_DECIMAL_CEIL:
			*out = wa_wide_cut_off(a, 1);
			return true;
		case WA_CODE_DECIMAL_ROUND:
			return wa_wide_round(a, (int) op.factor_a, (int) op.factor_b, out);
		case WA_CODE_DECIMAL_TO_INT:
			return wa_wide_to_int(a, op.bytes, out);
		case WA_CODE_DECIMAL_TO_FLOAT:
			return wa_wide_to_float(a, op.bytes, out);
		case WA_CODE_COMPARE_DECIMAL:
			order = wa_wide_compare(a, b);
			out->value =
				(op.is_order ? order < 0 : order == 0) != op.is_negated;
			return true;
		default: // SELECT has chosen a
			return true;
	}
}

// What the rows of a thread come to.
struct WaWideResult
{
	uint64_t digits;
	unsigned truth;
	unsigned traps;
};

// Computes the rows of an instruction and stores their values.  All arguments of a
// row are read before its result is stored, maybe in their slots.
template <typename Code>
__device__ __forceinline__ WaWideResult
wa_wide_compute_rows(const Code &code, const WaProgramOp &op,
					 const WaProgramThread &thread, unsigned wanted,
					 unsigned chosen)
{
	const uint64_t digits_a = wa_program_display(code, op.a, thread, wanted);
	const uint64_t digits_b = wa_program_display(code, op.b, thread, wanted);
	WaWideResult result = {0, 0, 0};

#pragma unroll 1
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		WaWideRow a;
		WaWideRow b = {0, 0};
		WaWideRow row;

		if (!wa_has_row(wanted, i))
			continue;
		if (wa_has_row(chosen, i))
			a = wa_wide_row(code, op.a, thread, digits_a, i);
		else
			a = wa_wide_row(code, op.b, thread, digits_b, i);
		if (op.b.place != WA_PLACE_NONE)
			b = wa_wide_row(code, op.b, thread, digits_b, i);
		if (!wa_wide_compute(op, a, b, &row))
		{
			result.traps |= 1u << i;
			continue;
		}
		result.truth |= (unsigned) (row.value != 0) << i;
		result.digits |= (uint64_t) row.scale << 8 * i;
		if (op.gives_values)
			wa_wide_keep(op.out, thread, i, row.value);
	}
	return result;
}

// Runs an instruction.
template <typename Code>
__device__ __forceinline__ void
wa_wide_execute(const Code &code, const WaProgramOp &op,
				WaProgramThread &thread)
{
	const unsigned flags_a = wa_program_flags(code, op.a, thread);
	const unsigned flags_b = wa_program_flags(code, op.b, thread);
	const bool is_select = op.code == WA_CODE_SELECT;
	const unsigned chosen =
		is_select ? wa_true_rows(wa_program_flags(code, op.c, thread))
				  : kAllRows;
	const unsigned valid = (is_select ? (flags_a & chosen) | (flags_b & ~chosen)
									  : flags_a & flags_b) &
						   kAllRows;
	const WaWideResult result =
		wa_wide_compute_rows(code, op, thread, thread.live & valid, chosen);

	thread.traps |= result.traps;
	wa_program_flag_slot(thread, op.out.number) = valid | (result.truth & valid)
															  << kThreadRows;
	if (op.out.mixed)
		wa_program_display_slot(thread, op.out.display) = result.digits;
}

// Stores a row of an output; returns false if it traps.
__device__ __forceinline__ bool
wa_wide_store_row(const WaProgramTarget &target, unsigned place, WaWideRow row)
{
	// 0 is the same in all units.
	if (row.value == 0)
		row.scale = target.scale;
	if (row.scale > target.scale ||
		!wa_wide_raise(&row.value, (unsigned) (target.scale - row.scale)))
		return false;
	static_cast<WaInt128 *>(target.values)[place] = wa_int128_make(row.value);
	return wa_magnitude_of(row.value) >> target.bits == 0;
}

// Stores the wanted rows of an output, and the most digits that one is shown with.  A
// row that another output had no room for counts, so that with these digits all have.
template <typename Code>
__device__ __forceinline__ void
wa_wide_store_rows(const Code &code, const WaProgramTarget &target,
				   uint32_t *most_digits, WaProgramThread &thread,
				   unsigned wanted)
{
	const uint64_t digits =
		wa_program_display(code, target.from, thread, wanted);
	int most = 0;

#pragma unroll 1
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		WaWideRow row;

		if (!wa_has_row(wanted & thread.sound, i))
			continue;
		row = wa_wide_row(code, target.from, thread, digits, i);
		most = max(most, row.value != 0 ? row.scale : 0);
		thread.traps |= (unsigned) !wa_wide_store_row(
							target, thread.row + i * kWarpLanes, row)
						<< i;
	}
	// It only grows; few threads find more than is there.
	if ((unsigned) most > *static_cast<volatile uint32_t *>(most_digits))
		atomicMax(most_digits, (uint32_t) most);
}

// The units of programs that are wide: those of others, and these.
struct WaWideUnits
{
	template <typename Code>
	__device__ __forceinline__ static void
	execute(const Code &code, const WaProgramOp &op, WaProgramThread &thread)
	{
		if (op.unit != WA_UNIT_WIDE)
			wa_program_execute(code, op, thread);
		else if (op.code == WA_CODE_INT_TO_DECIMAL)
			wa_wide_copy(code, op, thread);
		else
			wa_wide_execute(code, op, thread);
	}

	template <typename Code>
	__device__ __forceinline__ static void
	store(const Code &code, const WaProgramRun &run, unsigned target,
		  WaProgramThread &thread, unsigned wanted)
	{
		if (code.targets[target].form == WA_COLUMN_I128)
			wa_wide_store_rows(code, code.targets[target], run.digits + target,
							   thread, wanted);
		else
			wa_program_store_values(code, code.targets[target], thread, wanted);
	}
};

#endif // WA_CUDA_PROGRAM_WIDE_CUH
