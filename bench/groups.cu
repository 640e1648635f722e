//
// groups.cu
//		Measures grouped reductions on a machine with a GPU.
//
// Usage: bench_groups FILE
//		  bench_groups --profile FILE
//
// The first form writes Markdown tables to FILE and to standard output.  Values
// and groups, kRows rows of them, lie in device memory, in two sets that runs
// read in turn; bench/gpu/timing.cuh says how times are taken.  A run is all
// that wa_group_start queues; where there are more layers, it is all of those,
// with the host's look at the status between them.  Results over kCheckedRows
// rows are compared with the CPU's first, bit for bit; a difference ends the
// program.
//
// The second form runs the main cases once, for a profiler that starts at
// cudaProfilerStart, and writes the name of each to FILE.
//
#include <string.h>

#include "bench/gpu/group_run.cuh"

static const size_t kCheckedRows = (size_t) 1 << 20;

// A value without its numbers of groups.
struct GroupValues
{
	WaOp op;
	WaType type;
	FloatKind floats;
};

static const char *
method_text(WaGroupMethod method)
{
	switch (method)
	{
		case WA_GROUP_SHARED:
			return "shared";
		case WA_GROUP_SLICES:
			return "slices";
		case WA_GROUP_PARTITIONS:
			return "partitions";
	}
	return "";
}

// What was measured of a case.
struct GroupTime
{
	float us; // 0: there is no such reduction
	WaGroupMethod method;
	unsigned layers;
};

static GroupTime
measure_case(GroupBench &bench, const GroupCase &one)
{
	GroupRun run(bench, one, GroupBench::kRows);
	GroupTime time = {0, run.plan().method, 0};

	if (!run.exists())
		return time;
	time.us =
		bench.timer.measure_one(Contestant([&](size_t set) { run.start(set); },
										   [&] { return run.more(); }),
								GroupBench::kSets);
	time.layers = run.layers();
	return time;
}

// Sweeps over the number of groups

// The groups of a sweep at most.
static const uint32_t kMaxGroups = (uint32_t) 1 << 24;

// The groups of a sweep: all powers of two, and 1000.
static std::vector<uint32_t>
sweep_numbers(void)
{
	std::vector<uint32_t> numbers;

	for (uint32_t number = 1; number <= kMaxGroups; number *= 2)
	{
		if (number == 1024)
			numbers.push_back(1000);
		numbers.push_back(number);
	}
	return numbers;
}

static const GroupKind kSweepKinds[] = {GROUP_UNIFORM, GROUP_ONE};
constexpr size_t kNumSweepKinds = sizeof(kSweepKinds) / sizeof(kSweepKinds[0]);

// The times of a sweep, by number of groups and kind.
typedef std::vector<std::vector<float>> Sweep;

// Prints the cells of one kind.  before: the time with the power of two before;
// reference: that of other values; 0 where there is none.
static void
print_cells(GroupBench &bench, size_t bytes, float us, float before,
			float reference)
{
	bench.output.print(" %.0f | %.0f | %.3f |", us, gb_per_s(bytes, us),
					   bench.limit.us(bytes) / us);
	if (before > 0)
		bench.output.print(" %.2f |", us / before);
	else
		bench.output.print(" |");
	if (reference > 0)
		bench.output.print(" %.2f |", us / reference);
}

// Prints the head of a sweep's table.
static void
print_sweep_head(GroupBench &bench, const GroupValues &values,
				 const char *reference_text)
{
	const GroupCase one = {values.op,     values.type, values.floats,
						   GROUP_UNIFORM, 1,           false};

	bench.output.print(
		"\n### %s%s%s\n\n| groups | method |", case_values_text(one).c_str(),
		values.type == WA_FLOAT8 ? ", " : "",
		values.type == WA_FLOAT8 ? float_kind_text(values.floats) : "");
	for (GroupKind kind : kSweepKinds)
	{
		bench.output.print(" %s: us | GB/s | of limit | step |",
						   group_kind_text(kind));
		if (reference_text != NULL)
			bench.output.print(" over %s |", reference_text);
	}
	bench.output.print("\n|---|---|");
	for (size_t i = 0; i < kNumSweepKinds; i++)
		bench.output.print("---|---|---|---|%s",
						   reference_text != NULL ? "---|" : "");
	bench.output.print("\n");
}

