/*
 * runner.c
 *		Which runner this program has; see runner.h.
 */
#include <stddef.h>

#include "daemon/runner.h"

const WaRunner *
wa_runner_find(void)
{
	return NULL;
}
