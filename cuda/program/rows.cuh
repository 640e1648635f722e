//
// rows.cuh
//		The rows of a thread, and the slots in which it keeps what programs
//		compute of them.
//
// A warp has a strip of kStripRows neighbouring rows, and of these each lane has
// every 32nd: what a warp loads or stores at a time lies side by side, and the
// ballot of a bit is a word of a bitmap.  No thread looks at another's slots, so
// that there is nothing to wait for.
//
// Bit i of a mask is the thread's row i.  The flags of an operand are a mask of
// the rows that are not NULL and, from bit kThreadRows on, one of those where a
// BOOL is true.  Of rows that are out of the game everything may be anything.
//
#ifndef WA_CUDA_PROGRAM_ROWS_CUH
#define WA_CUDA_PROGRAM_ROWS_CUH

#include <string.h>

#include "program/code.h"
#include "warp/shuffle.cuh"

constexpr unsigned kThreadRows = 8;
constexpr unsigned kStripRows = kThreadRows * kWarpLanes;
constexpr unsigned kAllRows = (1u << kThreadRows) - 1;
constexpr unsigned kAllTrue = kAllRows << kThreadRows;

// Warps have nothing to do with each other; small blocks share a
// multiprocessor's memory out best.  64 registers a thread.
constexpr unsigned kProgramThreads = 64;
constexpr unsigned kProgramBlocks = 16;

// Bytes of a block's slots: of values, of digits shown, and of flags.
constexpr size_t kValueSlotBytes =
	kProgramThreads * kThreadRows * sizeof(int64_t);
constexpr size_t kDisplaySlotBytes = kProgramThreads * sizeof(uint64_t);
constexpr size_t kFlagSlotBytes = kProgramThreads * sizeof(uint32_t);

// Values of a thread's rows: integers, or the bits of doubles.
struct WaRowValues
{
	int64_t value[kThreadRows];
};

// What a thread works on.
struct WaProgramThread
{
	int64_t *values; // slots, from the thread's own place on
	uint64_t *displays;
	uint32_t *flags;
	unsigned nrows; // of the columns
	unsigned row;   // the first of the thread; then every 32nd
	unsigned live;  // mask: the rows that WHERE has left so far
	unsigned traps; // mask: the rows that have trapped
	unsigned sound; // mask: the rows that had not when all was computed
};

// Sets a thread's slots up in the block's memory for slots.
__device__ __forceinline__ void
wa_program_place_slots(const WaProgramCounts &counts, unsigned char *memory,
					   WaProgramThread &thread)
{
	thread.values = reinterpret_cast<int64_t *>(memory) + threadIdx.x;
	memory += counts.nvalue_slots * kValueSlotBytes;
	thread.displays = reinterpret_cast<uint64_t *>(memory) + threadIdx.x;
	memory += counts.ndisplay_slots * kDisplaySlotBytes;
	thread.flags = reinterpret_cast<uint32_t *>(memory) + threadIdx.x;
}

// The slots of a thread.
__device__ __forceinline__ int64_t *
wa_program_value_slot(const WaProgramThread &thread, unsigned number)
{
	return thread.values + number * kThreadRows * kProgramThreads;
}

__device__ __forceinline__ uint64_t &
wa_program_display_slot(const WaProgramThread &thread, unsigned number)
{
	return thread.displays[number * kProgramThreads];
}

__device__ __forceinline__ uint32_t &
wa_program_flag_slot(const WaProgramThread &thread, unsigned number)
{
	return thread.flags[number * kProgramThreads];
}

// Stores values in a slot.
__device__ __forceinline__ void
wa_program_keep_values(const WaProgramThread &thread, unsigned number,
					   const WaRowValues &rows)
{
	int64_t *slot = wa_program_value_slot(thread, number);

#pragma unroll
	for (unsigned i = 0; i < kThreadRows; i++)
		slot[i * kProgramThreads] = rows.value[i];
}

// Tells whether a mask has a row.
__device__ __forceinline__ bool
wa_has_row(unsigned mask, unsigned i)
{
	return (mask >> i & 1) != 0;
}

// The mask of true rows among flags.
__device__ __forceinline__ unsigned
wa_true_rows(unsigned flags)
{
	return flags >> kThreadRows;
}

// Floats are kept as their bits.
__device__ __forceinline__ double
wa_float_of(int64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

__device__ __forceinline__ int64_t
wa_bits_of(double number)
{
	int64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

#endif // WA_CUDA_PROGRAM_ROWS_CUH
