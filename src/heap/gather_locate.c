/*
 * gather_locate.c
 *		Where the values of the wanted columns lie in the tuples of a batch.
 *
 * Tuples of the same layout (gather_column.h) are walked through together,
 * stretch by stretch, so that no step waits for the one before.  A batch of one
 * layout, as most are, is walked through only as far as the columns that are
 * decoded next; where there are several layouts, each one's tuples are taken out
 * of the batch, and all columns found at once.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

#include "compat.h"
#include "heap/gather_column.h"

/* Values of variable length that are stepped over by one loop, at most. */
#define MOST_STEPS 3

/* How many rows before a walk comes to it memory is asked for a tuple's values. */
#define ROWS_AHEAD 24

/* Where a tuple's NULL bitmap begins. */
#define BITS_OFFSET offsetof(HeapTupleHeaderData, t_bits)

/* The header of a tuple with at most eight attributes. */
#define SMALL_HEADER_BYTES 24

/* In what load_flags returns. */
#define HAS_NULLS ((uint32) HEAP_HASNULL << 16)

/* Returns how many attributes a tuple has, and whether any of them is NULL. */
static inline uint32
load_flags(HeapTupleHeader tuple)
{
	uint32 flags = (uint32) tuple->t_infomask << 16 | tuple->t_infomask2;

	return flags & (HAS_NULLS | HEAP_NATTS_MASK);
}

/* Tells whether the first natts bits are all set: no attribute is NULL. */
static bool
none_is_null(const uint8 *bits, int natts)
{
	int nbytes = natts / BITS_PER_BYTE;
	uint8 last = (uint8) ((1 << (natts % BITS_PER_BYTE)) - 1);

	for (int i = 0; i < nbytes; i++)
		if (bits[i] != 0xFF)
			return false;
	return last == 0 || (bits[nbytes] & last) == last;
}

/*
 * Returns a bit for each of the first natts attributes that is not NULL; natts is
 * at most WA_GATHER_PRESENT_BITS, and the tuple has a bitmap.  Reads 64 bits that
 * lie within the header.
 */
static inline uint64
load_bits(HeapTupleHeader tuple, int natts)
{
	const char *header = (const char *) tuple;
	uint64 bits;

	if (tuple->t_hoff > SMALL_HEADER_BYTES)
		memcpy(&bits, header + BITS_OFFSET, sizeof(bits));
	else
	{
		memcpy(&bits, header + SMALL_HEADER_BYTES - sizeof(bits), sizeof(bits));
		bits >>= (sizeof(bits) - 1) * BITS_PER_BYTE;
	}
	return natts == 0
			   ? 0
			   : bits & ~UINT64CONST(0) >> (WA_GATHER_PRESENT_BITS - natts);
}

/* Returns which of the first natts attributes, all that count, a tuple has. */
static uint64
find_present(const WaGather *gather, HeapTupleHeader tuple, int natts)
{
	bool has_nulls = (tuple->t_infomask & HEAP_HASNULL) != 0;

	if (natts == gather->natts && !has_nulls)
		return gather->all_present;
	if (gather->natts > WA_GATHER_PRESENT_BITS)
		return natts == gather->natts && none_is_null(tuple->t_bits, natts)
				   ? gather->all_present
				   : 0;
	if (has_nulls)
		return load_bits(tuple, natts);
	return natts == 0 ? 0 : gather->all_present >> (gather->natts - natts);
}

/*
 * Finds the data of all tuples, and the numbers of their layouts.  Tells whether
 * these are all the same.  A tuple has the layout of the one before if it has no
 * NULLs and as many attributes, which is seen at a glance.
 */
