/*
 * run.h
 *		A RUN: a runner's way over the fresh blocks of its sources.
 *
 * A run is a job of the pool.  Its first thread copies what the message names
 * out of the parcel and collects the extents; then each extent is a morsel (or all
 * of them are one, where rows are only counted), and each thread has a state of its
 * own; the last thread merges them and writes the answer.
 */
#ifndef WA_DAEMON_RUN_H
#define WA_DAEMON_RUN_H

#include "daemon/base/parcel.h"
#include "daemon/base/pool.h"
#include "daemon/run/runner.h"
#include "daemon/store/store.h"

typedef struct WaRun WaRun;

/* What became of a run; constant once that is finished. */
typedef struct WaRunEnd
{
	WaStatus status;
	char error[WA_MAX_ERROR_BYTES];
	WaAnswerMessage answer; /* but for its header */
	uint32_t bulk;          /* checksum of what has been written */
	int groups_fd;          /* -1: they are in the parcel; the run closes it */
} WaRunEnd;

/* Whoever is told of a run, by its threads. */
typedef struct WaRunReplies
{
	/*
	 * Announces how many blocks the answer will cover, which have been written with
	 * this checksum; returns false if it has not.
	 */
	bool (*announce)(void *owner, uint64_t blocks, uint32_t bulk);
	/*
	 * Answers a run that has come to an end, by the thread that has ended it, before
	 * all of it is freed.  The parcel is not used any more.
	 */
	void (*answer)(void *owner, const WaRunEnd *outcome);
} WaRunReplies;

/*
 * Tells whether all that the message names lies in the parcel, but for what depends on the
 * sources: whoever has them copied knows.
 */
bool wa_run_is_sound(const WaRunMessage *message, const WaParcel *parcel);

/*
 * Makes a run of a sound message, for a pool of so many threads; store and
 * parcel are there as long as it is.  It is answered unless it is cancelled; replies may
 * be NULL.  Returns NULL if there is no memory.
 */
WaRun *wa_run_make(WaStore *store, const WaParcel *parcel,
				   const WaRunMessage *message, unsigned threads,
				   const WaRunReplies *replies, void *owner);

/* Returns the run as the pool knows it. */
WaPoolJob *wa_run_job(WaRun *run);

/* Tells, at any time, whether a run is being answered or has been. */
bool wa_run_is_answered(const WaRun *run);

/* Returns what became of a finished run. */
const WaRunEnd *wa_run_outcome(const WaRun *run);

/* Frees a run that is finished, or was never seen by a thread. */
void wa_run_free(WaRun *run);

#endif /* WA_DAEMON_RUN_H */
