/*
 * load.c
 *		Loading columns of a relation; see load.h.
 *
 * While warpaggd takes over an extent the next one is read: what is read lies in
 * this process until it is written to the parcel.
 *
 * All columns of an extent that are resident are so with the same blocks, so
 * warpaggd drops those that a new load does not have if its blocks are others.
 * For columns to be added, the blocks that there are are read; if there have to be
 * others, what was resident is read again as well.  A column that cannot have all of
 * these blocks, as some value cannot be resident, lacks the others.
 *
 * A message names so many columns at most, and so many are read at once.  If there are
 * more, the rest is read behind them, with the blocks that they have then.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

#include "client/client.h"
#include "client/parcel.h"
#include "client/resident.h"
#include "resident/extent.h"
#include "resident/load.h"
#include "resident/map.h"
#include "resident/relation.h"

/* Processes read the rest of the columns by parts of as many as a message names. */
#define MAX_RESTS                                          \
	((WA_LOAD_MAX_COLUMNS + WA_MAX_RESIDENT_COLUMNS - 1) / \
	 WA_MAX_RESIDENT_COLUMNS)

/* A part of the rest. */
typedef struct Rest
{
	WaExtentReader *reader; /* NULL until it is needed */
	uint64 columns;         /* a bit for each that the extent at hand has */
} Rest;

/* One process at work. */
typedef struct Loader
{
	WaLoadTask *task;
	Relation relation;
	Buffer map_pin;
	WaExtentReader *wanted; /* reads the columns that are wanted */
	WaExtentReader *all;    /* all; NULL until it is needed */
	Rest rests[MAX_RESTS];
	bool is_pending; /* an extent is being taken over by warpaggd */
	uint32 pending_rows;
	uint64 pending_bytes;
	uint64 pending_blocks;
	WaExtentState states[WA_LOAD_MAX_CHUNK];
} Loader;

/* What is known of an extent before it is read. */
typedef struct Known
{
	bool has_wanted;   /* all columns that are wanted are resident */
	bool has_others;   /* columns that are not wanted are, too */
	bool has_rest;     /* columns are that are not of all of the task's */
	bool is_current;   /* all visible blocks that can be are resident */
	bool keeps_blocks; /* so are all that its columns have been loaded with */
	uint64_t loaded[WA_EXTENT_WORDS]; /* the latter */
	uint64_t kept[WA_EXTENT_WORDS];   /* resident, visible and unchanged */
} Known;

/*
 * Waits until warpaggd has taken over what was sent last.  If it has no memory
 * for that, all processes stop.
 */
static void
finish_pending(Loader *loader)
{
	WaLoadTask *task = loader->task;
	WaFailure failure;

	if (!loader->is_pending)
		return;
	loader->is_pending = false;
	if (wa_client_loaded(&failure))
	{
		pg_atomic_fetch_add_u64(&task->read_rows, loader->pending_rows);
		pg_atomic_fetch_add_u64(&task->read_bytes,
								(int64) loader->pending_bytes);
		return;
	}
	if (failure.exchange != WA_EXCHANGE_DONE ||
		failure.status != WA_OUT_OF_MEMORY)
		wa_client_raise(&failure);
	pg_atomic_write_u32(&task->is_full, 1);
	pg_atomic_fetch_add_u64(&task->missed, (int64) loader->pending_blocks);
}

/* Returns a bit for each of a reader's columns that a user has asked for. */
static uint64
asked_columns(const Loader *loader, const WaExtentReader *reader)
{
	if (!loader->task->asked)
		return 0;
	if (reader == loader->wanted)
		return UINT64_MAX;
	return reader == loader->all ? loader->task->wanted_bits : 0;
}

