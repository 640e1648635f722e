//
// test_block_min.cpp
//		The smallest value of a block, found and not found.
//
// The first half compares wa_ladder_block_min with the CPU.  The second half
// has kernels with a mistake each, and shows which inputs bring it to light:
// the same comparison has to fail for them.
//
#include "primitives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/ladder/block_min.cuh"
#ifdef WA_EMU
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static const size_t kTextBytes = 300;

// The order of PostgreSQL: NaN is the largest.
template <typename Value>
static bool
sorts_before(Value a, Value b)
{
	return a < b;
}

static bool
sorts_before(double a, double b)
{
	return isnan(a) ? false : isnan(b) || a < b;
}

static bool
sorts_before(float a, float b)
{
	return sorts_before((double) a, (double) b);
}

// Tells whether neither value sorts before the other.
template <typename Value>
static bool
same_place(Value a, Value b)
{
	return !sorts_before(a, b) && !sorts_before(b, a);
}

template <typename Value>
using MinKernel = void (*)(const Value *values, unsigned nrows, Value *results);

// Runs a kernel over as many blocks as the values need, one at least, and
// returns what each found.
template <typename Value, typename Kept>
static std::vector<Kept>
run_min(void (*kernel)(const Value *, unsigned, Kept *),
		const std::vector<Value> &values, unsigned threads)
{
	const unsigned warps = (threads + 31) / 32;
	const size_t shared_bytes = sizeof(Kept) * (warps * 32);
	unsigned nrows = (unsigned) values.size();
	const unsigned blocks = nrows == 0 ? 1 : (nrows + threads - 1) / threads;
	DeviceArray<Value> d_values(values);
	DeviceArray<Kept> d_results(blocks);
	const Value *d_in = d_values.get();
	Kept *d_out = d_results.get();
	void *arguments[] = {&d_in, &nrows, &d_out};

	must(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments,
						  shared_bytes, NULL));
	return d_results.elements();
}

// Tells whether a kernel finds what the CPU finds, in every block; `neutral` is
// expected of a block without rows.
template <typename Value, typename Kept>
static bool
finds_min(void (*kernel)(const Value *, unsigned, Kept *),
		  const std::vector<Value> &values, Kept neutral, unsigned threads)
{
	const std::vector<Kept> found = run_min(kernel, values, threads);

	for (size_t block = 0; block < found.size(); block++)
	{
		Kept expected = neutral;

		for (size_t row = block * threads;
			 row < values.size() && row < (block + 1) * threads; row++)
			if (sorts_before((Kept) values[row], expected))
				expected = (Kept) values[row];
		if (!same_place(found[block], expected))
			return false;
	}
	return true;
}

// Every kind of values of a storage, in blocks of whole warps and others.
template <WaStorage kStorage>
static void
test_storage(uint64_t seed)
{
	using Min = WaExtreme<WA_OP_MIN, kStorage>;
	static const unsigned blocks[] = {1,  2,  31,  32,  33,   40,
									  63, 65, 100, 256, 1000, 1024};
	Random random(seed * 10 + kStorage);
	char failure[kTextBytes] = "";

	for (unsigned kind = 0; kind < values_kinds(kStorage); kind++)
		for (unsigned threads : blocks)
			for (unsigned nrows :
				 {0u, 1u, threads - 1, threads, threads + 1, threads * 2 - 1})
			{
				std::vector<typename Min::Value> values(nrows);

				if (threads >= 256 && (kind > 1 || nrows % threads == 0))
					continue;
				values_fill(kStorage, kind, values.data(), nrows, random);
				if (!finds_min(wa_ladder_block_min<kStorage>, values,
							   (typename Min::Kept) Min::kNeutral, threads) &&
					failure[0] == '\0')
					snprintf(failure, kTextBytes, "%s, %u rows, blocks of %u",
							 values_name(kStorage, kind), nrows, threads);
			}
	report_group(failure, "smallest of a block, %zu bytes %s, seed %llu",
				 sizeof(typename Min::Value),
				 std::is_floating_point<typename Min::Value>::value ? "float"
																	: "integer",
				 (unsigned long long) seed);
}

// Mistakes.  Each kernel is meant to find the smallest int4 of its block, for
// blocks of 64 threads, with an int4 of shared memory a thread.

static const unsigned kFaultyThreads = 64;

// Leaves the smallest of 64 numbers in shared[0]; that is right.
static __device__ void
tree_min(int32_t *shared)
{
	__syncthreads();
	for (unsigned stride = kFaultyThreads / 2; stride > 0; stride /= 2)
	{
		if (threadIdx.x < stride)
			shared[threadIdx.x] =
				min(shared[threadIdx.x], shared[threadIdx.x + stride]);
		__syncthreads();
	}
}

