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
#include "first_query.h"

#include <algorithm>
#include <atomic>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <unistd.h>

#include "emulator.h"

static const unsigned kCases = 250;

// What groups are chosen among, and handed over beyond the limit.
static const size_t kFewGroups = WA_QUERY_FEW_GROUPS;
static const size_t kMoreGroups = WA_QUERY_MORE_GROUPS;

// What was counted over all cases.
struct Tally
{
	unsigned refused;
	unsigned shortened; // fewer groups were taken than there are
	unsigned tied;      // ties were kept beyond the limit
	unsigned kept;      // zeros of both signs were keys
	unsigned wide;      // fewer groups were taken, by numbers of 128 bits
};

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

// Tells whether an order is by an aggregate of floats.
static bool
is_float(const Case &query, const WaOrderBy &order)
{
	const int argument = query.aggregates[order.number].argument;

	return argument >= 0 &&
		   kind_of(query, (uint16_t) argument) == WA_VECTOR_FLOAT;
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
	ordered.is_float = is_float(query, order);
	ordered.f = value.f;
	ordered.i = value.i;
	return ordered;
}

// Compares two groups: negative if a comes first, 0 if they are equal.
static int
compare(const Case &query, const Groups::value_type &a,
		const Groups::value_type &b)
{
	for (uint32_t i = 0; i < query.top_n.norders; i++)
	{
		const WaOrderBy &order = query.top_n.orders[i];
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

// Tells whether an order is by integers of 128 bits.
static bool
is_wide(const Case &query, const WaOrderBy &order)
{
	const int number = order.of == WA_ORDER_KEY
						   ? query.keys[order.number]
						   : query.aggregates[order.number].argument;

	return order.of != WA_ORDER_ROWS && number >= 0 &&
		   number < (int) query.columns.size() &&
		   query.columns[number].form == WA_COLUMN_I128;
}

// Tells whether the device orders by all that the query does: not by the sums of
// floats.
static bool
orders_all(const Case &query)
{
	for (uint32_t i = 0; i < query.top_n.norders; i++)
	{
		const WaOrderBy &order = query.top_n.orders[i];

		if (order.of == WA_ORDER_SUM && is_float(query, order))
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
	char failure[300];
};

// Returns the integer that a column has for a word.
static __int128
wide_of(const Column &column, int64_t word)
{
	return (__int128) word * ((__int128) 1 << column.shift);
}

// Looks whether a cell of 128 bits is that of the CPU, whose words are not shifted.
static bool
same_wide(const Column &column, WaOpSet ops, const WaPartial &expected,
		  const WaCudaCell &found)
{
	const __int128 sum = wa_int128_get(expected.sum);
	const __int128 high = sum >> 64;
	const __int128 low = (__int128) (uint64_t) sum << column.shift;
	const __int128 highs = high * ((__int128) 1 << column.shift) + (low >> 64);

	if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0 &&
		(found.sum[0] != (uint64_t) low || found.sum[1] != (uint64_t) highs ||
		 found.sum[2] != (uint64_t) (highs >> 64)))
		return false;
	if ((ops & WA_OP_BIT(WA_OP_MIN)) != 0 &&
		wa_int128_get(found.partial.min.wide) !=
			wide_of(column, expected.min.i))
		return false;
	return (ops & WA_OP_BIT(WA_OP_MAX)) == 0 ||
		   wa_int128_get(found.partial.max.wide) ==
			   wide_of(column, expected.max.i);
}

// Looks whether a cell is that of the CPU.
static bool
same_cell(const Case &query, const WaCudaAggregate &aggregate,
		  const Cell &expected, const WaCudaCell &cell)
{
	const WaPartial &found = cell.partial;
	uint8_t bytes[2][WA_PARTIAL_MAX_BYTES];
	size_t length;
	WaType type;

	if (found.rows != expected.partial.rows)
		return false;
	if (aggregate.ops == 0 || found.rows == 0)
		return true;
	const Column &column = query.columns[aggregate.argument];
	if (column.form == WA_COLUMN_I128)
		return same_wide(column, aggregate.ops, expected.partial, cell);
	if (!column.display.empty() &&
		(((aggregate.ops & WA_OP_BIT(WA_OP_MIN)) != 0 &&
		  expected.min_display != cell.min_display) ||
		 ((aggregate.ops & WA_OP_BIT(WA_OP_MAX)) != 0 &&
		  expected.max_display != cell.max_display)))
		return false;
	type = first_type(column.form);
	length =
		wa_partial_encode(&expected.partial, type, aggregate.ops, bytes[0]);
	return wa_partial_encode(&found, type, aggregate.ops, bytes[1]) == length &&
		   memcmp(bytes[0], bytes[1], length) == 0;
}

// Returns the word of a key.
static int64_t
word_of(const Case &query, size_t number, const WaCudaKey &key)
{
	if (!key.is_wide)
		return key.word;
	return (int64_t) (wa_int128_get({(uint64_t) key.word, key.high}) >>
					  query.columns[query.keys[number]].shift);
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

		key.push_back({keys[i].is_null,
					   keys[i].is_null ? 0 : word_of(query, i, keys[i])});
		memcpy(&value, &keys[i].word, sizeof(value));
		if (kind_of(query, query.keys[i]) != WA_VECTOR_FLOAT || keys[i].is_null)
			continue;
		if (value == 0 && !query.keeps_zeros)
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
					   cells[i]))
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
	const WaTopN &top_n = query.top_n;
	std::vector<const Groups::value_type *> sorted;
	size_t allowed = top_n.limit + kMoreGroups;

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
		least = first >= top_n.limit ? 0
				: top_n.keeps_ties   ? end - first
								   : std::min<size_t>(end, top_n.limit) - first;
		if (taken < least)
			snprintf(taking->failure, sizeof(taking->failure),
					 "of %zu groups from %zu on %zu were taken, not %zu",
					 end - first, first, taken, least);
		if (top_n.keeps_ties && first < top_n.limit)
			allowed = std::max(allowed, end + kMoreGroups);
	}
	tally->shortened += taking->taken < sorted.size();
	tally->wide += taking->taken < sorted.size() && top_n.norders > 0 &&
				   is_wide(query, top_n.orders[0]);
	tally->tied += taking->taken > top_n.limit + kMoreGroups &&
				   taking->taken < sorted.size();
	if (orders_all(query) && taking->taken > std::max(allowed, kFewGroups))
		snprintf(taking->failure, sizeof(taking->failure),
				 "%zu groups of %zu were taken, for a limit of %zu",
				 taking->taken, sorted.size(), (size_t) top_n.limit);
}

