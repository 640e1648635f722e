/*
 * finish_lists.h
 *		Bringing together what runs list of a query whose groups are rolled up, on one thread.
 */
#ifndef WA_TEST_FINISH_LISTS_H
#define WA_TEST_FINISH_LISTS_H

#include "query/run/run_internal.h"
#include "query/run/run_roll_up.h"
#include "query/run/value_parts.h"

/* Makes the arena of a part. */
static inline void
make_part_arena(void *context, WaArena *arena)
{
	(void) context;
	wa_arena_init(arena, SIZE_MAX);
}

/* Divides lists, and sorts their parts; returns false if there is not enough memory. */
static inline bool
sort_lists(WaValueParts *parts)
{
	for (uint32_t i = 0; i < parts->nruns; i++)
		if (!wa_value_parts_divide(parts, i))
			return false;
	for (uint32_t i = 0; i < parts->nparts; i++)
		if (!wa_value_parts_sort(parts, i))
			return false;
	return true;
}

/*
 * Has the groups of a run, which has those of all, take what is in lists of values that are
 * rolled up; likewise.
 */
static inline bool
finish_lists(WaArena *arena, const WaQueryRolled *rolled, WaQueryRun *run,
			 WaValueRun *lists, uint32_t nlists)
{
	WaRecordTable *const *tables = wa_query_run_listed(run);
	WaValueParts *parts = wa_value_parts_begin(
		arena, rolled, run->numbered->listed_kind, lists, nlists,
		wa_query_run_groups(run), make_part_arena, NULL);
	bool finished;

	if (parts == NULL)
		return false;
	finished = tables != NULL && sort_lists(parts) &&
			   wa_value_parts_finish(parts, tables);
	wa_value_parts_end(parts);
	return finished;
}

/*
 * Rolls the groups of a run up, and returns the run of what they become, in the arena; NULL: that
 * cannot be.
 */
static inline WaQueryRun *
roll_up_alone(WaArena *arena, WaQueryRun *finer)
{
	const WaNumberedQuery *query =
		wa_query_roll_up_query(arena, finer->numbered);
	WaQueryRun *run = query != NULL ? wa_query_run_make(arena, query) : NULL;
	WaValueRun list;

	if (run == NULL || wa_query_run_roll_up(run, finer) != WA_RUN_TAKEN)
		return NULL;
	list = (WaValueRun){.list = wa_query_run_list(run)};
	return list.list == NULL ||
				   finish_lists(arena, finer->query->rolled, run, &list, 1)
			   ? run
			   : NULL;
}

#endif /* WA_TEST_FINISH_LISTS_H */