// Merges by max() where min() is meant.
static __global__ void
merges_by_max(const int32_t *values, unsigned nrows, int32_t *results)
{
	int32_t *shared = &wa_block_shared<int32_t>();
	unsigned row = blockIdx.x * kFaultyThreads + threadIdx.x;

	shared[threadIdx.x] = row < nrows ? values[row] : INT32_MAX;
	__syncthreads();
	for (unsigned stride = kFaultyThreads / 2; stride > 0; stride /= 2)
	{
		if (threadIdx.x < stride)
			shared[threadIdx.x] =
				max(shared[threadIdx.x], shared[threadIdx.x + stride]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		results[blockIdx.x] = shared[0];
}

// Declares its variable a second time, so that what was found is lost.
static __global__ void
shadows_its_variable(const int32_t *values, unsigned nrows, int32_t *results)
{
	int32_t *shared = &wa_block_shared<int32_t>();
	unsigned row = blockIdx.x * kFaultyThreads + threadIdx.x;
	int32_t smallest = INT32_MAX;

	if (row < nrows)
	{
		int32_t smallest = values[row];

		shared[threadIdx.x] = smallest;
	}
	shared[threadIdx.x] = smallest;
	tree_min(shared);
	if (threadIdx.x == 0)
		results[blockIdx.x] = shared[0];
}

// Gives threads without a row a 0, which is the identity of sums.
static __global__ void
fills_with_zero(const int32_t *values, unsigned nrows, int32_t *results)
{
	int32_t *shared = &wa_block_shared<int32_t>();
	unsigned row = blockIdx.x * kFaultyThreads + threadIdx.x;

	shared[threadIdx.x] = row < nrows ? values[row] : 0;
	tree_min(shared);
	if (threadIdx.x == 0)
		results[blockIdx.x] = shared[0];
}

// An input, and whether a kernel with a mistake is to be found out by it.
struct Trial
{
	const char *mistake;
	MinKernel<int32_t> kernel;
	const char *input;
	std::vector<int32_t> values;
	bool caught;
};

// Returns first, first + 1, ... .
static std::vector<int32_t>
count_from(int32_t first, unsigned nrows)
{
	std::vector<int32_t> values(nrows);

	for (unsigned i = 0; i < nrows; i++)
		values[i] = first + (int32_t) i;
	return values;
}

// The comparison finds each mistake on the inputs that show it, and it shows
// that others do not: a test that has only those would pass a wrong kernel.
static void
test_mistakes()
{
	const std::vector<int32_t> sevens(64, 7);
	const std::vector<int32_t> largest(64, INT32_MAX);
	const Trial trials[] = {
		{"max for min", merges_by_max, "a full block", count_from(1, 64), true},
		{"max for min", merges_by_max, "a partial block", count_from(1, 40),
		 true},
		{"max for min", merges_by_max, "equal values", sevens, false},
		{"a shadowed variable", shadows_its_variable, "a full block",
		 count_from(1, 64), true},
		{"a shadowed variable", shadows_its_variable, "a partial block",
		 count_from(-5, 40), true},
		{"a shadowed variable", shadows_its_variable, "the largest values",
		 largest, false},
		{"0 for no row", fills_with_zero, "positive values, a partial block",
		 count_from(1, 40), true},
		{"0 for no row", fills_with_zero, "positive values, a second block",
		 count_from(1, 65), true},
		{"0 for no row", fills_with_zero, "no rows", {}, true},
		{"0 for no row", fills_with_zero, "positive values, a full block",
		 count_from(1, 64), false},
		{"0 for no row", fills_with_zero, "a negative value",
		 count_from(-5, 40), false},
	};

	for (const Trial &trial : trials)
	{
		const char *failure = "";

		if (finds_min(trial.kernel, trial.values, INT32_MAX, kFaultyThreads) ==
			trial.caught)
			failure = "it is the other way round";
		else if (!finds_min(wa_ladder_block_min<WA_I32>, trial.values,
							INT32_MAX, kFaultyThreads))
			failure = "the right kernel does not find it";
		report_group(failure, "%s: %s by %s", trial.mistake,
					 trial.caught ? "found out" : "not seen", trial.input);
	}
}

#ifdef WA_EMU
// Names all 32 lanes in a block whose second warp has 8.
static __global__ void
names_absent_lanes(const int32_t *values, unsigned nrows, int32_t *results)
{
	int32_t smallest = threadIdx.x < nrows ? values[threadIdx.x] : INT32_MAX;

	for (unsigned distance = kWarpLanes / 2; distance > 0; distance /= 2)
		smallest = min(smallest, wa_warp_shuffle_down(smallest, distance));
	if (threadIdx.x == 0)
		results[0] = smallest;
}

// Returns the status of a child that runs the kernel in a block of 40 threads,
// and what it says.
static int
run_in_child(char *text, size_t text_bytes)
{
	int ends[2];
	int status = -1;
	size_t length = 0;
	ssize_t got;
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0)
		return -1;
	if (child == 0)
	{
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		(void) run_min(names_absent_lanes, count_from(1, 40), 40);
		_exit(0);
	}
	close(ends[1]);
	while (length + 1 < text_bytes &&
		   (got = read(ends[0], text + length, text_bytes - 1 - length)) > 0)
		length += (size_t) got;
	text[length] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return status;
}

void
test_partial_warp_is_caught()
{
	char text[2000] = "";
	char failure[kTextBytes] = "";
	int status = run_in_child(text, sizeof(text));

	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		snprintf(failure, sizeof(failure), "it ended with status 0x%x", status);
	else if (strstr(text, "waits in __shfl_down_sync, mask 0xffffffff") == NULL)
		snprintf(failure, sizeof(failure), "it said %.150s", text);
	report_group(failure, "the emulator catches a full mask in a partial warp");
}
#endif

void
test_block_min(uint64_t seed)
{
	test_storage<WA_I16>(seed);
	test_storage<WA_I32>(seed);
	test_storage<WA_I64>(seed);
	test_storage<WA_F32>(seed);
	test_storage<WA_F64>(seed);
	test_mistakes();
}
