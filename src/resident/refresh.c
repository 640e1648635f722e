/*
 * refresh.c
 *		Reading again what has changed of relations that queries use; see refresh.h.
 *
 * A storage that no relation has any more warpaggd is told to forget.
 */
#include "postgres.h"

#include <time.h>

#include "access/relation.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "client/counters.h"
#include "client/resident.h"
#include "compat.h"
#include "resident/attempts.h"
#include "resident/followed.h"
#include "resident/load.h"
#include "resident/loader.h"
#include "resident/refresh.h"
#include "resident/relation.h"
#include "settings.h"

/* A round reads for about so long, and one relation, in one transaction. */
#define ROUND_MS 400
#define SLICE_MS 200

/*
 * The pause behind a round: so long at least, and so many times as long as the processor
 * was taken for it.  What was not taken of that, for so long at most, is made up for: so
 * it is when others had kept the processors busy.  The pause grows to the longest while
 * nothing has changed.
 */
typedef struct Pause
{
	int least_ms;
	int times;
	int arrears_ms;
} Pause;

#define LONGEST_PAUSE_MS 1000

/* There are many processors from this number on. */
#define MANY_PROCESSORS 8

/* What there is, and is used, is found out so often. */
#define LOOK_MS 1000

/* For so long a relation is left alone that was locked, ... */
#define LOCKED_MS 1000

/* ... that cannot be read, or extents of it for which there was no memory; ... */
#define FAILED_MS 60000

/* ... and if there is none even for what changes, all of it. */
#define FULL_MS 10000

/* Rounds without the device process, one after the other, before the worker gives up. */
#define MAX_FAILURES 2

struct WaRefresh
{
	WaFollowedList list;
	uint32 place; /* the next one's turn */
	TimestampTz looked;
	TimestampTz begun;
	int64 begun_cpu_us; /* processor time that the process had taken then */
	TimestampTz
		paused; /* until then there have been pauses for what it has taken */
	TimestampTz due;  /* the next round is, at the earliest, ... */
	TimestampTz wake; /* ... and at the latest */
	int pause_ms;
	int failures;
	bool has_read; /* something, in this round */
	WaAttempts attempts;
};

WaRefresh *
wa_refresh_begin(void)
{
	return MemoryContextAllocZero(TopMemoryContext, sizeof(WaRefresh));
}

/* Returns a time so much later. */
static TimestampTz
later(TimestampTz time, int64 milliseconds)
{
	return TimestampTzPlusMilliseconds(time, milliseconds);
}

/* Finds out what there is. */
static void
look(void *arg)
{
	WaRefresh *refresh = arg;
	WaResidentColumn *list;
	int64 count = wa_resident_list(MyDatabaseId, &list);

	wa_followed_take(&refresh->list, list, count);
	refresh->looked = refresh->begun;
}

/* Tells whether a query has used a relation lately. */
static bool
is_used(const WaRefresh *refresh, const WaFollowed *followed)
{
	return later(followed->used, wa_debug_follow_s * INT64CONST(1000)) >
		   refresh->begun;
}

/* Tells whether a query has used any. */
static bool
is_any_used(const WaRefresh *refresh)
{
	for (uint32 i = 0; i < refresh->list.count; i++)
		if (is_used(refresh, &refresh->list.relations[i]))
			return true;
	return false;
}

/* Opens a relation, if it still has the storage; returns NULL if it cannot. */
static Relation
open_followed(WaFollowed *followed)
{
	WaOutcome outcome;
	Relation relation;

	if (!OidIsValid(followed->relid))
		followed->relid = wa_resident_find(&followed->storage);
	if (!OidIsValid(followed->relid))
	{
		wa_resident_forget(&followed->storage, 0);
		return NULL;
	}
	relation = wa_loader_open(followed->relid, &outcome);
	if (relation == NULL)
	{
		if (outcome == WA_OUTCOME_GONE)
			followed->relid = InvalidOid;
		followed->rests_until = later(GetCurrentTimestamp(), LOCKED_MS);
		return NULL;
	}
	if (wa_resident_has_storage(relation, &followed->storage))
		return relation;
	relation_close(relation, AccessShareLock);
	followed->relid = InvalidOid;
	return NULL;
}

/* Tells whether a slice may go on. */
static bool
goes_on(WaLoadTask *task, Relation relation)
{
	return !TimestampDifferenceExceeds(task->reported_us, GetCurrentTimestamp(),
									   SLICE_MS);
}

/* Notes that there was no memory for a relation. */
static void
note_full(WaFollowed *followed, bool took_new)
{
	const TimestampTz now = GetCurrentTimestamp();

	if (took_new)
		followed->no_new_until = later(now, FAILED_MS);
	else
		followed->rests_until = later(now, FULL_MS);
	followed->next = 0;
}