static bool
find_layouts(WaGather *gather, const WaRow *rows, int nrows)
{
	uint64 last_present = 0;
	int last_natts = -1;
	uint32 last_plain = ~(uint32) 0;
	uint8 number = 0;
	int nchanges = 0;

	for (int i = 0; i < nrows; i++)
	{
		HeapTupleHeader tuple = rows[i].tuple;
		uint32 plain = load_flags(tuple);

		gather->data[i] = (const char *) tuple + tuple->t_hoff;
		if (unlikely(plain != last_plain))
		{
			int natts = Min(HeapTupleHeaderGetNatts(tuple), gather->natts);
			uint64 present = find_present(gather, tuple, natts);

			if (present != last_present || natts != last_natts)
			{
				number = wa_gather_find_layout(gather, present, natts);
				last_present = present;
				last_natts = natts;
				nchanges++;
			}
			last_plain = (plain & HAS_NULLS) == 0 ? plain : ~(uint32) 0;
		}
		gather->numbers[i] = number;
	}
	return nchanges == 1 && number != WA_GATHER_ALONE;
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
 * Some values of variable length, which one loop steps over: the first begin at
 * from[i] + offset, or behind padding there.  Where they end, and the next ones
 * begin, goes to to[0][i] and so on, the last aligned.  What padding was not left
 * out there before is now, in `from` only if that is written to.
 */
typedef struct Steps
{
	const char **from;
	Size offset;
	bool writes;
	const WaGatherStretch *stretches;
	const char **to[MOST_STEPS];
	uint8 to_align; /* of the last */
} Steps;

/* Steps over the values of one row, whatever headers they have. */
static pg_noinline void
step_over_row(const Steps *steps, int nsteps, int row)
{
	const char *p = steps->from[row] + steps->offset;

	for (int k = 0; k < nsteps; k++)
	{
		p = start_of_varlena(p, steps->stretches[k].align);
		if (k > 0)
			steps->to[k - 1][row] = p;
		else if (steps->writes)
			steps->from[row] = p;
		p += VARSIZE_ANY(p);
	}
	steps->to[nsteps - 1][row] = align_up(p, steps->to_align);
}

/* Tells whether a value has a short header, so that it is not out of line. */
static inline bool
is_short(const char *p)
{
	return VARATT_IS_1B(p) && !VARATT_IS_1B_E(p);
}

/*
 * Steps over the values of rows from one on, up to the first row that has one
 * without a short header.  Returns it, or nrows.  Of that row nothing is stored:
 * `from` may be one of `to`.  Nothing is called, so that all is in registers.
 */
static pg_attribute_always_inline int
step_over_shorts(const Steps *steps, int nsteps, int row, int nrows)
{
	const char *const *from = steps->from;
	Size offset = steps->offset;
	const char **last = steps->to[nsteps - 1];
	uint8 to_align = steps->to_align;

	for (; row < nrows; row++)
	{
		const char *p = from[row] + offset;
		const char *ends[MOST_STEPS];

		__builtin_prefetch(from[Min(row + ROWS_AHEAD, nrows - 1)] + offset);
		if (unlikely(!is_short(p)))
			break;
		ends[0] = p + VARSIZE_1B(p);
		if (nsteps > 1)
		{
			if (unlikely(!is_short(ends[0])))
				break;
			ends[1] = ends[0] + VARSIZE_1B(ends[0]);
		}
		if (nsteps > 2)
		{
			if (unlikely(!is_short(ends[1])))
				break;
			ends[2] = ends[1] + VARSIZE_1B(ends[1]);
		}
		if (nsteps > 1)
			steps->to[0][row] = ends[0];
		if (nsteps > 2)
			steps->to[1][row] = ends[1];
		last[row] = align_up(ends[nsteps - 1], to_align);
	}
	return row;
}

/* Steps over the values of all rows. */
static pg_attribute_always_inline void
step_over_values(const Steps *steps, int nsteps, int nrows)
{
	int row = step_over_shorts(steps, nsteps, 0, nrows);

	while (row < nrows)
	{
		step_over_row(steps, nsteps, row);
		row = step_over_shorts(steps, nsteps, row + 1, nrows);
	}
}

/* Steps over fixed lengths. */
static void
step_over_fixed(const char *const *from, Size length, const char **to,
				uint8 to_align, int nrows)
{
	for (int i = 0; i < nrows; i++)
		to[i] = align_up(from[i] + length, to_align);
}

/* Removes padding before the values that the walk has come to, if kept. */
static void
settle(WaGather *gather, const WaGatherLayout *layout, int nrows)
{
	const WaGatherStretch *stretch = &layout->stretches[gather->walked];
	const char **starts;

	if (stretch->array < 0 || stretch->length >= 0)
		return;
	starts = gather->starts[stretch->array];
	for (int i = 0; i < nrows; i++)
		starts[i] = start_of_varlena(gather->walk[i] + gather->walk_offset,
									 stretch->align);
	gather->walk = starts;
	gather->walk_offset = 0;
}

/* Returns the array for the starts of a stretch. */
static const char **
starts_of(WaGather *gather, const WaGatherStretch *stretch)
{
	return stretch->array < 0 ? gather->cursors
							  : gather->starts[stretch->array];
}

/* Returns how many stretches of variable length follow, at most `limit`. */
static int
count_variable(const WaGatherStretch *stretches, int limit)
{
	int n = 0;

	while (n < limit && stretches[n].length < 0)
		n++;
	return n;
}

/* Steps over some stretches: at most `limit`, and at least one. */
static void
step_over(WaGather *gather, const WaGatherLayout *layout, int limit, int nrows)
{
	const WaGatherStretch *stretches = &layout->stretches[gather->walked];
	int nsteps = count_variable(stretches, Min(limit, MOST_STEPS));
	int nstretches = Max(nsteps, 1);
	const WaGatherStretch *goal = &stretches[nstretches];
	Steps steps = {.from = gather->walk,
				   .offset = gather->walk_offset,
				   .writes = gather->walk_offset == 0 && stretches->array >= 0,
				   .stretches = stretches,
				   .to_align = goal->length < 0 ? 1 : goal->align};

	for (int i = 0; i < nstretches; i++)
		steps.to[i] = starts_of(gather, &stretches[i + 1]);
	switch (nsteps)
	{
		case 0:
			step_over_fixed(steps.from, (Size) stretches->length, steps.to[0],
							steps.to_align, nrows);
			break;
		case 1:
			step_over_values(&steps, 1, nrows);
			break;
		case 2:
			step_over_values(&steps, 2, nrows);
			break;
		default:
			step_over_values(&steps, 3, nrows);
			break;
	}
	gather->walk = steps.to[nstretches - 1];
	gather->walk_offset = 0;
	gather->walked += nstretches;
}

/* Walks to a stretch. */
static void
walk_to(WaGather *gather, const WaGatherLayout *layout, int goal, int nrows)
{
	if (goal < gather->walked)
		return;
	if (gather->walked == 0 && goal > 0)
		settle(gather, layout, nrows);
	while (gather->walked < goal)
		step_over(gather, layout, goal - gather->walked, nrows);
	settle(gather, layout, nrows);
}

/* Begins to walk through tuples, given their data. */
static void
begin_walk(WaGather *gather, const WaGatherLayout *layout, const char **data)
{
	gather->walk = data;
	gather->walk_offset = layout->walk_offset;
	gather->walked = 0;
}

/* Returns where the walk keeps the starts that a place is counted from. */
static const char **
base_of(WaGather *gather, const WaGatherLayout *layout,
		const WaGatherPlace *place)
{
	return gather->starts[layout->stretches[place->stretch].array];
}

/* Prepares to walk through a batch of one layout. */
static void
prepare_walk(WaGather *gather)
{
	const WaGatherLayout *layout = gather->layout;

	begin_walk(gather, layout, gather->data);
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];
		const WaGatherPlace *place = &layout->places[i];

		column->base = column->addresses;
		column->offset = 0;
		column->stretch = -1;
		column->has_nulls = place->presence == WA_GATHER_NULL;
		column->all_null = column->has_nulls;
		if (place->presence == WA_GATHER_MISSING)
			for (int row = 0; row < gather->nrows; row++)
				column->addresses[row] = column->missing;
		if (place->presence != WA_GATHER_PRESENT)
			continue;
		column->stretch = place->stretch;
		column->base =
			place->stretch < 0 ? gather->data : base_of(gather, layout, place);
		column->offset = place->offset;
	}
}

