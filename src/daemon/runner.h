/*
 * runner.h
 *		What computes a query over extents, as a table of functions.
 *
 * A run's life: begin once; then, on several threads at once, make a state for
 * each thread that takes part and process extent after extent into it; then,
 * either on one thread, merge the states into one, or, where they are divided into
 * parts, on several threads sort them and then merge the parts; then, on one
 * thread, finish, and write the groups; free all states; end.  Whatever goes wrong,
 * states that were made are freed and a run that was begun is ended.  No function is
 * called with a lock held.  Those that return a WaStatus write a text to error
 * (WA_MAX_ERROR_BYTES) when it is not WA_OK; WA_UNSUPPORTED and WA_BAD_REQUEST say that
 * the query is not for us.
 */
#ifndef WA_DAEMON_RUNNER_H
#define WA_DAEMON_RUNNER_H

#include "core/counters.h"
#include "daemon/column.h"
#include "query/budget.h"

/* Rows begin to end - 1 of an extent. */
typedef struct WaRowRange
{
	uint32_t begin;
	uint32_t end;
} WaRowRange;

/*
 * An extent that a run uses.  Rows lie in the order of blocks and of line
 * pointers within; row_end says which block a row is of: block i of the extent
 * (wa_extent_first_block(number) + i of the relation) has the rows row_end[i - 1]
 * to row_end[i] - 1.  Only the rows in ranges are to be used; the ranges ascend,
 * and do not touch.
 */
typedef struct WaRunExtent
{
	uint32_t number;
	uint32_t device; /* ordinal of that which has it */
	uint32_t nblocks;
	uint32_t nrows; /* of each column */
	const uint32_t *row_end;
	uint32_t nranges;
	const WaRowRange *ranges;
	const WaColumn *const *columns; /* in the order of the request */
} WaRunExtent;

/* Integers lie between these; more than largest if there are none. */
typedef struct WaRunBounds
{
	int64_t smallest;
	int64_t largest;
} WaRunBounds;

/* Returns the first block of an extent whose rows end after a row. */
static inline uint32_t
wa_run_block_of_row(const WaRunExtent *extent, uint32_t row)
{
	uint32_t low = 0;
	uint32_t high = extent->nblocks;

	while (low < high)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (extent->row_end[middle] > row)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What a run is about; constant, and there until it has ended. */
typedef struct WaRunRequest
{
	const uint8_t *query; /* our own copy, unchecked; aligned to 64 bytes */
	size_t query_bytes;
	uint32_t ncolumns;
	const WaColumnName *columns;
	/*
	 * Of the TEXTs that all extents' columns have; NULL for others, and if there
	 * is no extent.  More texts may be added meanwhile, but none that these
	 * extents have.
	 */
	const WaDictionary *const *dictionaries;
	const WaRunBounds *bounds; /* of each column that is INT, in all extents */
	uint64_t nextents;         /* may be 0 */
	const WaRunExtent *const *extents;
	uint64_t rows; /* of all ranges */
	/*
	 * The extents have all blocks of the relation; and, once a run is to be
	 * finished, none was left out.
	 */
	bool is_complete;
	unsigned threads;                /* that take part at most */
	WaBudget *budget;                /* of what the run takes */
	struct WaMirror *mirror;         /* copies on GPUs (mirror.h), or NULL */
	struct WaPlacements *placements; /* of these extents there, or NULL */
	struct WaGpus *gpus; /* that compute queries (gpus.h), or NULL */
} WaRunRequest;

/* What devices have done with an extent. */
typedef struct WaDeviceShare
{
	bool taken; /* the state has its rows, but for those of blocks left out */
	uint64_t *left_out; /* these: WA_EXTENT_WORDS words for free(), or NULL */
} WaDeviceShare;

/* What came out of a run. */
typedef struct WaRunResult
{
	/* That write_groups will write; 0: there is no use in an answer after all. */
	uint64_t groups_bytes;
	uint64_t kept_rows; /* that fulfil WHERE */
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
	 * the extents to a state, made for it (*state is NULL if they have none), and
	 * tells so in shares, of the request's extents, all 0 at first.  The threads
	 * process the others.  NULL: none has any.
	 */
	WaStatus (*use_devices)(void *run, void **state,
							const WaRunRequest *request, WaDeviceShare *shares,
							char *error);

	/* Adds what a state has to another; it is freed afterwards as usual. */
	WaStatus (*merge)(void *run, void *into, void *from, char *error);

	/*
	 * Tells in how many parts the states, all that there are from now on, are to
	 * be merged; 0: by merge.  If it fails, nothing is merged.  NULL: by merge.
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

/* The CPU device's, of query programs. */
extern const WaRunner wa_query_runner;

/* Returns the runner of this program, or NULL if it has none. */
const WaRunner *wa_runner_find(void);

#endif /* WA_DAEMON_RUNNER_H */
