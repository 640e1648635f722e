//
// programs.cu
//		Measures query programs, look-ups in tables and the numbering of groups on a
//		machine with a GPU.
//
// Usage: bench_programs FILE
//
// Writes Markdown tables to FILE and to standard output.  Columns of kRows rows
// lie in device memory, in two sets that runs read in turn; bench/gpu/timing.cuh
// says how times are taken.  A run is all that wa_program_start or wa_keys_start
// queues.
//
#include <string.h>

#include "bench/gpu/data.cuh"
#include "bench/gpu/read_limit.cuh"
#include "cuda/kernels.h"
#include "cuda/keys.h"
#include "cuda/programs.h"

static const size_t kRows = 100 * 1000 * 1000;
static const size_t kSets = 2;

// Bytes of a set: values, at their widest, of so many columns.
static const size_t kMaxColumns = 4;
static const size_t kColumnBytes = kRows * sizeof(int64_t);
static const size_t kSetBytes = kMaxColumns * kColumnBytes;

// Outputs of a program at most.
static const size_t kMaxOutputs = 2;

// What programs that are long need beside columns and outputs, at most.
static const size_t kWorkspaceBytes = 1 << 20;

// A column: integers uniform from first on, each times the step.
struct BenchColumn
{
	WaVectorKind kind;
	WaColumnForm form;
	uint8_t scale;
	int64_t first;
	uint64_t count;
	uint64_t step;
};

struct BenchConstant
{
	WaVectorKind kind;
	uint8_t scale;
	int64_t value;
};

// A program; its registers are columns, constants, and what instructions
// compute.  Each of the first nclauses instructions is a clause.
struct BenchProgram
{
	const char *name;
	std::vector<BenchColumn> columns;
	std::vector<BenchConstant> constants;
	std::vector<WaInstruction> instructions;
	unsigned nclauses;
	std::vector<uint16_t> outputs;     // DECIMAL, or
	std::vector<WaVectorKind> kinds;   // if set: the kinds of the results
	const WaLookupTable *table = NULL; // of all LOOK_UPs
};

// The machine, two sets of columns, and memory for results.
struct Bench
{
	Output output;
	Timer timer;
	Arena arena;
	int multiprocessors;
	int shared_bytes;
	ReadLimit limit;
	uint64_t *d_selection;
	uint64_t *d_traps;
	void *d_workspace;
	void *d_values[kMaxOutputs];
	uint64_t *d_validity[kMaxOutputs];

	explicit Bench(const char *path);
};

static int
attribute_of(cudaDeviceAttr attribute)
{
	int value;

	must(cudaDeviceGetAttribute(&value, attribute, 0));
	return value;
}

Bench::Bench(const char *path)
	: output(path), arena(kSets * kSetBytes),
	  multiprocessors(attribute_of(cudaDevAttrMultiProcessorCount)),
	  shared_bytes(attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
	  limit(timer, arena, multiprocessors)
{
	d_selection =
		static_cast<uint64_t *>(device_memory(wa_validity_bytes(kRows)));
	d_traps =
		static_cast<uint64_t *>(device_memory(wa_program_trap_bytes(kRows)));
	d_workspace = device_memory(kWorkspaceBytes);
	for (size_t i = 0; i < kMaxOutputs; i++)
	{
		d_values[i] = device_memory(kRows * sizeof(int64_t));
		d_validity[i] =
			static_cast<uint64_t *>(device_memory(wa_validity_bytes(kRows)));
	}
}

// Columns

static size_t
form_bytes(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return 2;
		case WA_COLUMN_I32:
			return 4;
		default:
			return 8;
	}
}

// Makes the value of a row.
struct MakeInt
{
	uint64_t seed;
	uint64_t count;
	uint64_t step;
	int64_t first;

	__device__ int64_t
	operator()(size_t row) const
	{
		return first + (int64_t) (hash_of(seed + row) % count * step);
	}
};

static void *
values_at(const Bench &bench, size_t set, size_t column)
{
	return bench.arena.at(set, kSetBytes) + column * kColumnBytes;
}

