//
// query.cu
//		Measures whole queries (cuda/query.h) on a machine with a GPU.
//
// Usage: bench_query FILE [NAME]
//
// NAME: of queries with this in their names alone.
//
// Writes a Markdown table to FILE and to standard output; groups are those that
// were handed over, or rows.  Columns lie in device memory; a gap at the end of each
// extent is not used.  A time is the median of kRuns calls of wa_cuda_query_run
// by the host's clock, after kWarmUps others.
//
#include <algorithm>
#include <chrono>
#include <string.h>

#include "bench/gpu/data.cuh"
#include "cuda/query.h"

static const size_t kRows = 100 * 1000 * 1000;
static const size_t kLineRows = 60 * 1000 * 1000; // of Q1 and Q6
static const size_t kDayRows = 48 * 1000 * 1000;
static const size_t kOrderRows = 15 * 1000 * 1000;
static const size_t kExtentRows = 50 * 1024;
static const size_t kGapRows = 400;
static const int kWarmUps = 3;
static const int kRuns = 15;
static const WaOpSet kSum = WA_OP_BIT(WA_OP_SUM);

// Integers uniform from first on, each times the step; or, if step is 0, so many
// different ones anywhere in `bits` bits, of which no range is told.
struct Make
{
	uint64_t seed;
	int64_t first;
	uint64_t count;
	int64_t step;
	unsigned bits = 64;

	__device__ int64_t
	operator()(size_t row) const
	{
		const uint64_t index = hash_of(row * 64 + seed) % count;

		return step == 0 ? (int64_t) (hash_of(index) >> (64 - bits))
						 : (first + (int64_t) index) * step;
	}
};

// A table that registers are looked up in: narrow entries, slots, or wide entries, all
// known.
struct BenchTable
{
	int64_t base;
	uint64_t width;
	std::vector<int64_t> values;
	std::vector<int32_t> narrow;
	std::vector<WaLookupSlot> slots;
	std::vector<uint64_t> bits =
		{}; // of narrow entries, with what is before them
};

// A query in the making.
struct BenchQuery
{
	const char *name;
	size_t nrows;
	std::vector<WaVectorKind> kinds;
	std::vector<WaCudaColumn> columns;
	std::vector<WaProgramConstant> constants;
	std::vector<WaInstruction> instructions;
	std::vector<WaProgramClause> clauses;
	std::vector<uint16_t> keys;
	std::vector<WaCudaAggregate> aggregates;
	WaTopN top_n;
	std::vector<BenchTable> tables;
	std::vector<std::vector<int64_t>>
		key_values; // of each key; empty: it stands for itself; or there are none
	std::vector<uint8_t> value_bytes = {}; // of keys, if rows are wanted
	bool brings = false;                   // tables to the GPU, each time
};

static uint16_t
add_register(BenchQuery &query, WaVectorKind kind)
{
	query.kinds.push_back(kind);
	return (uint16_t) (query.kinds.size() - 1);
}

template <typename Value>
static uint16_t
add_column(BenchQuery &query, WaVectorKind kind, WaColumnForm form, Make make)
{
	Value *d_values =
		static_cast<Value *>(device_memory(query.nrows * sizeof(Value)));
	WaCudaColumn column = {};

	make.seed = query.columns.size();
	fill_with(d_values, query.nrows, make);
	column.number = add_register(query, kind);
	column.form = form;
	column.scale = kind == WA_VECTOR_DECIMAL ? 2 : 0;
	column.d_values = d_values;
	column.has_range = make.step != 0;
	column.smallest = make.first * make.step;
	column.largest = (make.first + (int64_t) make.count - 1) * make.step;
	query.columns.push_back(column);
	return column.number;
}

// The row's number times the step.
struct Ascend
{
	int64_t step;

	__device__ int64_t
	operator()(size_t row) const
	{
		return (int64_t) row * step;
	}
};

