//
// launch.cuh
//		The table of the steps, and how each is launched until one sum is left.
//
#ifndef WA_BENCH_LADDER_LAUNCH_CUH
#define WA_BENCH_LADDER_LAUNCH_CUH

#include "bench/ladder/steps.cuh"

// What sizes of blocks a step takes, up to 1024 threads; the strictest last.
enum WaLadderBlock
{
	WA_LADDER_ANY_BLOCK, // from 2 threads on
	WA_LADDER_WARPS,     // multiples of 32
	WA_LADDER_POWERS     // powers of two from 64 on
};

// X(number, name, kernel, rows a thread or 0 for a grid-stride loop, blocks)
#define WA_LADDER_LIST(X)                                                      \
	X("1", "tree in shared memory, by remainders", wa_ladder_interleaved, 1,   \
	  WA_LADDER_ANY_BLOCK)                                                     \
	X("1b", "the same by strided indexes", wa_ladder_strided_index, 1,         \
	  WA_LADDER_ANY_BLOCK)                                                     \
	X("2", "loop reversed", wa_ladder_sequential, 1, WA_LADDER_POWERS)         \
	X("3", "first add during load", wa_ladder_first_add, 2, WA_LADDER_POWERS)  \
	X("4", "last warp by shuffles", wa_ladder_last_warp, 2, WA_LADDER_POWERS)  \
	X("5", "block by shuffles (down)", wa_ladder_shuffles, 2, WA_LADDER_WARPS) \
	X("6", "block by butterflies (xor)", wa_ladder_butterfly, 2,               \
	  WA_LADDER_WARPS)                                                         \
	X("7a", "grid-stride loop", wa_ladder_grid_stride, 0, WA_LADDER_WARPS)     \
	X("7", "grid-stride loop, 16-byte loads", wa_ladder_vector_loads, 0,       \
	  WA_LADDER_WARPS)

// Blocks of a grid-stride loop: of 256 threads a multiprocessor holds 8.
constexpr unsigned kLadderBlocksPerMultiprocessor = 8;

template <typename Value, typename Sum>
using WaLadderKernel = void (*)(const Value *values, unsigned nrows, Sum *sums);

template <typename Value, typename Sum> struct WaLadderStep
{
	const char *number;
	const char *name;
	WaLadderKernel<Value, Sum> kernel;       // for the rows
	WaLadderKernel<Sum, Sum> kernel_of_sums; // for the sums of blocks
	unsigned rows_per_thread;                // 0: a grid-stride loop
	WaLadderBlock blocks;
};

#define X(number, name, kernel, rows, blocks) +1
constexpr unsigned kLadderSteps = WA_LADDER_LIST(X);
#undef X

// Returns one of the kLadderSteps steps, counted from 0.
template <typename Value, typename Sum>
WaLadderStep<Value, Sum>
wa_ladder_step(unsigned index)
{
	static const WaLadderStep<Value, Sum> steps[] = {
#define X(number, name, kernel, rows, blocks) \
	{number, name, kernel<Value, Sum>, kernel<Sum, Sum>, rows, blocks},
		WA_LADDER_LIST(X)
#undef X
	};

	return steps[index];
}

// Tells whether blocks of so many threads are right for a step.
inline bool
wa_ladder_takes_block(WaLadderBlock blocks, unsigned threads)
{
	if (threads < 2 || threads > 1024)
		return false;
	switch (blocks)
	{
		case WA_LADDER_WARPS:
			return threads % kWarpLanes == 0;
		case WA_LADDER_POWERS:
			return threads >= 2 * kWarpLanes && (threads & (threads - 1)) == 0;
		default:
			return true;
	}
}

// Returns how many sums all launches over nrows rows but the last one need place
// for.
inline size_t
wa_ladder_scratch_sums(unsigned nrows, unsigned threads)
{
	size_t sums = 0;

	while (nrows > 1)
	{
		nrows = (nrows + threads - 1) / threads;
		sums += (nrows + 3) / 4 * 4;
	}
	return sums;
}

// Returns the number of blocks of the launch over nrows rows, or of sums where
// it is not the first.
template <typename Value, typename Sum>
unsigned
wa_ladder_blocks(const WaLadderStep<Value, Sum> &step, unsigned nrows,
				 unsigned threads, unsigned multiprocessors, bool first)
{
	unsigned rows =
		step.rows_per_thread == 0 ? threads : threads * step.rows_per_thread;
	unsigned blocks = nrows == 0 ? 1 : (nrows + rows - 1) / rows;
	unsigned resident = multiprocessors * kLadderBlocksPerMultiprocessor;

	if (step.rows_per_thread != 0)
		return blocks;
	if (!first)
		return 1;
	return blocks < resident ? blocks : resident;
}

// Starts a step over fewer than 2^30 rows: one launch over the rows, then
// launches over the sums of blocks, until *d_result has the sum of all.
// d_values is aligned to 16 bytes, and so is d_scratch, which has
// wa_ladder_scratch_sums sums; d_result may be pinned host memory.  A size of
// blocks that the step does not take is cudaErrorInvalidValue.
template <typename Value, typename Sum>
cudaError_t
wa_ladder_launch(const WaLadderStep<Value, Sum> &step, const Value *d_values,
				 unsigned nrows, Sum *d_scratch, Sum *d_result,
				 unsigned threads, unsigned multiprocessors,
				 cudaStream_t stream)
{
	const size_t shared_bytes =
		sizeof(Sum) *
		(step.blocks == WA_LADDER_WARPS ? threads / kWarpLanes : threads);
	const Sum *d_sums = NULL;
	bool first = true;
	unsigned blocks;

	if (!wa_ladder_takes_block(step.blocks, threads))
		return cudaErrorInvalidValue;
	do
	{
		Sum *d_out;
		cudaError_t error;

		blocks = wa_ladder_blocks(step, nrows, threads, multiprocessors, first);
		d_out = blocks == 1 ? d_result : d_scratch;
		void *row_arguments[] = {&d_values, &nrows, &d_out};
		void *sum_arguments[] = {&d_sums, &nrows, &d_out};

		error = first
					? cudaLaunchKernel(step.kernel, dim3(blocks), dim3(threads),
									   row_arguments, shared_bytes, stream)
					: cudaLaunchKernel(step.kernel_of_sums, dim3(blocks),
									   dim3(threads), sum_arguments,
									   shared_bytes, stream);
		if (error != cudaSuccess)
			return error;
		d_sums = d_out;
		d_scratch += (blocks + 3) / 4 * 4; // keeps the alignment
		nrows = blocks;
		first = false;
	} while (blocks > 1);
	return cudaSuccess;
}

#endif // WA_BENCH_LADDER_LAUNCH_CUH
