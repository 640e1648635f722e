//
// store.cuh
//		Bringing the outputs of a strip to device memory.
//
#ifndef WA_CUDA_PROGRAM_STORE_CUH
#define WA_CUDA_PROGRAM_STORE_CUH

#include "program/load.cuh"
#include "program/run.h"

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

// Stores the wanted rows in a type.  Those that do not fit trap.
template <typename Stored>
__device__ __forceinline__ void
wa_program_store_rows(void *values, WaProgramThread &thread, unsigned wanted,
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

// Stores the wanted rows of an output of up to 64 bits.
template <typename Code>
__device__ __forceinline__ void
wa_program_store_values(const Code &code, const WaProgramTarget &target,
						WaProgramThread &thread, unsigned wanted)
{
	WaRowValues rows;

	wa_program_values(code, target.from, thread, wanted, rows);
	if (target.form == WA_COLUMN_I32)
		wa_program_store_rows<int32_t>(target.values, thread, wanted, rows);
	else
		wa_program_store_rows<int64_t>(target.values, thread, wanted, rows);
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

// Stores an output of a strip, by units (program/kernel.cuh).  All lanes call it
// together.
template <typename Units, typename Code>
__device__ __forceinline__ void
wa_program_store(const Code &code, const WaProgramRun &run, unsigned number,
				 WaProgramThread &thread)
{
	const WaProgramTarget &target = code.targets[number];
	const unsigned flags = wa_program_flags(code, target.from, thread);
	unsigned wanted = thread.live & flags;

	if (target.filter.place != WA_PLACE_NONE)
		wanted &= wa_true_rows(wa_program_flags(code, target.filter, thread));
	if (target.values != NULL && target.form == WA_COLUMN_BITS)
		wa_program_store_bits(static_cast<uint64_t *>(target.values), thread,
							  wanted & wa_true_rows(flags));
	else if (target.values != NULL)
		Units::store(code, run, number, thread, wanted);
	if (target.display != NULL)
		wa_program_store_display(code, target, thread, wanted);
	wa_program_store_bits(target.validity, thread, wanted);
}

#endif // WA_CUDA_PROGRAM_STORE_CUH
