//
// load.cuh
//		The words of keys.
//
#ifndef WA_CUDA_KEYS_LOAD_CUH
#define WA_CUDA_KEYS_LOAD_CUH

#include <string.h>
#include <type_traits>

#include "core/batch.h"
#include "keys/args.cuh"

// Returns the word of a stored value; of floats there is one zero and one NaN.
template <typename Stored>
__device__ __forceinline__ uint64_t
wa_key_word_of(Stored stored)
{
	if constexpr (std::is_floating_point<Stored>::value)
	{
		const double number = stored == 0 ? 0 : (double) stored;
		uint64_t word;

		memcpy(&word, &number, sizeof(word));
		return number != number ? UINT64_C(0x7ff8000000000000) : word;
	}
	else
		return (uint64_t) stored;
}

// Loads the words of a key of those of a thread's rows, from `row` on, that a
// mask has.
template <typename Stored, unsigned kKeys, unsigned kRows>
__device__ __forceinline__ void
wa_keys_load_stored(const WaKeyColumn &column, unsigned key, unsigned row,
					unsigned wanted, WaKeyWords<kKeys, kRows> &words)
{
	const Stored *from = static_cast<const Stored *>(column.d_values) + row;
	Stored stored[kRows];

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		stored[i] =
			(wanted >> i & 1) != 0 ? __ldcs(from + i * kKeyThreads) : Stored(0);
#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		words.word[i][key] =
			(wanted >> i & 1) != 0 ? wa_key_word_of(stored[i]) : 0;
}

// The same of a half of values of 128 bits.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ void
wa_keys_load_halves(const WaKeyColumn &column, unsigned key, unsigned row,
					unsigned wanted, WaKeyWords<kKeys, kRows> &words)
{
	const uint64_t *from =
		static_cast<const uint64_t *>(column.d_values) + (size_t) row * 2;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		words.word[i][key] =
			(wanted >> i & 1) != 0 ? __ldg(from + i * kKeyThreads * 2) : 0;
}

// The same of a key that is BOOL.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ void
wa_keys_load_bits(const WaKeyColumn &column, unsigned key, unsigned row,
				  unsigned wanted, WaKeyWords<kKeys, kRows> &words)
{
	const uint64_t *bits = static_cast<const uint64_t *>(column.d_values);

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		words.word[i][key] = (wanted >> i & 1) != 0 &&
							 wa_row_is_valid(bits, row + i * kKeyThreads);
}

// Loads the words of a key in its form.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ void
wa_keys_load_key(const WaKeyColumn &column, unsigned key, unsigned row,
				 unsigned wanted, WaKeyWords<kKeys, kRows> &words)
{
	switch (column.form)
	{
		case WA_COLUMN_I8:
			wa_keys_load_stored<int8_t>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_I16:
			wa_keys_load_stored<int16_t>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_I32:
			wa_keys_load_stored<int32_t>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_U32:
			wa_keys_load_stored<uint32_t>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_F32:
			wa_keys_load_stored<float>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_F64:
			wa_keys_load_stored<double>(column, key, row, wanted, words);
			break;
		case WA_COLUMN_BITS:
			wa_keys_load_bits(column, key, row, wanted, words);
			break;
		case WA_COLUMN_I128:
			wa_keys_load_halves(column, key, row, wanted, words);
			break;
		default:
			wa_keys_load_stored<int64_t>(column, key, row, wanted, words);
			break;
	}
}

// Returns which of a thread's rows, from `row` on, are set in a bitmap, of those
// that a mask has.
template <unsigned kRows>
__device__ __forceinline__ unsigned
wa_keys_set_rows(const uint64_t *bitmap, unsigned row, unsigned wanted)
{
	unsigned set = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
		if ((wanted >> i & 1) != 0 &&
			wa_row_is_valid(bitmap, row + i * kKeyThreads))
			set |= 1u << i;
	return set;
}

// Loads the words of a thread's rows, from `row` on.  Returns the mask of those
// that are of a group.
template <unsigned kKeys, unsigned kRows>
__device__ __forceinline__ unsigned
wa_keys_load(const WaKeysArgs &args, unsigned row,
			 WaKeyWords<kKeys, kRows> &words)
{
	unsigned live = 0;

#pragma unroll
	for (unsigned i = 0; i < kRows; i++)
	{
		live |= (unsigned) (row + i * kKeyThreads < args.nrows) << i;
		words.word[i][kKeys] = 0;
	}
	live = wa_keys_set_rows<kRows>(args.selection, row, live);
#pragma unroll
	for (unsigned key = 0; key < kKeys; key++)
	{
		unsigned valid = 0;

		if (key < args.ncolumns)
		{
			const WaKeyColumn &column = args.columns[key];

			valid = wa_keys_set_rows<kRows>(column.d_validity, row, live);
			wa_keys_load_key(column, key, row, valid, words);
		}
#pragma unroll
		for (unsigned i = 0; i < kRows; i++)
		{
			if (key >= args.ncolumns)
				words.word[i][key] = 0;
			else if ((valid >> i & 1) == 0)
				words.word[i][kKeys] |= 1u << key;
		}
	}
	return live;
}

// Notes that a group has a row; a look at what is noted is cheaper than an
// atomic.
__device__ __forceinline__ void
wa_keys_note_row(uint32_t *first_row, uint32_t row)
{
	if (row < *(volatile uint32_t *) first_row)
		atomicMin(first_row, row);
}

#endif // WA_CUDA_KEYS_LOAD_CUH
