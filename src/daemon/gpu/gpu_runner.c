/*
 * gpu_runner.c
 *		What GPUs do for a run; see gpu_runner.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/gpu/gpu_part.h"
#include "daemon/gpu/gpu_query.h"
#include "daemon/gpu/gpu_runner.h"
#include "daemon/gpu/gpus.h"

/* Memory that the translation of a query may take. */
#define TRANSLATION_BYTES ((size_t) 64 << 20)

/*
 * Rows that are worth a state, of which a thread makes its share of the tables: to make one
 * takes about a tenth of a millisecond.  Tests set it smaller.
 */
#ifndef STATE_ROWS
#define STATE_ROWS 262144
#endif

/* All that GPUs take part with. */
typedef struct Parts
{
	const WaGpuRun *run;
	const WaRunRequest *request;
	WaDeviceShare *shares;
	WaArena arena;
	const WaNumberedQuery *query;
	const WaCudaQuery *translated;
	WaStatus (*make_state)(void *run, void **state, char *error);
	unsigned count;
	WaGpuPart parts[WA_MAX_DEVICES];
} Parts;

/*
 * Has a part compute its extents; false if another one does so with any of them,
 * which has come from one GPU to the other just now.
 */
static bool
take_extents(WaGpuPart *part)
{
	const WaMirrorUse *use = &part->use;

	for (uint32_t i = 0; i < use->nextents; i++)
		if (part->shares[use->extents[i]].taken)
			return false;
	for (uint32_t i = 0; i < use->nextents; i++)
		part->shares[use->extents[i]].taken = true;
	return true;
}

/* Tells that a part has taken nothing. */
static void
give_back(WaGpuPart *part)
{
	for (uint32_t i = 0; i < part->use.nextents; i++)
	{
		WaDeviceShare *share = &part->shares[part->use.extents[i]];

		free(share->left_out);
		*share = (WaDeviceShare){0};
	}
}

/* Ends a part that has begun with a use. */
static void
end_part(const Parts *parts, WaGpuPart *part)
{
	wa_mirror_unuse(parts->request->mirror, &part->use);
	if (part->state != NULL)
		parts->run->free_state(parts->run->run, part->state);
	wa_gpu_rows_free(part->rows);
}

/* Adds the part of a GPU, if it has one. */
static void
add_part(Parts *parts, unsigned device)
{
	const WaGpuRun *run = parts->run;
	WaGpuPart *part = &parts->parts[parts->count];
	char error[WA_MAX_ERROR_BYTES] = "";

	*part = (WaGpuPart){.request = parts->request,
						.numbered = parts->query,
						.query = &parts->query->query,
						.translated = parts->translated,
						.shares = parts->shares};
	if (!wa_mirror_use(parts->request->mirror, parts->request, device,
					   &part->use))
		return;
	part->queries = wa_gpus_queries(parts->request->gpus, device);
	part->spans = wa_gpu_spans_get(&part->use, parts->request);
	if (part->queries != NULL && part->spans != NULL &&
		parts->make_state(run->run, &part->state, error) == WA_OK &&
		take_extents(part))
	{
		part->groups = run->groups(part->state);
		parts->count++;
		return;
	}
	end_part(parts, part);
}

/* The main function of a thread that computes a part. */
static void *
part_main(void *part)
{
	wa_gpu_part_run(part);
	return NULL;
}

/* Computes all parts side by side: the first one here. */
static void
run_parts(Parts *parts)
{
	for (unsigned i = 1; i < parts->count; i++)
	{
		WaGpuPart *part = &parts->parts[i];

		part->has_thread =
			pthread_create(&part->thread, NULL, part_main, part) == 0;
	}
	for (unsigned i = 0; i < parts->count; i++)
		if (!parts->parts[i].has_thread)
			wa_gpu_part_run(&parts->parts[i]);
	for (unsigned i = 1; i < parts->count; i++)
		if (parts->parts[i].has_thread)
			(void) pthread_join(parts->parts[i].thread, NULL);
}

/* Adds what a part has found to the state: the first one's becomes it. */
static WaStatus
add_found(const Parts *parts, WaGpuPart *part, void **state, char *error)
{
	const WaGpuRun *run = parts->run;
	WaStatus status = WA_OK;

	wa_query_run_count(part->groups, part->kept_rows);
	if (*state != NULL)
		status = run->merge(run->run, *state, part->state, error);
	else
	{
		*state = part->state;
		part->state = NULL;
	}
	wa_gpu_rows_move(&part->rows, run->rows);
	return status;
}

