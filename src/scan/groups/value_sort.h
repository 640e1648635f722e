/*
 * value_sort.h
 *		Groups that are in memory and go to other ones (scan/state/rolled_query.h), sorted there by
 *		these and by the values of a key.
 *
 * Values are compared by PostgreSQL's comparators, as tuplesort does it, but no row is formed.
 */
#ifndef WA_SCAN_VALUE_SORT_H
#define WA_SCAN_VALUE_SORT_H

#include "nodes/parsenodes.h"

#include "core/must_check.h"
#include "scan/groups/group_datum.h"

/* A group that goes to another one. */
typedef struct WaSortedGroup
{
	Datum value; /* where the groups have it */
	uint32 group;
	bool is_null;
} WaSortedGroup;

typedef struct WaValueSort WaValueSort;

/* Tells whether so many groups, at most, can be sorted within work_mem. */
extern bool wa_value_sort_fits(double ngroups);

/*
 * Makes a sort by the values of a key, by its number, in the current memory context, in which it
 * stays.
 */
extern WaValueSort *wa_value_sort_make(int key, const SortGroupClause *order,
									   Oid collation);

/*
 * Begins with groups, which stay where they are, and none of which goes anywhere yet.  Returns
 * false if they do not fit.
 */
extern WA_MUST_CHECK bool wa_value_sort_begin(WaValueSort *sort,
											  const WaGroups *groups);

/* Has groups, from the first one on, go to those of these numbers. */
extern void wa_value_sort_put(WaValueSort *sort, uint32 first, int count,
							  const uint32 *numbers);

/*
 * Sorts, when all groups have been put: there are so many that they go to.  with_nulls: those
 * whose value is NULL count, too.
 */
extern void wa_value_sort_perform(WaValueSort *sort, uint32 ngroups,
								  bool with_nulls);

/* Comes to the next group that some go to, and stores its number; returns false if there is none. */
extern bool wa_value_sort_next_group(WaValueSort *sort, uint32 *number);

/* Goes back to the first one of the present group. */
extern void wa_value_sort_rewind(WaValueSort *sort);

/* Returns the next one of the present group, or NULL. */
extern const WaSortedGroup *wa_value_sort_next(WaValueSort *sort);

/* Forgets all groups. */
extern void wa_value_sort_end(WaValueSort *sort);

#endif /* WA_SCAN_VALUE_SORT_H */
