//
// random_wide.h
//		Random programs over DECIMALs of up to 38 digits, and what the CPU makes
//		of them row by row.
//
#ifndef WA_EMU_RANDOM_WIDE_H
#define WA_EMU_RANDOM_WIDE_H

#include <vector>

#include "check.h"
#include "cuda/programs.h"

// A column as device memory has it, and as vectors do.
struct WideColumn
{
	uint16_t number;
	WaColumnForm form;
	uint8_t scale;
	std::vector<uint8_t> stored;
	std::vector<uint64_t> validity; // empty: no row is NULL
	std::vector<uint8_t> display;   // empty: all digits are shown
	std::vector<__int128> values;
};

struct WideOutput
{
	uint16_t number;
	uint16_t filter;
	uint8_t bits;
	uint8_t mixed_bits; // if the digits shown differ
	uint8_t scale;      // or WA_ANY_SCALE
};

struct WideProgram
{
	size_t nrows;
	std::vector<WaVectorKind> kinds; // of the registers
	std::vector<WaInstruction> instructions;
	std::vector<WideColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaProgramClause> clauses;
	std::vector<WideOutput> outputs;
};

// An instruction to try, by its arguments' kinds and the result's.
struct WideCase
{
	WaOpcode code;
	const char *kinds;
	bool traps; // at times
	std::vector<uint32_t> extras;
};

// The instructions that take DECIMALs, or give them.
const std::vector<WideCase> &wide_cases();

// Makes a program of one instruction over few rows.
WideProgram wide_single(const WideCase &which, Random &random);

// Makes a program of several instructions and clauses.
WideProgram wide_mixed(size_t nrows, Random &random);

// A row of an output.
struct WideCell
{
	bool is_valid;
	bool is_decimal;
	__int128 value; // bits of floats
	int scale;
	int display;
};

// What the CPU makes of a row.
struct WideRow
{
	bool trapped;
	bool selected;
	std::vector<WideCell> cells; // of the outputs
};

std::vector<WideRow> wide_on_cpu(const WideProgram &program);

#endif // WA_EMU_RANDOM_WIDE_H