// Adds a column of integers that ascend.
template <typename Value>
static uint16_t
add_ascending(BenchQuery &query, WaColumnForm form, int64_t step)
{
	Value *d_values =
		static_cast<Value *>(device_memory(query.nrows * sizeof(Value)));
	WaCudaColumn column = {};

	fill_with(d_values, query.nrows, Ascend{step});
	column.number = add_register(query, WA_VECTOR_INT);
	column.form = form;
	column.d_values = d_values;
	query.columns.push_back(column);
	return column.number;
}

static uint16_t
add_constant(BenchQuery &query, WaVectorKind kind, int64_t value)
{
	WaProgramConstant constant = {};

	constant.number = add_register(query, kind);
	constant.scale = kind == WA_VECTOR_DECIMAL ? 2 : 0;
	constant.value.i = value;
	query.constants.push_back(constant);
	return constant.number;
}

static uint16_t
add_instruction(BenchQuery &query, WaOpcode code, WaVectorKind kind, uint16_t a,
				uint16_t b, uint32_t extra)
{
	const uint16_t out = add_register(query, kind);

	query.instructions.push_back({(uint16_t) code, out, a, b, 0, extra});
	return out;
}

// Adds a clause that compares a column with a constant.
static void
add_clause(BenchQuery &query, uint16_t column, WaComparison comparison,
		   int64_t value)
{
	const WaVectorKind kind = query.kinds[column];
	const uint16_t constant = add_constant(query, kind, value);
	const uint16_t number =
		add_instruction(query,
						kind == WA_VECTOR_DECIMAL ? WA_CODE_COMPARE_DECIMAL
												  : WA_CODE_COMPARE_INT,
						WA_VECTOR_BOOL, column, constant, comparison);

	query.clauses.push_back({query.instructions.size(), number});
}

static void
add_aggregate(BenchQuery &query, int argument, WaOpSet ops)
{
	query.aggregates.push_back({argument, WA_CUDA_NO_REGISTER, ops});
}

// One column of integers, with or without WHERE and GROUP BY.
static BenchQuery
integers(const char *name, WaOpSet ops, bool has_where, bool has_key)
{
	BenchQuery query = {name, kRows, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
	const uint16_t value = add_column<int64_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I64, {0, -1000000, 2000000, 1000});
	const uint16_t key = add_column<int16_t>(query, WA_VECTOR_INT,
											 WA_COLUMN_I16, {0, 0, 100, 1});

	if (has_where)
		add_clause(query, key, WA_LESS, 50);
	if (has_key)
		query.keys.push_back(key);
	add_aggregate(query, value, ops);
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	return query;
}

// A sum by the days of times that ascend, one a second.
static BenchQuery
days(const char *name, size_t nrows)
{
	constexpr int64_t kSecond = 1000 * 1000;
	constexpr int64_t kDay = 86400 * kSecond;
	BenchQuery query = {name, nrows, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
	const uint16_t value = add_column<int64_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I64, {0, -1000000, 2000000, 1000});
	const uint16_t time = add_ascending<int64_t>(query, WA_COLUMN_I64, kSecond);

	query.tables.push_back({0, (uint64_t) kDay, {}, {}, {}});
	query.key_values.push_back({});
	for (int64_t day = 0; day * kDay < (int64_t) nrows * kSecond; day++)
	{
		query.tables[0].values.push_back(day);
		query.key_values[0].push_back(day * kDay);
	}
	query.keys = {
		add_instruction(query, WA_CODE_LOOK_UP, WA_VECTOR_INT, time, 0, 0)};
	add_aggregate(query, value, kSum);
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	return query;
}