// Looks whether all groups were taken.
static void
check_all(Taking *taking, Tally *tally)
{
	tally->kept++;
	if (taking->failure[0] == '\0' && taking->taken != taking->groups->size())
		snprintf(taking->failure, sizeof(taking->failure),
				 "%zu groups of %zu were taken", taking->taken,
				 taking->groups->size());
}

// Runs a query; groups are the CPU's.
static WaStatus
run_query(WaCudaQueries *queries, const Case &query, Taking *taking)
{
	std::vector<uint64_t> traps(wa_program_trap_bytes(query.nrows) / 8);
	char error[200] = "";
	WaCudaOutcome outcome;
	Built built = {};
	WaStatus status;

	first_build(query, built);
	status = wa_cuda_query_run(queries, &built.query, traps.data(), take_group,
							   taking, &outcome, error, sizeof(error));
	wa_emu_heal();
	for (void *memory : built.memory)
		(void) cudaFree(memory);
	if (status != WA_OK && taking->taken > 0)
		snprintf(taking->failure, sizeof(taking->failure),
				 "groups were taken, and then: %s", error);
	else if (status == WA_OK && outcome.trapped)
		snprintf(taking->failure, sizeof(taking->failure), "rows have trapped");
	return status;
}

// Runs a random query and reports on it.
static void
run_case(WaCudaQueries *queries, Random &random, Tally *tally)
{
	Case query = first_case(random);
	query.keeps_zeros = first_mixes_zeros(query);
	Groups groups = first_groups(query);
	Taking taking = {&query, &groups, 0, ""};
	const WaStatus status = run_query(queries, query, &taking);

	tally->refused += status == WA_UNSUPPORTED;
	if (query.keeps_zeros && status == WA_OK)
		check_all(&taking, tally);
	else if (status != WA_OK && status != WA_UNSUPPORTED)
		snprintf(taking.failure, sizeof(taking.failure), "status %d", status);
	else if (status == WA_OK && taking.failure[0] == '\0')
		check_first(query, &taking, tally);
	report_group(taking.failure,
				 "%zu rows, %zu keys, %zu groups, limit %zu, %u orders%s",
				 query.nrows, query.keys.size(), groups.size(),
				 (size_t) query.top_n.limit, query.top_n.norders,
				 query.top_n.keeps_ties ? ", ties kept" : "");
}

