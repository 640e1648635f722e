/*
 * test_daemon_fake_cuda.c
 *		GPUs that are none: what warpaggd is linked with to see how it bears
 *		what real ones do.
 *
 * Batches are folded on the CPU, but for those of int8 whose first value asks
 * for trouble.  Copies of resident columns are those of test_mirror_device.c.  The
 * environment says how many GPUs there are and what becomes
 * of opening them.
 *
 *	WA_FAKE_GPUS=N,OPEN_MS,FAILING,PIN[,QUERY]	N GPUs, opening each takes
 *		OPEN_MS, opening the one numbered FAILING fails, pinning fails if PIN is 0,
 *		queries end with the WaStatus QUERY; without it GPUs take none
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/query.h"
#include "cuda/warpagg_cuda.h"
#include "test/unit/test_daemon_fake_cuda.h"

struct WaCudaLane
{
	int ordinal;
};

/* What the environment asks for. */
typedef struct Fake
{
	int gpus;
	int open_ms;
	int failing;
	int pin;
	int query;
} Fake;

static Fake
read_fake(void)
{
	Fake fake = {0, 0, -1, 1, WA_OK};
	const char *text = getenv(WA_FAKE_VARIABLE);

	if (text != NULL)
		(void) sscanf(text, "%d,%d,%d,%d,%d", &fake.gpus, &fake.open_ms,
					  &fake.failing, &fake.pin, &fake.query);
	return fake;
}

int
wa_cuda_device_count(char *error, size_t error_bytes)
{
	Fake fake = read_fake();

	if (fake.gpus == 0)
		(void) snprintf(error, error_bytes, "no CUDA driver, it is said");
	return fake.gpus;
}

WaStatus
wa_cuda_open(int ordinal, WaDeviceInfo *info, char *error, size_t error_bytes)
{
	Fake fake = read_fake();

	(void) poll(NULL, 0, fake.open_ms);
	if (ordinal == fake.failing)
	{
		(void) snprintf(error, error_bytes, "it is broken, it is said");
		return WA_DEVICE_LOST;
	}
	info->memory_bytes = (uint64_t) 1 << 30;
	info->free_bytes = info->memory_bytes;
	info->compute_major = 9;
	info->multiprocessors = 132;
	(void) snprintf(info->name, sizeof(info->name), "Fake GPU");
	return WA_OK;
}

WaStatus
wa_cuda_pin(void *memory, size_t bytes, char *error, size_t error_bytes)
{
	(void) memory;
	if (bytes % 4096 == 0 && read_fake().pin != 0)
		return WA_OK;
	(void) snprintf(error, error_bytes, "it cannot be pinned, it is said");
	return WA_OUT_OF_MEMORY;
}

WaStatus
wa_cuda_lane_open(int ordinal, size_t max_bytes, WaCudaLane **lane, char *error,
				  size_t error_bytes)
{
	(void) max_bytes;
	*lane = malloc(sizeof(**lane));
	if (*lane == NULL)
	{
		(void) snprintf(error, error_bytes, "out of memory");
		return WA_OUT_OF_MEMORY;
	}
	(*lane)->ordinal = ordinal;
	return WA_OK;
}

void
wa_cuda_lane_close(WaCudaLane *lane)
{
	free(lane);
}

WaStatus
wa_cuda_reduce(WaCudaLane *lane, WaOpSet ops, const WaBatch *batch,
			   WaPartial *partial, char *error, size_t error_bytes)
{
	int64_t first = 0;

	(void) lane;
	if (batch->type == WA_INT8 && batch->nrows > 0)
		memcpy(&first, batch->values, sizeof(first));
	if (first == WA_FAKE_HANG)
		(void) poll(NULL, 0, WA_FAKE_HANG_MS);
	if (first == WA_FAKE_LOSS || first == WA_FAKE_NO_MEMORY)
	{
		(void) snprintf(error, error_bytes, "there is trouble, it is said");
		return first == WA_FAKE_LOSS ? WA_DEVICE_LOST : WA_OUT_OF_MEMORY;
	}
	wa_partial_fold(partial, ops, batch);
	return WA_OK;
}

/* There are no queries to keep: something to point to. */
WaStatus
wa_cuda_queries_open(int ordinal, unsigned nslots, unsigned share,
					 WaCudaQueries **queries, char *error, size_t error_bytes)
{
	static char some_queries;

	(void) ordinal;
	(void) nslots;
	(void) share;
	*queries = NULL;
	if (read_fake().query != WA_OK)
	{
		*queries = (WaCudaQueries *) (void *) &some_queries;
		return WA_OK;
	}
	(void) snprintf(error, error_bytes, "this GPU is none");
	return WA_UNSUPPORTED;
}

/* No query hands rows over. */
void
wa_cuda_rows_free(WaCudaQueries *queries, void *memory)
{
	(void) queries;
	(void) memory;
}

WaStatus
wa_cuda_query_run(WaCudaQueries *queries, const WaCudaQuery *query,
				  uint64_t *traps, WaCudaTake take, void *context,
				  WaCudaOutcome *outcome, char *error, size_t error_bytes)
{
	(void) queries;
	(void) query;
	(void) traps;
	(void) take;
	(void) context;
	(void) outcome;
	(void) snprintf(error, error_bytes, "the query fails, it is said");
	return (WaStatus) read_fake().query;
}
