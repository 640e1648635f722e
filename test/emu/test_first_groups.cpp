//
// test_first_groups.cpp
//		The first groups of an order, by whole queries on the device, against a
//		plain computation on the CPU.
//
// Usage: test_first_groups [SEED...]
//
// The parts of cuda/ that choose are built with small limits (emu.mk), so that
// few rows are numbered by sorting, hashes collide, and few groups are chosen
// among.  A seed also sets the order in which threads run.
//
#include "check.h"

#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/program/code.h"
#include "cuda/query.h"
#include "emulator.h"

static const unsigned kCases = 250;

// What groups are chosen among, and handed over beyond the limit.
static const size_t kFewGroups = WA_QUERY_FEW_GROUPS;
static const size_t kMoreGroups = WA_QUERY_MORE_GROUPS;

// A column: the words are integers, or the bits of doubles.
struct Column
{
	WaCudaForm form;
	WaVectorKind kind;
	bool has_range;
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
	WaWanted wanted;
};

// A group as the CPU finds it, or as it was taken.
struct Cell
{
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

// What was counted over all cases.
struct Tally
{
	unsigned refused;
	unsigned shortened; // fewer groups were taken than there are
	unsigned tied;      // ties were kept beyond the limit
};

static WaType
type_of(WaCudaForm form)
{
	switch (form)
	{
		case WA_CUDA_I16:
			return WA_INT2;
		case WA_CUDA_I32:
			return WA_INT4;
		case WA_CUDA_F32:
			return WA_FLOAT4;
		case WA_CUDA_F64:
			return WA_FLOAT8;
		default:
			return WA_INT8;
	}
}

// Makes a random word of a column, one of `distinct`.
static int64_t
random_word(Random &random, WaCudaForm form, uint64_t distinct)
{
	const double specials[] = {0.0, -0.0, NAN, INFINITY, -INFINITY};
	Random value(random.below(distinct) + 17);
	double number;
	int64_t word;

	switch (form)
	{
		case WA_CUDA_I16:
			return (int16_t) value.bits();
		case WA_CUDA_I32:
			return distinct < 50 ? (int32_t) value.below(5)
								 : (int32_t) value.bits();
		case WA_CUDA_I64:
			return (int64_t) value.bits();
		case WA_CUDA_BITS:
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
	double number;
	float single;

	memcpy(&number, &word, sizeof(number));
	single = (float) number;
	switch (column.form)
	{
		case WA_CUDA_BITS:
			column.stored[row / 64] |= (uint64_t) word << row % 64;
			break;
		case WA_CUDA_I16:
			memcpy(bytes + row * 2, &word, 2);
			break;
		case WA_CUDA_I32:
			memcpy(bytes + row * 4, &word, 4);
			break;
		case WA_CUDA_F32:
			memcpy(bytes + row * 4, &single, 4);
			break;
		default:
			memcpy(bytes + row * 8, &word, 8);
			break;
	}
}

static Column
random_column(Random &random, WaCudaForm form, size_t nrows)
{
	const uint64_t distincts[] = {2, 20, 400, 100000};
	const uint64_t distinct = distincts[random.below(4)];
	const bool has_nulls = random.below(2) == 0;
	Column column = {};

	column.form = form;
	column.kind = form == WA_CUDA_BITS                         ? WA_VECTOR_BOOL
				  : form == WA_CUDA_F32 || form == WA_CUDA_F64 ? WA_VECTOR_FLOAT
															   : WA_VECTOR_INT;
	column.has_range = column.kind == WA_VECTOR_INT && random.below(2) == 0;
	column.stored.resize(nrows + 64);
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

static WaCudaAggregate
random_aggregate(Random &random, const Case &query)
{
	const unsigned number = (unsigned) random.below(query.columns.size());
	const Column &column = query.columns[number];
	WaCudaAggregate aggregate = {(int) number, WA_CUDA_NO_REGISTER, column.kind,
								 (WaOpSet) (random.below(7) + 1)};

	// Of the operations SUM, MIN and MAX those that the bits tell.
	aggregate.ops = (aggregate.ops & 1 ? WA_OP_BIT(WA_OP_SUM) : 0) |
					(aggregate.ops & 2 ? WA_OP_BIT(WA_OP_MIN) : 0) |
					(aggregate.ops & 4 ? WA_OP_BIT(WA_OP_MAX) : 0);
	if (column.form == WA_CUDA_BITS || random.below(5) == 0)
		aggregate.ops = 0;
	if (random.below(4) == 0)
		aggregate = {WA_CUDA_NO_REGISTER, WA_CUDA_NO_REGISTER, WA_VECTOR_BOOL,
					 0};
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

	if (random.below(2) == 0)
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

static Case
random_case(Random &random)
{
	const WaCudaForm forms[] = {WA_CUDA_I32, WA_CUDA_I16, WA_CUDA_I64,
								WA_CUDA_F32, WA_CUDA_F64, WA_CUDA_BITS,
								WA_CUDA_I64};
	const uint64_t limits[] = {1, 3, 10, 40, 500, 100000};
	Case query = {};

	query.nrows = 1 + random.below(random.below(2) == 0 ? 300 : 3000);
	for (WaCudaForm form : forms)
		query.columns.push_back(random_column(random, form, query.nrows));
	query.has_where = random.below(3) == 0;
	query.has_difference = random.below(4) == 0;
	for (uint64_t i = random.below(3) + 1; i > 0; i--)
		query.keys.push_back((uint16_t) random.below(
			query.columns.size() + (query.has_difference ? 1 : 0)));
	for (uint64_t i = random.below(4) + 1; i > 0; i--)
		query.aggregates.push_back(random_aggregate(random, query));
	random_ranges(random, query);
	query.wanted.limit = limits[random.below(6)];
	query.wanted.keeps_ties = random.below(3) == 0;
	query.wanted.norders = (uint32_t) random.below(4);
	for (uint32_t i = 0; i < query.wanted.norders; i++)
		query.wanted.orders[i] = random_order(random, query);
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
	if (column.kind == WA_VECTOR_FLOAT && value == 0)
		word = 0;
	if (column.kind == WA_VECTOR_FLOAT && value != value)
		memcpy(&word, &nan, sizeof(word));
	return {false, word};
}

static bool
is_selected(const Case &query, size_t row)
{
	bool in_range = false;

	for (const WaCudaRange &range : query.ranges)
		in_range |= row >= range.begin && row < range.end;
	return in_range && (!query.has_where || (!query.columns[0].is_null[row] &&
											 query.columns[0].words[row] > 0));
}

// Folds a row into a group's cell.
static void
fold(const Case &query, const WaCudaAggregate &aggregate, size_t row,
	 Cell *cell)
{
	const Column *column;
	WaBatch batch;
	size_t width;

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
	width = wa_type_width(type_of(column->form));
	batch = {type_of(column->form),
			 reinterpret_cast<const char *>(column->stored.data()) +
				 row * width,
			 NULL, 1};
	wa_partial_fold(&cell->partial, aggregate.ops, &batch);
}

static void
init_cell(Cell *cell)
{
	cell->exact = {};
	wa_partial_init(&cell->partial, &cell->exact);
}

// Computes the groups on the CPU.
static Groups
compute(const Case &query)
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

// What a group is ordered by; floats by their values, others by integers.
struct Ordered
{
	bool is_null;
	bool is_float;
	double f;
	__int128 i;
};

static WaVectorKind
kind_of(const Case &query, uint16_t number)
{
	return number < query.columns.size() ? query.columns[number].kind
										 : WA_VECTOR_INT;
}

static Ordered
ordered_by(const Case &query, const WaOrderBy &order,
		   const Groups::value_type &group)
{
	Ordered ordered = {};
	WaValue value;

	if (order.of == WA_ORDER_KEY)
	{
		const auto &key = group.first[order.number];

		ordered.is_null = key.first;
		ordered.is_float =
			kind_of(query, query.keys[order.number]) == WA_VECTOR_FLOAT;
		ordered.i = key.second;
		memcpy(&ordered.f, &key.second, sizeof(ordered.f));
		return ordered;
	}
	const WaPartial &partial = group.second.cells[order.number].partial;

	ordered.i = partial.rows;
	if (order.of == WA_ORDER_ROWS)
		return ordered;
	ordered.is_null = partial.rows == 0;
	ordered.i = wa_int128_get(partial.sum);
	if (order.of == WA_ORDER_SUM || ordered.is_null)
		return ordered;
	value = order.of == WA_ORDER_MIN ? partial.min : partial.max;
	ordered.is_float = query.aggregates[order.number].kind == WA_VECTOR_FLOAT;
	ordered.f = value.f;
	ordered.i = value.i;
	return ordered;
}

// Compares two groups: negative if a comes first, 0 if they are equal.
static int
compare(const Case &query, const Groups::value_type &a,
		const Groups::value_type &b)
{
	for (uint32_t i = 0; i < query.wanted.norders; i++)
	{
		const WaOrderBy &order = query.wanted.orders[i];
		const Ordered of_a = ordered_by(query, order, a);
		const Ordered of_b = ordered_by(query, order, b);
		const bool less =
			of_a.is_float ? wa_float_less(of_a.f, of_b.f) : of_a.i < of_b.i;
		const bool greater =
			of_a.is_float ? wa_float_less(of_b.f, of_a.f) : of_a.i > of_b.i;

		if (of_a.is_null != of_b.is_null)
			return of_a.is_null == order.nulls_first ? -1 : 1;
		if (!of_a.is_null && less != greater)
			return less != order.descending ? -1 : 1;
	}
	return 0;
}

// Tells whether the device orders by all that the query does: not by the sums of
// floats.
static bool
orders_all(const Case &query)
{
	for (uint32_t i = 0; i < query.wanted.norders; i++)
	{
		const WaOrderBy &order = query.wanted.orders[i];

		if (order.of == WA_ORDER_SUM &&
			query.aggregates[order.number].kind == WA_VECTOR_FLOAT)
			return false;
	}
	return true;
}

// What take_group is given.
struct Taking
{
	const Case *query;
	Groups *groups;
	size_t taken;
	char failure[200];
};

// Looks whether a cell is that of the CPU.
static bool
same_cell(const Case &query, const WaCudaAggregate &aggregate,
		  const Cell &expected, const WaPartial &found)
{
	uint8_t bytes[2][WA_PARTIAL_MAX_BYTES];
	size_t length;
	WaType type;

	if (found.rows != expected.partial.rows)
		return false;
	if (aggregate.ops == 0 || found.rows == 0)
		return true;
	type = type_of(query.columns[aggregate.argument].form);
	length =
		wa_partial_encode(&expected.partial, type, aggregate.ops, bytes[0]);
	return wa_partial_encode(&found, type, aggregate.ops, bytes[1]) == length &&
		   memcmp(bytes[0], bytes[1], length) == 0;
}

// Takes a group: it has to be one of the CPU's, with the same cells, and new.
static bool
take_group(void *context, const WaCudaKey *keys, const WaCudaCell *cells)
{
	Taking *taking = static_cast<Taking *>(context);
	const Case &query = *taking->query;
	const double nan = NAN;
	Key key;

	for (size_t i = 0; i < query.keys.size(); i++)
	{
		double value;

		key.push_back({keys[i].is_null, keys[i].is_null ? 0 : keys[i].word});
		memcpy(&value, &keys[i].word, sizeof(value));
		if (kind_of(query, query.keys[i]) != WA_VECTOR_FLOAT || keys[i].is_null)
			continue;
		if (value == 0)
			key[i].second = 0;
		if (value != value)
			memcpy(&key[i].second, &nan, sizeof(nan));
	}
	const auto found = taking->groups->find(key);

	taking->taken++;
	if (found == taking->groups->end() || found->second.taken)
	{
		snprintf(taking->failure, sizeof(taking->failure),
				 "a group is not there, or was taken twice");
		return false;
	}
	found->second.taken = true;
	for (size_t i = 0; i < query.aggregates.size(); i++)
		if (!same_cell(query, query.aggregates[i], found->second.cells[i],
					   cells[i].partial))
		{
			snprintf(taking->failure, sizeof(taking->failure),
					 "cell %zu is wrong", i);
			return false;
		}
	return true;
}

// Looks whether the groups that were taken are the first ones, and not too many.
static void
check_first(const Case &query, Taking *taking, Tally *tally)
{
	const WaWanted &wanted = query.wanted;
	std::vector<const Groups::value_type *> sorted;
	size_t allowed = wanted.limit + kMoreGroups;

	for (const Groups::value_type &group : *taking->groups)
		sorted.push_back(&group);
	std::sort(sorted.begin(), sorted.end(),
			  [&](const Groups::value_type *a, const Groups::value_type *b)
			  { return compare(query, *a, *b) < 0; });
	for (size_t first = 0, end; first < sorted.size(); first = end)
	{
		size_t taken = 0;
		size_t least;

		for (end = first; end < sorted.size() &&
						  compare(query, *sorted[first], *sorted[end]) == 0;
			 end++)
			taken += sorted[end]->second.taken;
		least = first >= wanted.limit ? 0
				: wanted.keeps_ties
					? end - first
					: std::min<size_t>(end, wanted.limit) - first;
		if (taken < least)
			snprintf(taking->failure, sizeof(taking->failure),
					 "of %zu groups from %zu on %zu were taken, not %zu",
					 end - first, first, taken, least);
		if (wanted.keeps_ties && first < wanted.limit)
			allowed = std::max(allowed, end + kMoreGroups);
	}
	tally->shortened += taking->taken < sorted.size();
	tally->tied += taking->taken > wanted.limit + kMoreGroups &&
				   taking->taken < sorted.size();
	if (orders_all(query) && taking->taken > std::max(allowed, kFewGroups))
		snprintf(taking->failure, sizeof(taking->failure),
				 "%zu groups of %zu were taken, for a limit of %zu",
				 taking->taken, sorted.size(), (size_t) wanted.limit);
}

// A query as the device takes it.
struct Built
{
	std::vector<void *> memory;
	std::vector<WaVectorKind> kinds;
	std::vector<WaCudaColumn> columns;
	std::vector<WaCudaConstant> constants;
	std::vector<WaInstruction> instructions;
	std::vector<WaCudaClause> clauses;
	WaCudaQuery query;
};

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
			{(uint16_t) (difference + 2 - value), false, 0, {value}});
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

static void
build(const Case &query, Built &built)
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
	to->wanted = query.wanted;
}

// Runs a random query; false if something is wrong, which it prints then.
static bool
run_case(WaCudaQueries *queries, Random &random, Tally *tally)
{
	const Case query = random_case(random);
	Groups groups = compute(query);
	Taking taking = {&query, &groups, 0, ""};
	std::vector<uint64_t> traps(wa_cuda_trap_words(query.nrows));
	char error[200] = "";
	WaCudaOutcome outcome;
	Built built = {};
	WaStatus status;

	build(query, built);
	status = wa_cuda_query_run(queries, &built.query, traps.data(), take_group,
							   &taking, &outcome, error, sizeof(error));
	for (void *memory : built.memory)
		(void) cudaFree(memory);
	tally->refused += status == WA_UNSUPPORTED;
	if (status == WA_UNSUPPORTED)
		return taking.taken == 0;
	if (status != WA_OK || outcome.trapped)
		snprintf(taking.failure, sizeof(taking.failure), "%s", error);
	else if (taking.failure[0] == '\0')
		check_first(query, &taking, tally);
	report_group(taking.failure,
				 "%zu rows, %zu keys, %zu groups, limit %zu, %u orders%s",
				 query.nrows, query.keys.size(), groups.size(),
				 (size_t) query.wanted.limit, query.wanted.norders,
				 query.wanted.keeps_ties ? ", ties kept" : "");
	return taking.failure[0] == '\0';
}

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2};
	char error[200] = "";
	WaCudaQueries *queries;
	Tally tally = {};

	if (argc > 1)
		seeds.clear();
	for (int i = 1; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
	if (wa_cuda_queries_open(0, 1, 1, &queries, error, sizeof(error)) != WA_OK)
	{
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	for (uint64_t seed : seeds)
	{
		Random random(seed);

		wa_emu_set_seed(seed);
		for (unsigned i = 0; i < kCases; i++)
			(void) run_case(queries, random, &tally);
	}
	wa_cuda_queries_close(queries);
	report_group(tally.refused <= kCases / 10 ? "" : "too many",
				 "%u queries were refused", tally.refused);
	report_group(tally.shortened >= kCases / 10 ? "" : "too few",
				 "of %u not all groups were taken", tally.shortened);
	report_group(tally.tied > 0 ? "" : "there should be some",
				 "of %u ties were taken", tally.tied);
	return report_total();
}
