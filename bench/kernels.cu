//
// kernels.cu
//		Measures the reduction kernels beside CUB on a machine with a GPU.
//
// Usage: bench_kernels FILE
//
// Writes a Markdown table to FILE and to standard output.  Input lies in
// device memory; successive launches read different buffers, so that caches do
// not help as far as buffers outnumber them.  Times are medians of single
// launches between CUDA events.  Ours and CUB take turns on the same buffers,
// and CUB comes twice, which shows the noise.  For sums of floats and of their
// squares CUB adds plain doubles, ours is exact.  Every result of ours up to kMaxCheckedBytes is
// compared with the CPU's, bit for bit; a difference ends the program.
//
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <functional>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <thrust/iterator/transform_iterator.h>
#include <vector>

#include "cuda/kernels.h"
#include "cuda/op/extreme.cuh"

static const size_t kSizes[] = {(size_t) 256 << 10, (size_t) 64 << 20,
								(size_t) 1 << 30};
static const size_t kMaxCheckedBytes = (size_t) 64 << 20;

// Buffers of one size together; twice the largest size.
static const size_t kArenaBytes = (size_t) 2 << 30;

// More buffers than this fill no cache that fewer do not.
static const size_t kMaxBuffers = 2048;

static const int kTurns = 6;
static const int kLaunchesPerTurn = 12;

// Ends the program if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_kernels: %s\n", cudaGetErrorString(error));
	exit(1);
}

// Where the tables go.
struct Output
{
	FILE *file;

	__attribute__((format(printf, 2, 3))) void
	print(const char *format, ...) const
	{
		va_list arguments;

		va_start(arguments, format);
		vprintf(format, arguments);
		va_end(arguments);
		va_start(arguments, format);
		vfprintf(file, format, arguments);
		va_end(arguments);
		fflush(stdout);
	}
};

// What all measurements share.
struct Bench
{
	Output output;
	int multiprocessors;
	unsigned char *d_arena;
	uint64_t *d_validity;  // for as many rows as an arena half can have
	unsigned char *d_copy; // of half the arena, for the copy bandwidth
	void *d_scratch;
	WaKernelResult *d_result;
	void *d_temporary; // CUB's
	void *d_cub_result;
	size_t temporary_bytes;
	std::vector<cudaEvent_t> events;
};

// Data: integers of any bits (of 96 for I128), floats of magnitude below 1000 with all bits of
// their mantissas.

static __device__ uint64_t
hash_of(uint64_t index)
{
	uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

template <typename Value>
static __device__ Value
value_of(uint64_t hash, Value)
{
	return (Value) hash;
}

static __device__ float
value_of(uint64_t hash, float)
{
	return (float) ((double) (int64_t) hash / 9.3e15);
}

static __device__ double
value_of(uint64_t hash, double)
{
	return (double) (int64_t) hash / 9.3e15;
}

static __device__ WaInt128
value_of(uint64_t hash, WaInt128)
{
	return {hash, (int64_t) hash_of(hash) >> 33};
}

template <typename Value>
static __global__ void
fill_values(Value *values, size_t count)
{
	size_t stride = (size_t) gridDim.x * blockDim.x;

	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < count;
		 i += stride)
		values[i] = value_of(hash_of(i), Value());
}

// Measurements

typedef std::function<void(size_t buffer)> Launch;

// Adds the times of a turn of launches, in microseconds, to *times.
static void
run_turn(Bench &bench, const Launch &launch, size_t buffers, size_t *next,
		 std::vector<float> *times)
{
	for (int i = 0; i < kLaunchesPerTurn; i++)
	{
		must(cudaEventRecord(bench.events[2 * i]));
		launch(*next);
		must(cudaEventRecord(bench.events[2 * i + 1]));
		*next = (*next + 1) % buffers;
	}
	must(cudaDeviceSynchronize());
	for (int i = 0; i < kLaunchesPerTurn; i++)
	{
		float ms;

		must(cudaEventElapsedTime(&ms, bench.events[2 * i],
								  bench.events[2 * i + 1]));
		times->push_back(ms * 1000);
	}
}

// Lets the launches take turns, after one turn that does not count, and
// returns the median of each in microseconds.
static std::vector<float>
measure(Bench &bench, const std::vector<Launch> &launches, size_t buffers)
{
	std::vector<std::vector<float>> times(launches.size());
	std::vector<float> medians;
	size_t next = 0;

	for (int turn = 0; turn <= kTurns; turn++)
		for (size_t i = 0; i < launches.size(); i++)
		{
			run_turn(bench, launches[i], buffers, &next, &times[i]);
			if (turn == 0)
				times[i].clear();
		}
	for (std::vector<float> &all : times)
	{
		std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
		medians.push_back(all[all.size() / 2]);
	}
	return medians;
}

// How CUB is asked for the same

// The two halves of an int8, summed apart, as our kernel does.
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

struct AddHalves
{
	__host__ __device__ Halves
	operator()(const Halves &a, const Halves &b) const
	{
		return {a.low + b.low, a.high + b.high};
	}
};

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

