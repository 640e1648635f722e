//
// shared.cuh
//		The shared memory of a block, as one structure.
//
// Kernels declare what they need as a structure and are launched with its
// size as dynamic shared memory, so that the emulator can poison it and watch
// its bounds.
//
#ifndef WA_CUDA_BLOCK_SHARED_CUH
#define WA_CUDA_BLOCK_SHARED_CUH

#include <cuda_runtime.h>

// Returns the block's shared memory; what it holds at first is undefined.
template <typename Shared>
__device__ __forceinline__ Shared &
wa_block_shared()
{
	extern __shared__ __align__(16) unsigned char wa_shared_bytes[];

	return *reinterpret_cast<Shared *>(wa_shared_bytes);
}

#endif // WA_CUDA_BLOCK_SHARED_CUH
