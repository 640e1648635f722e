//
// data.cuh
//		Data that the GPU benchmarks make in device memory: a value is a function
//		of its row and a seed.
//
#ifndef WA_BENCH_GPU_DATA_CUH
#define WA_BENCH_GPU_DATA_CUH

#include "bench/gpu/timing.cuh"
#include "core/partial.h"

// Returns random bits for an index (splitmix64, S. Vigna 2015).
static __host__ __device__ __forceinline__ uint64_t
hash_of(uint64_t index)
{
	uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

// Returns a number in [0, 1) of 53 random bits.
static __device__ __forceinline__ double
fraction_of(uint64_t hash)
{
	return (double) (hash >> 11) * 0x1p-53;
}

// Lets make(row) fill the memory.
template <typename Value, typename Make>
static __global__ void
fill_kernel(Value *d_values, size_t count, Make make)
{
	const size_t stride = (size_t) gridDim.x * blockDim.x;

	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < count;
		 i += stride)
		d_values[i] = make(i);
}

template <typename Value, typename Make>
static inline void
fill_with(Value *d_values, size_t count, Make make)
{
	fill_kernel<<<4096, 256>>>(d_values, count, make);
	must(cudaGetLastError());
}

// Kinds of floats

// X(NAME, text)
#define FLOAT_KIND_LIST(X)                                       \
	X(UNIFORM, "uniform in +-1000")                              \
	X(PRICES, "prices: multiples of 0.01 to 10^5")               \
	X(NORMAL, "normal")                                          \
	X(BINADES_20, "exponents uniform over 20 binades")           \
	X(BINADES_40, "exponents uniform over 40 binades")           \
	X(BINADES_50, "exponents uniform over 50 binades")           \
	X(FINITE, "all finite numbers, by their bits")               \
	X(SPECIAL, "uniform, with 1% of NaN, infinities and -0")     \
	X(SUBNORMAL, "subnormal")                                    \
	X(HUGE_TINY, "huge of alternating sign, and tiny, in turns") \
	X(SORTED, "all exponents, ascending")

enum FloatKind
{
#define X(name, text) FLOAT_##name,
	FLOAT_KIND_LIST(X)
#undef X
		FLOAT_KINDS
};

static inline const char *
float_kind_text(FloatKind kind)
{
	static const char *const texts[] = {
#define X(name, text) text,
		FLOAT_KIND_LIST(X)
#undef X
	};

	return texts[kind];
}

// How the floats are made.
template <typename Value> struct FloatForm;

template <> struct FloatForm<float>
{
	using Bits = uint32_t;
	static constexpr int kMantissaBits = 23;
	static constexpr int kBias = 127;
	static constexpr double kHuge = 1e38;
	static constexpr double kTiny = 1e-36;
};

template <> struct FloatForm<double>
{
	using Bits = uint64_t;
	static constexpr int kMantissaBits = 52;
	static constexpr int kBias = 1023;
	static constexpr double kHuge = 1e308;
	static constexpr double kTiny = 1e-300;
};

