//
// timing.cu
//		What the GPU benchmarks share; see timing.cuh.
//
#include "bench/gpu/timing.cuh"

#include <algorithm>
#include <cuda_profiler_api.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

// More buffers than this fill no cache that fewer do not: they are of 256 KiB
// at least.
static const size_t kMaxBuffers = 2048;

// Turns beside the first, which does not count: more of runs that are so short
// that a median is finer than the clock.
static const int kTurns = 6;
static const int kShortTurns = 20;
static const float kShortUs = 50;

// Runs of a turn, and how long a turn should be at most.
static const unsigned kMaxRuns = 12;
static const unsigned kMinRuns = 2;
static const float kTurnUs = 4000;

// How long the GPU is held up at most: longer than the host needs to queue a
// turn, and so short that a launch which waits for the GPU does not wait long.
static const uint64_t kHoldNs = 2000000;

void
stop(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

void
must(cudaError_t error)
{
	if (error != cudaSuccess)
		stop("%s", cudaGetErrorString(error));
}

void *
device_memory(size_t bytes)
{
	void *d_memory;

	must(cudaMalloc(&d_memory, bytes));
	return d_memory;
}

std::string
size_text(size_t bytes)
{
	const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	unsigned unit = 0;

	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0)
	{
		bytes /= 1024;
		unit++;
	}
	return std::to_string(bytes) + " " + units[unit];
}

double
gb_per_s(size_t bytes, double us)
{
	return (double) bytes / us / 1000;
}

Output::Output(const char *path) : file_(fopen(path, "w"))
{
	if (file_ == NULL)
		stop("could not write %s", path);
}

Output::~Output()
{
	fclose(file_);
}

void
Output::print(const char *format, ...) const
{
	va_list arguments;

	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	va_start(arguments, format);
	vfprintf(file_, format, arguments);
	va_end(arguments);
	fflush(stdout);
	fflush(file_);
}

Arena::Arena(size_t bytes)
	: bytes_(bytes),
	  d_memory_(static_cast<unsigned char *>(device_memory(bytes)))
{
}

size_t
Arena::buffers(size_t buffer_bytes) const
{
	return std::min(bytes_ / buffer_bytes, kMaxBuffers);
}

// Returns the median, the upper one of two.
static float
median_of(std::vector<float> &times)
{
	const auto middle = times.begin() + times.size() / 2;

	std::nth_element(times.begin(), middle, times.end());
	return *middle;
}

// Returns how many runs of so many microseconds make a turn.
static unsigned
runs_of_turn(float us)
{
	const float runs = kTurnUs / us;

	if (runs >= kMaxRuns)
		return kMaxRuns;
	return runs <= kMinRuns ? kMinRuns : (unsigned) runs;
}

// Keeps the stream waiting until the host releases it.
//
// Launch: one thread.
static __global__ void
hold_kernel(const volatile int *released)
{
	uint64_t start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (*released == 0 && now - start < kHoldNs);
}

Timer::Timer() : events_(2 * kMaxRuns)
{
	void *memory;

	for (cudaEvent_t &event : events_)
		must(cudaEventCreate(&event));
	must(cudaHostAlloc(&memory, sizeof(int), cudaHostAllocDefault));
	released_ = static_cast<volatile int *>(memory);
}

// Queues runs behind a held-up GPU, lets it go, and adds the time of each in
// microseconds to *times.
void
Timer::queue(const Contestant &contestant, size_t buffers, unsigned runs,
			 std::vector<float> *times)
{
	*released_ = 0;
	hold_kernel<<<1, 1>>>(released_);
	must(cudaGetLastError());
	for (unsigned i = 0; i < runs; i++)
	{
		must(cudaEventRecord(events_[2 * i]));
		contestant.start(next_ % buffers);
		must(cudaEventRecord(events_[2 * i + 1]));
		next_ = (next_ + 1) % buffers;
	}
	*released_ = 1;
	must(cudaDeviceSynchronize());
	while (contestant.more && contestant.more())
	{
		must(cudaEventRecord(events_[1]));
		must(cudaDeviceSynchronize());
	}
	for (unsigned i = 0; i < runs; i++)
	{
		float ms;

		must(cudaEventElapsedTime(&ms, events_[2 * i], events_[2 * i + 1]));
		times->push_back(ms * 1000);
	}
}

// Adds the times of a turn to *times.
void
Timer::turn(const Contestant &contestant, size_t buffers, unsigned runs,
			std::vector<float> *times)
{
	if (!contestant.more)
		queue(contestant, buffers, runs, times);
	else
		for (unsigned i = 0; i < runs; i++)
			queue(contestant, buffers, 1, times);
}

std::vector<float>
Timer::measure(const std::vector<Contestant> &contestants, size_t buffers)
{
	std::vector<std::vector<float>> times(contestants.size());
	std::vector<unsigned> runs(contestants.size(), kMinRuns);
	std::vector<float> medians;
	int turns = kShortTurns;

	for (size_t i = 0; i < contestants.size(); i++)
	{
		float us;

		turn(contestants[i], buffers, kMinRuns, &times[i]);
		us = *std::min_element(times[i].begin(), times[i].end());
		runs[i] = runs_of_turn(us);
		if (us > kShortUs)
			turns = kTurns;
		times[i].clear();
	}
	for (int round = 0; round < turns; round++)
		for (size_t i = 0; i < contestants.size(); i++)
			turn(contestants[i], buffers, runs[i], &times[i]);
	for (std::vector<float> &all : times)
		medians.push_back(median_of(all));
	return medians;
}

// Tells cases apart in what a profiler writes.
static __global__ void
profile_marker(void)
{
}

void
profile_case(const Output &output, const std::string &name,
			 const std::function<void()> &run)
{
	output.print("%s\n", name.c_str());
	must(cudaDeviceSynchronize());
	must(cudaProfilerStart());
	profile_marker<<<1, 1>>>();
	must(cudaGetLastError());
	run();
	must(cudaDeviceSynchronize());
	must(cudaProfilerStop());
}