// Fills a column of a set.
static void
fill_column(const Bench &bench, const BenchColumn &column, size_t set,
			size_t number)
{
	const MakeInt make = {(uint64_t) (set * kMaxColumns + number) << 40,
						  column.count, column.step, column.first};
	void *d_values = values_at(bench, set, number);

	switch (column.form)
	{
		case WA_COLUMN_I16:
			fill_with(static_cast<int16_t *>(d_values), kRows, make);
			break;
		case WA_COLUMN_I32:
			fill_with(static_cast<int32_t *>(d_values), kRows, make);
			break;
		default:
			fill_with(static_cast<int64_t *>(d_values), kRows, make);
			break;
	}
}

// Query programs

// A program that is ready to be run over either set.
class ProgramRun
{
  public:
	ProgramRun(const Bench &bench, const BenchProgram &program);
	~ProgramRun();
	ProgramRun(const ProgramRun &) = delete;
	ProgramRun &operator=(const ProgramRun &) = delete;

	// Queues the program over a set.
	void
	start(size_t set)
	{
		must(wa_program_start(&query_, &plans_[set], kRows, &memory_,
							  bench_.multiprocessors, NULL));
	}

	// Returns the share of rows that are left.
	double share_left();

	// Returns the bytes of all columns and results.
	size_t bytes() const;

	size_t
	shared_bytes() const
	{
		return plans_[0].shared_bytes;
	}

  private:
	void keep_table();
	void plan(size_t set);

	const Bench &bench_;
	const BenchProgram &made_;
	std::vector<WaVectorKind> kinds_;
	std::vector<WaProgramColumn> columns_;
	std::vector<WaProgramConstant> constants_;
	std::vector<WaProgramClause> clauses_;
	std::vector<WaProgramOutput> outputs_;
	WaProgram program_;
	WaLookup lookup_;
	void *d_table_ = NULL;
	const WaLookup *kept_ = NULL;
	WaProgramQuery query_;
	WaProgramPlan plans_[kSets];
	WaProgramMemory memory_;
};

ProgramRun::ProgramRun(const Bench &bench, const BenchProgram &program)
	: bench_(bench), made_(program)
{
	for (const BenchColumn &column : program.columns)
		kinds_.push_back(column.kind);
	for (const BenchConstant &constant : program.constants)
	{
		WaProgramConstant made = {};

		made.number = (uint16_t) kinds_.size();
		made.scale = constant.scale;
		made.value.i = constant.value;
		kinds_.push_back(constant.kind);
		constants_.push_back(made);
	}
	for (size_t i = 0; i < program.instructions.size(); i++)
	{
		kinds_.push_back(!program.kinds.empty() ? program.kinds[i]
						 : i < program.nclauses ? WA_VECTOR_BOOL
												: WA_VECTOR_DECIMAL);
		if (i < program.nclauses && kinds_.back() == WA_VECTOR_BOOL)
			clauses_.push_back({i + 1, program.instructions[i].out});
	}
	for (size_t i = 0; i < program.outputs.size(); i++)
		outputs_.push_back({program.outputs[i], WA_NO_REGISTER, WA_COLUMN_I64,
							bench.d_values[i], bench.d_validity[i], NULL, 0, 0,
							WA_ANY_SCALE});
	program_ = {(uint16_t) kinds_.size(),
				kinds_.data(),
				program.instructions.data(),
				program.instructions.size(),
				NULL,
				NULL,
				program.table};
	if (program.table != NULL)
		keep_table();
	memory_ = {bench.d_workspace, bench.d_selection, bench.d_traps, NULL};
	for (size_t set = 0; set < kSets; set++)
		plan(set);
}

ProgramRun::~ProgramRun()
{
	must(cudaFree(d_table_));
}

// Brings the table to the device, as a first query does.
void
ProgramRun::keep_table()
{
	must(cudaMalloc(&d_table_, wa_lookup_bytes(made_.table)));
	must(wa_lookup_send(made_.table, d_table_, NULL, &lookup_));
	must(cudaDeviceSynchronize());
	kept_ = &lookup_;
}