/*
 * Reads a slice of what has changed of an open relation.  What is found to be unchanged
 * is not looked at again before WAL has been followed further.
 */
static void
read_changed(WaRefresh *refresh, WaFollowed *followed, Relation relation)
{
	const uint64 position = wa_counters_followed();
	const uint32 first = followed->next;
	const bool takes_new = followed->no_new_until <= refresh->begun;
	WaLoadTask task;

	followed->position = 0;
	if (!wa_load_prepare_refresh(&task, relation, takes_new))
		return;
	pg_atomic_write_u32(&task.next_extent, first);
	task.reported_us = GetCurrentTimestamp();
	wa_load_run(&task, relation, goes_on);
	followed->next =
		wa_load_is_done(&task) ? 0 : pg_atomic_read_u32(&task.next_extent);
	if (pg_atomic_read_u64(&task.read_rows) > 0)
		refresh->has_read = true;
	if (pg_atomic_read_u32(&task.is_full) != 0)
		note_full(followed, takes_new);
	else if (takes_new && first == 0 && followed->next == 0 &&
			 pg_atomic_read_u64(&task.seen) == 0)
		followed->position = position;
}

/* A relation of which a slice is to be read. */
typedef struct Slice
{
	WaRefresh *refresh;
	WaFollowed *followed;
} Slice;

/* Reads a slice of a relation. */
static void
read_slice(void *arg)
{
	const Slice *slice = arg;
	Relation relation = open_followed(slice->followed);

	if (relation == NULL)
		return;
	read_changed(slice->refresh, slice->followed, relation);
	relation_close(relation, AccessShareLock);
}

/* Tells whether an error was that the device process is away. */
static bool
is_away(int code)
{
	return (code == ERRCODE_EXTERNAL_ROUTINE_EXCEPTION ||
			code == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE) &&
		   !wa_connection_state()->open;
}

/* Returns for how long a relation is left alone after an error. */
static int
rest_after(int code)
{
	switch (code)
	{
		case ERRCODE_QUERY_CANCELED: /* somebody waits for a lock on it */
		case ERRCODE_T_R_SERIALIZATION_FAILURE: /* so does replay */
			return LOCKED_MS;
		default:
			return FAILED_MS;
	}
}

/* Does that for one relation; returns false if the device process is away. */
static bool
refresh_one(WaRefresh *refresh, WaFollowed *followed)
{
	Slice slice = {refresh, followed};
	const int code = wa_loader_try(read_slice, &slice);

	if (code == 0)
		return true;
	followed->next = 0;
	if (is_away(code))
		return false;
	followed->rests_until = later(GetCurrentTimestamp(), rest_after(code));
	return true;
}

/* Tells whether something of a relation may have to be read. */
static bool
is_wanted(const WaRefresh *refresh, const WaFollowed *followed)
{
	return is_used(refresh, followed) &&
		   followed->rests_until <= refresh->begun &&
		   (followed->position == 0 ||
			followed->position != wa_counters_followed());
}

/*
 * Reads what has changed, relation by relation, the next round beginning where this one
 * has stopped.  Returns false if the device process is away.
 */
static bool
refresh_all(WaRefresh *refresh)
{
	for (uint32 i = 0; i < refresh->list.count; i++)
	{
		WaFollowed *followed =
			&refresh->list.relations[refresh->place % refresh->list.count];

		if (is_wanted(refresh, followed))
		{
			if (TimestampDifferenceExceeds(refresh->begun,
										   GetCurrentTimestamp(), ROUND_MS))
				break;
			if (!refresh_one(refresh, followed))
				return false;
		}
		refresh->place = (refresh->place + 1) % refresh->list.count;
	}
	return true;
}

/*
 * Finds out what there is; returns false if the device process is away.  Who cancels meant
 * what was under way before.
 */
static bool
try_to_look(WaRefresh *refresh)
{
	int code;

	if (!TimestampDifferenceExceeds(refresh->looked, refresh->begun, LOOK_MS))
		return true;
	code = wa_loader_try(look, refresh);
	return code == 0 || code == ERRCODE_QUERY_CANCELED;
}

/* Returns how much processor time the process has taken. */
static int64
cpu_us(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0)
		return 0;
	return (int64) time.tv_sec * USECS_PER_SEC + time.tv_nsec / 1000;
}

/* Returns the pause: a shorter one where there are many processors. */
static const Pause *
find_pause(void)
{
	static const Pause of_few = {.least_ms = 100, .times = 3};
	static const Pause of_many = {
		.least_ms = 50, .times = 1, .arrears_ms = 2000};

	return sysconf(_SC_NPROCESSORS_ONLN) < MANY_PROCESSORS ? &of_few : &of_many;
}