template <WaOp kOp, typename Value> struct Extreme
{
	__device__ Value
	operator()(const Value &a, const Value &b) const
	{
		return wa_extreme_of<kOp, Value>(a, b);
	}
};

template <typename Iterator, typename Reduction, typename Result>
static void
cub_reduce(Bench &bench, Iterator input, size_t nrows, Reduction reduction,
		   Result initial)
{
	must(cub::DeviceReduce::Reduce(bench.d_temporary, bench.temporary_bytes,
								   input,
								   static_cast<Result *>(bench.d_cub_result),
								   (int) nrows, reduction, initial));
}

// The reduction of a storage by CUB, with our accumulator type.
template <WaOp kOp, WaStorage kStorage> struct Cub
{
	using Value = typename WaStorageValue<kStorage>::Type;

	static void
	reduce(Bench &bench, const Value *values, size_t nrows)
	{
		if constexpr (kOp == WA_OP_MIN || kOp == WA_OP_MAX)
		{
			constexpr Value kNeutral = WaExtreme<kOp, kStorage>::kNeutral;

			cub_reduce(bench, values, nrows, Extreme<kOp, Value>(), kNeutral);
		}
		else if constexpr (kOp == WA_OP_SQUARES)
		{
			using Square = decltype(ToSquare()(Value()));

			cub_reduce(bench,
					   thrust::make_transform_iterator(values, ToSquare()),
					   nrows, Add<Square>(), Square());
		}
		else if constexpr (kStorage == WA_F32 || kStorage == WA_F64)
			cub_reduce(bench, values, nrows, Add<double>(), 0.0);
		else if constexpr (kStorage == WA_I128)
			cub_reduce(bench, values, nrows, Add<WaInt128>(), WaInt128());
		else
			cub_reduce(bench, values, nrows, Add<int64_t>(), (int64_t) 0);
	}
};

template <> struct Cub<WA_OP_SUM, WA_I64>
{
	static void
	reduce(Bench &bench, const int64_t *values, size_t nrows)
	{
		cub_reduce(bench, thrust::make_transform_iterator(values, ToHalves()),
				   nrows, AddHalves(), Halves{0, 0});
	}
};

// The table

static WaType
type_of_storage(WaStorage storage)
{
	int type = 0;

	while (wa_type_storage((WaType) type) != storage)
		type++;
	return (WaType) type;
}

// Ends the program unless our result on the buffer is the CPU's.
static void
check_result(Bench &bench, WaOp op, const WaBatch &d_batch)
{
	const size_t bytes = d_batch.nrows * wa_type_width(d_batch.type);
	std::vector<unsigned char> values(bytes);
	WaBatch batch = d_batch;
	WaKernelResult result;
	WaExactPart found_exact, expected_exact;
	WaPartial found, expected;
	std::vector<uint8_t> found_bytes(WA_PARTIAL_MAX_BYTES);
	std::vector<uint8_t> expected_bytes(WA_PARTIAL_MAX_BYTES);

	must(cudaMemcpy(values.data(), d_batch.values, bytes,
					cudaMemcpyDeviceToHost));
	must(cudaMemcpy(&result, bench.d_result, sizeof(result),
					cudaMemcpyDeviceToHost));
	batch.values = values.data();
	wa_partial_init(&found, &found_exact);
	wa_partial_init(&expected, &expected_exact);
	wa_kernel_finish(op, &batch, &result, &found);
	wa_partial_fold(&expected, WA_OP_BIT(op), &batch);
	found_bytes.resize(wa_partial_encode(&found, batch.type, WA_OP_BIT(op),
										 found_bytes.data()));
	expected_bytes.resize(wa_partial_encode(
		&expected, batch.type, WA_OP_BIT(op), expected_bytes.data()));
	if (found_bytes == expected_bytes)
		return;
	fprintf(stderr, "bench_kernels: %s over %s of %zu bytes is wrong\n",
			wa_op_name(op), wa_type_name(batch.type), bytes);
	exit(1);
}

static std::string
size_text(size_t bytes)
{
	if (bytes >= (size_t) 1 << 30)
		return std::to_string(bytes >> 30) + " GiB";
	if (bytes >= (size_t) 1 << 20)
		return std::to_string(bytes >> 20) + " MiB";
	return std::to_string(bytes >> 10) + " KiB";
}

// Gives CUB the temporary memory it wants for this reduction.
static void
size_temporary(Bench &bench, const Launch &cub)
{
	bench.d_temporary = NULL;
	bench.temporary_bytes = 0;
	cub(0);
	must(cudaMalloc(&bench.d_temporary, bench.temporary_bytes));
}