// Lets one call after the other of some queries fail for want of memory: no
// group is taken then, unless it was a call that does not matter.
static void
run_without_memory(WaCudaQueries *queries, uint64_t seed)
{
	Tally tally = {};
	unsigned failed = 0;

	for (unsigned call = 1; call <= 120; call++)
	{
		Random random(seed + call % 4);
		Case query = first_case(random);
		query.keeps_zeros = first_mixes_zeros(query);
		Groups groups = first_groups(query);
		Taking taking = {&query, &groups, 0, ""};
		WaStatus status;

		wa_emu_fail_call(call + first_build_calls(query),
						 cudaErrorMemoryAllocation);
		status = run_query(queries, query, &taking);
		failed += status == WA_OUT_OF_MEMORY;
		if (status == WA_OK && query.keeps_zeros)
			check_all(&taking, &tally);
		else if (status == WA_OK && taking.failure[0] == '\0')
			check_first(query, &taking, &tally);
		if (status != WA_OK && status != WA_OUT_OF_MEMORY)
			snprintf(taking.failure, sizeof(taking.failure), "status %d",
					 status);
		if (taking.failure[0] != '\0')
			report_group(taking.failure, "call %u fails", call);
	}
	report_group(failed >= 15 ? "" : "too few",
				 "%u of 120 queries had too little memory", failed);
}

// Lets a query have no memory for groups on their way.
static bool
refuse(void *, size_t)
{
	return false;
}

static bool
take_none(void *context, const WaCudaKey *, const WaCudaCell *)
{
	*static_cast<bool *>(context) = true;
	return false;
}

// Where there is no memory for groups on their way none is taken.
static void
run_refused(WaCudaQueries *queries)
{
	unsigned failed = 0;
	bool taken = false;

	for (uint64_t seed = 1; seed <= 8; seed++)
	{
		Random random(seed);
		const Case query = first_case(random);
		std::vector<uint64_t> traps(wa_program_trap_bytes(query.nrows) / 8);
		char error[200] = "";
		WaCudaOutcome outcome;
		Built built = {};

		first_build(query, built);
		built.query.may_take = refuse;
		failed += wa_cuda_query_run(queries, &built.query, traps.data(),
									take_none, &taken, &outcome, error,
									sizeof(error)) == WA_OUT_OF_MEMORY;
		for (void *memory : built.memory)
			(void) cudaFree(memory);
	}
	report_group(failed >= 4 && !taken ? "" : "some were taken",
				 "%u of 8 queries had no memory for groups", failed);
}

// How many groups somebody was told to expect, and how many came.
struct Expecting
{
	bool lets; // have them taken
	unsigned told;
	uint32_t expected;
	uint32_t taken;
};

static bool
expect(void *context, uint32_t ngroups)
{
	Expecting *expecting = static_cast<Expecting *>(context);

	expecting->told++;
	expecting->expected = ngroups;
	return expecting->lets;
}

static bool
count_taken(void *context, const WaCudaKey *, const WaCudaCell *)
{
	static_cast<Expecting *>(context)->taken++;
	return true;
}

