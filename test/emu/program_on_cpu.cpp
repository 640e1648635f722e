//
// program_on_cpu.cpp
//		What wa_program_run makes of a random program, tile by tile and clause by
//		clause, as the scan tier has it.
//
#include <stdlib.h>
#include <string.h>

#include "random_program.h"

// The vectors of a tile.
class Tile
{
  public:
	Tile(const RandomProgram &program, size_t first);
	~Tile();
	Tile(const Tile &) = delete;
	Tile &operator=(const Tile &) = delete;

	// Runs all instructions; returns false if one trapped.
	bool run();

	// Brings what is left to the result; returns false if an output does not
	// fit its form.
	bool give(ExpectedResult &result) const;

  private:
	void fill_column(const RandomColumn &column);
	void fill_constant(const WaProgramConstant &constant);
	void keep(uint16_t number);
	bool give_output(size_t output, ExpectedResult &result) const;

	const RandomProgram &program_;
	std::vector<WaVectorKind> kinds_;
	std::vector<WaVector> registers_;
	std::vector<size_t> rows_; // those left
};

Tile::Tile(const RandomProgram &program, size_t first) : program_(program)
{
	for (size_t row = first;
		 row < program.nrows && row < first + WA_PROGRAM_TILE_ROWS; row++)
		rows_.push_back(row);
	for (const RandomRegister &type : program.registers)
	{
		void *memory = NULL;
		WaVector vector;

		if (posix_memalign(&memory, 64, wa_vector_bytes(type.kind)) != 0)
			abort();
		memset(memory, 0, wa_vector_bytes(type.kind));
		wa_vector_place(&vector, type.kind, memory);
		kinds_.push_back(type.kind);
		registers_.push_back(vector);
	}
	for (const RandomColumn &column : program.columns)
		fill_column(column);
	for (const WaProgramConstant &constant : program.constants)
		fill_constant(constant);
}

Tile::~Tile()
{
	for (WaVector &vector : registers_)
		free(vector.values);
}

// Sets a value of a vector.
static void
set_value(WaVector *vector, WaVectorKind kind, size_t row, int64_t value)
{
	if (kind == WA_VECTOR_BOOL)
		wa_vector_bools(vector)[row] = (uint8_t) value;
	else
		wa_vector_ints(vector)[row] = value;
}

static int64_t
get_value(const WaVector *vector, WaVectorKind kind, size_t row)
{
	if (kind == WA_VECTOR_BOOL)
		return wa_vector_bools(vector)[row];
	return wa_vector_ints(vector)[row];
}

void
Tile::fill_column(const RandomColumn &column)
{
	WaVector *vector = &registers_[column.number];

	vector->has_nulls = !column.validity.empty();
	vector->scale = column.scale;
	vector->mixed = !column.display.empty();
	for (size_t i = 0; i < rows_.size(); i++)
	{
		const size_t row = rows_[i];

		set_value(vector, column.kind, i, column.values[row]);
		if (vector->has_nulls)
			vector->valid[i] = wa_row_is_valid(column.validity.data(), row);
		if (vector->mixed)
			vector->display[i] = column.display[row];
	}
}

void
Tile::fill_constant(const WaProgramConstant &constant)
{
	WaVector *vector = &registers_[constant.number];
	const WaVectorKind kind = kinds_[constant.number];
	int64_t value = constant.value.i;

	if (kind == WA_VECTOR_FLOAT)
		memcpy(&value, &constant.value.f, sizeof(value));
	vector->has_nulls = constant.is_null;
	vector->scale = constant.scale;
	for (size_t i = 0; i < WA_VECTOR_ROWS; i++)
	{
		set_value(vector, kind, i, constant.is_null ? 0 : value);
		vector->valid[i] = !constant.is_null;
	}
}

// Keeps the rows for which a register is true.
void
Tile::keep(uint16_t number)
{
	uint16_t selection[WA_VECTOR_ROWS];
	const size_t nselected =
		wa_vector_select(&registers_[number], rows_.size(), selection);

	for (size_t i = 0; i < registers_.size(); i++)
		wa_vector_compact(&registers_[i], kinds_[i], selection, nselected);
	for (size_t i = 0; i < nselected; i++)
		rows_[i] = rows_[selection[i]];
	rows_.resize(nselected);
}

bool
Tile::run()
{
	const WaProgram program = {(uint16_t) kinds_.size(),
							   kinds_.data(),
							   program_.instructions.data(),
							   program_.instructions.size(),
							   random_lists(),
							   NULL,
							   random_tables()};
	size_t begin = 0;

	for (const WaProgramClause &clause : program_.clauses)
	{
		if (!wa_program_run(&program, begin, clause.end, registers_.data(),
							rows_.size()))
			return false;
		begin = clause.end;
		keep(clause.number);
		if (rows_.empty())
			return true;
	}
	return wa_program_run(&program, begin, program.ninstructions,
						  registers_.data(), rows_.size());
}

bool
Tile::give_output(size_t output, ExpectedResult &result) const
{
	const WaProgramOutput &wanted = program_.outputs[output];
	const WaVector *vector = &registers_[wanted.number];

	result.scales[output] = vector->scale;
	result.mixed[output] = vector->mixed;
	for (size_t i = 0; i < rows_.size(); i++)
	{
		ExpectedCell &cell = result.outputs[output][rows_[i]];

		cell.is_valid = wa_vector_is_valid(vector, i);
		if (wanted.filter != WA_NO_REGISTER)
			cell.is_valid &=
				wa_vector_is_valid(&registers_[wanted.filter], i) &&
				wa_vector_bools(&registers_[wanted.filter])[i];
		cell.value = get_value(vector, kinds_[wanted.number], i);
		cell.display = vector->mixed ? vector->display[i] : vector->scale;
		if (cell.is_valid && wanted.form == WA_COLUMN_I32 &&
			cell.value != (int32_t) cell.value)
			return false;
	}
	return true;
}

bool
Tile::give(ExpectedResult &result) const
{
	for (size_t output = 0; output < program_.outputs.size(); output++)
		if (!rows_.empty() && !give_output(output, result))
			return false;
	for (size_t row : rows_)
		result.selected[row] = true;
	result.nselected += rows_.size();
	return true;
}

ExpectedResult
run_on_cpu(const RandomProgram &program)
{
	ExpectedResult result = {};
	const size_t noutputs = program.outputs.size();

	result.selected.resize(program.nrows);
	result.scales.assign(noutputs, -1);
	result.mixed.resize(noutputs);
	result.outputs.assign(noutputs, std::vector<ExpectedCell>(program.nrows));
	for (size_t first = 0; first < program.nrows; first += WA_PROGRAM_TILE_ROWS)
	{
		Tile tile(program, first);
		const bool is_good = tile.run() && tile.give(result);

		result.traps.push_back(!is_good);
		for (size_t row = first; !is_good && row < program.nrows &&
								 row < first + WA_PROGRAM_TILE_ROWS;
			 row++)
			for (size_t output = 0; output < noutputs; output++)
				result.outputs[output][row].is_valid = false;
	}
	return result;
}
