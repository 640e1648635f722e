/*
 * load_extent.c
 *		Loading columns of an extent; see load_internal.h.
 *
 * Of an extent that is resident, what is fresh stays; so do blocks that have the same LSN
 * in the heap, which warpaggd is told.  If few others have to be read, these are sent as a
 * patch, with all columns that the extent has; otherwise it is read as a whole.
 *
 * All columns of an extent that are resident are so with the same blocks, so
 * warpaggd drops those that a new load does not have if its blocks are others.
 * For columns to be added, the blocks that there are are read, when these are up to date;
 * if they have changed meanwhile, what was resident is read again as well.  A column that
 * cannot have all of these blocks, as some value cannot be resident, lacks the others.
 *
 * A message names so many columns at most, and so many are read at once.  If there are
 * more, the rest is read behind them, with the blocks that they have then.
 */
#include "postgres.h"

#include "client/resident.h"
#include "client/trouble.h"
#include "resident/blocks.h"
#include "resident/extent_reader.h"
#include "resident/load_internal.h"

/* A patch is sent if less than one of so many blocks is missing. */
#define MISSING_TO_PATCH 2

/* What is known of an extent before it is read. */
typedef struct Known
{
	bool has_wanted; /* all columns that are wanted are resident */
	bool has_others; /* columns that are not wanted are, too */
	bool has_rest;   /* columns are that are not of all of the task's */
	uint64 columns;  /* of all of the task's, those that are resident */
	uint64_t blocks[WA_EXTENT_WORDS];  /* that the relation has */
	uint64_t cached[WA_EXTENT_WORDS];  /* that are resident */
	uint64_t missing[WA_EXTENT_WORDS]; /* that are not, or have changed */
} Known;

void
wa_load_finish(WaLoader *loader)
{
	WaLoadTask *task = loader->task;

	if (!loader->is_pending)
		return;
	loader->is_pending = false;
	if (wa_client_loaded())
	{
		pg_atomic_fetch_add_u64(&task->read_rows, loader->pending_rows);
		pg_atomic_fetch_add_u64(&task->read_bytes,
								(int64) loader->pending_bytes);
		return;
	}
	if (wa_trouble()->exchange != WA_EXCHANGE_DONE ||
		wa_trouble()->status != WA_OUT_OF_MEMORY)
		wa_client_raise();
	pg_atomic_write_u32(&task->is_full, 1);
	pg_atomic_fetch_add_u64(&task->missed, (int64) loader->pending_blocks);
}

/*
 * From bits for all columns to the same for those that are wanted, which have the same
 * order there.
 */
static uint64
bits_of_wanted(const WaLoadTask *task, uint64 bits)
{
	uint64 result = 0;
	int place = 0;

	for (int i = 0; i < task->nall; i++)
		if ((task->wanted_bits >> i & 1) != 0)
			result |= (bits >> i & 1) << place++;
	return result;
}

/* Returns a bit for each of a reader's columns that a user has asked for. */
static uint64
asked_columns(const WaLoader *loader, const WaExtentReader *reader)
{
	const WaLoadTask *task = loader->task;

	if (reader == loader->wanted)
		return bits_of_wanted(task, task->asked_bits);
	return reader == loader->all ? task->asked_bits : 0;
}

/* Sends what a reader has read. */
static void
send_extent(WaLoader *loader, const WaExtentReader *reader)
{
	uint64 bytes = wa_extent_bytes(reader);
	char *parcel;

	wa_load_finish(loader);
	parcel = wa_client_reserve(bytes);
	if (parcel == NULL)
		wa_client_raise();
	loader->pending_rows = wa_extent_write(
		reader, &loader->task->family, asked_columns(loader, reader), parcel);
	loader->pending_bytes = bytes;
	loader->pending_blocks = wa_blocks_count(reader->kept);
	if (!wa_client_load(0))
		wa_client_raise();
	loader->is_pending = true;
}

/* Tells warpaggd which blocks of an extent have the same LSN in the heap. */
static void
confirm(WaLoader *loader, const WaExtentState *state, uint64 position,
		const uint64_t *same)
{
	WaConfirmMessage message = {.extent = state->number,
								.edition = state->edition,
								.position = position};

	message.relation = loader->task->storage;
	memcpy(message.same, same, sizeof(message.same));
	wa_load_finish(loader);
	if (!wa_client_confirm(&message))
		wa_client_raise();
}

