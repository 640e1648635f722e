//
// query.cu
//		The surface for whole queries: slots, and errors; see query.h.
//
#include "query.h"

#include <algorithm>
#include <new>

#include "failure.h"
#include "query/work.h"

// Tables that stay on the GPU take this part of its memory at most.
static const size_t kTablesPart = 16;

// Pinned memory of the host in which rows are handed over: 20 to 40 million rows with two
// values.  Tests set it lower.
#ifndef WA_QUERY_HOST_BYTES
#define WA_QUERY_HOST_BYTES ((size_t) 512 << 20)
#endif

// Returns the status of something, and writes a text if it has failed.  Arguments
// that CUDA refuses do no harm to the context.
static WaStatus
finish(cudaError_t result, const char *action, char *error, size_t error_bytes)
{
	const WaStatus status = check(result, action, {error, error_bytes});

	return result == cudaErrorInvalidValue ? WA_UNSUPPORTED : status;
}

// Returns the error that a function throws, or cudaSuccess.
template <typename Function>
static cudaError_t
error_of(Function function)
{
	try
	{
		function();
		return cudaSuccess;
	}
	catch (const WaQueryError &failure)
	{
		return failure.error;
	}
	catch (const std::bad_alloc &)
	{
		return cudaErrorMemoryAllocation;
	}
}

WaStatus
wa_cuda_queries_open(int ordinal, unsigned nslots, unsigned share,
					 WaCudaQueries **queries, char *error, size_t error_bytes)
{
	size_t free_bytes = 0;
	size_t bytes = 0;
	cudaError_t result = cudaSetDevice(ordinal);

	*queries = NULL;
	if (result == cudaSuccess)
		result = cudaMemGetInfo(&free_bytes, &bytes);
	if (result != cudaSuccess)
		return finish(result, "use the GPU", error, error_bytes);
	result = error_of(
		[&]
		{
			*queries = new WaCudaQueries();
			(*queries)->tables.max_bytes = bytes / kTablesPart;
			(*queries)->host.max_bytes = WA_QUERY_HOST_BYTES;
			(*queries)->slots.resize(nslots);
			for (WaQuerySlot &slot : (*queries)->slots)
			{
				slot.host = &(*queries)->host;
				wa_query_slot_open(&slot, ordinal, bytes / share);
			}
		});
	if (result == cudaSuccess)
		return WA_OK;
	wa_cuda_queries_close(*queries);
	*queries = NULL;
	return finish(result, "prepare queries", error, error_bytes);
}

void
wa_cuda_queries_close(WaCudaQueries *queries)
{
	if (queries == NULL)
		return;
	for (WaQuerySlot &slot : queries->slots)
		wa_query_slot_close(&slot);
	wa_query_tables_close(&queries->tables);
	wa_query_host_close(&queries->host);
	delete queries;
}

void
wa_cuda_rows_free(WaCudaQueries *queries, void *memory)
{
	wa_query_host_give(&queries->host, memory);
}

// Waits for a slot that is free, and takes it.
static WaQuerySlot *
take_slot(WaCudaQueries *queries)
{
	std::unique_lock<std::mutex> lock(queries->lock);

	for (;;)
	{
		for (WaQuerySlot &slot : queries->slots)
			if (!slot.busy)
			{
				slot.busy = true;
				return &slot;
			}
		queries->freed.wait(lock);
	}
}

// Gives a slot back, when nothing of it is under way any more.
static void
free_slot(WaCudaQueries *queries, WaQuerySlot *slot)
{
	wa_query_pool_reset(&slot->d_pool);
	wa_query_pool_reset(&slot->pool);
	for (WaQueryTable *table : slot->tables)
		wa_query_table_unuse(&queries->tables, table);
	slot->tables.clear();

	const std::lock_guard<std::mutex> lock(queries->lock);

	slot->busy = false;
	queries->freed.notify_one();
}

// Tells whether a query is one that kernels can take at all.
static bool
is_small_enough(const WaCudaQuery *query)
{
	return query->nrows > 0 && query->nrows < WA_CUDA_QUERY_ROWS &&
		   query->nkeys <= WA_CUDA_QUERY_KEYS && query->nranges > 0 &&
		   query->program.nregisters < UINT16_MAX;
}

