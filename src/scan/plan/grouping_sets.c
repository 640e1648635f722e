/*
 * grouping_sets.c
 *		Grouping sets in queries of the scan tier; see grouping_sets.h.
 *
 * The planner has made a list of the sets, each a list of the references of its clauses.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "scan/plan/grouping_sets.h"

/* Returns the number of the key that a clause refers to, or -1. */
static int
number_of(const List *clauses, int reference)
{
	ListCell *cell;

	foreach (cell, clauses)
		if (lfirst_node(SortGroupClause, cell)->tleSortGroupRef ==
			(Index) reference)
			return foreach_current_index(cell);
	return -1;
}

/* Returns the numbers of keys that clauses refer to; NULL: one is none of them. */
static List *
numbers_of(const List *clauses, const List *references, bool *found)
{
	List *numbers = NIL;
	ListCell *cell;

	foreach (cell, references)
	{
		const int number = number_of(clauses, lfirst_int(cell));

		*found = *found && number >= 0;
		numbers = lappend_int(numbers, number);
	}
	return numbers;
}

/* Returns what GROUPING of some keys is for the groups of a set: a bit for each that is not there. */
static int
grouping_of(const List *keys, const List *set)
{
	int value = 0;
	ListCell *cell;

	foreach (cell, keys)
		value = value << 1 | !list_member_int(set, lfirst_int(cell));
	return value;
}

/* Returns the calls of GROUPING in expressions, each once. */
static List *
find_calls(List *results)
{
	List *calls = NIL;
	ListCell *cell;

	foreach (cell,
			 pull_var_clause((Node *) results, PVC_INCLUDE_AGGREGATES |
												   PVC_RECURSE_WINDOWFUNCS |
												   PVC_RECURSE_PLACEHOLDERS))
		if (IsA(lfirst(cell), GroupingFunc))
			calls = list_append_unique(calls, lfirst(cell));
	return calls;
}

const char *
wa_grouping_sets_find(const Query *parse, const List *clauses, List *results,
					  WaScanQuery *query)
{
	List *calls = find_calls(results);
	bool found = true;
	ListCell *cell;

	foreach (cell, parse->groupingSets)
	{
		List *set = numbers_of(clauses, (const List *) lfirst(cell), &found);
		List *values = NIL;
		ListCell *call;

		foreach (call, calls)
			values = lappend_int(
				values,
				grouping_of(numbers_of(clauses,
									   lfirst_node(GroupingFunc, call)->refs,
									   &found),
							set));
		query->sets = lappend(query->sets, list_make2(set, values));
	}
	query->keys = list_concat_copy(query->keys, calls);
	return found ? NULL : "it has unusual grouping sets";
}
