/*
 * query_runner.h
 *		What other runners use of the CPU device's (query_runner.c): they hand on
 *		what they do not compute themselves.
 */
#ifndef WA_DAEMON_QUERY_RUNNER_H
#define WA_DAEMON_QUERY_RUNNER_H

#include "daemon/runner.h"
#include "query/run.h"

/* Returns the query of a run that wa_query_runner has begun. */
const WaQuery *wa_query_runner_query(const void *run);

/* Returns what a state of such a run has its groups in. */
WaQueryRun *wa_query_runner_groups(const void *state);

#endif /* WA_DAEMON_QUERY_RUNNER_H */
