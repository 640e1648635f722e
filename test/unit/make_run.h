/*
 * make_run.h
 *		Runs of queries whose columns of texts all have the same texts.
 */
#ifndef WA_TEST_MAKE_RUN_H
#define WA_TEST_MAKE_RUN_H

#include "query/run/run.h"

/* Makes a run in the arena; returns NULL if there is not enough memory. */
static inline WaQueryRun *
make_run(WaArena *arena, const WaQuery *query, const WaTextCodes *texts)
{
	WaTextCodes *inputs = wa_arena_alloc_zero(
		arena, (query->ninputs + (size_t) 1) * sizeof(*inputs));
	const WaNumberedQuery *numbered;

	if (inputs == NULL)
		return NULL;
	for (uint16_t i = 0; i < query->ninputs && texts != NULL; i++)
		inputs[i] = *texts;
	numbered = wa_query_number_texts(arena, query, inputs);
	return numbered != NULL ? wa_query_run_make(arena, numbered) : NULL;
}

#endif /* WA_TEST_MAKE_RUN_H */
