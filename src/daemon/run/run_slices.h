/*
 * run_slices.h
 *		Going over the extents of a RUN slice by slice, where memory runs out otherwise.
 *
 * First all rows are hashed by their keys; then each morsel is a slice of the hashes, for whose
 * groups alone memory is needed, and only what the query wants of these is kept.  A slice for
 * which memory does not suffice is divided.
 */
#ifndef WA_DAEMON_RUN_SLICES_H
#define WA_DAEMON_RUN_SLICES_H

#include "core/must_check.h"
#include "daemon/run/run_sources.h"
#include "daemon/run/runner.h"

/* Hashes are counted in so many buckets, of which a slice has some. */
#define WA_SLICE_BUCKETS 1024

/* A slice: buckets from begin to before end. */
typedef struct WaBucketSlice
{
	uint32_t begin;
	uint32_t end;
	bool ran_out; /* of memory */
} WaBucketSlice;

/*
 * The hashes of an extent, and ran_out of a slice, are their morsel's; counts are changed
 * atomically while rows are hashed.  All the rest is one thread's after the other's.
 */
typedef struct WaRunSlices
{
	const WaRunSources *sources;
	WaBudget *budget;
	uint16_t *hashes;  /* of the rows of all extents */
	uint64_t *offsets; /* where in these an extent's are */
	uint64_t bytes;    /* of both */
	uint64_t counts[WA_SLICE_BUCKETS];
	WaBucketSlice slices[WA_SLICE_BUCKETS + 1];
	uint32_t nslices; /* 0: rows are being hashed */
} WaRunSlices;

/* Makes slices without hashes; NULL: there is not enough memory. */
WaRunSlices *wa_run_slices_make(const WaRunSources *sources, WaBudget *budget);

/* Stores the hashes of the rows of an extent, in a state that is for that. */
WA_MUST_CHECK WaStatus wa_run_slices_hash(WaRunSlices *slices, void *run,
										  void *state, uint64_t place,
										  char *error);

/* Chooses slices by the rows that they have, for so many threads, once all are hashed. */
void wa_run_slices_choose(WaRunSlices *slices, unsigned threads);

/*
 * Does a slice: makes a state, brings its rows into that, and keeps what is wanted.  Where memory
 * runs out before anything is kept that is noted.
 */
WA_MUST_CHECK WaStatus wa_run_slices_do(WaRunSlices *slices, void *run,
										uint64_t number, char *error);

/*
 * Leaves parts of those slices that memory ran out in, and returns true, unless one of them cannot
 * be divided.  There may be none.
 */
WA_MUST_CHECK bool wa_run_slices_divide(WaRunSlices *slices);

void wa_run_slices_free(WaRunSlices *slices);

#endif /* WA_DAEMON_RUN_SLICES_H */
