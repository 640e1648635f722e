/*
 * load.c
 *		Loading columns of a relation; see load.h.
 *
 * While warpaggd takes over an extent the next one is read: what is read lies in
 * this process until it is written to the parcel.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/transam.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

#include "client/client.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "client/trouble.h"
#include "resident/blocks.h"
#include "resident/extent_reader.h"
#include "resident/load_internal.h"
#include "wal/wal.h"

/* Asks what there is of all of the task's columns in some extents. */
static void
ask_for_extents(WaLoader *loader, uint32 first, uint32 count)
{
	const WaLoadTask *task = loader->task;

	wa_load_ask(loader, task->nall, task->all, first, count, loader->states);
}

/* Has warpaggd forget an extent: what takes its place has nothing. */
static void
forget_extent(WaLoader *loader, uint32 number)
{
	WaExtentHead *head;

	wa_load_finish(loader);
	head = (WaExtentHead *) wa_client_reserve(sizeof(*head));
	if (head == NULL)
		wa_client_raise();
	memset(head, 0, sizeof(*head));
	head->relation = loader->task->storage;
	head->number = number;
	head->family = loader->task->family.family;
	head->position = wa_wal_insert_position();
	head->settled = FirstNormalTransactionId;
	head->nblocks = 1;
	if (!wa_client_load(0) || !wa_client_loaded())
		wa_client_raise();
}

/*
 * Has warpaggd forget extents that the relation, which has been cut off, does not have
 * any more.  Returns false if there were none.
 */
static bool
forget_extents(WaLoader *loader, uint32 first, uint32 count)
{
	bool has_any = false;

	ask_for_extents(loader, first, count);
	for (uint32 i = 0; i < count; i++)
	{
		if (loader->states[i].ncolumns == 0)
			continue;
		forget_extent(loader, first + i);
		has_any = true;
	}
	return has_any;
}

/* Does that for all extents behind the last. */
static void
forget_rest(WaLoader *loader)
{
	const uint32 end = wa_extent_of_block(MaxBlockNumber) + 1;
	uint32 first = loader->task->nextents;

	while (first < end && forget_extents(loader, first, WA_LOAD_MAX_CHUNK))
		first += WA_LOAD_MAX_CHUNK;
}

bool
wa_load_is_done(WaLoadTask *task)
{
	return pg_atomic_read_u32(&task->next_extent) >= task->nextents ||
		   pg_atomic_read_u32(&task->is_full) != 0;
}

/* Takes extents; returns how many, *first being the first of them. */
static uint32
take_extents(WaLoadTask *task, uint32 *first)
{
	if (wa_load_is_done(task))
		return 0;
	*first = pg_atomic_fetch_add_u32(&task->next_extent, (int32) task->chunk);
	if (*first >= task->nextents)
		return 0;
	return Min(task->chunk, task->nextents - *first);
}

/* Loads what there is to be loaded. */
static void
load_extents(WaLoader *loader, WaLoadReport report)
{
	WaLoadTask *task = loader->task;
	bool goes_on = true;
	uint32 first;
	uint32 count;

	while (goes_on && (count = take_extents(task, &first)) > 0)
	{
		ask_for_extents(loader, first, count);
		for (uint32 i = 0; i < count; i++)
		{
			wa_load_extent(loader, first + i, &loader->states[i]);
			if (report != NULL && !report(task, loader->relation))
				goes_on = false;
			if (pg_atomic_read_u32(&task->is_full) != 0)
				break;
		}
	}
	wa_load_finish(loader);
}

/* Brings an extent up to date that has changed, or loads it if new ones are taken. */
static void
refresh_extent(WaLoader *loader, const WaExtentState *state)
{
	const bool has_any = state->exists != 0 && state->columns != 0;

	if (state->number < loader->task->nextents &&
		(has_any || loader->task->takes_new))
		wa_load_extent(loader, state->number, state);
}

/*
 * Loads what has changed, of the extents that warpaggd names, from the first that has not
 * been taken on.  Nobody else takes any.
 */
static void
load_changed(WaLoader *loader, WaLoadReport report)
{
	WaLoadTask *task = loader->task;
	bool goes_on = true;
	uint32 count;

	while (goes_on && !wa_load_is_done(task))
	{
		const uint32 first = pg_atomic_read_u32(&task->next_extent);

		wa_load_finish(loader);
		if (!wa_client_extents(&task->storage, task->nall, task->all, first,
							   task->nblocks, false, WA_LOAD_MAX_CHUNK,
							   loader->states, &count))
			wa_client_raise();
		for (uint32 i = 0; goes_on && i < count; i++)
		{
			const WaExtentState *state = &loader->states[i];

			pg_atomic_write_u32(&task->next_extent, state->number + 1);
			refresh_extent(loader, state);
			goes_on = (report == NULL || report(task, loader->relation)) &&
					  !wa_load_is_done(task);
		}
		if (goes_on && count < WA_LOAD_MAX_CHUNK)
			pg_atomic_write_u32(&task->next_extent, task->nextents);
	}
	wa_load_finish(loader);
}

/* Has warpaggd pin a relation again, as far as that can be. */
static void
pin_again(const WaLoadTask *task)
{
	if (!wa_client_pin(&task->storage, true) &&
		wa_trouble()->exchange != WA_EXCHANGE_DONE)
		wa_client_raise();
}

/* Lets go of a reader. */
static void
end_reader(WaLoadTask *task, WaExtentReader *reader)
{
	if (reader == NULL)
		return;
	pg_atomic_fetch_add_u64(&task->odd, reader->odd);
	wa_extent_end(reader);
}

void
wa_load_run(WaLoadTask *task, Relation relation, WaLoadReport report)
{
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg load", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	WaLoader *loader = palloc0(sizeof(*loader));

	loader->task = task;
	loader->relation = relation;
	loader->wanted =
		wa_extent_begin(relation, task->nblocks, task->nwanted, task->wanted);
	if (task->is_refresh)
		load_changed(loader, report);
	else
		load_extents(loader, report);
	if (!IsParallelWorker() && wa_load_is_done(task))
		forget_rest(loader);
	if (!IsParallelWorker() && task->pins)
		pin_again(task);
	end_reader(task, loader->wanted);
	end_reader(task, loader->all);
	for (int i = 0; i < WA_LOAD_MAX_RESTS; i++)
		end_reader(task, loader->rests[i].reader);
	wa_parcel_drop();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}
