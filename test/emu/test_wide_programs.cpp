//
// test_wide_programs.cpp
//		Programs over DECIMALs of up to 38 digits on the device, against
//		wa_program_run over one row at a time.
//
// Usage: test_wide_programs [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
//
// A tile that traps on the device has to have a row that traps on the CPU, or an
// output that does not fit.  The other way round nothing is asked: a row may have
// digits on the CPU that it is not shown with.
//
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/decimal.h"
#include "random_wide.h"
#include "test/unit/opcode_name.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 200;
// Shared memory of a block, for which some programs are too large.
static const size_t kSharedBytes = 48 * 1024;
static const unsigned kTimes = 500;
static const unsigned kLeastRows = 100;
static const unsigned kMixedTimes = 600;

// What has been seen.
struct Tally
{
	unsigned compared[WA_OPCODE_COUNT]; // rows, by the last instruction
	unsigned trapped[WA_OPCODE_COUNT];
	unsigned refused;
	unsigned long_ones;
	unsigned programs;
	unsigned rows;      // that were compared, of each output
	unsigned wide_rows; // of outputs that do not fit 64 bits
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

	// Returns memory for so many elements, of garbage.
	template <typename Element>
	Element *
	make(size_t count)
	{
		void *d_part;

		must(cudaMalloc(&d_part, (count + 1) * sizeof(Element)));
		must(cudaMemset(d_part, 0x5a, (count + 1) * sizeof(Element)));
		parts_.push_back(d_part);
		return static_cast<Element *>(d_part);
	}

	// Returns a copy; NULL of nothing.
	template <typename Element>
	Element *
	copy(const std::vector<Element> &from)
	{
		Element *d_copy = from.empty() ? NULL : make<Element>(from.size());

		if (d_copy != NULL)
			must(cudaMemcpy(d_copy, from.data(), from.size() * sizeof(Element),
							cudaMemcpyHostToDevice));
		return d_copy;
	}

  private:
	std::vector<void *> parts_;
};

// Returns device memory as the host's.
template <typename Element>
static std::vector<Element>
fetch(const Element *d_from, size_t count)
{
	std::vector<Element> to(count + 1);

	must(cudaMemcpy(to.data(), d_from, count * sizeof(Element),
					cudaMemcpyDeviceToHost));
	return to;
}

// A program as the device gets it, and what it makes of it.
struct DeviceRun
{
	DeviceMemory memory;
	std::vector<WaProgramColumn> columns;
	std::vector<WaProgramOutput> outputs;
	WaProgram program;
	WaProgramQuery query;
	WaProgramPlan plan;
	std::vector<uint64_t> traps;
	std::vector<uint64_t> selection;
	std::vector<uint32_t> digits;
};

// Returns the form that an output of the kind has.
static WaColumnForm
form_of(WaVectorKind kind)
{
	switch (kind)
	{
		case WA_VECTOR_DECIMAL:
			return WA_COLUMN_I128;
		case WA_VECTOR_FLOAT:
			return WA_COLUMN_F64;
		case WA_VECTOR_BOOL:
			return WA_COLUMN_BITS;
		default:
			return WA_COLUMN_I64;
	}
}

// Brings the columns to the device and makes room for the outputs.
static void
prepare(const WideProgram &program, DeviceRun &run)
{
	for (const WideColumn &column : program.columns)
		run.columns.push_back({column.number, column.form, column.scale,
							   run.memory.copy(column.stored),
							   run.memory.copy(column.validity),
							   run.memory.copy(column.display)});
	for (const WideOutput &wanted : program.outputs)
	{
		WaProgramOutput output = {};

		output.number = wanted.number;
		output.filter = wanted.filter;
		output.form = form_of(program.kinds[wanted.number]);
		output.d_values = run.memory.make<WaInt128>(program.nrows);
		output.d_validity = run.memory.make<uint64_t>(program.nrows / 64 + 1);
		output.bits = wanted.bits;
		output.mixed_bits = wanted.mixed_bits;
		output.scale = wanted.scale;
		if (program.kinds[wanted.number] == WA_VECTOR_DECIMAL)
			output.d_display = run.memory.make<int16_t>(program.nrows);
		run.outputs.push_back(output);
	}
	run.program = {(uint16_t) program.kinds.size(),
				   program.kinds.data(),
				   program.instructions.data(),
				   program.instructions.size(),
				   NULL,
				   NULL,
				   NULL};
	run.query = {&run.program,
				 run.columns.data(),
				 (unsigned) run.columns.size(),
				 program.constants.data(),
				 (unsigned) program.constants.size(),
				 program.clauses.data(),
				 (unsigned) program.clauses.size(),
				 run.outputs.data(),
				 (unsigned) run.outputs.size(),
				 true,
				 NULL};
}