// Whoever takes groups is told before how many, at most, and may have none taken.
static void
run_expected(WaCudaQueries *queries)
{
	const char *failure = "";
	uint32_t taken = 0;

	for (uint64_t seed = 1; seed <= 8; seed++)
	{
		Random random(seed);
		const Case query = first_case(random);
		std::vector<uint64_t> traps(wa_program_trap_bytes(query.nrows) / 8);
		Built built = {};

		first_build(query, built);
		built.query.expect = expect;
		for (const bool lets : {false, true})
		{
			Expecting expecting = {lets, 0, 0, 0};
			char error[200] = "";
			WaCudaOutcome outcome;

			if (wa_cuda_query_run(queries, &built.query, traps.data(),
								  count_taken, &expecting, &outcome, error,
								  sizeof(error)) != WA_OK)
				failure = "a query fails";
			if (expecting.told > 1 || expecting.taken > expecting.expected ||
				(!lets && expecting.taken > 0))
				failure = "more came than was told";
			taken += expecting.taken;
		}
		for (void *memory : built.memory)
			(void) cudaFree(memory);
	}
	report_group(taken > 0 ? failure : "none came",
				 "%u groups of 8 queries were expected", taken);
}

// A query that waits for its turn, or has it.
struct Turn
{
	WaCudaQueries *queries;
	const WaCudaQuery *query;
	std::atomic<bool> called;
	std::atomic<bool> begun;
	Turn *next;       // runs beside this one; or NULL
	bool next_waited; // until this one had ended
};

// Notes that it has its turn.
static void
begin_turn(void *context)
{
	static_cast<Turn *>(context)->begun = true;
}

// Leaves the next one time to go to the GPU, where it must not be yet.
static bool
take_in_turn(void *context, const WaCudaKey *, const WaCudaCell *)
{
	Turn *turn = static_cast<Turn *>(context);

	if (turn->next == NULL)
		return false;
	while (!turn->next->called)
		usleep(1000);
	usleep(20000);
	turn->next_waited = turn->begun && !turn->next->begun;
	return false;
}

// Runs a query when others let it.
static void
run_turn(Turn *turn)
{
	std::vector<uint64_t> traps(wa_program_trap_bytes(turn->query->nrows) / 8);
	char error[200] = "";
	WaCudaOutcome outcome;

	turn->called = true;
	(void) wa_cuda_query_run(turn->queries, turn->query, traps.data(),
							 take_in_turn, turn, &outcome, error,
							 sizeof(error));
}

// Tells of a query that has to wait for another one only when it has its turn.
static void
run_in_turn(WaCudaQueries *queries)
{
	Random random(1);
	const Case query = first_case(random);
	Built built = {};
	Turn second = {queries, &built.query, {false}, {false}, NULL, false};
	Turn first = {queries, &built.query, {false}, {false}, &second, false};

	first_build(query, built);
	built.query.begun = begin_turn;
	std::thread one(run_turn, &first);
	while (!first.begun)
		usleep(1000);
	std::thread other(run_turn, &second);
	one.join();
	other.join();
	for (void *memory : built.memory)
		(void) cudaFree(memory);
	report_group(first.next_waited ? "" : "it was told of before",
				 "a query that waits for its turn");
	report_group(second.begun ? "" : "it was not told of",
				 "a query that has its turn");
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
			run_case(queries, random, &tally);
		run_without_memory(queries, seed);
	}
	run_refused(queries);
	run_expected(queries);
	run_in_turn(queries);
	wa_cuda_queries_close(queries);
	report_group(tally.refused <= kCases / 10 ? "" : "too many",
				 "%u queries were refused", tally.refused);
	report_group(tally.shortened >= kCases / 10 ? "" : "too few",
				 "of %u not all groups were taken", tally.shortened);
	report_group(tally.wide > 0 ? "" : "there should be some",
				 "of %u not all were taken, by 128 bits", tally.wide);
	report_group(tally.kept > 0 ? "" : "there should be some",
				 "of %u keys were zeros of both signs", tally.kept);
	report_group(tally.tied > 0 ? "" : "there should be some",
				 "of %u ties were taken", tally.tied);
	return report_total();
}
