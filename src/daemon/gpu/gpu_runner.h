/*
 * gpu_runner.h
 *		What GPUs do for a run of queries (runner.h).
 *
 * Each GPU computes the groups of the extents that it has copies of, in a state
 * of its own; these are merged in the end.  Or it finds the rows of these that are left, if
 * they become tables: in the end states share all of them.  Whatever it cannot do is left to
 * the threads: only a GPU that is lost is an error.
 */
#ifndef WA_DAEMON_GPU_RUNNER_H
#define WA_DAEMON_GPU_RUNNER_H

#include "daemon/gpu/gpu_rows.h"
#include "daemon/store/cover.h"
#include "daemon/store/run_extents.h"
#include "query/run/run.h"

/* A run, and what its runner does with its states: but for groups see WaRunner. */
typedef struct WaGpuRun
{
	void *run;
	const WaNumberedQuery *query;
	WaStatus (*make_state)(void *run, void **state, char *error);

	/*
	 * What groups are rolled up to, by lists of values, if the query is about all rows, and a
	 * state that has no groups but these; or NULL.
	 */
	const WaNumberedQuery *rolled;
	WaStatus (*make_rolled_state)(void *run, void **state, char *error);

	/* Returns what a state has its groups in. */
	WaQueryRun *(*groups)(const void *state);
	WaStatus (*merge)(void *run, void *into, void *from, char *error);
	void (*free_state)(void *run, void *state);
	WaGpuRows **rows; /* that states have; the runner frees them after these */
} WaGpuRun;

/* See use_devices of WaRunner. */
WaStatus wa_gpu_runner_use(const WaGpuRun *run, void **states,
						   const WaRunRequest *request, WaDeviceShare *shares,
						   char *error);

/*
 * Finds where the extents of a cover are on GPUs, and in which spans, for the queries to
 * come: a WaCoverUser (cover_renew.h).
 */
void wa_gpu_runner_find(WaStore *store, const WaCover *cover,
						uint32_t ncolumns);

#endif /* WA_DAEMON_GPU_RUNNER_H */
