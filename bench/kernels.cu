//
// kernels.cu
//		Measures the reduction kernels beside CUB and beside the memory's speed,
//		on a machine with a GPU.
//
// Usage: bench_kernels FILE
//		  bench_kernels --profile FILE
//
// The first form writes Markdown tables to FILE and to standard output:
//
//	single.cu	the read limit; each reduction by itself, beside CUB
//	fused.cu	several operations, and several columns, by one launch
//	floats.cu	exact sums of floats by the kind of data
//	latency.cu	small requests
//
// all in bench/gpu, where timing.cuh says how times are taken; the text above
// each table says what its figures are.  Our results are compared with the
// CPU's, bit for bit; a difference ends the program.
//
// The second form launches each main kernel once over 1 GiB, for a profiler that
// starts at cudaProfilerStart, and writes the name of each case to FILE.
//
#include <string.h>

#include "bench/gpu/columns.cuh"
#include "bench/gpu/data.cuh"

// Two of the largest buffers.
static const size_t kArenaBytes = (size_t) 8 << 30;

static const size_t kProfileBytes = (size_t) 1 << 30;

// A launch to look at.
struct ProfileCase
{
	WaType type;
	WaOpSet ops;
	bool nulls;
};

constexpr WaOpSet kSum = WA_OP_BIT(WA_OP_SUM);
constexpr WaOpSet kMin = WA_OP_BIT(WA_OP_MIN);
constexpr WaOpSet kVariance = kSum | WA_OP_BIT(WA_OP_SQUARES);

static const ProfileCase kProfileCases[] = {
	{WA_INT2, kSum, false},      {WA_INT4, kSum, false},
	{WA_INT8, kSum, false},      {WA_WIDE_NUMERIC, kSum, false},
	{WA_FLOAT4, kSum, false},    {WA_FLOAT8, kSum, false},
	{WA_INT8, kMin, false},      {WA_FLOAT8, kMin, false},
	{WA_INT8, kVariance, false}, {WA_FLOAT8, kVariance, false},
	{WA_FLOAT4, kSum, true},
};

// Launches the cases.
static void
profile(const char *path)
{
	KernelBench bench(path, kProfileBytes);

	for (const ProfileCase &one : kProfileCases)
	{
		fill_storage(wa_type_storage(one.type), bench.arena.at(0, 0),
					 kProfileBytes, 0);
		profile_case(bench.output,
					 ops_text(one.ops) + " of " + wa_type_name(one.type) +
						 (one.nulls ? " with nulls" : ""),
					 [&]
					 {
						 launch_over_buffers(bench, one.ops, one.type,
											 kProfileBytes, one.nulls)(0);
					 });
	}
}

// Prints all tables.
static void
bench_all(const char *path)
{
	KernelBench bench(path, kArenaBytes);
	cudaDeviceProp properties;

	must(cudaGetDeviceProperties(&properties, 0));
	bench.output.print(
		"%s, %d multiprocessors. Input lies in device memory, and successive "
		"runs read different buffers. Times are medians of 12 to 240 runs, by "
		"CUDA's events; what a table compares took turns.\n",
		properties.name, bench.multiprocessors);
	bench_limits(bench);
	bench_single(bench);
	bench_fused(bench);
	bench_floats(bench);
	bench_latency(bench);
}

int
main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--profile") == 0)
		profile(argv[2]);
	else if (argc == 2)
		bench_all(argv[1]);
	else
	{
		fprintf(stderr, "usage: bench_kernels [--profile] FILE\n");
		return 1;
	}
	return 0;
}
