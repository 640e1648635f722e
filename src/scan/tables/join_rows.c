/*
 * join_rows.c
 *		Rows that tables of joins are made of; see join_rows.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "scan/tables/join_rows.h"

/* Rows that there is room for at first. */
#define FIRST_ROOM 1024

/* Something that all rows have. */
typedef struct Array
{
	void **elements;
	Size bytes; /* of an element */
} Array;

/* Some rows that follow one another, of those that stay or of new ones. */
typedef struct Piece
{
	bool is_new;
	int64 first;
	int64 count;
} Piece;

typedef struct Pieces
{
	int64 count;
	int64 room;
	Piece *pieces;
} Pieces;

void
wa_join_rows_make(WaJoinRows *rows, MemoryContext context, int nkeys,
				  const bool *are_texts, int ncolumns, bool with_blocks)
{
	*rows =
		(WaJoinRows){.context = context, .nkeys = nkeys, .ncolumns = ncolumns};
	rows->keys =
		MemoryContextAllocZero(context, sizeof(WaRowKeys) * (nkeys + 1));
	rows->columns =
		MemoryContextAllocZero(context, sizeof(WaJoinColumn) * (ncolumns + 1));
	for (int i = 0; i < nkeys; i++)
		rows->keys[i].are_texts = are_texts[i];
	if (with_blocks)
		rows->blocks = MemoryContextAlloc(context, sizeof(BlockNumber));
}

/* Returns what all rows have, in the current memory context; stores how much that is. */
static Array *
arrays_of(WaJoinRows *rows, int *count)
{
	Array *arrays =
		palloc(sizeof(Array) * (rows->nkeys + 2 * rows->ncolumns + 1));
	int n = 0;

	for (int i = 0; i < rows->nkeys; i++)
		arrays[n++] = (Array){(void **) &rows->keys[i].integers,
							  wa_row_key_bytes(&rows->keys[i])};
	for (int i = 0; i < rows->ncolumns; i++)
	{
		arrays[n++] =
			(Array){(void **) &rows->columns[i].datums, sizeof(Datum)};
		arrays[n++] = (Array){(void **) &rows->columns[i].nulls, sizeof(bool)};
	}
	if (rows->blocks != NULL)
		arrays[n++] = (Array){(void **) &rows->blocks, sizeof(BlockNumber)};
	*count = n;
	return arrays;
}

/* Has all arrays have room for so many rows. */
static void
set_room(WaJoinRows *rows, int64 room)
{
	int count;
	Array *arrays = arrays_of(rows, &count);

	for (int i = 0; i < count; i++)
	{
		const Size bytes = (Size) room * arrays[i].bytes + 1;
		void **elements = arrays[i].elements;

		*elements = *elements == NULL
						? MemoryContextAllocHuge(rows->context, bytes)
						: repalloc_huge(*elements, bytes);
	}
	pfree(arrays);
	rows->room = room;
}

/* Returns for how many rows there is to be room when it is to be larger. */
static int64
next_room(const WaJoinRows *rows)
{
	return Max(2 * rows->room, FIRST_ROOM);
}

Size
wa_join_rows_bytes(WaJoinRows *rows)
{
	Size bytes = MemoryContextMemAllocated(rows->context, false);
	int count;
	Array *arrays;

	if (rows->nrows < rows->room)
		return bytes;
	arrays = arrays_of(rows, &count);
	for (int i = 0; i < count; i++)
		bytes += (Size) (next_room(rows) - rows->room) * arrays[i].bytes;
	pfree(arrays);
	return bytes;
}

void
wa_join_rows_grow(WaJoinRows *rows)
{
	if (rows->nrows == rows->room)
		set_room(rows, next_room(rows));
}

void
wa_join_rows_trim(WaJoinRows *rows)
{
	if (rows->room != rows->nrows)
		set_room(rows, rows->nrows);
}

void
wa_join_rows_add_null(WaJoinRows *rows, BlockNumber block)
{
	rows->has_nulls = true;
	if (rows->blocks == NULL ||
		(rows->nnulls > 0 && rows->null_blocks[rows->nnulls - 1] == block))
		return;
	if (rows->nnulls == rows->nulls_room)
	{
		rows->nulls_room = Max(2 * rows->nulls_room, 16);
		if (rows->null_blocks == NULL)
			rows->null_blocks = MemoryContextAllocHuge(
				rows->context, rows->nulls_room * sizeof(BlockNumber));
		else
			rows->null_blocks = repalloc_huge(
				rows->null_blocks, rows->nulls_room * sizeof(BlockNumber));
	}
	rows->null_blocks[rows->nnulls++] = block;
}

