/*
 * run_stages.c
 *		The stages of a RUN: those of states, or, once memory has run out, of slices; see
 *		run_internal.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "daemon/run/run_internal.h"

void
wa_run_fail(WaRun *run, WaStatus status, const char *error)
{
	(void) pthread_mutex_lock(&run->lock);
	if (run->outcome.status == WA_OK)
	{
		run->outcome.status = status;
		(void) snprintf(run->outcome.error, sizeof(run->outcome.error), "%s",
						error);
	}
	(void) pthread_mutex_unlock(&run->lock);
}

/* Tells whether memory has run out. */
static inline bool
has_run_out(const WaRun *run)
{
	return __atomic_load_n(&run->ran_out, __ATOMIC_RELAXED);
}

/* Notes that memory has run out, or that slices take less time. */
static inline void
set_ran_out(WaRun *run)
{
	__atomic_store_n(&run->ran_out, true, __ATOMIC_RELAXED);
}

/* Notes that memory has run out, if slices may help against that; false: they do not. */
static bool
runs_out(WaRun *run, WaStatus status)
{
	if (status != WA_OUT_OF_MEMORY || !run->can_slice)
		return false;
	set_ran_out(run);
	return true;
}

/*
 * Makes a thread's state, if it has none yet; tells whether it has one then, or memory has run
 * out.
 */
static bool
have_state(WaRun *run, unsigned thread)
{
	char error[WA_MAX_ERROR_BYTES] = "";
	const WaStatus status = wa_run_states_have(&run->states, thread, error);

	if (status == WA_OK || runs_out(run, status))
		return true;
	wa_run_fail(run, status, error);
	return false;
}

/*
 * Notes blocks of an extent that the runner has left out; false, and the run has
 * failed, if there is no memory.
 */
static bool
leave_out(WaRun *run, uint64_t place, const uint64_t *left_out)
{
	if (wa_run_left_out_add(&run->left_out, run->sources.list[place], place,
							run->sources.count, left_out))
		return true;
	wa_run_fail(run, WA_OUT_OF_MEMORY, "not enough memory for a query");
	return false;
}

/* Notes what devices have done, and which extents are left. */
static bool
note_shares(WaRun *run, const WaDeviceShare *shares)
{
	const bool backward = wa_query_runner.is_backward(run->states.run);
	bool noted = true;

	for (uint64_t n = 0; n < run->sources.count; n++)
	{
		const uint64_t i = backward ? run->sources.count - 1 - n : n;

		if (!shares[i].taken)
		{
			run->rest[run->nrest++] = i;
			continue;
		}
		run->has_shares = true;
		if (shares[i].left_out != NULL && noted)
			noted = leave_out(run, i, shares[i].left_out);
		free(shares[i].left_out);
	}
	return noted;
}

bool
wa_run_use_devices(WaRun *run)
{
	const uint64_t count = run->sources.count;
	WaDeviceShare *shares = calloc(count, sizeof(*shares));
	char error[WA_MAX_ERROR_BYTES] = "not enough memory for a query";
	WaStatus status = WA_OUT_OF_MEMORY;
	bool noted = false;

	run->rest = malloc(count * sizeof(*run->rest));
	if (run->rest != NULL && shares != NULL)
	{
		status = wa_query_runner.use_devices == NULL
					 ? WA_OK
					 : wa_query_runner.use_devices(
						   run->states.run, run->states.states, &run->request,
						   shares, error);
		noted = note_shares(run, shares) && status == WA_OK;
	}
	if (run->rest != NULL && runs_out(run, status))
		noted = true;
	else if (status != WA_OK)
		wa_run_fail(run, status, error);
	free(shares);
	return noted;
}

/* Notes whether the answer covers all blocks, once all extents are processed. */
static void
settle_completeness(WaRun *run)
{
	if (run->left_out.blocks > 0)
		run->request.is_complete = false;
}

uint64_t
wa_run_begin_extents(WaRun *run)
{
	/* To count rows takes less time than to share that between threads. */
	run->share = run->message.ncolumns == 0 ? run->nrest : 1;
	return (run->nrest + run->share - 1) / run->share;
}

/* Begins with slices, for which all rows are hashed first, and stores the number of morsels. */
static WaStatus
begin_slices(WaRun *run, uint64_t *nmorsels, char *error)
{
	run->ran_out = false;
	run->has_shares = false;
	wa_run_states_restart(&run->states);
	run->slices = wa_run_slices_make(&run->sources, &run->budget);
	*nmorsels = run->sources.count;
	return run->slices == NULL
			   ? WA_OUT_OF_MEMORY
			   : wa_query_runner.begin_slices(run->states.run, error);
}

