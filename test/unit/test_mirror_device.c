/*
 * test_mirror_device.c
 *		GPUs that are none, for the mirror: see test_mirror_device.h.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda/memory.h"
#include "test/unit/test_mirror_device.h"

#define POISON   0xa5
#define MAX_OPS  256
#define MANY     4096
#define BUFFERS  2
#define NO_SPACE (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

/* A copy, or a fill if buffer is -1, that is queued. */
typedef struct Op
{
	int buffer;
	char *to;
	int byte;
	size_t bytes;
} Op;

/* Belongs to its thread. */
struct WaCudaMemory
{
	unsigned device;
	int buffer;
	char *staging[BUFFERS];
	unsigned nops;
	Op ops[MAX_OPS];
};

static unsigned limits[WA_TEST_DEVICES] = {MANY, MANY, MANY, MANY};
static unsigned pieces[WA_TEST_DEVICES];
static unsigned failing_one_in;
static unsigned calls;
static bool lost;
static bool abused;

void
wa_test_device_limit(unsigned device, unsigned count)
{
	__atomic_store_n(&limits[device], count, __ATOMIC_RELAXED);
}

void
wa_test_device_fail(unsigned one_in)
{
	__atomic_store_n(&failing_one_in, one_in, __ATOMIC_RELAXED);
}

void
wa_test_device_lose(void)
{
	__atomic_store_n(&lost, true, __ATOMIC_RELAXED);
}

unsigned
wa_test_device_pieces(unsigned device)
{
	return __atomic_load_n(&pieces[device], __ATOMIC_RELAXED);
}

bool
wa_test_device_abused(void)
{
	return __atomic_load_n(&abused, __ATOMIC_RELAXED);
}

/* Notes what must not be. */
static void
expect(bool condition)
{
	if (!condition)
		__atomic_store_n(&abused, true, __ATOMIC_RELAXED);
}

/* Tells whether a call is to fail. */
static bool
fails(char *error, size_t error_bytes)
{
	const unsigned one_in = __atomic_load_n(&failing_one_in, __ATOMIC_RELAXED);

	if (one_in == 0 ||
		__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % one_in != 0)
		return false;
	(void) snprintf(error, error_bytes, "no memory, it is said");
	return true;
}

WaStatus
wa_cuda_memory_open(int ordinal, WaCudaMemory **memory, char *error,
					size_t error_bytes)
{
	(void) error;
	(void) error_bytes;
	*memory = calloc(1, sizeof(**memory));
	(*memory)->device = (unsigned) ordinal;
	for (int i = 0; i < BUFFERS; i++)
		(*memory)->staging[i] = malloc(WA_CUDA_STAGING_BYTES);
	return WA_OK;
}

void
wa_cuda_memory_close(WaCudaMemory *memory)
{
	for (int i = 0; i < BUFFERS; i++)
		free(memory->staging[i]);
	free(memory);
}

WaStatus
wa_cuda_memory_reserve(WaCudaMemory *memory, size_t bytes, void **d_range,
					   char *error, size_t error_bytes)
{
	(void) memory;
	if (fails(error, error_bytes))
		return WA_OUT_OF_MEMORY;
	expect(bytes % WA_CUDA_PIECE_BYTES == 0);
	*d_range = mmap(NULL, bytes, PROT_NONE, NO_SPACE, -1, 0);
	return *d_range == MAP_FAILED ? WA_OUT_OF_MEMORY : WA_OK;
}

/* Tells whether nothing that is queued goes to an area of memory. */
static bool
is_quiet(const WaCudaMemory *memory, const char *d_area, size_t bytes)
{
	for (unsigned i = 0; i < memory->nops; i++)
	{
		const char *to = memory->ops[i].to;

		if (to < d_area + bytes && to + memory->ops[i].bytes > d_area)
			return false;
	}
	return true;
}