// Measures one reduction for all numbers of groups and prints its table.
// reference, if there is one, is the sweep to compare with, of such values.
static Sweep
bench_sweep(GroupBench &bench, const GroupValues &values,
			const Sweep *reference, const char *reference_text)
{
	const std::vector<uint32_t> numbers = sweep_numbers();
	std::vector<float> before(kNumSweepKinds, 0);
	Sweep sweep;

	print_sweep_head(bench, values, reference_text);
	for (uint32_t number : numbers)
	{
		const size_t line = sweep.size();

		sweep.push_back({});
		for (size_t i = 0; i < kNumSweepKinds; i++)
		{
			const GroupCase one = {values.op,      values.type, values.floats,
								   kSweepKinds[i], number,      false};
			const GroupTime time = measure_case(bench, one);

			if (i == 0)
				bench.output.print("| %u | %s |", number,
								   method_text(time.method));
			print_cells(bench, case_bytes(one), time.us, before[i],
						reference != NULL ? (*reference)[line][i] : 0);
			sweep[line].push_back(time.us);
		}
		bench.output.print("\n");
		if ((number & (number - 1)) == 0)
			before = sweep[line];
	}
	return sweep;
}

static void
bench_sweeps(GroupBench &bench)
{
	Sweep sums;

	bench.output.print(
		"\n## By the number of groups\n\n"
		"\"of limit\" is the read limit's time for as many bytes over ours; "
		"\"step\" is the time over that for the power of two before. \"over "
		"sum int8\" is the time over that of the sum of int8 in the same "
		"groups.\n");
	sums = bench_sweep(bench, {WA_OP_SUM, WA_INT8, FLOAT_UNIFORM}, NULL, NULL);
	bench_sweep(bench, {WA_OP_MIN, WA_INT8, FLOAT_UNIFORM}, NULL, NULL);
	bench_sweep(bench, {WA_OP_SUM, WA_FLOAT8, FLOAT_UNIFORM}, &sums,
				"sum int8");
}

// Other cases

// A series of cases: the same but for the number of groups.
struct GroupSeries
{
	GroupValues values;
	GroupKind groups;
	bool nulls;
	std::vector<uint32_t> numbers;
};

static std::vector<GroupSeries>
other_series(void)
{
	const GroupValues int2_sum = {WA_OP_SUM, WA_INT2, FLOAT_UNIFORM};
	const GroupValues int4_sum = {WA_OP_SUM, WA_INT4, FLOAT_UNIFORM};
	const GroupValues int8_sum = {WA_OP_SUM, WA_INT8, FLOAT_UNIFORM};
	const GroupValues float4_sum = {WA_OP_SUM, WA_FLOAT4, FLOAT_UNIFORM};
	const std::vector<uint32_t> narrow = {1, 100, 1000, 65536};
	const std::vector<uint32_t> wide = {1, 1000, 65536};
	const std::vector<uint32_t> skewed = {1000, 8192};

	return {
		{int2_sum, GROUP_UNIFORM, false, narrow},
		{int4_sum, GROUP_UNIFORM, false, narrow},
		{float4_sum, GROUP_UNIFORM, false, narrow},
		{{WA_OP_SUM, WA_FLOAT8, FLOAT_BINADES_50}, GROUP_UNIFORM, false, wide},
		{{WA_OP_SUM, WA_FLOAT8, FLOAT_FINITE}, GROUP_UNIFORM, false, wide},
		{{WA_OP_SUM, WA_FLOAT8, FLOAT_SPECIAL}, GROUP_UNIFORM, false, wide},
		{int8_sum, GROUP_UNIFORM, true, {100, 65536}},
		{int8_sum, GROUP_HALF, false, skewed},
		{int8_sum, GROUP_ZIPF, false, skewed},
		{int8_sum, GROUP_SORTED, false, skewed},
	};
}

// Returns a case of a series.
static GroupCase
case_of(const GroupSeries &series, uint32_t ngroups)
{
	return {series.values.op,
			series.values.type,
			series.values.floats,
			series.groups,
			ngroups,
			series.nulls};
}

// Tells what the values of a series are.
static const char *
data_text(const GroupSeries &series)
{
	const WaStorage storage = wa_type_storage(series.values.type);

	return storage == WA_F32 || storage == WA_F64
			   ? float_kind_text(series.values.floats)
			   : "any bits";
}

