//
// test_ladder.cpp
//		Every step of bench/ladder against a loop on the CPU.
//
#include "primitives.h"

#include <limits>
#include <math.h>
#include <stdio.h>

#include "bench/ladder/launch.cuh"

static const size_t kTextBytes = 300;

// A small grid, so that the loops of the grid-stride steps go round.
static const unsigned kMultiprocessors = 1;

// Values

static const char *const kind_names[] = {"random", "extremes", "largest",
										 "smallest", "zeros"};
static const unsigned kKinds = 5;

template <typename Integer>
static Integer
value_of(unsigned kind, Random &random, Integer)
{
	const Integer smallest = std::numeric_limits<Integer>::min();
	const Integer largest = std::numeric_limits<Integer>::max();
	const Integer extremes[] = {smallest, largest, 0, (Integer) -1};

	switch (kind)
	{
		case 0:
			return (Integer) random.bits();
		case 1:
			return extremes[random.below(4)];
		case 2:
			return largest;
		case 3:
			return smallest;
		default:
			return 0;
	}
}

// Floats whose sums are exact in any order, but for those of kind 0; kind 1 has
// infinities of one sign among them.
static float
value_of(unsigned kind, Random &random, float)
{
	const float small = (float) random.below(17) - 8;

	switch (kind)
	{
		case 0:
			return (float) ((double) random.bits() / 0x1p64);
		case 1:
			return random.below(500) == 0 ? INFINITY : small;
		case 2:
			return 8;
		case 3:
			return -8;
		default:
			return random.below(2) == 0 ? -0.0f : 0.0f;
	}
}

// Results

template <typename Sum>
static bool
is_sum(Sum found, Sum expected, double)
{
	return found == expected;
}

// Sums of floats may be off by `error`.
static bool
is_sum(float found, float expected, double error)
{
	return found == expected || fabs((double) found - expected) <= error;
}

// What one reduction is about.
struct Case
{
	unsigned nrows;
	unsigned threads; // of a block
	unsigned kind;    // of values
};

// Runs a case; on failure writes what is wrong to failure, if that is empty.
template <typename Value, typename Sum>
static void
run_case(const WaLadderStep<Value, Sum> &step, const Case &c, Random &random,
		 char *failure)
{
	std::vector<Value> values(c.nrows);
	Sum expected = 0;
	double exact = 0; // for floats, a sum that errs by far less
	double error;

	for (Value &value : values)
	{
		value = value_of(c.kind, random, Value());
		expected += (Sum) value;
		exact += (double) value;
	}
	if (std::numeric_limits<Sum>::has_infinity)
		expected = (Sum) exact;
	// Each addition errs by half a unit in the last place at most.
	error = c.kind == 0 ? (double) c.nrows * 0x1p-24 * fabs(exact) : 0;
	DeviceArray<Value> d_values(values);
	DeviceArray<Sum> d_scratch(wa_ladder_scratch_sums(c.nrows, c.threads));
	DeviceArray<Sum> d_result(1);

	must(wa_ladder_launch(step, (const Value *) d_values.get(), c.nrows,
						  d_scratch.get(), d_result.get(), c.threads,
						  kMultiprocessors, NULL));
	if (!is_sum(d_result.elements()[0], expected, error) && failure[0] == '\0')
		snprintf(failure, kTextBytes,
				 "%u rows, blocks of %u, %s: %.17g instead of %.17g", c.nrows,
				 c.threads, kind_names[c.kind], (double) d_result.elements()[0],
				 (double) expected);
}

