//
// query_tables.cu
//		Tables that stay in the memory of a GPU; see query/tables.h.
//
#include "query/tables.h"

#include "query/error.h"

// Frees the memory of a table.
static void
free_memory(void *d_memory)
{
	if (cudaFree(d_memory) != cudaSuccess)
		(void) cudaGetLastError();
}

// Has the table go that was used longest ago, of those that no query uses; returns false
// if there is none.
static bool
drop_oldest(WaQueryTables *tables)
{
	for (auto table = tables->list.end(); table != tables->list.begin();)
	{
		--table;
		if (table->uses > 0)
			continue;
		free_memory(table->d_memory);
		tables->bytes -= table->bytes;
		tables->list.erase(table);
		return true;
	}
	return false;
}

// Takes memory for another table; NULL: there is none.
static void *
take_memory(WaQueryTables *tables, size_t bytes)
{
	void *d_memory = NULL;

	if (bytes > tables->max_bytes)
		return NULL;
	while (tables->bytes > tables->max_bytes - bytes)
		if (!drop_oldest(tables))
			return NULL;
	if (cudaMalloc(&d_memory, bytes) == cudaSuccess)
		return d_memory;
	(void) cudaGetLastError();
	return NULL;
}

// Brings a table to the device, as the first of the list.
static void
add_table(WaQueryTables *tables, const WaLookupTable *table,
		  cudaStream_t stream)
{
	const size_t bytes = wa_lookup_bytes(table);
	WaQueryTable added = {table->digest, {}, NULL, bytes, 0};
	cudaError_t error;

	added.d_memory = take_memory(tables, bytes);
	if (added.d_memory == NULL)
		throw WaQueryError{cudaErrorNotSupported};
	error = wa_lookup_send(table, added.d_memory, stream, &added.lookup);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(stream);
	if (error != cudaSuccess)
	{
		free_memory(added.d_memory);
		throw WaQueryError{error};
	}
	try
	{
		tables->list.push_front(added);
	}
	catch (...)
	{
		free_memory(added.d_memory);
		throw;
	}
	tables->bytes += bytes;
}

WaQueryTable *
wa_query_table_use(WaQueryTables *tables, const WaLookupTable *table,
				   cudaStream_t stream)
{
	const std::lock_guard<std::mutex> lock(tables->lock);
	auto found = tables->list.begin();

	while (found != tables->list.end() &&
		   !wa_digest_is_same(&found->digest, &table->digest))
		++found;
	if (found == tables->list.end())
		add_table(tables, table, stream);
	else
		tables->list.splice(tables->list.begin(), tables->list, found);
	tables->list.front().uses++;
	return &tables->list.front();
}

void
wa_query_table_unuse(WaQueryTables *tables, WaQueryTable *table)
{
	const std::lock_guard<std::mutex> lock(tables->lock);

	table->uses--;
}

void
wa_query_tables_close(WaQueryTables *tables)
{
	for (const WaQueryTable &table : tables->list)
		free_memory(table.d_memory);
	tables->list.clear();
	tables->bytes = 0;
}
