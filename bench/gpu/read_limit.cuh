//
// read_limit.cuh
//		How fast device memory can be read at all: the best of some plain kernels
//		that load 16 bytes at a time and do next to nothing with them.
//
#ifndef WA_BENCH_GPU_READ_LIMIT_CUH
#define WA_BENCH_GPU_READ_LIMIT_CUH

#include <algorithm>
#include <map>

#include "bench/gpu/timing.cuh"

// Reads all words, kLoads of them at once in each thread.  *d_never is written
// only where the words of a thread cancel out to one certain number, so that
// the loads are needed.
//
// Launch: any one-dimensional grid.
template <unsigned kLoads>
static __global__ void
read_kernel(const uint4 *d_words, size_t count, unsigned *d_never)
{
	const size_t stride = (size_t) gridDim.x * blockDim.x * kLoads;
	unsigned seen = 0;

	for (size_t i = blockIdx.x * (size_t) blockDim.x * kLoads + threadIdx.x;
		 i < count; i += stride)
	{
		uint4 words[kLoads];

#pragma unroll
		for (unsigned j = 0; j < kLoads; j++)
		{
			const size_t at = i + j * blockDim.x;

			words[j] = at < count ? __ldg(d_words + at) : uint4{0, 0, 0, 0};
		}
#pragma unroll
		for (unsigned j = 0; j < kLoads; j++)
			seen ^= words[j].x ^ words[j].y ^ words[j].z ^ words[j].w;
	}
	if (seen == 0x5eed5eed)
		*d_never = seen;
}

// One of the plain kernels.
struct ReadShape
{
	void (*kernel)(const uint4 *d_words, size_t count, unsigned *d_never);
	unsigned loads;   // at once in a thread
	unsigned threads; // of a block
	bool resident;    // as many blocks as run at once, in a grid-stride loop;
					  // else as many as it takes without one
};

static const ReadShape kReadShapes[] = {
	{read_kernel<4>, 4, 256, true},   {read_kernel<8>, 8, 256, true},
	{read_kernel<16>, 16, 256, true}, {read_kernel<4>, 4, 512, true},
	{read_kernel<8>, 8, 512, true},   {read_kernel<4>, 4, 1024, true},
	{read_kernel<4>, 4, 256, false},  {read_kernel<8>, 8, 256, false},
	{read_kernel<2>, 2, 1024, false},
};

// The read limits of one machine, measured when first asked for.
class ReadLimit
{
  public:
	ReadLimit(Timer &timer, const Arena &arena, int multiprocessors)
		: timer_(timer), arena_(arena), multiprocessors_(multiprocessors),
		  d_never_(static_cast<unsigned *>(device_memory(sizeof(unsigned))))
	{
	}

	// Returns the least time in which a kernel has read so many bytes, a
	// multiple of 16, in microseconds.
	float
	us(size_t bytes)
	{
		return find(bytes).us;
	}

	// Names the kernel that did.
	std::string
	shape_text(size_t bytes)
	{
		const ReadShape &shape = kReadShapes[find(bytes).shape];

		return std::to_string(shape.loads) + " loads, blocks of " +
			   std::to_string(shape.threads) +
			   (shape.resident ? ", resident" : "");
	}

  private:
	struct Best
	{
		float us;
		size_t shape;
	};

	const Best &
	find(size_t bytes)
	{
		if (known_.count(bytes) == 0)
			known_[bytes] = measure(bytes);
		return known_[bytes];
	}

	// Measures all kernels over so many bytes.
	Best
	measure(size_t bytes)
	{
		std::vector<Contestant> contestants;
		std::vector<float> times;

		for (const ReadShape &shape : kReadShapes)
		{
			const unsigned blocks = grid_blocks(shape, bytes);

			contestants.push_back(Launch(
				[=, this_arena = &arena_, d_never = d_never_](size_t buffer)
				{
					shape.kernel<<<blocks, shape.threads>>>(
						reinterpret_cast<const uint4 *>(
							this_arena->at(buffer, bytes)),
						bytes / sizeof(uint4), d_never);
					must(cudaGetLastError());
				}));
		}
		times = timer_.measure(contestants, arena_.buffers(bytes));
		const auto best = std::min_element(times.begin(), times.end());
		return {*best, (size_t) (best - times.begin())};
	}

	// Returns the blocks of a kernel's grid.
	unsigned
	grid_blocks(const ReadShape &shape, size_t bytes) const
	{
		const size_t block_bytes = sizeof(uint4) * shape.loads * shape.threads;
		const size_t blocks = (bytes + block_bytes - 1) / block_bytes;
		int resident;

		if (!shape.resident)
			return (unsigned) blocks;
		must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&resident, shape.kernel, (int) shape.threads, 0));
		return (unsigned) std::min(blocks,
								   (size_t) resident * multiprocessors_);
	}

	Timer &timer_;
	const Arena &arena_;
	int multiprocessors_;
	unsigned *d_never_;
	std::map<size_t, Best> known_; // by bytes
};

#endif // WA_BENCH_GPU_READ_LIMIT_CUH
