//
// table.cuh
//		The tables of a grouped reduction: a block's in shared memory, and the
//		result's in device memory.
//
// Both are arrays one behind the other, not records: then lanes that add to
// the same word of different groups find them in different banks, and a flush
// writes neighbouring addresses.
//
// An entry of a block's table consists of 32-bit words: those of the
// operation, then the count of rows.  Entry i of word w is words[w * stride +
// i], a word of 64 bits two of these arrays; group g has the entries g * copies
// to g * copies + copies - 1, so that the copies of a group lie in different
// banks too.
//
// The result has kWide arrays of 64 bits, then kNarrow of 32, each with an
// element for each group; the first narrow one counts the rows.
//
#ifndef WA_CUDA_GROUP_TABLE_CUH
#define WA_CUDA_GROUP_TABLE_CUH

#include "group/args.cuh"

// One entry of a block's table.
struct WaGroupEntry
{
	uint32_t *words; // of the whole table
	unsigned stride;
	unsigned number;
	uint32_t group; // whose entry it is

	__device__ __forceinline__ uint32_t *
	word(unsigned word) const
	{
		return words + word * stride + number;
	}

	// The entry's part of the words 0 and 1, as one word of 64 bits.
	__device__ __forceinline__ unsigned long long *
	long_word() const
	{
		return reinterpret_cast<unsigned long long *>(words) + number;
	}
};

// The copies of one group's entry.
struct WaGroupCopies
{
	WaGroupEntry first;
	unsigned copies;

	// Calls use(entry) for every copy.  The threads of a warp begin with
	// different ones, since those of one number lie in few banks.
	template <typename Use>
	__device__ __forceinline__ void
	for_each(Use use) const
	{
		WaGroupEntry entry = first;

		for (unsigned i = 0; i < copies; i++)
		{
			entry.number = first.number + ((i + threadIdx.x) & (copies - 1));
			use(entry);
		}
	}

	// Returns the sum of a word over the copies.
	__device__ __forceinline__ uint64_t
	sum(unsigned word) const
	{
		uint64_t sum = 0;

		for_each([&](const WaGroupEntry &entry) { sum += *entry.word(word); });
		return sum;
	}

	// Returns the largest of a word over the copies.
	__device__ __forceinline__ uint32_t
	largest(unsigned word) const
	{
		uint32_t largest = 0;

		for_each([&](const WaGroupEntry &entry)
				 { largest = max(largest, *entry.word(word)); });
		return largest;
	}

	// The same of the words of 64 bits.
	__device__ __forceinline__ unsigned long long
	largest_long() const
	{
		unsigned long long largest = 0;

		for_each([&](const WaGroupEntry &entry)
				 { largest = max(largest, *entry.long_word()); });
		return largest;
	}
};

// Where the result has one group.  A block that alone has rows of the group
// (owned) stores; others add, take the larger, or join bits.
struct WaGroupTarget
{
	unsigned long long *wide; // element of the first array
	uint32_t *narrow;
	unsigned ngroups;
	bool owned;

	__device__ __forceinline__ void
	add_wide(unsigned array, unsigned long long number) const
	{
		add(wide + (size_t) array * ngroups, number);
	}

	__device__ __forceinline__ void
	add_narrow(unsigned array, uint32_t number) const
	{
		add(narrow + (size_t) array * ngroups, number);
	}

	__device__ __forceinline__ void
	raise_wide(unsigned array, unsigned long long number) const
	{
		raise(wide + (size_t) array * ngroups, number);
	}

	__device__ __forceinline__ void
	raise_narrow(unsigned array, uint32_t number) const
	{
		raise(narrow + (size_t) array * ngroups, number);
	}

	// By OR or XOR.
	template <WaOp kOp>
	__device__ __forceinline__ void
	join_narrow(unsigned array, uint32_t bits) const
	{
		uint32_t *element = narrow + (size_t) array * ngroups;

		if (bits == 0)
			return;
		if (owned)
			*element = bits;
		else if (kOp == WA_OP_BIT_XOR)
			atomicXor(element, bits);
		else
			atomicOr(element, bits);
	}

  private:
	template <typename Word>
	__device__ __forceinline__ void
	add(Word *element, Word number) const
	{
		if (number == 0)
			return;
		if (owned)
			*element = number;
		else
			atomicAdd(element, number);
	}

	template <typename Word>
	__device__ __forceinline__ void
	raise(Word *element, Word number) const
	{
		if (number == 0)
			return;
		if (owned)
			*element = number;
		else
			atomicMax(element, number);
	}
};

#endif // WA_CUDA_GROUP_TABLE_CUH
