//
// random_program.cpp
//		Random query programs over random columns; see random_program.h.
//
// Arguments fit the types of their instructions, as a compiler of SQL sees to.
// Most values are tame, so that not every tile traps.
//
#include "random_program.h"

#include "test/unit/test_program_values.h"

static const size_t kMaxColumns = 10;
static const size_t kMaxConstants = 12;
static const unsigned kMaxOutputs = 6;

static const int64_t short_list[] = {INT64_MIN, -3, 0, 7};
static int64_t long_list[33];
static const WaIntList lists[] = {{short_list, 0},
								  {short_list, 1},
								  {short_list, LENGTH(short_list)},
								  {long_list, 32},
								  {long_list, LENGTH(long_list)}};

// In tables 0, 3 and 5 are all tame values; table 4, which has few of them, is total, and so
// is 6, of slots.
static const size_t kSteps = 240;
static int64_t step_values[kSteps];
static uint8_t step_known[kSteps];
static int32_t step_narrow[kSteps];
static WaLookupSlot step_slots[64];
static WaLookupTable tables[kRandomTables];

// Returns a table of the steps.
static WaLookupTable
make_table(int64_t base, uint64_t width, size_t nentries)
{
	WaLookupTable table = {};

	table.base = base;
	table.width = width;
	table.nentries = nentries;
	table.values = step_values;
	table.known = step_known;
	return table;
}

const WaLookupTable *
random_tables()
{
	for (size_t i = 0; i < kSteps; i++)
	{
		step_values[i] = ((int64_t) i - 100) * 10007;
		step_known[i] = i % 89 == 5    ? WA_ENTRY_UNKNOWN
						: i % 13 == 11 ? WA_ENTRY_NULL
									   : WA_ENTRY_VALUE;
	}
	tables[0] = make_table(-840, 7, kSteps);
	tables[1] = make_table(INT64_MIN, UINT64_C(1) << 40, kSteps);
	tables[2] = make_table(INT64_MAX - 12 * 70 + 1, 70, 12);
	tables[3] = make_table(-110, 1, kSteps);
	tables[3].scale = 3;
	tables[4] = make_table(-9, 3, 24);
	tables[4].is_total = true;
	for (size_t i = 0; i < kSteps; i++)
		step_narrow[i] = step_known[i] == WA_ENTRY_VALUE
							 ? (int32_t) step_values[i]
							 : WA_NARROW_NULL;
	tables[5] = make_table(-400, 5, kSteps);
	tables[5].narrow = step_narrow;
	wa_lookup_slots_clear(step_slots, LENGTH(step_slots));
	for (int64_t i = 0; i < 40; i++)
		(void) wa_lookup_slots_add(step_slots, LENGTH(step_slots),
								   i * i % 89 - 9, i);
	tables[6] = {};
	tables[6].width = 1;
	tables[6].nentries = LENGTH(step_slots);
	tables[6].slots = step_slots;
	tables[6].is_total = true;
	for (size_t i = 5; i < LENGTH(tables); i++)
		tables[i].values = NULL;
	return tables;
}

const WaIntList *
random_lists()
{
	for (size_t i = 0; i < LENGTH(long_list); i++)
		long_list[i] = ((int64_t) i - 16) * (1 << 26) + (int64_t) i % 5;
	return lists;
}

