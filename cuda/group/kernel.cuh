//
// kernel.cuh
//		The kernel that reduces a column by groups.
//
// A block reads rows and adds those of the groups that its table has; then it
// adds the table to the result (flushes it).  What is left to tell is which
// rows and groups those are (a pass of the block):
//
// - Rows that are not sorted: one pass, over the groups of one partition.
//   Blocks of neighbouring numbers take the same tiles of rows for different
//   partitions, so that all but one find them in the second-level cache.
// - Sorted rows: each block has an equal share of the rows, one piece, and a
//   pass for each partition that lies in it in whole or in part.
//
// A pass reads whole vectors of rows.  Rows of other partitions at its ends do
// no harm, because they are not of its groups.
//
#ifndef WA_CUDA_GROUP_KERNEL_CUH
#define WA_CUDA_GROUP_KERNEL_CUH

#include "block/shared.cuh"
#include "group/operation.cuh"
#include "warp/broadcast.cuh"

// What a block does in one go.
struct WaGroupPass
{
	uint32_t first; // group
	unsigned groups;
	unsigned begin; // vectors of rows
	unsigned end;
	unsigned step;
	bool owned; // no other block has rows of these groups
};

// A thread's rows.
template <typename Value> struct WaGroupVector
{
	uint32_t groups[kGroupRows];
	Value values[kGroupRows];
};

// Loads the values of a vector of rows.  None is used again.
template <typename Value>
__device__ __forceinline__ void
wa_group_load_values(const void *from, unsigned vector,
					 Value (&values)[kGroupRows])
{
	constexpr unsigned kBytes = sizeof(values);

	if constexpr (kBytes < sizeof(uint4))
	{
		uint2 loaded = __ldcs(static_cast<const uint2 *>(from) + vector);

		static_assert(kBytes == sizeof(uint2), "values have 2 bytes at least");
		memcpy(values, &loaded, kBytes);
	}
	else
	{
		constexpr unsigned kLoads = kBytes / sizeof(uint4);
		uint4 loaded[kLoads];

#pragma unroll
		for (unsigned i = 0; i < kLoads; i++)
			loaded[i] = __ldcs(static_cast<const uint4 *>(from) +
							   (size_t) vector * kLoads + i);
		memcpy(values, loaded, kBytes);
	}
}

// Loads a vector of rows.  Rows that are not valid and rows that do not exist,
// or lie in vectors from `end` on, have no group.
template <bool kBitmap, typename Value>
__device__ __forceinline__ void
wa_group_load(const WaGroupArgs &args, unsigned vector, unsigned end,
			  WaGroupVector<Value> &rows)
{
	unsigned row = vector * kGroupRows;
	unsigned nrows = vector < end ? args.nrows : 0;
	unsigned valid = ~0u;

	if (kBitmap && row < nrows)
		valid = __ldg(args.validity + row / 32) >> row % 32;
	if (row + kGroupRows <= nrows)
	{
		uint4 groups =
			__ldcs(reinterpret_cast<const uint4 *>(args.groups) + vector);

		memcpy(rows.groups, &groups, sizeof(groups));
		wa_group_load_values(args.values, vector, rows.values);
	}
	else
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
		{
			rows.groups[i] = kNoGroup;
			rows.values[i] = Value();
			if (row + i < nrows)
			{
				rows.groups[i] = args.groups[row + i];
				rows.values[i] =
					static_cast<const Value *>(args.values)[row + i];
			}
		}
	}
	if (kBitmap)
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
			if ((valid >> i & 1) == 0)
				rows.groups[i] = kNoGroup;
	}
}

// The entry of a group that a lane is to use.
__device__ __forceinline__ WaGroupEntry
wa_group_entry(const WaGroupArgs &args, const WaGroupPass &pass,
			   uint32_t *words, uint32_t group)
{
	unsigned copy = wa_warp_lane() & ((1u << args.copy_shift) - 1);

	return {words, 1u << (args.table_shift + args.copy_shift),
			((group - pass.first) << args.copy_shift) | copy, group};
}