/* Sends what a reader has read. */
static void
send_extent(Loader *loader, const WaExtentReader *reader)
{
	uint64 bytes = wa_extent_bytes(reader);
	WaFailure failure;
	char *parcel;

	finish_pending(loader);
	parcel = wa_client_reserve(bytes, &failure);
	if (parcel == NULL)
		wa_client_raise(&failure);
	loader->pending_rows =
		wa_extent_write(reader, asked_columns(loader, reader), parcel);
	loader->pending_bytes = bytes;
	loader->pending_blocks = wa_map_count(wa_extent_kept(reader));
	if (!wa_client_load(0, &failure))
		wa_client_raise(&failure);
	loader->is_pending = true;
}

/* Tells whether all bits of the one are in the other. */
static bool
is_subset(const uint64_t *words, const uint64_t *of)
{
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		if ((words[i] & ~of[i]) != 0)
			return false;
	return true;
}

/* Finds out what of an extent can stay as it is. */
static void
look_at(Loader *loader, uint32 number, const WaExtentState *state,
		const WaMapExtent *map, Known *known)
{
	const WaLoadTask *task = loader->task;

	memset(known, 0, sizeof(*known));
	if (state->map_lsn == 0)
		return;
	for (uint32 i = 0; i < WA_EXTENT_BLOCKS; i++)
		if (state->block_lsn[i] != 0)
			known->loaded[i / 64] |= UINT64CONST(1) << i % 64;
	known->has_wanted =
		(state->columns & task->wanted_bits) == task->wanted_bits;
	known->has_rest = state->ncolumns > pg_popcount64(state->columns);
	known->has_others =
		known->has_rest || (state->columns & ~task->wanted_bits) != 0;
	if (state->map_lsn == map->lsn)
	{
		/* What has become visible since would have changed the LSN. */
		for (int i = 0; i < WA_EXTENT_WORDS; i++)
			known->kept[i] = state->cached[i] & map->visible[i];
		known->is_current = true;
	}
	else
	{
		wa_extent_compare(loader->wanted, number, state, map->visible,
						  known->kept);
		known->is_current = is_subset(map->visible, known->kept);
	}
	known->keeps_blocks = is_subset(known->loaded, known->kept);
}

/*
 * From bits for the columns that are wanted to the same for all columns: those
 * that are wanted have the same order there.
 */
static uint64
bits_of_all(const WaLoadTask *task, uint64 bits)
{
	uint64 result = 0;
	int place = 0;

	for (int i = 0; i < task->nall; i++)
		if ((task->wanted_bits >> i & 1) != 0)
			result |= (bits >> place++ & 1) << i;
	return result;
}

/* Returns the reader of all columns. */
static WaExtentReader *
reader_of_all(Loader *loader)
{
	const WaLoadTask *task = loader->task;

	if (task->nall == task->nwanted)
		return loader->wanted;
	if (loader->all == NULL)
		loader->all = wa_extent_begin(loader->relation, task->nblocks,
									  task->nall, task->all);
	return loader->all;
}

/* Returns a reader's bits as those of all columns. */
static uint64
bits_from(const Loader *loader, const WaExtentReader *reader, uint64 bits)
{
	return reader == loader->wanted ? bits_of_all(loader->task, bits) : bits;
}

/* Tells warpaggd which blocks of an extent can stay. */
static void
confirm(Loader *loader, uint32 number, const WaExtentState *state,
		const WaMapExtent *map, const Known *known)
{
	WaConfirmMessage message = {.extent = number};
	WaFailure failure;

	message.relation = loader->task->storage;
	message.old_lsn = state->map_lsn;
	message.new_lsn = map->lsn;
	memcpy(message.kept, known->kept, sizeof(message.kept));
	finish_pending(loader);
	if (!wa_client_confirm(&message, &failure))
		wa_client_raise(&failure);
}

/*
 * Tells whether an extent has all columns that are wanted but for those that it
 * cannot have.
 */
static bool
has_what_it_can(Loader *loader, uint32 number, const WaExtentState *state,
				const WaMapExtent *map)
{
	WaLoadTask *task = loader->task;
	uint64 can = bits_of_all(
		task, wa_extent_choose(loader->wanted, number, map->visible));

	pg_atomic_fetch_or_u64(&task->left_out, task->wanted_bits & ~can);
	return (can & ~state->columns) == 0;
}

