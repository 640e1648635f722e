//
// cub_reduce.cuh
//		How CUB is asked for the reductions of WA_REDUCTION_LIST: by
//		cub::DeviceReduce::Reduce over an iterator that converts to an accumulator
//		as wide as ours, with the same operation.
//
// Sums and sums of squares of floats are the exception: CUB adds plain doubles,
// where ours are exact.
//
#ifndef WA_BENCH_GPU_CUB_REDUCE_CUH
#define WA_BENCH_GPU_CUB_REDUCE_CUH

#include <cub/device/device_reduce.cuh>
#include <limits>
#include <thrust/iterator/transform_iterator.h>
#include <type_traits>

#include "bench/gpu/data.cuh"

// Device memory for CUB: more than any reduction wants.
struct CubMemory
{
	size_t bytes = (size_t) 16 << 20;
	void *d_temporary = device_memory(bytes);
	void *d_result = device_memory(sizeof(WaPartial));
};

// Conversions to accumulators

struct ToInt128
{
	__host__ __device__ WaInt128
	operator()(int64_t value) const
	{
		return {(uint64_t) value, value >> 63};
	}
};

// The two halves of an int8, summed apart: 16 bytes too, but no carries.
struct Halves
{
	uint64_t low;
	int64_t high;
};

struct ToHalves
{
	__host__ __device__ Halves
	operator()(int64_t value) const
	{
		return {(uint32_t) value, value >> 32};
	}
};

// The squares of integers, in what sums of them need, and of floats.
struct ToSquare
{
	__host__ __device__ int64_t
	operator()(int16_t value) const
	{
		return (int64_t) value * value;
	}

	__host__ __device__ WaInt128
	operator()(int32_t value) const
	{
		return {(uint64_t) ((int64_t) value * value), 0};
	}

	__host__ __device__ WaUint192
	operator()(int64_t value) const
	{
		return wa_uint192_make(wa_int64_square(value));
	}

	__host__ __device__ double
	operator()(double value) const
	{
		return value * value;
	}

	__host__ __device__ double
	operator()(float value) const
	{
		return (double) value * value;
	}
};

// The valid rows of a word of a bitmap.
struct ToBits
{
	__device__ int64_t
	operator()(uint64_t word) const
	{
		return __popcll(word);
	}
};

// Operations

template <typename Number> struct Add
{
	__host__ __device__ Number
	operator()(Number a, Number b) const
	{
		return a + b;
	}
};

template <> struct Add<WaInt128>
{
	__host__ __device__ WaInt128
	operator()(WaInt128 a, const WaInt128 &b) const
	{
		wa_int128_add(&a, wa_int128_get(b));
		return a;
	}
};

template <> struct Add<WaUint192>
{
	__host__ __device__ WaUint192
	operator()(WaUint192 a, const WaUint192 &b) const
	{
		wa_uint192_add(&a, b);
		return a;
	}
};

template <> struct Add<Halves>
{
	__host__ __device__ Halves
	operator()(const Halves &a, const Halves &b) const
	{
		return {a.low + b.low, a.high + b.high};
	}
};

// The smaller or the larger value in PostgreSQL's order, in which NaN is last.
template <WaOp kOp, typename Value> struct Extreme
{
	__host__ __device__ Value
	operator()(const Value &a, const Value &b) const
	{
		if (kOp == WA_OP_MIN)
			return less(b, a) ? b : a;
		return less(a, b) ? b : a;
	}

	__host__ __device__ static bool
	less(const Value &a, const Value &b)
	{
		if constexpr (std::is_same<Value, WaInt128>::value)
			return wa_int128_get(a) < wa_int128_get(b);
		else if constexpr (std::is_floating_point<Value>::value)
			return a < b || b != b;
		else
			return a < b;
	}

	// The value that changes no other.
	static Value
	neutral()
	{
		using Limits = std::numeric_limits<Value>;

		if constexpr (std::is_same<Value, WaInt128>::value)
			return kOp == WA_OP_MIN ? WaInt128{UINT64_MAX, INT64_MAX}
									: WaInt128{0, INT64_MIN};
		else if constexpr (std::is_floating_point<Value>::value)
			return kOp == WA_OP_MIN ? Limits::quiet_NaN() : -Limits::infinity();
		else
			return kOp == WA_OP_MIN ? Limits::max() : Limits::min();
	}
};

// Reductions

// Queues a reduction of fewer than 2^32 rows.
template <typename Iterator, typename Reduction, typename Result>
static void
cub_reduce(const CubMemory &memory, Iterator input, size_t nrows,
		   Reduction reduction, Result initial)
{
	size_t bytes = memory.bytes;

	must(cub::DeviceReduce::Reduce(memory.d_temporary, bytes, input,
								   static_cast<Result *>(memory.d_result),
								   (uint32_t) nrows, reduction, initial));
}

// The same of what a conversion makes of the values.
template <typename Value, typename Convert>
static void
cub_sum_of(const CubMemory &memory, const Value *values, size_t nrows,
		   Convert convert)
{
	using Sum = decltype(convert(Value()));

	cub_reduce(memory, thrust::make_transform_iterator(values, convert), nrows,
			   Add<Sum>(), Sum());
}

// The yardstick of a reduction over a storage.
template <WaOp kOp, WaStorage kStorage> struct CubYardstick
{
	using Value = typename StorageValue<kStorage>::Type;

	static void
	reduce(const CubMemory &memory, const Value *values, size_t nrows)
	{
		if constexpr (kOp == WA_OP_MIN || kOp == WA_OP_MAX)
			cub_reduce(memory, values, nrows, Extreme<kOp, Value>(),
					   Extreme<kOp, Value>::neutral());
		else if constexpr (kOp == WA_OP_SQUARES)
			cub_sum_of(memory, values, nrows, ToSquare());
		else if constexpr (kStorage == WA_F32 || kStorage == WA_F64)
			cub_reduce(memory, values, nrows, Add<double>(), 0.0);
		else if constexpr (kStorage == WA_I128)
			cub_reduce(memory, values, nrows, Add<WaInt128>(), WaInt128());
		else if constexpr (kStorage == WA_I64)
			cub_sum_of(memory, values, nrows, ToInt128());
		else
			cub_reduce(memory, values, nrows, Add<int64_t>(), (int64_t) 0);
	}
};

// Another way to ask for it, where there is one worth knowing; kName is NULL
// where there is none.
template <WaOp kOp, WaStorage kStorage> struct CubOther
{
	static constexpr const char *kName = NULL;
};

template <> struct CubOther<WA_OP_SUM, WA_I64>
{
	static constexpr const char *kName = "two int64, of the halves";

	static void
	reduce(const CubMemory &memory, const int64_t *values, size_t nrows)
	{
		cub_sum_of(memory, values, nrows, ToHalves());
	}
};

template <> struct CubOther<WA_OP_SUM, WA_F32>
{
	static constexpr const char *kName = "in floats";

	static void
	reduce(const CubMemory &memory, const float *values, size_t nrows)
	{
		cub_reduce(memory, values, nrows, Add<float>(), 0.0f);
	}
};

#endif // WA_BENCH_GPU_CUB_REDUCE_CUH
