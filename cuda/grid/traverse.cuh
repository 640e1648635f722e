//
// traverse.cuh
//		How a grid goes through the rows of a batch.
//
// Values may begin at any multiple of their width, so the rows before the
// first 16-byte boundary and those behind the last one (the edges) are read
// one by one, by the first threads of block 0; values of 16 bytes have none.
// Between them lie vectors of 16 bytes.  Blocks take tiles of kTileVectors
// vectors in turn (a grid-stride loop); of a tile thread t takes the vectors t,
// t + kBlockThreads, ..., so that every load of a warp is 512 bytes in a row.
//
// Values come in arrays, with a mask: bit i tells whether value i counts.
// Where all of an array count the mask is a WaAllValid, so that it costs
// nothing.
//
#ifndef WA_CUDA_GRID_TRAVERSE_CUH
#define WA_CUDA_GRID_TRAVERSE_CUH

#include "grid/args.cuh"

// The mask of an array whose values all count.
struct WaAllValid
{
};

// An array of values.
template <typename Value, unsigned kRows> struct WaValues
{
	Value values[kRows];
};

// Returns the values with those that do not count replaced by `neutral`.
template <typename Value, unsigned kRows>
__device__ __forceinline__ WaValues<Value, kRows>
wa_valid_or(const WaValues<Value, kRows> &values, unsigned valid, Value neutral)
{
	WaValues<Value, kRows> result;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		result.values[i] = (valid & 1u << i) != 0 ? values.values[i] : neutral;
	return result;
}

// The same for values of 16 bits, two at a time: kRows is even, or 1.
template <unsigned kRows>
__device__ __forceinline__ WaValues<int16_t, kRows>
wa_valid_or(const WaValues<int16_t, kRows> &values, unsigned valid,
			int16_t neutral)
{
	constexpr unsigned kWords = (kRows + 1) / 2;
	const uint32_t neutrals = (uint16_t) neutral * 0x10001u;
	uint32_t words[kWords] = {};
	WaValues<int16_t, kRows> result;

	memcpy(words, &values, sizeof(values));
#pragma unroll
	for (unsigned i = 0; i < kWords; i++)
	{
		// Two bits of the mask, 16 bits apart, of 8 at a time.
		const uint32_t bits = (valid >> i / 4 * 8 & 0xff) * 0x8001u;
		const uint32_t mask = (bits >> i % 4 * 2 & 0x10001u) * 0xffffu;

		words[i] = (words[i] & mask) | (neutrals & ~mask);
	}
	memcpy(&result, words, sizeof(result));
	return result;
}

template <typename Value, unsigned kRows>
__device__ __forceinline__ const WaValues<Value, kRows> &
wa_valid_or(const WaValues<Value, kRows> &values, WaAllValid, Value)
{
	return values;
}

// Where the vectors of a column lie.
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
wa_grid_vectors(const WaColumnArgs &column, const WaGridSpan &span)
{
	const Value *values = static_cast<const Value *>(column.values);

	return reinterpret_cast<const uint4 *>(values + span.head);
}

// Tells whether a row is valid.
__device__ __forceinline__ bool
wa_grid_row_is_valid(const uint32_t *validity, unsigned row)
{
	return (__ldg(validity + row / 32) >> row % 32 & 1) != 0;
}

// Where a thread finds the bits of its vectors, of kRows rows each.  From one
// tile to the next, and from one of its vectors in a tile to the next, there
// are whole words between them.
template <unsigned kRows> class WaGridBits
{
  public:
	// row: the first of the thread's vector number 0.
	__device__ __forceinline__
	WaGridBits(const uint32_t *validity, unsigned row)
		: validity_(validity), word_(row / 32), shift_(row % 32)
	{
	}

	// Loads the words with the bits of the thread's vector that lies
	// tile + i * kBlockThreads vectors behind number 0.  `tile` is a multiple
	// of kBlockThreads.
	__device__ __forceinline__ uint2
	load(unsigned tile, unsigned i) const
	{
		constexpr unsigned kWords = kBlockThreads / 32 * kRows;
		const uint32_t *words =
			validity_ + (word_ + tile / 32 * kRows) + i * kWords;
		uint2 loaded;

		loaded.x = __ldg(words);
		loaded.y = shift_ + kRows > 32 ? __ldg(words + 1) : 0;
		return loaded;
	}

	// Returns the bits in the words, that of the first row lowest.
	__device__ __forceinline__ unsigned
	bits(const uint2 &words) const
	{
		return __funnelshift_r(words.x, words.y, shift_) & ((1u << kRows) - 1);
	}

  private:
	const uint32_t *validity_;
	unsigned word_;
	unsigned shift_;
};