// Six sums of sums and products, by two keys of a few values.
static BenchQuery
q1()
{
	BenchQuery query = {"Q1-like", kLineRows, {}, {}, {}, {},
						{},        {},        {}, {}, {}, {}};
	const uint16_t date = add_column<int32_t>(query, WA_VECTOR_INT,
											  WA_COLUMN_I32, {0, 0, 2500, 1});
	const uint16_t quantity = add_column<int32_t>(
		query, WA_VECTOR_DECIMAL, WA_COLUMN_I32, {0, 1, 50, 100});
	const uint16_t price = add_column<int32_t>(
		query, WA_VECTOR_DECIMAL, WA_COLUMN_I32, {0, 90000, 10000000, 1});
	const uint16_t discount = add_column<int32_t>(query, WA_VECTOR_DECIMAL,
												  WA_COLUMN_I32, {0, 0, 11, 1});
	const uint16_t tax = add_column<int32_t>(query, WA_VECTOR_DECIMAL,
											 WA_COLUMN_I32, {0, 0, 9, 1});
	const uint16_t flag =
		add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 0, 3, 1});
	const uint16_t status =
		add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 0, 2, 1});
	const uint16_t one = add_constant(query, WA_VECTOR_DECIMAL, 100);
	uint16_t less;
	uint16_t more;
	uint16_t cost;
	uint16_t charge;

	add_clause(query, date, WA_LESS_OR_EQUAL, 2450);
	less = add_instruction(query, WA_CODE_DECIMAL_SUBTRACT, WA_VECTOR_DECIMAL,
						   one, discount, 0);
	more = add_instruction(query, WA_CODE_DECIMAL_ADD, WA_VECTOR_DECIMAL, one,
						   tax, 0);
	cost = add_instruction(query, WA_CODE_DECIMAL_MULTIPLY, WA_VECTOR_DECIMAL,
						   price, less, 0);
	charge = add_instruction(query, WA_CODE_DECIMAL_MULTIPLY, WA_VECTOR_DECIMAL,
							 cost, more, 0);
	query.keys = {flag, status};
	for (uint16_t argument : {quantity, price, cost, charge, discount})
		add_aggregate(query, argument, kSum);
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	return query;
}

// A sum of products behind five comparisons.
static BenchQuery
q6()
{
	BenchQuery query = {"Q6-like", kLineRows, {}, {}, {}, {},
						{},        {},        {}, {}, {}, {}};
	const uint16_t date = add_column<int32_t>(query, WA_VECTOR_INT,
											  WA_COLUMN_I32, {0, 0, 2500, 1});
	const uint16_t quantity = add_column<int32_t>(
		query, WA_VECTOR_DECIMAL, WA_COLUMN_I32, {0, 1, 50, 100});
	const uint16_t price = add_column<int32_t>(
		query, WA_VECTOR_DECIMAL, WA_COLUMN_I32, {0, 90000, 10000000, 1});
	const uint16_t discount = add_column<int32_t>(query, WA_VECTOR_DECIMAL,
												  WA_COLUMN_I32, {0, 0, 11, 1});

	add_clause(query, date, WA_GREATER_OR_EQUAL, 730);
	add_clause(query, date, WA_LESS, 1095);
	add_clause(query, discount, WA_GREATER_OR_EQUAL, 5);
	add_clause(query, discount, WA_LESS_OR_EQUAL, 7);
	add_clause(query, quantity, WA_LESS, 2400);
	add_aggregate(query,
				  add_instruction(query, WA_CODE_DECIMAL_MULTIPLY,
								  WA_VECTOR_DECIMAL, price, discount, 0),
				  kSum);
	return query;
}

// Wants the ten groups with the most rows, and then the smallest keys.
static void
want_first(BenchQuery &query, uint16_t rows)
{
	query.top_n.limit = 10;
	query.top_n.orders[query.top_n.norders++] = {WA_ORDER_ROWS, rows, true,
												 true};
	for (size_t key = 0; key < query.keys.size(); key++)
		query.top_n.orders[query.top_n.norders++] = {
			WA_ORDER_KEY, (uint16_t) key, false, false};
}

// Groups that are counted, by a key of 64 bits with so many values: all are
// handed over, or the first of them.
static BenchQuery
counts(const char *name, uint64_t values, bool first)
{
	BenchQuery query = {name, kRows, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};

	query.keys = {add_column<int64_t>(query, WA_VECTOR_INT, WA_COLUMN_I64,
									  {0, 0, values, 0, 64})};
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	if (first)
		want_first(query, 0);
	return query;
}

