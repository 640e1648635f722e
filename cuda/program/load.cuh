//
// load.cuh
//		Fetching operands: from columns in device memory, from constants and
//		from slots.
//
// Of a column only rows are read that are asked for.  Where WHERE leaves few,
// most of the memory's sectors are never touched.
//
#ifndef WA_CUDA_PROGRAM_LOAD_CUH
#define WA_CUDA_PROGRAM_LOAD_CUH

#include <type_traits>

#include "program/rows.cuh"

// Returns the thread's bits of a bitmap.
__device__ __forceinline__ unsigned
wa_program_bits(const uint64_t *bitmap, const WaProgramThread &thread)
{
	const unsigned lane = wa_warp_lane();
	const unsigned word = (thread.row - lane) / 64;
	const unsigned nwords = (thread.nrows + 63) / 64;
	unsigned bits = 0;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows / 2; i++)
	{
		const uint64_t both = word + i < nwords ? __ldg(bitmap + word + i) : 0;
		const uint32_t low = (uint32_t) both;
		const uint32_t high = (uint32_t) (both >> 32);

		bits |= (low >> lane & 1) << 2 * i | (high >> lane & 1) << (2 * i + 1);
	}
	return bits;
}

// Fetches the flags of a column.
__device__ __forceinline__ unsigned
wa_program_column_flags(const WaProgramSource &column,
						const WaProgramThread &thread)
{
	unsigned valid = kAllRows;

	if (column.validity != NULL)
		valid = wa_program_bits(column.validity, thread);
	if (column.form == WA_COLUMN_BITS)
		valid |= (wa_program_bits(static_cast<const uint64_t *>(column.values),
								  thread) &
				  valid)
				 << kThreadRows;
	return valid;
}

// Fetches the flags of an operand; of none, as if it were never NULL.
template <typename Code>
__device__ __forceinline__ unsigned
wa_program_flags(const Code &code, const WaProgramOperand &operand,
				 const WaProgramThread &thread)
{
	switch (operand.place)
	{
		case WA_PLACE_SLOT:
			return wa_program_flag_slot(thread, operand.number);
		case WA_PLACE_CONSTANT:
			return code.constants[operand.number].flags;
		case WA_PLACE_COLUMN:
			return wa_program_column_flags(code.columns[operand.number],
										   thread);
		default:
			return kAllRows;
	}
}

// Loads the wanted rows of a column; the others become 0.
template <typename Stored>
__device__ __forceinline__ void
wa_program_load_rows(const WaProgramSource &column,
					 const WaProgramThread &thread, unsigned wanted,
					 WaRowValues &rows)
{
	const Stored *from =
		static_cast<const Stored *>(column.values) + thread.row;
	Stored stored[kThreadRows];

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		stored[i] =
			wa_has_row(wanted, i) ? __ldcs(from + i * kWarpLanes) : Stored(0);
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		rows.value[i] = std::is_floating_point<Stored>::value
							? wa_bits_of((double) stored[i])
							: (int64_t) stored[i];
}

// Fetches the values of the wanted rows of a column.
__device__ __forceinline__ void
wa_program_column_values(const WaProgramSource &column,
						 const WaProgramThread &thread, unsigned wanted,
						 WaRowValues &rows)
{
	switch (column.form)
	{
		case WA_COLUMN_I16:
			wa_program_load_rows<int16_t>(column, thread, wanted, rows);
			break;
		case WA_COLUMN_I32:
			wa_program_load_rows<int32_t>(column, thread, wanted, rows);
			break;
		case WA_COLUMN_U32:
			wa_program_load_rows<uint32_t>(column, thread, wanted, rows);
			break;
		case WA_COLUMN_F32:
			wa_program_load_rows<float>(column, thread, wanted, rows);
			break;
		case WA_COLUMN_F64:
			wa_program_load_rows<double>(column, thread, wanted, rows);
			break;
		default:
			wa_program_load_rows<int64_t>(column, thread, wanted, rows);
			break;
	}
}

// Fetches the values of an operand, of the wanted rows at least.
template <typename Code>
__device__ __forceinline__ void
wa_program_values(const Code &code, const WaProgramOperand &operand,
				  const WaProgramThread &thread, unsigned wanted,
				  WaRowValues &rows)
{
	const int64_t *slot = wa_program_value_slot(thread, operand.values);

	switch (operand.place)
	{
		case WA_PLACE_SLOT:
#pragma unroll
			for (unsigned i = 0; i < kThreadRows; i++)
				rows.value[i] = slot[i * kProgramThreads];
			break;
		case WA_PLACE_COLUMN:
			wa_program_column_values(code.columns[operand.number], thread,
									 wanted, rows);
			break;
		default:
#pragma unroll
			for (unsigned i = 0; i < kThreadRows; i++)
				rows.value[i] = code.constants[operand.number].value;
			break;
	}
}

// Returns the digits that the wanted rows of a DECIMAL are shown with, a byte a
// row.
template <typename Code>
__device__ __forceinline__ uint64_t
wa_program_display(const Code &code, const WaProgramOperand &operand,
				   const WaProgramThread &thread, unsigned wanted)
{
	uint64_t digits = 0;

	if (!operand.mixed)
		return operand.display * UINT64_C(0x0101010101010101);
	if (operand.place == WA_PLACE_SLOT)
		return wa_program_display_slot(thread, operand.display);
#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		if (wa_has_row(wanted, i))
			digits |= (uint64_t) code.columns[operand.number]
						  .display[thread.row + i * kWarpLanes]
					  << 8 * i;
	return digits;
}

// Has the values of a strip to come brought to the second-level cache: of wide ones
// the first half.
__device__ __forceinline__ void
wa_program_prefetch(const WaProgramSource &column, unsigned strip_row,
					unsigned nrows)
{
#ifdef __CUDA_ARCH__
	constexpr unsigned kLineBytes = 128;
	const unsigned char *values =
		static_cast<const unsigned char *>(column.values);
	const unsigned width =
		column.form == WA_COLUMN_I16                                   ? 2
		: column.form == WA_COLUMN_I128                                ? 16
		: column.form == WA_COLUMN_I64 || column.form == WA_COLUMN_F64 ? 8
																	   : 4;
	const size_t begin = (size_t) strip_row * width;
	const size_t end = (size_t) nrows * width;
	const size_t at = begin + wa_warp_lane() * kLineBytes;

	if (column.form != WA_COLUMN_BITS && at < begin + kStripRows * width &&
		at < end)
		asm volatile("prefetch.global.L2 [%0];" ::"l"(values + at));
#else
	(void) column;
	(void) strip_row;
	(void) nrows;
#endif
}

#endif // WA_CUDA_PROGRAM_LOAD_CUH
