//
// floats.cu
//		The table of exact sums of floats by the kind of data.
//
#include "bench/gpu/columns.cuh"
#include "bench/gpu/cub_reduce.cuh"

static const size_t kFloatsBytes = (size_t) 1 << 30;
static const size_t kBuffers = 2;

// Bytes of each kind whose results are compared with the CPU's.
static const size_t kCheckedBytes = (size_t) 16 << 20;

static const WaOpSet kSets[] = {WA_OP_BIT(WA_OP_SUM), WA_OP_BIT(WA_OP_SQUARES),
								WA_OP_BIT(WA_OP_SUM) |
									WA_OP_BIT(WA_OP_SQUARES)};

// Measures all sums over one kind of data and prints its line.
template <WaType kType, WaStorage kStorage>
static void
bench_kind(KernelBench &bench, const CubMemory &memory, FloatKind kind)
{
	using Value = typename StorageValue<kStorage>::Type;
	const size_t nrows = kFloatsBytes / sizeof(Value);
	const auto values_at = [&](size_t buffer)
	{ return reinterpret_cast<Value *>(bench.arena.at(buffer, kFloatsBytes)); };
	const Launch cub = [&](size_t buffer)
	{
		CubYardstick<WA_OP_SUM, kStorage>::reduce(memory, values_at(buffer),
												  nrows);
	};
	std::vector<Contestant> contestants = {cub};
	std::vector<float> us;

	for (size_t i = 0; i < kBuffers; i++)
		fill_floats(kind, values_at(i), nrows, (uint64_t) i << 40);
	for (WaOpSet ops : kSets)
		contestants.push_back(
			launch_over_buffers(bench, ops, kType, kFloatsBytes, false));
	us = bench.timer.measure(contestants, kBuffers);

	fill_floats(kind, values_at(0), kCheckedBytes / sizeof(Value),
				(uint64_t) kBuffers << 40);
	for (bool nulls : {false, true})
		check_batch(bench, batch_of(bench, kType, kCheckedBytes, 0, nulls),
					{kSets[0], kSets[1], kSets[2]});
	bench.output.print("| %s | %s |", wa_type_name(kType),
					   float_kind_text(kind));
	for (size_t i = 1; i < us.size(); i++)
		bench.output.print(" %.0f | %.3f |", gb_per_s(kFloatsBytes, us[i]),
						   us[0] / us[i]);
	bench.output.print(" %.0f | %.3f |\n", gb_per_s(kFloatsBytes, us[0]),
					   bench.limit.us(kFloatsBytes) / us[1]);
}

// Measures all kinds of data of a type.
template <WaType kType, WaStorage kStorage>
static void
bench_type(KernelBench &bench, const CubMemory &memory)
{
	for (int kind = 0; kind < FLOAT_KINDS; kind++)
		bench_kind<kType, kStorage>(bench, memory, (FloatKind) kind);
}

void
bench_floats(KernelBench &bench)
{
	const CubMemory memory;

	bench.output.print(
		"\n## Exact sums of floats by the data\n\n"
		"%s of values. CUB adds the same values as plain doubles, inexactly; "
		"CUB/ours is its time over that of our exact sum, sum of squares, or "
		"both by one launch. Our results on %s of each kind were compared with "
		"the CPU's, bit for bit, without nulls and with them.\n\n"
		"| type | data | sum GB/s | CUB/ours | squares GB/s | CUB/ours "
		"| both GB/s | CUB/ours | CUB GB/s | sum of limit |\n"
		"|---|---|---|---|---|---|---|---|---|---|\n",
		size_text(kFloatsBytes).c_str(), size_text(kCheckedBytes).c_str());
	bench_type<WA_FLOAT4, WA_F32>(bench, memory);
	bench_type<WA_FLOAT8, WA_F64>(bench, memory);
}
