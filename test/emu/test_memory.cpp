//
// test_memory.cpp
//		The surface to a GPU's memory: ranges, pieces, copies, failures.
//
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/memory.h"
#ifdef WA_EMU
#include "emulator.h"
#endif

static const size_t kTextBytes = 300;
static const size_t kPieces = 4096;

// The first two pieces are mapped.
static_assert(WA_CUDA_STAGING_BYTES <= 2 * WA_CUDA_PIECE_BYTES,
			  "the longest copy is within the first two pieces");

// Notes the first failure of a group.
#define EXPECT(condition)                                             \
	do                                                                \
	{                                                                 \
		if (!(condition) && failure[0] == '\0')                       \
			snprintf(failure, kTextBytes, "line %d: not so: %s (%s)", \
					 __LINE__, #condition, error);                    \
	} while (0)

#define EXPECT_OK(call) EXPECT((call) == WA_OK)

// Copies bytes that follow from a seed to the range, by way of staging memory.
static bool
put(WaCudaMemory *memory, void *d_to, size_t bytes, uint64_t seed)
{
	char error[kTextBytes] = "";
	Random random(seed);
	void *staging;

	if (wa_cuda_memory_staging(memory, &staging, error, sizeof(error)) != WA_OK)
		return false;
	for (size_t i = 0; i < bytes; i++)
		static_cast<unsigned char *>(staging)[i] =
			(unsigned char) random.bits();
	return wa_cuda_memory_copy(memory, d_to, bytes, error, sizeof(error)) ==
		   WA_OK;
}

// Tells whether the range holds the bytes of a seed.
static bool
holds(const void *d_from, size_t bytes, uint64_t seed)
{
	std::vector<unsigned char> found(bytes);
	Random random(seed);

	if (cudaMemcpy(found.data(), d_from, bytes, cudaMemcpyDeviceToHost) !=
		cudaSuccess)
		return false;
	for (size_t i = 0; i < bytes; i++)
		if (found[i] != (unsigned char) random.bits())
			return false;
	return true;
}

// Several copies in flight, over the border of two pieces, and far behind.
static void
test_range()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	const size_t bytes = kPieces * WA_CUDA_PIECE_BYTES;
	WaCudaMemory *memory = NULL;
	void *d_range = NULL;
	char *d_bytes;
	char *d_last;
	unsigned char filled = 0;

	EXPECT_OK(wa_cuda_memory_open(0, &memory, error, sizeof(error)));
	EXPECT_OK(
		wa_cuda_memory_reserve(memory, bytes, &d_range, error, sizeof(error)));
	d_bytes = static_cast<char *>(d_range);
	d_last = d_bytes + bytes - WA_CUDA_PIECE_BYTES;
	EXPECT((uintptr_t) d_range % WA_CUDA_PIECE_BYTES == 0);
	for (char *d_piece : {d_bytes, d_bytes + WA_CUDA_PIECE_BYTES, d_last})
		EXPECT_OK(wa_cuda_memory_map(memory, d_piece, error, sizeof(error)));
	EXPECT(put(memory, d_bytes, WA_CUDA_STAGING_BYTES, 8));
	for (uint64_t i = 0; i < 5; i++)
		EXPECT(put(memory, d_bytes + i * 700000, 700000, i));
	EXPECT(put(memory, d_last, WA_CUDA_PIECE_BYTES, 9));
	EXPECT_OK(
		wa_cuda_memory_fill(memory, d_last, 0x5a, 1000, error, sizeof(error)));
	EXPECT_OK(wa_cuda_memory_wait(memory, error, sizeof(error)));
	for (uint64_t i = 0; i < 5; i++)
		EXPECT(holds(d_bytes + i * 700000, 700000, i));
	EXPECT(cudaMemcpy(&filled, d_last + 999, 1, cudaMemcpyDeviceToHost) ==
		   cudaSuccess);
	EXPECT(filled == 0x5a);
	for (char *d_piece : {d_bytes, d_bytes + WA_CUDA_PIECE_BYTES, d_last})
		EXPECT_OK(wa_cuda_memory_unmap(memory, d_piece, error, sizeof(error)));
	EXPECT_OK(
		wa_cuda_memory_unreserve(memory, d_range, bytes, error, sizeof(error)));
	wa_cuda_memory_close(memory);
#ifdef WA_EMU
	EXPECT(wa_emu_mapped_bytes() == 0);
#endif
	report_group(failure, "a range, its pieces and copies to it");
}