// Fills a set and plans the run over it.
void
ProgramRun::plan(size_t set)
{
	columns_.clear();
	for (size_t i = 0; i < made_.columns.size(); i++)
	{
		fill_column(bench_, made_.columns[i], set, i);
		columns_.push_back({(uint16_t) i, made_.columns[i].form,
							made_.columns[i].scale, values_at(bench_, set, i),
							NULL, NULL});
	}
	query_ = {&program_,
			  columns_.data(),
			  (unsigned) columns_.size(),
			  constants_.data(),
			  (unsigned) constants_.size(),
			  clauses_.data(),
			  (unsigned) clauses_.size(),
			  outputs_.data(),
			  (unsigned) outputs_.size(),
			  false,
			  kept_ != NULL ? &kept_ : NULL};
	must(wa_program_plan(&query_, (size_t) bench_.shared_bytes, &plans_[set]));
	if (plans_[set].workspace_bytes > kWorkspaceBytes)
		must(cudaErrorMemoryAllocation);
}

double
ProgramRun::share_left()
{
	std::vector<uint64_t> selection(wa_validity_bytes(kRows) / 8);
	std::vector<uint64_t> traps(wa_program_trap_bytes(kRows) / 8);
	size_t left = 0;

	start(0);
	must(cudaMemcpy(selection.data(), bench_.d_selection,
					wa_validity_bytes(kRows), cudaMemcpyDeviceToHost));
	must(cudaMemcpy(traps.data(), bench_.d_traps, wa_program_trap_bytes(kRows),
					cudaMemcpyDeviceToHost));
	for (uint64_t word : selection)
		left += (size_t) __builtin_popcountll(word);
	for (uint64_t word : traps)
		if (word != 0)
			stop("%s: a tile has trapped", made_.name);
	return (double) left / kRows;
}

size_t
ProgramRun::bytes() const
{
	size_t bytes = wa_validity_bytes(kRows) * (1 + outputs_.size()) +
				   outputs_.size() * kRows * sizeof(int64_t);

	for (const BenchColumn &column : made_.columns)
		bytes += kRows * form_bytes(column.form);
	return bytes;
}

// Days of seven years, discounts, quantities and prices of TPC-H.
#define SHIPDATE(form)                         \
	{                                          \
		WA_VECTOR_INT, form, 0, -2922, 2526, 1 \
	}
#define DISCOUNT(form)                       \
	{                                        \
		WA_VECTOR_DECIMAL, form, 2, 0, 11, 1 \
	}
#define QUANTITY(form)                           \
	{                                            \
		WA_VECTOR_DECIMAL, form, 2, 100, 50, 100 \
	}
#define PRICE(form)                                   \
	{                                                 \
		WA_VECTOR_DECIMAL, form, 2, 90000, 9500000, 1 \
	}
#define TAX(form)                           \
	{                                       \
		WA_VECTOR_DECIMAL, form, 2, 0, 9, 1 \
	}

// Returns `x < limit` over int4, of which so many percent of the rows are left.
static BenchProgram
less_program(const char *name, int64_t percent)
{
	return {name,
			{{WA_VECTOR_INT, WA_COLUMN_I32, 0, 0, 1000000, 1}},
			{{WA_VECTOR_INT, 0, percent * 10000}},
			{{WA_CODE_COMPARE_INT, 2, 0, 1, 0, WA_LESS}},
			1,
			{}};
}

// Returns TPC-H's query 6: a year of dates, discounts, quantities, and the
// product of price and discount.
static BenchProgram
q6_program(const char *name, WaColumnForm date, WaColumnForm discount,
		   WaColumnForm quantity, WaColumnForm price)
{
	return {
		name,
		{SHIPDATE(date), DISCOUNT(discount), QUANTITY(quantity), PRICE(price)},
		{{WA_VECTOR_INT, 0, -2191},
		 {WA_VECTOR_INT, 0, -1826},
		 {WA_VECTOR_DECIMAL, 2, 5},
		 {WA_VECTOR_DECIMAL, 2, 7},
		 {WA_VECTOR_DECIMAL, 0, 24}},
		{{WA_CODE_COMPARE_INT, 9, 0, 4, 0, WA_GREATER_OR_EQUAL},
		 {WA_CODE_COMPARE_INT, 10, 0, 5, 0, WA_LESS},
		 {WA_CODE_COMPARE_DECIMAL, 11, 1, 6, 0, WA_GREATER_OR_EQUAL},
		 {WA_CODE_COMPARE_DECIMAL, 12, 1, 7, 0, WA_LESS_OR_EQUAL},
		 {WA_CODE_COMPARE_DECIMAL, 13, 2, 8, 0, WA_LESS},
		 {WA_CODE_DECIMAL_MULTIPLY, 14, 3, 1, 0, 0}},
		5,
		{14}};
}

