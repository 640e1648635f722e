//
// test_scratch.cpp
//		The memory that queries keep (cuda/query/scratch.h): when it is allocated,
//		which tables stay in it (cuda/query/tables.h), and that of the host in which rows
//		are handed over (cuda/query/host.h).
//
#include "check.h"

#include <algorithm>

#include "emulator.h"
#include "query/error.h"
#include "query/scratch.h"

constexpr size_t kMebibyte = 1 << 20;
constexpr size_t kNeeded = 64 * kMebibyte;

// Takes so many bytes in two pieces and gives them back, as queries do.  Tells whether
// that went without allocating or freeing any.
static bool
fits(WaQueryPool *pool, size_t bytes)
{
	const std::vector<WaQueryChunk> before = pool->chunks;
	void *memory = NULL;
	bool taken;

	wa_emu_fail_call(1, cudaErrorMemoryAllocation);
	taken = wa_query_pool_take(pool, bytes / 2, &memory) == cudaSuccess &&
			wa_query_pool_take(pool, bytes - bytes / 2, &memory) == cudaSuccess;
	wa_emu_heal();
	wa_query_pool_reset(pool);
	return taken && pool->chunks.size() == 1 &&
		   pool->chunks[0].memory == before[0].memory;
}

// Has a pool learn what a query needs.
static void
learn(WaQueryPool *pool, size_t bytes)
{
	void *memory;

	for (size_t taken = 0; taken < bytes; taken += kMebibyte)
		(void) wa_query_pool_take(pool, kMebibyte, &memory);
	wa_query_pool_reset(pool);
}

static void
test_growth()
{
	WaQueryPool pool = {};
	bool grown = true;

	pool.max_bytes = 2 * kNeeded;
	learn(&pool, kNeeded);
	report_group(fits(&pool, kNeeded) ? "" : "it does not",
				 "a query like the one before has its memory");
	for (size_t more = 0; more < kMebibyte; more += kMebibyte / 16)
		grown &= fits(&pool, kNeeded + more);
	report_group(grown ? "" : "they have not",
				 "queries that need ever more have it, too");
	wa_query_pool_free(&pool);
}

// Beyond what a pool may have there is nothing to spare.
static void
test_limit()
{
	WaQueryPool pool = {};

	pool.max_bytes = kNeeded;
	learn(&pool, kNeeded);
	report_group(pool.chunks.size() == 1 && pool.chunks[0].bytes == kNeeded &&
						 fits(&pool, kNeeded)
					 ? ""
					 : "it has not",
				 "a pool keeps what a query needs up to its limit");
	wa_query_pool_free(&pool);
}

// Pinned memory is kept up to a limit of its own.
static void
test_pinned()
{
	WaQueryPool pool = {};

	pool.pinned = true;
	pool.max_bytes = 4 * kNeeded;
	learn(&pool, kNeeded);
	report_group(pool.chunks.size() == 1 && pool.chunks[0].bytes == kNeeded &&
						 fits(&pool, kNeeded)
					 ? ""
					 : "it does not",
				 "pinned memory stays that is as much as may stay");
	learn(&pool, kNeeded + kMebibyte);
	report_group(pool.chunks.empty() ? "" : "it stays", "more does not stay");
	wa_query_pool_free(&pool);
}

// Of such tables there is room for three.
constexpr size_t kEntries = 1000;

// Uses the table with a number, all of whose entries are that; says whether it is what it
// should be, or there is no room (*refused).
static WaQueryTable *
use(WaQueryTables *tables, int32_t number, bool *refused)
{
	std::vector<int32_t> narrow(kEntries, number);
	WaLookupTable table = {};
	WaQueryTable *used = NULL;

	table.width = 1;
	table.nentries = kEntries;
	table.narrow = narrow.data();
	table.digest = {{(uint64_t) number, 1}};
	*refused = false;
	try
	{
		used = wa_query_table_use(tables, &table, NULL);
	}
	catch (const WaQueryError &failure)
	{
		*refused = failure.error == cudaErrorNotSupported;
	}
	return used;
}

// Tells whether a table has the entries of a number.
static bool
is_table(const WaQueryTable *table, int32_t number)
{
	std::vector<int32_t> entries(kEntries);

	return table != NULL &&
		   cudaMemcpy(entries.data(), table->lookup.narrow,
					  kEntries * sizeof(int32_t),
					  cudaMemcpyDeviceToHost) == cudaSuccess &&
		   std::count(entries.begin(), entries.end(), number) == kEntries;
}

// Uses a table for no longer than that.  Tells whether it was brought to the device.
static bool
is_brought(WaQueryTables *tables, int32_t number)
{
	bool refused;
	WaQueryTable *used;

	// What is there needs no memory.
	wa_emu_fail_call(1, cudaErrorMemoryAllocation);
	used = use(tables, number, &refused);
	wa_emu_heal();
	if (used != NULL)
	{
		wa_query_table_unuse(tables, used);
		return false;
	}
	used = use(tables, number, &refused);
	if (!is_table(used, number))
		report_group("it is not", "a table is what was brought");
	if (used != NULL)
		wa_query_table_unuse(tables, used);
	return true;
}

