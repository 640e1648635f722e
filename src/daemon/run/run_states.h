/*
 * run_states.h
 *		What the threads of a RUN have computed, and bringing it together.
 *
 * When all extents are processed, either one thread merges the states, or, where
 * the runner divides them into parts, threads do so in two stages: in the first,
 * each state is sorted, in the second, each part is merged.
 */
#ifndef WA_DAEMON_RUN_STATES_H
#define WA_DAEMON_RUN_STATES_H

#include "core/must_check.h"
#include "daemon/run/runner.h"

/* What morsels are. */
typedef enum WaRunStage
{
	WA_STAGE_EXTENTS,
	WA_STAGE_STATES,
	WA_STAGE_PARTS
} WaRunStage;

/*
 * Of the states, each is its thread's while extents are processed, and its
 * morsel's while they are sorted; all the rest is one thread's after the other's.
 */
typedef struct WaRunStates
{
	void *run; /* the runner's own */
	unsigned threads;
	void **states;    /* of the threads; NULL: it has none */
	unsigned nstates; /* after the first stage: they stand in front */
	uint32_t nparts;  /* likewise; 0: they are merged on one thread */
	WaRunStage stage;
} WaRunStates;

/* Makes *states those of so many threads; false if there is not enough memory. */
bool wa_run_states_init(WaRunStates *states, unsigned threads);

/* Makes a thread's state of no rows, unless it has one. */
WA_MUST_CHECK WaStatus wa_run_states_have(WaRunStates *states, unsigned thread,
										  char *error);

/*
 * Goes on to the next stage, and stores how many morsels that has; 0: there is
 * none.
 */
WA_MUST_CHECK WaStatus wa_run_states_next(WaRunStates *states,
										  uint64_t *nmorsels, char *error);

/* Does a morsel of a stage other than the first. */
WA_MUST_CHECK WaStatus wa_run_states_do(WaRunStates *states, uint64_t number,
										char *error);

/*
 * Brings together what no stage has: then states[0] is what the runner finishes
 * and writes.
 */
WA_MUST_CHECK WaStatus wa_run_states_merge(WaRunStates *states, char *error);

/* Frees all states; what follows is the first stage again. */
void wa_run_states_restart(WaRunStates *states);

/* Frees all that was made for states. */
void wa_run_states_free(WaRunStates *states);

#endif /* WA_DAEMON_RUN_STATES_H */
