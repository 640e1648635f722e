/*
 * test_counting_runner.c
 *		Counting rows; see test_counting_runner.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/test_counting_runner.h"

typedef struct CountingRun
{
	const WaRunRequest *request;
	WaTestQuery query;
	void *const *states; /* that are divided */
	unsigned nstates;
	WaTestGroups total; /* of the parts, changed atomically */
	unsigned sorted;    /* states, likewise */
	unsigned merged;    /* parts, likewise */
} CountingRun;

static int live;

int
wa_test_runner_live(void)
{
	return __atomic_load_n(&live, __ATOMIC_SEQ_CST);
}

/* Notes that something was made or freed. */
static void
count_live(int change)
{
	(void) __atomic_fetch_add(&live, change, __ATOMIC_SEQ_CST);
}

/* Fails if that is what the query asks for. */
static WaStatus
fail_at(const CountingRun *run, WaTestFailure failure, char *error)
{
	if (run->query.failure != (uint32_t) failure)
		return WA_OK;
	(void) snprintf(error, WA_MAX_ERROR_BYTES, "so be it");
	return WA_UNSUPPORTED;
}

static WaStatus
counting_begin(const WaRunRequest *request, void **result, char *error)
{
	CountingRun *run;
	WaTestQuery query;

	if (request->query_bytes != sizeof(query))
		return WA_BAD_REQUEST;
	memcpy(&query, request->query, sizeof(query));
	if (query.magic != WA_TEST_QUERY_MAGIC ||
		query.groups_bytes < sizeof(WaTestGroups) ||
		query.groups_bytes > (uint64_t) 1 << 30)
		return WA_BAD_REQUEST;
	run = calloc(1, sizeof(*run));
	if (run == NULL)
		return WA_OUT_OF_MEMORY;
	run->request = request;
	run->query = query;
	if (fail_at(run, WA_TEST_FAIL_BEGIN, error) != WA_OK)
	{
		free(run);
		return WA_UNSUPPORTED;
	}
	*result = NULL;
	if (query.only_complete != 0 && !request->is_complete)
	{
		free(run);
		return WA_OK;
	}
	count_live(1);
	*result = run;
	return WA_OK;
}

static WaStatus
counting_make_state(void *run, void **state, char *error)
{
	WaTestGroups *groups;

	if (fail_at(run, WA_TEST_FAIL_MAKE_STATE, error) != WA_OK)
		return WA_UNSUPPORTED;
	groups = calloc(1, sizeof(*groups));
	if (groups == NULL)
		return WA_OUT_OF_MEMORY;
	groups->states = 1;
	count_live(1);
	*state = groups;
	return WA_OK;
}

/* Adds a row of a column. */
static void
add_row(WaTestGroups *groups, const WaColumn *column, uint32_t row)
{
	if (column->form == WA_FORM_INT64)
		groups->sum = (int64_t) ((uint64_t) groups->sum +
								 ((const uint64_t *) column->values)[row]);
	else if (column->form == WA_FORM_TEXT)
		groups->text_bytes +=
			wa_dictionary_text(column->dictionary,
							   ((const int32_t *) column->values)[row])
				.length;
}

static WaStatus
counting_process(void *arg, void *state, const WaRunExtent *extent,
				 uint64_t *left_out, char *error)
{
	const CountingRun *run = arg;
	WaTestGroups *groups = state;

	if (run->query.leaves_out == 1 ||
		(run->query.leaves_out == 2 && extent->nrows % 2 == 1))
		left_out[0] = 2;
	if (run->query.delay_us > 0)
		(void) usleep(run->query.delay_us);
	if (extent->number == run->query.fail_extent &&
		fail_at(run, WA_TEST_FAIL_PROCESS, error) != WA_OK)
		return WA_UNSUPPORTED;
	groups->extents++;
	for (uint32_t i = 0; i < extent->nranges; i++)
	{
		const WaRowRange *range = &extent->ranges[i];

		if (range->begin >= range->end || range->end > extent->nrows ||
			(i > 0 && range[-1].end >= range->begin))
			return WA_BAD_REQUEST;
		groups->rows += range->end - range->begin;
		for (uint32_t row = range->begin;
			 run->request->ncolumns > 0 && row < range->end; row++)
			add_row(groups, extent->columns[0], row);
	}
	return WA_OK;
}

