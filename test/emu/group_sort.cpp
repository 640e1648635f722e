//
// group_sort.cpp
//		The emulator's version of cuda/group_sort.cu.
//
#include "cuda/group_sort.h"

#include <algorithm>
#include <vector>

#include "emulator.h"

// Memory that the sort asks for and writes over, to see that it has it.
static const size_t kTemporaryBytes = 1000;

// Moves values to the places that the sort has found for them.
static void
move_values(const WaGroupSort *sort, const std::vector<uint32_t> &order)
{
	const char *from = static_cast<const char *>(sort->d_values);
	char *to = static_cast<char *>(sort->d_sorted_values);

	for (size_t i = 0; i < sort->nrows; i++)
		memcpy(to + i * sort->value_bytes, from + order[i] * sort->value_bytes,
			   sort->value_bytes);
}

cudaError_t
wa_group_sort(const WaGroupSort *sort, void *d_temporary,
			  size_t *temporary_bytes, cudaStream_t)
{
	std::vector<uint32_t> order(sort->nrows);
	const uint32_t mask = (1u << (sort->end_bit - sort->begin_bit)) - 1;
	cudaError_t error;

	if (d_temporary == NULL)
	{
		*temporary_bytes = kTemporaryBytes;
		return cudaSuccess;
	}
	error = wa_emu_count_call();
	if (error != cudaSuccess)
		return error;
	if (*temporary_bytes < kTemporaryBytes)
		return wa_emu_keep_error(cudaErrorInvalidValue);
	memset(d_temporary, WA_EMU_POISON, *temporary_bytes);
	for (size_t i = 0; i < sort->nrows; i++)
		order[i] = (uint32_t) i;
	std::stable_sort(order.begin(), order.end(),
					 [=](uint32_t a, uint32_t b)
					 {
						 return (sort->d_groups[a] >> sort->begin_bit & mask) <
								(sort->d_groups[b] >> sort->begin_bit & mask);
					 });
	for (size_t i = 0; i < sort->nrows; i++)
		sort->d_sorted_groups[i] = sort->d_groups[order[i]];
	move_values(sort, order);
	return cudaSuccess;
}
