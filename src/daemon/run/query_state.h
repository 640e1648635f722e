/*
 * query_state.h
 *		A query of the CPU device's runner (query_runner.c), and the states of its threads.
 */
#ifndef WA_DAEMON_QUERY_STATE_H
#define WA_DAEMON_QUERY_STATE_H

#include <pthread.h>

#include "core/must_check.h"
#include "daemon/gpu/gpu_runner.h"
#include "daemon/run/made_tables.h"
#include "daemon/run/query_tables.h"
#include "daemon/run/runner.h"
#include "query/run/rest_groups.h"
#include "query/run/run.h"
#include "query/run/run_slice.h"
#include "query/run/value_parts.h"

typedef struct WaQueryState
{
	WaArena arena;
	WaArena vectors; /* of the groups' arena */
	WaQueryRun *run;
	struct WaQueryState
		*listing; /* the run is its, and lists values; or NULL */
	WaColumnRows rows[WA_MAX_QUERY_COLUMNS]; /* of the batch at hand */
} WaQueryState;

typedef struct WaRunQuery
{
	const WaRunRequest *request;
	WaArena arena;
	WaTableUses kept;
	const WaQuery *asked;
	const WaNumberedQuery *numbered;
	const WaQuery *query; /* the same without texts */
	const WaNumberedQuery
		*rolled; /* what its groups are rolled up to, or NULL */
	bool may_trap;
	WaTextCodes texts[WA_MAX_QUERY_COLUMNS]; /* of TEXT */
	WaHashedRegisters hashed;      /* if there may be slices of rows; then: */
	WaNumberedQuery rolled_groups; /* as rolled, without lists */
	pthread_mutex_t kept_lock;
	WaQueryState *kept_groups; /* wanted of slices; guarded by the lock */
	WaArena message_arena;
	WaWriter message;  /* the groups, once the run is finished */
	WaQueryRun **runs; /* of the states, if they are merged by parts; then: */
	unsigned nruns;
	uint32_t nparts;
	WaArena *part_arenas;
	WaWriter *part_messages;
	WaQueryState *
		*part_states;     /* of what is rolled up; of parts that are done */
	size_t parts_bytes;   /* of the messages; changed atomically */
	bool is_useless;      /* some part is (see is_useless); atomically */
	WaValueParts *values; /* of lists of the runs; or NULL */
	WaRestGroups *rest;   /* that the first state takes; or NULL */
	WaMadeTables *made;   /* where rows become tables; or NULL */
	WaGpuRows *gpu_rows;  /* that GPUs have handed over for these */
} WaRunQuery;

/* Writes a text to error and returns the status. */
WaStatus wa_query_fail(char *error, WaStatus status, const char *text);

/* Returns the status that an outcome other than a trap comes to. */
WaStatus wa_query_status_of(WaRunOutcome outcome, char *error);

/*
 * Tells whether the first groups of a query can be told of the extents: no other rows
 * belong to them.
 */
bool wa_query_can_choose(const WaQuery *query, const WaRunRequest *request);

/*
 * Tells whether there is a use in an answer over the extents: a query may want
 * only its first groups, which can be told if no other rows belong to them, and its
 * tables may be of another time.
 */
bool wa_query_has_use(const WaQuery *query, const WaRunRequest *request);

/*
 * Tells whether the groups of a query are rolled up, which is settled when all extents have
 * been processed.
 */
bool wa_query_rolls(const WaRunQuery *query);

/* Tells whether a run has more groups than the query has a use for. */
bool wa_query_has_too_many(const WaRunQuery *query, const WaQueryRun *run);

/* Notes that nobody will want an answer. */
void wa_query_give_up(WaRunQuery *query);

/* Tells whether nobody will want an answer: there are too many groups. */
bool wa_query_is_useless(const WaRunQuery *query, const WaQueryState *state);

/* Makes a state of no rows of one of the query's forms, as of a WaRunner. */
WaStatus wa_query_state_make_of(const WaRunQuery *query,
								const WaNumberedQuery *numbered, void **state,
								char *error);

/* Of a WaRunner: */
WaStatus wa_query_state_make(void *run, void **state, char *error);
void wa_query_state_free(void *run, void *state);

#endif /* WA_DAEMON_QUERY_STATE_H */
