//
// first_query.cpp
//		Random queries and their groups; see first_query.h.
//
#include "first_query.h"

#include <algorithm>
#include <math.h>
#include <stdlib.h>
#include <string.h>

WaType
first_type(WaColumnForm form)
{
	switch (form)
	{
		case WA_COLUMN_I16:
			return WA_INT2;
		case WA_COLUMN_I32:
			return WA_INT4;
		case WA_COLUMN_F32:
			return WA_FLOAT4;
		case WA_COLUMN_F64:
			return WA_FLOAT8;
		default:
			return WA_INT8;
	}
}

// Makes a random word of a column, one of `distinct`.  If these are 20 or 400
// integers of 64 bits, then such that are close to one another.
static int64_t
random_word(Random &random, WaColumnForm form, uint64_t distinct)
{
	const double specials[] = {0.0, -0.0, NAN, INFINITY, -INFINITY};
	Random value(random.below(distinct) + 17);
	double number;
	int64_t word;

	switch (form)
	{
		case WA_COLUMN_I16:
			return (int16_t) value.bits();
		case WA_COLUMN_I32:
			return distinct < 50 ? (int32_t) value.below(5)
								 : (int32_t) value.bits();
		case WA_COLUMN_I64:
			word = (int64_t) value.below(distinct);
			return distinct == 20    ? ((int64_t) 1 << 62) + word
				   : distinct == 400 ? -word
									 : (int64_t) value.bits();
		case WA_COLUMN_I128:
			word = (int64_t) value.bits() >> 2;
			return distinct < 50    ? (int64_t) value.below(5)
				   : distinct < 500 ? ((int64_t) 1 << 61) - word % 1000
									: word;
		case WA_COLUMN_BITS:
			return (int64_t) value.below(2);
		default:
			number = value.below(4) == 0
						 ? specials[random.below(5)]
						 : (double) (float) ((double) (int64_t) value.bits() *
											 0x1p-40);
			memcpy(&word, &number, sizeof(word));
			return word;
	}
}

// Stores the word of a row in the form of its column.
static void
store(Column &column, size_t row, int64_t word)
{
	char *bytes = reinterpret_cast<char *>(column.stored.data());
	__int128 wide;
	double number;
	float single;

	memcpy(&number, &word, sizeof(number));
	single = (float) number;
	switch (column.form)
	{
		case WA_COLUMN_BITS:
			column.stored[row / 64] |= (uint64_t) word << row % 64;
			break;
		case WA_COLUMN_I16:
			memcpy(bytes + row * 2, &word, 2);
			break;
		case WA_COLUMN_I32:
			memcpy(bytes + row * 4, &word, 4);
			break;
		case WA_COLUMN_F32:
			memcpy(bytes + row * 4, &single, 4);
			break;
		case WA_COLUMN_I128:
			wide = (__int128) word * ((__int128) 1 << column.shift);
			memcpy(bytes + row * 16, &wide, 16);
			break;
		default:
			memcpy(bytes + row * 8, &word, 8);
			break;
	}
}

static Column
random_column(Random &random, WaColumnForm form, size_t nrows)
{
	const uint64_t distincts[] = {2, 20, 400, 100000};
	const uint64_t distinct = distincts[random.below(4)];
	const bool has_nulls = random.below(2) == 0;
	Column column = {};

	column.form = form;
	column.kind = form == WA_COLUMN_BITS ? WA_VECTOR_BOOL
				  : form == WA_COLUMN_F32 || form == WA_COLUMN_F64
					  ? WA_VECTOR_FLOAT
				  : form == WA_COLUMN_I128 ? WA_VECTOR_DECIMAL
										   : WA_VECTOR_INT;
	if (form == WA_COLUMN_I128)
		column.shift = 31 * (unsigned) random.below(3);
	column.is_small = column.shift < 60 && random.below(2) == 0;
	column.has_range = column.kind == WA_VECTOR_INT && random.below(2) == 0;
	column.stored.resize(2 * nrows + 64);
	column.validity.resize(has_nulls ? nrows / 64 + 8 : 0);
	for (size_t row = 0; row < nrows; row++)
	{
		const bool is_null = has_nulls && random.below(9) == 0;

		column.words.push_back(random_word(random, form, distinct));
		column.is_null.push_back(is_null);
		store(column, row, column.words[row]);
		if (has_nulls && !is_null)
			column.validity[row / 64] |= (uint64_t) 1 << row % 64;
	}
	return column;
}

