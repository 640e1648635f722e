/*
 * run_internal.h
 *		The inside of a RUN, for its life (run.c) and its stages (run_stages.c).
 */
#ifndef WA_DAEMON_RUN_INTERNAL_H
#define WA_DAEMON_RUN_INTERNAL_H

#include "core/must_check.h"
#include "daemon/run/named_sources.h"
#include "daemon/run/run.h"
#include "daemon/run/run_left_out.h"
#include "daemon/run/run_rest.h"
#include "daemon/run/run_slices.h"
#include "daemon/run/run_sources.h"
#include "daemon/run/run_states.h"

/*
 * lock guards status and error of the outcome while morsels are done; states
 * (run_states.h), and what is left out of an extent (run_left_out.h), are their threads'
 * then.  All the rest is one thread's after the other's.
 */
struct WaRun
{
	WaPoolJob job; /* first: a job is one of these */
	pthread_mutex_t lock;
	WaStore *store;
	const WaParcel *parcel;
	WaRunMessage message;
	int64_t since_ns;
	unsigned threads;
	WaBudget budget;     /* its own rules: query/base/budget.h */
	uint8_t *query;      /* a copy */
	uint64_t query_room; /* bytes of it */
	uint64_t file_bytes; /* of the answer, if it has a file */
	WaRunSources sources;
	WaRunRest rest_rows;
	uint64_t *rest; /* extents that no device has taken */
	uint64_t nrest;
	uint64_t share;  /* of them that a morsel has */
	bool has_shares; /* of devices */
	WaRunRequest request;
	bool begun; /* by the runner */
	WaRunStates states;
	bool can_slice;      /* the runner */
	bool ran_out;        /* of memory; changed atomically */
	WaRunSlices *slices; /* from then on */
	WaRunResult result;
	WaRunLeftOut left_out;
	WaRunEnd outcome;
	const WaRunReplies *replies; /* or NULL */
	bool announced;              /* the blocks of the cover are */
	bool answered;               /* changed atomically */
};

/* Notes why the run fails, unless it has failed already. */
void wa_run_fail(WaRun *run, WaStatus status, const char *error);

/* Has devices take what they have; false if the run has failed. */
WA_MUST_CHECK bool wa_run_use_devices(WaRun *run);

/* Begins with morsels of the extents that no device has taken; returns how many. */
uint64_t wa_run_begin_extents(WaRun *run);

/* Of a WaPoolJob; when there are no more morsels the run's result is there, or it has failed. */
bool wa_run_morsel(WaPoolJob *job, unsigned thread, uint64_t number);
uint64_t wa_run_more(WaPoolJob *job);

#endif /* WA_DAEMON_RUN_INTERNAL_H */
