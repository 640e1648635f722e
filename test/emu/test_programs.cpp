//
// test_programs.cpp
//		Query programs on the device against wa_program_run, bit for bit.
//
// Usage: test_programs [--short] [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "check.h"

#include <algorithm>
#include <iterator>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/plan.h"
#include "random_program.h"
#include "test/unit/opcode_name.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 200;

// Shared memory of a block that every device has, and less.
static const size_t kSharedBytes = 48 * 1024;
static const size_t kLittleBytes = 20 * 1024;

// What outputs hold before.
static const int kGarbage = 0x5a;

static const size_t kSizes[] = {0,   1,    63,   64,   65,   255,  256,  257,
								640, 1023, 1024, 1025, 2047, 3100, 5000, 40000};

// How often an instruction that can trap is tried until it does.
static const unsigned kMaxTries = 3000;

static const size_t kManyRows = 10000;

// What has been tried.
struct Tally
{
	unsigned compared[WA_OPCODE_COUNT]; // tiles of which rows were compared
	unsigned trapped[WA_OPCODE_COUNT];
	unsigned refused;
	unsigned long_ones;
	unsigned programs;
	unsigned traps;
	unsigned rows;
};

// Ends the test if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("not ok - CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

// Device memory, freed at the end of a run.
class DeviceMemory
{
  public:
	DeviceMemory() = default;
	DeviceMemory(const DeviceMemory &) = delete;
	DeviceMemory &operator=(const DeviceMemory &) = delete;

	~DeviceMemory()
	{
		for (void *part : parts_)
			must(cudaFree(part));
	}

	// Returns memory that holds a copy, or garbage.
	void *
	take(size_t bytes, const void *copy)
	{
		void *d_part;

		must(cudaMalloc(&d_part, bytes > 0 ? bytes : 1));
		parts_.push_back(d_part);
		if (copy == NULL)
			must(cudaMemset(d_part, kGarbage, bytes));
		else
			must(cudaMemcpy(d_part, copy, bytes, cudaMemcpyHostToDevice));
		return d_part;
	}

	// The same of a vector; NULL if it is empty.
	template <typename Element>
	Element *
	take(const std::vector<Element> &copy)
	{
		if (copy.empty())
			return NULL;
		return static_cast<Element *>(
			take(copy.size() * sizeof(Element), copy.data()));
	}

  private:
	std::vector<void *> parts_;
};

// A random program as the device gets it.
struct DeviceRun
{
	DeviceMemory memory;
	std::vector<WaVectorKind> kinds;
	std::vector<WaProgramColumn> columns;
	std::vector<WaProgramOutput> outputs;
	WaProgram program;
	WaLookup lookups[kRandomTables];
	const WaLookup *kept[kRandomTables];
	WaProgramQuery query;
	WaProgramPlan plan;
	WaProgramMemory run_memory;
};

// Has every other table lie on the device.
static void
keep_tables(DeviceRun &run)
{
	const WaLookupTable *tables = random_tables();

	for (size_t i = 0; i < kRandomTables; i++)
	{
		run.kept[i] = i % 2 == 0 ? &run.lookups[i] : NULL;
		if (run.kept[i] != NULL)
			must(wa_lookup_send(
				&tables[i], run.memory.take(wa_lookup_bytes(&tables[i]), NULL),
				NULL, &run.lookups[i]));
	}
	must(cudaDeviceSynchronize());
}

