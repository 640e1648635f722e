/*
 * followed.c
 *		The relations of which something is resident; see followed.h.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "resident/followed.h"

/* Relations that there is room for at first. */
#define FIRST_ROOM 64

static int
compare_storages(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(WaRelation));
}

WaFollowed *
wa_followed_find(const WaFollowedList *list, const WaRelation *storage,
				 uint32 count)
{
	/* The storage comes first. */
	return count == 0 ? NULL
					  : bsearch(storage, list->relations, count,
								sizeof(WaFollowed), compare_storages);
}

/* Sees to it that there is room for one more. */
static void
make_room(WaFollowedList *list)
{
	if (list->count < list->room)
		return;
	list->room = Max(2 * list->room, FIRST_ROOM);
	if (list->relations == NULL)
		list->relations = MemoryContextAlloc(TopMemoryContext,
											 list->room * sizeof(WaFollowed));
	else
		list->relations =
			repalloc_huge(list->relations, list->room * sizeof(WaFollowed));
}

/* Adds a relation behind the others. */
static WaFollowed *
add(WaFollowedList *list, const WaRelation *storage)
{
	WaFollowed *added;

	make_room(list);
	added = &list->relations[list->count++];
	memset(added, 0, sizeof(*added));
	added->storage = *storage;
	return added;
}

/* Leaves out the relations of which nothing is resident any more, and sorts the others. */
static void
tidy(WaFollowedList *list)
{
	uint32 kept = 0;

	for (uint32 i = 0; i < list->count; i++)
		if (list->relations[i].is_listed)
			list->relations[kept++] = list->relations[i];
	list->count = kept;
	if (kept > 0)
		qsort(list->relations, kept, sizeof(WaFollowed), compare_storages);
}

/* Returns a time of CLOCK_REALTIME, in us, as PostgreSQL has it. */
static TimestampTz
to_timestamp(int64 time_us)
{
	return time_us - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
}

void
wa_followed_take(WaFollowedList *list, const WaResidentColumn *columns,
				 int64 count)
{
	const uint32 known = list->count;
	WaFollowed *followed = NULL;

	for (uint32 i = 0; i < known; i++)
		list->relations[i].is_listed = false;
	for (int64 i = 0; i < count; i++)
	{
		const WaRelation *storage = &columns[i].relation;

		/* The columns of a relation follow one another. */
		if (followed == NULL ||
			compare_storages(&followed->storage, storage) != 0)
			followed = wa_followed_find(list, storage, known);
		if (followed == NULL)
			followed = add(list, storage);
		followed->is_listed = true;
		if (columns[i].last_use_us > 0)
			followed->used =
				Max(followed->used, to_timestamp(columns[i].last_use_us));
	}
	tidy(list);
}
