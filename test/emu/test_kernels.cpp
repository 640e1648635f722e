//
// test_kernels.cpp
//		Every reduction of the kernel against wa_partial_fold, bit for bit.
//
#include "check.h"

#include <math.h>
#include <memory>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "cuda/kernels.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

// Small grids are enough to have several blocks, and many tiles for each; what
// is found may not depend on their size.
static const unsigned kMaxMultiprocessors = 3;

static int
some_multiprocessors(Random &random)
{
	return 1 + (int) random.below(kMaxMultiprocessors);
}

static const size_t kTextBytes = 300;

// What one launch is about.
struct Case
{
	WaOpSet ops;
	WaStorage storage;
	size_t nrows;
	unsigned offset; // of the first value, in values, from a 256-byte boundary
	unsigned values;
	unsigned validity;
};

// Device memory that a session of cases shares.
struct Device
{
	void *d_scratch;
};

// Ends the test if a call of CUDA fails.
static void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("not ok - CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

WaType
type_of_storage(WaStorage storage)
{
	int type = 0;

	while (wa_type_storage((WaType) type) != storage)
		type++;
	return (WaType) type;
}

// Describes the first word that differs.
static bool
words_equal(const char *what, const void *found, const void *expected,
			size_t bytes, char *text, size_t text_bytes)
{
	const uint64_t *a = static_cast<const uint64_t *>(found);
	const uint64_t *b = static_cast<const uint64_t *>(expected);

	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		if (a[i] != b[i])
		{
			snprintf(text, text_bytes,
					 "%s: word %zu is 0x%016llx instead of 0x%016llx", what, i,
					 (unsigned long long) a[i], (unsigned long long) b[i]);
			return false;
		}
	return true;
}

// Tells whether the exact parts of two partials are the same.
static bool
exact_parts_equal(const WaExactPart *found, const WaExactPart *expected,
				  WaOpSet ops, char *text, size_t text_bytes)
{
	if ((ops & WA_OP_BIT(WA_OP_SUM)) != 0 &&
		!words_equal("exact sum", &found->sum, &expected->sum,
					 sizeof(WaExactSum), text, text_bytes))
		return false;
	return (ops & WA_OP_BIT(WA_OP_SQUARES)) == 0 ||
		   words_equal("exact squares", &found->squares, &expected->squares,
					   sizeof(WaExactSquares), text, text_bytes);
}

bool
partials_equal(const WaPartial *found, const WaPartial *expected, WaType type,
			   WaOpSet ops, char *text, size_t text_bytes)
{
	const size_t value_bytes =
		wa_type_storage(type) == WA_I128 ? sizeof(WaInt128) : sizeof(int64_t);

	if (!words_equal("rows", &found->rows, &expected->rows, sizeof(int64_t),
					 text, text_bytes))
		return false;
	if (wa_partial_needs_exact(type, ops) &&
		!exact_parts_equal(found->exact, expected->exact, ops, text,
						   text_bytes))
		return false;
	return words_equal("sum", &found->sum, &expected->sum, sizeof(WaInt128),
					   text, text_bytes) &&
		   words_equal("squares", &found->squares, &expected->squares,
					   sizeof(WaUint192), text, text_bytes) &&
		   words_equal("min", &found->min, &expected->min, value_bytes, text,
					   text_bytes) &&
		   words_equal("max", &found->max, &expected->max, value_bytes, text,
					   text_bytes);
}

// A column in host memory, with its copy in device memory.
class Column
{
  public:
	Column(const Case &c, Random &random)
		: ops_(c.ops), type_(type_of_storage(c.storage)), nrows_(c.nrows),
		  values_(c.nrows * wa_type_width(type_) / 8 + 1),
		  validity_(validity_fill(c.validity, c.nrows, random))
	{
		const size_t width = wa_type_width(type_);

		values_fill(c.storage, c.values, values_.data(), nrows_, random);
		batch_ = {type_, values_.data(), NULL, nrows_};
		// An empty bitmap has no words, but it is one.
		if (c.validity != VALIDITY_NONE)
			batch_.validity =
				validity_.empty() ? values_.data() : validity_.data();
		d_values_ = to_device(values_.data(), nrows_ * width, c.offset * width);
		if (batch_.validity != NULL)
			d_validity_ =
				to_device(batch_.validity, wa_validity_bytes(nrows_), 0);
		column_.d_batch = {type_, d_values_ + c.offset * width,
						   reinterpret_cast<uint64_t *>(d_validity_), nrows_};
		column_.ops = ops_;
		must(cudaMalloc(&column_.d_result, sizeof(WaKernelResult)));
	}

	~Column()
	{
		must(cudaFree(d_values_));
		must(cudaFree(d_validity_));
		must(cudaFree(column_.d_result));
	}

	Column(const Column &) = delete;
	Column &operator=(const Column &) = delete;

	std::vector<uint64_t> &
	values()
	{
		return values_;
	}

	const WaKernelColumn &
	launched() const
	{
		return column_;
	}

	// Tells whether what a launch has found is right; writes to `text` what is
	// wrong if it is not.
	bool
	check(char *text, size_t text_bytes) const
	{
		WaExactPart found_exact, expected_exact;
		WaPartial found, expected;
		WaKernelResult result;

		wa_partial_init(&found, &found_exact);
		wa_partial_init(&expected, &expected_exact);
		fold_valid(&expected, ops_, batch_);
		must(cudaMemcpy(&result, column_.d_result, sizeof(result),
						cudaMemcpyDeviceToHost));
		wa_kernel_finish(ops_, type_, &result, &found);
		return partials_equal(&found, &expected, type_, ops_, text, text_bytes);
	}

  private:
	// Copies bytes to fresh device memory, `shift` bytes behind its beginning.
	static unsigned char *
	to_device(const void *from, size_t bytes, size_t shift)
	{
		unsigned char *d_memory;

		must(cudaMalloc(&d_memory, bytes + shift + (bytes + shift == 0)));
		must(cudaMemcpy(d_memory + shift, from, bytes, cudaMemcpyHostToDevice));
		return d_memory;
	}

	WaOpSet ops_;
	WaType type_;
	size_t nrows_;
	std::vector<uint64_t> values_;
	std::vector<uint64_t> validity_;
	WaBatch batch_;
	unsigned char *d_values_ = NULL;
	unsigned char *d_validity_ = NULL;
	WaKernelColumn column_;
};

// Names a set of operations.
static std::string
ops_name(WaOpSet ops)
{
	std::string name;

	for (int op = 0; op < WA_OP_COUNT; op++)
		if ((ops & WA_OP_BIT(op)) != 0)
			name +=
				(name.empty() ? "" : ", ") + std::string(wa_op_name((WaOp) op));
	return name.empty() ? "count" : name;
}

// Runs a case; on failure writes what is wrong to failure, if that is empty.
static void
run_case(const Device &device, const Case &c, Random &random, char *failure)
{
	const Column column(c, random);
	char text[kTextBytes / 2];

	must(wa_kernel_launch(&column.launched(), 1, device.d_scratch,
						  some_multiprocessors(random), NULL));
	if (!column.check(text, sizeof(text)) && failure[0] == '\0')
		snprintf(failure, kTextBytes, "%zu rows, offset %u, %s, %s: %s",
				 c.nrows, c.offset, values_name(c.storage, c.values),
				 validity_name(c.validity), text);
}

// All lengths around vectors, warps, tiles and bitmap words.
static void
test_lengths(const Device &device, WaOpSet ops, WaStorage storage,
			 Random &random, char *failure)
{
	static const size_t lengths[] = {0,   1,    2,    3,    7,    31,  32,
									 33,  63,   64,   65,   255,  256, 257,
									 511, 1023, 1024, 1025, 4097, 9999};

	for (size_t nrows : lengths)
		for (unsigned validity = 0; validity < VALIDITY_KINDS; validity++)
			run_case(device,
					 {ops, storage, nrows, (unsigned) random.below(16),
					  (unsigned) random.below(values_kinds(storage)), validity},
					 random, failure);
}

// Every place that values can have between 16-byte boundaries.
static void
test_alignments(const Device &device, WaOpSet ops, WaStorage storage,
				Random &random, char *failure)
{
	static const size_t lengths[] = {1, 6, 15, 40, 333};
	const unsigned offsets =
		(unsigned) (16 / wa_type_width(type_of_storage(storage)));

	for (size_t nrows : lengths)
		for (unsigned offset = 0; offset < offsets; offset++)
			for (unsigned validity : {VALIDITY_NONE, VALIDITY_RANDOM})
				run_case(device, {ops, storage, nrows, offset, 0, validity},
						 random, failure);
}

// Every kind of values, by one block and by several.
static void
test_values(const Device &device, WaOpSet ops, WaStorage storage,
			Random &random, char *failure)
{
	static const size_t lengths[] = {1000, 20011};

	for (size_t nrows : lengths)
		for (unsigned kind = 0; kind < values_kinds(storage); kind++)
			for (unsigned validity : {VALIDITY_NONE, VALIDITY_RANDOM})
				run_case(device,
						 {ops, storage, nrows, (unsigned) random.below(16),
						  kind, validity},
						 random, failure);
}

// More tiles than the grid has blocks.
static void
test_multiblock(const Device &device, WaOpSet ops, WaStorage storage,
				Random &random, char *failure)
{
	const size_t width = wa_type_width(type_of_storage(storage));
	const size_t nrows = 150000 / width + 13;

	for (unsigned validity = 0; validity < VALIDITY_KINDS; validity++)
		run_case(device, {ops, storage, nrows, 1, 0, validity}, random,
				 failure);
}

typedef void (*TestGroup)(const Device &device, WaOpSet ops, WaStorage storage,
						  Random &random, char *failure);

static void
test_group(const Device &device, const char *name, TestGroup group, WaOpSet ops,
		   WaStorage storage, uint64_t seed)
{
	Random random(seed * 1000 + ops * 100 + storage * 10);
	char failure[kTextBytes] = "";

	group(device, ops, storage, random, failure);
	report_group(failure, "%s over %s: %s, seed %llu", ops_name(ops).c_str(),
				 wa_type_name(type_of_storage(storage)), name,
				 (unsigned long long) seed);
}

// More rows for each thread than its window's integers could hold between
// flushes, all just below the window's limit: a first tile of ones places it.
static void
test_long_window(const Device &device, WaOpSet ops, double limit)
{
	const size_t nrows = (size_t) 9 << 20;
	std::vector<double> values(nrows, nextafter(limit, 0));
	const WaBatch batch = {WA_FLOAT8, values.data(), NULL, nrows};
	WaKernelColumn column = {batch, ops, NULL};
	WaExactPart found_exact, expected_exact;
	WaPartial found, expected;
	WaKernelResult result;
	double *d_values;
	char failure[kTextBytes] = "";

	for (size_t i = 0; i < 65536; i++)
		values[i] = 1;
	must(cudaMalloc(&d_values, nrows * sizeof(double)));
	must(cudaMalloc(&column.d_result, sizeof(WaKernelResult)));
	must(cudaMemcpy(d_values, values.data(), nrows * sizeof(double),
					cudaMemcpyHostToDevice));
	column.d_batch.values = d_values;
	must(wa_kernel_launch(&column, 1, device.d_scratch, 1, NULL));
	must(cudaMemcpy(&result, column.d_result, sizeof(result),
					cudaMemcpyDeviceToHost));
	must(cudaFree(d_values));
	must(cudaFree(column.d_result));

	wa_partial_init(&found, &found_exact);
	wa_partial_init(&expected, &expected_exact);
	wa_partial_fold(&expected, ops, &batch);
	wa_kernel_finish(ops, WA_FLOAT8, &result, &found);
	(void) partials_equal(&found, &expected, WA_FLOAT8, ops, failure,
						  sizeof(failure));
	report_group(failure, "%s over float8: full windows are flushed in time",
				 ops_name(ops).c_str());
}

// As many columns as a launch takes, of different types and lengths, and fewer.
static void
test_columns(const Device &device, uint64_t seed)
{
	Random random(seed);
	char failure[kTextBytes] = "";

	for (unsigned ncolumns = 1; ncolumns <= WA_KERNEL_MAX_COLUMNS; ncolumns++)
	{
		std::vector<std::unique_ptr<Column>> columns;
		std::vector<WaKernelColumn> launched;

		while (columns.size() < ncolumns)
		{
			const WaStorage storage =
				(WaStorage) random.below(WA_STORAGE_COUNT);
			const WaOpSet ops = (WaOpSet) random.below(1 << WA_OP_COUNT);
			const Case c = {ops,
							storage,
							random.below(30000),
							(unsigned) random.below(16),
							(unsigned) random.below(values_kinds(storage)),
							(unsigned) random.below(VALIDITY_KINDS)};

			if (ops != 0 && !wa_reductions_exist(ops, storage))
				continue;
			columns.push_back(std::make_unique<Column>(c, random));
			launched.push_back(columns.back()->launched());
		}
		must(wa_kernel_launch(launched.data(), ncolumns, device.d_scratch,
							  some_multiprocessors(random), NULL));
		for (const std::unique_ptr<Column> &column : columns)
			if (failure[0] == '\0')
				(void) column->check(failure, sizeof(failure));
	}
	report_group(failure, "several columns in one launch, seed %llu",
				 (unsigned long long) seed);
}

// Launches that there are none of.
static void
test_refusals(const Device &device)
{
	const WaBatch batch = {WA_OID, NULL, NULL, 0};
	WaKernelColumn columns[WA_KERNEL_MAX_COLUMNS + 1];
	const auto launch = [&](unsigned ncolumns)
	{ return wa_kernel_launch(columns, ncolumns, device.d_scratch, 1, NULL); };
	char failure[kTextBytes] = "";

	for (WaKernelColumn &column : columns)
		column = {batch, WA_OP_BIT(WA_OP_MIN), NULL};
	if (launch(0) != cudaErrorInvalidValue ||
		launch(WA_KERNEL_MAX_COLUMNS + 1) != cudaErrorInvalidValue)
		snprintf(failure, sizeof(failure), "wrong numbers of columns");
	columns[1].ops = WA_OP_BIT(WA_OP_SUM);
	if (launch(2) != cudaErrorInvalidValue)
		snprintf(failure, sizeof(failure), "a sum of oid");
	columns[1].ops = WA_OP_BIT(WA_OP_MIN);
	columns[1].d_batch.nrows = WA_KERNEL_MAX_ROWS;
	if (launch(2) != cudaErrorInvalidValue)
		snprintf(failure, sizeof(failure), "too many rows");
	report_group(failure, "launches that break the contract are refused");
}

// Runs the groups of cases of one set of operations: all of them for a single
// operation, and with one seed for the sets that aggregates of SQL ask for.
static void
test_ops(const Device &device, WaOpSet ops, WaStorage storage, uint64_t seed,
		 bool in_short)
{
	const WaOpSet variance = WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES);
	const WaOpSet extremes = WA_OP_BIT(WA_OP_MIN) | WA_OP_BIT(WA_OP_MAX);
	const bool alone = (ops & (ops - 1)) == 0; // or nothing
	const bool common =
		ops == variance || ops == extremes || ops == (variance | extremes);

	if (alone || common || seed % 3 == 1)
		test_group(device, "several blocks", test_multiblock, ops, storage,
				   seed);
	if (!alone && !(common && seed % 3 == 1))
		return;
	test_group(device, "lengths", test_lengths, ops, storage, seed);
	if (in_short)
		return;
	test_group(device, "values", test_values, ops, storage, seed);
	if (alone)
		test_group(device, "alignments", test_alignments, ops, storage, seed);
}

void
test_kernels(uint64_t seed, bool in_short)
{
	Device device;
	static bool once_done;

#ifdef WA_EMU
	wa_emu_set_seed(seed);
#endif
	must(cudaMalloc(&device.d_scratch, wa_kernel_scratch_bytes()));
	must(cudaMemset(device.d_scratch, 0, wa_kernel_scratch_bytes()));
	for (int storage = 0; storage < WA_STORAGE_COUNT; storage++)
		for (WaOpSet ops = 0; ops < WA_OP_BIT(WA_OP_COUNT); ops++)
			if (ops == 0 ? storage == WA_I16
						 : wa_reductions_exist(ops, (WaStorage) storage))
				test_ops(device, ops, (WaStorage) storage, seed, in_short);
	test_columns(device, seed);
	if (!once_done && !in_short)
	{
		test_refusals(device);
		test_long_window(device, WA_OP_BIT(WA_OP_SUM), 2048);
		test_long_window(device,
						 WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES), 8);
	}
	once_done = true;
	must(cudaFree(device.d_scratch));
}