const std::vector<RandomCase> &
random_cases()
{
	static const std::vector<uint32_t> kInts = {2, 4, 8};
	static const std::vector<uint32_t> kFloats = {4, 8};
	static const std::vector<uint32_t> kComparisons = {
		WA_EQUAL,         WA_NOT_EQUAL, WA_LESS,
		WA_LESS_OR_EQUAL, WA_GREATER,   WA_GREATER_OR_EQUAL};
	static const std::vector<uint32_t> kRounds = {
		255 * 256, 255 * 256 + 2, 255 * 256 + 18, 3 * 256,
		2,         10 * 256 + 4,  18 * 256,       256 + 18};
	static const std::vector<RandomCase> kCases = {
		{WA_CODE_INT_ADD, "iii", true, kInts},
		{WA_CODE_INT_SUBTRACT, "iii", true, kInts},
		{WA_CODE_INT_MULTIPLY, "iii", true, kInts},
		{WA_CODE_INT_DIVIDE, "iii", true, kInts},
		{WA_CODE_INT_REMAINDER, "iii", true, kInts},
		{WA_CODE_INT_NEGATE, "ii", true, kInts},
		{WA_CODE_INT_ABS, "ii", true, kInts},
		{WA_CODE_INT_NARROW, "ii", true, {2, 4}},
		{WA_CODE_FLOAT_ADD, "fff", true, kFloats},
		{WA_CODE_FLOAT_SUBTRACT, "fff", true, kFloats},
		{WA_CODE_FLOAT_MULTIPLY, "fff", true, kFloats},
		{WA_CODE_FLOAT_DIVIDE, "fff", true, kFloats},
		{WA_CODE_FLOAT_NEGATE, "ff", false, {0}},
		{WA_CODE_FLOAT_ABS, "ff", false, {0}},
		{WA_CODE_FLOAT_FLOOR, "ff", false, {0}},
		{WA_CODE_FLOAT_CEIL, "ff", false, {0}},
		{WA_CODE_FLOAT_NARROW, "ff", true, {0}},
		{WA_CODE_FLOAT_HIGH_PART, "fff", true, {0}},
		{WA_CODE_FLOAT_LOW_PART, "fff", true, {0}},
		{WA_CODE_DECIMAL_ADD, "ddd", true, {0}},
		{WA_CODE_DECIMAL_SUBTRACT, "ddd", true, {0}},
		{WA_CODE_DECIMAL_MULTIPLY, "ddd", true, {0}},
		{WA_CODE_DECIMAL_NEGATE, "dd", true, {0}},
		{WA_CODE_DECIMAL_ABS, "dd", true, {0}},
		{WA_CODE_DECIMAL_FLOOR, "dd", false, {0}},
		{WA_CODE_DECIMAL_CEIL, "dd", false, {0}},
		{WA_CODE_DECIMAL_ROUND, "dd", true, kRounds},
		{WA_CODE_DECIMAL_FLOOR_DIVIDE, "ddd", true, {0}},
		{WA_CODE_INT_TO_FLOAT, "if", false, kFloats},
		{WA_CODE_INT_TO_DECIMAL, "id", false, {0}},
		{WA_CODE_FLOAT_TO_INT, "fi", true, kInts},
		{WA_CODE_DECIMAL_TO_INT, "di", true, {2, 4}},
		{WA_CODE_DECIMAL_TO_FLOAT, "df", true, kFloats},
		{WA_CODE_DECIMAL_SCALE, "di", false, {0}},
		{WA_CODE_DATE_TO_TIMESTAMP, "ii", true, {0}},
		{WA_CODE_TIMESTAMP_TO_DATE, "ii", true, {0}},
		{WA_CODE_TIMESTAMP_TO_DECIMAL, "id", true, {0}},
		{WA_CODE_TIMESTAMP_TO_FLOAT, "if", true, {0}},
		{WA_CODE_COMPARE_INT, "iib", false, kComparisons},
		{WA_CODE_COMPARE_FLOAT, "ffb", false, kComparisons},
		{WA_CODE_COMPARE_DECIMAL, "ddb", false, kComparisons},
		{WA_CODE_COMPARE_BOOL, "bbb", false, kComparisons},
		{WA_CODE_IN_INT, "ib", false, {0, 1, 2, 3, 4}},
		{WA_CODE_AND, "bbb", false, {0}},
		{WA_CODE_OR, "bbb", false, {0}},
		{WA_CODE_NOT, "bb", false, {0}},
		{WA_CODE_IS_NULL, "bb", false, {0}},
		{WA_CODE_IS_NULL, "db", false, {0}},
		{WA_CODE_IS_NOT_NULL, "ib", false, {0}},
		{WA_CODE_IS_NOT_NULL, "fb", false, {0}},
		{WA_CODE_IS_TRUE, "bb", false, {0}},
		{WA_CODE_SELECT, "biii", false, {WA_VECTOR_INT}},
		{WA_CODE_SELECT, "bfff", false, {WA_VECTOR_FLOAT}},
		{WA_CODE_SELECT, "bddd", true, {WA_VECTOR_DECIMAL}},
		{WA_CODE_SELECT, "bbbb", false, {WA_VECTOR_BOOL}},
		{WA_CODE_LOOK_UP, "ii", true, {0, 0, 4, 1, 2, 5, 6}},
		{WA_CODE_LOOK_UP, "if", true, {0, 0, 4, 1, 2, 5, 6}},
		{WA_CODE_LOOK_UP, "id", true, {4, 3, 3, 1, 2, 5}},
	};

	return kCases;
}

