//
// key.cuh
//		The key of a single row, and the number of a chosen group.
//
#ifndef WA_CUDA_QUERY_KEY_CUH
#define WA_CUDA_QUERY_KEY_CUH

#include "keys/load.cuh"
#include "query/numbers.h"

// A key's word (keys.h), which is 0 if the key is NULL.
struct WaQueryWord
{
	uint64_t word;
	bool is_null;
};

// Returns the word of a stored value.
template <typename Stored>
__device__ __forceinline__ uint64_t
wa_query_stored_word(const WaKeyColumn &column, uint32_t row)
{
	return wa_key_word_of(static_cast<const Stored *>(column.d_values)[row]);
}

// Returns a half of a value of 128 bits.
__device__ __forceinline__ uint64_t
wa_query_half(const WaKeyColumn &column, uint32_t row, unsigned half)
{
	return static_cast<const uint64_t *>(
		column.d_values)[(size_t) row * 2 + half];
}

// Returns the bits of a float as it is stored, as a double.
__device__ __forceinline__ int64_t
wa_query_float_bits(const WaKeyColumn &column, uint32_t row)
{
	const double number =
		column.form == WA_COLUMN_F32
			? (double) static_cast<const float *>(column.d_values)[row]
			: static_cast<const double *>(column.d_values)[row];
	int64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

// Returns a row's key.
__device__ __forceinline__ WaQueryWord
wa_query_key_word(const WaKeyColumn &column, uint32_t row)
{
	if (!wa_row_is_valid(column.d_validity, row))
		return {0, true};
	switch (column.form)
	{
		case WA_COLUMN_I8:
			return {wa_query_stored_word<int8_t>(column, row), false};
		case WA_COLUMN_I16:
			return {wa_query_stored_word<int16_t>(column, row), false};
		case WA_COLUMN_I32:
			return {wa_query_stored_word<int32_t>(column, row), false};
		case WA_COLUMN_U32:
			return {wa_query_stored_word<uint32_t>(column, row), false};
		case WA_COLUMN_F32:
			return {wa_query_stored_word<float>(column, row), false};
		case WA_COLUMN_F64:
			return {wa_query_stored_word<double>(column, row), false};
		case WA_COLUMN_BITS:
			return {wa_row_is_valid(
						static_cast<const uint64_t *>(column.d_values), row),
					false};
		case WA_COLUMN_I128:
			return {wa_query_half(column, row, 0), false};
		default:
			return {wa_query_stored_word<int64_t>(column, row), false};
	}
}

// Returns the number of a chosen group.
__device__ __forceinline__ uint32_t
wa_query_chosen(const WaQueryChoice &choice, uint32_t i)
{
	return choice.d_groups != NULL ? choice.d_groups[i] : i;
}

#endif // WA_CUDA_QUERY_KEY_CUH