// Runs the planned program.
static void
start(const WideProgram &program, DeviceRun &run)
{
	const size_t trap_words = wa_program_trap_bytes(program.nrows) / 8;
	WaProgramMemory memory;

	memory.d_workspace = run.memory.make<uint8_t>(run.plan.workspace_bytes);
	memory.d_selection = run.memory.make<uint64_t>(program.nrows / 64 + 1);
	memory.d_traps = run.memory.make<uint64_t>(trap_words);
	memory.d_digits = run.memory.make<uint32_t>(run.outputs.size());
	must(wa_program_start(&run.query, &run.plan, program.nrows, &memory, 2,
						  NULL));
	must(cudaDeviceSynchronize());
	run.traps = fetch(memory.d_traps, trap_words);
	run.selection = fetch(memory.d_selection, program.nrows / 64 + 1);
	run.digits = fetch(memory.d_digits, run.outputs.size());
}

// Tells whether a value of the CPU's can be stored as an output.
static bool
fits(const DeviceRun &run, size_t output, const WideCell &cell)
{
	const WaProgramOutput &made = run.outputs[output];
	const int raise = run.plan.scales[output] - cell.display;
	const int drop = cell.scale - cell.display;
	const int bits = run.plan.mixed[output] ? made.mixed_bits : made.bits;
	__int128 value = cell.value;

	if (!cell.is_decimal)
		return true;
	value /= wa_wide_power_of_ten(drop);
	if (value == 0)
		return true;
	if (raise < 0 || !wa_wide_decimal_raise(&value, raise))
		return false;
	return value >> bits == 0 || -value >> bits == 0;
}

// Writes what is wrong with an output's row to failure, if anything is.
static void
compare_cell(const DeviceRun &run, size_t output, size_t row, __int128 value,
			 int display, const WideCell &cell, char *failure)
{
	const int scale = cell.is_decimal ? run.plan.scales[output] : 0;
	const int order =
		cell.is_decimal
			? wa_wide_decimal_compare(value, scale, cell.value, cell.scale)
			: value != cell.value;

	if (order != 0)
		snprintf(failure, kTextBytes,
				 "output %zu, row %zu: %llx %llx of scale %d instead of %llx "
				 "%llx of scale %d",
				 output, row, (unsigned long long) (value >> 64),
				 (unsigned long long) value, scale,
				 (unsigned long long) (cell.value >> 64),
				 (unsigned long long) cell.value, cell.scale);
	else if (cell.is_decimal && display != cell.display)
		snprintf(failure, kTextBytes,
				 "output %zu, row %zu: %d digits are shown instead of %d",
				 output, row, display, cell.display);
}

// Checks that the most digits noted of each output cover a row that can be computed,
// whether or not there is room for all that is made of it.
static void
compare_digits(const DeviceRun &run, const WideRow &row, char *failure)
{
	for (size_t i = 0; row.selected && !row.trapped && i < row.cells.size();
		 i++)
		if (row.cells[i].is_decimal && row.cells[i].is_valid &&
			row.cells[i].value != 0 && run.plan.mixed[i] &&
			run.outputs[i].d_values != NULL &&
			run.digits[i] < (unsigned) row.cells[i].display)
			snprintf(failure, kTextBytes,
					 "output %zu: at most %u digits, not %d", i, run.digits[i],
					 row.cells[i].display);
}

// Compares an output over the tiles that have not trapped.
static void
compare_output(const WideProgram &program, const DeviceRun &run, size_t output,
			   const std::vector<WideRow> &expected, Tally &tally,
			   char *failure)
{
	const WaProgramOutput &made = run.outputs[output];
	const std::vector<uint64_t> validity =
		fetch(made.d_validity, program.nrows / 64 + 1);
	const std::vector<uint8_t> stored =
		fetch(static_cast<const uint8_t *>(made.d_values), program.nrows * 16);
	const std::vector<int16_t> display =
		made.d_display == NULL ? std::vector<int16_t>(program.nrows)
							   : fetch(made.d_display, program.nrows);

	for (size_t row = 0; row < program.nrows && failure[0] == '\0'; row++)
	{
		const bool is_out =
			wa_row_is_valid(run.traps.data(), row / WA_PROGRAM_TILE_ROWS);
		const bool is_valid = wa_row_is_valid(validity.data(), row);
		const WideCell *cell = &expected[row].cells[output];
		WaInt128 wide = {0, 0};
		int64_t narrow = 0;

		if (is_out || expected[row].trapped)
		{
			if (is_out && is_valid)
				snprintf(failure, kTextBytes, "a tile that trapped has rows");
			continue;
		}
		if (is_valid != (expected[row].selected && cell->is_valid))
			snprintf(failure, kTextBytes, "validity of output %zu, row %zu",
					 output, row);
		if (!is_valid)
			continue;
		if (made.form == WA_COLUMN_I128)
			memcpy(&wide, stored.data() + row * 16, 16);
		else if (made.form == WA_COLUMN_BITS)
			narrow = stored[row / 8] >> row % 8 & 1;
		else
			memcpy(&narrow, stored.data() + row * 8, 8);
		compare_cell(run, output, row,
					 made.form == WA_COLUMN_I128 ? wa_int128_get(wide) : narrow,
					 display[row], *cell, failure);
		tally.compared[program.instructions.back().code]++;
		tally.rows++;
		tally.wide_rows += cell->value != (int64_t) cell->value;
	}
}

