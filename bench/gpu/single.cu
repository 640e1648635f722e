//
// single.cu
//		The tables of the memory's speed and of single reductions.
//
#include "bench/gpu/columns.cuh"
#include "bench/gpu/cub_reduce.cuh"

static const size_t kSizes[] = {(size_t) 256 << 10, (size_t) 4 << 20,
								(size_t) 64 << 20, (size_t) 1 << 30,
								(size_t) 4 << 30};

void
bench_limits(KernelBench &bench)
{
	const size_t copied = bench.arena.bytes() / 2;
	const Launch copy = [&](size_t)
	{
		must(cudaMemcpyAsync(bench.arena.at(1, copied),
							 bench.arena.at(0, copied), copied,
							 cudaMemcpyDeviceToDevice, NULL));
	};
	float us;

	fill_storage(WA_U64, bench.arena.at(0, 0), bench.arena.bytes(), 0);
	bench.output.print(
		"\n## The memory\n\n"
		"The read limit: the least time in which one of %zu plain kernels, "
		"which only load, reads as many bytes.\n\n"
		"| bytes | us | GB/s | kernel |\n|---|---|---|---|\n",
		sizeof(kReadShapes) / sizeof(kReadShapes[0]));
	for (size_t bytes : kSizes)
	{
		us = bench.limit.us(bytes);
		bench.output.print("| %s | %.1f | %.0f | %s |\n",
						   size_text(bytes).c_str(), us, gb_per_s(bytes, us),
						   bench.limit.shape_text(bytes).c_str());
	}
	us = bench.timer.measure_one(copy, 1);
	bench.output.print("\nCopy of %s within device memory: %.1f us, %.0f GB/s "
					   "read and written.\n",
					   size_text(copied).c_str(), us, gb_per_s(2 * copied, us));
}

// Times of one line in microseconds; negative where there is nothing to time.
struct Single
{
	float ours, cub, cub_again, nulls, other;
	const char *other_name;
};

// Prints a line: over `bytes` without nulls, and bitmap_bytes more with them.
static void
print_line(KernelBench &bench, const char *op, const char *type, size_t bytes,
		   size_t bitmap_bytes, const Single &us)
{
	char other[80] = "";
	char nulls[40] = "|";

	if (us.nulls > 0)
		snprintf(nulls, sizeof(nulls), "%.0f | %.3f",
				 gb_per_s(bytes + bitmap_bytes, us.nulls),
				 gb_per_s(bytes + bitmap_bytes, us.nulls) /
					 gb_per_s(bytes, us.ours));
	if (us.other > 0)
		snprintf(other, sizeof(other), "%.0f (%s)", gb_per_s(bytes, us.other),
				 us.other_name);
	bench.output.print(
		"| %s | %s | %s | %.1f | %.0f | %.3f | %.1f | %.0f "
		"| %.3f | %.3f | %s | %s |\n",
		op, type, size_text(bytes).c_str(), us.ours, gb_per_s(bytes, us.ours),
		bench.limit.us(bytes) / us.ours, us.cub, gb_per_s(bytes, us.cub),
		us.cub / us.ours, us.cub / us.cub_again, nulls, other);
}

