//
// scheduler.cpp
//		How the emulator runs a grid: one block at a time, in random order,
//		each of its threads a fiber.
//
// A thread runs until it comes to a barrier, a shuffle or another meeting, and
// goes on when all whom it waits for are there.  Which of the threads that can
// run goes next is random, by the seed; so a kernel that lacks a barrier sees
// its threads in many orders.  When none can run and some are left, a meeting
// was not attended by all: the emulator says who waits where and aborts.
//
// One launch runs at a time (launch_lock guards everything here).
//
#include "emulator.h"

#include <algorithm>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <vector>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "fiber.h"

static const unsigned kLanes = 32;
static const unsigned kMaxThreads = 1024;

enum ThreadState
{
	READY,
	AT_MEETING,
	AT_BARRIER,
	ENDED
};

struct Thread
{
	WaFiber *fiber;
	unsigned index;
	ThreadState state;
	WaEmuMeeting meeting; // while AT_MEETING, with the arguments below
	unsigned mask;
	uint64_t value;
	int selector;
	uint64_t result;
};

// What the running launch is, and where the threads of its block are.
struct Launch
{
	WaEmuBody body;
	const void *closure;
	std::vector<Thread *> ready;
	unsigned running; // have not ended
	unsigned at_barrier;
	unsigned at_meeting[kMaxThreads / kLanes]; // of each warp
	Thread *current;
};

WaEmuPlace wa_emu_place;
alignas(16) unsigned char wa_shared_bytes[kWaEmuSharedBytes];

static std::mutex launch_lock;
static Thread *threads[kMaxThreads]; // made when first needed, then kept
static unsigned thread_total;
static Launch launch;
static uint64_t random_state;

static const char *const meeting_names[] = {
	"__shfl_sync",     "__shfl_up_sync", "__shfl_down_sync",
	"__shfl_xor_sync", "__ballot_sync",  "__syncwarp"};

// Sets the state of the generator, which must not be 0.
static void
seed_generator(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
	if (random_state == 0)
		random_state = 1;
}

// Returns a random number below `limit` (xorshift64*, G. Marsaglia 2003, S.
// Vigna 2016).
static unsigned
random_below(unsigned limit)
{
	if (random_state == 0)
	{
		const char *seed = getenv("WARPAGG_EMU_SEED");

		seed_generator(seed == NULL ? 1 : strtoull(seed, NULL, 0));
	}
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (unsigned) ((random_state * 0x2545f4914f6cdd1du >> 33) % limit);
}

void
wa_emu_set_seed(uint64_t seed)
{
	std::lock_guard<std::mutex> guard(launch_lock);

	seed_generator(seed);
}

// Says what thread is at fault and how, and aborts.
__attribute__((noreturn)) static void
die(const Thread *thread, const char *fault)
{
	fprintf(stderr,
			"emulator: block %u, thread %u (lane %u), %s, mask 0x%08x: %s\n",
			wa_emu_place.block.x, thread->index, thread->index % kLanes,
			meeting_names[thread->meeting], thread->mask, fault);
	abort();
}

// Says who waits where, for ever, and aborts.
__attribute__((noreturn)) static void
die_of_deadlock(unsigned thread_count)
{
	unsigned told = 0;
	unsigned ended = 0;

	fprintf(stderr, "emulator: block %u: no thread can go on\n",
			wa_emu_place.block.x);
	for (unsigned i = 0; i < thread_count; i++)
	{
		const Thread *thread = threads[i];

		ended += thread->state == ENDED;
		if (thread->state == ENDED || told++ >= 8)
			continue;
		if (thread->state == AT_BARRIER)
			fprintf(stderr, "emulator: thread %u waits in __syncthreads\n", i);
		else
			fprintf(stderr, "emulator: thread %u waits in %s, mask 0x%08x\n", i,
					meeting_names[thread->meeting], thread->mask);
	}
	fprintf(stderr, "emulator: %u threads wait, %u have ended\n", told, ended);
	abort();
}