// Makes a column of DECIMALs, of which equal ones may show different digits.
static Column
mixed_column(Random &random, size_t nrows)
{
	Column column = random_column(random, WA_COLUMN_I64, nrows);
	const uint64_t looks = 1 + random.below(3);

	column.kind = WA_VECTOR_DECIMAL;
	column.has_range = false;
	for (size_t row = 0; row < nrows; row++)
		column.display.push_back((uint8_t) random.below(looks));
	return column;
}

static WaCudaAggregate
random_aggregate(Random &random, const Case &query)
{
	// More often than others those of DECIMALs, which come last.
	const size_t ncolumns = query.columns.size();
	const size_t drawn = random.below(ncolumns + 6);
	const unsigned number =
		(unsigned) (drawn < ncolumns ? drawn : ncolumns - 1 - drawn % 2);
	const Column &column = query.columns[number];
	WaCudaAggregate aggregate = {(int) number, WA_CUDA_NO_REGISTER,
								 (WaOpSet) (random.below(7) + 1)};

	// Of the operations SUM, MIN and MAX those that the bits tell.
	aggregate.ops = (aggregate.ops & 1 ? WA_OP_BIT(WA_OP_SUM) : 0) |
					(aggregate.ops & 2 ? WA_OP_BIT(WA_OP_MIN) : 0) |
					(aggregate.ops & 4 ? WA_OP_BIT(WA_OP_MAX) : 0);
	if (column.form == WA_COLUMN_BITS || random.below(5) == 0)
		aggregate.ops = 0;
	if (random.below(4) == 0)
		aggregate = {WA_CUDA_NO_REGISTER, WA_CUDA_NO_REGISTER, 0};
	return aggregate;
}

// Makes an order that there is.
static WaOrderBy
random_order(Random &random, const Case &query)
{
	const unsigned cell = (unsigned) random.below(query.aggregates.size());
	const WaOpSet ops = query.aggregates[cell].ops;
	WaOrderBy order = {WA_ORDER_ROWS, (uint16_t) cell, random.below(2) == 0,
					   random.below(2) == 0};

	if (random.below(3) == 0)
	{
		order.of = WA_ORDER_KEY;
		order.number = (uint16_t) random.below(query.keys.size());
	}
	else if (random.below(2) == 0 && (ops & WA_OP_BIT(WA_OP_SUM)) != 0)
		order.of = WA_ORDER_SUM;
	else if (random.below(2) == 0 && (ops & WA_OP_BIT(WA_OP_MIN)) != 0)
		order.of = WA_ORDER_MIN;
	else if ((ops & WA_OP_BIT(WA_OP_MAX)) != 0)
		order.of = WA_ORDER_MAX;
	return order;
}

static void
random_ranges(Random &random, Case &query)
{
	uint32_t row = (uint32_t) random.below(100);

	while (row < query.nrows)
	{
		const uint32_t end = (uint32_t) std::min<uint64_t>(
			query.nrows, row + 1 + random.below(query.nrows));

		query.ranges.push_back({row, end});
		row = end + 1 + (uint32_t) random.below(50);
	}
	if (query.ranges.empty())
		query.ranges.push_back({0, (uint32_t) query.nrows});
}

static bool
is_in_range(const Case &query, size_t row)
{
	bool in_range = false;

	for (const WaCudaRange &range : query.ranges)
		in_range |= row >= range.begin && row < range.end;
	return in_range;
}

// Rows that are not to be used may have any bits in memory, as may positions that
// are nobody's rows.
static void
spoil_others(Random &random, Case &query)
{
	for (Column &column : query.columns)
	{
		const size_t bits =
			column.form == WA_COLUMN_BITS                                  ? 1
			: column.form == WA_COLUMN_I16                                 ? 16
			: column.form == WA_COLUMN_I32 || column.form == WA_COLUMN_F32 ? 32
			: column.form == WA_COLUMN_I128                                ? 128
																		   : 64;

		for (size_t row = 0; row < query.nrows; row++)
		{
			if (is_in_range(query, row))
				continue;
			for (size_t bit = row * bits; bit < (row + 1) * bits; bit++)
				column.stored[bit / 64] ^= random.below(2) << bit % 64;
			if (!column.validity.empty())
				column.validity[row / 64] ^= random.below(2) << row % 64;
			if (!column.display.empty())
				column.display[row] = (uint8_t) random.below(256);
		}
	}
}

