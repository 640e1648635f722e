//
// sorts.cu
//		Measures CUB's sorts of integers on a machine with a GPU: what distinct values and
//		percentiles of all rows take at least that are found by sorting, as
//		cuda/query_value_sort.cu finds them.
//
// Usage: bench_sorts FILE
//
// Writes a Markdown table to FILE and to standard output.  Values are random in their low
// bits, which alone are sorted by, and lie in device memory, in two buffers that runs read in
// turn; bench/gpu/timing.cuh says how times are taken.
//
#include <cub/device/device_radix_sort.cuh>

#include "bench/gpu/data.cuh"
#include "bench/gpu/timing.cuh"

static const size_t kMostRows = 100 * 1000 * 1000;
static const size_t kBuffers = 2;
static const size_t kRows[] = {1000 * 1000, 10 * 1000 * 1000, kMostRows};

// Bits of about 17 million values, with 100 groups before them, and of all of a float.
static const int kBits[] = {25, 32, 64};

// What sorts write.
struct Sorted
{
	uint64_t *d_values =
		static_cast<uint64_t *>(device_memory(kMostRows * sizeof(uint64_t)));
	size_t temporary_bytes = 0;
	void *d_temporary = nullptr;
};

// Sorts a buffer by its low bits; without temporary memory, tells how much that takes.
static void
sort(Sorted &sorted, const uint64_t *d_values, size_t nrows, int bits)
{
	must(cub::DeviceRadixSort::SortKeys(sorted.d_temporary,
										sorted.temporary_bytes, d_values,
										sorted.d_values, (int) nrows, 0, bits));
}

int
main(int argc, char **argv)
{
	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_sorts FILE\n");
		return 1;
	}

	const Output output(argv[1]);
	const Arena arena(kBuffers * kMostRows * sizeof(uint64_t));
	Timer timer;
	Sorted sorted;
	cudaDeviceProp properties;
	const auto values_at = [&](size_t buffer)
	{
		return reinterpret_cast<uint64_t *>(
			arena.at(buffer, kMostRows * sizeof(uint64_t)));
	};

	must(cudaGetDeviceProperties(&properties, 0));
	for (size_t i = 0; i < kBuffers; i++)
		fill_storage(WA_I64, values_at(i), kMostRows * sizeof(uint64_t),
					 (uint64_t) i << 40);
	sort(sorted, values_at(0), kMostRows, 64);
	sorted.d_temporary = device_memory(sorted.temporary_bytes);
	output.print("%s. cub::DeviceRadixSort::SortKeys of 64-bit keys by their "
				 "low bits, ms.\n\n| rows |",
				 properties.name);
	for (int bits : kBits)
		output.print(" %d bits |", bits);
	output.print("\n|---|---|---|---|\n");
	for (size_t nrows : kRows)
	{
		output.print("| %zu |", nrows);
		for (int bits : kBits)
			output.print(
				" %.2f |",
				timer.measure_one(
					Launch([&](size_t buffer)
						   { sort(sorted, values_at(buffer), nrows, bits); }),
					kBuffers) /
					1000);
		output.print("\n");
	}
	return 0;
}