// Brings the columns and tables to the device and makes room for the outputs.
static void
prepare(const RandomProgram &program, DeviceRun &run)
{
	const size_t nrows = program.nrows;

	for (const RandomRegister &type : program.registers)
		run.kinds.push_back(type.kind);
	for (const RandomColumn &column : program.columns)
		run.columns.push_back(
			{column.number, column.form, column.scale,
			 run.memory.take(column.stored.size(), column.stored.data()),
			 run.memory.take(column.validity),
			 run.memory.take(column.display)});
	for (const WaProgramOutput &wanted : program.outputs)
	{
		WaProgramOutput output = wanted;
		const bool is_bits = output.form == WA_COLUMN_BITS;

		output.d_values = run.memory.take(
			is_bits ? wa_validity_bytes(nrows) : nrows * 8, NULL);
		output.d_validity = static_cast<uint64_t *>(
			run.memory.take(wa_validity_bytes(nrows), NULL));
		if (run.kinds[output.number] == WA_VECTOR_DECIMAL)
			output.d_display = static_cast<int16_t *>(
				run.memory.take(nrows * sizeof(int16_t), NULL));
		run.outputs.push_back(output);
	}
	run.program = {(uint16_t) run.kinds.size(),
				   run.kinds.data(),
				   program.instructions.data(),
				   program.instructions.size(),
				   random_lists(),
				   NULL,
				   random_tables()};
	run.query = {&run.program,
				 run.columns.data(),
				 (unsigned) run.columns.size(),
				 program.constants.data(),
				 (unsigned) program.constants.size(),
				 program.clauses.data(),
				 (unsigned) program.clauses.size(),
				 run.outputs.data(),
				 (unsigned) run.outputs.size(),
				 false,
				 run.kept};
	keep_tables(run);
}

// Runs the planned program.
static void
start(const RandomProgram &program, int multiprocessors, DeviceRun &run)
{
	run.run_memory.d_workspace =
		run.memory.take(run.plan.workspace_bytes, NULL);
	run.run_memory.d_selection = static_cast<uint64_t *>(
		run.memory.take(wa_validity_bytes(program.nrows), NULL));
	run.run_memory.d_traps = static_cast<uint64_t *>(
		run.memory.take(wa_program_trap_bytes(program.nrows), NULL));
	must(wa_program_start(&run.query, &run.plan, program.nrows, &run.run_memory,
						  multiprocessors, NULL));
	must(cudaDeviceSynchronize());
}

// Returns device memory as the host's.
template <typename Element>
static std::vector<Element>
fetch(const void *d_from, size_t count)
{
	std::vector<Element> to(count);

	if (count > 0)
		must(cudaMemcpy(to.data(), d_from, count * sizeof(Element),
						cudaMemcpyDeviceToHost));
	return to;
}

// Tells whether a bitmap is what it should be, with no bits behind the last.
template <typename Expected>
static bool
bitmap_is(const uint64_t *d_bitmap, size_t nbits, Expected expected)
{
	const std::vector<uint64_t> bitmap =
		fetch<uint64_t>(d_bitmap, (nbits + 63) / 64);

	for (size_t bit = 0; bit < bitmap.size() * 64; bit++)
		if (wa_row_is_valid(bitmap.data(), bit) !=
			(bit < nbits && expected(bit)))
			return false;
	return true;
}

// Tells whether two floats are the same, all NaNs being one.
static bool
same_float(int64_t a, int64_t b)
{
	double x;
	double y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return a == b || (x != x && y != y);
}

// Returns a stored value, widened.
static int64_t
stored_value(const std::vector<uint8_t> &stored, WaColumnForm form, size_t row)
{
	switch (form)
	{
		case WA_COLUMN_I32:
			return reinterpret_cast<const int32_t *>(stored.data())[row];
		case WA_COLUMN_BITS:
			return stored[row / 8] >> row % 8 & 1;
		default:
			return reinterpret_cast<const int64_t *>(stored.data())[row];
	}
}

// Writes what is wrong with an output to failure, if anything is.
static void
compare_output(const RandomProgram &program, const ExpectedResult &expected,
			   const DeviceRun &run, size_t number, char *failure)
{
	const WaProgramOutput &output = run.outputs[number];
	const std::vector<ExpectedCell> &cells = expected.outputs[number];
	const bool is_float = run.kinds[output.number] == WA_VECTOR_FLOAT;
	const std::vector<uint8_t> stored =
		fetch<uint8_t>(output.d_values, output.form == WA_COLUMN_BITS
											? wa_validity_bytes(program.nrows)
											: program.nrows * 8);
	const std::vector<int16_t> display = fetch<int16_t>(
		output.d_display, output.d_display == NULL ? 0 : program.nrows);

	if (!bitmap_is(output.d_validity, program.nrows,
				   [&](size_t row) { return cells[row].is_valid; }))
		snprintf(failure, kTextBytes, "validity of output %zu", number);
	if (expected.scales[number] >= 0 &&
		(run.plan.scales[number] != expected.scales[number] ||
		 run.plan.mixed[number] != expected.mixed[number]))
		snprintf(failure, kTextBytes, "scale of output %zu", number);
	for (size_t row = 0; row < program.nrows && failure[0] == '\0'; row++)
	{
		const int64_t value = stored_value(stored, output.form, row);

		if (!cells[row].is_valid)
			continue;
		if (is_float ? !same_float(value, cells[row].value)
					 : value != cells[row].value)
			snprintf(failure, kTextBytes,
					 "output %zu, row %zu: %llx instead of %llx", number, row,
					 (unsigned long long) value,
					 (unsigned long long) cells[row].value);
		else if (!display.empty() && display[row] != cells[row].display)
			snprintf(failure, kTextBytes,
					 "output %zu, row %zu: shows %d digits instead of %d",
					 number, row, display[row], cells[row].display);
	}
}

