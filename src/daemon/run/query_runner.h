/*
 * query_runner.h
 *		What the CPU device's runner (query_runner.c) makes of a query.
 */
#ifndef WA_DAEMON_QUERY_RUNNER_H
#define WA_DAEMON_QUERY_RUNNER_H

#include "daemon/run/runner.h"
#include "query/run/run.h"

/* Returns what a state of wa_query_runner's has its groups in. */
WaQueryRun *wa_query_runner_groups(const void *state);

#endif /* WA_DAEMON_QUERY_RUNNER_H */
