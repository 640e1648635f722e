/*
 * gpu_ranks.h
 *		Tables of steps (core/steps.h) whose values are replaced by their ranks.
 *
 * A key that is looked up in a table, like the day of a time, has few values.  GPUs
 * number groups at once by small integers that have a range, and these take less
 * memory: so they look up ranks, and the values are put in their place when groups
 * are handed over.
 */
#ifndef WA_DAEMON_GPU_RANKS_H
#define WA_DAEMON_GPU_RANKS_H

#include "cuda/query.h"
#include "query/arena.h"

/*
 * Makes, in memory of the arena, the table that has ranks where the given one has
 * values, and the values by rank.  Returns false if the values of the table, which is
 * of INT or DECIMAL, do not ascend, if there are too many steps, or no memory.
 */
bool wa_gpu_ranks_make(WaArena *arena, const WaSteps *table, WaSteps *ranks,
					   WaCudaKeyValues *values);

#endif /* WA_DAEMON_GPU_RANKS_H */
