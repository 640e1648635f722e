//
// test_emulator.cpp
//		The emulator itself: that it catches what it is there to catch.
//
// Each kernel here has a fault.  It runs in a child process, which has to end
// by SIGABRT with a certain text, or find the poison.
//
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulator.h"

static const unsigned kThreads = 64;
static const unsigned kFull = 0xffffffffu;

typedef void (*FaultyKernel)(uint32_t *out);

extern __shared__ unsigned char wa_shared_bytes[];

static __global__ void
divergent_barrier(uint32_t *out)
{
	if (threadIdx.x != 5)
		__syncthreads();
	out[0] = 1;
}

static __global__ void
divergent_shuffle(uint32_t *out)
{
	if (threadIdx.x % 32 < 31)
		out[0] = __shfl_down_sync(kFull, threadIdx.x, 1);
}

static __global__ void
shuffle_without_caller(uint32_t *out)
{
	out[0] = __shfl_xor_sync(0x0000ffffu, threadIdx.x, 1);
}

static __global__ void
shuffle_from_outside(uint32_t *out)
{
	if (threadIdx.x < 16)
		out[0] = __shfl_sync(0x0000ffffu, threadIdx.x, 20);
}

static __global__ void
barrier_against_shuffle(uint32_t *out)
{
	if (threadIdx.x < 32)
		__syncthreads();
	else
		out[0] = __ballot_sync(kFull, 1);
	if (threadIdx.x == 40)
		out[0] = __shfl_sync(kFull, 1u, 0);
}

// Runs the kernel in a child, whose standard error comes back in text.
// Returns the child's status as of wait.
static int
run_in_child(FaultyKernel kernel, char *text, size_t text_bytes)
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
		uint32_t out[kThreads];
		uint32_t *d_out = out;
		void *arguments[] = {&d_out};

		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		(void) cudaLaunchKernel(kernel, dim3(1), dim3(kThreads), arguments, 256,
								NULL);
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

// Expects that the kernel is aborted with a text that contains `expected`.
static void
test_fault(const char *name, FaultyKernel kernel, const char *expected)
{
	char text[2000];
	char failure[200] = "";
	int status = run_in_child(kernel, text, sizeof(text));

	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
		snprintf(failure, sizeof(failure), "it ended with status 0x%x", status);
	else if (strstr(text, expected) == NULL)
		snprintf(failure, sizeof(failure), "it said %.150s", text);
	report_group(failure, "the emulator catches %s", name);
}

// Kernels that read what nobody has written.

static __global__ void
read_unset_shared(uint32_t *out)
{
	memcpy(&out[threadIdx.x], wa_shared_bytes + 4 * threadIdx.x, 4);
	memset(wa_shared_bytes + 4 * threadIdx.x, 0, 4);
}

// Shared memory is poison in every block, also after others have used it.
static void
test_poison()
{
	const uint32_t poison = WA_EMU_POISON * 0x01010101u;
	std::vector<uint32_t> out(kThreads);
	uint32_t *d_out = out.data();
	uint32_t *d_memory;
	void *arguments[] = {&d_out};
	const char *failure = "";

	for (int launch = 0; launch < 2; launch++)
	{
		(void) cudaLaunchKernel(read_unset_shared, dim3(3), dim3(kThreads),
								arguments, 4 * kThreads, NULL);
		for (uint32_t word : out)
			if (word != poison)
				failure = "unset shared memory was not poisoned";
	}
	if (cudaMalloc(&d_memory, 4) != cudaSuccess || *d_memory != poison)
		failure = "fresh device memory was not poisoned";
	(void) cudaFree(d_memory);
	report_group(failure, "the emulator poisons shared and fresh memory");
}

// The order in which threads come depends on the seed.

static __global__ void
note_order(uint32_t *out)
{
	out[atomicAdd(&out[kThreads], 1u)] = threadIdx.x;
}

static std::vector<uint32_t>
order_of_threads(uint64_t seed)
{
	std::vector<uint32_t> out(kThreads + 1);
	uint32_t *d_out = out.data();
	void *arguments[] = {&d_out};

	wa_emu_set_seed(seed);
	(void) cudaLaunchKernel(note_order, dim3(1), dim3(kThreads), arguments, 0,
							NULL);
	return out;
}

static void
test_seeds()
{
	bool ok = order_of_threads(1) == order_of_threads(1) &&
			  order_of_threads(1) != order_of_threads(2) &&
			  order_of_threads(1)[kThreads] == kThreads;

	report_group(ok ? "" : "orders are not as they should be",
				 "the emulator's seed sets the order of threads");
}

void
test_emulator()
{
	test_fault("a divergent barrier", divergent_barrier,
			   "waits in __syncthreads");
	test_fault("a divergent shuffle", divergent_shuffle,
			   "waits in __shfl_down_sync, mask 0xffffffff");
	test_fault("a shuffle whose mask lacks the caller", shuffle_without_caller,
			   "the mask lacks the calling lane");
	test_fault("a shuffle from outside the mask", shuffle_from_outside,
			   "the source lane is not in the mask");
	test_fault("a barrier that meets a shuffle", barrier_against_shuffle,
			   "no thread can go on");
	test_poison();
	test_seeds();
}
