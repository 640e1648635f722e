//
// ahead.cuh
//		How a warp loads its tiles.
//
// Where the arithmetic takes about as long as the memory, threads that load
// nothing while they compute leave the memory idle.  Such reductions load
// ahead: an asynchronous bulk copy brings the next tile to shared memory while
// the warp computes with this one (compute capability 9.0 on; elsewhere a tile
// is loaded when its turn has come).
//
#ifndef WA_CUDA_GRID_AHEAD_CUH
#define WA_CUDA_GRID_AHEAD_CUH

#include "grid/args.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WA_HAVE_BULK_COPY
#include <cuda/ptx>
#endif

// The calling lane's vectors of a tile.
template <bool kAhead> struct WaTile
{
	uint4 vectors[kLaneVectors<kAhead>];
};

// The whole tiles of a warp: those at vectors tile, tile + stride, ...
template <bool kAhead> class WaWarpTiles
{
  public:
	// vectors: of which `end` are there.  All lanes call it together, and once
	// in a kernel.
	__device__ __forceinline__
	WaWarpTiles(const uint4 *vectors, unsigned, unsigned, unsigned)
		: vectors_(vectors)
	{
	}

	// Returns the next one, which is that at vector `tile`.  All lanes call it
	// together.
	__device__ __forceinline__ WaTile<kAhead>
	next(unsigned tile)
	{
		WaTile<kAhead> loaded;

		// Only loads here, so that all are under way before one is used.
#pragma unroll
		for (unsigned i = 0; i < kLaneVectors<kAhead>; i++)
			loaded.vectors[i] =
				__ldg(vectors_ + tile + i * kWarpLanes + wa_warp_lane());
		return loaded;
	}

  private:
	const uint4 *vectors_;
};

#ifdef WA_HAVE_BULK_COPY

// Tells one lane of the warp that it is the one.  All lanes call it together.
__device__ __forceinline__ bool
wa_warp_elect()
{
	unsigned is_it;

	asm volatile("{\n"
				 "	.reg .pred elected;\n"
				 "	elect.sync _|elected, 0xffffffff;\n"
				 "	selp.u32 %0, 1, 0, elected;\n"
				 "}"
				 : "=r"(is_it));
	return is_it != 0;
}

template <> class WaWarpTiles<true>
{
  public:
	__device__ __forceinline__
	WaWarpTiles(const uint4 *vectors, unsigned end, unsigned tile,
				unsigned stride)
		: vectors_(vectors), end_(end), stride_(stride)
	{
		__shared__ alignas(128) uint4 buffers[kBlockWarps][kTileVectors<true>];
		__shared__ uint64_t barriers[kBlockWarps];
		const unsigned warp = wa_grid_warp();

		buffer_ = buffers[warp];
		barrier_ = barriers + warp;
		if (wa_warp_lane() == 0)
		{
			cuda::ptx::mbarrier_init(barrier_, 1);
			cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
		}
		__syncwarp();
		start(tile);
	}

	__device__ __forceinline__ WaTile<true>
	next(unsigned tile)
	{
		WaTile<true> loaded;

		while (!cuda::ptx::mbarrier_try_wait_parity(barrier_, parity_))
			;
		parity_ ^= 1;
#pragma unroll
		for (unsigned i = 0; i < kLaneVectors<true>; i++)
			loaded.vectors[i] = buffer_[i * kWarpLanes + wa_warp_lane()];
		// A copy may overtake loads of the buffer that it fills.
		cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
		__syncwarp();
		start(tile + stride_);
		return loaded;
	}

  private:
	// Starts to load a tile, if it is whole.
	__device__ __forceinline__ void
	start(unsigned tile)
	{
		constexpr unsigned kBytes = kTileVectors<true> * sizeof(uint4);

		if (tile + kTileVectors<true> <= end_ && wa_warp_elect())
		{
			(void) cuda::ptx::mbarrier_arrive_expect_tx(
				cuda::ptx::sem_release, cuda::ptx::scope_cta,
				cuda::ptx::space_shared, barrier_, kBytes);
			cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster,
									 cuda::ptx::space_global, buffer_,
									 vectors_ + tile, kBytes, barrier_);
		}
	}

	const uint4 *vectors_;
	unsigned end_;
	unsigned stride_;
	uint4 *buffer_;
	uint64_t *barrier_; // its next phase ends when the buffer is filled
	unsigned parity_ = 0;
};

#endif

#endif // WA_CUDA_GRID_AHEAD_CUH
