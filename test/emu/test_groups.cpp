//
// test_groups.cpp
//		Grouped reductions against wa_partial_fold over each group's rows, bit
//		for bit.
//
#include "check.h"

#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/groups.h"
#include "test_groups.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 300;

// Shared memory of a block that every device has.
static const size_t kSharedBytes = 48 * 1024;

// How the groups of the rows are drawn.
enum GroupKind
{
	GROUPS_UNIFORM,
	GROUPS_ONE,
	GROUPS_SORTED,
	GROUPS_SPARSE,     // most groups have no rows
	GROUPS_OUTSIDE,    // many rows have no group
	GROUPS_NEIGHBOURS, // runs of rows of one group
	GROUPS_KINDS
};

static const char *const group_names[] = {"uniform", "all in one",   "sorted",
										  "sparse",  "some outside", "runs"};

// How a reduction is to be made.
enum PlanKind
{
	PLAN_COPIES,     // tables of all groups, as many copies as fit
	PLAN_ONE_COPY,   // in as little shared memory as will do
	PLAN_SLICES,     // if there are groups enough
	PLAN_PARTITIONS, // likewise
	PLAN_KINDS
};

static const char *const plan_names[] = {"copies", "one copy", "slices",
										 "partitions"};

// What one reduction is about.
struct Case
{
	WaOp op;
	WaStorage storage;
	size_t nrows;
	uint32_t ngroups;
	unsigned groups;
	unsigned values;
	unsigned validity;
	unsigned plan;
	int multiprocessors;
};

// A column in host memory.
struct Column
{
	std::vector<uint64_t> values;
	std::vector<uint64_t> validity; // empty: all rows are valid
	std::vector<uint32_t> groups;
};

// The encoded partial of each group.
typedef std::vector<std::vector<uint8_t>> Results;

// Ends the test if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("not ok - CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

// Returns a type that is stored so.
static WaType
stored_type(WaStorage storage)
{
	int type = 0;

	while (wa_type_storage((WaType) type) != storage)
		type++;
	return (WaType) type;
}

static uint32_t
draw_group(const Case &c, size_t row, uint32_t last, Random &random)
{
	const uint32_t group = (uint32_t) random.below(c.ngroups);
	const uint32_t outside[] = {c.ngroups, c.ngroups + 1, 0xffffffffu,
								0x80000000u | group};

	switch (c.groups)
	{
		case GROUPS_ONE:
			return c.ngroups / 2;
		case GROUPS_SORTED:
			return (uint32_t) ((uint64_t) row * c.ngroups / c.nrows);
		case GROUPS_SPARSE:
			return group / 16 * 16;
		case GROUPS_OUTSIDE:
			return random.below(3) != 0 ? group : outside[random.below(4)];
		case GROUPS_NEIGHBOURS:
			return row > 0 && random.below(16) != 0 ? last : group;
		default:
			return group;
	}
}

static Column
make_column(const Case &c, Random &random)
{
	const size_t width = wa_type_width(stored_type(c.storage));
	Column column;

	column.values.resize(c.nrows * width / 8 + 1);
	values_fill(c.storage, c.values, column.values.data(), c.nrows, random);
	column.validity = validity_fill(c.validity, c.nrows, random);
	column.groups.resize(c.nrows);
	for (size_t i = 0; i < c.nrows; i++)
		column.groups[i] =
			draw_group(c, i, i > 0 ? column.groups[i - 1] : 0, random);
	return column;
}

static std::vector<uint8_t>
encoded(const WaPartial &partial, const Case &c)
{
	std::vector<uint8_t> bytes(WA_PARTIAL_MAX_BYTES);

	bytes.resize(wa_partial_encode(&partial, stored_type(c.storage),
								   WA_OP_BIT(c.op), bytes.data()));
	return bytes;
}

// Folds the rows of each group in their order, on the CPU.
static Results
expected_results(const Case &c, const Column &column)
{
	const WaType type = stored_type(c.storage);
	const size_t width = wa_type_width(type);
	const unsigned char *values =
		reinterpret_cast<const unsigned char *>(column.values.data());
	std::vector<std::vector<uint64_t>> rows(c.ngroups); // values, gathered
	std::vector<size_t> count(c.ngroups);
	Results results;

	for (size_t i = 0; i < c.nrows; i++)
	{
		const uint32_t group = column.groups[i];

		if (group >= c.ngroups || (!column.validity.empty() &&
								   !wa_row_is_valid(column.validity.data(), i)))
			continue;
		rows[group].resize(((count[group] + 1) * width + 7) / 8);
		memcpy(reinterpret_cast<unsigned char *>(rows[group].data()) +
				   count[group]++ * width,
			   values + i * width, width);
	}
	for (uint32_t group = 0; group < c.ngroups; group++)
	{
		const WaBatch batch = {type, rows[group].data(), NULL, count[group]};
		WaExactPart exact;
		WaPartial partial;

		wa_partial_init(&partial, &exact);
		wa_partial_fold(&partial, WA_OP_BIT(c.op), &batch);
		results.push_back(encoded(partial, c));
	}
	return results;
}

