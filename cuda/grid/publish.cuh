//
// publish.cuh
//		What one thread writes for any other of the GPU to read.
//
// Who has read a word by wa_read_published that another thread has written by
// wa_publish sees all that this one had written before.  A volatile read, even if
// the address of the next one depends on it, says nothing of that kind.
//
#ifndef WA_CUDA_GRID_PUBLISH_CUH
#define WA_CUDA_GRID_PUBLISH_CUH

// Writes a word, which lies in device memory, once all that was written before is
// there.
__device__ __forceinline__ void
wa_publish(unsigned long long *word, unsigned long long value)
{
#ifdef __CUDA_ARCH__
	asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(
					 __cvta_generic_to_global(word)),
				 "l"(value)
				 : "memory");
#else
	*word = value;
#endif
}

// Reads such a word before all that is read afterwards.
__device__ __forceinline__ unsigned long long
wa_read_published(const unsigned long long *word)
{
#ifdef __CUDA_ARCH__
	unsigned long long value;

	asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
				 : "=l"(value)
				 : "l"(__cvta_generic_to_global(word))
				 : "memory");
	return value;
#else
	return *word;
#endif
}

#endif // WA_CUDA_GRID_PUBLISH_CUH
