//
// test_kernels.cpp
//		Every kernel of the table against wa_partial_fold, bit for bit.
//
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/kernels.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

// A small grid is enough to have several blocks, and many tiles for each.
static const int kMultiprocessors = 1;

static const size_t kTextBytes = 300;

// What one launch is about.
struct Case
{
	WaOp op;
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
	WaKernelResult *d_result;
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

// Copies bytes to fresh device memory, `shift` bytes behind its beginning.
static unsigned char *
to_device(const void *from, size_t bytes, size_t shift)
{
	unsigned char *d_memory;

	must(cudaMalloc(&d_memory, bytes + shift + (bytes + shift == 0)));
	must(cudaMemcpy(d_memory + shift, from, bytes, cudaMemcpyHostToDevice));
	return d_memory;
}

// Reduces a batch by the kernel.
static void
reduce_on_device(const Device &device, const Case &c, const WaBatch &batch,
				 WaPartial *partial)
{
	const size_t width = wa_type_width(batch.type);
	const size_t shift = c.offset * width;
	unsigned char *d_values =
		to_device(batch.values, batch.nrows * width, shift);
	unsigned char *d_validity = NULL;
	WaBatch d_batch = batch;
	WaKernelResult result;

	d_batch.values = d_values + shift;
	if (batch.validity != NULL)
	{
		d_validity =
			to_device(batch.validity, wa_validity_bytes(batch.nrows), 0);
		d_batch.validity = reinterpret_cast<uint64_t *>(d_validity);
	}
	must(wa_kernel_launch(c.op, &d_batch, device.d_scratch, device.d_result,
						  kMultiprocessors, NULL));
	must(cudaMemcpy(&result, device.d_result, sizeof(result),
					cudaMemcpyDeviceToHost));
	wa_kernel_finish(c.op, &batch, &result, partial);
	must(cudaFree(d_values));
	must(cudaFree(d_validity));
}

// Runs a case; on failure writes what is wrong to failure, if that is empty.
static void
run_case(const Device &device, const Case &c, Random &random, char *failure)
{
	const WaType type = type_of_storage(c.storage);
	std::vector<uint64_t> values(c.nrows * wa_type_width(type) / 8 + 1);
	std::vector<uint64_t> validity = validity_fill(c.validity, c.nrows, random);
	WaBatch batch = {type, values.data(),
					 c.validity == VALIDITY_NONE ? NULL : validity.data(),
					 c.nrows};
	WaExactPart found_exact, expected_exact;
	WaPartial found, expected;
	char text[kTextBytes / 2];

	values_fill(c.storage, c.values, values.data(), c.nrows, random);
	// An empty bitmap has no words, but it is one.
	if (batch.validity == NULL && c.validity != VALIDITY_NONE)
		batch.validity = values.data();
	wa_partial_init(&found, &found_exact);
	wa_partial_init(&expected, &expected_exact);
	wa_partial_fold(&expected, WA_OP_BIT(c.op), &batch);
	reduce_on_device(device, c, batch, &found);
	if (!partials_equal(&found, &expected, type, WA_OP_BIT(c.op), text,
						sizeof(text)) &&
		failure[0] == '\0')
		snprintf(failure, kTextBytes, "%zu rows, offset %u, %s, %s: %s",
				 c.nrows, c.offset, values_name(c.storage, c.values),
				 validity_name(c.validity), text);
}

// All lengths around vectors, warps, tiles and bitmap words.
static void
test_lengths(const Device &device, WaOp op, WaStorage storage, Random &random,
			 char *failure)
{
	static const size_t lengths[] = {0,   1,    2,    3,    7,    31,  32,
									 33,  63,   64,   65,   255,  256, 257,
									 511, 1023, 1024, 1025, 4097, 9999};

	for (size_t nrows : lengths)
		for (unsigned validity = 0; validity < VALIDITY_KINDS; validity++)
			run_case(device,
					 {op, storage, nrows, (unsigned) random.below(16),
					  (unsigned) random.below(values_kinds(storage)), validity},
					 random, failure);
}

// Every place that values can have between 16-byte boundaries.
static void
test_alignments(const Device &device, WaOp op, WaStorage storage,
				Random &random, char *failure)
{
	static const size_t lengths[] = {1, 6, 15, 40, 333};
	const unsigned offsets =
		(unsigned) (16 / wa_type_width(type_of_storage(storage)));

	for (size_t nrows : lengths)
		for (unsigned offset = 0; offset < offsets; offset++)
			for (unsigned validity : {VALIDITY_NONE, VALIDITY_RANDOM})
				run_case(device, {op, storage, nrows, offset, 0, validity},
						 random, failure);
}

// Every kind of values, by one block and by several.
static void
test_values(const Device &device, WaOp op, WaStorage storage, Random &random,
			char *failure)
{
	static const size_t lengths[] = {1000, 20011};

	for (size_t nrows : lengths)
		for (unsigned kind = 0; kind < values_kinds(storage); kind++)
			for (unsigned validity : {VALIDITY_NONE, VALIDITY_RANDOM})
				run_case(device,
						 {op, storage, nrows, (unsigned) random.below(16), kind,
						  validity},
						 random, failure);
}

// More tiles than the grid has blocks.
static void
test_multiblock(const Device &device, WaOp op, WaStorage storage,
				Random &random, char *failure)
{
	const size_t width = wa_type_width(type_of_storage(storage));
	const size_t nrows = 400000 / width + 13;

	for (unsigned validity = 0; validity < VALIDITY_KINDS; validity++)
		run_case(device, {op, storage, nrows, 1, 0, validity}, random, failure);
}

typedef void (*TestGroup)(const Device &device, WaOp op, WaStorage storage,
						  Random &random, char *failure);

static void
test_group(const Device &device, const char *name, TestGroup group, WaOp op,
		   WaStorage storage, uint64_t seed)
{
	Random random(seed * 1000 + op * 100 + storage * 10);
	char failure[kTextBytes] = "";

	group(device, op, storage, random, failure);
	report_group(failure, "%s over %s: %s, seed %llu", wa_op_name(op),
				 wa_type_name(type_of_storage(storage)), name,
				 (unsigned long long) seed);
}

// More rows for each thread than its window's integers could hold between
// flushes, all just below the window's limit: a first tile of ones places it.
static void
test_long_window(const Device &device, WaOp op, double limit)
{
	const size_t nrows = (size_t) 9 << 20;
	std::vector<double> values(nrows, nextafter(limit, 0));
	const WaBatch batch = {WA_FLOAT8, values.data(), NULL, nrows};
	const Case c = {op, WA_F64, nrows, 0, 0, VALIDITY_NONE};
	WaExactPart found_exact, expected_exact;
	WaPartial found, expected;
	char failure[kTextBytes] = "";

	for (size_t i = 0; i < 65536; i++)
		values[i] = 1;
	wa_partial_init(&found, &found_exact);
	wa_partial_init(&expected, &expected_exact);
	wa_partial_fold(&expected, WA_OP_BIT(op), &batch);
	reduce_on_device(device, c, batch, &found);
	(void) partials_equal(&found, &expected, WA_FLOAT8, WA_OP_BIT(op), failure,
						  sizeof(failure));
	report_group(failure, "%s over float8: full windows are flushed in time",
				 wa_op_name(op));
}

// Runs the groups of cases of one reduction.
static void
test_reduction(const Device &device, WaOp op, WaStorage storage, uint64_t seed,
			   bool in_short)
{
	test_group(device, "lengths", test_lengths, op, storage, seed);
	test_group(device, "several blocks", test_multiblock, op, storage, seed);
	if (in_short)
		return;
	test_group(device, "alignments", test_alignments, op, storage, seed);
	test_group(device, "values", test_values, op, storage, seed);
}

void
test_kernels(uint64_t seed, bool in_short)
{
	Device device;
	static bool long_window_done;

#ifdef WA_EMU
	wa_emu_set_seed(seed);
#endif
	must(cudaMalloc(&device.d_scratch, wa_kernel_scratch_bytes()));
	must(cudaMalloc(&device.d_result, sizeof(WaKernelResult)));
	must(cudaMemset(device.d_scratch, 0, wa_kernel_scratch_bytes()));
#define X(op, storage, accumulator) \
	test_reduction(device, WA_OP_##op, WA_##storage, seed, in_short);
	WA_REDUCTION_LIST(X)
#undef X
	if (!long_window_done && !in_short)
	{
		test_long_window(device, WA_OP_SUM, 2048);
		test_long_window(device, WA_OP_SQUARES, 64);
	}
	long_window_done = true;
	must(cudaFree(device.d_scratch));
	must(cudaFree(device.d_result));
}