// A group for nearly each row, by keys of 96 bits, and sums of small integers.
static BenchQuery
q32()
{
	BenchQuery query = {"q32-like", kRows, {}, {}, {}, {},
						{},         {},    {}, {}, {}, {}};

	query.keys = {add_column<int64_t>(query, WA_VECTOR_INT, WA_COLUMN_I64,
									  {0, 0, (uint64_t) 1 << 62, 0, 64}),
				  add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32,
									  {0, 0, 10 * 1000 * 1000, 0, 32})};
	for (uint64_t count : {2, 2000})
		add_aggregate(query,
					  add_column<int16_t>(query, WA_VECTOR_INT, WA_COLUMN_I16,
										  {0, 0, count, 1, 0}),
					  kSum);
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	want_first(query, 2);
	return query;
}

// Four keys, three of which are computed from the first.
static BenchQuery
q35()
{
	BenchQuery query = {"q35-like", kRows, {}, {}, {}, {},
						{},         {},    {}, {}, {}, {}};
	const uint16_t address = add_column<int32_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 0, 9900 * 1000, 0, 31});

	query.keys = {address};
	for (int64_t less = 1; less <= 3; less++)
	{
		const uint16_t constant = add_constant(query, WA_VECTOR_INT, less);

		query.keys.push_back(add_instruction(
			query, WA_CODE_INT_SUBTRACT, WA_VECTOR_INT, address, constant, 4));
	}
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	want_first(query, 0);
	return query;
}

// Adds a clause that a column's value is in a table; returns what it has there.
static uint16_t
add_presence(BenchQuery &query, uint16_t column, const BenchTable &table)
{
	uint16_t number;

	query.tables.push_back(table);
	number = add_instruction(query, WA_CODE_LOOK_UP, WA_VECTOR_INT, column, 0,
							 (uint32_t) query.tables.size() - 1);
	query.clauses.push_back({query.instructions.size() + 1,
							 add_instruction(query, WA_CODE_IS_NOT_NULL,
											 WA_VECTOR_BOOL, number, 0, 0)});
	return number;
}

// Adds a clause that a column's value is in a table, which numbers one in so many of so
// many entries; returns the number.
static uint16_t
add_join(BenchQuery &query, uint16_t column, int64_t base, size_t nentries,
		 unsigned one_in)
{
	BenchTable table = {base, 1, {}, {}, {}};
	int32_t count = 0;

	for (size_t i = 0; i < nentries; i++)
		table.narrow.push_back(hash_of(i) % one_in == 0 ? count++
														: WA_NARROW_NULL);
	return add_presence(query, column, table);
}

// Adds a key that is looked up by a number of add_join, and has so many values.
static void
add_joined_key(BenchQuery &query, uint16_t number, uint32_t table,
			   unsigned nvalues)
{
	const size_t nentries = query.tables[table].narrow.size();
	BenchTable values = {0, 1, {}, {}, {}};

	for (size_t i = 0; i < nentries; i++)
		values.narrow.push_back((int32_t) (hash_of(i + 1) % nvalues));
	query.tables.push_back(values);
	query.keys.push_back(add_instruction(query, WA_CODE_LOOK_UP, WA_VECTOR_INT,
										 number, 0,
										 (uint32_t) query.tables.size() - 1));
	query.key_values.push_back({});
	for (unsigned i = 0; i < nvalues; i++)
		query.key_values.back().push_back(i);
}

// A relation that is joined, of so many rows, of which one in so many is left; so many
// values of it are a key, unless it is 0.
struct BenchJoin
{
	size_t nrows;
	unsigned one_in;
	unsigned nvalues;
};

// A sum by keys of relations that are joined: a star.
static BenchQuery
star(const char *name, const std::vector<BenchJoin> &joins)
{
	BenchQuery query = {name, kLineRows, {}, {}, {}, {},
						{},   {},        {}, {}, {}, {}};
	std::vector<uint16_t> numbers;
	const uint16_t value = add_column<int32_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 100, 6000000, 1});

	for (const BenchJoin &join : joins)
	{
		const uint16_t key =
			add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32,
								{0, 1, (uint64_t) join.nrows, 1});

		numbers.push_back(add_join(query, key, 1, join.nrows, join.one_in));
	}
	for (size_t i = 0; i < joins.size(); i++)
		if (joins[i].nvalues > 0)
			add_joined_key(query, numbers[i], (uint32_t) i, joins[i].nvalues);
	add_aggregate(query, value, kSum);
	return query;
}

