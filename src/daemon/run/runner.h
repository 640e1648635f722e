/*
 * runner.h
 *		What computes a query over extents, as a table of functions.
 *
 * A run's life: begin once; then, on several threads at once, make a state for
 * each thread that takes part and process extent after extent into it; then,
 * either on one thread, merge the states into one, or, where they are divided into
 * parts, on several threads sort them and then merge the parts; then, on one
 * thread, finish, and write the groups; free all states; end.  Where memory runs out in between,
 * and slices can be taken, all states are freed and all is done again with these.  Whatever goes wrong,
 * states that were made are freed and a run that was begun is ended.  No function is
 * called with a lock held.  Those that return a WaStatus write a text to error
 * (WA_MAX_ERROR_BYTES) when it is not WA_OK; WA_UNSUPPORTED and WA_BAD_REQUEST say that
 * the query is not for us.
 */
#ifndef WA_DAEMON_RUNNER_H
#define WA_DAEMON_RUNNER_H

#include "daemon/store/run_extents.h"
#include "query/run/run_slice.h"

/* What came out of a run. */
typedef struct WaRunResult
{
	/* That write_groups will write; 0: there is no use in an answer after all. */
	uint64_t groups_bytes;
	uint64_t kept_rows; /* that fulfil WHERE */
	bool is_rolled; /* the groups have been rolled up (query/message/query.h) */
} WaRunResult;

typedef struct WaRunner
{
	WaDeviceKind kind;

	/*
	 * Reads and checks the query; *run is what the others are given, NULL if there
	 * is no use in an answer.
	 */
	WaStatus (*begin)(const WaRunRequest *request, void **run, char *error);

	/* Makes a state of no rows, which is never NULL. */
	WaStatus (*make_state)(void *run, void **state, char *error);

	/*
	 * Adds the rows of an extent to a state.  A block none of whose rows it can
	 * add has its bit set in left_out (WA_EXTENT_WORDS words, all 0 at first).
	 */
	WaStatus (*process)(void *run, void *state, const WaRunExtent *extent,
						uint64_t *left_out, char *error);

	/*
	 * Called before any extent is processed: has devices add what they have of
	 * the extents to states, one for each of the request's threads, all NULL at first,
	 * which are made for it from the first one on; and tells so in shares, of the
	 * request's extents, all 0 at first.  The threads process the others.  NULL: none
	 * has any.
	 */
	WaStatus (*use_devices)(void *run, void **states,
							const WaRunRequest *request, WaDeviceShare *shares,
							char *error);

	/*
	 * Tells whether the threads are to begin with the last extents, as these are likely to
	 * have what is wanted.
	 */
	bool (*is_backward)(const void *run);

	/*
	 * Tells whether the rows can be taken in slices (query/run/run_slice.h), of which not all is
	 * wanted.  NULL: they cannot.
	 */
	bool (*can_slice)(void *run);

	/*
	 * Tells, after rows have been added to a state, whether slices take less time than to go on.
	 */
	bool (*prefers_slices)(void *run, const void *state);

	/* Begins with slices; all states of before are freed.  Nothing is merged, divided or sorted. */
	WaStatus (*begin_slices)(void *run, char *error);

	/* Stores the hashes of an extent's rows, by a state that is for that alone. */
	WaStatus (*hash)(void *run, void *state, const WaRunExtent *extent,
					 uint16_t *hashes, char *error);

	/* Makes a state of no rows for a slice that has so many. */
	WaStatus (*make_slice)(void *run, uint64_t rows, void **state, char *error);

	/* Adds those rows of an extent to a state that are in the slice. */
	WaStatus (*take_slice)(void *run, void *state, const WaRunExtent *extent,
						   const WaRowSlice *slice, const uint16_t *hashes,
						   char *error);

	/*
	 * Keeps what is wanted of a state that has all rows of a slice: what is finished and written
	 * in the end is what has been kept.  WA_OUT_OF_MEMORY: nothing of the slice has been.
	 */
	WaStatus (*keep_slice)(void *run, void *state, char *error);

	/* Adds what a state has to another; it is freed afterwards as usual. */
	WaStatus (*merge)(void *run, void *into, void *from, char *error);

	/*
	 * Tells in how many parts the states, all that there are from now on, are to
	 * be merged; 0: by merge.  If it fails, nothing is merged.
	 */
	WaStatus (*divide)(void *run, void *const *states, unsigned nstates,
					   uint32_t *nparts, char *error);

	/* Sorts what a state has by parts, at the same time as others. */
	WaStatus (*sort)(void *run, void *state, char *error);

	/* Merges a part of all sorted states, at the same time as others. */
	WaStatus (*merge_part)(void *run, uint32_t part, char *error);

	/*
	 * Tells what will be written of the one state that is left, or, if there are
	 * parts, of these: the state is one of those that were divided then.
	 */
	WaStatus (*finish)(void *run, void *state, WaRunResult *result,
					   char *error);

	/*
	 * Writes groups_bytes bytes to the place, aligned to 64, which a backend
	 * may read and change meanwhile: nothing is to be read back from it.
	 */
	void (*write_groups)(void *run, void *state, uint8_t *place);

	void (*free_state)(void *run, void *state);
	void (*end)(void *run);
} WaRunner;

/* Of query programs, on the CPU and on GPUs; tests have one that counts in its place. */
extern const WaRunner wa_query_runner;

#endif /* WA_DAEMON_RUNNER_H */