// Writes what is wrong with a run to failure, if anything is.
static void
compare(const RandomProgram &program, const ExpectedResult &expected,
		const DeviceRun &run, char *failure)
{
	if (!bitmap_is(run.run_memory.d_traps, expected.traps.size(),
				   [&](size_t tile) { return expected.traps[tile]; }))
		snprintf(failure, kTextBytes, "traps");
	else if (!bitmap_is(run.run_memory.d_selection, program.nrows,
						[&](size_t row) { return expected.selected[row]; }))
		snprintf(failure, kTextBytes, "selection");
	for (size_t i = 0; i < run.outputs.size() && failure[0] == '\0'; i++)
		compare_output(program, expected, run, i, failure);
}

// Prints a program that has failed.
static void
print_program(const RandomProgram &program)
{
	for (const WaInstruction &one : program.instructions)
		printf("# %s r%u = r%u r%u r%u, %u\n",
			   wa_opcode_name((WaOpcode) one.code), one.out, one.a, one.b,
			   one.c, one.extra);
	for (const WaProgramClause &clause : program.clauses)
		printf("# clause r%u before instruction %zu\n", clause.number,
			   clause.end);
	for (const WaProgramOutput &output : program.outputs)
		printf("# output r%u, filter r%u, form %d\n", output.number,
			   output.filter, output.form);
}

// Tries a program.
static void
try_program(const RandomProgram &program, size_t shared_bytes,
			int multiprocessors, Tally &tally, char *failure)
{
	DeviceRun run;
	ExpectedResult expected;
	cudaError_t error;

	prepare(program, run);
	error = wa_program_plan(&run.query, shared_bytes, &run.plan);
	tally.programs++;
	tally.refused += error == cudaErrorNotSupported;
	tally.long_ones += error == cudaSuccess && run.plan.is_long;
	if (error == cudaErrorNotSupported)
		return;
	if (error != cudaSuccess)
	{
		snprintf(failure, kTextBytes, "planning: %s",
				 cudaGetErrorString(error));
		return;
	}
	start(program, multiprocessors, run);
	expected = run_on_cpu(program);
	compare(program, expected, run, failure);
	if (failure[0] != '\0')
		print_program(program);
	for (bool trap : expected.traps)
		tally.traps += trap;
	tally.rows += (unsigned) expected.nselected;
	if (program.instructions.size() != 1 || program.nrows == 0)
		return;
	tally.compared[program.instructions[0].code] += expected.nselected > 0;
	tally.trapped[program.instructions[0].code] += expected.traps[0];
}

// Tries an instruction until it traps.
static void
test_trap(const RandomCase &which, Random &random, Tally &tally, char *failure)
{
	for (unsigned i = 0;
		 i < kMaxTries && failure[0] == '\0' && tally.trapped[which.code] == 0;
		 i++)
	{
		const uint32_t extra = which.extras[i % which.extras.size()];
		const RandomProgram program = random_single(which, extra, random);

		if (!program.outputs.empty())
			try_program(program, kSharedBytes, 1, tally, failure);
	}
	if (failure[0] == '\0' && tally.trapped[which.code] == 0)
		snprintf(failure, kTextBytes, "it never trapped");
}

