//
// random_program.h
//		Random query programs over random columns, and what the CPU makes of
//		them.
//
#ifndef WA_EMU_RANDOM_PROGRAM_H
#define WA_EMU_RANDOM_PROGRAM_H

#include <vector>

#include "check.h"
#include "cuda/programs.h"

// A column as device memory has it, and as vectors do.
struct RandomColumn
{
	uint16_t number;
	WaVectorKind kind;
	WaColumnForm form;
	uint8_t scale;
	std::vector<uint8_t> stored;
	std::vector<uint64_t> validity; // empty: no row is NULL
	std::vector<uint8_t> display;   // empty: all digits are shown
	std::vector<int64_t> values;    // bits of floats
};

// A register's type.
struct RandomRegister
{
	WaVectorKind kind;
	uint32_t bytes; // INT, FLOAT: of the SQL type
	uint8_t scale;  // DECIMAL
};

struct RandomProgram
{
	size_t nrows;
	std::vector<RandomRegister> registers;
	std::vector<WaInstruction> instructions;
	std::vector<RandomColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaProgramClause> clauses;
	std::vector<WaProgramOutput> outputs; // without memory
};

// An instruction to try, by its arguments' kinds and the result's.
struct RandomCase
{
	WaOpcode code;
	const char *kinds;
	bool traps; // at times
	std::vector<uint32_t> extras;
};

// The instructions that kernels have.
const std::vector<RandomCase> &random_cases();

// The lists of IN, and the tables of LOOK_UP, of all forms.
const size_t kRandomTables = 7;
const WaIntList *random_lists();
const WaLookupTable *random_tables();

// Makes a program of one instruction over few rows of special values.
RandomProgram random_single(const RandomCase &which, uint32_t extra,
							Random &random);

// Makes a program of several instructions and clauses.
RandomProgram random_mixed(size_t nrows, Random &random);

// A row of an output.
struct ExpectedCell
{
	bool is_valid;
	int64_t value; // bits of floats
	uint8_t display;
};

// What the CPU makes of a program, for all rows.
struct ExpectedResult
{
	std::vector<bool> traps; // by tile
	std::vector<bool> selected;
	std::vector<std::vector<ExpectedCell>> outputs;
	std::vector<int> scales; // of outputs; -1: nothing was computed
	std::vector<bool> mixed;
	size_t nselected;
};

ExpectedResult run_on_cpu(const RandomProgram &program);

#endif // WA_EMU_RANDOM_PROGRAM_H