// Measures one reduction at one size and prints its line.
template <WaOp kOp, WaStorage kStorage>
static void
bench_size(KernelBench &bench, const CubMemory &memory, size_t bytes)
{
	using Value = typename StorageValue<kStorage>::Type;
	using Other = CubOther<kOp, kStorage>;
	const size_t nrows = bytes / sizeof(Value);
	const WaType type = type_of_storage(kStorage);
	const WaOpSet ops = WA_OP_BIT(kOp);
	const auto values_at = [&](size_t buffer)
	{ return reinterpret_cast<const Value *>(bench.arena.at(buffer, bytes)); };
	const Launch cub = [&](size_t buffer)
	{ CubYardstick<kOp, kStorage>::reduce(memory, values_at(buffer), nrows); };
	std::vector<Contestant> contestants = {
		launch_over_buffers(bench, ops, type, bytes, false), cub, cub,
		launch_over_buffers(bench, ops, type, bytes, true)};
	std::vector<float> us;

	if constexpr (Other::kName != NULL)
		contestants.push_back(
			Launch([&](size_t buffer)
				   { Other::reduce(memory, values_at(buffer), nrows); }));
	us = bench.timer.measure(contestants, bench.arena.buffers(bytes));
	us.push_back(-1);
	if (bytes <= kMaxCheckedBytes)
	{
		check_batch(bench, batch_of(bench, type, bytes, 1, false), {ops});
		check_batch(bench, batch_of(bench, type, bytes, 1, true), {ops});
	}
	print_line(bench, wa_op_name(kOp), wa_type_name(type), bytes,
			   wa_validity_bytes(nrows),
			   {us[0], us[1], us[2], us[3], us[4], Other::kName});
}

// Measures one reduction at all sizes.
template <WaOp kOp, WaStorage kStorage>
static void
bench_reduction(KernelBench &bench, const CubMemory &memory)
{
	fill_storage(kStorage, bench.arena.at(0, 0), bench.arena.bytes(), 0);
	for (size_t bytes : kSizes)
		bench_size<kOp, kStorage>(bench, memory, bytes);
}

// Measures the count of the valid rows of a bitmap of so many bytes, which
// lies in the arena.
static void
bench_count(KernelBench &bench, const CubMemory &memory, size_t bytes)
{
	const auto d_batch_at = [&](size_t buffer)
	{
		const void *d_validity = bench.arena.at(buffer, bytes);

		return WaBatch{WA_INT8, d_validity,
					   static_cast<const uint64_t *>(d_validity), bytes * 8};
	};
	const Launch ours = [&](size_t buffer) {
		launch_columns(bench, {{d_batch_at(buffer), 0, bench.d_results}});
	};
	const Launch cub = [&](size_t buffer)
	{
		cub_sum_of(memory, d_batch_at(buffer).validity,
				   bytes / sizeof(uint64_t), ToBits());
	};
	const std::vector<float> us =
		bench.timer.measure({ours, cub, cub}, bench.arena.buffers(bytes));

	check_batch(bench, d_batch_at(1), {0});
	print_line(bench, "count", "bitmap", bytes, 0,
			   {us[0], us[1], us[2], -1, -1, NULL});
}

void
bench_single(KernelBench &bench)
{
	const CubMemory memory;

	bench.output.print(
		"\n## One operation over one column\n\n"
		"Input is the bytes of values, for count those of the bitmap. "
		"\"of limit\" is the read limit's time over ours. CUB reduces to an "
		"accumulator as wide as ours; floats it adds as plain doubles, where "
		"ours are exact. CUB/ours and CUB/CUB are times; CUB/CUB is the same "
		"measurement twice, the noise. With nulls, half of the rows are null, "
		"and GB/s and its ratio to those without count the bitmap's bytes. The "
		"last column is CUB with another accumulator. Up to %s every result of "
		"ours was compared with the CPU's, bit for bit. Where 4 GiB have more "
		"rows than a column may, they are several columns.\n\n"
		"| operation | type | input | ours us | GB/s | of limit | CUB us "
		"| CUB GB/s | CUB/ours | CUB/CUB | nulls GB/s | nulls/plain "
		"| CUB otherwise GB/s |\n"
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
		size_text(kMaxCheckedBytes).c_str());
#define X(op, storage, accumulator) \
	bench_reduction<WA_OP_##op, WA_##storage>(bench, memory);
	WA_REDUCTION_LIST(X)
#undef X
	fill_storage(WA_U64, bench.arena.at(0, 0), bench.arena.bytes(), 0);
	for (size_t bytes : kSizes)
		if (bytes <= kMaxCheckedBytes)
			bench_count(bench, memory, bytes);
}