// Looks each row's key, one of so many, up in one table, and adds up a value of the rows:
// an array, or slots for keys that lie far apart.  It stands for a hash join's probes.
static BenchQuery
probes(const char *name, size_t nkeys, bool has_slots)
{
	constexpr int64_t kStep = 1009;
	BenchQuery query = {name, kRows, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
	const uint16_t value = add_column<int32_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 100, 6000000, 1});
	const Make keys = {0, 1, (uint64_t) nkeys, has_slots ? kStep : 1};
	BenchTable table = {0, 1, {}, {}, {}};

	if (has_slots)
	{
		const uint64_t nslots = wa_lookup_slots_count(nkeys);

		table.slots.resize(nslots);
		wa_lookup_slots_clear(table.slots.data(), nslots);
		for (size_t i = 0; i < nkeys; i++)
			(void) wa_lookup_slots_add(table.slots.data(), nslots,
									   ((int64_t) i + 1) * kStep, (int64_t) i);
		(void) add_presence(
			query,
			add_column<int64_t>(query, WA_VECTOR_INT, WA_COLUMN_I64, keys),
			table);
	}
	else
		(void) add_join(
			query,
			add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32, keys), 1,
			nkeys, 1);
	add_aggregate(query, value, kSum);
	return query;
}

// The rows that become tables of a relation that is joined, with a date and another value:
// of all dates or of the first of them, of 2500.
static BenchQuery
orders(const char *name, int64_t ndates)
{
	BenchQuery query = {name, kOrderRows, {}, {}, {}, {}, {},
						{},   {},         {}, {}, {}, {}};
	const uint16_t key = add_ascending<int32_t>(query, WA_COLUMN_I32, 4);
	const uint16_t date = add_column<int32_t>(query, WA_VECTOR_INT,
											  WA_COLUMN_I32, {0, 0, 2500, 1});
	const uint16_t customer = add_column<int32_t>(
		query, WA_VECTOR_INT, WA_COLUMN_I32, {0, 1, 1500000, 1});

	if (ndates < 2500)
		add_clause(query, date, WA_LESS, ndates);
	query.keys = {key, date, customer};
	query.value_bytes.assign(query.keys.size(), sizeof(int64_t));
	return query;
}

// Looks few rows up in a table that is brought to the GPU: one of keys, a quarter of so many
// entries, as it is made of orders.
static BenchQuery
brought(const char *name, size_t nentries, bool has_bits)
{
	BenchQuery query = {name, 1000 * 1000, {}, {}, {}, {}, {},
						{},   {},          {}, {}, {}, {}};
	const size_t words = (nentries + 63) / 64;
	uint32_t count = 0;
	BenchTable *table;

	(void) add_join(query,
					add_column<int32_t>(query, WA_VECTOR_INT, WA_COLUMN_I32,
										{0, 1, (uint64_t) nentries, 1}),
					1, nentries, 4);
	add_aggregate(query, WA_CUDA_NO_REGISTER, 0);
	query.brings = true;
	if (!has_bits)
		return query;
	table = &query.tables[0];
	table->bits.resize(words + (words + 1) / 2);
	for (size_t i = 0; i < nentries; i++)
	{
		if (i % 64 == 0)
			reinterpret_cast<uint32_t *>(&table->bits[words])[i / 64] = count;
		if (table->narrow[i] == WA_NARROW_NULL)
			continue;
		table->bits[i / 64] |= (uint64_t) 1 << i % 64;
		count++;
	}
	return query;
}

// What a query hands over.
struct Taken
{
	WaCudaQueries *queries;
	unsigned count;
};

// Counts groups.
static bool
take_group(void *context, const WaCudaKey *, const WaCudaCell *)
{
	static_cast<Taken *>(context)->count++;
	return true;
}

// Counts rows.
static bool
take_rows(void *context, const WaCudaRows *rows)
{
	Taken *taken = static_cast<Taken *>(context);

	taken->count += rows->nrows;
	wa_cuda_rows_free(taken->queries, rows->memory);
	return true;
}

