/*
 * gather_locate.c
 *		Where the values of the wanted columns lie in the tuples of a batch.
 *
 * In even tuples (gather_column.h) most columns lie at a fixed place; behind the
 * first value of variable length one walk finds all columns, through all tuples
 * at the same time, so that no step waits for the one before.  Odd tuples are
 * walked through one by one from their first attribute.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

#include "scan/gather_column.h"

/* Tells whether the first natts bits are all set: no attribute is NULL. */
static bool
none_is_null(const bits8 *bits, int natts)
{
	int nbytes = natts / BITS_PER_BYTE;
	bits8 last = (bits8) ((1 << (natts % BITS_PER_BYTE)) - 1);

	for (int i = 0; i < nbytes; i++)
		if (bits[i] != 0xFF)
			return false;
	return last == 0 || (bits[nbytes] & last) == last;
}

/* Tells whether a tuple is even. */
static inline bool
is_even(HeapTupleHeader tuple, int natts)
{
	if (HeapTupleHeaderGetNatts(tuple) < natts)
		return false;
	return (tuple->t_infomask & HEAP_HASNULL) == 0 ||
		   none_is_null(tuple->t_bits, natts);
}

/* Finds the data of all tuples, and lists the odd ones. */
static void
find_data(WaGather *gather, const WaRow *rows, int nrows)
{
	int nodd = 0;

	for (int i = 0; i < nrows; i++)
	{
		HeapTupleHeader tuple = rows[i].tuple;

		gather->data[i] = (const char *) tuple + tuple->t_hoff;
		if (unlikely(gather->all_odd || !is_even(tuple, gather->natts)))
			gather->odd[nodd++] = (uint16) i;
	}
	gather->nodd = nodd;
}

/* Returns the first address from p on that is a multiple of align. */
static inline const char *
align_up(const char *p, uint8 align)
{
	return (const char *) TYPEALIGN(align, p);
}

/*
 * The same for a value with a varlena header.  A byte that is not zero is no
 * padding but its header: see att_align_pointer.
 */
static inline const char *
start_of_varlena(const char *p, uint8 align)
{
	return VARATT_NOT_PAD_BYTE(p) ? p : align_up(p, align);
}

/*
 * Finds a value that begins at p, or behind padding there: stores its address
 * in *start.  Returns where it ends.
 */
static inline const char *
step_over(const WaGatherAttribute *attribute, const char *p, const char **start)
{
	if (attribute->length > 0)
	{
		*start = align_up(p, attribute->align);
		return *start + attribute->length;
	}
	if (attribute->length == -1)
	{
		*start = start_of_varlena(p, attribute->align);
		return *start + VARSIZE_ANY(*start);
	}
	*start = align_up(p, attribute->align);
	return *start + strlen(*start) + 1;
}

/*
 * Brings the cursors of all rows from the ends of an attribute's values to the
 * starts of the next one's.
 */
static void
move_to_starts(const WaGatherAttribute *attribute, const char **cursors,
			   int nrows)
{
	uint8 align = attribute->align;

	if (align == 1)
		return;
	if (attribute->length > 0)
		for (int i = 0; i < nrows; i++)
			cursors[i] = align_up(cursors[i], align);
	else
		for (int i = 0; i < nrows; i++)
			cursors[i] = start_of_varlena(cursors[i], align);
}

/* Brings them from there to the ends. */
static void
move_to_ends(const WaGatherAttribute *attribute, const char **cursors,
			 int nrows)
{
	if (attribute->length > 0)
		for (int i = 0; i < nrows; i++)
			cursors[i] += attribute->length;
	else
		for (int i = 0; i < nrows; i++)
			cursors[i] += VARSIZE_ANY(cursors[i]);
}

/*
 * Finds what even tuples have behind the columns that lie at fixed places,
 * attribute by attribute.  In place of odd tuples it walks through the filler.
 */
static void
walk_even(WaGather *gather, int nrows)
{
	const char **cursors = gather->cursors;
	int last = gather->natts - 1;

	for (int i = 0; i < nrows; i++)
		cursors[i] = gather->data[i] + gather->walk_offset;
	for (int i = 0; i < gather->nodd; i++)
		cursors[gather->odd[i]] = gather->filler;
	for (int i = gather->walk_from; i <= last; i++)
	{
		const WaGatherAttribute *attribute = &gather->attributes[i];

		move_to_starts(attribute, cursors, nrows);
		if (attribute->column >= 0)
			memcpy(gather->columns[attribute->column].addresses, cursors,
				   (Size) nrows * sizeof(*cursors));
		if (i < last)
			move_to_ends(attribute, cursors, nrows);
	}
}

/* Finds all columns of an odd tuple. */
static void
walk_odd(const WaGather *gather, HeapTupleHeader tuple, int row)
{
	bool has_nulls = (tuple->t_infomask & HEAP_HASNULL) != 0;
	int natts = Min(HeapTupleHeaderGetNatts(tuple), gather->natts);
	const char *p = gather->data[row];

	for (int i = 0; i < gather->natts; i++)
	{
		const WaGatherAttribute *attribute = &gather->attributes[i];
		WaGatherColumn *column =
			attribute->column < 0 ? NULL : &gather->columns[attribute->column];
		const char *start = NULL;

		if (i >= natts)
			start = column != NULL ? column->missing : NULL;
		else if (!has_nulls || !att_isnull(i, tuple->t_bits))
			p = step_over(attribute, p, &start);
		if (column == NULL)
			continue;
		column->addresses[row] = start;
		if (start == NULL)
			column->has_nulls = true;
	}
}

/* Finds the values that lie at fixed places in even tuples. */
static void
locate_fixed(const WaGather *gather, WaGatherColumn *column, int nrows)
{
	if (gather->nodd == 0)
	{
		column->base = gather->data;
		column->offset = (Size) column->fixed;
		return;
	}
	for (int i = 0; i < nrows; i++)
		column->addresses[i] = gather->data[i] + column->fixed;
}

void
wa_gather_locate(WaGather *gather, const WaRow *rows, int nrows)
{
	find_data(gather, rows, nrows);
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];

		column->base = column->addresses;
		column->offset = 0;
		column->has_nulls = false;
		if (column->fixed >= 0)
			locate_fixed(gather, column, nrows);
	}
	if (gather->walk_from < gather->natts && gather->nodd < nrows)
		walk_even(gather, nrows);
	for (int i = 0; i < gather->nodd; i++)
		walk_odd(gather, rows[gather->odd[i]].tuple, gather->odd[i]);
}