/* Finds the blocks of an extent that are not fresh, but have not changed. */
static void
find_same(WaLoader *loader, uint32 number, const WaExtentState *state,
		  const Known *known, uint64_t *same)
{
	uint64_t doubtful[WA_EXTENT_WORDS];
	uint64 position;

	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		doubtful[i] = state->cached[i] & ~state->fresh[i] & known->blocks[i];
	memset(same, 0, sizeof(doubtful));
	if (wa_blocks_count(doubtful) == 0)
		return;
	position = wa_extent_compare(loader->wanted, number, state, doubtful, same);
	if (wa_blocks_count(same) > 0)
		confirm(loader, state, position, same);
}

/* Finds out what of an extent can stay as it is, and has it stay. */
static void
look_at(WaLoader *loader, uint32 number, const WaExtentState *state,
		Known *known)
{
	const WaLoadTask *task = loader->task;
	uint64_t same[WA_EXTENT_WORDS];

	memset(known, 0, sizeof(*known));
	for (uint32 i = 0; i < WA_EXTENT_WORDS; i++)
		known->blocks[i] =
			wa_extent_word(wa_extent_nblocks(number, task->nblocks), i);
	memcpy(known->missing, known->blocks, sizeof(known->missing));
	if (state->exists == 0)
		return;
	memcpy(known->cached, state->cached, sizeof(known->cached));
	known->columns = state->columns;
	known->has_wanted =
		state->columns != 0 &&
		(task->is_refresh ||
		 (state->columns & task->wanted_bits) == task->wanted_bits);
	known->has_rest = state->ncolumns > pg_popcount64(state->columns);
	known->has_others =
		known->has_rest || (state->columns & ~task->wanted_bits) != 0;
	find_same(loader, number, state, known, same);
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		known->missing[i] &= ~(state->cached[i] & state->fresh[i]) & ~same[i];
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
reader_of_all(WaLoader *loader)
{
	const WaLoadTask *task = loader->task;

	if (task->nall == task->nwanted)
		return loader->wanted;
	if (loader->all == NULL)
		loader->all = wa_extent_begin(loader->relation, task->nblocks,
									  task->nall, task->all);
	return loader->all;
}

/*
 * Tells whether an extent has all columns that are wanted but for those that it
 * cannot have.
 */
static bool
has_what_it_can(WaLoader *loader, uint32 number, const Known *known)
{
	WaLoadTask *task = loader->task;
	uint64 can = bits_of_all(
		task, wa_extent_choose(loader->wanted, number, known->blocks));

	pg_atomic_fetch_or_u64(&task->left_out, task->wanted_bits & ~can);
	return (can & ~known->columns) == 0;
}

/* Notes which columns an extent that has been read does not have. */
static void
note_columns(WaLoader *loader, const WaExtentReader *reader)
{
	WaLoadTask *task = loader->task;
	const uint64 columns = reader == loader->wanted
							   ? bits_of_all(task, reader->chosen)
							   : reader->chosen;

	pg_atomic_fetch_or_u64(&task->left_out, task->wanted_bits & ~columns);
}

void
wa_load_ask(WaLoader *loader, int ncolumns, const WaColumnName *columns,
			uint32 first, uint32 count, WaExtentState *states)
{
	wa_load_finish(loader);
	if (!wa_client_extents(&loader->task->storage, ncolumns, columns, first,
						   UINT32_MAX, true, count, states, &count))
		wa_client_raise();
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
ask_for_rest(WaLoader *loader, uint32 number)
{
	WaExtentState state;
	int ncolumns;

	for (int i = 0; i < WA_LOAD_MAX_RESTS; i++)
	{
		const WaColumnName *columns =
			columns_of_rest(loader->task, i, &ncolumns);

		loader->rests[i].columns = 0;
		if (ncolumns == 0)
			continue;
		wa_load_ask(loader, ncolumns, columns, number, 1, &state);
		loader->rests[i].columns = state.columns;
	}
}

/*
 * Reads a part of the rest of which an extent had something, with blocks that it has
 * now.  Returns false if it had nothing, or some of them cannot be read any more.
 */
static bool
read_rest(WaLoader *loader, int part, uint32 number, const uint64_t *blocks)
{
	const WaLoadTask *task = loader->task;
	WaLoadRest *rest = &loader->rests[part];
	int ncolumns;
	const WaColumnName *names = columns_of_rest(task, part, &ncolumns);

	if (rest->columns == 0)
		return false;
	if (rest->reader == NULL)
		rest->reader =
			wa_extent_begin(loader->relation, task->nblocks, ncolumns, names);
	return wa_extent_read(rest->reader, number, blocks, UINT64_MAX, false) &&
		   wa_blocks_are_in(blocks, rest->reader->kept);
}

/*
 * Sends what an extent had of the rest: it has lost that, as it has other blocks now.
 * This counts neither as rows nor as blocks.
 */
static void
send_rest(WaLoader *loader, uint32 number, const uint64_t *blocks)
{
	for (int i = 0; i < WA_LOAD_MAX_RESTS; i++)
	{
		if (pg_atomic_read_u32(&loader->task->is_full) != 0 ||
			!read_rest(loader, i, number, blocks))
			continue;
		send_extent(loader, loader->rests[i].reader);
		loader->pending_rows = 0;
		loader->pending_blocks = 0;
	}
}

/* Notes that the blocks of an extent that a reader left out are in flux. */
static void
note_flux(WaLoader *loader, const WaExtentReader *reader)
{
	pg_atomic_fetch_add_u64(&loader->task->flux, wa_blocks_count(reader->flux));
}

/* Reads an extent as a whole and sends it; returns how many of its blocks it has. */
static uint32
read_whole(WaLoader *loader, uint32 number, const Known *known)
{
	WaExtentReader *reader =
		known->has_others ? reader_of_all(loader) : loader->wanted;
	/* A refresh adds no columns to what there is. */
	const uint64 columns = loader->task->is_refresh && known->columns != 0
							   ? known->columns
							   : UINT64_MAX;
	const bool is_read =
		wa_extent_read(reader, number, known->blocks, columns, false);

	note_flux(loader, reader);
	note_columns(loader, reader);
	if (!is_read)
		return 0;
	if (known->has_rest)
		ask_for_rest(loader, number);
	send_extent(loader, reader);
	if (known->has_rest)
		send_rest(loader, number, reader->kept);
	return wa_blocks_count(reader->kept);
}

/*
 * Reads what is missing of an extent and sends that; returns how many of its blocks are
 * resident then.
 */
static uint32
read_patch(WaLoader *loader, uint32 number, const Known *known)
{
	const uint32 stay =
		wa_blocks_count(known->blocks) - wa_blocks_count(known->missing);
	WaExtentReader *reader = reader_of_all(loader);

	if (wa_blocks_count(known->missing) == 0)
		return stay;
	if (wa_extent_read(reader, number, known->missing, known->columns, true))
		send_extent(loader, reader);
	note_flux(loader, reader);
	return stay + wa_blocks_count(reader->kept);
}

/*
 * Reads the columns that are wanted, with the blocks that the extent has, and sends them.
 * Returns false if some of these blocks are not as they were.
 */
static bool
add_columns(WaLoader *loader, uint32 number)
{
	const WaLoadTask *task = loader->task;
	WaExtentReader *reader = loader->wanted;
	WaExtentState state;

	wa_load_ask(loader, task->nall, task->all, number, 1, &state);
	if (!wa_extent_read(reader, number, state.cached, UINT64_MAX, false) ||
		!wa_extent_has_all(reader, &state))
		return false;
	note_columns(loader, reader);
	send_extent(loader, reader);
	return true;
}

/*
 * Tells whether what is missing of an extent can be sent by itself, and is so little that
 * this is faster, or nothing.
 */
static bool
may_stay(const Known *known)
{
	const uint32 missing = wa_blocks_count(known->missing);

	return wa_blocks_are_in(known->cached, known->blocks) &&
		   (missing == 0 ||
			(!known->has_rest &&
			 MISSING_TO_PATCH * missing < wa_blocks_count(known->blocks)));
}

/*
 * Sees to it that an extent is resident; returns how many of its blocks are.  What it has
 * is brought up to date before columns are added to it.
 */
static uint32
update_extent(WaLoader *loader, uint32 number, Known *known)
{
	uint32 resident;

	if (known->columns != 0 && !known->has_wanted)
		known->has_wanted = has_what_it_can(loader, number, known);
	if (!may_stay(known) || (!known->has_wanted && !known->has_others))
		return read_whole(loader, number, known);
	resident = read_patch(loader, number, known);
	if (known->has_wanted || add_columns(loader, number))
		return resident;
	return read_whole(loader, number, known);
}

void
wa_load_extent(WaLoader *loader, uint32 number, const WaExtentState *state)
{
	WaLoadTask *task = loader->task;
	const uint32 nblocks = wa_extent_nblocks(number, task->nblocks);
	Known known;

	look_at(loader, number, state, &known);
	pg_atomic_fetch_add_u64(&task->missed,
							nblocks - update_extent(loader, number, &known));
	pg_atomic_fetch_add_u64(&task->seen, nblocks);
}
