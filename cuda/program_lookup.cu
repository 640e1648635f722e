//
// program_lookup.cu
//		Bringing look-up tables to device memory; see program/lookup.h.
//
#include "program/lookup.h"

#include <algorithm>

// Threads of a block, and blocks at most.
static const unsigned kExpandThreads = 256;
static const uint64_t kExpandBlocks = 2048;

// Makes narrow entries of words of bits, before each of which there are so many.  Any grid;
// deterministic.
__global__ void
wa_lookup_expand_kernel(const uint64_t *bits, const uint32_t *before,
						uint64_t nentries, int32_t *narrow)
{
	for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
		 i < nentries; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t word = bits[i / 64];
		const uint64_t below = word & (((uint64_t) 1 << i % 64) - 1);

		narrow[i] = (word >> i % 64 & 1) != 0
						? (int32_t) before[i / 64] + __popcll(below)
						: WA_NARROW_NULL;
	}
}

// Starts to copy bits behind where the entries are to be, and to make these of them.
static cudaError_t
send_bits(const WaLookupTable *table, int32_t *d_narrow, cudaStream_t stream)
{
	uint64_t nentries = table->nentries;
	const uint64_t *d_bits = reinterpret_cast<const uint64_t *>(
		reinterpret_cast<const char *>(d_narrow) +
		wa_lookup_narrow_bytes(nentries));
	const uint32_t *d_before = reinterpret_cast<const uint32_t *>(
		d_bits + wa_lookup_bits_words(nentries));
	const uint64_t blocks = (nentries + kExpandThreads - 1) / kExpandThreads;
	void *arguments[] = {&d_bits, &d_before, &nentries, &d_narrow};
	const cudaError_t error = cudaMemcpyAsync(
		const_cast<uint64_t *>(d_bits), table->bits,
		wa_lookup_bits_bytes(nentries), cudaMemcpyHostToDevice, stream);

	if (error != cudaSuccess)
		return error;
	return cudaLaunchKernel(wa_lookup_expand_kernel,
							dim3((unsigned) std::min(blocks, kExpandBlocks)),
							dim3(kExpandThreads), arguments, 0, stream);
}

WaLookup
wa_lookup_of(const WaLookupTable *table)
{
	WaLookup lookup = {};

	lookup.base = (uint64_t) table->base;
	lookup.width = table->width;
	lookup.span = table->slots != NULL ? table->nentries - 1
									   : table->nentries * table->width;
	lookup.inverse = 1.0 / (double) table->width;
	lookup.beyond = table->is_total ? WA_ENTRY_NULL : WA_ENTRY_UNKNOWN;
	return lookup;
}

size_t
wa_lookup_bytes(const WaLookupTable *table)
{
	if (table->slots != NULL)
		return table->nentries * sizeof(WaLookupSlot);
	if (table->bits != NULL)
		return wa_lookup_narrow_bytes(table->nentries) +
			   wa_lookup_bits_bytes(table->nentries);
	return table->nentries * (table->narrow != NULL
								  ? sizeof(int32_t)
								  : sizeof(int64_t) + sizeof(uint8_t));
}

cudaError_t
wa_lookup_send(const WaLookupTable *table, void *d_memory, cudaStream_t stream,
			   WaLookup *lookup)
{
	const size_t values_bytes = table->nentries * sizeof(int64_t);
	char *d_bytes = static_cast<char *>(d_memory);
	const void *entries = table->slots;
	cudaError_t error;

	*lookup = wa_lookup_of(table);
	if (table->slots != NULL)
		lookup->slots = static_cast<const WaLookupSlot *>(d_memory);
	else if (table->narrow != NULL)
	{
		entries = table->narrow;
		lookup->narrow = static_cast<const int32_t *>(d_memory);
	}
	if (table->bits != NULL)
		return send_bits(table, static_cast<int32_t *>(d_memory), stream);
	if (entries != NULL)
		return cudaMemcpyAsync(d_memory, entries, wa_lookup_bytes(table),
							   cudaMemcpyHostToDevice, stream);
	lookup->values = static_cast<const int64_t *>(d_memory);
	lookup->known = reinterpret_cast<const uint8_t *>(d_bytes + values_bytes);
	error = cudaMemcpyAsync(d_memory, table->values, values_bytes,
							cudaMemcpyHostToDevice, stream);
	if (error == cudaSuccess)
		error =
			cudaMemcpyAsync(d_bytes + values_bytes, table->known,
							table->nentries, cudaMemcpyHostToDevice, stream);
	return error;
}
