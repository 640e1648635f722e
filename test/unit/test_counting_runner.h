/*
 * test_counting_runner.h
 *		A runner that counts and adds up: what tests of runs are done with.
 */
#ifndef TEST_COUNTING_RUNNER_H
#define TEST_COUNTING_RUNNER_H

#include "daemon/run/runner.h"

#define WA_TEST_QUERY_MAGIC UINT64_C(0x636f756e74)

/* Where a run is to fail, with WA_UNSUPPORTED and the text "so be it". */
typedef enum WaTestFailure
{
	WA_TEST_FAIL_NOWHERE,
	WA_TEST_FAIL_BEGIN,
	WA_TEST_FAIL_MAKE_STATE,
	WA_TEST_FAIL_PROCESS, /* of extent fail_extent */
	WA_TEST_FAIL_MERGE,   /* which divided states do not come to */
	WA_TEST_FAIL_FINISH,
	WA_TEST_FAIL_DIVIDE, /* these only with parts */
	WA_TEST_FAIL_SORT,
	WA_TEST_FAIL_MERGE_PART /* the last one */
} WaTestFailure;

/* The query. */
typedef struct WaTestQuery
{
	uint64_t magic;
	uint64_t groups_bytes; /* of the answer; at least a WaTestGroups */
	uint32_t failure;      /* WaTestFailure */
	uint32_t fail_extent;
	uint32_t delay_us;      /* for each extent */
	uint32_t only_complete; /* 1: else there is no use in an answer */
	uint32_t nparts;        /* that states are divided into; 0: they are not */
	uint32_t
		leaves_out; /* block 1; 1: of each extent, 2: of those with odd rows */
} WaTestQuery;

/* The groups begin with this; all other bytes are 0x5a. */
typedef struct WaTestGroups
{
	uint64_t rows;
	uint64_t extents;
	uint64_t states;     /* that were merged */
	int64_t sum;         /* of the first column, if it is an INT64, wrapping */
	uint64_t text_bytes; /* of the first column, if it is a TEXT */
} WaTestGroups;

/* Returns how many runs and states there are that were not freed. */
int wa_test_runner_live(void);

#endif /* TEST_COUNTING_RUNNER_H */