Case
first_case(Random &random)
{
	const WaColumnForm forms[] = {WA_COLUMN_I32, WA_COLUMN_I16, WA_COLUMN_I64,
								  WA_COLUMN_F32, WA_COLUMN_F64, WA_COLUMN_BITS,
								  WA_COLUMN_I64, WA_COLUMN_I128};
	const uint64_t limits[] = {1, 3, 10, 40, 500, 100000};
	Case query = {};

	query.nrows = 1 + random.below(random.below(2) == 0 ? 300 : 3000);
	for (WaColumnForm form : forms)
		query.columns.push_back(random_column(random, form, query.nrows));
	query.columns.push_back(mixed_column(random, query.nrows));
	query.has_where = random.below(3) == 0;
	query.has_difference = random.below(4) == 0;
	for (uint64_t i = random.below(3) + 1; i > 0; i--)
		query.keys.push_back((uint16_t) random.below(
			query.columns.size() + (query.has_difference ? 1 : 0)));
	// The first groups are not told by keys that look different.
	for (uint16_t &key : query.keys)
		if (key < query.columns.size() && !query.columns[key].display.empty())
			key--;
	for (uint64_t i = random.below(4) + 1; i > 0; i--)
		query.aggregates.push_back(random_aggregate(random, query));
	random_ranges(random, query);
	spoil_others(random, query);
	query.top_n.limit = limits[random.below(6)];
	query.top_n.keeps_ties = random.below(3) == 0;
	query.top_n.norders = (uint32_t) random.below(4);
	for (uint32_t i = 0; i < query.top_n.norders; i++)
		query.top_n.orders[i] = random_order(random, query);
	return query;
}

// Returns the key of a row that a register has, with one zero and one NaN.
static std::pair<bool, int64_t>
key_of(const Case &query, uint16_t number, size_t row)
{
	const bool is_difference = number == query.columns.size();
	const Column &column = query.columns[is_difference ? 0 : number];
	const double nan = NAN;
	int64_t word = column.words[row] - is_difference;
	double value;

	if (column.is_null[row])
		return {true, 0};
	memcpy(&value, &word, sizeof(value));
	if (column.kind == WA_VECTOR_FLOAT && value == 0 && !query.keeps_zeros)
		word = 0;
	if (column.kind == WA_VECTOR_FLOAT && value != value)
		memcpy(&word, &nan, sizeof(word));
	return {false, word};
}

static bool
is_selected(const Case &query, size_t row)
{
	return is_in_range(query, row) &&
		   (!query.has_where || (!query.columns[0].is_null[row] &&
								 query.columns[0].words[row] > 0));
}

bool
first_mixes_zeros(const Case &query)
{
	for (uint16_t key : query.keys)
	{
		bool found[2] = {false, false};

		if (key == query.columns.size() ||
			query.columns[key].kind != WA_VECTOR_FLOAT)
			continue;
		for (size_t row = 0; row < query.nrows; row++)
		{
			const Column &column = query.columns[key];
			double value;

			memcpy(&value, &column.words[row], sizeof(value));
			if (value == 0 && !column.is_null[row] && is_selected(query, row))
				found[column.words[row] != 0] = true;
		}
		if (found[0] && found[1])
			return true;
	}
	return false;
}

// Notes how a row shows its value; order: less than 0 if it comes before all others, 0
// if it is the same as the first of them.
static void
note_digits(uint8_t digits, int order, uint8_t *most)
{
	if (order < 0)
		*most = digits;
	else if (order == 0)
		*most = std::max(*most, digits);
}

// Notes how a row shows its value, if it is the smallest or the largest so far.
static void
note_display(const Column &column, size_t row, Cell *cell)
{
	const int64_t word = column.words[row];
	const WaPartial &partial = cell->partial;
	const bool is_first = partial.rows == 0;

	if (column.display.empty())
		return;
	note_digits(column.display[row],
				is_first || word < partial.min.i ? -1 : word > partial.min.i,
				&cell->min_display);
	note_digits(column.display[row],
				is_first || word > partial.max.i ? -1 : word < partial.max.i,
				&cell->max_display);
}

// Folds a row into a group's cell.
static void
fold(const Case &query, const WaCudaAggregate &aggregate, size_t row,
	 Cell *cell)
{
	const Column *column;
	WaBatch batch;
	size_t width;
	int64_t word;

	if (aggregate.argument < 0)
	{
		cell->partial.rows++;
		return;
	}
	column = &query.columns[aggregate.argument];
	if (column->is_null[row])
		return;
	if (aggregate.ops == 0)
	{
		cell->partial.rows++;
		return;
	}
	width = wa_type_width(first_type(column->form));
	word = column->words[row];
	batch = {first_type(column->form),
			 reinterpret_cast<const char *>(column->stored.data()) +
				 row * width,
			 NULL, 1};
	if (column->form == WA_COLUMN_I128)
		batch.values = &word;
	note_display(*column, row, cell);
	wa_partial_fold(&cell->partial, aggregate.ops, &batch);
}

static void
init_cell(Cell *cell)
{
	*cell = {};
	wa_partial_init(&cell->partial, &cell->exact);
}

