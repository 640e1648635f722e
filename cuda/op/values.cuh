//
// values.cuh
//		Arrays of values, and which of them count.
//
#ifndef WA_CUDA_OP_VALUES_CUH
#define WA_CUDA_OP_VALUES_CUH

#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#include "warp/shuffle.cuh"

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

// Returns the same mask, by a way that the compiler does not see through: where
// a mask is used for a second time, far from the first, it would keep a predicate
// of each value rather than the mask.  All lanes of a warp call it together.
__device__ __forceinline__ unsigned
wa_mask_again(unsigned valid)
{
	return __shfl_sync(kFullMask, valid, (int) wa_warp_lane());
}

__device__ __forceinline__ WaAllValid
wa_mask_again(WaAllValid valid)
{
	return valid;
}

// Returns how many of the values do not count.
template <unsigned kRows>
__device__ __forceinline__ unsigned
wa_nulls_of(unsigned valid)
{
	return kRows - __popc(valid);
}

template <unsigned kRows>
__device__ __forceinline__ unsigned
wa_nulls_of(WaAllValid)
{
	return 0;
}

#endif // WA_CUDA_OP_VALUES_CUH