// Makes a program, piece by piece.
class Maker
{
  public:
	Maker(size_t nrows, bool is_wild, Random &random)
		: is_wild_(is_wild), random_(random)
	{
		seed = random.bits() | 1;
		program_.nrows = nrows;
	}

	RandomProgram &
	program()
	{
		return program_;
	}

	bool add_instruction(const RandomCase &which, uint32_t extra);
	void add_clause();
	void add_output(uint16_t number);

	size_t
	registers() const
	{
		return program_.registers.size();
	}

  private:
	uint16_t add_register(WaVectorKind kind, uint32_t bytes, uint8_t scale);
	uint16_t add_column(WaVectorKind kind, uint32_t bytes);
	uint16_t add_constant(WaVectorKind kind, uint32_t bytes);
	void fill(RandomColumn &column, uint32_t bytes);
	void store(RandomColumn &column, size_t row);
	int64_t tame_value(WaVectorKind kind);
	int64_t wild_value(WaVectorKind kind, uint32_t bytes);
	int find(WaVectorKind kind, uint32_t bytes);
	uint16_t argument(WaVectorKind kind, uint32_t bytes);
	uint16_t result(const RandomRegister &type, const WaInstruction &made);
	WaColumnForm form_of(WaVectorKind kind, uint32_t bytes, bool any);

	const bool is_wild_;
	Random &random_;
	RandomProgram program_;
	WaOpcode code_ = WA_CODE_AND;    // of the instruction to come
	uint32_t extra_ = 0;             // likewise
	std::vector<uint16_t> computed_; // registers of results
};

static WaVectorKind
kind_of(char letter)
{
	static const char letters[] = "ifdb";

	return (WaVectorKind) (strchr(letters, letter) - letters);
}

static int64_t
bits_of(double number)
{
	int64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

uint16_t
Maker::add_register(WaVectorKind kind, uint32_t bytes, uint8_t scale)
{
	program_.registers.push_back({kind, bytes, scale});
	return (uint16_t) (program_.registers.size() - 1);
}

// A small value, seldom 0.
int64_t
Maker::tame_value(WaVectorKind kind)
{
	const int64_t small = (int64_t) random_below(201) - 100;

	switch (kind)
	{
		case WA_VECTOR_FLOAT:
			return bits_of((double) (small == 0 ? 1 : small) / 4);
		case WA_VECTOR_BOOL:
			return (int64_t) random_below(2);
		default:
			if (code_ == WA_CODE_DECIMAL_FLOOR_DIVIDE && small < 0 &&
				random_below(20) != 0)
				return -small;
			return small == 0 ? 1 : small;
	}
}

// A value in a table, or a little outside.
static int64_t
random_step(const WaLookupTable *table)
{
	const uint64_t offset =
		random_below(table->nentries * table->width + 10) - 5;

	return (int64_t) ((uint64_t) table->base + offset);
}

int64_t
Maker::wild_value(WaVectorKind kind, uint32_t bytes)
{
	switch (kind)
	{
		case WA_VECTOR_INT:
			if (code_ >= WA_CODE_DATE_TO_TIMESTAMP &&
				code_ <= WA_CODE_TIMESTAMP_TO_FLOAT && bytes == 8)
				return random_time(code_);
			if (code_ == WA_CODE_LOOK_UP && bytes == 8)
				return random_step(&random_tables()[extra_]);
			if (code_ == WA_CODE_IN_INT && bytes == 8 && random_below(2) == 0)
				return long_list[random_below(LENGTH(long_list))];
			if (code_ == WA_CODE_INT_TO_FLOAT && bytes == 8 &&
				random_below(2) == 0)
				return random_middle();
			return random_int(bytes);
		case WA_VECTOR_FLOAT:
			if (random_below(8) == 0)
				return bits_of((random_below(2) == 0 ? 1 : -1) *
							   (bytes == 4 ? (double) FLT_MAX : DBL_MAX));
			return bits_of(random_float(bytes == 4));
		case WA_VECTOR_DECIMAL:
			if (code_ == WA_CODE_DECIMAL_TO_FLOAT && random_below(4) == 0)
				return (random_below(2) == 0 ? 1 : -1) *
					   ((INT64_C(1) << 53) + (int64_t) random_below(3) - 1);
			return random_decimal();
		default:
			return tame_value(kind);
	}
}

// Returns a form that a register's values can have.  any: even if some do not
// fit.
WaColumnForm
Maker::form_of(WaVectorKind kind, uint32_t bytes, bool any)
{
	static const WaColumnForm ints[] = {WA_COLUMN_I64, WA_COLUMN_I32,
										WA_COLUMN_I16, WA_COLUMN_U32};

	switch (kind)
	{
		case WA_VECTOR_INT:
		case WA_VECTOR_DECIMAL:
			if (any)
				return ints[random_below(LENGTH(ints))];
			return bytes == 2   ? WA_COLUMN_I16
				   : bytes == 4 ? WA_COLUMN_I32
								: WA_COLUMN_I64;
		case WA_VECTOR_FLOAT:
			return bytes == 4 ? WA_COLUMN_F32 : WA_COLUMN_F64;
		default:
			return WA_COLUMN_BITS;
	}
}

static size_t
form_bytes(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return 2;
		case WA_COLUMN_I64:
		case WA_COLUMN_F64:
			return 8;
		default:
			return 4;
	}
}

