/*
 * spill_pace.c
 *		How much memory groups may take, and how many rows are taken at once; see
 *		spill_pace.h.
 *
 * The tables that groups are in are doubled at powers of two.  So that they do not
 * outgrow the memory unseen, rows are taken in pieces that double them once at most,
 * and that stay below the power of two where doubling is out of the question.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "scan/spill/spill_file.h"
#include "scan/spill/spill_pace.h"

/*
 * So many rows are taken first; fewer than the others, even where groups are large,
 * only if there is hardly any memory.
 */
#define FIRST_PIECE 16
#define FEW_ROWS    4
#define MANY_ROWS   128

/* This part of the memory, at most, may be outgrown by what is taken at once. */
#define PIECE_PART 16

/* No group is taken to have fewer bytes. */
#define LEAST_BYTES 64

/* This part of the memory is for the buffers of files that are written. */
#define BUFFER_PART 8

/* Groups that are closed may always grow by this part of the memory. */
#define GROWTH_PART 16

int
wa_spill_most_bits(void)
{
	const Size files = Max(get_hash_memory_limit() / BUFFER_PART / BLCKSZ,
						   1 << WA_SPILL_MIN_BITS);

	return Min(pg_leftmost_one_pos64(files), WA_SPILL_MAX_BITS);
}

/*
 * As in PostgreSQL, what the executor needs for rows on their way does not count: the
 * vectors of a batch, and what is kept of expressions.  It does not grow with the
 * groups, so it would not help to have fewer.
 */
Size
wa_spill_groups_bytes(const WaScanStore *store)
{
	Size bytes = MemoryContextMemAllocated(store->groups->context, true);

	for (int i = 0; i < store->query->ncolumns; i++)
		bytes += MemoryContextMemAllocated(store->columns[i]->context, true);
	for (int i = 0; i < store->query->ntransitions; i++)
		bytes += wa_transitions_bytes(store->transitions[i]);
	return bytes;
}

/* Returns the bytes at which groups are closed. */
static Size
full_bytes(void)
{
	const Size limit = get_hash_memory_limit();
	const Size buffers = ((Size) BLCKSZ << wa_spill_most_bits()) + BLCKSZ +
						 wa_spill_batch_bytes();

	return Max(limit - Min(limit, buffers), limit / 4 * 3);
}

/* Returns the bytes that the groups have grown by from the first one on. */
static Size
grown_bytes(const WaScanStore *store, Size bytes)
{
	return bytes - Min(bytes, store->growth.empty_bytes);
}

/*
 * Tells whether groups would outgrow the memory when their tables are doubled.  What
 * that takes is twice what it took before, which is no more than the largest step so
 * far, and no more than everything.
 */
static bool
is_last_table(const WaScanStore *store, Size bytes)
{
	return bytes + Min(2 * store->growth.step, grown_bytes(store, bytes)) >
		   full_bytes();
}

/* Returns how many groups there may be before the tables are doubled. */
static uint32
room_in_tables(uint32 ngroups)
{
	return pg_nextpower2_32(ngroups + 1) - 1 - ngroups;
}

/* Returns how many groups of room in such tables are not worth the while. */
static uint32
spare_room(uint32 ngroups)
{
	return Min(ngroups / 16, WA_VECTOR_ROWS);
}

/* Returns how many rows to take while there are no groups. */
static int
empty_piece(const WaSpillGrowth *growth)
{
	const Size most = get_hash_memory_limit() / PIECE_PART / LEAST_BYTES;

	return (int) Min((Size) growth->free_piece, Max(most, MANY_ROWS));
}

int
wa_spill_pace_open(WaScanStore *store)
{
	const uint32 ngroups = wa_query_groups_count(store->groups->table);
	const Size bytes = wa_spill_groups_bytes(store);
	const Size full = full_bytes();
	Size each;
	Size piece;
	Size least;

	if (store->growth.bytes == 0)
		store->growth.bytes = bytes;
	if (ngroups == 0)
		return empty_piece(&store->growth);
	/* What does not grow with every group should not look as if it did. */
	each =
		Max(grown_bytes(store, bytes) / Max(ngroups, MANY_ROWS), LEAST_BYTES);
	least = Min(get_hash_memory_limit() / PIECE_PART / each, MANY_ROWS);
	/* Where there is room now, a group may take as much again by doubling. */
	piece = (full - Min(full, bytes)) / (2 * each);
	if (piece < WA_VECTOR_ROWS)
		piece = Min(piece, Max(ngroups, least));
	piece = Max(piece, Max(least, FEW_ROWS));
	if (is_last_table(store, bytes))
		piece = Min(piece, Max(room_in_tables(ngroups), 1));
	return (int) Min(piece, WA_VECTOR_ROWS);
}

void
wa_spill_pace_begin(WaScanStore *store)
{
	store->growth = (WaSpillGrowth){.empty_bytes = wa_spill_groups_bytes(store),
									.free_piece = FIRST_PIECE};
}

void
wa_spill_pace_restart(WaScanStore *store, Size bytes)
{
	store->growth.bytes = bytes;
	store->growth.free_piece = FIRST_PIECE;
}

void
wa_spill_pace_note(WaScanStore *store, Size bytes)
{
	WaSpillGrowth *growth = &store->growth;
	const Size step = bytes - Min(bytes, growth->bytes);

	/* What comes from elsewhere before any row is no step. */
	if (growth->bytes > 0)
		growth->step = Max(growth->step, step);
	growth->free_piece =
		step > 0 ? FEW_ROWS : Min(growth->free_piece * 2, WA_VECTOR_ROWS);
	growth->bytes = bytes;
}

bool
wa_spill_pace_is_full(const WaScanStore *store, uint32 ngroups, Size bytes)
{
	return bytes > full_bytes() ||
		   (room_in_tables(ngroups) <= spare_room(ngroups) &&
			is_last_table(store, bytes));
}

bool
wa_spill_pace_has_outgrown(Size closed_bytes, Size bytes)
{
	return bytes > Max(full_bytes(), closed_bytes) +
					   get_hash_memory_limit() / GROWTH_PART;
}
