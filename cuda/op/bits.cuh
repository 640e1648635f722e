//
// bits.cuh
//		What AND, OR and XOR make of the bits of integers.
//
#ifndef WA_CUDA_OP_BITS_CUH
#define WA_CUDA_OP_BITS_CUH

#include <type_traits>

#include "op/operation.cuh"

template <WaOp kOp, WaStorage kStorage> struct WaBits
{
	using Value = typename WaStorageValue<kStorage>::Type;

	// Kept as a 32-bit word at least, which is what shuffles move.
	using Kept = typename std::conditional<sizeof(Value) < sizeof(int64_t),
										   int32_t, int64_t>::type;

	struct State
	{
		Kept bits;
	};

	__device__ __forceinline__ static State
	init()
	{
		return {(Kept) wa_bits_of_none(kOp)};
	}

	__device__ __forceinline__ static Value
	neutral()
	{
		return (Value) wa_bits_of_none(kOp);
	}

	template <unsigned kRows>
	__device__ __forceinline__ static void
	add(State &state, const Value (&values)[kRows])
	{
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
			merge(state, {(Kept) values[i]});
	}

	__device__ __forceinline__ static void
	merge(State &into, const State &from)
	{
		into.bits = (Kept) wa_bits_of_two(kOp, (uint64_t) into.bits,
										  (uint64_t) from.bits);
	}

	__device__ __forceinline__ static void
	store(const State &state, WaKernelResult *result)
	{
		result->bits[kOp - WA_OP_BIT_AND] = (uint64_t) state.bits;
	}
};

template <WaStorage kStorage>
struct WaOperation<WA_OP_BIT_AND, kStorage> : WaBits<WA_OP_BIT_AND, kStorage>
{
};

template <WaStorage kStorage>
struct WaOperation<WA_OP_BIT_OR, kStorage> : WaBits<WA_OP_BIT_OR, kStorage>
{
};

template <WaStorage kStorage>
struct WaOperation<WA_OP_BIT_XOR, kStorage> : WaBits<WA_OP_BIT_XOR, kStorage>
{
};

#endif // WA_CUDA_OP_BITS_CUH
