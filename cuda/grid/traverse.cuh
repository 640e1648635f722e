//
// traverse.cuh
//		How a grid goes through the rows of a batch.
//
// Values may begin at any multiple of their width, so the rows before the
// first 16-byte boundary and those behind the last one (the edges) are read
// one by one, by the first threads of block 0; values of 16 bytes have none.
// Between them lie vectors of 16
// bytes.  Blocks take tiles of kTileVectors vectors in turn (a grid-stride
// loop); of a tile thread t takes the vectors t, t + kBlockThreads, ..., so
// that every load of a warp is 512 bytes in a row.
//
#ifndef WA_CUDA_GRID_TRAVERSE_CUH
#define WA_CUDA_GRID_TRAVERSE_CUH

#include "grid/args.cuh"

// Where the vectors of a batch lie.
struct WaGridSpan
{
	unsigned head;    // rows before the first vector
	unsigned vectors; // vectors of 16 bytes
	unsigned edges;   // rows before and behind the vectors
};

template <typename Value>
__device__ __forceinline__ WaGridSpan
wa_grid_span(const Value *values, unsigned nrows)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	unsigned misaligned = (unsigned) ((uintptr_t) values % sizeof(uint4));
	WaGridSpan span;

	span.head = (sizeof(uint4) - misaligned) % sizeof(uint4) / sizeof(Value);
	if (span.head > nrows)
		span.head = nrows;
	span.vectors = (nrows - span.head) / kVectorRows;
	span.edges = nrows - span.vectors * kVectorRows;
	return span;
}

// Returns where the vectors begin.
template <typename Value>
__device__ __forceinline__ const uint4 *
wa_grid_vectors(const WaKernelArgs &args, const WaGridSpan &span)
{
	const Value *values = static_cast<const Value *>(args.values);

	return reinterpret_cast<const uint4 *>(values + span.head);
}

// Returns a vector of one value.
template <typename Value>
__device__ __forceinline__ uint4
wa_grid_repeat(Value value)
{
	Value values[sizeof(uint4) / sizeof(Value)];
	uint4 vector;

#pragma unroll
	for (unsigned i = 0; i < sizeof(uint4) / sizeof(Value); i++)
		values[i] = value;
	memcpy(&vector, values, sizeof(uint4));
	return vector;
}

// The words of a bitmap in which the bits of some neighbouring rows lie.
struct WaGridBits
{
	uint32_t low;
	uint32_t high;
	unsigned shift; // of the first row's bit
};

// Loads the words with the bits of kRows rows from `row` on, which all exist.
template <unsigned kRows>
__device__ __forceinline__ WaGridBits
wa_grid_load_bits(const uint32_t *validity, unsigned row)
{
	WaGridBits bits;

	bits.shift = row % 32;
	bits.low = __ldg(validity + row / 32);
	bits.high = bits.shift + kRows > 32 ? __ldg(validity + row / 32 + 1) : 0;
	return bits;
}

// Returns the bits of kRows rows, that of the first row lowest.
template <unsigned kRows>
__device__ __forceinline__ unsigned
wa_grid_validity(const WaGridBits &bits)
{
	uint64_t both = (uint64_t) bits.high << 32 | bits.low;

	return (unsigned) (both >> bits.shift) & ((1u << kRows) - 1);
}

// Calls add(values) on arrays of values that are the calling thread's share of
// the edges; rows that are not valid come as `neutral`.
template <bool kBitmap, typename Value, typename Add>
__device__ __forceinline__ unsigned
wa_grid_add_edges(const WaKernelArgs &args, const WaGridSpan &span,
				  Value neutral, Add add)
{
	const Value *values = static_cast<const Value *>(args.values);
	Value value[1] = {neutral};
	unsigned row = threadIdx.x;

	if (blockIdx.x != 0 || threadIdx.x >= span.edges)
		return 0;
	if (row >= span.head)
		row += args.nrows - span.edges;
	if (kBitmap &&
		wa_grid_validity<1>(wa_grid_load_bits<1>(args.validity, row)) == 0)
		return 0;
	value[0] = __ldg(values + row);
	add(value);
	return 1;
}

// Loads the calling thread's vectors of the tile that begins with vector
// `tile`.  Rows behind the last vector are `neutral`.
template <typename Value, unsigned kRows>
__device__ __forceinline__ void
wa_grid_load_tile(const WaKernelArgs &args, const WaGridSpan &span,
				  unsigned tile, Value neutral, Value (&values)[kRows])
{
	const uint4 *vectors = wa_grid_vectors<Value>(args, span);
	uint4 loaded[kLoads];

	// Only loads here, so that all of them are under way before one is used.
#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
	{
		unsigned vector = tile + i * kBlockThreads + threadIdx.x;

		loaded[i] = wa_grid_repeat(neutral);
		if (vector < span.vectors)
			loaded[i] = __ldg(vectors + vector);
	}
	memcpy(values, loaded, sizeof(loaded));
}

// The same with a bitmap: rows that are not valid are `neutral` as well.
// Returns the number of rows that are valid.
template <typename Value, unsigned kRows>
__device__ __forceinline__ unsigned
wa_grid_load_valid_tile(const WaKernelArgs &args, const WaGridSpan &span,
						unsigned tile, Value neutral, Value (&values)[kRows])
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	const uint4 *vectors = wa_grid_vectors<Value>(args, span);
	uint4 loaded[kLoads];
	WaGridBits bits[kLoads];
	unsigned rows = 0;

	// Behind the last vector that one is loaded again: with a condition here
	// the compiler would use each load before it starts the next.
#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
	{
		unsigned vector =
			min(tile + i * kBlockThreads + threadIdx.x, span.vectors - 1);

		loaded[i] = __ldg(vectors + vector);
		bits[i] = wa_grid_load_bits<kVectorRows>(
			args.validity, span.head + vector * kVectorRows);
	}
	memcpy(values, loaded, sizeof(loaded));
#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
	{
		unsigned vector = tile + i * kBlockThreads + threadIdx.x;
		unsigned valid =
			vector < span.vectors ? wa_grid_validity<kVectorRows>(bits[i]) : 0;

		rows += __popc(valid);
#pragma unroll
		for (unsigned j = 0; j < kVectorRows; j++)
			if ((valid >> j & 1) == 0)
				values[i * kVectorRows + j] = neutral;
	}
	return rows;
}

// Calls add(values) on arrays of values until the grid has seen every row
// once, in any order; rows that are not valid come as `neutral`, and so do a
// few that do not exist.  Returns the number of valid rows that the calling
// thread saw, or 0 where there is no bitmap.  Any one-dimensional grid of
// blocks of kBlockThreads threads; no shared memory.
template <bool kBitmap, typename Value, typename Add>
__device__ __forceinline__ unsigned
wa_grid_for_each(const WaKernelArgs &args, Value neutral, Add add)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	constexpr unsigned kRows = kLoads * kVectorRows;
	WaGridSpan span =
		wa_grid_span(static_cast<const Value *>(args.values), args.nrows);
	unsigned rows = 0;

	if constexpr (kVectorRows > 1)
		rows = wa_grid_add_edges<kBitmap>(args, span, neutral, add);
	for (unsigned tile = blockIdx.x * kTileVectors; tile < span.vectors;
		 tile += gridDim.x * kTileVectors)
	{
		Value values[kRows];

		if (kBitmap)
			rows += wa_grid_load_valid_tile(args, span, tile, neutral, values);
		else
			wa_grid_load_tile(args, span, tile, neutral, values);
		add(values);
	}
	return kBitmap ? rows : 0;
}

#endif // WA_CUDA_GRID_TRAVERSE_CUH
