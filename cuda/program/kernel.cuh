//
// kernel.cuh
//		The kernel that runs query programs, by the units that it has: those of
//		narrow.cuh, or of wide.cuh.
//
#ifndef WA_CUDA_PROGRAM_KERNEL_CUH
#define WA_CUDA_PROGRAM_KERNEL_CUH

#include "block/shared.cuh"
#include "program/execute.cuh"
#include "program/store.cuh"

// The units of programs that are not wide.
struct WaNarrowUnits
{
	template <typename Code>
	__device__ __forceinline__ static void
	execute(const Code &code, const WaProgramOp &op, WaProgramThread &thread)
	{
		wa_program_execute(code, op, thread);
	}

	template <typename Code>
	__device__ __forceinline__ static void
	store(const Code &code, const WaProgramRun &, unsigned target,
		  WaProgramThread &thread, unsigned wanted)
	{
		wa_program_store_values(code, code.targets[target], thread, wanted);
	}
};

// Returns the mask of the thread's rows that exist.
__device__ __forceinline__ unsigned
wa_program_existing_rows(const WaProgramThread &thread)
{
	unsigned mask = 0;

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		mask |= (unsigned) (thread.row + i * kWarpLanes < thread.nrows) << i;
	return mask;
}

// Runs the instructions over a strip.  Tells whether the warp has rows left.
template <typename Units, typename Code>
__device__ __forceinline__ bool
wa_program_compute(const Code &code, WaProgramThread &thread)
{
	for (unsigned i = 0; i < code.counts.nops; i++)
	{
		const WaProgramOp &op = code.ops[i];

		if (op.unit != WA_UNIT_KEEP)
		{
			Units::execute(code, op, thread);
			continue;
		}
		thread.live &= wa_true_rows(wa_program_flags(code, op.a, thread));
		if (__ballot_sync(kFullMask, thread.live != 0) == 0)
			return false;
	}
	return true;
}

// Runs the program over a strip: all lanes of a warp call it together.
template <typename Units, typename Code>
__device__ __forceinline__ void
wa_program_strip(const Code &code, const WaProgramRun &run, unsigned strip,
				 WaProgramThread &thread)
{
	constexpr unsigned kTileStrips = WA_PROGRAM_TILE_ROWS / kStripRows;
	bool any;

	thread.row = strip * kStripRows + wa_warp_lane();
	thread.live = wa_program_existing_rows(thread);
	thread.traps = 0;
	any = wa_program_compute<Units>(code, thread);
	thread.sound = ~thread.traps;
	for (unsigned i = 0; i < code.counts.ntargets; i++)
		if (any)
			wa_program_store<Units>(code, run, i, thread);
		else
			wa_program_store_bits(code.targets[i].validity, thread, 0);
	if (run.selection != NULL)
		wa_program_store_bits(run.selection, thread, thread.live);
	if (__ballot_sync(kFullMask, thread.traps != 0) != 0 && wa_warp_lane() == 0)
	{
		const unsigned tile = strip / kTileStrips;

		atomicOr(&run.traps[tile / 32], 1u << tile % 32);
	}
}

// Returns a block's memory for slots: dynamic shared memory, or, of code that is long,
// other memory.
__device__ __forceinline__ unsigned char *
wa_program_block_slots(const WaProgramCode &)
{
	return &wa_block_shared<unsigned char>();
}

__device__ __forceinline__ unsigned char *
wa_program_block_slots(const WaProgramLongCode &code)
{
	if (code.slots != NULL)
		return code.slots + blockIdx.x * code.slot_bytes;
	return &wa_block_shared<unsigned char>();
}

// Runs a program over the strips of a block.
template <typename Units, typename Code>
__device__ __forceinline__ void
wa_program_block(const Code &code, const WaProgramRun &run)
{
	constexpr unsigned kBlockWarps = kProgramThreads / kWarpLanes;
	const unsigned strips = (run.nrows + kStripRows - 1) / kStripRows;
	const unsigned first = blockIdx.x * run.block_strips;
	const unsigned end = min(first + run.block_strips, strips);
	WaProgramThread thread;

	thread.nrows = run.nrows;
	wa_program_place_slots(code.counts, wa_program_block_slots(code), thread);
	for (unsigned strip = first + threadIdx.x / kWarpLanes; strip < end;
		 strip += kBlockWarps)
	{
		if (strip + kBlockWarps < end)
			for (unsigned i = 0; i < code.counts.nfirst; i++)
				wa_program_prefetch(code.columns[code.first[i]],
									(strip + kBlockWarps) * kStripRows,
									run.nrows);
		wa_program_strip<Units>(code, run, strip, thread);
	}
}

#endif // WA_CUDA_PROGRAM_KERNEL_CUH