// Returns two expressions of TPC-H's query 1: the discounted price, and that
// with tax.
static BenchProgram
q1_program(const char *name, WaColumnForm date, WaColumnForm discount,
		   WaColumnForm tax, WaColumnForm price)
{
	return {name,
			{SHIPDATE(date), DISCOUNT(discount), TAX(tax), PRICE(price)},
			{{WA_VECTOR_INT, 0, -447}, {WA_VECTOR_DECIMAL, 0, 1}},
			{{WA_CODE_COMPARE_INT, 6, 0, 4, 0, WA_LESS_OR_EQUAL},
			 {WA_CODE_DECIMAL_SUBTRACT, 7, 5, 1, 0, 0},
			 {WA_CODE_DECIMAL_MULTIPLY, 8, 3, 7, 0, 0},
			 {WA_CODE_DECIMAL_ADD, 9, 5, 2, 0, 0},
			 {WA_CODE_DECIMAL_MULTIPLY, 10, 8, 9, 0, 0}},
			1,
			{8, 10}};
}

// Returns a sum of so many discounts: one instruction after the other.
static BenchProgram
chain_program(const char *name, uint16_t length)
{
	BenchProgram program = {
		name, {DISCOUNT(WA_COLUMN_I64), TAX(WA_COLUMN_I64)}, {}, {}, 0, {}};

	for (uint16_t i = 0; i < length; i++)
		program.instructions.push_back({WA_CODE_DECIMAL_ADD, (uint16_t) (i + 2),
										(uint16_t) (i == 0 ? 0 : i + 1), 1, 0,
										0});
	program.outputs = {(uint16_t) (length + 1)};
	return program;
}

// Prints the line of a run.
static void
print_line(Bench &bench, const char *name, const std::string &about,
		   size_t bytes, float us)
{
	bench.output.print("| %s | %s | %.3f | %.0f | %.3f |\n", name,
					   about.c_str(), us / 1000, gb_per_s(bytes, us),
					   bench.limit.us(bytes / 16 * 16) / us);
}

static std::string
percent_text(double share)
{
	char text[32];

	(void) snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	return text;
}

static void
bench_program(Bench &bench, const BenchProgram &program)
{
	ProgramRun run(bench, program);
	const double share = run.share_left();
	const float us = bench.timer.measure_one(
		Launch([&](size_t set) { run.start(set); }), kSets);

	print_line(bench, program.name,
			   percent_text(share) + " | " +
				   std::to_string(run.shared_bytes() / 1024) + " KiB",
			   run.bytes(), us);
}

static void
bench_programs(Bench &bench)
{
	bench.output.print(
		"\n## Query programs\n\nGB/s count all columns and results once, read "
		"or not; \"of limit\" is the read limit's time for as many bytes over "
		"ours. Rows left: by WHERE. Shared memory: of a block of 64 "
		"threads.\n\n| program | rows left | shared memory | ms | GB/s | of "
		"limit |\n|---|---|---|---|---|---|\n");
	bench_program(bench, less_program("int4 < constant", 1));
	bench_program(bench, less_program("int4 < constant", 50));
	bench_program(bench, less_program("int4 < constant", 100));
	bench_program(bench,
				  q6_program("Q6: date int4, decimals 8 bytes", WA_COLUMN_I32,
							 WA_COLUMN_I64, WA_COLUMN_I64, WA_COLUMN_I64));
	bench_program(bench,
				  q6_program("Q6: narrow forms", WA_COLUMN_I16, WA_COLUMN_I16,
							 WA_COLUMN_I16, WA_COLUMN_I32));
	bench_program(bench,
				  q1_program("Q1: date int4, decimals 8 bytes", WA_COLUMN_I32,
							 WA_COLUMN_I64, WA_COLUMN_I64, WA_COLUMN_I64));
	bench_program(bench,
				  q1_program("Q1: narrow forms", WA_COLUMN_I16, WA_COLUMN_I16,
							 WA_COLUMN_I16, WA_COLUMN_I32));
	bench_program(bench, chain_program("a sum of 12", 11));
	bench_program(bench, chain_program("a sum of 120", 119));
	bench_program(bench, chain_program("a sum of 200, long", 199));
	bench_program(bench, chain_program("a sum of 1200, long", 1199));
}

// Look-ups