// Each instruction by itself.
static void
test_single(uint64_t seed, bool in_short)
{
	const unsigned times = in_short ? 8 : 60;
	Random random(seed);
	Tally tally = {};

	for (const RandomCase &which : random_cases())
	{
		const unsigned trapped = tally.trapped[which.code];
		char failure[kTextBytes] = "";

		for (uint32_t extra : which.extras)
			for (unsigned i = 0; failure[0] == '\0' && i < times; i++)
			{
				const RandomProgram program =
					random_single(which, extra, random);

				if (!program.outputs.empty())
					try_program(program, kSharedBytes, 1, tally, failure);
			}
		if (failure[0] == '\0' && tally.compared[which.code] == 0)
			snprintf(failure, kTextBytes, "nothing was compared");
		if (failure[0] == '\0' && !which.traps &&
			tally.trapped[which.code] != trapped)
			snprintf(failure, kTextBytes, "it trapped");
		if (which.traps)
			test_trap(which, random, tally, failure);
		report_group(failure, "%s %s, seed %llu", wa_opcode_name(which.code),
					 which.kinds, (unsigned long long) seed);
	}
	if (tally.refused != 0)
		report_group("refused", "single instructions");
}

// Programs of several instructions.
static void
test_mixed(uint64_t seed, bool in_short)
{
	const unsigned times = in_short ? 4 : 80;
	Random random(seed + 1000);
	Tally tally = {};

	for (size_t nrows : kSizes)
	{
		char failure[kTextBytes] = "";

		// The last are for blocks with several strips a warp.
		for (unsigned i = 0;
			 failure[0] == '\0' && i < (nrows > kManyRows ? times / 4 : times);
			 i++)
		{
			const RandomProgram program = random_mixed(nrows, random);

			try_program(program,
						random.below(2) == 0 ? kLittleBytes : kSharedBytes,
						1 + (int) random.below(3), tally, failure);
		}
		report_group(failure, "programs over %zu rows, seed %llu", nrows,
					 (unsigned long long) seed);
	}
	printf("# %u programs, %u refused, %u long, %u tiles trapped, %u rows "
		   "selected\n",
		   tally.programs, tally.refused, tally.long_ones, tally.traps,
		   tally.rows);
	report_group(tally.refused * 10 > tally.programs ? "too many are refused"
				 : in_short || tally.traps * 10 > tally.programs
					 ? ""
					 : "too few trap",
				 "what the programs do, seed %llu", (unsigned long long) seed);
}

// Every instruction was tried, but those that are not for the GPU.
static void
test_coverage()
{
	static const WaOpcode foreign[] = {WA_CODE_CALL, WA_CODE_COMPARE_TEXT,
									   WA_CODE_TRIM};
	// test_wide_programs.cpp has these.
	static const WaOpcode wide[] = {WA_CODE_DECIMAL_DIVIDE,
									WA_CODE_DECIMAL_REMAINDER,
									WA_CODE_DECIMAL_DIVIDE_WHOLE};
	bool tried[WA_OPCODE_COUNT] = {false};
	char failure[kTextBytes] = "";

	for (const WaOpcode code : foreign)
		tried[code] = true;
	for (const WaOpcode code : wide)
		tried[code] = true;
	for (const RandomCase &which : random_cases())
		tried[which.code] = true;
	for (int code = 0; code < WA_OPCODE_COUNT; code++)
	{
		const bool is_foreign =
			std::find(std::begin(foreign), std::end(foreign), code) !=
			std::end(foreign);

		if (!tried[code])
			snprintf(failure, kTextBytes, "%s was not tried",
					 wa_opcode_name((WaOpcode) code));
		if ((wa_program_unit((uint16_t) code) == WA_UNIT_NONE) != is_foreign)
			snprintf(failure, kTextBytes, "%s is for the GPU, or is not",
					 wa_opcode_name((WaOpcode) code));
	}
	report_group(failure, "every instruction was tried");
}

// Returns how a query with one column and one instruction is planned.
static cudaError_t
plan_one(WaInstruction instruction, const std::vector<WaVectorKind> &kinds,
		 WaProgramColumn column, WaProgramOutput output, bool is_wide = false)
{
	const WaProgram program = {
		(uint16_t) kinds.size(), kinds.data(), &instruction, 1, NULL, NULL,
		random_tables()};
	const WaProgramQuery query = {&program, &column, 1, NULL,    0,   NULL,
								  0,        &output, 1, is_wide, NULL};
	WaProgramPlan plan;

	return wa_program_plan(&query, kSharedBytes, &plan);
}