/* Notes which columns an extent that has been read does not have. */
static void
note_columns(Loader *loader, const WaExtentReader *reader)
{
	WaLoadTask *task = loader->task;
	uint64 columns = bits_from(loader, reader, wa_extent_columns(reader));

	pg_atomic_fetch_or_u64(&task->left_out, task->wanted_bits & ~columns);
}

/* Asks what there is of some extents; states: room for `count`. */
static void
ask_for_states(Loader *loader, int ncolumns, const WaColumnName *columns,
			   uint32 first, uint32 count, WaExtentState *states)
{
	WaFailure failure;

	finish_pending(loader);
	if (!wa_client_extents(&loader->task->storage, ncolumns, columns, first,
						   count, states, &failure))
		wa_client_raise(&failure);
}

/* Returns the columns of a part of the rest; *ncolumns is how many, or 0. */
static const WaColumnName *
columns_of_rest(const WaLoadTask *task, int part, int *ncolumns)
{
	const int first = part * WA_MAX_RESIDENT_COLUMNS;

	*ncolumns = Min(Max(task->nrest - first, 0), WA_MAX_RESIDENT_COLUMNS);
	return &task->rest[first];
}

/* Finds out what an extent has of the rest. */
static void
ask_for_rest(Loader *loader, uint32 number)
{
	WaExtentState state;
	int ncolumns;

	for (int i = 0; i < MAX_RESTS; i++)
	{
		const WaColumnName *columns =
			columns_of_rest(loader->task, i, &ncolumns);

		loader->rests[i].columns = 0;
		if (ncolumns == 0)
			continue;
		ask_for_states(loader, ncolumns, columns, number, 1, &state);
		loader->rests[i].columns = state.columns;
	}
}

/*
 * Reads a part of the rest of which an extent had something, with blocks that it has
 * now.  Returns false if it had nothing, or some of them cannot be read any more.
 */
static bool
read_rest(Loader *loader, int part, uint32 number, const uint64_t *blocks)
{
	const WaLoadTask *task = loader->task;
	Rest *rest = &loader->rests[part];
	int ncolumns;
	const WaColumnName *names = columns_of_rest(task, part, &ncolumns);

	if (rest->columns == 0)
		return false;
	if (rest->reader == NULL)
		rest->reader =
			wa_extent_begin(loader->relation, task->nblocks, ncolumns, names);
	return wa_extent_read(rest->reader, number, blocks) &&
		   is_subset(blocks, wa_extent_kept(rest->reader));
}

/*
 * Sends what an extent had of the rest: it has lost that, as it has other blocks now.
 * This counts neither as rows nor as blocks.
 */
static void
send_rest(Loader *loader, uint32 number, const uint64_t *blocks)
{
	for (int i = 0; i < MAX_RESTS; i++)
	{
		if (pg_atomic_read_u32(&loader->task->is_full) != 0 ||
			!read_rest(loader, i, number, blocks))
			continue;
		send_extent(loader, loader->rests[i].reader);
		loader->pending_rows = 0;
		loader->pending_blocks = 0;
	}
}

/* Reads an extent and sends it; returns how many of its blocks are resident. */
static uint32
read_extent(Loader *loader, uint32 number, const Known *known)
{
	const uint32 before = known->is_current ? wa_map_count(known->kept) : 0;
	WaExtentReader *reader = loader->wanted;
	bool is_read = false;
	bool has_rest = false;

	if (known->has_others && known->keeps_blocks)
	{
		is_read = wa_extent_read(reader, number, known->loaded);
		if (!is_read && known->is_current)
			return before;
		is_read = is_read && is_subset(known->loaded, wa_extent_kept(reader));
	}
	if (!is_read)
	{
		if (known->has_others)
			reader = reader_of_all(loader);
		has_rest = known->has_rest;
		is_read = wa_extent_read(reader, number, NULL);
	}
	if (!is_read)
		return before;
	note_columns(loader, reader);
	if (has_rest)
		ask_for_rest(loader, number);
	send_extent(loader, reader);
	if (has_rest)
		send_rest(loader, number, wa_extent_kept(reader));
	return wa_map_count(wa_extent_kept(reader));
}