// Lengths around warps and blocks, every kind of values, and as many rows as two
// further launches take.
template <typename Value, typename Sum>
static void
test_step(const char *numbers, unsigned index, uint64_t seed)
{
	static const unsigned blocks[] = {40, 64, 96, 256, 1024};
	const WaLadderStep<Value, Sum> step = wa_ladder_step<Value, Sum>(index);
	Random random(seed * 100 + index);
	char failure[kTextBytes] = "";

	for (unsigned threads : blocks)
	{
		if (!wa_ladder_takes_block(step.blocks, threads))
			continue;
		for (unsigned nrows : {threads, 2 * threads + 1})
			run_case(step, {nrows, threads, 0}, random, failure);
		if (threads > 256)
			continue;
		for (unsigned nrows : {threads - 1, threads + 1, 2 * threads - 1})
			run_case(step, {nrows, threads, (unsigned) random.below(kKinds)},
					 random, failure);
	}
	for (unsigned nrows : {0u, 1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 511u})
		run_case(step, {nrows, 64, (unsigned) random.below(kKinds)}, random,
				 failure);
	for (unsigned kind = 0; kind < kKinds; kind++)
		run_case(step, {300, 64, kind}, random, failure);
	run_case(step, {8209, 64, 0}, random, failure);
	report_group(failure, "step %s (%s), %s, seed %llu", step.number, step.name,
				 numbers, (unsigned long long) seed);
}

template <typename Value, typename Sum>
static void
test_numbers(const char *numbers, uint64_t seed)
{
	for (unsigned index = 0; index < kLadderSteps; index++)
		test_step<Value, Sum>(numbers, index, seed);
}

// The butterfly leaves the sum in every thread.

static __global__ void
sum_to_all(const uint64_t *numbers, uint64_t *sums)
{
	sums[threadIdx.x] = wa_ladder_block_sum_all(numbers[threadIdx.x],
												&wa_block_shared<uint64_t>());
}

static void
test_sum_to_all(uint64_t seed)
{
	static const unsigned blocks[] = {32, 64, 96, 256, 992, 1024};
	Random random(seed);
	const char *failure = "";

	for (unsigned threads : blocks)
	{
		std::vector<uint64_t> numbers(threads);
		uint64_t expected = 0;

		for (uint64_t &number : numbers)
			expected += number = random.bits();
		DeviceArray<uint64_t> d_numbers(numbers);
		DeviceArray<uint64_t> d_sums(threads);
		const uint64_t *d_in = d_numbers.get();
		uint64_t *d_out = d_sums.get();
		void *arguments[] = {&d_in, &d_out};

		must(cudaLaunchKernel(sum_to_all, dim3(1), dim3(threads), arguments,
							  threads / 32 * sizeof(uint64_t), NULL));
		for (uint64_t sum : d_sums.elements())
			if (sum != expected)
				failure = "a thread has another sum";
	}
	report_group(failure, "step 6 leaves the sum in every thread, seed %llu",
				 (unsigned long long) seed);
}

// A size of blocks, and the strictest steps that take it: -1 where none does.
struct BlockSize
{
	unsigned threads;
	int strictest;
};

// Blocks that a step does not take are refused, and others are not.
static void
test_refusals()
{
	static const BlockSize sizes[] = {{0, -1},
									  {1, -1},
									  {1056, -1},
									  {2048, -1},
									  {40, WA_LADDER_ANY_BLOCK},
									  {32, WA_LADDER_WARPS},
									  {96, WA_LADDER_WARPS},
									  {64, WA_LADDER_POWERS}};
	DeviceArray<int32_t> d_values(std::vector<int32_t>(4));
	DeviceArray<int64_t> d_sums(4);
	const char *failure = "";

	for (unsigned index = 0; index < kLadderSteps; index++)
		for (const BlockSize &size : sizes)
		{
			const WaLadderStep<int32_t, int64_t> step =
				wa_ladder_step<int32_t, int64_t>(index);
			const cudaError_t error = wa_ladder_launch(
				step, (const int32_t *) d_values.get(), 4, d_sums.get(),
				d_sums.get(), size.threads, kMultiprocessors, NULL);

			if (error != ((int) step.blocks <= size.strictest
							  ? cudaSuccess
							  : cudaErrorInvalidValue))
				failure = "one is not";
		}
	report_group(failure, "steps refuse the blocks that they cannot work with");
}

void
test_ladder(uint64_t seed)
{
	test_numbers<int32_t, int64_t>("int4 in 64 bits", seed);
	test_numbers<int32_t, uint32_t>("int4 modulo 2^32", seed);
	test_numbers<int64_t, uint64_t>("int8 modulo 2^64", seed);
	test_numbers<float, float>("float4", seed);
	test_sum_to_all(seed);
	test_refusals();
}