// Device memory with what a vector holds; no memory for an empty one.
template <typename Element>
static Element *
to_device(const Element *from, size_t bytes)
{
	Element *d_memory = NULL;

	if (bytes == 0)
		return NULL;
	must(cudaMalloc(&d_memory, bytes));
	must(cudaMemcpy(d_memory, from, bytes, cudaMemcpyHostToDevice));
	return d_memory;
}

// Plans with less and less shared memory until the plan is as wanted, or as
// near as can be.
static WaGroupPlan
make_plan(const Case &c, const WaGroupColumn &column)
{
	WaGroupDevice device;
	WaGroupPlan plan;
	WaGroupPlan next;

	must(wa_group_device(0, &device));
	device.multiprocessors = c.multiprocessors;
	must(wa_group_plan(&column, &device, &plan));
	if (c.plan == PLAN_COPIES)
		return plan;
	while (device.shared_bytes > 0)
	{
		device.shared_bytes -= device.shared_bytes / 8 + 1;
		if (wa_group_plan(&column, &device, &next) != cudaSuccess)
			break;
		if (c.plan == PLAN_ONE_COPY && next.method != WA_GROUP_SHARED)
			break;
		if (c.plan == PLAN_SLICES && next.method == WA_GROUP_PARTITIONS)
			break;
		plan = next;
		if (c.plan == PLAN_PARTITIONS && plan.method == WA_GROUP_PARTITIONS)
			break;
	}
	return plan;
}

// Reduces a column that lies in device memory.
static Results
reduce(const Case &c, const WaGroupColumn &column, const WaGroupPlan &plan)
{
	std::vector<WaPartial> partials(c.ngroups);
	std::vector<WaExactPart> exact(c.ngroups);
	std::vector<uint64_t> table(plan.table_bytes / 8 + 1);
	WaGroupMemory memory;
	WaGroupLayer layer;
	Results results;
	bool more;

	for (uint32_t group = 0; group < c.ngroups; group++)
		wa_partial_init(&partials[group], &exact[group]);
	must(cudaMalloc(&memory.d_workspace, plan.workspace_bytes));
	must(cudaMalloc(&memory.d_table, plan.table_bytes));
	must(cudaHostAlloc(&memory.status, sizeof(WaGroupStatus),
					   cudaHostAllocPortable));
	must(wa_group_start(&column, &plan, &memory, &layer, NULL));
	do
	{
		must(cudaMemcpy(table.data(), memory.d_table, plan.table_bytes,
						cudaMemcpyDeviceToHost));
		for (uint32_t group = 0; group < c.ngroups; group++)
			wa_group_fold(&column, &plan, &layer, table.data(), group,
						  &partials[group]);
		must(wa_group_next(&column, &plan, &memory, &layer, &more, NULL));
	} while (more);
	must(cudaFree(memory.d_workspace));
	must(cudaFree(memory.d_table));
	must(cudaFreeHost(memory.status));
	for (uint32_t group = 0; group < c.ngroups; group++)
		results.push_back(encoded(partials[group], c));
	return results;
}

static Results
found_results(const Case &c, const Column &column)
{
	const WaType type = stored_type(c.storage);
	unsigned char *d_values =
		to_device(reinterpret_cast<const unsigned char *>(column.values.data()),
				  c.nrows * wa_type_width(type));
	uint64_t *d_validity = to_device(column.validity.data(),
									 column.validity.size() * sizeof(uint64_t));
	uint32_t *d_groups =
		to_device(column.groups.data(), c.nrows * sizeof(uint32_t));
	const WaGroupColumn d_column = {
		c.op, {type, d_values, d_validity, c.nrows}, d_groups, c.ngroups};
	Results results = reduce(c, d_column, make_plan(c, d_column));

	must(cudaFree(d_values));
	must(cudaFree(d_validity));
	must(cudaFree(d_groups));
	return results;
}

// Writes to failure, if that is empty, which is the first group that differs.
static void
compare(const Case &c, const Results &found, const Results &expected,
		char *failure)
{
	for (uint32_t group = 0; group < c.ngroups; group++)
	{
		if (found[group] == expected[group] || failure[0] != '\0')
			continue;
		snprintf(failure, kTextBytes,
				 "%zu rows, %u groups (%s), %s, %s, %s, %d multiprocessors: "
				 "group %u differs",
				 c.nrows, c.ngroups, group_names[c.groups],
				 values_name(c.storage, c.values), validity_name(c.validity),
				 plan_names[c.plan], c.multiprocessors, group);
	}
}