/* Sees to it that an extent is resident. */
static void
load_extent(Loader *loader, uint32 number, const WaExtentState *state)
{
	WaLoadTask *task = loader->task;
	BlockNumber first = wa_extent_first_block(number);
	BlockNumber next = wa_extent_first_block(number + 1);
	uint32 resident;
	WaMapExtent map;
	Known known;

	wa_map_read_extent(loader->relation, task->nblocks, number,
					   &loader->map_pin, &map);
	look_at(loader, number, state, &map, &known);
	resident = wa_map_count(known.kept);
	if (known.is_current && !known.has_wanted)
		known.has_wanted = has_what_it_can(loader, number, state, &map);
	if (wa_map_count(map.visible) == 0)
		resident = 0;
	else if (!known.is_current || !known.has_wanted)
		resident = read_extent(loader, number, &known);
	else if (state->map_lsn != map.lsn)
		confirm(loader, number, state, &map, &known);
	pg_atomic_fetch_add_u64(&task->seen, Min(next, task->nblocks) - first);
	pg_atomic_fetch_add_u64(&task->visible, wa_map_count(map.visible));
	pg_atomic_fetch_add_u64(&task->unlogged, map.unlogged);
	pg_atomic_fetch_add_u64(&task->missed,
							(int64) wa_map_count(map.visible) - resident);
}

/* Asks what there is of all of the task's columns in some extents. */
static void
ask_for_extents(Loader *loader, uint32 first, uint32 count)
{
	const WaLoadTask *task = loader->task;

	ask_for_states(loader, task->nall, task->all, first, count, loader->states);
}

/*
 * Has warpaggd forget what blocks had that the relation, which has been cut off,
 * does not have any more.  Returns false if there were none in these extents.
 */
static bool
forget_extents(Loader *loader, uint32 first, uint32 count)
{
	static const Known nothing = {0};
	bool has_any = false;

	ask_for_extents(loader, first, count);
	for (uint32 i = 0; i < count; i++)
	{
		const WaExtentState *state = &loader->states[i];
		WaMapExtent map = {.lsn = state->map_lsn};

		if (wa_map_count(state->cached) == 0)
			continue;
		confirm(loader, first + i, state, &map, &nothing);
		has_any = true;
	}
	return has_any;
}

/* Does that for all extents behind the last. */
static void
forget_rest(Loader *loader)
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
load_extents(Loader *loader, WaLoadReport report)
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
			load_extent(loader, first + i, &loader->states[i]);
			if (report != NULL && !report(task, loader->relation))
				goes_on = false;
			if (pg_atomic_read_u32(&task->is_full) != 0)
				break;
		}
	}
	finish_pending(loader);
}

/* Lets go of a reader. */
static void
end_reader(WaLoadTask *task, WaExtentReader *reader)
{
	if (reader == NULL)
		return;
	pg_atomic_fetch_add_u64(&task->odd, wa_extent_counts(reader).odd);
	wa_extent_end(reader);
}

void
wa_load_run(WaLoadTask *task, Relation relation, WaLoadReport report)
{
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "warpagg load", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	Loader *loader = palloc0(sizeof(*loader));

	loader->task = task;
	loader->relation = relation;
	loader->wanted =
		wa_extent_begin(relation, task->nblocks, task->nwanted, task->wanted);
	load_extents(loader, report);
	if (!IsParallelWorker() && wa_load_is_done(task))
		forget_rest(loader);
	if (BufferIsValid(loader->map_pin))
		ReleaseBuffer(loader->map_pin);
	end_reader(task, loader->wanted);
	end_reader(task, loader->all);
	for (int i = 0; i < MAX_RESTS; i++)
		end_reader(task, loader->rests[i].reader);
	wa_parcel_drop();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
}