/* Puts an array of elements of so many bytes in an order. */
static void
put_in_order(void *array, Size bytes, const int64 *order, int64 count)
{
	char *copy = palloc_extended((Size) count * bytes, MCXT_ALLOC_HUGE);

	memcpy(copy, array, (Size) count * bytes);
	for (int64 i = 0; i < count; i++)
		memcpy((char *) array + (Size) i * bytes,
			   copy + (Size) order[i] * bytes, bytes);
	pfree(copy);
}

void
wa_join_rows_put_in_order(WaJoinRows *rows, const int64 *order)
{
	int count;
	Array *arrays;

	if (order == NULL)
		return;
	arrays = arrays_of(rows, &count);
	for (int i = 0; i < count; i++)
		put_in_order(*arrays[i].elements, arrays[i].bytes, order, rows->nrows);
	pfree(arrays);
}

/* Compares the keys of two rows, part after part. */
static int
compare_rows(const WaJoinRows *a, int64 row_of_a, const WaJoinRows *b,
			 int64 row_of_b)
{
	int order = 0;

	for (int i = 0; i < a->nkeys && order == 0; i++)
	{
		const WaRowKey key_of_a = wa_row_key_at(&a->keys[i], row_of_a);
		const WaRowKey key_of_b = wa_row_key_at(&b->keys[i], row_of_b);

		order = wa_row_key_compare(&key_of_a, &key_of_b);
	}
	return order;
}

static int
compare_places(const void *a, const void *b, void *rows)
{
	return compare_rows(rows, *(const int64 *) a, rows, *(const int64 *) b);
}

/* Puts rows in the order of their keys. */
static void
sort_rows(WaJoinRows *rows)
{
	int64 *order =
		palloc_extended(rows->nrows * sizeof(int64) + 1, MCXT_ALLOC_HUGE);

	for (int64 i = 0; i < rows->nrows; i++)
		order[i] = i;
	qsort_arg(order, (size_t) rows->nrows, sizeof(int64), compare_places, rows);
	if (rows->nrows > 0)
		wa_join_rows_put_in_order(rows, order);
	pfree(order);
}

