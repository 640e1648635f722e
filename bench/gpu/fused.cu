//
// fused.cu
//		The tables of fused reductions: several operations over a column, and
//		several columns, by one launch.
//
#include <algorithm>

#include "bench/gpu/columns.cuh"
#include "bench/gpu/data.cuh"

constexpr WaOpSet kSum = WA_OP_BIT(WA_OP_SUM);
constexpr WaOpSet kSquares = WA_OP_BIT(WA_OP_SQUARES);
constexpr WaOpSet kMin = WA_OP_BIT(WA_OP_MIN);
constexpr WaOpSet kMax = WA_OP_BIT(WA_OP_MAX);

// What is asked about a column, and the aggregate that asks for it.
struct Question
{
	WaOpSet ops;
	const char *text;
};

static const Question kQuestions[] = {
	{kSum, "avg"},
	{kSum | kSquares, "variance"},
	{kMin | kMax, "min, max"},
	{kSum | kMin | kMax, "avg, min, max"},
	{kSum | kSquares | kMin | kMax, "all four"},
};

static const WaType kTypes[] = {WA_INT2, WA_INT4, WA_INT8, WA_FLOAT4,
								WA_FLOAT8};

static const size_t kFusedSizes[] = {(size_t) 64 << 20, (size_t) 1 << 30};

// Measures all questions over one type at one size.
static void
bench_questions(KernelBench &bench, WaType type, size_t bytes)
{
	std::vector<Contestant> contestants;
	std::vector<WaOpSet> sets;
	std::vector<float> us;

	for (int op = 0; op < WA_OP_COUNT; op++)
		contestants.push_back(
			launch_over_buffers(bench, WA_OP_BIT(op), type, bytes, false));
	for (const Question &question : kQuestions)
	{
		contestants.push_back(
			launch_over_buffers(bench, question.ops, type, bytes, false));
		sets.push_back(question.ops);
	}
	us = bench.timer.measure(contestants, bench.arena.buffers(bytes));
	if (bytes <= kMaxCheckedBytes)
	{
		check_batch(bench, batch_of(bench, type, bytes, 0, false), sets);
		check_batch(bench, batch_of(bench, type, bytes, 0, true), sets);
	}
	for (size_t i = 0; i < sets.size(); i++)
	{
		const float fused = us[WA_OP_COUNT + i];
		float separate = 0;

		for (int op = 0; op < WA_OP_COUNT; op++)
			if ((sets[i] & WA_OP_BIT(op)) != 0)
				separate += us[op];
		bench.output.print(
			"| %s | %s | %s | %s | %.1f | %.0f | %.3f | %.1f "
			"| %.3f |\n",
			kQuestions[i].text, ops_text(sets[i]).c_str(), wa_type_name(type),
			size_text(bytes).c_str(), fused, gb_per_s(bytes, fused),
			bench.limit.us(bytes) / fused, separate, fused / separate);
	}
}

// Several columns

// A column of a table.
struct TableColumn
{
	WaType type;
	WaOpSet ops;
};

static const TableColumn kColumns[WA_KERNEL_MAX_COLUMNS] = {
	{WA_INT8, kSum},
	{WA_INT4, kMin},
	{WA_FLOAT8, kSum},
	{WA_INT2, kSum},
	{WA_NUMERIC, kSum},
	{WA_FLOAT4, kSum | kMin | kMax},
	{WA_TIMESTAMP, kMin | kMax},
	{WA_INT4, kSum | kSquares},
};

static const unsigned kColumnNumbers[] = {2, 4, 8};

static const size_t kColumnSizes[] = {(size_t) 256 << 10, (size_t) 64 << 20};

// Measures the first columns together and one by one.
static void
bench_columns(KernelBench &bench, unsigned ncolumns, size_t column_bytes)
{
	const size_t bytes = ncolumns * column_bytes;
	// Filling buffers is one launch a column; so many fill no cache either.
	const size_t buffers = std::min(bench.arena.buffers(bytes), (size_t) 512);
	const auto columns_at = [&](size_t buffer)
	{
		std::vector<WaKernelColumn> columns;

		for (unsigned i = 0; i < ncolumns; i++)
			columns.push_back({batch_of(bench, kColumns[i].type, column_bytes,
										buffer * ncolumns + i, false),
							   kColumns[i].ops, bench.d_results + i});
		return columns;
	};
	const Launch together = [&](size_t buffer)
	{ launch_columns(bench, columns_at(buffer)); };
	const Launch separately = [&](size_t buffer)
	{
		for (const WaKernelColumn &column : columns_at(buffer))
			launch_columns(bench, {column});
	};
	std::vector<float> us;

	for (size_t i = 0; i < buffers * ncolumns; i++)
		fill_storage(wa_type_storage(kColumns[i % ncolumns].type),
					 bench.arena.at(i, column_bytes), column_bytes, i << 32);
	us = bench.timer.measure({together, separately}, buffers);
	bench.output.print(
		"| %u | %s | %.1f | %.0f | %.3f | %.1f | %.0f | %.3f |\n", ncolumns,
		size_text(column_bytes).c_str(), us[0], gb_per_s(bytes, us[0]),
		bench.limit.us(bytes) / us[0], us[1], gb_per_s(bytes, us[1]),
		us[0] / us[1]);
}

// Prints what the columns are.
static void
print_columns(KernelBench &bench)
{
	bench.output.print("\n## Several columns by one launch\n\n"
					   "The first 2, 4 or 8 of:");
	for (const TableColumn &column : kColumns)
		bench.output.print("%s %s of %s", &column == kColumns ? "" : ";",
						   ops_text(column.ops).c_str(),
						   wa_type_name(column.type));
	bench.output.print(
		". GB/s are of all columns together. Beside it, the same columns by a "
		"launch each, one after the other.\n\n"
		"| columns | bytes a column | together us | GB/s | of limit "
		"| separately us | GB/s | together/separately |\n"
		"|---|---|---|---|---|---|---|---|\n");
}

void
bench_fused(KernelBench &bench)
{
	bench.output.print(
		"\n## Several operations over one column\n\n"
		"GB/s count the column's bytes once. \"separate us\" is the sum of the "
		"times of a launch for each of the operations, and fused/separate the "
		"time of the one launch over it. Numeric that fits 64 bits is as "
		"int8.\n\n"
		"| aggregates | operations | type | input | fused us | GB/s | of limit "
		"| separate us | fused/separate |\n"
		"|---|---|---|---|---|---|---|---|---|\n");
	for (WaType type : kTypes)
	{
		fill_storage(wa_type_storage(type), bench.arena.at(0, 0),
					 bench.arena.bytes(), 0);
		for (size_t bytes : kFusedSizes)
			bench_questions(bench, type, bytes);
	}
	print_columns(bench);
	for (size_t bytes : kColumnSizes)
		for (unsigned ncolumns : kColumnNumbers)
			bench_columns(bench, ncolumns, bytes);
}
