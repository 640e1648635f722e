//
// test_primitives.cpp
//		Tests the primitives of cuda/warp and the exhibits of bench/ladder
//		against the CPU.
//
// Usage: test_primitives [SEED...]
//
// Prints a line a group of cases, and how many passed; exits 1 if one failed.
// Under the emulator a seed also sets the order in which threads run.
//
#include "primitives.h"

#include <stdio.h>
#include <stdlib.h>

#include "cuda/warp/broadcast.cuh"
#include "cuda/warp/reduce.cuh"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 300;
static const unsigned kRounds = 6;

void
must(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	printf("not ok - CUDA: %s\n", cudaGetErrorString(error));
	exit(1);
}

// Numbers of 32 and 64 bits, with extremes among them.
template <typename Number> struct Add
{
	using State = Number;

	__host__ __device__ static State
	neutral()
	{
		return 0;
	}

	__host__ __device__ static void
	merge(State &into, const State &from)
	{
		into += from;
	}

	static State
	random(Random &random)
	{
		return random.below(4) == 0 ? (Number) -1 : (Number) random.bits();
	}
};

struct Smallest
{
	using State = int64_t;

	__host__ __device__ static State
	neutral()
	{
		return INT64_MAX;
	}

	__host__ __device__ static void
	merge(State &into, const State &from)
	{
		if (from < into)
			into = from;
	}

	static State
	random(Random &random)
	{
		return random.below(9) == 0 ? INT64_MIN : (int64_t) random.bits();
	}
};

// What each thread of a block finds.
enum Primitive
{
	REDUCED,     // in the first lane of each warp
	REDUCED_ALL, // in every lane
	BROADCAST,
	PRIMITIVES
};

static const char *const primitive_names[] = {"reduction", "reduction to all",
											  "broadcast"};

// Calls every primitive on the states of a block of whole warps, of which the lane
// `speaker` is the one that broadcasts.  No shared memory.
template <typename Operation>
static __global__ void
call_primitives(const typename Operation::State *states, unsigned speaker,
				typename Operation::State *results)
{
	const typename Operation::State state = states[threadIdx.x];
	const auto put =
		[&](Primitive primitive, const typename Operation::State &result)
	{ results[primitive * blockDim.x + threadIdx.x] = result; };

	put(REDUCED, wa_warp_reduce<Operation>(state));
	put(REDUCED_ALL, wa_warp_reduce_all<Operation>(state));
	put(BROADCAST, wa_warp_broadcast(state, speaker));
}

// Returns what a primitive has to find in a thread.
template <typename Operation>
static typename Operation::State
expected_of(Primitive primitive,
			const std::vector<typename Operation::State> &states,
			unsigned thread, unsigned speaker)
{
	const unsigned first = thread / kWarpLanes * kWarpLanes;
	typename Operation::State result = Operation::neutral();

	if (primitive == BROADCAST)
		return states[first + speaker];
	for (unsigned i = first; i < first + kWarpLanes; i++)
		Operation::merge(result, states[i]);
	return result;
}

// Runs a block of so many threads over random states; on failure writes what is
// wrong to failure, if that is empty.
template <typename Operation>
static void
run_primitives(unsigned threads, Random &random, char *failure)
{
	using State = typename Operation::State;
	std::vector<State> states(threads);
	unsigned speaker = (unsigned) random.below(kWarpLanes);

	for (State &state : states)
		state = Operation::random(random);
	DeviceArray<State> d_states(states);
	DeviceArray<State> d_results(threads * PRIMITIVES);
	const State *d_in = d_states.get();
	State *d_out = d_results.get();
	void *arguments[] = {&d_in, &speaker, &d_out};

	must(cudaLaunchKernel(call_primitives<Operation>, dim3(1), dim3(threads),
						  arguments, 0, NULL));
	const std::vector<State> results = d_results.elements();

	for (unsigned i = 0; i < threads * PRIMITIVES; i++)
	{
		const Primitive primitive = (Primitive) (i / threads);
		const unsigned thread = i % threads;

		if (primitive == REDUCED && thread % kWarpLanes != 0)
			continue;
		if (!(results[i] ==
			  expected_of<Operation>(primitive, states, thread, speaker)) &&
			failure[0] == '\0')
			snprintf(failure, kTextBytes, "%s in thread %u of %u",
					 primitive_names[primitive], thread, threads);
	}
}

template <typename Operation>
static void
test_operation(const char *name, uint64_t seed)
{
	Random random(seed * 100);
	char failure[kTextBytes] = "";

	for (unsigned round = 0; round < kRounds; round++)
		run_primitives<Operation>(kWarpLanes * (1 + round % 3), random,
								  failure);
	report_group(failure, "%s over the lanes of warps, seed %llu", name,
				 (unsigned long long) seed);
}

