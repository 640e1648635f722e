//
// timing.cuh
//		What the GPU benchmarks share: errors, output, buffers and the clock.
//
// Input lies in device memory.  Successive runs read different buffers of an
// arena, so that caches do not help as far as the buffers outnumber them.  A
// time is the median of single runs between CUDA events; the contestants of a
// comparison take turns on the same buffers, so that the moods of the machine
// meet all of them.  The GPU is held up while the runs of a turn are queued, so
// that no time has the host's in it.
//
#ifndef WA_BENCH_GPU_TIMING_CUH
#define WA_BENCH_GPU_TIMING_CUH

#include <cuda_runtime.h>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <string>
#include <vector>

// Ends the program with a message.
[[noreturn]] __attribute__((format(printf, 1, 2))) void stop(const char *format,
															 ...);

// Ends the program if a call of CUDA fails.
void must(cudaError_t error);

// Allocates device memory, which stays until the program ends.
void *device_memory(size_t bytes);

// Returns a size in the largest unit that keeps it whole, as "64 MiB".
std::string size_text(size_t bytes);

// Returns 10^9 bytes a second.
double gb_per_s(size_t bytes, double us);

// Where the tables go: to a file and to standard output, at once.
class Output
{
  public:
	explicit Output(const char *path);
	~Output();
	Output(const Output &) = delete;
	Output &operator=(const Output &) = delete;

	__attribute__((format(printf, 2, 3))) void print(const char *format,
													 ...) const;

  private:
	FILE *file_;
};

// Device memory in which buffers of one size at a time lie side by side.
class Arena
{
  public:
	explicit Arena(size_t bytes);

	size_t
	bytes() const
	{
		return bytes_;
	}

	// Returns how many buffers of a size successive runs take in turn.
	size_t buffers(size_t buffer_bytes) const;

	unsigned char *
	at(size_t buffer, size_t buffer_bytes) const
	{
		return d_memory_ + buffer * buffer_bytes;
	}

  private:
	size_t bytes_;
	unsigned char *d_memory_;
};

// Queues a run over a buffer in the default stream.
typedef std::function<void(size_t buffer)> Launch;

// What is timed.
struct Contestant
{
	Launch start;

	// Where the host has a part in a run: called whenever the GPU has done what
	// was queued.  Queues what comes next and returns true, or returns false
	// where nothing does.  A run whose first call returns false is timed
	// without the host's look.
	std::function<bool()> more;

	Contestant(Launch start_, std::function<bool()> more_ = nullptr)
		: start(start_), more(more_)
	{
	}
};

class Timer
{
  public:
	Timer();

	// Lets the contestants take turns over so many buffers and returns the
	// median of each in microseconds.  A first turn does not count; it tells
	// how many runs make a turn, from 12 short ones to 2 long ones, and how
	// many turns there are.
	std::vector<float> measure(const std::vector<Contestant> &contestants,
							   size_t buffers);

	// The same of one contestant.
	float
	measure_one(const Contestant &contestant, size_t buffers)
	{
		return measure({contestant}, buffers)[0];
	}

  private:
	void turn(const Contestant &contestant, size_t buffers, unsigned runs,
			  std::vector<float> *times);
	void queue(const Contestant &contestant, size_t buffers, unsigned runs,
			   std::vector<float> *times);

	std::vector<cudaEvent_t> events_; // begin and end of each run of a turn
	volatile int *released_;          // pinned: the GPU may go on
	size_t next_ = 0;                 // buffer of the next run
};

// Runs what a profiler is to look at, behind a kernel named profile_marker, and
// writes the name of the case as a line to the output.
void profile_case(const Output &output, const std::string &name,
				  const std::function<void()> &run);

#endif // WA_BENCH_GPU_TIMING_CUH
