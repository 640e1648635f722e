//
// query_sort.cpp
//		The emulator's version of cuda/query_sort.cu.
//
#include "cuda/query/sort.h"

#include <algorithm>
#include <vector>

#include "emulator.h"

// Memory that both ask for and write over, to see that they have it.
static const size_t kTemporaryBytes = 1000;

// Takes part in what CUB's functions have in common: returns whether there is
// work to do, and else in *error what came of the call.
static bool
begin(void *d_temporary, size_t *temporary_bytes, cudaError_t *error)
{
	if (d_temporary == NULL)
	{
		*temporary_bytes = kTemporaryBytes;
		*error = cudaSuccess;
		return false;
	}
	*error = wa_emu_count_call();
	if (*error == cudaSuccess && *temporary_bytes < kTemporaryBytes)
		*error = wa_emu_keep_error(cudaErrorInvalidValue);
	if (*error == cudaSuccess)
		memset(d_temporary, WA_EMU_POISON, *temporary_bytes);
	return *error == cudaSuccess;
}

cudaError_t
wa_query_sort(WaQuerySort *sort, void *d_temporary, size_t *temporary_bytes,
			  cudaStream_t)
{
	const uint64_t mask = ~(uint64_t) 0 >> (64 - sort->end_bit);
	const uint64_t *words = sort->d_words[0];
	std::vector<uint32_t> order(sort->nrows);
	cudaError_t error;

	if (!begin(d_temporary, temporary_bytes, &error))
		return error;
	for (size_t i = 0; i < sort->nrows; i++)
		order[i] = (uint32_t) i;
	std::stable_sort(order.begin(), order.end(),
					 [=](uint32_t a, uint32_t b)
					 { return (words[a] & mask) < (words[b] & mask); });
	for (size_t i = 0; i < sort->nrows; i++)
	{
		sort->d_words[1][i] = words[order[i]];
		sort->d_rows[1][i] = sort->d_rows[0][order[i]];
	}
	// The other arrays are left with anything.
	memset(sort->d_words[0], WA_EMU_POISON, sort->nrows * sizeof(uint64_t));
	memset(sort->d_rows[0], WA_EMU_POISON, sort->nrows * sizeof(uint32_t));
	sort->sorted_words = 1;
	sort->sorted_rows = 1;
	return cudaSuccess;
}

cudaError_t
wa_query_add_up(uint32_t *d_numbers, size_t count, void *d_temporary,
				size_t *temporary_bytes, cudaStream_t)
{
	cudaError_t error;

	if (!begin(d_temporary, temporary_bytes, &error))
		return error;
	for (size_t i = 1; i < count; i++)
		d_numbers[i] += d_numbers[i - 1];
	return cudaSuccess;
}