/* Returns the first row from one on, in their order, with no key before that of a new row. */
static int64
find_place(const WaJoinRows *rows, int64 low, const WaJoinRows *by, int64 row)
{
	int64 high = rows->nrows;

	while (low < high)
	{
		const int64 middle = low + (high - low) / 2;

		if (compare_rows(rows, middle, by, row) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Tells whether what was in a block is to be replaced. */
static inline bool
is_changed(const WaChangedBlocks *changed, BlockNumber block)
{
	return block >= changed->nblocks || changed->are_changed[block];
}

/* Tells whether a row has the key and the values of a new one. */
static bool
is_same_row(const WaJoinRows *rows, int64 row, const WaJoinRows *by,
			int64 row_of_by)
{
	if (compare_rows(rows, row, by, row_of_by) != 0)
		return false;
	for (int i = 0; i < rows->ncolumns; i++)
	{
		const WaJoinColumn *a = &rows->columns[i];
		const WaJoinColumn *b = &by->columns[i];

		if (a->nulls[row] != b->nulls[row_of_by] ||
			(!a->nulls[row] &&
			 !datumIsEqual(a->datums[row], b->datums[row_of_by], a->by_value,
						   -1)))
			return false;
	}
	return true;
}

/*
 * Tells whether those rows that are in changed blocks have what new ones do; both are in
 * order.
 */
static bool
are_same_rows(const WaJoinRows *rows, const WaChangedBlocks *changed,
			  const WaJoinRows *by)
{
	int64 next = 0;

	for (int64 i = 0; i < rows->nrows; i++)
	{
		if (!is_changed(changed, rows->blocks[i]))
			continue;
		if (next == by->nrows || !is_same_row(rows, i, by, next))
			return false;
		next++;
	}
	return next == by->nrows;
}

/* Adds a piece. */
static void
add_piece(Pieces *pieces, bool is_new, int64 first, int64 count)
{
	if (count == 0)
		return;
	if (pieces->count == pieces->room)
	{
		pieces->room *= 2;
		pieces->pieces =
			repalloc_huge(pieces->pieces, pieces->room * sizeof(Piece));
	}
	pieces->pieces[pieces->count++] = (Piece){is_new, first, count};
}

/* Gives back what a row has in memory of its own. */
static void
free_row(const WaJoinRows *rows, int64 row)
{
	for (int i = 0; i < rows->nkeys; i++)
		if (rows->keys[i].are_texts && rows->keys[i].texts[row].length > 0)
			pfree(unconstify(char *, rows->keys[i].texts[row].data));
	for (int i = 0; i < rows->ncolumns; i++)
		if (rows->columns[i].has_memory && !rows->columns[i].nulls[row])
			pfree(DatumGetPointer(rows->columns[i].datums[row]));
}

/* Adds those rows from one on, up to another, that are in no changed block; frees others. */
static void
add_kept(Pieces *pieces, const WaJoinRows *rows, const WaChangedBlocks *changed,
		 int64 from, int64 to)
{
	for (int64 i = from; i < to; i++)
	{
		if (!is_changed(changed, rows->blocks[i]))
			continue;
		add_piece(pieces, false, from, i - from);
		free_row(rows, i);
		from = i + 1;
	}
	add_piece(pieces, false, from, to - from);
}

/* Returns what rows consist of when those of changed blocks are replaced. */
static Pieces
find_pieces(const WaJoinRows *rows, const WaChangedBlocks *changed,
			const WaJoinRows *by)
{
	Pieces pieces = {.room = 64};
	int64 place = 0;

	pieces.pieces = palloc(pieces.room * sizeof(Piece));
	for (int64 i = 0; i < by->nrows; i++)
	{
		const int64 next = find_place(rows, place, by, i);

		add_kept(&pieces, rows, changed, place, next);
		add_piece(&pieces, true, i, 1);
		place = next;
	}
	add_kept(&pieces, rows, changed, place, rows->nrows);
	return pieces;
}

/* Puts pieces of an array, and of a new one, together in a third. */
static char *
join_pieces(const Pieces *pieces, MemoryContext context, const Array *old,
			const Array *by, int64 nrows)
{
	char *joined =
		MemoryContextAllocHuge(context, (Size) nrows * old->bytes + 1);
	char *end = joined;

	for (int64 i = 0; i < pieces->count; i++)
	{
		const Piece *piece = &pieces->pieces[i];
		const char *from = *(piece->is_new ? by : old)->elements;
		const Size bytes = (Size) piece->count * old->bytes;

		memcpy(end, from + (Size) piece->first * old->bytes, bytes);
		end += bytes;
	}
	return joined;
}

/* Replaces blocks in which rows without a key are. */
static void
replace_nulls(WaJoinRows *rows, const WaChangedBlocks *changed,
			  const WaJoinRows *by)
{
	const int64 count = rows->nnulls;

	rows->nnulls = 0;
	rows->has_nulls = false;
	/* What is written lies before what has yet to be read. */
	for (int64 i = 0; i < count; i++)
		if (!is_changed(changed, rows->null_blocks[i]))
			wa_join_rows_add_null(rows, rows->null_blocks[i]);
	for (int64 i = 0; i < by->nnulls; i++)
		wa_join_rows_add_null(rows, by->null_blocks[i]);
}

/* Has rows of changed blocks be in those where new ones are, which have the same; frees these. */
static void
move_rows(WaJoinRows *rows, const WaChangedBlocks *changed, WaJoinRows *by)
{
	int64 next = 0;

	for (int64 i = 0; i < rows->nrows; i++)
		if (is_changed(changed, rows->blocks[i]))
		{
			rows->blocks[i] = by->blocks[next];
			free_row(by, next++);
		}
}

/* Puts new rows in the place of those of changed blocks. */
static void
exchange_rows(WaJoinRows *rows, const WaChangedBlocks *changed, WaJoinRows *by)
{
	Pieces pieces = find_pieces(rows, changed, by);
	int count;
	Array *old = arrays_of(rows, &count);
	Array *new = arrays_of(by, &count);

	rows->nrows = 0;
	for (int64 i = 0; i < pieces.count; i++)
		rows->nrows += pieces.pieces[i].count;
	for (int i = 0; i < count; i++)
	{
		char *joined =
			join_pieces(&pieces, rows->context, &old[i], &new[i], rows->nrows);

		pfree(*old[i].elements);
		*old[i].elements = joined;
	}
	rows->room = rows->nrows;
	pfree(pieces.pieces);
	pfree(old);
	pfree(new);
}

/* Gives back what rows have, but for what is of single ones. */
static void
free_arrays(WaJoinRows *rows)
{
	int count;
	Array *arrays = arrays_of(rows, &count);

	for (int i = 0; i < count; i++)
		pfree(*arrays[i].elements);
	if (rows->null_blocks != NULL)
		pfree(rows->null_blocks);
	pfree(rows->keys);
	pfree(rows->columns);
	pfree(arrays);
}

bool
wa_join_rows_replace(WaJoinRows *rows, const WaChangedBlocks *changed,
					 WaJoinRows *by)
{
	const bool had_nulls = rows->has_nulls;
	bool are_same;

	/* So that there is something of everything. */
	set_room(by, Max(by->nrows, 1));
	if (rows->room == 0)
		set_room(rows, 1);
	sort_rows(by);
	are_same = are_same_rows(rows, changed, by);
	if (are_same)
		move_rows(rows, changed, by);
	else
		exchange_rows(rows, changed, by);
	replace_nulls(rows, changed, by);
	free_arrays(by);
	return are_same && rows->has_nulls == had_nulls;
}