// What is not for the kernels, or breaks the contract.
static void
test_contract()
{
	const WaInstruction add = {WA_CODE_INT_ADD, 1, 0, 0, 0, 8};
	const WaInstruction multiply = {WA_CODE_DECIMAL_MULTIPLY, 1, 0, 0, 0, 0};
	const WaProgramColumn column = {0, WA_COLUMN_I64, 10, NULL, NULL, NULL};
	const WaProgramOutput output = {
		1, WA_NO_REGISTER, WA_COLUMN_I64, NULL, NULL, NULL, 0, 0, WA_ANY_SCALE};
	const WaProgramOutput wide_output = {
		1, WA_NO_REGISTER, WA_COLUMN_I128, NULL, NULL, NULL, 0,
		0, WA_ANY_SCALE};
	const std::vector<WaVectorKind> ints = {WA_VECTOR_INT, WA_VECTOR_INT};
	const std::vector<WaVectorKind> decimals = {WA_VECTOR_DECIMAL,
												WA_VECTOR_DECIMAL};
	WaProgramColumn other_column = column;
	WaProgramOutput other_output = output;
	WaInstruction other = add;
	char failure[kTextBytes] = "";
	auto expect = [&](cudaError_t error, cudaError_t expected, const char *what)
	{
		if (error != expected && failure[0] == '\0')
			snprintf(failure, sizeof(failure), "%s", what);
	};

	expect(plan_one(add, ints, column, output), cudaSuccess, "a good query");
	expect(plan_one(multiply, decimals, column, output), cudaErrorNotSupported,
		   "a product of too large a scale");
	expect(plan_one(multiply, decimals, column, wide_output, true), cudaSuccess,
		   "the same in a program that is wide");
	expect(plan_one(multiply, decimals, column, output, true),
		   cudaErrorInvalidValue, "a narrow output of such a program");
	expect(plan_one({WA_CODE_DECIMAL_DIVIDE, 1, 0, 0, 0, 0}, decimals, column,
					output),
		   cudaErrorNotSupported, "a quotient of 64 bits");
	expect(plan_one(add, decimals, column, output), cudaErrorInvalidValue,
		   "an argument of another kind");
	other.a = 1;
	expect(plan_one(other, ints, column, output), cudaErrorInvalidValue,
		   "an argument that nobody has set");
	other.a = 2;
	expect(plan_one(other, ints, column, output), cudaErrorInvalidValue,
		   "an argument that does not exist");
	other = add;
	other.code = WA_CODE_CALL;
	expect(plan_one(other, ints, column, output), cudaErrorNotSupported,
		   "a call");
	other_column.form = WA_COLUMN_I128;
	expect(plan_one(multiply, decimals, other_column, output),
		   cudaErrorInvalidValue, "a column of 128 bits");
	other_column.form = WA_COLUMN_F64;
	expect(plan_one(add, ints, other_column, output), cudaErrorInvalidValue,
		   "a column in a form that is not its kind's");
	other_output.form = WA_COLUMN_BITS;
	expect(plan_one(add, ints, column, other_output), cudaErrorInvalidValue,
		   "an output in a form that is not its kind's");
	other = {WA_CODE_LOOK_UP, 1, 0, 0, 0, 3};
	expect(plan_one(other, {WA_VECTOR_INT, WA_VECTOR_DECIMAL}, column, output),
		   cudaSuccess, "a table of decimals");
	expect(plan_one(other, ints, column, output), cudaErrorInvalidValue,
		   "a table of decimals for an integer");
	report_group(failure, "queries that cannot be planned");
}

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2, 3};
	const bool in_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	const int first_seed = in_short ? 2 : 1;

	if (argc > first_seed)
		seeds.clear();
	for (int i = first_seed; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	test_contract();
	test_coverage();
	for (uint64_t seed : seeds)
	{
#ifdef WA_EMU
		wa_emu_set_seed(seed);
#endif
		test_single(seed, in_short);
		test_mixed(seed, in_short);
	}
	return report_total();
}