// Steps that are far from each other wrap around.
static const uint64_t kFar = 0x9e3779b97f4a7c15u;

// The yardstick: a rate of cuDF's hash join on an H100.
static const double kYardstick = 5.5e9;

// Measures look-ups of keys, all of which are in a table; returns how many there are a
// second.  has_value: the values become a column, else rows that have one are selected.
static double
lookups_per_second(Bench &bench, const WaLookupTable *table, uint64_t nrows,
				   bool has_value)
{
	const bool is_near = table->slots == NULL;
	BenchProgram program = {
		"look-ups",
		{{WA_VECTOR_INT, is_near ? WA_COLUMN_I32 : WA_COLUMN_I64, 0, 0, nrows,
		  is_near ? 1 : kFar}},
		{},
		{{WA_CODE_LOOK_UP, 1, 0, 0, 0, 0}},
		0,
		{1},
		{WA_VECTOR_INT},
		table};

	if (!has_value)
	{
		program.instructions.push_back({WA_CODE_IS_NOT_NULL, 2, 1, 0, 0, 0});
		program.kinds.push_back(WA_VECTOR_BOOL);
		program.nclauses = 2;
		program.outputs.clear();
	}

	ProgramRun run(bench, program);

	if (run.share_left() != 1)
		stop("look-ups: a key is not found");
	return kRows * 1e6 /
		   bench.timer.measure_one(Launch([&](size_t set) { run.start(set); }),
								   kSets);
}

// Measures look-ups in a table of so many rows.
static void
bench_table(Bench &bench, uint64_t nrows, bool is_near)
{
	std::vector<int32_t> narrow(is_near ? nrows : 0);
	std::vector<WaLookupSlot> slots(is_near ? 0 : wa_lookup_slots_count(nrows));
	WaLookupTable table = {};
	double rates[2];

	table.width = 1;
	table.is_total = true;
	table.nentries = is_near ? nrows : slots.size();
	if (!is_near)
	{
		wa_lookup_slots_clear(slots.data(), slots.size());
		table.slots = slots.data();
	}
	else
		table.narrow = narrow.data();
	for (uint64_t i = 0; i < nrows; i++)
		if (is_near)
			narrow[i] = (int32_t) i;
		else
			(void) wa_lookup_slots_add(slots.data(), slots.size(),
									   (int64_t) (i * kFar), (int64_t) i);
	for (int i = 0; i < 2; i++)
		rates[i] = lookups_per_second(bench, &table, nrows, i == 1);
	bench.output.print(
		"| %s | %llu | %s | %.1f | %.1f | %.1f | %.1f |\n",
		is_near ? "entries" : "slots", (unsigned long long) nrows,
		size_text(wa_lookup_bytes(&table)).c_str(), rates[0] / 1e9,
		rates[0] / kYardstick, rates[1] / 1e9, rates[1] / kYardstick);
}

static void
bench_tables(Bench &bench)
{
	static const uint64_t counts[] = {2556, 100000, 1000000, 10000000,
									  50000000};

	bench.output.print(
		"\n## Look-ups\n\nKeys are uniform, and all are found; entries are for "
		"keys of int4 that are next to each other, slots for int8 that are far "
		"apart. 10^9 a second: of keys that only select rows, and of those "
		"whose value becomes a column of 8 bytes. Times: as many as %.1f "
		"10^9 a second, the yardstick, a rate of cuDF's hash join on an "
		"H100.\n\n| table | rows | memory | selects | times | values | times "
		"|\n|---|---|---|---|---|---|---|\n",
		kYardstick / 1e9);
	for (uint64_t nrows : counts)
		bench_table(bench, nrows, true);
	for (uint64_t nrows : counts)
		bench_table(bench, nrows, false);
}

// Keys

struct BenchKeys
{
	const char *name;
	std::vector<BenchColumn> columns;
	uint32_t max_groups;
};

// A key of integers, with so many values so far from each other.
static BenchColumn
key_of(WaColumnForm form, uint64_t count, uint64_t step)
{
	return {WA_VECTOR_INT, form, 0, 0, count, step};
}