// Tables stay, and go when others need their room and no query uses them.
static void
test_tables()
{
	WaQueryTables tables = {};
	WaQueryTable *used[3];
	bool refused;

	tables.max_bytes = 3 * kEntries * sizeof(int32_t) + 100;
	report_group(is_brought(&tables, 1) && is_brought(&tables, 2) &&
						 is_brought(&tables, 3) && !is_brought(&tables, 1) &&
						 !is_brought(&tables, 2) && !is_brought(&tables, 3)
					 ? ""
					 : "they do not",
				 "tables stay");
	report_group(!is_brought(&tables, 1) && is_brought(&tables, 4) &&
						 !is_brought(&tables, 3) && !is_brought(&tables, 1) &&
						 is_brought(&tables, 2)
					 ? ""
					 : "another one does",
				 "that which was used longest ago goes");
	for (int i = 0; i < 3; i++)
		used[i] = use(&tables, 11 + i, &refused);
	report_group(use(&tables, 14, &refused) == NULL && refused ? "" : "it is",
				 "none is brought while all are used");
	report_group(is_table(used[0], 11) && is_table(used[2], 13) ? ""
																: "they do not",
				 "those that are used stay");
	for (WaQueryTable *table : used)
		wa_query_table_unuse(&tables, table);
	tables.max_bytes = kEntries;
	report_group(use(&tables, 15, &refused) == NULL && refused ? "" : "it has",
				 "one that is too large has no room");
	wa_query_tables_close(&tables);
	report_group(tables.bytes == 0 && tables.list.empty() ? "" : "one does",
				 "no table stays in the end");
}

// A table of keys is brought as bits: what its entries are is told by these alone.
static void
test_bits()
{
	constexpr size_t kWords = (kEntries + 63) / 64;
	WaQueryTables tables = {};
	std::vector<uint64_t> bits(kWords + (kWords + 1) / 2);
	std::vector<int32_t> narrow(kEntries, WA_NARROW_NULL);
	std::vector<int32_t> others(kEntries, 7);
	std::vector<int32_t> entries(kEntries);
	WaLookupTable table = {};
	uint32_t *before = reinterpret_cast<uint32_t *>(&bits[kWords]);
	int32_t count = 0;
	WaQueryTable *used;

	for (size_t i = 0; i < kEntries; i++)
	{
		if (i % 64 == 0)
			before[i / 64] = (uint32_t) count;
		if (i * i % 7 > 2)
			continue;
		bits[i / 64] |= (uint64_t) 1 << i % 64;
		narrow[i] = count++;
	}
	table.width = 1;
	table.nentries = kEntries;
	table.narrow = others.data();
	table.bits = bits.data();
	table.digest = {{1, 2}};
	tables.max_bytes = wa_lookup_bytes(&table);
	used = wa_query_table_use(&tables, &table, NULL);
	report_group(cudaMemcpy(entries.data(), used->lookup.narrow,
							kEntries * sizeof(int32_t),
							cudaMemcpyDeviceToHost) == cudaSuccess &&
						 entries == narrow
					 ? ""
					 : "they are others",
				 "entries are made of bits");
	wa_query_table_unuse(&tables, used);
	wa_query_tables_close(&tables);
}

// Takes a piece of the host's memory and gives it back; tells whether that went without
// allocating any.
static bool
is_there(WaQueryHost *host, size_t bytes)
{
	void *memory = NULL;

	wa_emu_fail_call(1, cudaErrorMemoryAllocation);
	try
	{
		memory = wa_query_host_take(host, bytes);
	}
	catch (const WaQueryError &)
	{
	}
	wa_emu_heal();
	if (memory != NULL)
		wa_query_host_give(host, memory);
	return memory != NULL;
}

// Pieces for rows stay, and go when others need their room and nobody uses them.
static void
test_host()
{
	WaQueryHost host = {};
	void *first;
	void *second;

	host.max_bytes = 4 * kMebibyte;
	report_group(is_there(&host, kMebibyte) ? "it is" : "",
				 "there is no memory for rows at first");
	first = wa_query_host_take(&host, kMebibyte);
	report_group(is_there(&host, kMebibyte) ? "it is" : "",
				 "a piece that is in use is not used twice");
	second = wa_query_host_take(&host, 2 * kMebibyte);
	report_group(first != NULL && second != NULL && first != second &&
						 wa_query_host_take(&host, 2 * kMebibyte) == NULL
					 ? ""
					 : "it has",
				 "beyond its limit there is no memory for rows");
	wa_query_host_give(&host, first);
	wa_query_host_give(&host, second);
	report_group(is_there(&host, kMebibyte + kMebibyte / 16) &&
						 is_there(&host, 2 * kMebibyte)
					 ? ""
					 : "they do not",
				 "pieces stay, with some to spare");
	first = wa_query_host_take(&host, 4 * kMebibyte);
	report_group(first != NULL && host.bytes == 4 * kMebibyte ? ""
															  : "they stay",
				 "they go when a larger one needs their room");
	wa_query_host_give(&host, first);
	wa_query_host_close(&host);
	report_group(host.bytes == 0 && host.pieces.empty() ? "" : "one does",
				 "no piece stays in the end");
}

int
main()
{
	test_tables();
	test_bits();
	test_host();
	test_growth();
	test_limit();
	test_pinned();
	return report_total();
}