/*
 * Finds a value of a tuple that begins at p, or behind padding there: stores its
 * address in *start.  Returns where it ends.
 */
static const char *
step_over_value(const WaGatherAttribute *attribute, const char *p,
				const char **start)
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

/* Finds all columns of a tuple that no layout is planned for. */
static void
walk_alone(const WaGather *gather, HeapTupleHeader tuple, int row)
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
			p = step_over_value(attribute, p, &start);
		if (column == NULL)
			continue;
		column->addresses[row] = start;
		if (start == NULL)
			column->has_nulls = true;
	}
}

/* Stores the places of a column in some of the rows, all of one layout. */
static void
store_addresses(WaGather *gather, const WaGatherLayout *layout, int number,
				const char **data, const uint16 *rows, int nrows)
{
	WaGatherColumn *column = &gather->columns[number];
	const WaGatherPlace *place = &layout->places[number];
	const char *same =
		place->presence == WA_GATHER_MISSING ? column->missing : NULL;
	const char *const *base = data;

	if (place->presence != WA_GATHER_PRESENT)
	{
		for (int i = 0; i < nrows; i++)
			column->addresses[rows[i]] = same;
		column->has_nulls |= same == NULL;
		return;
	}
	if (place->stretch >= 0)
		base = base_of(gather, layout, place);
	for (int i = 0; i < nrows; i++)
		column->addresses[rows[i]] = base[i] + place->offset;
}