#ifdef WA_EMU
// A device's memory ends, which is no fault, and what goes comes back.
static void
test_end_of_memory()
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	const size_t bytes = kPieces * WA_CUDA_PIECE_BYTES;
	WaCudaMemory *memory = NULL;
	void *d_range = NULL;
	size_t mapped = 0;
	WaStatus status = WA_OK;

	EXPECT_OK(wa_cuda_memory_open(0, &memory, error, sizeof(error)));
	EXPECT_OK(
		wa_cuda_memory_reserve(memory, bytes, &d_range, error, sizeof(error)));
	while (mapped < kPieces && status == WA_OK)
	{
		status = wa_cuda_memory_map(
			memory, static_cast<char *>(d_range) + mapped * WA_CUDA_PIECE_BYTES,
			error, sizeof(error));
		mapped += status == WA_OK;
	}
	EXPECT(status == WA_OUT_OF_MEMORY && mapped == 512);
	EXPECT(strcmp(error, "could not allocate GPU memory: out of memory") == 0);
	EXPECT(wa_cuda_memory_unreserve(memory, d_range, bytes, error,
									sizeof(error)) != WA_OK);
	while (mapped-- > 0)
		EXPECT_OK(wa_cuda_memory_unmap(
			memory, static_cast<char *>(d_range) + mapped * WA_CUDA_PIECE_BYTES,
			error, sizeof(error)));
	EXPECT_OK(
		wa_cuda_memory_unreserve(memory, d_range, bytes, error, sizeof(error)));
	wa_cuda_memory_close(memory);
	EXPECT(wa_emu_mapped_bytes() == 0);
	report_group(failure, "the end of a device's memory");
}

// Every call of opening, mapping and copying fails once, in turn.
static void
test_memory_failures(cudaError_t cause, WaStatus expected, const char *name)
{
	char failure[kTextBytes] = "";
	char error[kTextBytes] = "";
	WaStatus status = expected;
	unsigned calls;

	for (calls = 1; calls < 100 && status == expected; calls++)
	{
		WaCudaMemory *memory = NULL;
		void *d_range = NULL;

		wa_emu_fail_call(calls, cause);
		status = wa_cuda_memory_open(0, &memory, error, sizeof(error));
		EXPECT((status == WA_OK) == (memory != NULL));
		if (status == WA_OK)
			status = wa_cuda_memory_reserve(memory, WA_CUDA_PIECE_BYTES,
											&d_range, error, sizeof(error));
		if (status == WA_OK)
			status = wa_cuda_memory_map(memory, d_range, error, sizeof(error));
		if (status == WA_OK && !put(memory, d_range, 1000, 1))
			status = expected;
		else if (status == WA_OK)
			status = wa_cuda_memory_fill(memory, d_range, 0, 10, error,
										 sizeof(error));
		EXPECT(status == expected || status == WA_OK);
		EXPECT(status == WA_OK || strncmp(error, "could not ", 10) == 0);
		wa_emu_heal();
		if (memory != NULL && d_range != NULL)
		{
			(void) wa_cuda_memory_unmap(memory, d_range, error, sizeof(error));
			(void) wa_cuda_memory_unreserve(
				memory, d_range, WA_CUDA_PIECE_BYTES, error, sizeof(error));
		}
		wa_cuda_memory_close(memory);
	}
	EXPECT(status == WA_OK && calls > 6);
	EXPECT(wa_emu_mapped_bytes() == 0);
	report_group(failure, "%s at each call of memory is reported", name);
}
#endif

void
test_memory()
{
	test_range();
#ifdef WA_EMU
	test_end_of_memory();
	test_memory_failures(cudaErrorMemoryAllocation, WA_OUT_OF_MEMORY,
						 "lack of memory");
	test_memory_failures(cudaErrorIllegalAddress, WA_DEVICE_LOST, "a fault");
#endif
}
