/*
 * gpu_ranks.c
 *		Making tables of ranks; see gpu_ranks.h.
 */
#include "daemon/gpu/gpu_ranks.h"

/* Steps of a table at most: it is gone through for each query. */
#define MAX_STEPS 65536

/* Tells whether the values that are known never become less. */
static bool
ascends(const WaSteps *table)
{
	int64_t last = INT64_MIN;

	for (uint64_t i = 0; i < table->nsteps; i++)
	{
		if (table->known[i] == 0)
			continue;
		if (table->values[i] < last)
			return false;
		last = table->values[i];
	}
	return true;
}

bool
wa_gpu_ranks_make(WaArena *arena, const WaSteps *table, WaSteps *ranks,
				  WaCudaKeyValues *values)
{
	uint32_t count = 0;
	int64_t *rank_of;
	int64_t *value_of;

	if (table->nsteps > MAX_STEPS || !ascends(table))
		return false;
	rank_of = wa_arena_alloc(arena, table->nsteps * sizeof(*rank_of));
	value_of = wa_arena_alloc(arena, table->nsteps * sizeof(*value_of));
	if (rank_of == NULL || value_of == NULL)
		return false;
	for (uint64_t i = 0; i < table->nsteps; i++)
	{
		if (table->known[i] != 0 &&
			(count == 0 || value_of[count - 1] != table->values[i]))
			value_of[count++] = table->values[i];
		rank_of[i] = count > 0 ? count - 1 : 0;
	}
	*ranks = *table;
	ranks->values = rank_of;
	ranks->scale = 0;
	*values = (WaCudaKeyValues){
		.values = value_of, .count = count, .scale = table->scale};
	return count > 0;
}
