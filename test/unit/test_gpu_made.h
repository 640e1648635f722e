/*
 * test_gpu_made.h
 *		Tables that are made of rows which GPUs have left, against those that the CPU makes
 *		of all.
 */
#ifndef WA_TEST_GPU_MADE_H
#define WA_TEST_GPU_MADE_H

#include "daemon/run/kept_tables.h"
#include "daemon/run/runner.h"

/* What has been compared so far. */
typedef struct TestGpuMade
{
	uint64_t tables;  /* in pairs */
	uint64_t slots;   /* of these, keys that lie far apart, */
	uint64_t texts;   /* and texts */
	uint64_t wide;    /* and values that take a word */
	uint64_t shared;  /* queries whose rows of GPUs several states had */
	uint64_t extents; /* that GPUs have taken, */
	uint64_t
		refused; /* and of these those that they do not without memory for rows */
	uint64_t none; /* queries without an answer */
} TestGpuMade;

/* Has a request ask a query; returns what is to be freed. */
void *test_gpu_set_query(WaRunRequest *request, const WaQuery *query,
						 WaArena *arena);

/* Keeps the tables of a query that have digests; returns false if one is not kept. */
bool test_gpu_keep_tables(WaKeptTables *kept, const WaQuery *query,
						  WaArena *arena);

/*
 * Makes tables of a random query in both ways, to be kept, and compares them.  request: all of
 * one but query, budget and threads.
 */
bool test_gpu_made(const WaRunRequest *of, WaKeptTables *kept,
				   TestGpuMade *count);

#endif /* WA_TEST_GPU_MADE_H */
