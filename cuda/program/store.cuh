//
// store.cuh
//		Bringing the outputs of a strip to device memory.
//
#ifndef WA_CUDA_PROGRAM_STORE_CUH
#define WA_CUDA_PROGRAM_STORE_CUH

#include "program/arithmetic.cuh"
#include "program/load.cuh"

// Stores the warp's bits in a bitmap.  All lanes call it together.  Bits of rows
// that do not exist are 0.
__device__ __forceinline__ void
wa_program_store_bits(uint64_t *bitmap, const WaProgramThread &thread,
					  unsigned bits)
{
	const unsigned lane = wa_warp_lane();
	const unsigned word = (thread.row - lane) / kWarpLanes + lane;
	uint32_t mine = 0;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
	{
		const uint32_t ballot =
			__ballot_sync(kFullMask, (int) wa_has_row(bits, i));

		if (lane == i)
			mine = ballot;
	}
	// A word of 64 bits is there as a whole.
	if (lane < kThreadRows && word < (thread.nrows + 63) / 64 * 2)
		reinterpret_cast<uint32_t *>(bitmap)[word] = mine;
}

// Stores integers in a type.  Those that do not fit trap.
template <typename Stored>
__device__ __forceinline__ void
wa_program_store_ints(void *values, WaProgramThread &thread, unsigned wanted,
					  const WaRowValues &rows)
{
	Stored *to = static_cast<Stored *>(values) + thread.row;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		if (wa_has_row(wanted, i))
		{
			to[i * kWarpLanes] = (Stored) rows.value[i];
			thread.traps |=
				(unsigned) ((int64_t) (Stored) rows.value[i] != rows.value[i])
				<< i;
		}
}

// The same of floats; NaN fits.
template <typename Stored>
__device__ __forceinline__ void
wa_program_store_floats(void *values, WaProgramThread &thread, unsigned wanted,
						const WaRowValues &rows)
{
	Stored *to = static_cast<Stored *>(values) + thread.row;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		if (wa_has_row(wanted, i))
		{
			const double number = wa_float_of(rows.value[i]);
			const Stored stored = (Stored) number;

			to[i * kWarpLanes] = stored;
			thread.traps |=
				(unsigned) !wa_row_floats_equal((double) stored, number) << i;
		}
}

// Stores the wanted rows in the form of an output.
__device__ __forceinline__ void
wa_program_store_values(const WaProgramTarget &target, WaProgramThread &thread,
						unsigned wanted, const WaRowValues &rows)
{
	switch (target.form)
	{
		case WA_COLUMN_I8:
			wa_program_store_ints<int8_t>(target.values, thread, wanted, rows);
			break;
		case WA_COLUMN_I16:
			wa_program_store_ints<int16_t>(target.values, thread, wanted, rows);
			break;
		case WA_COLUMN_I32:
			wa_program_store_ints<int32_t>(target.values, thread, wanted, rows);
			break;
		case WA_COLUMN_U32:
			wa_program_store_ints<uint32_t>(target.values, thread, wanted,
											rows);
			break;
		case WA_COLUMN_F32:
			wa_program_store_floats<float>(target.values, thread, wanted, rows);
			break;
		default: // WA_COLUMN_I64, WA_COLUMN_F64
			wa_program_store_ints<int64_t>(target.values, thread, wanted, rows);
			break;
	}
}

// Stores the digits that rows are shown with.
template <typename Code>
__device__ __forceinline__ void
wa_program_store_display(const Code &code, const WaProgramTarget &target,
						 const WaProgramThread &thread, unsigned wanted)
{
	const uint64_t digits =
		wa_program_display(code, target.from, thread, wanted);

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		if (wa_has_row(wanted, i))
			target.display[thread.row + i * kWarpLanes] =
				(int16_t) (digits >> 8 * i & 255);
}

// Stores an output of a strip.  All lanes call it together.
template <typename Code>
__device__ __forceinline__ void
wa_program_store(const Code &code, const WaProgramTarget &target,
				 WaProgramThread &thread)
{
	const unsigned flags = wa_program_flags(code, target.from, thread);
	unsigned wanted = thread.live & flags;
	WaRowValues rows = {};

	if (target.filter.place != WA_PLACE_NONE)
		wanted &= wa_true_rows(wa_program_flags(code, target.filter, thread));
	if (target.takes_values && target.values != NULL)
		wa_program_values(code, target.from, thread, wanted, rows);
	else
#pragma unroll
		for (unsigned i = 0; i < kThreadRows; i++)
			rows.value[i] = wa_has_row(wa_true_rows(flags), i);
	if (target.values != NULL && target.form == WA_COLUMN_BITS)
		wa_program_store_bits(static_cast<uint64_t *>(target.values), thread,
							  wanted & wa_true_rows(flags));
	else if (target.values != NULL)
		wa_program_store_values(target, thread, wanted, rows);
	if (target.display != NULL)
		wa_program_store_display(code, target, thread, wanted);
	if (target.validity != NULL)
		wa_program_store_bits(target.validity, thread, wanted);
}

// Stores that an output has nothing of a strip.  Likewise.
__device__ __forceinline__ void
wa_program_store_nothing(const WaProgramTarget &target,
						 const WaProgramThread &thread)
{
	if (target.validity != NULL)
		wa_program_store_bits(target.validity, thread, 0);
}

#endif // WA_CUDA_PROGRAM_STORE_CUH