static void
run_case(const Case &c, Random &random, char *failure)
{
	const Column column = make_column(c, random);

	compare(c, found_results(c, column), expected_results(c, column), failure);
}

// All lengths around vectors of rows, bitmap words and tiles.
static void
test_lengths(WaOp op, WaStorage storage, Random &random, char *failure)
{
	static const size_t lengths[] = {0,  1,  2,  3,    4,    5,    7,    31,
									 33, 64, 65, 4095, 4096, 4097, 12289};

	for (size_t nrows : lengths)
		for (unsigned plan = 0; plan < PLAN_KINDS; plan++)
			run_case({op, storage, nrows, (uint32_t) random.below(30) + 5,
					  (unsigned) random.below(GROUPS_KINDS),
					  (unsigned) random.below(values_kinds(storage)),
					  (unsigned) random.below(VALIDITY_KINDS), plan,
					  (int) random.below(4) + 1},
					 random, failure);
}

// Every kind of values by every plan.
static void
test_values(WaOp op, WaStorage storage, Random &random, char *failure)
{
	for (unsigned kind = 0; kind < values_kinds(storage); kind++)
		for (unsigned plan = 0; plan < PLAN_KINDS; plan++)
			run_case({op, storage, 1999, 19,
					  (unsigned) random.below(GROUPS_KINDS), kind,
					  (unsigned) (random.below(2) != 0 ? VALIDITY_RANDOM
													   : VALIDITY_NONE),
					  plan, 2},
					 random, failure);
}

// Few and many groups, and numbers around the sizes of tables.
static void
test_groups_counts(WaOp op, WaStorage storage, Random &random, char *failure)
{
	static const uint32_t counts[] = {1,   2,   3,   4,   5,    16,  17,
									  100, 127, 128, 129, 1025, 4097};

	for (uint32_t ngroups : counts)
		for (unsigned plan : {PLAN_COPIES, PLAN_SLICES, PLAN_PARTITIONS})
			if (ngroups < 1000 || plan == PLAN_COPIES)
				run_case({op, storage, 5003, ngroups,
						  (unsigned) random.below(GROUPS_KINDS), 0,
						  (unsigned) random.below(VALIDITY_KINDS), plan, 2},
						 random, failure);
}

// Every kind of groups by every plan, in several tiles.
static void
test_group_kinds(WaOp op, WaStorage storage, Random &random, char *failure)
{
	for (unsigned kind = 0; kind < GROUPS_KINDS; kind++)
		for (unsigned plan = 0; plan < PLAN_KINDS; plan++)
			run_case({op, storage, 9011, 67, kind,
					  (unsigned) random.below(values_kinds(storage)),
					  (unsigned) random.below(VALIDITY_KINDS), plan, 4},
					 random, failure);
}

// Returns a column of the same rows, last to first, all of them valid.
static Column
turned(const Case &c, const Column &column)
{
	const size_t width = wa_type_width(stored_type(c.storage));
	const unsigned char *from =
		reinterpret_cast<const unsigned char *>(column.values.data());
	Column turned = column;
	unsigned char *to = reinterpret_cast<unsigned char *>(turned.values.data());

	for (size_t i = 0; i < c.nrows; i++)
	{
		memcpy(to + i * width, from + (c.nrows - 1 - i) * width, width);
		turned.groups[i] = column.groups[c.nrows - 1 - i];
	}
	return turned;
}

// Neither the plan nor the grid nor the order of rows makes a difference.  (The
// values have no zeros.)
static void
test_orders(WaOp op, WaStorage storage, Random &random, char *failure)
{
	Case c = {op, storage,       9001,        23, GROUPS_NEIGHBOURS,
			  0,  VALIDITY_NONE, PLAN_COPIES, 1};
	const Column column = make_column(c, random);
	const Results first = found_results(c, column);

	for (c.plan = 0; c.plan < PLAN_KINDS; c.plan++)
	{
		c.multiprocessors = (int) c.plan + 2;
		compare(c, found_results(c, column), first, failure);
		compare(c, found_results(c, turned(c, column)), first, failure);
	}
}