// Calls add(values, mask) for the calling thread's share of the edges.  Returns
// the number of valid rows among them.
template <bool kBitmap, typename Value, typename Add>
__device__ __forceinline__ unsigned
wa_grid_add_edges(const WaColumnArgs &column, const WaGridSpan &span, Add add)
{
	const Value *values = static_cast<const Value *>(column.values);
	WaValues<Value, 1> value;
	unsigned row = threadIdx.x;

	if (wa_column_block(column) != 0 || threadIdx.x >= span.edges)
		return 0;
	if (row >= span.head)
		row += column.nrows - span.edges;
	if (kBitmap && !wa_grid_row_is_valid(column.validity, row))
		return 0;
	value.values[0] = __ldg(values + row);
	add(value, WaAllValid());
	return 1;
}

// Loads the calling thread's vectors of a tile.  The tile is whole.
template <typename Value, unsigned kRows>
__device__ __forceinline__ void
wa_grid_load_tile(const uint4 *vectors, unsigned tile,
				  WaValues<Value, kRows> &values)
{
	uint4 loaded[kLoads];

	// Only loads here, so that all of them are under way before one is used.
#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
		loaded[i] = __ldg(vectors + tile + i * kBlockThreads + threadIdx.x);
	memcpy(&values, loaded, sizeof(loaded));
}

// Loads the calling thread's vectors of a tile, which is whole, and returns
// which of their rows are valid.
template <typename Value, unsigned kRows, unsigned kVectorRows>
__device__ __forceinline__ unsigned
wa_grid_load_valid_tile(const uint4 *vectors, unsigned tile,
						const WaGridBits<kVectorRows> &bitmap,
						WaValues<Value, kRows> &values)
{
	uint2 words[kLoads];
	unsigned valid = 0;

#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
		words[i] = bitmap.load(tile, i);
	wa_grid_load_tile(vectors, tile, values);
#pragma unroll
	for (unsigned i = 0; i < kLoads; i++)
		valid |= bitmap.bits(words[i]) << (i * kVectorRows);
	return valid;
}

// Calls add(values, mask) for the calling thread's vectors of a tile that is
// not whole, one by one.  Returns the number of valid rows if there is a
// bitmap.
template <bool kBitmap, typename Value, unsigned kVectorRows, typename Add>
__device__ __forceinline__ unsigned
wa_grid_add_rest(const uint4 *vectors, const WaGridSpan &span, unsigned tile,
				 const WaGridBits<kVectorRows> &bitmap, Add add)
{
	WaValues<Value, kVectorRows> values;
	unsigned rows = 0;

#pragma unroll 1
	for (; tile + threadIdx.x < span.vectors; tile += kBlockThreads)
	{
		const uint4 loaded = __ldg(vectors + tile + threadIdx.x);

		memcpy(&values, &loaded, sizeof(loaded));
		if constexpr (kBitmap)
		{
			const unsigned valid = bitmap.bits(bitmap.load(tile, 0));

			rows += __popc(valid);
			add(values, valid);
		}
		else
			add(values, WaAllValid());
	}
	return rows;
}

// Calls add(values, mask) on arrays of values until the blocks of the column
// have seen every row once, in any order.  Returns the number of valid rows
// that the calling thread saw, or 0 where there is no bitmap.  Every thread of
// the column's blocks calls it; no shared memory.
template <bool kBitmap, typename Value, typename Add>
__device__ __forceinline__ unsigned
wa_grid_for_each(const WaColumnArgs &column, Add add)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	static_assert(kLoads * kVectorRows <= 32, "a mask has 32 bits");
	const WaGridSpan span =
		wa_grid_span(static_cast<const Value *>(column.values), column.nrows);
	const uint4 *const vectors = wa_grid_vectors<Value>(column, span);
	const WaGridBits<kVectorRows> bitmap(column.validity,
										 span.head + threadIdx.x * kVectorRows);
	const unsigned stride = column.blocks * kTileVectors;
	unsigned tile = wa_column_block(column) * kTileVectors;
	WaValues<Value, kLoads * kVectorRows> values;
	unsigned rows = 0;

	if constexpr (kVectorRows > 1)
		rows = wa_grid_add_edges<kBitmap, Value>(column, span, add);
	for (; tile + kTileVectors <= span.vectors; tile += stride)
		if constexpr (kBitmap)
		{
			const unsigned valid =
				wa_grid_load_valid_tile(vectors, tile, bitmap, values);

			rows += __popc(valid);
			add(values, valid);
		}
		else
		{
			wa_grid_load_tile(vectors, tile, values);
			add(values, WaAllValid());
		}
	rows += wa_grid_add_rest<kBitmap, Value>(vectors, span, tile, bitmap, add);
	return kBitmap ? rows : 0;
}

#endif // WA_CUDA_GRID_TRAVERSE_CUH
