//
// steps.cuh
//		The classic steps of a sum reduction, each a small kernel of its own.
//
// An exhibit: production has the last of them only, in cuda/grid.  The order
// and the ideas are those of M. Harris, "Optimizing Parallel Reduction in
// CUDA", NVIDIA, 2007; what shuffles do is told in the CUDA C++ Programming
// Guide, "Warp Shuffle Functions".  README.md tells what each step is about.
//
// Every kernel takes one-dimensional grids and blocks, writes the sum of the
// rows that its block has taken to sums[blockIdx.x], and leaves the rest to
// further launches of it, over these sums (launch.cuh): blocks of one launch
// cannot wait for each other.  Sums of integers are modulo 2^(bits of Sum), so
// they do not depend on the order; sums of floats are the same for the same
// step and launch shape, and differ in their last bits between steps.
//
#ifndef WA_BENCH_LADDER_STEPS_CUH
#define WA_BENCH_LADDER_STEPS_CUH

#include "cuda/block/reduce.cuh"
#include "cuda/block/shared.cuh"
#include "cuda/warp/reduce.cuh"

// Returns a row's value, or 0 where there is no such row.
template <typename Value, typename Sum>
__device__ __forceinline__ Sum
wa_ladder_load(const Value *values, unsigned nrows, unsigned row)
{
	return row < nrows ? (Sum) values[row] : (Sum) 0;
}

// Returns the sum of the calling thread's two rows: blocks take 2 * blockDim.x
// rows in turn, and both loads of a warp are of neighbouring rows.
template <typename Value, typename Sum>
__device__ __forceinline__ Sum
wa_ladder_load_two(const Value *values, unsigned nrows)
{
	unsigned row = blockIdx.x * blockDim.x * 2 + threadIdx.x;

	return wa_ladder_load<Value, Sum>(values, nrows, row) +
		   wa_ladder_load<Value, Sum>(values, nrows, row + blockDim.x);
}

// Step 1: a tree in shared memory, neighbours first.
//
// In round r every 2^(r+1)-th thread adds the number 2^r places above its own.
// Slow for two reasons: the threads that work are spread over all warps, so all
// warps run every round for ever fewer lanes (divergence), and the remainder
// by a number that is no constant is a long sequence of instructions.
//
// Launch: a row a thread, blocks of any size.  Shared memory: a Sum a thread.
// The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_interleaved(const Value *values, unsigned nrows, Sum *sums)
{
	Sum *shared = &wa_block_shared<Sum>();
	unsigned self = threadIdx.x;

	shared[self] = wa_ladder_load<Value, Sum>(values, nrows,
											  blockIdx.x * blockDim.x + self);
	__syncthreads();
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2)
	{
		if (self % (2 * stride) == 0 && self + stride < blockDim.x)
			shared[self] += shared[self + stride];
		__syncthreads();
	}
	if (self == 0)
		sums[blockIdx.x] = shared[0];
}

