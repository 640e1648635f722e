/*
 * value_sort.c
 *		Groups in memory, sorted by their values; see value_sort.h.
 *
 * They are counted by the groups that they go to, put side by side, and each group's are sorted
 * when they are asked for.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"

#include "scan/groups/value_sort.h"

struct WaValueSort
{
	int key; /* that has the values */
	SortSupportData support;
	const WaGroups *groups;
	uint32 count;          /* of these */
	MemoryContext context; /* of what follows */
	uint32 *numbers; /* of the groups that they go to, in the order of theirs */
	WaSortedGroup *sorted; /* by these */
	uint32 ngroups;
	uint32 *ends;   /* of each group, behind its last one there */
	uint32 present; /* the number of the group behind the present one */
	uint32 next;    /* place of what comes next there */
};

static int
compare(const WaSortedGroup *left, const WaSortedGroup *right,
		SortSupport support)
{
	return ApplySortComparator(left->value, left->is_null, right->value,
							   right->is_null, support);
}

#define ST_SORT                   sort_groups
#define ST_ELEMENT_TYPE           WaSortedGroup
#define ST_COMPARE(a, b, support) compare(a, b, support)
#define ST_COMPARE_ARG_TYPE       SortSupportData
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

WaValueSort *
wa_value_sort_make(int key, const SortGroupClause *order, Oid collation)
{
	WaValueSort *sort = palloc0(sizeof(WaValueSort));

	sort->key = key;
	sort->context = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg sorted groups", ALLOCSET_SMALL_SIZES);
	sort->support.ssup_cxt = CurrentMemoryContext;
	sort->support.ssup_collation = collation;
	sort->support.ssup_nulls_first = order->nulls_first;
	PrepareSortSupportFromOrderingOp(order->sortop, &sort->support);
	return sort;
}

bool
wa_value_sort_fits(double ngroups)
{
	return ngroups * (sizeof(WaSortedGroup) + sizeof(uint32)) <=
		   work_mem * 1024.0;
}

bool
wa_value_sort_begin(WaValueSort *sort, const WaGroups *groups)
{
	wa_value_sort_end(sort);
	sort->groups = groups;
	sort->count = wa_query_groups_count(groups->table);
	if (!wa_value_sort_fits(sort->count))
		return false;
	sort->numbers =
		MemoryContextAllocHuge(sort->context, sizeof(uint32) * sort->count);
	return true;
}

void
wa_value_sort_put(WaValueSort *sort, uint32 first, int count,
				  const uint32 *numbers)
{
	memcpy(&sort->numbers[first], numbers, sizeof(uint32) * count);
}

/* Reads the value of a group. */
static void
read_value(const WaValueSort *sort, uint32 group, WaSortedGroup *read)
{
	read->group = group;
	read->value = wa_groups_key(sort->groups, group, sort->key, &read->is_null);
}

/* Tells whether a group has a value that is not NULL. */
static bool
has_value(const WaValueSort *sort, uint32 group)
{
	WaSortedGroup read;

	read_value(sort, group, &read);
	return !read.is_null;
}

/* Has `ends` be where the first one of each group will be; leaves out what has no value. */
static void
count_groups(WaValueSort *sort, bool with_nulls)
{
	uint32 before = 0;

	for (uint32 i = 0; i < sort->count; i++)
		if (with_nulls || has_value(sort, i))
			sort->ends[sort->numbers[i]]++;
		else
			sort->numbers[i] = WA_NO_GROUP;
	for (uint32 i = 0; i < sort->ngroups; i++)
	{
		const uint32 count = sort->ends[i];

		sort->ends[i] = before;
		before += count;
	}
}

void
wa_value_sort_perform(WaValueSort *sort, uint32 ngroups, bool with_nulls)
{
	MemoryContext old = MemoryContextSwitchTo(sort->context);

	sort->ngroups = ngroups;
	sort->ends = MemoryContextAllocExtended(
		sort->context, sizeof(uint32) * ((Size) ngroups + 1),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	sort->sorted = MemoryContextAllocHuge(
		sort->context, sizeof(WaSortedGroup) * ((Size) sort->count + 1));
	count_groups(sort, with_nulls);
	for (uint32 i = 0; i < sort->count; i++)
		if (sort->numbers[i] != WA_NO_GROUP)
			read_value(sort, i, &sort->sorted[sort->ends[sort->numbers[i]]++]);
	MemoryContextSwitchTo(old);
	sort->present = 0;
}

/* Returns the place of the first one of a group. */
static uint32
begin_of(const WaValueSort *sort, uint32 number)
{
	return number == 0 ? 0 : sort->ends[number - 1];
}

bool
wa_value_sort_next_group(WaValueSort *sort, uint32 *number)
{
	uint32 group = sort->present;

	while (group < sort->ngroups && begin_of(sort, group) == sort->ends[group])
		group++;
	if (group >= sort->ngroups)
		return false;
	*number = group;
	sort->present = group + 1;
	wa_value_sort_rewind(sort);
	sort_groups(&sort->sorted[sort->next], sort->ends[group] - sort->next,
				&sort->support);
	return true;
}

void
wa_value_sort_rewind(WaValueSort *sort)
{
	sort->next = begin_of(sort, sort->present - 1);
}

const WaSortedGroup *
wa_value_sort_next(WaValueSort *sort)
{
	return sort->next < sort->ends[sort->present - 1]
			   ? &sort->sorted[sort->next++]
			   : NULL;
}

void
wa_value_sort_end(WaValueSort *sort)
{
	MemoryContextReset(sort->context);
	sort->count = 0;
	sort->ngroups = 0;
}
