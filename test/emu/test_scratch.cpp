//
// test_scratch.cpp
//		The memory that queries keep (cuda/query/scratch.h): when it is allocated.
//
#include "check.h"

#include "emulator.h"
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

int
main()
{
	test_growth();
	test_limit();
	test_pinned();
	return report_total();
}