// Stores a row's value as device memory has it.
void
Maker::store(RandomColumn &column, size_t row)
{
	const size_t width = form_bytes(column.form);
	uint64_t number = (uint64_t) column.values[row];
	double real;
	float narrow;

	if (column.form == WA_COLUMN_BITS)
	{
		if (column.values[row] != 0)
			column.stored[row / 8] |= (uint8_t) (1 << row % 8);
		return;
	}
	if (column.form == WA_COLUMN_F32)
	{
		memcpy(&real, &column.values[row], sizeof(real));
		narrow = (float) real;
		memcpy(&number, &narrow, sizeof(narrow));
	}
	memcpy(column.stored.data() + row * width, &number, width);
}

// Tells whether an integer is one that the column's form can have.
static bool
fits_form(const RandomColumn &column, int64_t number)
{
	switch (column.form)
	{
		case WA_COLUMN_I16:
			return number == (int16_t) number;
		case WA_COLUMN_I32:
			return number == (int32_t) number;
		case WA_COLUMN_U32:
			return number == (uint32_t) number;
		default:
			return true;
	}
}

// Draws the rows of a column.
void
Maker::fill(RandomColumn &column, uint32_t bytes)
{
	const unsigned nulls = (unsigned) random_below(5);
	const unsigned wild_one_in =
		is_wild_ ? 1 + 2 * (unsigned) random_below(2) : 500 << random_below(6);
	const size_t nrows = program_.nrows;

	column.values.resize(nrows);
	column.stored.resize(column.form == WA_COLUMN_BITS
							 ? wa_validity_bytes(nrows)
							 : nrows * form_bytes(column.form));
	if (nulls >= 2)
		column.validity.resize((nrows + 63) / 64);
	for (uint64_t &word : column.validity)
		word = nulls == 2   ? ~(uint64_t) 0
			   : nulls == 3 ? random_.bits() | random_.bits()
							: random_.bits() & -(uint64_t) random_below(2);
	for (size_t row = 0; row < nrows; row++)
	{
		int64_t value = random_below(wild_one_in) == 0
							? wild_value(column.kind, bytes)
							: tame_value(column.kind);

		column.values[row] = fits_form(column, value) ? value : 0;
		store(column, row);
		if (!column.validity.empty() &&
			!wa_row_is_valid(column.validity.data(), row))
			column.values[row] = 0;
	}
	if (column.kind != WA_VECTOR_DECIMAL || random_below(2) == 0)
		return;
	for (size_t row = 0; row < nrows; row++)
		column.display.push_back((uint8_t) random_below(column.scale + 1));
}