// Runs a query once; returns the number of groups, or rows.
static unsigned
run(WaCudaQueries *queries, const WaCudaQuery *query, uint64_t *traps)
{
	char error[200] = "";
	Taken taken = {queries, 0};
	WaCudaOutcome outcome;

	if (wa_cuda_query_run(queries, query, traps, take_group, &taken, &outcome,
						  error, sizeof(error)) != WA_OK)
		stop("%s", error);
	if (outcome.trapped)
		stop("rows have trapped");
	return taken.count;
}

// What tables have been named by so far.
static uint64_t digests;

// Returns a table; narrow ones stay on the GPU, like those of what is joined.
static WaLookupTable
table_of(const BenchTable &from, const uint8_t *known)
{
	WaLookupTable table = {};

	table.base = from.base;
	table.width = from.width;
	if (!from.slots.empty())
	{
		table.nentries = from.slots.size();
		table.slots = from.slots.data();
		table.is_total = true;
		table.digest = {{1, ++digests}};
		return table;
	}
	if (from.narrow.empty())
	{
		table.nentries = from.values.size();
		table.values = from.values.data();
		table.known = known;
		return table;
	}
	table.nentries = from.narrow.size();
	table.narrow = from.narrow.data();
	table.bits = from.bits.empty() ? NULL : from.bits.data();
	table.is_total = true;
	table.digest = {{1, ++digests}};
	return table;
}

// What queries are measured with.
struct Bench
{
	const Output *output;
	WaCudaQueries *queries;
	const char *wanted; // a part of their names
};

// Measures a query and prints its line.
static void
measure_one(const Bench &with, const BenchQuery &bench)
{
	std::vector<WaCudaRange> ranges;
	std::vector<uint64_t> traps(wa_program_trap_bytes(bench.nrows) / 8);
	std::vector<double> times;
	std::vector<std::vector<uint8_t>> known;
	std::vector<WaLookupTable> tables;
	std::vector<WaCudaKeyValues> key_values;
	WaCudaQuery query = {};
	unsigned ngroups = 0;

	for (size_t row = 0; row + kExtentRows <= bench.nrows; row += kExtentRows)
		ranges.push_back(
			{(uint32_t) row, (uint32_t) (row + kExtentRows - kGapRows)});
	for (const BenchTable &from : bench.tables)
	{
		known.push_back(
			std::vector<uint8_t>(from.values.size(), WA_ENTRY_VALUE));
		tables.push_back(table_of(from, known.back().data()));
	}
	for (const std::vector<int64_t> &values : bench.key_values)
		key_values.push_back({values.data(), (uint32_t) values.size(), 0});
	query.program.nregisters = (uint16_t) bench.kinds.size();
	query.program.kinds = bench.kinds.data();
	query.program.instructions = bench.instructions.data();
	query.program.ninstructions = bench.instructions.size();
	query.ncolumns = (unsigned) bench.columns.size();
	query.columns = bench.columns.data();
	query.nconstants = (unsigned) bench.constants.size();
	query.constants = bench.constants.data();
	query.nclauses = (unsigned) bench.clauses.size();
	query.clauses = bench.clauses.data();
	query.nkeys = (unsigned) bench.keys.size();
	query.keys = bench.keys.data();
	query.naggregates = (unsigned) bench.aggregates.size();
	query.aggregates = bench.aggregates.data();
	query.nrows = bench.nrows;
	query.nranges = (uint32_t) ranges.size();
	query.ranges = ranges.data();
	query.top_n = bench.top_n;
	query.value_bytes = bench.value_bytes.data();
	query.take_rows = bench.value_bytes.empty() ? NULL : take_rows;
	query.program.tables = tables.data();
	if (!key_values.empty())
		query.key_values = key_values.data();
	must(cudaDeviceSynchronize());
	for (int i = -kWarmUps; i < kRuns; i++)
	{
		const auto begin = std::chrono::steady_clock::now();
		std::chrono::duration<double, std::milli> time;

		if (bench.brings)
			tables[0].digest = {{1, ++digests}};
		ngroups = run(with.queries, &query, traps.data());
		time = std::chrono::steady_clock::now() - begin;
		if (i >= 0)
			times.push_back(time.count());
	}
	std::sort(times.begin(), times.end());
	with.output->print("| %s | %zu | %u | %.3f | %.3f | %.1f |\n", bench.name,
					   bench.nrows, ngroups, times[times.size() / 2], times[0],
					   (double) bench.nrows / times[times.size() / 2] / 1e6);
}

