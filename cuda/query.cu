//
// query.cu
//		The surface for whole queries: slots, and errors; see query.h.
//
#include "query.h"

#include <algorithm>
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

// Opens the slots, on the current device.
static cudaError_t
open_slots(WaCudaQueries *queries, int ordinal, unsigned nslots,
		   size_t max_bytes)
{
	cudaError_t error = cudaSuccess;

	queries->slots.resize(nslots);
	for (unsigned i = 0; i < nslots && error == cudaSuccess; i++)
		error = wa_query_slot_open(&queries->slots[i], ordinal, max_bytes);
	return error;
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
	try
	{
		*queries = new WaCudaQueries();
		pthread_mutex_init(&(*queries)->lock, NULL);
		pthread_cond_init(&(*queries)->freed, NULL);
		result = open_slots(*queries, ordinal, nslots, bytes / share);
	}
	catch (const std::bad_alloc &)
	{
		result = cudaErrorMemoryAllocation;
	}
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
	pthread_cond_destroy(&queries->freed);
	pthread_mutex_destroy(&queries->lock);
	delete queries;
}

size_t
wa_cuda_trap_words(uint64_t nrows)
{
	return wa_program_trap_bytes(nrows) / sizeof(uint64_t);
}

// Waits for a slot that is free, and takes it.
static WaQuerySlot *
take_slot(WaCudaQueries *queries)
{
	WaQuerySlot *slot = NULL;

	pthread_mutex_lock(&queries->lock);
	for (;;)
	{
		for (WaQuerySlot &other : queries->slots)
			if (!other.busy)
				slot = &other;
		if (slot != NULL)
			break;
		pthread_cond_wait(&queries->freed, &queries->lock);
	}
	slot->busy = true;
	pthread_mutex_unlock(&queries->lock);
	return slot;
}

// Gives a slot back, when nothing of it is under way any more.
static void
free_slot(WaCudaQueries *queries, WaQuerySlot *slot)
{
	wa_query_pool_reset(&slot->d_pool);
	wa_query_pool_reset(&slot->pool);
	pthread_mutex_lock(&queries->lock);
	slot->busy = false;
	pthread_cond_signal(&queries->freed);
	pthread_mutex_unlock(&queries->lock);
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
static cudaError_t
empty_slot(WaQuerySlot *slot)
{
	const cudaError_t error = cudaStreamSynchronize(slot->stream);

	wa_query_pool_reset(&slot->d_pool);
	wa_query_pool_reset(&slot->pool);
	return error;
}

// Computes a query with a slot; if it traps, its groups have not been taken.
static cudaError_t
run_once(WaQueryWork *work, WaCudaTake take, void *context,
		 WaCudaOutcome *outcome)
{
	cudaError_t error = wa_query_start(work);

	if (error == cudaSuccess && work->query->nkeys == 0)
		error = wa_query_reduce_all(work, take, context, outcome);
	else if (error == cudaSuccess)
		error = wa_query_reduce_groups(work, take, context, outcome);
	return error;
}

// Hands the tiles that have trapped over.
static cudaError_t
finish_traps(const WaQueryWork *work, uint64_t *traps)
{
	wa_query_copy_traps(work, traps);
	return wa_query_traps_often(work, traps) ? cudaErrorNotSupported
											 : cudaSuccess;
}

// Computes a query with a slot, of as many digits as it takes.
static cudaError_t
run(WaQuerySlot *slot, const WaCudaQuery *query, uint64_t *traps,
	WaCudaTake take, void *context, WaCudaOutcome *outcome)
{
	WaQueryWidth width = wa_query_first_width(query);
	bool takes_all = false;
	cudaError_t error = cudaSetDevice(slot->ordinal);

	while (error == cudaSuccess)
	{
		WaQueryWork work = {};

		work.query = query;
		work.context = context;
		work.slot = slot;
		work.nrows = (unsigned) query->nrows;
		work.width = width;
		work.takes_all = takes_all;
		*outcome = {};
		error = run_once(&work, take, context, outcome);
		if (work.mixes_zeros)
		{
			takes_all = true;
			error = empty_slot(slot);
			continue;
		}
		if (wa_query_next_width(&work, error, outcome->trapped, &width))
		{
			error = empty_slot(slot);
			continue;
		}
		if (error == cudaSuccess && outcome->trapped)
			error = finish_traps(&work, traps);
		return error;
	}
	return error;
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
	try
	{
		result = run(slot, query, traps, take, context, outcome);
	}
	catch (const std::bad_alloc &)
	{
		result = cudaErrorMemoryAllocation;
	}
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
