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

// The bits of a warp's tiles, of kRows rows a vector and kCount vectors a lane.
// `first`: the row of vector 0.
//
// Bits are loaded ahead of their turn, and each by one lane.  Lane kCount k + j
// loads those of the kCount vectors from 32 j + kCount k on, of which each of
// the lanes from kCount k on takes one; and lane kCount k + j takes the vectors
// kCount k + j, + 32, + 64, ....  So kCount lanes transpose what they have
// loaded.
template <unsigned kRows, unsigned kCount> class WaWarpBits
{
  public:
	static constexpr unsigned kLaneRows = kCount * kRows;
	static_assert(kLaneRows <= 32, "a mask has 32 bits");
	static constexpr unsigned kMask = (1u << kRows) - 1;
	static constexpr unsigned kAll = 0xffffffffu >> (32 - kLaneRows);

	__device__ __forceinline__
	WaWarpBits(const uint32_t *validity, unsigned first)
		: words_(validity + first / 32), shift_(first % 32)
	{
	}

	// Starts to load the bits of a whole tile.
	__device__ __forceinline__ void
	load(unsigned tile)
	{
		const unsigned bit = first_bit();
		const uint32_t *word = words_ + tile / 32 * kRows + bit / 32;

		// Not by __ldg, which would be moved across barriers.
		low_ = *word;
		if (bit % 32 + kLaneRows > 32)
			high_ = word[1];
	}

	// Returns the bits of the calling thread's vectors in the tile that was
	// loaded last, that of the first row lowest.  `zero` is 0: see
	// wa_grid_behind.
	__device__ __forceinline__ unsigned
	take(unsigned zero) const
	{
		unsigned bits = __funnelshift_r(low_ | zero, high_, first_bit() % 32);

#pragma unroll
		for (unsigned lanes = kCount / 2; lanes > 0; lanes /= 2)
			bits = swapped(bits, lanes);
		return bits & kAll;
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
	// The bit, from the first word of the tile on, where those begin that the
	// calling lane loads.
	__device__ __forceinline__ unsigned
	first_bit() const
	{
		const unsigned lane = wa_warp_lane();
		const unsigned vector =
			lane % kCount * kWarpLanes + lane / kCount * kCount;

		return shift_ + vector * kRows;
	}

	// A step of the transposition: a lane keeps the vectors whose number has
	// the same one of the bits as its own, and gets the others from the lane
	// that differs in this bit.
	__device__ __forceinline__ static unsigned
	swapped(unsigned bits, unsigned lanes)
	{
		const bool upper = (wa_warp_lane() & lanes) != 0;
		const unsigned theirs = __shfl_xor_sync(kFullMask, bits, (int) lanes);
		const unsigned turn = lanes * kRows;
		const unsigned turned =
			__funnelshift_l(theirs, theirs, upper ? 32 - turn : turn);
		unsigned kept = 0; // of a lower lane

#pragma unroll
		for (unsigned i = 0; i < kCount; i++)
			if ((i & lanes) == 0)
				kept |= kMask << (i * kRows);
		kept = upper ? ~kept : kept;
		return (bits & kept) | (turned & ~kept);
	}

	const uint32_t *words_;
	unsigned shift_;
	uint32_t low_ = 0;
	uint32_t high_ = 0;
};

// Returns 0, which the compiler does not know: what is computed from it waits for
// all of a tile.  Where it may, the compiler waits for the bits first, and asks for
// some of the values only then.
template <bool kAhead>
__device__ __forceinline__ unsigned
wa_grid_behind(const WaTile<kAhead> &loaded, const WaColumnArgs &column)
{
	unsigned any = 0;

#pragma unroll
	for (unsigned i = 0; i < kLaneVectors<kAhead>; i++)
		any |= loaded.vectors[i].x;
	// rows are fewer than 2^31
	return any & (unsigned) ((int) column.nrows >> 31);
}

// Loads the calling thread's vectors of a tile that is not whole.  Returns their
// mask.
template <bool kBitmap, bool kAhead, unsigned kRows>
__device__ __forceinline__ unsigned
wa_grid_load_part(const uint4 *vectors, const WaGridSpan &span, unsigned tile,
				  const WaWarpBits<kRows, kLaneVectors<kAhead>> &bitmap,
				  WaTile<kAhead> &loaded)
{
	unsigned valid = 0;

#pragma unroll
	for (unsigned i = 0; i < kLaneVectors<kAhead>; i++)
	{
		const unsigned vector = tile + i * kWarpLanes + wa_warp_lane();

		loaded.vectors[i] = {};
		if (vector >= span.vectors)
			continue;
		loaded.vectors[i] = __ldg(vectors + vector);
		valid |= (kBitmap ? bitmap.bits_of(vector) : bitmap.kMask)
				 << (i * kRows);
	}
	return valid;
}

// Loads the edges, of which a lane has one, for values of less than 16 bytes.
// Returns the mask.
template <bool kBitmap, typename Value, unsigned kRows>
__device__ __forceinline__ unsigned
wa_grid_load_edges(const WaColumnArgs &column, const WaGridSpan &span,
				   WaValues<Value, kRows> &loaded)
{
	const Value *values = static_cast<const Value *>(column.values);
	unsigned row = wa_warp_lane();

	loaded = {};
	if (row >= span.edges)
		return 0;
	if (row >= span.head)
		row += column.nrows - span.edges;
	loaded.values[0] = __ldg(values + row);
	return !kBitmap || wa_grid_row_is_valid(column.validity, row);
}

// Returns one of the values that the calling lane will have in its warp's first
// tile, or 0 if there is none or it is null.
template <bool kBitmap, typename Value>
__device__ __forceinline__ Value
wa_grid_sample(const WaColumnArgs &column, const WaGridSpan &span,
			   unsigned tile)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	const unsigned vector = tile + wa_warp_lane();
	const unsigned row = span.head + vector * kVectorRows;
	Value value;
	bool valid = true;

	if (vector >= span.vectors)
		return 0;
	// Both are under way at the same time.
	value = __ldg(static_cast<const Value *>(column.values) + row);
	if (kBitmap)
		valid = wa_grid_row_is_valid(column.validity, row);
	return valid ? value : 0;
}