// Adds the rows of a vector to the table, each by itself.
template <typename Operation>
__device__ __forceinline__ void
wa_group_add_each(const WaGroupArgs &args, const WaGroupPass &pass,
				  const Operation &operation, uint32_t *words,
				  const WaGroupVector<typename Operation::Value> &rows)
{
	WaGroupEntry entries[kGroupRows];
	bool takes[kGroupRows];

#pragma unroll
	for (unsigned i = 0; i < kGroupRows; i++)
	{
		entries[i] = wa_group_entry(args, pass, words, rows.groups[i]);
		takes[i] = rows.groups[i] - pass.first < pass.groups;
	}
	if (args.counted)
	{
#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
			if (takes[i])
				atomicAdd(entries[i].word(Operation::kWords), 1u);
	}
	operation.add_each(entries, rows.values, takes);
}

// Adds a vector of rows of each lane to the table; all lanes of a warp call it
// together.  Where groups are few or rows sorted, neighbours are often of one
// group.  If that is so in every lane, a vector costs one addition; if it is the
// same group in all lanes, which would wait for one another, the warp does.
template <typename Operation>
__device__ __forceinline__ void
wa_group_add(const WaGroupArgs &args, const WaGroupPass &pass,
			 const Operation &operation, uint32_t *words,
			 const WaGroupVector<typename Operation::Value> &rows)
{
	const uint32_t(&groups)[kGroupRows] = rows.groups;
	const bool takes_first = groups[0] - pass.first < pass.groups;

	if (!__all_sync(kFullMask, groups[0] == groups[1] &&
								   groups[0] == groups[2] &&
								   groups[0] == groups[3]))
		wa_group_add_each(args, pass, operation, words, rows);
	else if (__all_sync(kFullMask,
						groups[0] == wa_warp_broadcast(groups[0], 0)))
	{
		const WaGroupEntry entry = wa_group_entry(args, pass, words, groups[0]);

		if (!takes_first)
			return;
		operation.add_warp(entry, rows.values);
		if (args.counted && wa_warp_lane() == 0)
			atomicAdd(entry.word(Operation::kWords), kGroupRows * kWarpLanes);
	}
	else if (takes_first)
	{
		const WaGroupEntry entry = wa_group_entry(args, pass, words, groups[0]);

		operation.add_all(entry, rows.values);
		if (args.counted)
			atomicAdd(entry.word(Operation::kWords), kGroupRows);
	}
	// Lanes that have passed on a carry would be behind the others from here
	// on, and each instruction be issued for every one of them.
	__syncwarp();
}

// Adds the table to the result.
template <typename Operation>
__device__ __forceinline__ void
wa_group_flush(const WaGroupArgs &args, const WaGroupPass &pass,
			   uint32_t *words)
{
	unsigned long long *wide =
		reinterpret_cast<unsigned long long *>(args.table);
	uint32_t *narrow = reinterpret_cast<uint32_t *>(
		wide + (size_t) Operation::kWide * args.ngroups);

	for (unsigned i = threadIdx.x; i < pass.groups; i += kGroupThreads)
	{
		const WaGroupCopies copies = {
			{words, 1u << (args.table_shift + args.copy_shift),
			 i << args.copy_shift, pass.first + i},
			1u << args.copy_shift};
		const WaGroupTarget target = {wide + pass.first + i,
									  narrow + pass.first + i, args.ngroups,
									  pass.owned};

		Operation::flush(copies, target);
		if (args.counted)
			target.add_narrow(0, (uint32_t) copies.sum(Operation::kWords));
	}
}

// Makes one pass; every thread of the block calls it.
template <typename Operation, bool kBitmap>
__device__ __forceinline__ void
wa_group_pass(const WaGroupArgs &args, const WaGroupPass &pass,
			  const Operation &operation, uint32_t *words)
{
	const unsigned shift = args.table_shift + args.copy_shift;
	const unsigned lane = wa_warp_lane();
	WaGroupVector<typename Operation::Value> rows;
	WaGroupVector<typename Operation::Value> next;

	for (unsigned i = threadIdx.x; i < (Operation::kWords + 1) << shift;
		 i += kGroupThreads)
		words[i] = i < Operation::kWords << shift ? Operation::kEmpty : 0;
	__syncthreads();
	// The next rows are under way while these are added.  Warps go on as a
	// whole, some lanes of the last ones without rows.
	wa_group_load<kBitmap>(args, pass.begin + threadIdx.x, pass.end, next);
	for (unsigned vector = pass.begin + threadIdx.x; vector - lane < pass.end;
		 vector += pass.step)
	{
		rows = next;
		wa_group_load<kBitmap>(args, vector + pass.step, pass.end, next);
		wa_group_add(args, pass, operation, words, rows);
	}
	__syncthreads();
	wa_group_flush<Operation>(args, pass, words);
	__syncthreads();
}