/* Adds up what the parts have found, and ends them. */
static WaStatus
finish_parts(Parts *parts, void **state, char *error)
{
	WaStatus status = WA_OK;

	for (unsigned i = 0; i < parts->count; i++)
	{
		WaGpuPart *part = &parts->parts[i];

		if (part->status == WA_DEVICE_LOST)
		{
			status = WA_DEVICE_LOST;
			(void) snprintf(error, WA_MAX_ERROR_BYTES, "%s", part->error);
		}
		if (part->status != WA_OK)
			give_back(part);
		else if (status == WA_OK)
			status = add_found(parts, part, state, error);
		end_part(parts, part);
	}
	return status;
}

/* Returns how many states are to share the rows that become tables. */
static unsigned
count_shares(const Parts *parts)
{
	const uint64_t nshares =
		1 + wa_gpu_rows_count(*parts->run->rows) / STATE_ROWS;
	const unsigned threads = parts->request->threads;

	return nshares < threads ? (unsigned) nshares : threads;
}

/* Shares the rows that become tables between states, the first of which is there. */
static WaStatus
share_rows(const Parts *parts, void **states, char *error)
{
	const WaGpuRun *run = parts->run;
	const unsigned nshares = count_shares(parts);
	WaStatus status = WA_OK;

	for (unsigned i = 0; status == WA_OK && i < nshares; i++)
	{
		if (states[i] == NULL)
			status = run->make_state(run->run, &states[i], error);
		if (status == WA_OK &&
			!wa_gpu_rows_add(*run->rows, run->query, run->groups(states[i]), i,
							 nshares))
			status = WA_OUT_OF_MEMORY;
	}
	return status;
}

/* Computes a query, or what it is rolled up to, in states that are made by a function. */
static WaStatus
compute(Parts *parts, const WaNumberedQuery *query,
		WaStatus (*make_state)(void *run, void **state, char *error),
		void **states, char *error)
{
	const WaGpuRun *run = parts->run;
	WaStatus status;

	parts->count = 0;
	parts->query = query;
	parts->make_state = make_state;
	parts->translated = wa_gpu_query_translate(&parts->arena, query);
	if (parts->translated == NULL)
		return WA_OK;
	for (unsigned device = 0; device < WA_MAX_DEVICES; device++)
		add_part(parts, device);
	run_parts(parts);
	status = finish_parts(parts, &states[0], error);
	if (status == WA_OK && *run->rows != NULL)
		status = share_rows(parts, states, error);
	return status;
}

WaStatus
wa_gpu_runner_use(const WaGpuRun *run, void **states,
				  const WaRunRequest *request, WaDeviceShare *shares,
				  char *error)
{
	Parts *parts;
	WaStatus status = WA_OK;

	states[0] = NULL;
	/* Copies have the rows, too, in whose place others come with the query. */
	if (request->mirror == NULL || request->gpus == NULL ||
		request->rest_blocks != NULL)
		return WA_OK;
	parts = calloc(1, sizeof(*parts));
	if (parts == NULL)
		return WA_OK;
	parts->run = run;
	parts->request = request;
	parts->shares = shares;
	wa_arena_init(&parts->arena, TRANSLATION_BYTES);
	wa_arena_use_budget(&parts->arena, request->budget);
	/* What is found of values has to be of all rows: one GPU has them, or none. */
	if (run->rolled != NULL)
		status =
			compute(parts, run->rolled, run->make_rolled_state, states, error);
	if (status == WA_OK && states[0] == NULL)
		status = compute(parts, run->query, run->make_state, states, error);
	wa_arena_reset(&parts->arena);
	free(parts);
	return status;
}

void
wa_gpu_runner_find(WaStore *store, const WaCover *cover, uint32_t ncolumns)
{
	WaPlacements placements = cover->placements;
	const WaRunRequest request = {.ncolumns = ncolumns,
								  .nextents = cover->count,
								  .extents = cover->list,
								  .placements = &placements};
	WaMirrorUse use;

	for (unsigned device = 0; device < WA_MAX_DEVICES; device++)
		if (wa_mirror_use(store->mirror, &request, device, &use))
		{
			(void) wa_gpu_spans_get(&use, &request);
			wa_mirror_unuse(store->mirror, &use);
		}
}