// Slots: every thread that wants one writes its number there.  No shared memory.
static __global__ void
take_slots(const unsigned *wants, unsigned *counter, unsigned *slots,
		   unsigned *ranks)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	bool wanting = wants[thread] != 0;
	unsigned slot = wa_warp_take_slots(counter, wanting);

	ranks[thread] = wa_warp_rank(__ballot_sync(kFullMask, wanting));
	if (wanting)
		slots[slot] = thread;
}

// Tells what is wrong with the slots, or returns "": each wanting thread has
// one, all lie below the counter, and those of a warp follow one another.
static const char *
slots_fault(const std::vector<unsigned> &wants,
			const std::vector<unsigned> &slots,
			const std::vector<unsigned> &ranks, unsigned counter)
{
	std::vector<bool> seen(wants.size());
	unsigned total = 0;

	for (unsigned i = 0; i < wants.size(); i++)
	{
		const unsigned below = i % 32 == 0 ? 0 : ranks[i - 1] + wants[i - 1];

		total += wants[i];
		if (ranks[i] != below)
			return "a rank is wrong";
	}
	if (counter != total)
		return "the counter is wrong";
	for (unsigned slot = 0; slot < total; slot++)
	{
		const unsigned thread = slots[slot];

		if (thread >= wants.size() || wants[thread] == 0 || seen[thread])
			return "a slot has not one owner";
		seen[thread] = true;
		if (slot > 0 && thread / 32 == slots[slot - 1] / 32 &&
			thread < slots[slot - 1])
			return "a warp's slots are not in the order of its lanes";
		if (slot > 0 && thread / 32 != slots[slot - 1] / 32 &&
			ranks[thread] != 0)
			return "a warp's slots do not follow one another";
	}
	return "";
}

// Threads that want a slot: none, all, one, or one in some.
static std::vector<unsigned>
some_wants(unsigned threads, unsigned kind, Random &random)
{
	std::vector<unsigned> wants(threads, kind == 1);

	if (kind == 2)
		wants[random.below(threads)] = 1;
	if (kind > 2)
		for (unsigned &want : wants)
			want = random.below(kind) == 0;
	return wants;
}

static void
test_slots(uint64_t seed)
{
	static const unsigned kThreads = 96;
	static const unsigned kBlocks = 3;
	Random random(seed);
	const char *failure = "";

	for (unsigned kind = 0; kind < 8; kind++)
	{
		const std::vector<unsigned> wants =
			some_wants(kThreads * kBlocks, kind, random);
		DeviceArray<unsigned> d_wants(wants);
		DeviceArray<unsigned> d_counter(std::vector<unsigned>(1, 0));
		DeviceArray<unsigned> d_slots(wants.size());
		DeviceArray<unsigned> d_ranks(wants.size());
		const unsigned *wants_argument = d_wants.get();
		unsigned *counter_argument = d_counter.get();
		unsigned *slots_argument = d_slots.get();
		unsigned *ranks_argument = d_ranks.get();
		void *arguments[] = {&wants_argument, &counter_argument,
							 &slots_argument, &ranks_argument};
		const char *fault;

		must(cudaLaunchKernel(take_slots, dim3(kBlocks), dim3(kThreads),
							  arguments, 0, NULL));
		fault = slots_fault(wants, d_slots.elements(), d_ranks.elements(),
							d_counter.elements()[0]);
		if (failure[0] == '\0')
			failure = fault;
	}
	report_group(failure, "slots that a leader takes for its warp, seed %llu",
				 (unsigned long long) seed);
}

void
test_warp(uint64_t seed)
{
	test_operation<Add<uint32_t>>("sums of 32 bits", seed);
	test_operation<Add<uint64_t>>("sums of 64 bits", seed);
	test_operation<Smallest>("smallest values", seed);
	test_slots(seed);
}

int
main(int argc, char **argv)
{
	std::vector<uint64_t> seeds = {1, 2, 3};

	if (argc > 1)
		seeds.clear();
	for (int i = 1; i < argc; i++)
		seeds.push_back(strtoull(argv[i], NULL, 0));
#ifdef WA_EMU
	test_partial_warp_is_caught();
#endif
	for (uint64_t seed : seeds)
	{
#ifdef WA_EMU
		wa_emu_set_seed(seed);
#endif
		test_warp(seed);
		test_block_min(seed);
		test_ladder(seed);
	}
	return report_total();
}