static void
bench_keys(Bench &bench, const BenchKeys &made)
{
	std::vector<WaKeyColumn> columns[kSets];
	std::vector<WaKeyRange> ranges;
	WaKeysPlan plan;
	WaKeysStatus status;
	size_t bytes = kRows * sizeof(uint32_t);

	for (size_t i = 0; i < made.columns.size(); i++)
	{
		const BenchColumn &column = made.columns[i];

		for (size_t set = 0; set < kSets; set++)
		{
			fill_column(bench, column, set, i);
			columns[set].push_back(
				{column.form, values_at(bench, set, i), NULL});
		}
		// Values that are far from each other wrap around.
		ranges.push_back(
			{column.step == 1 ? 0 : INT64_MIN,
			 column.step == 1 ? (int64_t) column.count - 1 : INT64_MAX});
		bytes += kRows * form_bytes(column.form);
	}
	WaKeys keys = {columns[0].data(), (unsigned) columns[0].size(), NULL, kRows,
				   NULL};
	if (wa_keys_plan_direct(&keys, ranges.data(), made.max_groups, &plan) !=
		cudaSuccess)
		must(wa_keys_plan_hash(&keys, made.max_groups, &plan));
	const WaKeysMemory memory = {
		device_memory(plan.workspace_bytes + 8),
		static_cast<uint32_t *>(bench.d_values[0]),
		static_cast<uint32_t *>(device_memory(plan.ngroups * 4)),
		static_cast<WaKeysStatus *>(device_memory(sizeof(WaKeysStatus)))};
	const float us = bench.timer.measure_one(
		Launch(
			[&](size_t set)
			{
				keys.columns = columns[set].data();
				must(wa_keys_start(&keys, &plan, &memory, bench.multiprocessors,
								   NULL));
			}),
		kSets);

	must(cudaMemcpy(&status, memory.d_status, sizeof(status),
					cudaMemcpyDeviceToHost));
	if (status.failed != 0)
		stop("%s: the numbering failed", made.name);
	print_line(bench, made.name,
			   plan.method == WA_KEYS_DIRECT ? "direct" : "hash", bytes, us);
	must(cudaFree(memory.d_workspace));
	must(cudaFree(memory.d_first_rows));
	must(cudaFree(memory.d_status));
}

static void
bench_all_keys(Bench &bench)
{
	bench.output.print("\n## Numbers of groups\n\nGB/s count keys and numbers "
					   "once; \"of limit\" as above.\n\n| keys | method | ms | "
					   "GB/s | of limit |\n|---|---|---|---|---|\n");
	bench_keys(bench, {"int4, 100 groups near each other",
					   {key_of(WA_COLUMN_I32, 100, 1)},
					   1 << 20});
	bench_keys(bench, {"int4, 1000000 groups near each other",
					   {key_of(WA_COLUMN_I32, 1000000, 1)},
					   1 << 20});
	bench_keys(bench,
			   {"two int4, 100 groups near each other",
				{key_of(WA_COLUMN_I32, 10, 1), key_of(WA_COLUMN_I32, 10, 1)},
				1 << 20});
	bench_keys(bench,
			   {"int8, 100 groups", {key_of(WA_COLUMN_I64, 100, kFar)}, 1024});
	bench_keys(bench, {"two int8, 100 groups",
					   {key_of(WA_COLUMN_I64, 10, kFar),
						key_of(WA_COLUMN_I64, 10, kFar)},
					   1024});
	bench_keys(
		bench,
		{"int8, 10000 groups", {key_of(WA_COLUMN_I64, 10000, kFar)}, 1 << 14});
	bench_keys(bench, {"int8, 1000000 groups",
					   {key_of(WA_COLUMN_I64, 1000000, kFar)},
					   1 << 20});
	bench_keys(bench, {"int8, 10000000 groups",
					   {key_of(WA_COLUMN_I64, 10000000, kFar)},
					   1 << 24});
}

int
main(int argc, char **argv)
{
	cudaDeviceProp properties;

	if (argc != 2)
	{
		fprintf(stderr, "usage: bench_programs FILE\n");
		return 1;
	}
	Bench bench(argv[1]);

	must(cudaGetDeviceProperties(&properties, 0));
	bench.output.print(
		"%s, %d multiprocessors. %zu rows in device memory, in two sets that "
		"runs read in turn. Times are medians of 12 to 240 runs, by CUDA's "
		"events.\n",
		properties.name, bench.multiprocessors, kRows);
	bench_programs(bench);
	bench_tables(bench);
	bench_all_keys(bench);
	return 0;
}