// Returns a block's only pass over rows that are not sorted.
__device__ __forceinline__ WaGroupPass
wa_group_slice_pass(const WaGroupArgs &args)
{
	WaGroupPass pass;

	pass.first = blockIdx.x % args.partitions << args.table_shift;
	pass.groups = min(args.ngroups - pass.first, 1u << args.table_shift);
	pass.begin = blockIdx.x / args.partitions * kGroupThreads;
	pass.end = (args.nrows + kGroupRows - 1) / kGroupRows;
	pass.step = gridDim.x / args.partitions * kGroupThreads;
	pass.owned = false;
	return pass;
}

// A block's share of sorted rows: from vector begin to the one before end.
struct WaGroupShare
{
	unsigned begin;
	unsigned end;
};

__device__ __forceinline__ WaGroupShare
wa_group_share(const WaGroupArgs &args)
{
	unsigned vectors = (args.nrows + kGroupRows - 1) / kGroupRows;
	unsigned size = (vectors + gridDim.x - 1) / gridDim.x;
	unsigned begin = min(blockIdx.x * size, vectors);

	return {begin, min(begin + size, vectors)};
}

// Returns the first partition that ends behind the beginning of a share.
__device__ __forceinline__ unsigned
wa_group_first_partition(const WaGroupArgs &args, const WaGroupShare &share)
{
	unsigned low = 0;
	unsigned high = args.partitions;

	while (low < high)
	{
		unsigned middle = (low + high) / 2;

		if (args.starts[middle + 1] > share.begin * kGroupRows)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// Returns the pass over the part of a share that belongs to a partition.
__device__ __forceinline__ WaGroupPass
wa_group_partition_pass(const WaGroupArgs &args, const WaGroupShare &share,
						unsigned partition)
{
	unsigned first_row = args.starts[partition];
	unsigned end_row = args.starts[partition + 1];
	WaGroupPass pass;

	pass.first = partition << args.table_shift;
	pass.groups = min(args.ngroups - pass.first, 1u << args.table_shift);
	pass.begin = max(first_row / kGroupRows, share.begin);
	pass.end = min((end_row + kGroupRows - 1) / kGroupRows, share.end);
	pass.step = kGroupThreads;
	pass.owned = first_row >= share.begin * kGroupRows &&
				 end_row <= share.end * kGroupRows;
	return pass;
}

// Reduces rows by groups.  Any number of blocks of kGroupThreads threads, for
// rows that are not sorted a multiple of args.partitions; a WaGroupSeen and
// the table in dynamic shared memory.  The result is in args.table and
// args.status when the grid has come to its end.  It is deterministic, because
// only integers are added.
template <typename Operation, bool kBitmap>
__global__ void
__launch_bounds__(kGroupThreads, 1) wa_group_kernel(WaGroupArgs args)
{
	WaGroupSeen &seen = wa_block_shared<WaGroupSeen>();
	uint32_t *words = reinterpret_cast<uint32_t *>(&seen + 1);
	const Operation operation(args, seen);
	const WaGroupShare share = wa_group_share(args);

	if (threadIdx.x < kSeenWords)
		seen.word[threadIdx.x] = 0;
	if (args.starts == NULL)
		wa_group_pass<Operation, kBitmap>(args, wa_group_slice_pass(args),
										  operation, words);
	else
		for (unsigned partition = wa_group_first_partition(args, share);
			 partition < args.partitions &&
			 args.starts[partition] < share.end * kGroupRows;
			 partition++)
			wa_group_pass<Operation, kBitmap>(
				args, wa_group_partition_pass(args, share, partition),
				operation, words);
	// A pass ends with a barrier, and without one nothing has been noted.
	if (threadIdx.x < kSeenWords && seen.word[threadIdx.x] != 0)
		atomicOr(threadIdx.x < kSeenWords - 1
					 ? reinterpret_cast<uint32_t *>(args.status->seen) +
						   threadIdx.x
					 : &args.status->special,
				 seen.word[threadIdx.x]);
}

#endif // WA_CUDA_GROUP_KERNEL_CUH