// Measures one reduction at one size and prints its line.
template <WaOp kOp, WaStorage kStorage>
static void
bench_size(Bench &bench, size_t bytes)
{
	using Value = typename WaStorageValue<kStorage>::Type;
	const size_t nrows = bytes / sizeof(Value);
	const size_t buffers = std::min(kArenaBytes / bytes, kMaxBuffers);
	const WaType type = type_of_storage(kStorage);
	const auto batch_of = [&](size_t buffer, const uint64_t *d_validity) {
		return WaBatch{type, bench.d_arena + buffer * bytes, d_validity, nrows};
	};
	const auto ours = [&](size_t buffer, const uint64_t *d_validity)
	{
		const WaBatch d_batch = batch_of(buffer, d_validity);

		must(wa_kernel_launch(kOp, &d_batch, bench.d_scratch, bench.d_result,
							  bench.multiprocessors, NULL));
	};
	const Launch plain = [&](size_t buffer) { ours(buffer, NULL); };
	const Launch nullable = [&](size_t buffer)
	{ ours(buffer, bench.d_validity); };
	const Launch cub = [&](size_t buffer)
	{
		const unsigned char *d_values = bench.d_arena + buffer * bytes;

		Cub<kOp, kStorage>::reduce(
			bench, reinterpret_cast<const Value *>(d_values), nrows);
	};
	std::vector<float> us;

	size_temporary(bench, cub);
	us = measure(bench, {plain, cub, cub, nullable}, buffers);
	must(cudaFree(bench.d_temporary));
	if (bytes <= kMaxCheckedBytes)
	{
		plain(1);
		check_result(bench, kOp, batch_of(1, NULL));
	}
	bench.output.print(
		"| %s | %s | %s | %.1f | %.0f | %.1f | %.0f | %.3f | %.3f | %.0f |\n",
		wa_op_name(kOp), wa_type_name(type), size_text(bytes).c_str(), us[0],
		bytes / us[0] / 1000, us[1], bytes / us[1] / 1000, us[1] / us[0],
		us[1] / us[2], (bytes + wa_validity_bytes(nrows)) / us[3] / 1000);
}

// Measures one reduction at all sizes.
template <WaOp kOp, WaStorage kStorage>
static void
bench_reduction(Bench &bench)
{
	using Value = typename WaStorageValue<kStorage>::Type;

	fill_values<<<4096, 256>>>(reinterpret_cast<Value *>(bench.d_arena),
							   kArenaBytes / sizeof(Value));
	must(cudaGetLastError());
	for (size_t bytes : kSizes)
		bench_size<kOp, kStorage>(bench, bytes);
}

// Measures the copy of half the arena to other memory.
static void
bench_copy(Bench &bench)
{
	const size_t bytes = kArenaBytes / 2;
	const Launch copy = [&](size_t buffer)
	{
		must(cudaMemcpyAsync(bench.d_copy, bench.d_arena + buffer * bytes,
							 bytes, cudaMemcpyDeviceToDevice, NULL));
	};
	float us = measure(bench, {copy}, 2)[0];

	bench.output.print("\nCopy of 1 GiB within device memory: %.1f us, "
					   "%.0f GB/s read and written\n",
					   us, 2 * bytes / us / 1000);
}

// Allocates what the measurements share.
static void
prepare(Bench &bench, const char *path)
{
	cudaDeviceProp properties;
	const size_t max_rows = kArenaBytes / 2 / sizeof(int16_t);

	bench.output.file = fopen(path, "w");
	if (bench.output.file == NULL)
	{
		fprintf(stderr, "bench_kernels: could not write %s\n", path);
		exit(1);
	}
	must(cudaGetDeviceProperties(&properties, 0));
	bench.multiprocessors = properties.multiProcessorCount;
	must(cudaMalloc(&bench.d_arena, kArenaBytes));
	must(cudaMalloc(&bench.d_validity, wa_validity_bytes(max_rows)));
	must(cudaMalloc(&bench.d_copy, kArenaBytes / 2));
	must(cudaMalloc(&bench.d_scratch, wa_kernel_scratch_bytes()));
	must(cudaMemset(bench.d_scratch, 0, wa_kernel_scratch_bytes()));
	must(cudaMalloc(&bench.d_result, sizeof(WaKernelResult)));
	must(cudaMalloc(&bench.d_cub_result, sizeof(WaKernelResult)));
	fill_values<<<4096, 256>>>(bench.d_validity,
							   wa_validity_bytes(max_rows) / sizeof(uint64_t));
	must(cudaGetLastError());
	bench.events.resize(2 * kLaunchesPerTurn);
	for (cudaEvent_t &event : bench.events)
		must(cudaEventCreate(&event));
	bench.output.print(
		"%s, %d multiprocessors\n\n"
		"| operation | type | input | ours us | ours GB/s | CUB us | CUB GB/s "
		"| CUB/ours | CUB/CUB | ours with nulls GB/s |\n"
		"|---|---|---|---|---|---|---|---|---|---|\n",
		properties.name, bench.multiprocessors);
}

int
main(int argc, char **argv)
{
	Bench bench = {};

	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_kernels FILE\n");
		return 1;
	}
	prepare(bench, argv[1]);
#define X(op, storage, accumulator) \
	bench_reduction<WA_OP_##op, WA_##storage>(bench);
	WA_REDUCTION_LIST(X)
#undef X
	bench_copy(bench);
	fclose(bench.output.file);
	return 0;
}