WaStatus
wa_cuda_memory_unreserve(WaCudaMemory *memory, void *d_range, size_t bytes,
						 char *error, size_t error_bytes)
{
	(void) error;
	(void) error_bytes;
	expect(is_quiet(memory, d_range, bytes));
	expect(munmap(d_range, bytes) == 0);
	return WA_OK;
}

WaStatus
wa_cuda_memory_map(WaCudaMemory *memory, void *d_piece, char *error,
				   size_t error_bytes)
{
	if (fails(error, error_bytes) ||
		wa_test_device_pieces(memory->device) >=
			__atomic_load_n(&limits[memory->device], __ATOMIC_RELAXED))
		return WA_OUT_OF_MEMORY;
	(void) __atomic_fetch_add(&pieces[memory->device], 1, __ATOMIC_RELAXED);
	expect(mprotect(d_piece, WA_CUDA_PIECE_BYTES, PROT_READ | PROT_WRITE) == 0);
	memset(d_piece, POISON, WA_CUDA_PIECE_BYTES);
	return WA_OK;
}

WaStatus
wa_cuda_memory_unmap(WaCudaMemory *memory, void *d_piece, char *error,
					 size_t error_bytes)
{
	(void) error;
	(void) error_bytes;
	expect(is_quiet(memory, d_piece, WA_CUDA_PIECE_BYTES));
	(void) __atomic_fetch_sub(&pieces[memory->device], 1, __ATOMIC_RELAXED);
	expect(mmap(d_piece, WA_CUDA_PIECE_BYTES, PROT_NONE, NO_SPACE | MAP_FIXED,
				-1, 0) == d_piece);
	return WA_OK;
}

/* Does what is queued, but the last so many. */
static void
flush(WaCudaMemory *memory, unsigned left)
{
	const unsigned count = memory->nops - left;

	for (unsigned i = 0; i < count; i++)
	{
		const Op *op = &memory->ops[i];

		if (op->buffer < 0)
			memset(op->to, op->byte, op->bytes);
		else
			memcpy(op->to, memory->staging[op->buffer], op->bytes);
	}
	memmove(memory->ops, &memory->ops[count], left * sizeof(Op));
	memory->nops = left;
}

/* Queues a copy or fill. */
static WaStatus
queue(WaCudaMemory *memory, Op op)
{
	if (memory->nops == MAX_OPS)
		flush(memory, 0);
	memory->ops[memory->nops++] = op;
	return WA_OK;
}

WaStatus
wa_cuda_memory_staging(WaCudaMemory *memory, void **staging, char *error,
					   size_t error_bytes)
{
	unsigned left = 0;

	(void) error;
	(void) error_bytes;
	memory->buffer = (memory->buffer + 1) % BUFFERS;
	while (left < memory->nops &&
		   memory->ops[memory->nops - 1 - left].buffer != memory->buffer)
		left++;
	flush(memory, left);
	*staging = memory->staging[memory->buffer];
	return WA_OK;
}

WaStatus
wa_cuda_memory_copy(WaCudaMemory *memory, void *d_to, size_t bytes, char *error,
					size_t error_bytes)
{
	if (__atomic_load_n(&lost, __ATOMIC_RELAXED))
		return WA_DEVICE_LOST;
	if (fails(error, error_bytes))
		return WA_OUT_OF_MEMORY;
	expect(bytes <= WA_CUDA_STAGING_BYTES);
	return queue(memory, (Op){memory->buffer, d_to, 0, bytes});
}

WaStatus
wa_cuda_memory_fill(WaCudaMemory *memory, void *d_to, int byte, size_t bytes,
					char *error, size_t error_bytes)
{
	if (fails(error, error_bytes))
		return WA_OUT_OF_MEMORY;
	return queue(memory, (Op){-1, d_to, byte, bytes});
}

WaStatus
wa_cuda_memory_wait(WaCudaMemory *memory, char *error, size_t error_bytes)
{
	(void) error;
	(void) error_bytes;
	flush(memory, 0);
	return WA_OK;
}
