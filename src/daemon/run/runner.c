/*
 * runner.c
 *		Which runner this program has; see runner.h.
 */
#include "daemon/run/runner.h"

const WaRunner *
wa_runner_find(void)
{
	return &wa_query_runner;
}
