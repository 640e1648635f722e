/*
 * attempts.c
 *		What has come of loading columns for queries lately; see attempts.h.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "client/counters.h"
#include "resident/attempts.h"

/* For so long nothing is tried again that has not come to what was wanted. */
#define AGAIN_MS 60000

/* Tells whether two relations have the same storage. */
static bool
same_storage(const WaRelation *a, const WaRelation *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Returns how many extents of a column are resident. */
static uint64
extents_of(const WaRelation *storage, AttrNumber column,
		   const WaResidentColumn *list, int64 count)
{
	for (int64 i = 0; i < count; i++)
		if (list[i].name.attribute == column &&
			same_storage(&list[i].relation, storage))
			return list[i].extents;
	return 0;
}

/* Returns how many extents the column of a relation has that has the most. */
static uint64
most_extents(const WaRelation *storage, const WaResidentColumn *list,
			 int64 count)
{
	uint64 most = 0;

	for (int64 i = 0; i < count; i++)
		if (same_storage(&list[i].relation, storage))
			most = Max(most, list[i].extents);
	return most;
}

/* Returns how much memory resident columns take. */
static int64
present_bytes(void)
{
	return wa_counter_get(&wa_counters()->memory[WA_MEMORY_RESIDENT].current);
}

/* Returns what is remembered of a column, or NULL. */
static const WaAttempt *
recall(const WaAttempts *attempts, const WaRelation *storage, AttrNumber column)
{
	for (int i = 0; i < WA_ATTEMPTS; i++)
	{
		const WaAttempt *attempt = &attempts->attempts[i];

		if (attempt->time != 0 && attempt->column == column &&
			same_storage(&attempt->storage, storage))
			return attempt;
	}
	return NULL;
}

/* Returns the place of a column, or that of what was remembered first. */
static WaAttempt *
find_place(WaAttempts *attempts, const WaRelation *storage, AttrNumber column)
{
	WaAttempt *place = (WaAttempt *) recall(attempts, storage, column);

	if (place != NULL)
		return place;
	place = &attempts->attempts[0];
	for (int i = 1; i < WA_ATTEMPTS; i++)
		if (attempts->attempts[i].time < place->time)
			place = &attempts->attempts[i];
	return place;
}

void
wa_attempts_note(WaAttempts *attempts, const WaRelation *storage,
				 const WaQueued *queued, const WaResidentColumn *list,
				 int64 count)
{
	for (int i = 0; i < queued->ncolumns; i++)
	{
		const AttrNumber column = queued->columns[i];

		*find_place(attempts, storage, column) = (WaAttempt){
			.storage = *storage,
			.column = column,
			.was_loaded = extents_of(storage, column, list, count) > 0,
			.time = GetCurrentTimestamp(),
			.bytes = present_bytes(),
		};
	}
}

/* Tells whether a column that lacks extents is to be left as it is. */
static bool
is_futile(const WaAttempt *attempt, bool is_resident)
{
	if (attempt == NULL || TimestampDifferenceExceeds(
							   attempt->time, GetCurrentTimestamp(), AGAIN_MS))
		return false;
	/* What was loaded has been forgotten since; or there is room again. */
	if (!is_resident)
		return !attempt->was_loaded && present_bytes() >= attempt->bytes;
	return true;
}

bool
wa_attempts_lacks(const WaAttempts *attempts, const WaRelation *storage,
				  const WaQueued *queued, const WaResidentColumn *list,
				  int64 count)
{
	const uint64 most = most_extents(storage, list, count);

	for (int i = 0; i < queued->ncolumns; i++)
	{
		const AttrNumber column = queued->columns[i];
		const uint64 extents = extents_of(storage, column, list, count);

		if ((extents == 0 || extents < most) &&
			!is_futile(recall(attempts, storage, column), extents > 0))
			return true;
	}
	return false;
}