/* Says when the next round is. */
static void
plan_next(WaRefresh *refresh)
{
	const TimestampTz now = GetCurrentTimestamp();
	const int64 took_ms = (cpu_us() - refresh->begun_cpu_us) / 1000;
	const Pause *pause = find_pause();
	const TimestampTz since = later(refresh->begun, -pause->arrears_ms);

	refresh->pause_ms = refresh->has_read
							? pause->least_ms
							: Min(Max(2 * refresh->pause_ms, pause->least_ms),
								  LONGEST_PAUSE_MS);
	refresh->paused =
		later(Max(refresh->paused, since), (pause->times + 1) * took_ms);
	refresh->due = Max(later(now, pause->least_ms), refresh->paused);
	refresh->wake = Max(refresh->due, later(now, refresh->pause_ms));
}

bool
wa_refresh_round(WaRefresh *refresh)
{
	const TimestampTz now = GetCurrentTimestamp();

	if (!wa_autoload)
		return false;
	if (now < refresh->due)
		return true;
	refresh->begun = now;
	refresh->begun_cpu_us = cpu_us();
	refresh->has_read = false;
	if (try_to_look(refresh) && refresh_all(refresh))
		refresh->failures = 0;
	else if (++refresh->failures >= MAX_FAILURES)
		return false;
	(void) pgstat_report_stat(false);
	plan_next(refresh);
	return refresh->failures > 0 || is_any_used(refresh);
}

/* Ends if that is wanted; there is nothing that could be cancelled. */
static void
check_for_interrupts(void)
{
	PG_TRY();
	{
		CHECK_FOR_INTERRUPTS();
	}
	PG_CATCH();
	{
		(void) wa_loader_recover();
	}
	PG_END_TRY();
}

/* Waits for so long, or until somebody sets the latch, which it tells. */
static bool
pause_for(long milliseconds)
{
	const int events =
		WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
				  milliseconds, PG_WAIT_EXTENSION);

	ResetLatch(MyLatch);
	QueryCancelPending = false;
	check_for_interrupts();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
	return (events & WL_LATCH_SET) != 0;
}

void
wa_refresh_wait(WaRefresh *refresh)
{
	bool is_woken = false;
	long milliseconds;

	while ((milliseconds = TimestampDifferenceMilliseconds(
				GetCurrentTimestamp(), refresh->due)) > 0)
		is_woken |= pause_for(milliseconds);
	milliseconds =
		TimestampDifferenceMilliseconds(GetCurrentTimestamp(), refresh->wake);
	if (!is_woken && milliseconds > 0)
		(void) pause_for(milliseconds);
}

/* Columns that were taken from the queue. */
typedef struct Taken
{
	WaRefresh *refresh;
	const WaQueued *queued;
	bool are_loaded; /* rather than about to be */
	bool lacks;      /* something; true until it is known */
} Taken;

/*
 * Finds out what there is of a relation that a query uses, if it can be opened, and
 * whether it lacks something, or notes what has come of loading it.
 */
static void
look_at(void *arg)
{
	Taken *taken = arg;
	WaRefresh *refresh = taken->refresh;
	WaOutcome outcome;
	Relation relation = wa_loader_open(taken->queued->relation, &outcome);
	WaFollowed *followed;
	WaRelation storage;
	WaResidentColumn *list;
	int64 count;

	if (relation == NULL)
		return;
	storage = wa_resident_storage(relation);
	count = wa_resident_list(MyDatabaseId, &list);
	wa_followed_take(&refresh->list, list, count);
	followed = wa_followed_find(&refresh->list, &storage, refresh->list.count);
	if (followed != NULL)
		followed->used = GetCurrentTimestamp();
	relation_close(relation, AccessShareLock);
	if (taken->are_loaded)
		wa_attempts_note(&refresh->attempts, &storage, taken->queued, list,
						 count);
	else
		taken->lacks = wa_attempts_lacks(&refresh->attempts, &storage,
										 taken->queued, list, count);
}

bool
wa_refresh_lacks(WaRefresh *refresh, const WaQueued *queued)
{
	Taken taken = {.refresh = refresh, .queued = queued, .lacks = true};

	(void) wa_loader_try(look_at, &taken);
	return taken.lacks;
}

void
wa_refresh_note_load(WaRefresh *refresh, const WaQueued *queued)
{
	Taken taken = {.refresh = refresh, .queued = queued, .are_loaded = true};

	(void) wa_loader_try(look_at, &taken);
}