// Measures a case of a series and prints its line.
static void
bench_case(GroupBench &bench, const GroupSeries &series, uint32_t ngroups)
{
	const GroupCase one = case_of(series, ngroups);
	const size_t bytes = case_bytes(one);
	const GroupTime time = measure_case(bench, one);

	bench.output.print("| %s | %s | %s | %u | %s |",
					   case_values_text(one).c_str(), data_text(series),
					   group_kind_text(one.groups), ngroups,
					   one.nulls ? "half" : "none");
	if (time.us > 0)
		bench.output.print(" %s | %u | %.0f | %.0f | %.3f |\n",
						   method_text(time.method), time.layers, time.us,
						   gb_per_s(bytes, time.us),
						   bench.limit.us(bytes) / time.us);
	else
		bench.output.print(" does not exist | | | | |\n");
}

static void
bench_others(GroupBench &bench)
{
	bench.output.print(
		"\n## Other types, data and groups\n\n"
		"The sum of int2 is near to a count: most of its bytes are groups. A "
		"layer is one pass over the data; sums of floats need another for "
		"exponents far from the largest, and for infinities, NaN and -0.\n\n"
		"| values | data | groups are | groups | nulls | method | layers | us "
		"| GB/s | of limit |\n|---|---|---|---|---|---|---|---|---|---|\n");
	for (const GroupSeries &series : other_series())
		for (uint32_t ngroups : series.numbers)
			bench_case(bench, series, ngroups);
}

// Compares results with the CPU's.
static void
check_all(const GroupBench &bench)
{
	std::vector<GroupSeries> all = other_series();
	unsigned cases = 0;

	all.push_back({{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM},
				   GROUP_UNIFORM,
				   false,
				   {1, 100, 1000, 8192, 65536, 1 << 20}});
	all.push_back({{WA_OP_MIN, WA_INT8, FLOAT_UNIFORM},
				   GROUP_UNIFORM,
				   false,
				   {1, 1000, 65536}});
	all.push_back({{WA_OP_SUM, WA_FLOAT8, FLOAT_UNIFORM},
				   GROUP_UNIFORM,
				   true,
				   {1, 1000, 65536}});
	for (const GroupSeries &series : all)
		for (uint32_t ngroups : series.numbers)
		{
			GroupRun run(bench, case_of(series, ngroups), kCheckedRows);

			if (!run.exists())
				continue;
			run.check();
			cases++;
		}
	bench.output.print("\n%u cases over %zu rows were compared with the CPU's "
					   "results, bit for bit.\n",
					   cases, kCheckedRows);
}

// The two forms of the program

static const GroupCase kProfileCases[] = {
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 100, false},
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 1000, false},
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 8192, false},
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 32768, false},
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 1 << 20, false},
	{WA_OP_SUM, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 1 << 24, false},
	{WA_OP_SUM, WA_FLOAT8, FLOAT_UNIFORM, GROUP_UNIFORM, 1000, false},
	{WA_OP_MIN, WA_INT8, FLOAT_UNIFORM, GROUP_UNIFORM, 1000, false},
};

static void
profile(const char *path)
{
	GroupBench bench(path);

	for (const GroupCase &one : kProfileCases)
	{
		GroupRun run(bench, one, GroupBench::kRows);

		if (!run.exists())
			continue;
		profile_case(bench.output,
					 case_values_text(one) + ", " +
						 std::to_string(one.ngroups) + " groups, " +
						 method_text(run.plan().method),
					 [&] { run.run(0); });
	}
}

// Prints all tables.
static void
bench_all(const char *path)
{
	GroupBench bench(path);
	cudaDeviceProp properties;

	must(cudaGetDeviceProperties(&properties, 0));
	bench.output.print(
		"%s, %d multiprocessors. %zu rows of values and uint32 groups in "
		"device "
		"memory, in two sets that runs read in turn. Times are medians of 12 "
		"to "
		"240 runs, by CUDA's events: of all that one grouped reduction "
		"launches, "
		"and with several layers of the host's part too. GB/s count values, "
		"groups and bitmap once.\n",
		properties.name, bench.device.multiprocessors, GroupBench::kRows);
	check_all(bench);
	bench_sweeps(bench);
	bench_others(bench);
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
		fprintf(stderr, "usage: bench_groups [--profile] FILE\n");
		return 1;
	}
	return 0;
}