/* Finds all columns of some of the rows, all of one layout. */
static void
walk_together(WaGather *gather, const WaGatherLayout *layout,
			  const uint16 *rows, int nrows)
{
	const char *data[WA_VECTOR_ROWS];
	int goal = -1;

	for (int i = 0; i < nrows; i++)
		data[i] = gather->data[rows[i]];
	for (int i = 0; i < gather->ncolumns; i++)
		if (layout->places[i].presence == WA_GATHER_PRESENT)
			goal = Max(goal, layout->places[i].stretch);
	begin_walk(gather, layout, data);
	walk_to(gather, layout, goal, nrows);
	for (int i = 0; i < gather->ncolumns; i++)
		store_addresses(gather, layout, i, data, rows, nrows);
}

/* Finds all columns of a batch that has several layouts. */
static void
walk_all(WaGather *gather, const WaRow *rows)
{
	uint16 sorted[WA_VECTOR_ROWS]; /* rows, by their layouts */
	int ends[WA_GATHER_ALONE + 2] = {0};
	int begin;

	for (int i = 0; i < gather->nrows; i++)
		ends[gather->numbers[i] + 1]++;
	for (int i = 1; i <= WA_GATHER_ALONE; i++)
		ends[i] += ends[i - 1];
	for (int i = 0; i < gather->nrows; i++)
		sorted[ends[gather->numbers[i]]++] = (uint16) i;
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];

		column->base = column->addresses;
		column->offset = 0;
		column->has_nulls = false;
		column->all_null = false;
	}
	begin = 0;
	for (int i = 0; i < gather->nlayouts; begin = ends[i++])
		if (ends[i] > begin)
			walk_together(gather, &gather->layouts[i], sorted + begin,
						  ends[i] - begin);
	for (int i = begin; i < gather->nrows; i++)
		walk_alone(gather, rows[sorted[i]].tuple, sorted[i]);
}

void
wa_gather_locate(WaGather *gather, const WaRow *rows, int nrows)
{
	gather->layout = NULL;
	if (gather->ncolumns == 0 || nrows == 0)
		return;
	if (find_layouts(gather, rows, nrows))
	{
		gather->layout = &gather->layouts[gather->numbers[0]];
		prepare_walk(gather);
	}
	else
		walk_all(gather, rows);
}

void
wa_gather_walk(WaGather *gather, int step)
{
	int goal = -1;

	if (gather->layout == NULL)
		return;
	for (int i = 0; i < gather->ncolumns; i++)
		if (gather->columns[i].first == step)
			goal = Max(goal, gather->columns[i].stretch);
	walk_to(gather, gather->layout, goal, gather->nrows);
}

static void
compact(const char **addresses, const uint16_t *selection, int nselected)
{
	for (int i = 0; i < nselected; i++)
		addresses[i] = addresses[selection[i]];
}

void
wa_gather_keep_places(WaGather *gather, int step)
{
	const uint16_t *selection = gather->kept;
	int nselected = gather->nrows;
	const char **last = gather->data;
	bool walks_on = false;

	if (gather->layout != NULL)
		compact(gather->data, selection, nselected);
	for (int i = 0; i < gather->ncolumns; i++)
	{
		WaGatherColumn *column = &gather->columns[i];

		if (column->first < step)
			continue;
		if (gather->layout == NULL)
			compact(column->addresses, selection, nselected);
		else if (column->stretch > gather->walked)
			walks_on = true;
		/* Columns of the same stretch follow one another. */
		else if (column->stretch >= 0 && column->base != last)
		{
			compact(column->base, selection, nselected);
			last = column->base;
		}
	}
	if (walks_on && gather->walk != gather->data && gather->walk != last)
		compact(gather->walk, selection, nselected);
}