// Gives memory back, when nothing that was started uses it any more.
static void
empty_slot(WaQuerySlot *slot)
{
	wa_query_check(cudaStreamSynchronize(slot->stream));
	wa_query_pool_reset(&slot->d_pool);
	wa_query_pool_reset(&slot->pool);
}

// Has the slot use the tables of a query that are kept, and stores where they lie.
static void
use_tables(WaCudaQueries *queries, WaQuerySlot *slot, const WaCudaQuery *query,
		   std::vector<const WaLookup *> *kept)
{
	const WaProgram *program = &query->program;

	for (size_t i = 0; i < program->ninstructions; i++)
	{
		const WaInstruction *instruction = &program->instructions[i];
		const WaLookupTable *table;

		if (instruction->code != WA_CODE_LOOK_UP)
			continue;
		table = &program->tables[instruction->extra];
		kept->resize(std::max(kept->size(), (size_t) instruction->extra + 1));
		if (!wa_digest_is_set(&table->digest))
			continue;
		slot->tables.reserve(slot->tables.size() + 1);
		slot->tables.push_back(
			wa_query_table_use(&queries->tables, table, slot->stream));
		(*kept)[instruction->extra] = &slot->tables.back()->lookup;
	}
}

// Computes a query with a slot; if it traps, nothing has been taken.
static void
run_once(WaQueryWork *work, WaCudaOutcome *outcome)
{
	wa_query_start(work);
	if (work->query->take_rows != NULL)
		wa_query_hand_over_rows(work, outcome);
	else if (work->query->nkeys == 0)
		wa_query_reduce_all(work, outcome);
	else
		wa_query_reduce_groups(work, outcome);
}

// Computes a query with a slot, of as many digits as it takes.
static void
run(WaCudaQueries *queries, WaQuerySlot *slot, const WaCudaQuery *query,
	uint64_t *traps, WaCudaTake take, void *context, WaCudaOutcome *outcome)
{
	WaQueryWidth width = wa_query_first_width(query);
	std::vector<const WaLookup *> kept;
	bool takes_all = false;
	bool is_whole = false;

	wa_query_check(cudaSetDevice(slot->ordinal));
	use_tables(queries, slot, query, &kept);
	for (;;)
	{
		WaQueryWork work = {};
		cudaError_t error;

		work.query = query;
		work.take = take;
		work.context = context;
		work.slot = slot;
		work.tables = kept.data();
		work.nrows = (unsigned) query->nrows;
		work.width = width;
		work.takes_all = takes_all;
		work.is_whole = is_whole;
		*outcome = {};
		error = error_of([&] { run_once(&work, outcome); });
		// What is found of values is of no use then.
		if (work.mixes_zeros && query->values != NULL)
			throw WaQueryError{cudaErrorNotSupported};
		if (work.mixes_zeros)
			takes_all = true;
		else if (!wa_query_next_width(&work, error, outcome->trapped, &width))
		{
			wa_query_check(error);
			if (outcome->trapped && work.dense == NULL)
				wa_query_copy_traps(&work, traps);
			if (!outcome->trapped || work.dense == NULL)
				return;
			// Which tiles have trapped is told by all rows.
			is_whole = true;
			width = work.width;
		}
		empty_slot(slot);
	}
}

WaStatus
wa_cuda_query_run(WaCudaQueries *queries, const WaCudaQuery *query,
				  uint64_t *traps, WaCudaTake take, void *context,
				  WaCudaOutcome *outcome, char *error, size_t error_bytes)
{
	cudaError_t result = cudaErrorNotSupported;
	cudaError_t end;
	WaQuerySlot *slot;

	*outcome = {};
	if (!is_small_enough(query))
		return finish(result, "run a query on the GPU", error, error_bytes);
	slot = take_slot(queries);
	if (query->begun != NULL)
		query->begun(context);
	result = error_of(
		[&] { run(queries, slot, query, traps, take, context, outcome); });
	// What was started may still use the memory.
	end = cudaStreamSynchronize(slot->stream);
	if (end != cudaSuccess)
		result = end;
	// What was allocated in pieces may have had room in one.
	if (result == cudaErrorMemoryAllocation)
		wa_query_pool_free(&slot->d_pool);
	free_slot(queries, slot);
	return finish(result, "run a query on the GPU", error, error_bytes);
}