/* Goes on to the slices, or parts of those that memory ran out in, and stores how many. */
static WaStatus
go_on_slices(WaRun *run, uint64_t *nmorsels, char *error)
{
	WaRunSlices *slices = run->slices;

	if (slices->nslices == 0)
	{
		wa_run_states_restart(&run->states);
		wa_run_slices_choose(slices, run->threads);
	}
	else if (!wa_run_slices_divide(slices))
		return WA_OUT_OF_MEMORY;
	*nmorsels = slices->nslices;
	return *nmorsels > 0 ? WA_OK
						 : wa_query_runner.finish(run->states.run, NULL,
												  &run->result, error);
}

/* Goes on to the next stage of states, or finishes, and stores how many morsels it has. */
static WaStatus
go_on_states(WaRun *run, uint64_t *nmorsels, char *error)
{
	WaStatus status;

	if (has_run_out(run))
		return WA_OUT_OF_MEMORY;
	settle_completeness(run);
	status = wa_run_states_next(&run->states, nmorsels, error);
	if (status == WA_OK && *nmorsels == 0)
		status = wa_run_states_merge(&run->states, error);
	if (status == WA_OK && *nmorsels == 0)
		status = wa_query_runner.finish(run->states.run, run->states.states[0],
										&run->result, error);
	return status;
}

uint64_t
wa_run_more(WaPoolJob *job)
{
	WaRun *run = (WaRun *) job;
	char error[WA_MAX_ERROR_BYTES] = "not enough memory for groups";
	uint64_t nmorsels = 0;
	WaStatus status;

	if (run->slices != NULL)
		status = go_on_slices(run, &nmorsels, error);
	else
	{
		status = go_on_states(run, &nmorsels, error);
		/* In slices the blocks that were left out might not be. */
		if (runs_out(run, status) && run->left_out.blocks == 0)
			status = begin_slices(run, &nmorsels, error);
	}
	if (status == WA_OK)
		return nmorsels;
	wa_run_fail(run, status, error);
	return 0;
}

/* Has the runner hash an extent, or do a slice. */
static WaStatus
do_slices(WaRun *run, unsigned thread, uint64_t number, char *error)
{
	WaStatus status;

	if (run->slices->nslices > 0)
		return wa_run_slices_do(run->slices, run->states.run, number, error);
	status = wa_run_states_have(&run->states, thread, error);
	return status != WA_OK
			   ? status
			   : wa_run_slices_hash(run->slices, run->states.run,
									run->states.states[thread], number, error);
}

/* Has the runner process an extent. */
static bool
run_extent(WaRun *run, unsigned thread, uint64_t place)
{
	uint64_t left_out[WA_EXTENT_WORDS] = {0};
	char error[WA_MAX_ERROR_BYTES] = "";
	const WaStatus status =
		wa_query_runner.process(run->states.run, run->states.states[thread],
								run->sources.list[place], left_out, error);

	if (status == WA_OK)
	{
		/* What devices have done would be done again. */
		if (run->can_slice && !run->has_shares &&
			wa_query_runner.prefers_slices(run->states.run,
										   run->states.states[thread]))
			set_ran_out(run);
		return leave_out(run, place, left_out);
	}
	if (runs_out(run, status))
		return true;
	wa_run_fail(run, status, error);
	return false;
}

/* Has the runner process a share of the rest. */
static bool
run_share(WaRun *run, unsigned thread, uint64_t number)
{
	const uint64_t begin = number * run->share;

	if (!have_state(run, thread))
		return false;
	for (uint64_t i = begin;
		 i < begin + run->share && i < run->nrest && !has_run_out(run); i++)
		if (!run_extent(run, thread, run->rest[i]))
			return false;
	return true;
}

/* Morsels are extents of the rest, and then what merging consists of. */
bool
wa_run_morsel(WaPoolJob *job, unsigned thread, uint64_t number)
{
	WaRun *run = (WaRun *) job;
	char error[WA_MAX_ERROR_BYTES] = "";
	WaStatus status;

	if (has_run_out(run))
		return true;
	if (run->slices != NULL)
		status = do_slices(run, thread, number, error);
	else if (run->states.stage == WA_STAGE_EXTENTS)
		return run_share(run, thread, number);
	else
		status = wa_run_states_do(&run->states, number, error);
	if (status == WA_OK || (run->slices == NULL && runs_out(run, status)))
		return true;
	wa_run_fail(run, status, error);
	return false;
}