// Calls add(values, mask) on arrays of values until the blocks of the column
// have seen every row once, in any order; all lanes of a warp call it together.
// Where it loads ahead, it calls prime(value) before with one of the values, or
// 0, while the first are under way.  Returns a number of valid rows, which all
// threads' add up to, or 0 where there is no bitmap.  Every thread of the
// column's blocks calls it.  kAhead: see grid/ahead.cuh.
template <bool kBitmap, bool kAhead, typename Value, typename Prime,
		  typename Add>
__device__ __forceinline__ unsigned
wa_grid_for_each(const WaColumnArgs &column, Prime prime, Add add)
{
	constexpr unsigned kVectorRows = sizeof(uint4) / sizeof(Value);
	constexpr unsigned kTile = kTileVectors<kAhead>;
	const WaGridSpan span =
		wa_grid_span(static_cast<const Value *>(column.values), column.nrows);
	const uint4 *const vectors = wa_grid_vectors<Value>(column, span);
	const unsigned stride = column.blocks * kBlockWarps * kTile;
	const unsigned warp =
		wa_column_block(column) * kBlockWarps + wa_grid_warp();
	unsigned tile = warp * kTile;
	WaWarpTiles<kAhead> tiles(vectors, span.vectors, tile, stride);
	WaWarpBits<kVectorRows, kLaneVectors<kAhead>> bitmap(column.validity,
														 span.head);
	WaValues<Value, kLaneVectors<kAhead> * kVectorRows> values;
	bool edges = kVectorRows > 1 && warp == 0 && span.edges > 0;
	unsigned rows = 0;

	if constexpr (kAhead)
	{
		if (kBitmap && tile + kTile <= span.vectors)
			bitmap.load(tile);
		prime(wa_grid_sample<kBitmap, Value>(column, span, tile));
	}
	for (; tile + kTile <= span.vectors; tile += stride)
	{
		// Bits are loaded when the values are: ahead, or in their turn.
		if (kBitmap && !kAhead)
			bitmap.load(tile);
		const WaTile<kAhead> loaded = tiles.next(tile);

		memcpy(&values, &loaded, sizeof(loaded));
		if constexpr (kBitmap)
		{
			const unsigned valid =
				bitmap.take(kAhead ? 0 : wa_grid_behind(loaded, column));

			rows += __popc(valid);
			if (kAhead)
			{
				if (tile + stride + kTile <= span.vectors)
					bitmap.load(tile + stride);
				// No load is moved across it: the compiler would ask for the
				// bits when all else has been done.
				__syncwarp();
			}
			add(values, valid);
		}
		else
			add(values, WaAllValid());
	}

	// The tile that is not whole, and the edges, by one copy of the code.
#pragma unroll 1
	for (; tile < span.vectors || edges; tile += stride)
	{
		WaTile<kAhead> loaded;
		unsigned valid;

		if (tile < span.vectors)
		{
			valid =
				wa_grid_load_part<kBitmap>(vectors, span, tile, bitmap, loaded);
			memcpy(&values, &loaded, sizeof(loaded));
		}
		else
		{
			if constexpr (kVectorRows > 1)
				valid = wa_grid_load_edges<kBitmap>(column, span, values);
			else
				valid = 0;
			edges = false;
		}
		if (kBitmap)
			rows += __popc(valid);
		add(values, valid);
	}
	return rows;
}

#endif // WA_CUDA_GRID_TRAVERSE_CUH
