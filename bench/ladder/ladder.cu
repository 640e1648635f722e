//
// ladder.cu
//		Times the steps of a sum reduction side by side on a machine with a GPU:
//		steps.cuh, then the production kernel, then CUB.
//
// Usage: bench_ladder FILE
//
// Writes Markdown tables, one for each kind of numbers, to FILE and to standard
// output.  bench/gpu/timing.cuh says how times are taken: of all launches that a
// step needs until one sum is left; the steps take turns on the same buffers.
// Every step's result on one buffer of each size is compared with the CPU's; a
// difference ends the program.
//
#include "bench/gpu/cub_reduce.cuh"
#include "bench/ladder/launch.cuh"
#include "cuda/kernels.h"

static const size_t kSizes[] = {(size_t) 64 << 20, (size_t) 1 << 30};
static const size_t kArenaBytes = (size_t) 2 << 30; // buffers of one size

// Threads of a block in every step; the same as production's.
static const unsigned kThreads = 256;

// What all measurements share.
struct Bench
{
	Output output;
	Timer timer;
	Arena arena;
	CubMemory cub;
	unsigned multiprocessors;
	void *d_scratch;        // the steps'
	void *d_sum;            // their result
	void *d_kernel_scratch; // production's
	WaKernelResult *d_result;
};

// Data: integers of any bits; floats that are small integers, so that any order
// of additions gives the same sum, as long as it stays below 2^24 on the way.
template <typename Value> struct MakeNumber
{
	__device__ Value
	operator()(size_t row) const
	{
		const uint64_t hash = hash_of(row);

		if (std::is_floating_point<Value>::value)
			return (Value) ((int) (hash >> 32) % 9);
		return (Value) hash;
	}
};

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

// One kind of numbers at one size.
template <WaType kType, typename Value, typename Sum> class Ladder
{
  public:
	Ladder(Bench &bench, size_t bytes)
		: bench_(bench), bytes_(bytes),
		  nrows_((unsigned) (bytes / sizeof(Value))),
		  buffers_(bench.arena.buffers(bytes))
	{
		for (unsigned index = 0; index < kLadderSteps; index++)
			add_step(index);
		add_production();
		add_cub();
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
			must(cudaMemset(bench_.cub.d_result, 0xff, sizeof(Sum)));
			must(cudaMemset(bench_.d_result, 0xff, sizeof(WaKernelResult)));
			line.run(buffer);
			must(cudaDeviceSynchronize());
			if (line.result() == expected)
				continue;
			stop("step %s over %s of %zu bytes is wrong", line.number.c_str(),
				 wa_type_name(kType), bytes_);
		}
	}

	// Returns the time of each line in microseconds.
	std::vector<float>
	measure() const
	{
		std::vector<Contestant> contestants;

		for (const Line<Sum> &line : lines_)
			contestants.push_back(line.run);
		return bench_.timer.measure(contestants, buffers_);
	}

  private:
	const Value *
	buffer_of(size_t buffer) const
	{
		return reinterpret_cast<const Value *>(bench_.arena.at(buffer, bytes_));
	}

	// Returns what lies in device memory.
	static Sum
	read_sum(const void *d_sum)
	{
		Sum sum;

		must(cudaMemcpy(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost));
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
			 [this] { return read_sum(bench_.d_sum); }});
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
				 const WaKernelColumn column = {d_batch, WA_OP_BIT(WA_OP_SUM),
												bench_.d_result};

				 must(wa_kernel_launch(&column, 1, bench_.d_kernel_scratch,
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
		lines_.push_back({"9", "cub::DeviceReduce",
						  [this](size_t buffer) {
							  cub_reduce(bench_.cub, buffer_of(buffer), nrows_,
										 Add<Sum>(), (Sum) 0);
						  },
						  [this] { return read_sum(bench_.cub.d_result); }});
	}

	Bench &bench_;
	size_t bytes_;
	unsigned nrows_;
	size_t buffers_;
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
			 gb_per_s(bytes, us[line]), before, us[line] / us[production]);
	*row += cells;
}

// Measures one kind of numbers at all sizes and prints its table.
template <WaType kType, typename Value, typename Sum>
static void
bench_numbers(Bench &bench, const char *numbers)
{
	std::vector<std::string> rows;

	fill_with(reinterpret_cast<Value *>(bench.arena.at(0, 0)),
			  kArenaBytes / sizeof(Value), MakeNumber<Value>());
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
	bench.output.print("\n## %s\n\n| step | |", numbers);
	for (size_t bytes : kSizes)
		bench.output.print(" %zu MiB us | GB/s | speed over the step before | "
						   "time over production's |",
						   bytes >> 20);
	bench.output.print("\n|---|---|");
	for (size_t i = 0; i < sizeof(kSizes) / sizeof(kSizes[0]); i++)
		bench.output.print("---|---|---|---|");
	bench.output.print("\n");
	for (const std::string &row : rows)
		bench.output.print("%s\n", row.c_str());
}

// Allocates what the measurements share.
static void
prepare(Bench &bench)
{
	const unsigned max_rows = (unsigned) (kSizes[1] / sizeof(int32_t));
	cudaDeviceProp properties;

	must(cudaGetDeviceProperties(&properties, 0));
	bench.multiprocessors = (unsigned) properties.multiProcessorCount;
	bench.d_scratch = device_memory(wa_ladder_scratch_sums(max_rows, kThreads) *
									sizeof(int64_t));
	bench.d_sum = device_memory(sizeof(int64_t));
	bench.d_kernel_scratch = device_memory(wa_kernel_scratch_bytes());
	must(cudaMemset(bench.d_kernel_scratch, 0, wa_kernel_scratch_bytes()));
	bench.d_result =
		static_cast<WaKernelResult *>(device_memory(sizeof(WaKernelResult)));
	bench.output.print("%s, %u multiprocessors, blocks of %u threads\n",
					   properties.name, bench.multiprocessors, kThreads);
}

// Measures all kinds of numbers.
static void
bench_all(const char *path)
{
	Bench bench = {Output(path), {},  Arena(kArenaBytes), {}, 0, NULL, NULL,
				   NULL,         NULL};

	prepare(bench);
	bench_numbers<WA_INT4, int32_t, int64_t>(bench, "int4, summed in 64 bits");
	bench_numbers<WA_INT4, int32_t, uint32_t>(bench,
											  "int4, summed modulo 2^32");
	bench_numbers<WA_INT8, int64_t, uint64_t>(bench,
											  "int8, summed modulo 2^64");
	bench_numbers<WA_FLOAT4, float, float>(bench, "float4, summed in floats");
}

int
main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_ladder FILE\n");
		return 1;
	}
	bench_all(argv[1]);
	return 0;
}
