//
// primitives.h
//		What the parts of the test of the primitives and the ladder share.
//
// Like the kernel test they are built twice: against the emulator and by nvcc.
//
#ifndef WA_EMU_PRIMITIVES_H
#define WA_EMU_PRIMITIVES_H

#include <vector>

#include "check.h"

// Ends the test if a call of CUDA fails.
void must(cudaError_t error);

// Device memory for `count` elements, as long as the object lives.
template <typename Element> class DeviceArray
{
  public:
	explicit DeviceArray(size_t count) : count_(count)
	{
		must(cudaMalloc(&memory_, count_ * sizeof(Element) + (count_ == 0)));
	}

	explicit DeviceArray(const std::vector<Element> &elements)
		: DeviceArray(elements.size())
	{
		must(cudaMemcpy(memory_, elements.data(), count_ * sizeof(Element),
						cudaMemcpyHostToDevice));
	}

	~DeviceArray()
	{
		must(cudaFree(memory_));
	}

	DeviceArray(const DeviceArray &) = delete;
	DeviceArray &operator=(const DeviceArray &) = delete;

	Element *
	get() const
	{
		return memory_;
	}

	std::vector<Element>
	elements() const
	{
		std::vector<Element> elements(count_);

		must(cudaMemcpy(elements.data(), memory_, count_ * sizeof(Element),
						cudaMemcpyDeviceToHost));
		return elements;
	}

  private:
	Element *memory_ = NULL;
	size_t count_;
};

// Broadcasts, reductions, scans and slots of cuda/warp.
void test_warp(uint64_t seed);

// The steps of bench/ladder.
void test_ladder(uint64_t seed);

// The smallest value of a block, and kernels that do not find it.
void test_block_min(uint64_t seed);

#ifdef WA_EMU
// What the emulator aborts.  Once; ends with the seed as it was.
void test_partial_warp_is_caught();
#endif

#endif // WA_EMU_PRIMITIVES_H