/* Adds what groups are of to others, atomically. */
static void
add_groups(WaTestGroups *groups, const WaTestGroups *others)
{
	(void) __atomic_fetch_add(&groups->rows, others->rows, __ATOMIC_SEQ_CST);
	(void) __atomic_fetch_add(&groups->extents, others->extents,
							  __ATOMIC_SEQ_CST);
	(void) __atomic_fetch_add(&groups->states, others->states,
							  __ATOMIC_SEQ_CST);
	(void) __atomic_fetch_add(&groups->sum, others->sum, __ATOMIC_SEQ_CST);
	(void) __atomic_fetch_add(&groups->text_bytes, others->text_bytes,
							  __ATOMIC_SEQ_CST);
}

static WaStatus
counting_merge(void *run, void *into, void *from, char *error)
{
	if (((CountingRun *) run)->query.nparts > 0)
		return WA_BAD_REQUEST;
	add_groups(into, from);
	return fail_at(run, WA_TEST_FAIL_MERGE, error);
}

static WaStatus
counting_divide(void *arg, void *const *states, unsigned nstates,
				uint32_t *nparts, char *error)
{
	CountingRun *run = arg;

	run->states = states;
	run->nstates = nstates;
	*nparts = run->query.nparts;
	return fail_at(run, WA_TEST_FAIL_DIVIDE, error);
}

/* Tells whether a state is one of those that are divided. */
static bool
is_divided(const CountingRun *run, const void *state)
{
	for (unsigned i = 0; i < run->nstates; i++)
		if (run->states[i] == state)
			return true;
	return false;
}

static WaStatus
counting_sort(void *arg, void *state, char *error)
{
	CountingRun *run = arg;

	if (!is_divided(run, state))
		return WA_BAD_REQUEST;
	(void) __atomic_fetch_add(&run->sorted, 1, __ATOMIC_SEQ_CST);
	return fail_at(run, WA_TEST_FAIL_SORT, error);
}

/* Of a state all is in one part. */
static WaStatus
counting_merge_part(void *arg, uint32_t part, char *error)
{
	CountingRun *run = arg;

	if (part >= run->query.nparts ||
		__atomic_load_n(&run->sorted, __ATOMIC_SEQ_CST) != run->nstates)
		return WA_BAD_REQUEST;
	for (unsigned i = part; i < run->nstates; i += run->query.nparts)
		add_groups(&run->total, run->states[i]);
	(void) __atomic_fetch_add(&run->merged, 1, __ATOMIC_SEQ_CST);
	return part == run->query.nparts - 1
			   ? fail_at(run, WA_TEST_FAIL_MERGE_PART, error)
			   : WA_OK;
}

static WaStatus
counting_finish(void *arg, void *state, WaRunResult *result, char *error)
{
	const CountingRun *run = arg;
	const WaTestGroups *groups = run->merged > 0 ? &run->total : state;

	if (run->nstates > 0 && run->merged != run->query.nparts)
		return WA_BAD_REQUEST;
	result->groups_bytes = run->query.groups_bytes;
	result->kept_rows = groups->rows / 2;
	return fail_at(run, WA_TEST_FAIL_FINISH, error);
}

static void
counting_write_groups(void *arg, void *state, uint8_t *place)
{
	const CountingRun *run = arg;

	memcpy(place, run->merged > 0 ? &run->total : state, sizeof(WaTestGroups));
	memset(place + sizeof(WaTestGroups), 0x5a,
		   run->query.groups_bytes - sizeof(WaTestGroups));
}

static void
counting_free_state(void *run, void *state)
{
	(void) run;
	free(state);
	count_live(-1);
}

static bool
counting_is_backward(const void *run)
{
	(void) run;
	return false;
}

static void
counting_end(void *run)
{
	free(run);
	count_live(-1);
}

/* In the place of src/daemon/run/query_runner.c. */
const WaRunner wa_query_runner = {
	.kind = WA_DEVICE_CPU,
	.begin = counting_begin,
	.make_state = counting_make_state,
	.process = counting_process,
	.is_backward = counting_is_backward,
	.merge = counting_merge,
	.divide = counting_divide,
	.sort = counting_sort,
	.merge_part = counting_merge_part,
	.finish = counting_finish,
	.write_groups = counting_write_groups,
	.free_state = counting_free_state,
	.end = counting_end,
};
