//
// reduce.cuh
//		The reduction of a column by the blocks that a launch gives it.
//
// A reduction consists of parts, one for each operation asked for; all of them
// see every value in the one pass over the column.  A part is a class with
//
//	Operation			what it computes (op/operation.cuh)
//	State				what a thread keeps
//	Shared				what a block keeps in shared memory
//	clear(shared)		makes that the state of no rows
//	prime(state, value)	may be called before add, where that takes long, with a
//						value that it will see, or 0; all lanes of a warp call it
//						together
//	add(state, values, mask, shared)	takes an array of values in; likewise
//	gather(state, shared)	brings the threads' states together in the block
//	publish(shared, column)	brings the block's to device memory
//	collect(column, shared)	in the last block: brings all blocks' together
//	store(shared, result)	and writes what they come to
//
// Every thread of a block calls each of the others at the same time.
// A __syncthreads lies behind clear, between gather and publish, and between
// collect and store.
//
#ifndef WA_CUDA_GRID_REDUCE_CUH
#define WA_CUDA_GRID_REDUCE_CUH

#include <type_traits>

#include "grid/finish.cuh"
#include "grid/limbs.cuh"
#include "grid/traverse.cuh"
#include "grid/tree.cuh"

// The part of an operation that nobody has asked for.
struct WaNoPart
{
	struct State
	{
	};

	struct Shared
	{
	};
};

// The part for an operation over a storage, by the accumulator that
// WA_REDUCTION_LIST has for it.
template <WaOp kOp, WaStorage kStorage> struct WaPart
{
	using Type = WaNoPart;
};

#define PART_INT(op, storage)          WaTreePart<op, WaOperation<op, storage>>
#define PART_SQUARE(op, storage)       WaTreePart<op, WaOperation<op, storage>>
#define PART_VALUE(op, storage)        WaTreePart<op, WaOperation<op, storage>>
#define PART_BITS(op, storage)         WaTreePart<op, WaOperation<op, storage>>
#define PART_EXACT(op, storage)        WaLimbsPart<WaOperation<op, storage>>
#define PART_EXACT_SQUARE(op, storage) WaLimbsPart<WaOperation<op, storage>>

#define X(op, storage, accumulator)                                \
	template <> struct WaPart<WA_OP_##op, WA_##storage>            \
	{                                                              \
		using Type = PART_##accumulator(WA_OP_##op, WA_##storage); \
	};
WA_REDUCTION_LIST(X)
#undef X

// The parts of a set of operations over a storage.
template <WaStorage kStorage, WaOpSet kOps> struct WaReduction
{
	// Of floats the sum comes with the squares.
	static constexpr bool kIsFloat = kStorage == WA_F32 || kStorage == WA_F64;
	static constexpr WaOpSet kParts =
		kIsFloat && (kOps & WA_OP_BIT(WA_OP_SQUARES)) != 0
			? kOps & ~WA_OP_BIT(WA_OP_SUM)
			: kOps;

	template <WaOp kOp>
	using Part = typename std::conditional<(kParts & WA_OP_BIT(kOp)) != 0,
										   typename WaPart<kOp, kStorage>::Type,
										   WaNoPart>::type;

	using Value = typename WaStorageValue<kStorage>::Type;
	using Sum = Part<WA_OP_SUM>;
	using Squares = Part<WA_OP_SQUARES>;
	using Min = Part<WA_OP_MIN>;
	using Max = Part<WA_OP_MAX>;
	using And = Part<WA_OP_BIT_AND>;
	using Or = Part<WA_OP_BIT_OR>;
	using Xor = Part<WA_OP_BIT_XOR>;

	struct State
	{
		typename Sum::State sum;
		typename Squares::State squares;
		typename Min::State min;
		typename Max::State max;
		typename And::State bit_and;
		typename Or::State bit_or;
		typename Xor::State bit_xor;
	};

	struct Shared
	{
		typename Sum::Shared sum;
		typename Squares::Shared squares;
		typename Min::Shared min;
		typename Max::Shared max;
		typename And::Shared bit_and;
		typename Or::Shared bit_or;
		typename Xor::Shared bit_xor;
		unsigned rows; // valid ones of the block, where there is a bitmap
		WaGridTicket ticket;
	};

	// Calls call(part, state, shared) for each part there is; `part` is an
	// empty object of its class.
	template <typename Call>
	__device__ __forceinline__ static void
	for_parts(State &state, Shared &shared, Call call)
	{
		for_part(Sum(), state.sum, shared.sum, call);
		for_part(Squares(), state.squares, shared.squares, call);
		for_part(Min(), state.min, shared.min, call);
		for_part(Max(), state.max, shared.max, call);
		for_part(And(), state.bit_and, shared.bit_and, call);
		for_part(Or(), state.bit_or, shared.bit_or, call);
		for_part(Xor(), state.bit_xor, shared.bit_xor, call);
	}

  private:
	template <typename P, typename Call>
	__device__ __forceinline__ static void
	for_part(P part, typename P::State &state, typename P::Shared &shared,
			 Call call)
	{
		if constexpr (!std::is_same<P, WaNoPart>::value)
			call(part, state, shared);
	}
};