// Returns the float with this biased exponent and the hash's sign and mantissa.
template <typename Value>
static __device__ Value
float_of_exponent(unsigned biased, uint64_t hash)
{
	using Form = FloatForm<Value>;
	using Bits = typename Form::Bits;
	constexpr Bits kSign = (Bits) 1 << (8 * sizeof(Bits) - 1);
	constexpr Bits kMantissa = ((Bits) 1 << Form::kMantissaBits) - 1;
	const Bits bits = ((Bits) hash & (kSign | kMantissa)) |
					  (Bits) biased << Form::kMantissaBits;
	Value value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

// A row's float of a kind.
template <typename Value> struct MakeFloat
{
	FloatKind kind;
	size_t count; // of all rows
	uint64_t seed;

	static constexpr unsigned kBias = FloatForm<Value>::kBias;

	__device__ Value
	operator()(size_t row) const
	{
		const uint64_t hash = hash_of(seed + row);

		switch (kind)
		{
			case FLOAT_PRICES:
				return (Value) ((double) (hash % 10000001) / 100);
			case FLOAT_NORMAL:
				return normal(hash);
			case FLOAT_BINADES_20:
				return binades(hash, 20);
			case FLOAT_BINADES_40:
				return binades(hash, 40);
			case FLOAT_BINADES_50:
				return binades(hash, 50);
			case FLOAT_FINITE:
				return float_of_exponent<Value>(
					(unsigned) (hash_of(hash) % (2 * kBias + 1)), hash);
			case FLOAT_SPECIAL:
				return special(hash);
			case FLOAT_SUBNORMAL:
				return float_of_exponent<Value>(0, hash);
			case FLOAT_HUGE_TINY:
				return huge_tiny(row, hash);
			case FLOAT_SORTED:
				return float_of_exponent<Value>(
					(unsigned) (row * (2 * kBias + 1) / count), hash);
			default:
				return uniform(hash);
		}
	}

	__device__ static Value
	uniform(uint64_t hash)
	{
		return (Value) ((double) (int64_t) hash * (1000 * 0x1p-63));
	}

	// Box and Muller's method.
	__device__ static Value
	normal(uint64_t hash)
	{
		const double radius = sqrt(-2 * log(1 - fraction_of(hash)));

		return (Value) (radius * cospi(2 * fraction_of(hash_of(hash))));
	}

	__device__ static Value
	binades(uint64_t hash, unsigned number)
	{
		return float_of_exponent<Value>(
			kBias - number / 2 + (unsigned) (hash_of(hash) % number), hash);
	}

	__device__ static Value
	special(uint64_t hash)
	{
		const Value infinity = (Value) INFINITY;

		switch (hash_of(hash) % 400)
		{
			case 0:
				return (Value) NAN;
			case 1:
				return infinity;
			case 2:
				return -infinity;
			case 3:
				return (Value) -0.0;
			default:
				return uniform(hash);
		}
	}

	__device__ static Value
	huge_tiny(size_t row, uint64_t hash)
	{
		using Form = FloatForm<Value>;
		const double factor = 0.5 + fraction_of(hash) / 2;

		if (row % 2 != 0)
			return (Value) (Form::kTiny * factor);
		return (Value) (row % 4 == 0 ? Form::kHuge * factor
									 : -Form::kHuge * factor);
	}
};

template <typename Value>
static inline void
fill_floats(FloatKind kind, Value *d_values, size_t count, uint64_t seed)
{
	fill_with(d_values, count, MakeFloat<Value>{kind, count, seed});
}

// Values of any storage: integers of any bits (of 96 for I128), floats uniform
// in +-1000 with all bits of their mantissas.

// The C type of a storage.
template <WaStorage kStorage> struct StorageValue;

#define X(name, ctype)                         \
	template <> struct StorageValue<WA_##name> \
	{                                          \
		using Type = ctype;                    \
	};
WA_STORAGE_LIST(X)
#undef X

template <typename Value> struct MakeValue
{
	uint64_t seed;

	__device__ Value
	operator()(size_t row) const
	{
		const uint64_t hash = hash_of(seed + row);

		if constexpr (std::is_same<Value, WaInt128>::value)
			return WaInt128{hash, (int64_t) hash_of(hash) >> 33};
		else if constexpr (std::is_floating_point<Value>::value)
			return MakeFloat<Value>::uniform(hash);
		else
			return (Value) hash;
	}
};

static inline void
fill_storage(WaStorage storage, void *d_values, size_t bytes, uint64_t seed)
{
	switch (storage)
	{
#define X(name, ctype)                                                   \
	case WA_##name:                                                      \
		fill_with(static_cast<ctype *>(d_values), bytes / sizeof(ctype), \
				  MakeValue<ctype>{seed});                               \
		break;
		WA_STORAGE_LIST(X)
#undef X
		default:
			break;
	}
}

// Groups of rows

// X(NAME, text)
#define GROUP_KIND_LIST(X)                   \
	X(UNIFORM, "uniform")                    \
	X(ONE, "all rows in one group")          \
	X(HALF, "half of the rows in one group") \
	X(ZIPF, "group g as often as 1/(g + 1)") \
	X(SORTED, "sorted")

enum GroupKind
{
#define X(name, text) GROUP_##name,
	GROUP_KIND_LIST(X)
#undef X
		GROUP_KINDS
};

static inline const char *
group_kind_text(GroupKind kind)
{
	static const char *const texts[] = {
#define X(name, text) text,
		GROUP_KIND_LIST(X)
#undef X
	};

	return texts[kind];
}

// A row's group.
struct MakeGroup
{
	GroupKind kind;
	uint32_t ngroups;
	size_t count; // of all rows
	uint64_t seed;

	__device__ uint32_t
	operator()(size_t row) const
	{
		const uint64_t hash = hash_of(seed + row);

		switch (kind)
		{
			case GROUP_ONE:
				return ngroups - 1;
			case GROUP_HALF:
				return (hash & 1) != 0 ? ngroups / 2 : uniform(hash);
			case GROUP_ZIPF:
				return zipf(hash);
			case GROUP_SORTED:
				return (uint32_t) (row * ngroups / count);
			default:
				return uniform(hash);
		}
	}

	__device__ uint32_t
	uniform(uint64_t hash) const
	{
		return (uint32_t) ((hash >> 32) * ngroups >> 32);
	}

	// The group is below g with probability log(g + 1) / log(ngroups + 1).
	__device__ uint32_t
	zipf(uint64_t hash) const
	{
		const double range = log2((double) ngroups + 1);
		const double group = exp2(fraction_of(hash) * range) - 1;

		return group < ngroups ? (uint32_t) group : ngroups - 1;
	}
};

#endif // WA_BENCH_GPU_DATA_CUH