// A number of any exponent above those that the sample sees, which are those of
// every other row here: whichever window it lies in has to be launched.
static void
test_unsampled(WaOp op, WaStorage storage, char *failure)
{
	Random random(0);
	Case c = {op, storage,       16384,       2, GROUPS_UNIFORM,
			  0,  VALIDITY_NONE, PLAN_COPIES, 4};
	Column column = make_column(c, random);
	double *doubles = reinterpret_cast<double *>(column.values.data());
	float *floats = reinterpret_cast<float *>(column.values.data());

	std::fill(column.groups.begin(), column.groups.end(), c.ngroups);
	column.groups[0] = 0;
	column.groups[1] = 1;
	for (size_t i = 0; i < c.nrows; i++)
		if (storage == WA_F64)
			doubles[i] = 1;
		else
			floats[i] = 1;
	for (int exponent = 50; exponent < 90; exponent++)
	{
		if (storage == WA_F64)
			doubles[1] = ldexp(1, exponent);
		else
			floats[1] = ldexpf(1, exponent);
		compare(c, found_results(c, column), expected_results(c, column),
				failure);
	}
}

void
test_groups_unsampled()
{
	for (WaOp op : {WA_OP_SUM, WA_OP_SQUARES})
		for (WaStorage storage : {WA_F32, WA_F64})
		{
			char failure[kTextBytes] = "";

			test_unsampled(op, storage, failure);
			report_group(failure,
						 "%s over %s by groups: numbers above the sample",
						 wa_op_name(op), wa_type_name(stored_type(storage)));
		}
}

typedef void (*TestGroup)(WaOp op, WaStorage storage, Random &random,
						  char *failure);

static void
test_group(const char *name, TestGroup group, WaOp op, WaStorage storage,
		   uint64_t seed)
{
	Random random(seed * 1000 + op * 100 + storage * 10);
	char failure[kTextBytes] = "";

	group(op, storage, random, failure);
	report_group(failure, "%s over %s by groups: %s, seed %llu", wa_op_name(op),
				 wa_type_name(stored_type(storage)), name,
				 (unsigned long long) seed);
}

static void
test_reduction(WaOp op, WaStorage storage, uint64_t seed, bool in_short)
{
	test_group("orders and plans", test_orders, op, storage, seed);
	if (in_short)
		return;
	test_group("lengths", test_lengths, op, storage, seed);
	test_group("values", test_values, op, storage, seed);
	test_group("numbers of groups", test_groups_counts, op, storage, seed);
	test_group("kinds of groups", test_group_kinds, op, storage, seed);
}

void
test_groups(uint64_t seed, bool in_short)
{
#ifdef WA_EMU
	wa_emu_set_seed(seed);
#endif
#define X(op, storage, accumulator) \
	test_reduction(WA_OP_##op, WA_##storage, seed, in_short);
	WA_REDUCTION_LIST(X)
#undef X
}

// Tells whether a column cannot be planned.
static bool
is_refused(WaGroupColumn column, WaGroupDevice device)
{
	WaGroupPlan plan;

	return wa_group_plan(&column, &device, &plan) == cudaErrorInvalidValue;
}

void
test_groups_contract()
{
	const WaGroupDevice device = {2, kSharedBytes};
	uint32_t *d_memory;
	char failure[kTextBytes] = "";
	auto expect = [&](bool held, const char *what)
	{
		if (!held && failure[0] == '\0')
			snprintf(failure, sizeof(failure), "%s", what);
	};
	WaGroupColumn good = {WA_OP_SUM, {WA_INT8, NULL, NULL, 10}, NULL, 4};
	WaGroupColumn bad;

	must(cudaMalloc(&d_memory, 4096));
	good.d_batch.values = d_memory;
	good.d_groups = d_memory + 512;
	expect(!is_refused(good, device), "a good column is refused");
	(bad = good).d_batch.values = d_memory + 2;
	expect(is_refused(bad, device), "values that are not aligned");
	(bad = good).d_groups = d_memory + 1;
	expect(is_refused(bad, device), "groups that are not aligned");
	(bad = good).d_batch.validity =
		reinterpret_cast<const uint64_t *>(d_memory + 1);
	expect(is_refused(bad, device), "a bitmap that is not aligned");
	(bad = good).d_batch.values = NULL;
	expect(is_refused(bad, device), "no values");
	(bad = good).d_batch.nrows = WA_GROUP_MAX_ROWS + 1;
	expect(is_refused(bad, device), "too many rows");
	(bad = good).ngroups = 0;
	expect(is_refused(bad, device), "no groups");
	(bad = good).ngroups = WA_GROUP_MAX_GROUPS + 1;
	expect(is_refused(bad, device), "too many groups");
	(bad = good).d_batch.type = WA_OID;
	expect(is_refused(bad, device), "the sum of oids");
	(bad = good).op = WA_OP_COUNT;
	expect(is_refused(bad, device), "an operation that does not exist");
	expect(is_refused(good, {0, kSharedBytes}), "no multiprocessors");
	expect(is_refused(good, {2, 40}), "too little shared memory");
	must(cudaFree(d_memory));
	report_group(failure, "grouped reductions refuse what breaks their "
						  "contract");
}