// Adds the calling thread's number of rows to the block's.
__device__ __forceinline__ void
wa_rows_gather(unsigned rows, unsigned &block_rows)
{
	rows = wa_warp_sum_all(rows);
	if (wa_warp_lane() == 0)
		atomicAdd(&block_rows, rows);
}

// Reduces a column.  All threads of the column.blocks blocks of kBlockThreads
// threads call it, with the same shared memory for all threads of a block.
// The last block to finish writes the result.  kAhead: see grid/ahead.cuh.
template <WaStorage kStorage, WaOpSet kOps, bool kBitmap, bool kAhead>
__device__ inline void
wa_reduce_column(const WaColumnArgs &column,
				 typename WaReduction<kStorage, kOps>::Shared &shared)
{
	using Reduction = WaReduction<kStorage, kOps>;
	using Value = typename Reduction::Value;
	typename Reduction::State state;
	unsigned rows;

	Reduction::for_parts(state, shared,
						 [](auto part, auto &kept, auto &block)
						 {
							 kept = decltype(part)::Operation::init();
							 part.clear(block);
						 });
	if (threadIdx.x == 0)
		shared.rows = 0;
	__syncthreads();

	rows = wa_grid_for_each<kBitmap, kAhead, Value>(
		column,
		[&](Value value)
		{
			Reduction::for_parts(state, shared,
								 [&](auto part, auto &kept, auto &)
								 { part.prime(kept, value); });
		},
		[&](const auto &values, auto valid)
		{
			Reduction::for_parts(state, shared,
								 [&](auto part, auto &kept, auto &block)
								 { part.add(kept, values, valid, block); });
		});

	if (kBitmap)
		wa_rows_gather(rows, shared.rows);
	Reduction::for_parts(state, shared,
						 [](auto part, auto &kept, auto &block)
						 { part.gather(kept, block); });
	__syncthreads();
	Reduction::for_parts(state, shared,
						 [&](auto part, auto &, auto &block)
						 { part.publish(block, column); });
	if (!wa_grid_is_last(&column.scratch->tickets, column.blocks, shared.rows,
						 shared.ticket))
		return;

	Reduction::for_parts(state, shared,
						 [&](auto part, auto &, auto &block)
						 { part.collect(column, block); });
	__syncthreads();
	Reduction::for_parts(state, shared,
						 [&](auto part, auto &, auto &block)
						 { part.store(block, column.result); });
	if (threadIdx.x == 0)
		column.result->rows = kBitmap ? shared.ticket.rows : column.nrows;
}

#endif // WA_CUDA_GRID_REDUCE_CUH
