//
// program_lookup.cu
//		Bringing look-up tables to device memory; see program/lookup.h.
//
#include "program/lookup.h"

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