// Measures a query, if it is wanted, and frees its columns.
static void
measure(const Bench &with, const BenchQuery &bench)
{
	if (strstr(bench.name, with.wanted) != NULL)
		measure_one(with, bench);
	for (const WaCudaColumn &column : bench.columns)
		must(cudaFree(const_cast<void *>(column.d_values)));
}

int
main(int argc, char **argv)
{
	const WaOpSet all = kSum | WA_OP_BIT(WA_OP_SQUARES) | WA_OP_BIT(WA_OP_MIN) |
						WA_OP_BIT(WA_OP_MAX);
	char error[200] = "";
	Bench bench = {};

	if (argc != 2 && argc != 3)
	{
		fprintf(stderr, "usage: bench_query FILE [NAME]\n");
		return 1;
	}
	const Output output(argv[1]);

	bench.output = &output;
	bench.wanted = argc == 3 ? argv[2] : "";

	if (wa_cuda_queries_open(0, 1, 2, &bench.queries, error, sizeof(error)) !=
		WA_OK)
		stop("%s", error);
	output.print(
		"| query | rows | groups | median ms | fastest ms | rows in 1 ns |\n"
		"|---|---|---|---|---|---|\n");
	measure(bench, integers("sum(int8)", kSum, false, false));
	measure(bench, integers("all of int8", all, false, false));
	measure(bench, integers("WHERE, sum", kSum, true, false));
	measure(bench, integers("GROUP BY 100", kSum, false, true));
	measure(bench, integers("WHERE, GROUP BY", kSum, true, true));
	measure(bench, days("by day", kRows));
	measure(bench, days("by day", kDayRows));
	measure(bench, q1());
	measure(bench, q6());
	// Parts of a category, customers of a region, suppliers of one, and dates of any year
	// or six of seven.
	measure(bench, star("SSB's q2.1-like",
						{{800000, 25, 40}, {20000, 5, 0}, {2556, 1, 7}}));
	measure(bench, star("SSB's q3.1-like",
						{{300000, 5, 5}, {20000, 5, 5}, {2556, 1, 7}}));
	measure(bench, star("SSB's q3.2-like",
						{{300000, 25, 10}, {20000, 25, 10}, {2556, 1, 7}}));
	measure(
		bench,
		star("SSB's q4.1-like",
			 {{300000, 5, 5}, {20000, 5, 0}, {800000, 3, 0}, {2556, 1, 7}}));
	measure(bench, probes("probes, an array for 100,000 keys", 100000, false));
	measure(bench, probes("probes, an array for 1M keys", 1000000, false));
	measure(bench, probes("probes, an array for 10M keys", 10000000, false));
	measure(bench, probes("probes, slots for 100,000 keys", 100000, true));
	measure(bench, probes("probes, slots for 1M keys", 1000000, true));
	measure(bench, probes("probes, slots for 10M keys", 10000000, true));
	measure(bench, counts("GROUP BY 1M, all", 1000 * 1000, false));
	measure(bench, counts("GROUP BY 1M, first", 1000 * 1000, true));
	measure(bench, counts("GROUP BY 4M, first", 4000 * 1000, true));
	measure(bench, counts("q15-like", 17600 * 1000, true));
	measure(bench, q32());
	measure(bench, q35());
	measure(bench, orders("rows of a table, all", 2500));
	measure(bench, orders("rows of a table, a tenth", 250));
	measure(bench, brought("a table of 60M entries brought", 60000000, false));
	measure(bench, brought("a table of 60M entries as bits", 60000000, true));
	wa_cuda_queries_close(bench.queries);
	return 0;
}