uint16_t
Maker::add_column(WaVectorKind kind, uint32_t bytes)
{
	const uint64_t max_scale = !is_wild_                               ? 4
							   : code_ == WA_CODE_DECIMAL_MULTIPLY     ? 9
							   : code_ == WA_CODE_DECIMAL_FLOOR_DIVIDE ? 4
																	   : 18;
	RandomColumn column = {};
	const uint8_t scale =
		kind == WA_VECTOR_DECIMAL ? (uint8_t) random_below(max_scale + 1) : 0;

	column.number = add_register(kind, bytes, scale);
	column.kind = kind;
	column.scale = scale;
	column.form = form_of(kind, bytes, false);
	if ((kind == WA_VECTOR_INT || kind == WA_VECTOR_DECIMAL) &&
		random_below(3) == 0)
		column.form = form_of(kind, bytes, true);
	fill(column, bytes);
	program_.columns.push_back(column);
	return column.number;
}

uint16_t
Maker::add_constant(WaVectorKind kind, uint32_t bytes)
{
	WaProgramConstant constant = {};
	int64_t value = is_wild_ || random_below(8) == 0 ? wild_value(kind, bytes)
													 : tame_value(kind);

	constant.scale = kind == WA_VECTOR_DECIMAL ? (uint8_t) random_below(5) : 0;
	constant.number = add_register(kind, bytes, constant.scale);
	constant.is_null = random_below(12) == 0;
	if (kind == WA_VECTOR_FLOAT)
		memcpy(&constant.value.f, &value, sizeof(value));
	else
		constant.value.i = value;
	program_.constants.push_back(constant);
	return constant.number;
}

// Returns a register of the kind whose values have up to so many bytes, or -1.
int
Maker::find(WaVectorKind kind, uint32_t bytes)
{
	std::vector<int> fitting;

	for (size_t i = 0; i < program_.registers.size(); i++)
		if (program_.registers[i].kind == kind &&
			program_.registers[i].bytes <= bytes)
			fitting.push_back((int) i);
	return fitting.empty() ? -1 : fitting[random_below(fitting.size())];
}

// Returns a register to compute with.
uint16_t
Maker::argument(WaVectorKind kind, uint32_t bytes)
{
	const int found = find(kind, bytes);
	const bool can_add = program_.columns.size() < kMaxColumns;

	if (found >= 0 && (random_below(3) != 0 || !can_add))
		return (uint16_t) found;
	if (random_below(3) == 0 && program_.constants.size() < kMaxConstants)
		return add_constant(kind, bytes);
	return add_column(kind, bytes);
}

// Returns a register for a result: a new one, or at times one that held another.
uint16_t
Maker::result(const RandomRegister &type, const WaInstruction &made)
{
	if (!computed_.empty() && random_below(4) == 0)
	{
		const uint16_t number = computed_[random_below(computed_.size())];

		if (program_.registers[number].kind == type.kind && number != made.a &&
			number != made.b && number != made.c)
		{
			program_.registers[number] = type;
			return number;
		}
	}
	computed_.push_back(add_register(type.kind, type.bytes, type.scale));
	return computed_.back();
}

// Returns the bytes that arguments may have.
static uint32_t
argument_bytes(WaOpcode code, uint32_t extra)
{
	if (code <= WA_CODE_INT_ABS ||
		(code >= WA_CODE_FLOAT_ADD && code <= WA_CODE_FLOAT_DIVIDE))
		return extra;
	return 8;
}

// Returns the bytes of a result.
static uint32_t
result_bytes(WaOpcode code, uint32_t extra, const RandomRegister &a)
{
	switch (code)
	{
		case WA_CODE_FLOAT_NEGATE:
		case WA_CODE_FLOAT_ABS:
		case WA_CODE_FLOAT_FLOOR:
		case WA_CODE_FLOAT_CEIL:
			return a.bytes;
		case WA_CODE_FLOAT_NARROW:
		case WA_CODE_TIMESTAMP_TO_DATE:
			return 4;
		default:
			break;
	}
	if (code <= WA_CODE_FLOAT_DIVIDE || code == WA_CODE_INT_TO_FLOAT ||
		code == WA_CODE_FLOAT_TO_INT || code == WA_CODE_DECIMAL_TO_INT ||
		code == WA_CODE_DECIMAL_TO_FLOAT)
		return extra;
	return 8;
}