// Tells whether a row may have trapped on the device.
static bool
may_trap(const DeviceRun &run, const WideRow &row)
{
	if (row.trapped)
		return true;
	for (size_t i = 0; i < row.cells.size(); i++)
		if (row.selected && row.cells[i].is_valid &&
			!fits(run, i, row.cells[i]))
			return true;
	return false;
}

// Compares a run with what the CPU makes of the rows.
static void
compare(const WideProgram &program, const DeviceRun &run,
		const std::vector<WideRow> &expected, Tally &tally, char *failure)
{
	for (size_t first = 0; first < program.nrows; first += WA_PROGRAM_TILE_ROWS)
	{
		const bool has_trapped =
			wa_row_is_valid(run.traps.data(), first / WA_PROGRAM_TILE_ROWS);
		bool may = false;
		bool must_trap = false;

		for (size_t row = first;
			 row < program.nrows && row < first + WA_PROGRAM_TILE_ROWS; row++)
		{
			may |= may_trap(run, expected[row]);
			must_trap |= !expected[row].trapped && may_trap(run, expected[row]);
			compare_digits(run, expected[row], failure);
			if (!has_trapped && !expected[row].trapped &&
				wa_row_is_valid(run.selection.data(), row) !=
					expected[row].selected)
				snprintf(failure, kTextBytes, "selection of row %zu", row);
		}
		if (has_trapped ? !may : must_trap)
			snprintf(failure, kTextBytes,
					 has_trapped ? "a tile trapped for nothing"
								 : "a tile should have trapped");
		tally.trapped[program.instructions.back().code] += has_trapped;
	}
	for (size_t i = 0; i < run.outputs.size() && failure[0] == '\0'; i++)
		compare_output(program, run, i, expected, tally, failure);
}

// Tries a program.
static void
try_program(const WideProgram &program, Tally &tally, char *failure)
{
	DeviceRun run;
	cudaError_t error;

	prepare(program, run);
	error = wa_program_plan(&run.query, kSharedBytes, &run.plan);
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
	start(program, run);
	compare(program, run, wide_on_cpu(program), tally, failure);
	if (failure[0] == '\0')
		return;
	for (const WaInstruction &one : program.instructions)
		printf("# %s r%u = r%u r%u r%u, %u\n",
			   wa_opcode_name((WaOpcode) one.code), one.out, one.a, one.b,
			   one.c, one.extra);
}

// Each instruction by itself.
static void
test_single(uint64_t seed)
{
	Random random(seed);
	Tally tally = {};

	for (const WideCase &which : wide_cases())
	{
		char failure[kTextBytes] = "";

		for (unsigned i = 0; failure[0] == '\0' && i < kTimes; i++)
			try_program(wide_single(which, random), tally, failure);
		if (failure[0] == '\0' && tally.compared[which.code] < kLeastRows)
			snprintf(failure, kTextBytes, "too few rows were compared");
		if (failure[0] == '\0' && which.traps && tally.trapped[which.code] == 0)
			snprintf(failure, kTextBytes, "it never trapped");
		report_group(failure, "%s, seed %llu", wa_opcode_name(which.code),
					 (unsigned long long) seed);
	}
}

// Programs of several instructions.
static void
test_mixed(uint64_t seed)
{
	Random random(seed + 1000);
	Tally tally = {};
	char failure[kTextBytes] = "";

	for (unsigned i = 0; failure[0] == '\0' && i < kMixedTimes; i++)
		try_program(
			wide_mixed(1 + random.below(1 + random.below(1500)), random), tally,
			failure);
	printf("# %u programs, %u refused, %u long, %u rows, %u values of over 64 "
		   "bits\n",
		   tally.programs, tally.refused, tally.long_ones, tally.rows,
		   tally.wide_rows);
	if (failure[0] == '\0' && tally.refused * 4 > tally.programs)
		snprintf(failure, kTextBytes, "too many are refused");
	if (failure[0] == '\0' && tally.wide_rows * 200 < tally.rows)
		snprintf(failure, kTextBytes, "too few values are wide");
	report_group(failure, "programs, seed %llu", (unsigned long long) seed);
}

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2};

	if (argc > 1)
		seeds.clear();
	for (int i = 1; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	for (uint64_t seed : seeds)
	{
#ifdef WA_EMU
		wa_emu_set_seed(seed);
#endif
		test_single(seed);
		test_mixed(seed);
	}
	return report_total();
}