// Step 1b: the same tree, worked on by the first threads.
//
// Thread t takes the t-th pair, so the working threads fill whole warps, and the
// other warps skip the round; there is no remainder.  But the lanes of a warp
// now read words 2, 4, 8, ... apart, which lie in the same few banks of shared
// memory, so that one access takes several turns.
//
// Launch: a row a thread, blocks of any size.  Shared memory: a Sum a thread.
// The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_strided_index(const Value *values, unsigned nrows, Sum *sums)
{
	Sum *shared = &wa_block_shared<Sum>();

	shared[threadIdx.x] = wa_ladder_load<Value, Sum>(
		values, nrows, blockIdx.x * blockDim.x + threadIdx.x);
	__syncthreads();
	for (unsigned stride = 1; stride < blockDim.x; stride *= 2)
	{
		unsigned index = 2 * stride * threadIdx.x;

		if (index + stride < blockDim.x)
			shared[index] += shared[index + stride];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		sums[blockIdx.x] = shared[0];
}

// Adds the upper half of shared[0 .. blockDim.x) to the lower one, and so on,
// until `left` numbers are left; blockDim.x and `left` are powers of two.  Every
// thread calls it, after a __syncthreads; it ends with one unless there was
// nothing to do.
template <typename Sum>
__device__ __forceinline__ void
wa_ladder_fold_halves(Sum *shared, unsigned left)
{
	for (unsigned stride = blockDim.x / 2; stride >= left; stride /= 2)
	{
		if (threadIdx.x < stride)
			shared[threadIdx.x] += shared[threadIdx.x + stride];
		__syncthreads();
	}
}

// Step 2: the loop reversed, far neighbours first (sequential addressing).
//
// Thread t adds number t + stride to number t: the working threads fill whole
// warps and the lanes of a warp use neighbouring words, so no bank is asked
// twice.  What remains: in the first round half of the threads have nothing to
// do, and they did nothing but load one row before.
//
// Launch: a row a thread; blockDim.x is a power of two.  Shared memory: a Sum a
// thread.  The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_sequential(const Value *values, unsigned nrows, Sum *sums)
{
	Sum *shared = &wa_block_shared<Sum>();

	shared[threadIdx.x] = wa_ladder_load<Value, Sum>(
		values, nrows, blockIdx.x * blockDim.x + threadIdx.x);
	__syncthreads();
	wa_ladder_fold_halves(shared, 1);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = shared[0];
}

// Step 3: the first addition during the load.
//
// Every thread loads two rows and adds them before it writes to shared memory,
// so that half as many blocks do the same rounds for twice as many rows, and two
// loads of a thread are under way at once.  Per row, the cost of everything but
// the loads is halved.
//
// Launch: two rows a thread; blockDim.x is a power of two.  Shared memory: a Sum
// a thread.  The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_first_add(const Value *values, unsigned nrows, Sum *sums)
{
	Sum *shared = &wa_block_shared<Sum>();

	shared[threadIdx.x] = wa_ladder_load_two<Value, Sum>(values, nrows);
	__syncthreads();
	wa_ladder_fold_halves(shared, 1);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = shared[0];
}

// Step 4: the last warp by shuffles.
//
// When 64 numbers are left, one warp has them all: it needs no barrier any more,
// and shuffles move the numbers from register to register.  Six of the rounds,
// with their barriers for all warps of the block, are gone.
//
// Launch: two rows a thread; blockDim.x is a power of two from 64 on.  Shared
// memory: a Sum a thread.  The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_last_warp(const Value *values, unsigned nrows, Sum *sums)
{
	Sum *shared = &wa_block_shared<Sum>();
	Sum sum;

	shared[threadIdx.x] = wa_ladder_load_two<Value, Sum>(values, nrows);
	__syncthreads();
	wa_ladder_fold_halves(shared, 2 * kWarpLanes);
	if (threadIdx.x >= kWarpLanes)
		return;
	sum = shared[threadIdx.x] + shared[threadIdx.x + kWarpLanes];
	sum = wa_warp_sum(sum);
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

// Adds a number of every thread of the block by shuffles.  Every thread calls it;
// blockDim.x is a multiple of 32; warp_sums, in shared memory, has a Sum a warp.  The
// sum is valid in thread 0 only.
template <typename Sum>
__device__ __forceinline__ Sum
wa_ladder_block_sum(Sum sum, Sum *warp_sums)
{
	wa_block_gather<WaAddition<Sum>>(sum, warp_sums);
	__syncthreads();
	if (threadIdx.x < kWarpLanes)
		sum = wa_block_merge<WaAddition<Sum>>(warp_sums, (Sum) 0);
	return sum;
}

// Step 5: all of the block by shuffles (shfl_down).
//
// Every warp reduces its own rows in registers, then one number a warp makes a
// single hop through shared memory, and the first warp reduces those: one
// barrier instead of one a round, and hardly any shared memory.
//
// Launch: two rows a thread; blockDim.x is a multiple of 32.  Shared memory: a
// Sum a warp.  The sum is valid in thread 0: what the other lanes hold after
// shfl_down is part of it only.
template <typename Value, typename Sum>
__global__ void
wa_ladder_shuffles(const Value *values, unsigned nrows, Sum *sums)
{
	Sum sum = wa_ladder_load_two<Value, Sum>(values, nrows);

	sum = wa_ladder_block_sum(sum, &wa_block_shared<Sum>());
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

// Adds a number of every thread of the block by butterflies.  Every thread calls
// it; blockDim.x is a multiple of 32; warp_sums, in shared memory, has a Sum a
// warp.  The sum is valid in every thread.
template <typename Sum>
__device__ __forceinline__ Sum
wa_ladder_block_sum_all(Sum sum, Sum *warp_sums)
{
	unsigned lane = wa_warp_lane();

	sum = wa_warp_reduce_all<WaAddition<Sum>>(sum);
	if (lane == 0)
		warp_sums[threadIdx.x / kWarpLanes] = sum;
	__syncthreads();
	sum = lane < blockDim.x / kWarpLanes ? warp_sums[lane] : (Sum) 0;
	return wa_warp_reduce_all<WaAddition<Sum>>(sum);
}

// Step 6: the same by butterflies (shfl_xor).
//
// Lanes swap their numbers, so that every lane ends up with the sum of the warp;
// and every warp reduces what the warps found, so that every thread has the sum
// of the block and none has to be told.  As many shuffles as in step 5 for each
// warp, but all warps do the second half: worth it where all need the result.
//
// Launch: two rows a thread; blockDim.x is a multiple of 32.  Shared memory: a
// Sum a warp.  The sum is valid in every thread; thread 0 writes it.
template <typename Value, typename Sum>
__global__ void
wa_ladder_butterfly(const Value *values, unsigned nrows, Sum *sums)
{
	Sum sum = wa_ladder_load_two<Value, Sum>(values, nrows);

	sum = wa_ladder_block_sum_all(sum, &wa_block_shared<Sum>());
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

// Step 7a: a grid-stride loop.
//
// No more blocks than the GPU runs at once; each thread adds up many rows in a
// register, a whole grid apart, so that a warp's loads are still in a row.  The
// reduction of the block comes once for all of them and hardly matters any more;
// neither does the further launch, which has one sum for each of few blocks.
//
// Launch: any grid; blockDim.x is a multiple of 32.  Shared memory: a Sum a warp.
// The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_grid_stride(const Value *values, unsigned nrows, Sum *sums)
{
	Sum sum = 0;

	for (unsigned row = blockIdx.x * blockDim.x + threadIdx.x; row < nrows;
		 row += gridDim.x * blockDim.x)
		sum += (Sum) values[row];
	sum = wa_ladder_block_sum(sum, &wa_block_shared<Sum>());
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

// Step 7: the grid-stride loop with loads of 16 bytes.
//
// One instruction fetches 4 values of 4 bytes, or 2 of 8: more bytes are under
// way for as many instructions and registers of addresses, which is what keeps
// the memory busy.  The rows behind the last vector are added one by one.
//
// Launch: any grid; blockDim.x is a multiple of 32; values are aligned to 16
// bytes.  Shared memory: a Sum a warp.  The sum is valid in thread 0.
template <typename Value, typename Sum>
__global__ void
wa_ladder_vector_loads(const Value *values, unsigned nrows, Sum *sums)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	const uint4 *vectors = reinterpret_cast<const uint4 *>(values);
	unsigned count = nrows / kVectorRows;
	unsigned self = blockIdx.x * blockDim.x + threadIdx.x;
	Sum sum =
		wa_ladder_load<Value, Sum>(values, nrows, count * kVectorRows + self);

	for (unsigned i = self; i < count; i += gridDim.x * blockDim.x)
	{
		uint4 vector = __ldg(vectors + i);
		Value loaded[kVectorRows];

		memcpy(loaded, &vector, sizeof(vector));
#pragma unroll
		for (unsigned j = 0; j < kVectorRows; j++)
			sum += (Sum) loaded[j];
	}
	sum = wa_ladder_block_sum(sum, &wa_block_shared<Sum>());
	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

#endif // WA_BENCH_LADDER_STEPS_CUH