Groups
first_groups(const Case &query)
{
	Groups groups;

	for (size_t row = 0; row < query.nrows; row++)
	{
		Key key;

		if (!is_selected(query, row))
			continue;
		for (uint16_t number : query.keys)
			key.push_back(key_of(query, number, row));
		Group &group = groups[key];
		if (group.cells.empty())
		{
			group.cells.resize(query.aggregates.size());
			for (Cell &cell : group.cells)
				init_cell(&cell);
		}
		for (size_t i = 0; i < query.aggregates.size(); i++)
			fold(query, query.aggregates[i], row, &group.cells[i]);
	}
	return groups;
}

// Copies words to device memory.
static uint64_t *
to_device(Built &built, const std::vector<uint64_t> &words)
{
	void *d_words = NULL;

	if (words.empty())
		return NULL;
	if (cudaMalloc(&d_words, words.size() * sizeof(uint64_t)) != cudaSuccess)
		exit(1);
	built.memory.push_back(d_words);
	memcpy(d_words, words.data(), words.size() * sizeof(uint64_t));
	return static_cast<uint64_t *>(d_words);
}

// The same of bytes.
static uint8_t *
to_device(Built &built, const std::vector<uint8_t> &bytes)
{
	std::vector<uint64_t> words(bytes.size() / 8 + !bytes.empty());

	if (!bytes.empty())
		memcpy(words.data(), bytes.data(), bytes.size());
	return reinterpret_cast<uint8_t *>(to_device(built, words));
}

static void
build_columns(const Case &query, Built &built)
{
	for (const Column &column : query.columns)
	{
		WaCudaColumn described = {};

		described.number = (uint16_t) built.columns.size();
		described.form = column.form;
		described.d_values = to_device(built, column.stored);
		described.d_validity = to_device(built, column.validity);
		described.d_display = to_device(built, column.display);
		described.scale = column.display.empty() ? 0 : 2;
		described.is_small = column.is_small;
		described.has_range = column.has_range;
		described.smallest = INT64_MAX;
		described.largest = INT64_MIN;
		for (size_t row = 0; row < query.nrows; row++)
			if (!column.is_null[row])
			{
				described.smallest =
					std::min(described.smallest, column.words[row]);
				described.largest =
					std::max(described.largest, column.words[row]);
			}
		built.columns.push_back(described);
		built.kinds.push_back(column.kind);
	}
}

// Adds the program: the difference, and then the clause.
static void
build_program(const Case &query, Built &built)
{
	const uint16_t difference = (uint16_t) query.columns.size();

	for (int64_t value = 1; value >= 0; value--)
		built.constants.push_back(
			{(uint16_t) (difference + 2 - value), false, 0, false, {value}});
	built.kinds.insert(built.kinds.end(), {WA_VECTOR_INT, WA_VECTOR_INT,
										   WA_VECTOR_INT, WA_VECTOR_BOOL});
	if (query.has_where)
	{
		built.instructions.push_back(
			{WA_CODE_COMPARE_INT, (uint16_t) (difference + 3), 0,
			 (uint16_t) (difference + 2), 0, WA_GREATER});
		built.clauses.push_back({1, (uint16_t) (difference + 3)});
	}
	if (query.has_difference)
		built.instructions.push_back({WA_CODE_INT_SUBTRACT, difference, 0,
									  (uint16_t) (difference + 1), 0, 8});
}

void
first_build(const Case &query, Built &built)
{
	WaCudaQuery *to = &built.query;

	build_columns(query, built);
	build_program(query, built);
	to->program.nregisters = (uint16_t) built.kinds.size();
	to->program.kinds = built.kinds.data();
	to->program.instructions = built.instructions.data();
	to->program.ninstructions = built.instructions.size();
	to->ncolumns = (unsigned) built.columns.size();
	to->columns = built.columns.data();
	to->nconstants = (unsigned) built.constants.size();
	to->constants = built.constants.data();
	to->nclauses = (unsigned) built.clauses.size();
	to->clauses = built.clauses.data();
	to->nkeys = (unsigned) query.keys.size();
	to->keys = query.keys.data();
	to->naggregates = (unsigned) query.aggregates.size();
	to->aggregates = query.aggregates.data();
	to->nrows = query.nrows;
	to->nranges = (uint32_t) query.ranges.size();
	to->ranges = query.ranges.data();
	to->top_n = query.top_n;
}

unsigned
first_build_calls(const Case &query)
{
	unsigned calls = (unsigned) query.columns.size();

	for (const Column &column : query.columns)
		calls += !column.validity.empty() + !column.display.empty();
	return calls;
}
