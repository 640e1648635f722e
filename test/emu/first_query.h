//
// first_query.h
//		Random queries that want the first groups of an order, and all of their
//		groups as the CPU finds them.
//
#ifndef WA_EMU_FIRST_QUERY_H
#define WA_EMU_FIRST_QUERY_H

#include "check.h"

#include <map>

#include "cuda/query.h"

// A column: the words are integers, which I128 has shifted, or the bits of doubles.
struct Column
{
	WaColumnForm form;
	WaVectorKind kind;
	bool has_range;
	unsigned shift;               // I128
	bool is_small;                // likewise
	std::vector<uint8_t> display; // DECIMAL: digits shown, if they differ
	std::vector<int64_t> words;
	std::vector<bool> is_null;
	std::vector<uint64_t> stored;
	std::vector<uint64_t> validity; // empty: no row is NULL
};

// A query in the making; registers are the columns, a constant and what the
// program computes.
struct Case
{
	size_t nrows;
	std::vector<Column> columns;
	std::vector<uint16_t> keys;
	std::vector<WaCudaAggregate> aggregates;
	std::vector<WaCudaRange> ranges;
	bool has_where;      // the first column is positive
	bool has_difference; // the register behind the columns: first column - 1
	bool keeps_zeros;    // zeros of both signs are keys of several groups
	WaTopN top_n;
};

// A group as the CPU finds it, or as it was taken.
struct Cell
{
	uint8_t min_display; // the most digits that a row with it shows
	uint8_t max_display;
	WaPartial partial;
	WaExactPart exact;
};

// Keys: whether it is NULL, and a word that is the same of the same values.
typedef std::vector<std::pair<bool, int64_t>> Key;

struct Group
{
	std::vector<Cell> cells;
	bool taken;
};

typedef std::map<Key, Group> Groups;

// A query as the device takes it.
struct Built
{
	std::vector<void *> memory;
	std::vector<WaVectorKind> kinds;
	std::vector<WaCudaColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaInstruction> instructions;
	std::vector<WaProgramClause> clauses;
	WaCudaQuery query;
};

// Returns the type that values of a form are reduced by.
WaType first_type(WaColumnForm form);

// Makes a random query.
Case first_case(Random &random);

// Tells whether a key has zeros of both signs: all groups are handed over then.
bool first_mixes_zeros(const Case &query);

// Computes the groups on the CPU.
Groups first_groups(const Case &query);

// Builds a query, whose memory the caller frees; the case has to outlive it.
void first_build(const Case &query, Built &built);

// Returns the calls of the emulator that building a query makes.
unsigned first_build_calls(const Case &query);

#endif // WA_EMU_FIRST_QUERY_H
