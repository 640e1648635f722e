//
// query.cu
//		The surface for whole queries: slots, and errors; see query.h.
//
#include "query.h"

#include <new>

#include "failure.h"
#include "query/work.h"

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
			(*queries)->slots.resize(nslots);
			for (WaQuerySlot &slot : (*queries)->slots)
				wa_query_slot_open(&slot, ordinal, bytes / share);
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
	delete queries;
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

// Computes a query with a slot; if it traps, its groups have not been taken.
static void
run_once(WaQueryWork *work, WaCudaOutcome *outcome)
{
	wa_query_start(work);
	if (work->query->nkeys == 0)
		wa_query_reduce_all(work, outcome);
	else
		wa_query_reduce_groups(work, outcome);
}

// Computes a query with a slot, of as many digits as it takes.
static void
run(WaQuerySlot *slot, const WaCudaQuery *query, uint64_t *traps,
	WaCudaTake take, void *context, WaCudaOutcome *outcome)
{
	WaQueryWidth width = wa_query_first_width(query);
	bool takes_all = false;

	wa_query_check(cudaSetDevice(slot->ordinal));
	for (;;)
	{
		WaQueryWork work = {};
		cudaError_t error;

		work.query = query;
		work.take = take;
		work.context = context;
		work.slot = slot;
		work.nrows = (unsigned) query->nrows;
		work.width = width;
		work.takes_all = takes_all;
		*outcome = {};
		error = error_of([&] { run_once(&work, outcome); });
		if (work.mixes_zeros)
			takes_all = true;
		else if (!wa_query_next_width(&work, error, outcome->trapped, &width))
		{
			wa_query_check(error);
			if (outcome->trapped)
				wa_query_copy_traps(&work, traps);
			return;
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
	result = error_of([&] { run(slot, query, traps, take, context, outcome); });
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