// Lets a thread go on, some time.
static void
make_ready(Thread *thread)
{
	thread->state = READY;
	launch.ready.push_back(thread);
}

// Takes one of the threads that can run, by chance, to run now; NULL if there are none.
static Thread *
take_ready()
{
	unsigned count = (unsigned) launch.ready.size();
	Thread *thread;

	if (count == 0)
		return NULL;
	std::swap(launch.ready[random_below(count)], launch.ready.back());
	thread = launch.ready.back();
	launch.ready.pop_back();
	launch.current = thread;
	wa_emu_place.thread = {thread->index, 0, 0};
	return thread;
}

// Lets another thread run in place of this one, or run_block if there is none; returns
// when it is this one's turn.
static void
let_others_run(Thread *me)
{
	Thread *next = take_ready();

	if (next == NULL)
		wa_fiber_leave(me->fiber);
	else
		wa_fiber_pass(me->fiber, next->fiber);
}

// Returns the lane whose value a shuffle gives to this lane.
static unsigned
source_lane(const Thread *thread)
{
	unsigned lane = thread->index % kLanes;
	unsigned selector = (unsigned) thread->selector;

	switch (thread->meeting)
	{
		case WA_EMU_SHFL:
			return selector % kLanes;
		case WA_EMU_SHFL_UP:
			return lane >= selector ? lane - selector : lane;
		case WA_EMU_SHFL_DOWN:
			return lane + selector < kLanes ? lane + selector : lane;
		case WA_EMU_SHFL_XOR:
			return (lane ^ selector) % kLanes;
		default:
			return lane;
	}
}

// Gives every lane of the mask what it came for.
static void
hold_meeting(Thread *const *warp, unsigned mask, WaEmuMeeting meeting)
{
	uint64_t ballot = 0;

	for (unsigned lane = 0; lane < kLanes; lane++)
		if ((mask >> lane & 1) != 0 && warp[lane]->value != 0)
			ballot |= (uint64_t) 1 << lane;
	for (unsigned lane = 0; lane < kLanes; lane++)
	{
		if ((mask >> lane & 1) == 0)
			continue;
		if (meeting == WA_EMU_BALLOT)
			warp[lane]->result = ballot;
		else
		{
			unsigned source = source_lane(warp[lane]);

			if ((mask >> source & 1) == 0)
				die(warp[lane], "the source lane is not in the mask");
			warp[lane]->result = warp[source]->value;
		}
	}
}

// Tells whether all lanes of the mask are at this meeting.
static bool
all_have_come(Thread *const *warp, unsigned lanes, unsigned mask,
			  WaEmuMeeting meeting)
{
	if (lanes < kLanes && mask >> lanes != 0)
		return false;
	for (unsigned lane = 0; lane < lanes; lane++)
		if ((mask >> lane & 1) != 0 &&
			(warp[lane]->state != AT_MEETING || warp[lane]->mask != mask ||
			 warp[lane]->meeting != meeting))
			return false;
	return true;
}

uint64_t
wa_emu_meet(WaEmuMeeting meeting, unsigned mask, uint64_t value, int selector)
{
	Thread *me = launch.current;
	unsigned first = me->index / kLanes * kLanes;
	unsigned lanes = std::min(wa_emu_place.block_dim.x - first, kLanes);
	Thread *const *warp = threads + first;
	unsigned *at_meeting = &launch.at_meeting[first / kLanes];

	me->meeting = meeting;
	me->mask = mask;
	me->value = value;
	me->selector = selector;
	if ((mask >> (me->index % kLanes) & 1) == 0)
		die(me, "the mask lacks the calling lane");
	me->state = AT_MEETING;
	if (++*at_meeting < (unsigned) __builtin_popcount(mask) ||
		!all_have_come(warp, lanes, mask, meeting))
	{
		let_others_run(me);
		return me->result;
	}
	*at_meeting -= (unsigned) __builtin_popcount(mask);
	hold_meeting(warp, mask, meeting);
	for (unsigned lane = 0; lane < lanes; lane++)
		if ((mask >> lane & 1) != 0 && warp[lane] != me)
			make_ready(warp[lane]);
	me->state = READY;
	return me->result;
}

