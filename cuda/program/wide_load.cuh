//
// wide_load.cuh
//		Fetching the DECIMALs of programs that are wide, and bringing columns of
//		them to slots.
//
// Where rows are shown with different numbers of digits, a slot has each in units
// of what it is shown with; else all are in units of the operand's digits.  Columns
// are brought to slots first, with all loads of a thread under way together; then
// instructions take row by row.
//
#ifndef WA_CUDA_PROGRAM_WIDE_LOAD_CUH
#define WA_CUDA_PROGRAM_WIDE_LOAD_CUH

#include "program/load.cuh"
#include "program/wide_rows.cuh"

// Returns a row of an operand that is no column; digits: those it is shown with.
template <typename Code>
__device__ __forceinline__ WaWideRow
wa_wide_row(const Code &code, const WaProgramOperand &operand,
			const WaProgramThread &thread, uint64_t digits, unsigned i)
{
	const unsigned place = i * kProgramThreads;
	const int scale = (int) (digits >> 8 * i & 255);
	WaInt128 both;

	if (operand.place != WA_PLACE_SLOT)
		both.lo = (uint64_t) code.constants[operand.number].value;
	else
		both.lo =
			(uint64_t) wa_program_value_slot(thread, operand.values)[place];
	both.hi = (int64_t) both.lo < 0 ? -1 : 0;
	if (operand.wide && operand.place != WA_PLACE_SLOT)
		both.hi = code.constants[operand.number + 1].value;
	else if (operand.wide)
		both.hi = wa_program_value_slot(thread, operand.values + 1)[place];
	return {wa_int128_get(both), scale};
}

// Stores a row's value in a slot.
__device__ __forceinline__ void
wa_wide_keep(const WaProgramOperand &operand, const WaProgramThread &thread,
			 unsigned i, __int128 value)
{
	const unsigned place = i * kProgramThreads;

	wa_program_value_slot(thread, operand.values)[place] = (int64_t) value;
	if (operand.wide)
		wa_program_value_slot(thread, operand.values + 1)[place] =
			(int64_t) (value >> 64);
}

// Fetches the wanted rows of a column of 128 bits to its slots.
__device__ __forceinline__ void
wa_wide_fetch_wide(const WaProgramSource &column,
				   const WaProgramOperand &operand,
				   const WaProgramThread &thread, unsigned wanted)
{
	const longlong2 *from =
		static_cast<const longlong2 *>(column.values) + thread.row;
	longlong2 stored[kThreadRows];

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		stored[i] = wa_has_row(wanted, i) ? __ldcs(from + i * kWarpLanes)
										  : longlong2{0, 0};
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		const unsigned place = i * kProgramThreads;

		wa_program_value_slot(thread, operand.values)[place] = stored[i].x;
		wa_program_value_slot(thread, operand.values + 1)[place] = stored[i].y;
	}
}

// Takes from the wanted rows of a column, in its slots, the digits that they are not
// shown with.  These are zeros, or the row traps.
template <typename Code>
__device__ __forceinline__ void
wa_wide_shorten(const Code &code, const WaProgramSource &column,
				const WaProgramOperand &operand, WaProgramThread &thread,
				unsigned wanted, uint64_t digits)
{
#pragma unroll 1
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		const WaWideRow row = wa_wide_row(code, operand, thread, digits, i);
		__int128 rest;

		if (!wa_has_row(wanted, i) || row.scale >= column.scale)
			continue;
		wa_wide_keep(operand, thread, i,
					 wa_wide_divide(row.value,
									(__int128) wa_magnitude_power(
										(unsigned) (column.scale - row.scale)),
									&rest));
		thread.traps |= (unsigned) (rest != 0) << i;
	}
}

// Brings a column to its slots.
template <typename Code>
__device__ __forceinline__ void
wa_wide_copy(const Code &code, const WaProgramOp &op, WaProgramThread &thread)
{
	const WaProgramSource &column = code.columns[op.a.number];
	const unsigned flags = wa_program_flags(code, op.a, thread);
	const unsigned wanted = thread.live & flags;

	if (op.out.wide)
		wa_wide_fetch_wide(column, op.out, thread, wanted);
	else
	{
		WaRowValues rows;

		wa_program_column_values(column, thread, wanted, rows);
		wa_program_keep_values(thread, op.out.values, rows);
	}
	wa_program_flag_slot(thread, op.out.number) = flags & kAllRows;
	if (!op.a.mixed)
		return;
	wa_program_display_slot(thread, op.out.display) =
		wa_program_display(code, op.a, thread, wanted);
	wa_wide_shorten(code, column, op.out, thread, wanted,
					wa_program_display_slot(thread, op.out.display));
}

#endif // WA_CUDA_PROGRAM_WIDE_LOAD_CUH
