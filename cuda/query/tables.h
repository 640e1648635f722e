//
// tables.h
//		Look-up tables that stay in the memory of a GPU from one query to the next.
//
#ifndef WA_CUDA_QUERY_TABLES_H
#define WA_CUDA_QUERY_TABLES_H

#include <list>
#include <mutex>

#include "program/lookup.h"

// A table that queries name by its digest; constant but for the uses.
struct WaQueryTable
{
	WaTableDigest digest;
	WaLookup lookup;
	void *d_memory;
	size_t bytes;
	unsigned uses; // by queries that are under way
};

// lock guards all else but max_bytes.
struct WaQueryTables
{
	std::mutex lock;
	size_t max_bytes;
	size_t bytes;
	std::list<WaQueryTable> list; // that which was used last first
};

// Finds a table with a digest, or brings it to the current device, by a stream that is
// waited for; others go for that which no query uses.  It stays until its use ends.  Throws
// cudaErrorNotSupported if there is no room.
WaQueryTable *wa_query_table_use(WaQueryTables *tables,
								 const WaLookupTable *table,
								 cudaStream_t stream);

// Ends a use; nothing that was started reads the table any more.
void wa_query_table_unuse(WaQueryTables *tables, WaQueryTable *table);

// Frees all tables.
void wa_query_tables_close(WaQueryTables *tables);

#endif // WA_CUDA_QUERY_TABLES_H
