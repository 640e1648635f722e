//
// traverse.cuh
//		How a grid goes through the rows of a batch.
//
// Values may begin at any multiple of their width, so the rows before the
// first 16-byte boundary and those behind the last one (the edges) are read
// one by one, by the first threads of block 0; values of 16 bytes have none.
// Between them lie vectors of 16 bytes.  Warps take tiles of them in turn (a
// grid-stride loop); of a tile lane l takes the vectors l, l + 32, ..., so that
// every load of a warp is 512 bytes in a row.
//
// Values come in arrays, with a mask (op/values.cuh).
//
#ifndef WA_CUDA_GRID_TRAVERSE_CUH
#define WA_CUDA_GRID_TRAVERSE_CUH

#include "grid/ahead.cuh"
#include "grid/args.cuh"
#include "op/values.cuh"

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

// The bits of a warp's tiles, of kRows rows a vector.  Those of a tile are as
// many words as a lane has rows; each is loaded by one lane, ahead of its turn,
// and all lanes get theirs by shuffles.  `first`: the row of vector 0.
template <unsigned kRows, unsigned kCount> class WaWarpBits
{
  public:
	static constexpr unsigned kWords = kCount * kRows; // of a tile
	static_assert(kWords <= 32, "a mask has 32 bits");
	static constexpr unsigned kMask = (1u << kRows) - 1;

	__device__ __forceinline__
	WaWarpBits(const uint32_t *validity, unsigned first)
		: words_(validity + first / 32), shift_(first % 32)
	{
	}

	// Starts to load the words of a whole tile.
	__device__ __forceinline__ void
	load(unsigned tile)
	{
		const uint32_t *word = words_ + tile / 32 * kRows + wa_warp_lane();

		if (wa_warp_lane() >= kWords)
			return;
		low_ = __ldg(word);
		if (shift_ != 0)
			high_ = __ldg(word + 1);
	}

	// Returns the bits of the calling thread's vectors in the tile that was
	// loaded last, that of the first row lowest.
	__device__ __forceinline__ unsigned
	take() const
	{
		const unsigned bit = wa_warp_lane() * kRows;
		const unsigned word = __funnelshift_r(low_, high_, shift_);
		unsigned bits = 0;

#pragma unroll
		for (unsigned i = 0; i < kCount; i++)
			bits |=
				(__shfl_sync(kFullMask, word, (int) (i * kRows + bit / 32)) >>
					 bit % 32 &
				 kMask)
				<< (i * kRows);
		return bits;
	}

	// Returns the bits of the calling thread's vector of a tile that is not
	// whole.
	__device__ __forceinline__ unsigned
	bits_of(unsigned vector) const
	{
		const unsigned bit = shift_ + vector % 32 * kRows;
		const uint32_t *word = words_ + vector / 32 * kRows + bit / 32;
		const uint32_t high = bit % 32 + kRows > 32 ? __ldg(word + 1) : 0;

		return __funnelshift_r(__ldg(word), high, bit % 32) & kMask;
	}

  private:
	const uint32_t *words_;
	unsigned shift_;
	uint32_t low_ = 0;
	uint32_t high_ = 0;
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

// Calls add(values, mask) for the calling thread's vectors of a tile that is
// not whole, one by one.  Returns the number of valid rows if there is a
// bitmap.
template <bool kBitmap, typename Value, unsigned kVectorRows, unsigned kCount,
		  typename Add>
__device__ __forceinline__ unsigned
wa_grid_add_rest(const uint4 *vectors, const WaGridSpan &span, unsigned tile,
				 const WaWarpBits<kVectorRows, kCount> &bitmap, Add add)
{
	WaValues<Value, kVectorRows> values;
	unsigned rows = 0;

#pragma unroll 1
	for (unsigned vector = tile + wa_warp_lane();
		 tile < span.vectors && vector < span.vectors; vector += kWarpLanes)
	{
		const uint4 loaded = __ldg(vectors + vector);

		memcpy(&values, &loaded, sizeof(loaded));
		if constexpr (kBitmap)
		{
			const unsigned valid = bitmap.bits_of(vector);

			rows += __popc(valid);
			add(values, valid);
		}
		else
			add(values, WaAllValid());
	}
	return rows;
}

// Calls add(values, mask) on arrays of values until the blocks of the column
// have seen every row once, in any order.  Returns a number of valid rows, which
// all threads' add up to, or 0 where there is no bitmap.  Every thread of the
// column's blocks calls it.  kAhead: see grid/ahead.cuh.
template <bool kBitmap, bool kAhead, typename Value, typename Add>
__device__ __forceinline__ unsigned
wa_grid_for_each(const WaColumnArgs &column, Add add)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	constexpr unsigned kCount = kLaneVectors<kAhead>;
	constexpr unsigned kTile = kTileVectors<kAhead>;
	const WaGridSpan span =
		wa_grid_span(static_cast<const Value *>(column.values), column.nrows);
	const uint4 *const vectors = wa_grid_vectors<Value>(column, span);
	const unsigned stride = column.blocks * kBlockWarps * kTile;
	unsigned tile =
		(wa_column_block(column) * kBlockWarps + wa_grid_warp()) * kTile;
	WaWarpTiles<kAhead> tiles(vectors, span.vectors, tile, stride);
	WaWarpBits<kVectorRows, kCount> bitmap(column.validity, span.head);
	WaValues<Value, kCount * kVectorRows> values;
	unsigned rows = 0;

	if (kBitmap && tile + kTile <= span.vectors)
		bitmap.load(tile);
	if constexpr (kVectorRows > 1)
		rows = wa_grid_add_edges<kBitmap, Value>(column, span, add);
	for (; tile + kTile <= span.vectors; tile += stride)
	{
		const WaTile<kAhead> loaded = tiles.next(tile);

		memcpy(&values, &loaded, sizeof(loaded));
		if constexpr (kBitmap)
		{
			const unsigned valid = bitmap.take();

			rows += __popc(valid);
			if (tile + stride + kTile <= span.vectors)
				bitmap.load(tile + stride);
			add(values, valid);
		}
		else
			add(values, WaAllValid());
	}
	rows += wa_grid_add_rest<kBitmap, Value>(vectors, span, tile, bitmap, add);
	return kBitmap ? rows : 0;
}

#endif // WA_CUDA_GRID_TRAVERSE_CUH
