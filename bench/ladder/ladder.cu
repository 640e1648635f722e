//
// ladder.cu
//		Times the steps of a sum reduction side by side on a machine with a GPU:
//		steps.cuh, then the production kernel, then CUB.
//
// Usage: bench_ladder FILE
//
// Writes Markdown tables, one for each kind of numbers, to FILE and to standard
// output.  Input lies in device memory; successive launches read different
// buffers.  Times are medians between CUDA events around all launches that a
// step needs until one sum is left; the steps take turns on the same buffers.
// Every step's result on one buffer of each size is compared with the CPU's; a
// difference ends the program.
//
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <functional>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <vector>

#include "bench/ladder/launch.cuh"
#include "cuda/kernels.h"
#include "cuda/op/operation.cuh"

static const size_t kSizes[] = {(size_t) 64 << 20, (size_t) 1 << 30};
static const size_t kArenaBytes = (size_t) 2 << 30; // buffers of one size

// Threads of a block in every step; the same as production's.
static const unsigned kThreads = 256;

static const int kTurns = 6;
static const int kRunsPerTurn = 10;

// Ends the program if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bench_ladder: %s\n", cudaGetErrorString(error));
	exit(1);
}

// What all measurements share.
struct Bench
{
	FILE *file;
	unsigned multiprocessors;
	unsigned char *d_arena;
	void *d_scratch;        // the steps'
	void *d_sum;            // theirs and CUB's result
	void *d_kernel_scratch; // production's
	WaKernelResult *d_result;
	void *d_temporary; // CUB's
	size_t temporary_bytes;
	std::vector<cudaEvent_t> events;

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

// Data: integers of any bits; floats that are small integers, so that any order
// of additions gives the same sum, as long as it stays below 2^24 on the way.

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
	return (float) ((int) (hash >> 32) % 9);
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

// One line of a table: how to reduce a buffer, and how to get at the result.
template <typename Sum> struct Line
{
	std::string number;
	std::string name;
	std::function<void(size_t buffer)> run;
	std::function<Sum()> result;
};

// How the production kernel's result reads as a Sum.
template <typename Sum>
static Sum
sum_of(const WaKernelResult &result)
{
	return (Sum) result.sum.lo;
}

template <>
float
sum_of(const WaKernelResult &result)
{
	WaExactSum exact = result.exact;
	bool overflow;

	wa_exact_normalize(&exact);
	return wa_exact_to_float(&exact, result.rows, &overflow);
}

// CUB's addition, in the accumulator that the steps have.
template <typename Sum> struct Plus
{
	__host__ __device__ Sum
	operator()(Sum a, Sum b) const
	{
		return a + b;
	}
};

// One kind of numbers at one size.
template <WaType kType, typename Value, typename Sum> class Ladder
{
  public:
	Ladder(Bench &bench, size_t bytes)
		: bench_(bench), bytes_(bytes),
		  nrows_((unsigned) (bytes / sizeof(Value))),
		  buffers_(kArenaBytes / bytes)
	{
		for (unsigned index = 0; index < kLadderSteps; index++)
			add_step(index);
		add_production();
		add_cub();
	}

	~Ladder()
	{
		must(cudaFree(bench_.d_temporary));
	}

	const std::vector<Line<Sum>> &
	lines() const
	{
		return lines_;
	}

	// Returns which line is the production kernel's.
	size_t
	production() const
	{
		return production_;
	}

	// Ends the program unless every line finds the CPU's sum of a buffer.
	void
	check() const
	{
		const size_t buffer = buffers_ - 1;
		std::vector<Value> values(nrows_);
		Sum expected = 0;

		must(cudaMemcpy(values.data(), buffer_of(buffer), bytes_,
						cudaMemcpyDeviceToHost));
		for (Value value : values)
			expected += (Sum) value;
		for (const Line<Sum> &line : lines_)
		{
			must(cudaMemset(bench_.d_sum, 0xff, sizeof(Sum)));
			must(cudaMemset(bench_.d_result, 0xff, sizeof(WaKernelResult)));
			line.run(buffer);
			must(cudaDeviceSynchronize());
			if (line.result() == expected)
				continue;
			fprintf(stderr,
					"bench_ladder: step %s over %s of %zu bytes is wrong\n",
					line.number.c_str(), wa_type_name(kType), bytes_);
			exit(1);
		}
	}

	// Lets the lines take turns, after one turn that does not count, and
	// returns the median of each in microseconds.
	std::vector<float>
	measure()
	{
		std::vector<std::vector<float>> times(lines_.size());
		std::vector<float> medians;

		for (int turn = 0; turn <= kTurns; turn++)
			for (size_t i = 0; i < lines_.size(); i++)
			{
				run_turn(lines_[i], &times[i]);
				if (turn == 0)
					times[i].clear();
			}
		for (std::vector<float> &all : times)
		{
			std::nth_element(all.begin(), all.begin() + all.size() / 2,
							 all.end());
			medians.push_back(all[all.size() / 2]);
		}
		return medians;
	}

  private:
	const Value *
	buffer_of(size_t buffer) const
	{
		return reinterpret_cast<const Value *>(bench_.d_arena +
											   buffer * bytes_);
	}

	// Returns what lies in d_sum.
	Sum
	read_sum() const
	{
		Sum sum;

		must(cudaMemcpy(&sum, bench_.d_sum, sizeof(sum),
						cudaMemcpyDeviceToHost));
		return sum;
	}

	void
	add_step(unsigned index)
	{
		const WaLadderStep<Value, Sum> step = wa_ladder_step<Value, Sum>(index);

		lines_.push_back(
			{step.number, step.name,
			 [this, step](size_t buffer)
			 {
				 must(wa_ladder_launch(step, buffer_of(buffer), nrows_,
									   static_cast<Sum *>(bench_.d_scratch),
									   static_cast<Sum *>(bench_.d_sum),
									   kThreads, bench_.multiprocessors, NULL));
			 },
			 [this] { return read_sum(); }});
	}

	void
	add_production()
	{
		lines_.push_back(
			{"8", "production kernel",
			 [this](size_t buffer)
			 {
				 const WaBatch d_batch = {kType, buffer_of(buffer), NULL,
										  nrows_};

				 must(wa_kernel_launch(WA_OP_SUM, &d_batch,
									   bench_.d_kernel_scratch, bench_.d_result,
									   (int) bench_.multiprocessors, NULL));
			 },
			 [this]
			 {
				 WaKernelResult result;

				 must(cudaMemcpy(&result, bench_.d_result, sizeof(result),
								 cudaMemcpyDeviceToHost));
				 return sum_of<Sum>(result);
			 }});
		production_ = lines_.size() - 1;
	}

	void
	add_cub()
	{
		const auto run = [this](size_t buffer)
		{
			must(cub::DeviceReduce::Reduce(
				bench_.d_temporary, bench_.temporary_bytes, buffer_of(buffer),
				static_cast<Sum *>(bench_.d_sum), (int) nrows_, Plus<Sum>(),
				(Sum) 0));
		};

		bench_.d_temporary = NULL; // asks how much is needed
		bench_.temporary_bytes = 0;
		run(0);
		must(cudaMalloc(&bench_.d_temporary, bench_.temporary_bytes));
		lines_.push_back(
			{"9", "cub::DeviceReduce", run, [this] { return read_sum(); }});
	}

	// Adds the times of a turn, in microseconds, to *times.
	void
	run_turn(const Line<Sum> &line, std::vector<float> *times)
	{
		for (int i = 0; i < kRunsPerTurn; i++)
		{
			must(cudaEventRecord(bench_.events[2 * i]));
			line.run(next_);
			must(cudaEventRecord(bench_.events[2 * i + 1]));
			next_ = (next_ + 1) % buffers_;
		}
		must(cudaDeviceSynchronize());
		for (int i = 0; i < kRunsPerTurn; i++)
		{
			float ms;

			must(cudaEventElapsedTime(&ms, bench_.events[2 * i],
									  bench_.events[2 * i + 1]));
			times->push_back(ms * 1000);
		}
	}

	Bench &bench_;
	size_t bytes_;
	unsigned nrows_;
	size_t buffers_;
	size_t next_ = 0; // buffer of the next run
	std::vector<Line<Sum>> lines_;
	size_t production_; // the line of the production kernel
};

// Prints the cells of one size: time, bandwidth, how many times as fast as the
// line before, and time as a multiple of production's.
static void
append_cells(std::string *row, const std::vector<float> &us, size_t line,
			 size_t production, size_t bytes)
{
	char cells[100];
	char before[20] = "-";

	if (line > 0)
		snprintf(before, sizeof(before), "%.2f", us[line - 1] / us[line]);
	snprintf(cells, sizeof(cells), " %.1f | %.0f | %s | %.2f |", us[line],
			 (double) bytes / us[line] / 1000, before,
			 us[line] / us[production]);
	*row += cells;
}

// Measures one kind of numbers at all sizes and prints its table.
template <WaType kType, typename Value, typename Sum>
static void
bench_numbers(Bench &bench, const char *numbers)
{
	std::vector<std::string> rows;

	fill_values<<<4096, 256>>>(reinterpret_cast<Value *>(bench.d_arena),
							   kArenaBytes / sizeof(Value));
	must(cudaGetLastError());
	for (size_t bytes : kSizes)
	{
		Ladder<kType, Value, Sum> ladder(bench, bytes);
		std::vector<float> us;

		ladder.check();
		us = ladder.measure();
		rows.resize(ladder.lines().size());
		for (size_t i = 0; i < rows.size(); i++)
		{
			const Line<Sum> &line = ladder.lines()[i];

			if (rows[i].empty())
				rows[i] = "| " + line.number + " | " + line.name + " |";
			append_cells(&rows[i], us, i, ladder.production(), bytes);
		}
	}
	bench.print("\n## %s\n\n| step | |", numbers);
	for (size_t bytes : kSizes)
		bench.print(" %zu MiB us | GB/s | speed over the step before | "
					"time over production's |",
					bytes >> 20);
	bench.print("\n|---|---|");
	for (size_t i = 0; i < sizeof(kSizes) / sizeof(kSizes[0]); i++)
		bench.print("---|---|---|---|");
	bench.print("\n");
	for (const std::string &row : rows)
		bench.print("%s\n", row.c_str());
}

// Allocates what the measurements share.
static void
prepare(Bench &bench, const char *path)
{
	const unsigned max_rows = (unsigned) (kSizes[1] / sizeof(int32_t));
	cudaDeviceProp properties;

	bench.file = fopen(path, "w");
	if (bench.file == NULL)
	{
		fprintf(stderr, "bench_ladder: could not write %s\n", path);
		exit(1);
	}
	must(cudaGetDeviceProperties(&properties, 0));
	bench.multiprocessors = (unsigned) properties.multiProcessorCount;
	must(cudaMalloc(&bench.d_arena, kArenaBytes));
	must(cudaMalloc(&bench.d_scratch,
					wa_ladder_scratch_sums(max_rows, kThreads) *
						sizeof(int64_t)));
	must(cudaMalloc(&bench.d_sum, sizeof(int64_t)));
	must(cudaMalloc(&bench.d_kernel_scratch, wa_kernel_scratch_bytes()));
	must(cudaMemset(bench.d_kernel_scratch, 0, wa_kernel_scratch_bytes()));
	must(cudaMalloc(&bench.d_result, sizeof(WaKernelResult)));
	bench.events.resize(2 * kRunsPerTurn);
	for (cudaEvent_t &event : bench.events)
		must(cudaEventCreate(&event));
	bench.print("%s, %u multiprocessors, blocks of %u threads\n",
				properties.name, bench.multiprocessors, kThreads);
}

int
main(int argc, char **argv)
{
	Bench bench = {};

	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_ladder FILE\n");
		return 1;
	}
	prepare(bench, argv[1]);
	bench_numbers<WA_INT4, int32_t, int64_t>(bench, "int4, summed in 64 bits");
	bench_numbers<WA_INT4, int32_t, uint32_t>(bench,
											  "int4, summed modulo 2^32");
	bench_numbers<WA_INT8, int64_t, uint64_t>(bench,
											  "int8, summed modulo 2^64");
	bench_numbers<WA_FLOAT4, float, float>(bench, "float4, summed in floats");
	fclose(bench.file);
	return 0;
}