// Returns the scale of a result.
static int
result_scale(const WaInstruction &made,
			 const std::vector<RandomRegister> &registers)
{
	const int a = registers[made.a].scale;
	const int b = registers[made.b].scale;

	switch (made.code)
	{
		case WA_CODE_DECIMAL_ADD:
		case WA_CODE_DECIMAL_SUBTRACT:
			return std::max(a, b);
		case WA_CODE_DECIMAL_MULTIPLY:
			return a + b;
		case WA_CODE_DECIMAL_NEGATE:
		case WA_CODE_DECIMAL_ABS:
			return a;
		case WA_CODE_DECIMAL_ROUND:
			return (int) made.extra % 256;
		case WA_CODE_TIMESTAMP_TO_DECIMAL:
			return 6;
		case WA_CODE_LOOK_UP:
			return tables[made.extra].scale;
		case WA_CODE_SELECT:
			return std::max(b, (int) registers[made.c].scale);
		default:
			return 0;
	}
}

// Adds an instruction.  Returns false if its arguments would be nothing for it.
bool
Maker::add_instruction(const RandomCase &which, uint32_t extra)
{
	const size_t narguments = strlen(which.kinds) - 1;
	WaInstruction made = {(uint16_t) which.code, 0, 0, 0, 0, extra};
	uint16_t *const places[3] = {&made.a, &made.b, &made.c};
	RandomRegister type = {kind_of(which.kinds[narguments]), 8, 0};
	int scale;

	code_ = which.code;
	extra_ = extra;
	for (size_t i = 0; i < narguments; i++)
		*places[i] = argument(kind_of(which.kinds[i]),
							  argument_bytes(which.code, extra));
	scale = type.kind == WA_VECTOR_DECIMAL
				? result_scale(made, program_.registers)
				: 0;
	if (scale > WA_DECIMAL_MAX_SCALE)
		return false;
	type.scale = (uint8_t) scale;
	type.bytes = result_bytes(which.code, extra, program_.registers[made.a]);
	made.out = result(type, made);
	program_.instructions.push_back(made);
	return true;
}

// Adds a clause of any BOOL that there is.
void
Maker::add_clause()
{
	const int number = find(WA_VECTOR_BOOL, 8);

	if (number >= 0)
		program_.clauses.push_back(
			{program_.instructions.size(), (uint16_t) number});
}

// Has a register as an output.
void
Maker::add_output(uint16_t number)
{
	const RandomRegister &type = program_.registers[number];
	const int filter = random_below(4) == 0 ? find(WA_VECTOR_BOOL, 8) : -1;
	WaProgramOutput output = {};

	output.number = number;
	output.filter = filter < 0 ? WA_NO_REGISTER : (uint16_t) filter;
	output.form = form_of(type.kind, 8, false);
	if (type.kind == WA_VECTOR_INT && random_below(8) == 0 &&
		(type.bytes <= 4 || !is_wild_))
		output.form = WA_COLUMN_I32;
	program_.outputs.push_back(output);
}

RandomProgram
random_single(const RandomCase &which, uint32_t extra, Random &random)
{
	const size_t nrows = 1 + random.below(random.below(2) == 0 ? 4 : 70);
	Maker maker(nrows, true, random);

	if (maker.add_instruction(which, extra))
		maker.add_output(maker.program().instructions[0].out);
	return maker.program();
}

RandomProgram
random_mixed(size_t nrows, Random &random)
{
	const std::vector<RandomCase> &cases = random_cases();
	Maker maker(nrows, false, random);
	const size_t ninstructions = 1 + random.below(14);

	for (size_t i = 0; i < ninstructions; i++)
	{
		const RandomCase &which = cases[random.below(cases.size())];

		(void) maker.add_instruction(
			which, which.extras[random.below(which.extras.size())]);
		if (random.below(5) == 0)
			maker.add_clause();
	}
	for (unsigned i = 0; i < kMaxOutputs && maker.registers() > 0; i++)
		maker.add_output((uint16_t) random.below(maker.registers()));
	return maker.program();
}
