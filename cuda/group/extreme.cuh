//
// extreme.cuh
//		The smallest and the largest value, by groups.
//
// Values become keys: unsigned integers in PostgreSQL's order of the type,
// turned around for the smallest value.  So the result is always the largest
// key, and a table of zeros is empty.
//
// 0 and -0 are equal, but the result is 0 unless all zeros are -0: the key of the
// one that loses is one less than the other's, which no other value has.
//
#ifndef WA_CUDA_GROUP_EXTREME_CUH
#define WA_CUDA_GROUP_EXTREME_CUH

#include <math.h>
#include <string.h>
#include <type_traits>

#include "core/int128.h"
#include "group/operation.cuh"
#include "op/operation.cuh"

// The keys of the storages, before they are turned around.

WA_INLINE uint32_t
wa_group_key(int16_t value)
{
	return (uint32_t) (int32_t) value ^ 0x80000000u;
}

WA_INLINE uint32_t
wa_group_key(int32_t value)
{
	return (uint32_t) value ^ 0x80000000u;
}

WA_INLINE uint32_t
wa_group_key(uint32_t value)
{
	return value;
}

WA_INLINE unsigned long long
wa_group_key(int64_t value)
{
	return (unsigned long long) value ^ 1ull << 63;
}

WA_INLINE unsigned long long
wa_group_key(uint64_t value)
{
	return value;
}

WA_INLINE uint32_t
wa_group_key(float value)
{
	uint32_t bits;

	if (value != value)
		return ~(uint32_t) 0;
	memcpy(&bits, &value, sizeof(bits));
	if (value == 0)
		bits = 0;
	return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

WA_INLINE unsigned long long
wa_group_key(double value)
{
	unsigned long long bits;

	if (value != value)
		return ~0ull;
	memcpy(&bits, &value, sizeof(bits));
	if (value == 0)
		bits = 0;
	return bits >> 63 != 0 ? ~bits : bits | 1ull << 63;
}

// Puts a key into a word of an entry, if it is larger.  That is rare, and a
// look is cheaper than an atomic.
template <typename Key>
__device__ __forceinline__ void
wa_group_raise(Key *word, Key key)
{
	if (*(volatile Key *) word < key)
		atomicMax(word, key);
}

// Returns the key of a value, turned around for the smallest one.
template <WaOp kOp, typename Value>
__device__ __forceinline__ auto
wa_group_turned_key(Value value)
{
	auto key = wa_group_key(value);

	if constexpr (std::is_floating_point<Value>::value)
		if (value == 0 && (signbit(value) != 0) == (kOp == WA_OP_MAX))
			key--;
	return kOp == WA_OP_MIN ? ~key : key;
}

// Where the words of an entry are that has a key of kKeyBytes.
template <size_t kKeyBytes> struct WaGroupKeyWords;

template <> struct WaGroupKeyWords<4>
{
	static constexpr unsigned kWords = 1;
	static constexpr uint32_t kEmpty = 0;
	static constexpr unsigned kWide = 0;
	static constexpr unsigned kNarrow = 2; // the count of rows, the key

	__device__ __forceinline__ static uint32_t *
	key(const WaGroupEntry &entry)
	{
		return entry.word(0);
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
		target.raise_narrow(1, copies.largest(0));
	}
};

template <> struct WaGroupKeyWords<8>
{
	static constexpr unsigned kWords = 2;
	static constexpr uint32_t kEmpty = 0;
	static constexpr unsigned kWide = 1; // the key
	static constexpr unsigned kNarrow = 1;

	__device__ __forceinline__ static unsigned long long *
	key(const WaGroupEntry &entry)
	{
		return entry.long_word();
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
		target.raise_wide(0, copies.largest_long());
	}
};

// The smallest or largest value.
template <WaOp kOp, typename V>
struct WaGroupExtreme : WaGroupOneByOne<WaGroupExtreme<kOp, V>, V>
{
	using Value = V;
	using Key = decltype(wa_group_key(Value()));
	using KeyWords = WaGroupKeyWords<sizeof(Key)>;

	static constexpr unsigned kWords = KeyWords::kWords;
	static constexpr uint32_t kEmpty = 0;
	static constexpr unsigned kWide = KeyWords::kWide;
	static constexpr unsigned kNarrow = KeyWords::kNarrow;

	__device__ __forceinline__
	WaGroupExtreme(const WaGroupArgs &, WaGroupSeen &)
	{
	}

	__device__ __forceinline__ void
	add(const WaGroupEntry &entry, Value value) const
	{
		wa_group_raise(KeyWords::key(entry), wa_group_turned_key<kOp>(value));
	}

	__device__ __forceinline__ void
	add_all(const WaGroupEntry &entry, const Value (&values)[kGroupRows]) const
	{
		Key largest = wa_group_turned_key<kOp>(values[0]);

#pragma unroll
		for (unsigned i = 1; i < kGroupRows; i++)
			largest = max(largest, wa_group_turned_key<kOp>(values[i]));
		wa_group_raise(KeyWords::key(entry), largest);
	}

	__device__ __forceinline__ static void
	flush(const WaGroupCopies &copies, const WaGroupTarget &target)
	{
		KeyWords::flush(copies, target);
	}
};

template <WaStorage kStorage> struct WaGroupOperation<WA_OP_MIN, kStorage>
{
	using Type =
		WaGroupExtreme<WA_OP_MIN, typename WaStorageValue<kStorage>::Type>;
};

template <WaStorage kStorage> struct WaGroupOperation<WA_OP_MAX, kStorage>
{
	using Type =
		WaGroupExtreme<WA_OP_MAX, typename WaStorageValue<kStorage>::Type>;
};

#endif // WA_CUDA_GROUP_EXTREME_CUH