void
wa_emu_syncthreads()
{
	Thread *me = launch.current;
	unsigned thread_count = wa_emu_place.block_dim.x;

	me->state = AT_BARRIER;
	if (++launch.at_barrier < thread_count)
	{
		let_others_run(me);
		return;
	}
	launch.at_barrier = 0;
	for (unsigned i = 0; i < thread_count; i++)
		if (threads[i] != me)
			make_ready(threads[i]);
	me->state = READY;
}

// What a fiber does: one thread of one block after the other.
static void
run_threads(void *argument)
{
	Thread *thread = static_cast<Thread *>(argument);

	for (;;)
	{
		launch.body(launch.closure);
		thread->state = ENDED;
		launch.running--;
		let_others_run(thread);
	}
}

// Makes the fibers that a block of so many threads needs.
static void
prepare_threads(unsigned thread_count)
{
	for (; thread_total < thread_count; thread_total++)
	{
		Thread *thread = new Thread();

		thread->index = thread_total;
		thread->fiber = wa_fiber_create(run_threads, thread);
		threads[thread_total] = thread;
	}
}

// Fills the shared memory with the pattern and forbids what lies behind it.
static void
poison_shared(size_t shared_bytes)
{
#ifdef __SANITIZE_ADDRESS__
	ASAN_UNPOISON_MEMORY_REGION(wa_shared_bytes, kWaEmuSharedBytes);
#endif
	memset(wa_shared_bytes, WA_EMU_POISON, kWaEmuSharedBytes);
#ifdef __SANITIZE_ADDRESS__
	ASAN_POISON_MEMORY_REGION(wa_shared_bytes + shared_bytes,
							  kWaEmuSharedBytes - shared_bytes);
#else
	(void) shared_bytes;
#endif
}

// Runs the block whose number is in wa_emu_place.
static void
run_block(unsigned thread_count, size_t shared_bytes)
{
	poison_shared(shared_bytes);
	launch.ready.clear();
	launch.running = thread_count;
	launch.at_barrier = 0;
	std::fill_n(launch.at_meeting, kMaxThreads / kLanes, 0);
	for (unsigned i = 0; i < thread_count; i++)
		make_ready(threads[i]);
	wa_fiber_enter(take_ready()->fiber);
	if (launch.running > 0)
		die_of_deadlock(thread_count);
}

cudaError_t
wa_emu_launch(WaEmuBody body, const void *closure, dim3 grid, dim3 block,
			  size_t shared_bytes)
{
	std::lock_guard<std::mutex> guard(launch_lock);
	std::vector<unsigned> order(grid.x);
	cudaError_t error = wa_emu_count_call();

	if (error != cudaSuccess)
		return error;
	if (grid.x == 0 || grid.y != 1 || grid.z != 1 || block.x == 0 ||
		block.x > kMaxThreads || block.y != 1 || block.z != 1 ||
		shared_bytes > kWaEmuSharedBytes)
		return wa_emu_keep_error(cudaErrorInvalidValue);
	prepare_threads(block.x);
	launch.body = body;
	launch.closure = closure;
	wa_emu_place.block_dim = block;
	wa_emu_place.grid_dim = grid;
	for (unsigned i = 0; i < grid.x; i++)
		order[i] = i;
	for (unsigned i = grid.x; i > 1; i--)
		std::swap(order[i - 1], order[random_below(i)]);
	for (unsigned number : order)
	{
		wa_emu_place.block = {number, 0, 0};
		run_block(block.x, shared_bytes);
	}
	return cudaSuccess;
}
