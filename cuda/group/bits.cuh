//
// bits.cuh
//		What AND, OR and XOR make of the bits of integers, by groups.
//
// Bits of AND are turned around, so that what is left of them is an OR, and a table
// of zeros is empty.
//
#ifndef WA_CUDA_GROUP_BITS_CUH
#define WA_CUDA_GROUP_BITS_CUH

#include "group/operation.cuh"
#include "op/operation.cuh"

template <WaOp kOp, typename V>
struct WaGroupBits : WaGroupOneByOne<WaGroupBits<kOp, V>, V>
{
	using Value = V;

	static constexpr unsigned kWords = sizeof(Value) > sizeof(uint32_t) ? 2 : 1;
	static constexpr uint32_t kEmpty = 0;
	static constexpr unsigned kWide = 0;
	static constexpr unsigned kNarrow =
		1 + kWords; // the count of rows, the words
	static constexpr WaOp kJoin = kOp == WA_OP_BIT_XOR ? kOp : WA_OP_BIT_OR;

	__device__ __forceinline__
	WaGroupBits(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, Value value) const
	{
		join(entry, turned(value));
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
		uint64_t bits = 0;

#pragma unroll
		for (unsigned i = 0; i < kGroupRows; i++)
			bits = wa_bits_of_two(kJoin, bits, turned(values[i]));
		join(entry, bits);
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
#pragma unroll
		for (unsigned i = 0; i < kWords; i++)
		{
			uint32_t bits = 0;

			copies.for_each(
				[&](const WaGroupEntry &entry) {
					bits =
						(uint32_t) wa_bits_of_two(kJoin, bits, *entry.word(i));
				});
			target.join_narrow<kJoin>(1 + i, bits);
		}
	}

  private:
	__device__ __forceinline__ static uint64_t
	turned(Value value)
	{
		const uint64_t bits = (uint64_t) (int64_t) value;

		return kOp == WA_OP_BIT_AND ? ~bits : bits;
	}

	// A look at what is there already is cheaper than an atomic.
	__device__ __forceinline__ static void
	join(const WaGroupEntry &entry, uint64_t bits)
	{
#pragma unroll
		for (unsigned i = 0; i < kWords; i++)
		{
			uint32_t *word = entry.word(i);
			const uint32_t part = (uint32_t) (bits >> 32 * i);

			if (kJoin == WA_OP_BIT_XOR)
				atomicXor(word, part);
			else if ((part & ~*(volatile uint32_t *) word) != 0)
				atomicOr(word, part);
		}
	}
};

template <WaStorage kStorage> struct WaGroupOperation<WA_OP_BIT_AND, kStorage>
{
	using Type =
		WaGroupBits<WA_OP_BIT_AND, typename WaStorageValue<kStorage>::Type>;
};

template <WaStorage kStorage> struct WaGroupOperation<WA_OP_BIT_OR, kStorage>
{
	using Type =
		WaGroupBits<WA_OP_BIT_OR, typename WaStorageValue<kStorage>::Type>;
};

template <WaStorage kStorage> struct WaGroupOperation<WA_OP_BIT_XOR, kStorage>
{
	using Type =
		WaGroupBits<WA_OP_BIT_XOR, typename WaStorageValue<kStorage>::Type>;
};

#endif // WA_CUDA_GROUP_BITS_CUH
