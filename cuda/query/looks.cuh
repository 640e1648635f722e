//
// looks.cuh
//		DECIMALs with the digits that they show.
//
#ifndef WA_CUDA_QUERY_LOOKS_CUH
#define WA_CUDA_QUERY_LOOKS_CUH

#include "core/int128.h"
#include "query/work.h"

constexpr unsigned kQueryLookMask = (1u << kQueryLookBits) - 1;

// What the kernel takes.
struct WaQueryLooks
{
	const void *values;
	const int16_t *display;
	uint32_t nrows;
	WaInt128 *looks[WA_QUERY_LOOKS]; // NULL: those are not wanted
};

// Returns a value's bits, of which the highest may be lost if it is of no row.
__device__ __forceinline__ unsigned __int128
wa_query_look_value(int64_t value)
{
	return (unsigned __int128) value << kQueryLookBits;
}

__device__ __forceinline__ unsigned __int128
wa_query_look_value(const WaInt128 &value)
{
	return (unsigned __int128) wa_int128_get(value) << kQueryLookBits;
}

// Makes the looks of values.  Any grid; deterministic.
template <typename Value>
__global__ void
wa_query_looks_kernel(const WaQueryLooks args)
{
	const Value *values = static_cast<const Value *>(args.values);

	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < args.nrows;
		 row += gridDim.x * blockDim.x)
	{
		const unsigned __int128 value = wa_query_look_value(values[row]);
		const unsigned digits = (unsigned) args.display[row] & kQueryLookMask;

		if (args.looks[WA_QUERY_MIN_LOOK] != NULL)
			args.looks[WA_QUERY_MIN_LOOK][row] =
				wa_int128_make((__int128) (value | (digits ^ kQueryLookMask)));
		if (args.looks[WA_QUERY_MAX_LOOK] != NULL)
			args.looks[WA_QUERY_MAX_LOOK][row] =
				wa_int128_make((__int128) (value | digits));
	}
}

#endif // WA_CUDA_QUERY_LOOKS_CUH
