/*
 * column_patch.c
 *		Exchanging blocks of columns; see column_patch.h.
 *
 * Nearly all rows are those of blocks that stay, in a few hundred runs at most: they
 * are copied as they lie, and only if the form of the column changes one by one.
 */
#include "daemon/column/column_patch.h"

#include <string.h>

#include "daemon/column/column_convert.h"

bool
wa_patch_takes(const WaLayout *old, const WaLayout *brought, uint32_t block)
{
	return block < brought->nblocks && brought->block_lsn[block] != 0 &&
		   (block >= old->nblocks ||
			brought->block_lsn[block] >= old->block_lsn[block]);
}

/* Adds rows behind those that there are. */
static void
add_rows(WaPatch *patch, uint32_t from, uint32_t nrows, bool is_brought)
{
	WaPatchRun *last =
		patch->nruns == 0 ? NULL : &patch->runs[patch->nruns - 1];

	if (nrows == 0)
		return;
	if (last != NULL && last->is_brought == is_brought &&
		last->from + last->nrows == from)
		last->nrows += nrows;
	else
		patch->runs[patch->nruns++] =
			(WaPatchRun){from, patch->nrows, nrows, is_brought};
	patch->nrows += nrows;
}

bool
wa_patch_plan(const WaLayout *old, const WaLayout *brought, WaPatch *patch)
{
	patch->old = old;
	patch->brought = brought;
	patch->nblocks =
		brought->nblocks > old->nblocks ? brought->nblocks : old->nblocks;
	patch->nrows = 0;
	patch->nruns = 0;
	memset(patch->taken, 0, sizeof(patch->taken));
	for (uint32_t i = 0; i < patch->nblocks; i++)
	{
		const bool is_brought = wa_patch_takes(old, brought, i);
		const uint32_t *row_end = is_brought ? brought->row_end : old->row_end;

		if (is_brought)
			wa_bits_set(patch->taken, i);
		if (is_brought || i < old->nblocks)
			add_rows(patch, wa_first_row(row_end, i),
					 row_end[i] - wa_first_row(row_end, i), is_brought);
		patch->row_end[i] = patch->nrows;
	}
	return patch->nrows <= WA_MAX_EXTENT_ROWS;
}

WaLayout *
wa_layout_patch(WaMemory *memory, const void *user, const WaPatch *patch)
{
	const WaLayout *old = patch->old;
	const WaLayout *brought = patch->brought;
	WaLayout *layout =
		wa_layout_begin(memory, user, &old->family, patch->nblocks,
						patch->nrows, patch->row_end);

	if (layout == NULL)
		return NULL;
	for (uint32_t i = 0; i < layout->nblocks; i++)
		layout->block_lsn[i] = wa_bits_get(patch->taken, i)
								   ? brought->block_lsn[i]
								   : old->block_lsn[i];
	return layout;
}

void
wa_layout_patch_xids(WaLayout *layout, const WaPatch *patch)
{
	const WaLayout *old = patch->old;
	const WaLayout *brought = patch->brought;

	/* A block's first_xid, if by a smaller one, is not too large for this. */
	layout->deciders.settled = brought->deciders.settled > old->deciders.settled
								   ? brought->deciders.settled
								   : old->deciders.settled;
	for (uint32_t i = 0; i < layout->nblocks; i++)
	{
		const bool is_brought = wa_bits_get(patch->taken, i);

		layout->first_xid[i] =
			is_brought ? brought->first_xid[i] : old->first_xid[i];
		layout->last_xid[i] =
			is_brought ? brought->last_xid[i] : old->last_xid[i];
	}
	wa_layout_sum_xids(layout);
}

/*
 * Finds a form and scale for the values of both columns; old ones have to be looked at
 * only if theirs are others.
 */
static bool
join(const WaColumn *old, const WaColumn *brought, WaForm *form, uint8_t *scale)
{
	const bool joins =
		wa_column_join(old->form, old->scale, brought, form, scale);

	if (wa_form_kind(old->form) != wa_form_kind(brought->form) ||
		old->dictionary != brought->dictionary)
		return false;
	if (joins && wa_column_fits(old, *form, *scale))
		return true;
	if (joins && *form == WA_FORM_DECIMAL32)
	{
		*form = WA_FORM_DECIMAL64;
		if (wa_column_fits(old, *form, *scale))
			return true;
	}
	*form = WA_FORM_DECIMAL128;
	return wa_form_kind(old->form) == WA_VECTOR_DECIMAL &&
		   wa_column_fits(old, *form, *scale) &&
		   wa_column_fits(brought, *form, *scale);
}

/* Copies some rows' values, in the form of the column. */
static void
copy_values(WaColumn *column, const WaColumn *from, const WaPatchRun *run)
{
	const size_t width = wa_form_width(column->form);
	const size_t from_width = wa_form_width(from->form);
	char *to = (char *) column->values + run->to * width;
	const char *values = (const char *) from->values + run->from * from_width;

	if (column->form == WA_FORM_BOOL)
		wa_bits_copy(from->values, run->from, run->nrows,
					 (uint64_t *) column->values, run->to);
	else if (column->form == from->form && column->scale == from->scale)
		memcpy(to, values, run->nrows * width);
	else
	{
		const WaColumn some = {.form = from->form,
							   .scale = from->scale,
							   .nrows = run->nrows,
							   .values = values,
							   .validity = from->validity == NULL
											   ? NULL
											   : from->validity + run->from};

		wa_column_write_values(&some, column->form, column->scale, to);
	}
}

/* Copies some rows. */
static void
copy_rows(WaColumn *column, const WaColumn *from, const WaPatchRun *run)
{
	uint8_t *validity = (uint8_t *) column->validity;
	uint8_t *display = (uint8_t *) column->display;
	/* Only one of NULLs may have more digits: any will do. */
	const bool has_less = from->scale <= column->scale;

	copy_values(column, from, run);
	if (validity != NULL && from->validity != NULL)
		memcpy(validity + run->to, from->validity + run->from, run->nrows);
	else if (validity != NULL)
		memset(validity + run->to, 1, run->nrows);
	if (display != NULL && from->display != NULL && has_less)
		memcpy(display + run->to, from->display + run->from, run->nrows);
	else if (display != NULL)
		memset(display + run->to, has_less ? from->scale : 0, run->nrows);
}

/* Has rows that the column lacks, those of odd blocks, be NULL or 0. */
static void
clear_rows(WaColumn *column, const WaPatchRun *run)
{
	const size_t width = wa_form_width(column->form);
	const uint64_t zeros[WA_EXTENT_WORDS] = {0};
	const uint32_t most = sizeof(zeros) * 8;

	if (column->form == WA_FORM_BOOL)
		for (uint32_t i = 0; i < run->nrows; i += most)
			wa_bits_copy(zeros, 0,
						 run->nrows - i < most ? run->nrows - i : most,
						 (uint64_t *) column->values, run->to + i);
	else
		memset((char *) column->values + run->to * width, 0,
			   run->nrows * width);
	if (column->validity != NULL)
		memset((uint8_t *) column->validity + run->to, 0, run->nrows);
	if (column->display != NULL)
		memset((uint8_t *) column->display + run->to, 0, run->nrows);
}

/* Finds the blocks that the column lacks; none that have no rows are lacked. */
static void
find_odd(const WaPatch *patch, const WaColumn *old, const WaColumn *brought,
		 uint64_t *odd)
{
	memset(odd, 0, WA_EXTENT_WORDS * sizeof(*odd));
	for (uint32_t i = 0; i < patch->nblocks; i++)
	{
		const bool is_brought = wa_bits_get(patch->taken, i);
		const bool has_rows =
			patch->row_end[i] > wa_first_row(patch->row_end, i);
		bool is_odd;

		if (is_brought && brought == NULL)
			is_odd = true;
		else
			is_odd = wa_bits_get(is_brought ? brought->odd : old->odd, i);
		if (is_odd && has_rows)
			wa_bits_set(odd, i);
	}
}

/* Tells whether the column has to say which digits its rows show. */
static bool
needs_display(const WaColumn *like, const WaColumn *old,
			  const WaColumn *brought)
{
	return wa_column_needs_display(old, like->scale) ||
		   (brought != NULL && wa_column_needs_display(brought, like->scale));
}

WaColumn *
wa_column_patch(WaMemory *memory, const void *user, const WaPatch *patch,
				const WaColumn *old, const WaColumn *brought)
{
	WaColumn like = {.name = old->name,
					 .family_attribute = old->family_attribute,
					 .nrows = patch->nrows};
	WaColumn *column;

	if (brought == NULL || !join(old, brought, &like.form, &like.scale))
	{
		like.form = old->form;
		like.scale = old->scale;
		brought = NULL;
	}
	find_odd(patch, old, brought, like.odd);
	column = wa_column_make(memory, user, &like,
							old->validity != NULL ||
								(brought != NULL && brought->validity != NULL),
							needs_display(&like, old, brought));
	if (column == NULL)
		return NULL;
	if (column->form == WA_FORM_BOOL && column->nrows > 0)
		((uint64_t *) column->values)[(column->nrows - 1) / 64] = 0;
	for (uint32_t i = 0; i < patch->nruns; i++)
	{
		const WaPatchRun *run = &patch->runs[i];

		if (run->is_brought && brought == NULL)
			clear_rows(column, run);
		else
			copy_rows(column, run->is_brought ? brought : old, run);
	}
	if (old->dictionary != NULL)
		wa_dictionary_retain(old->dictionary);
	column->dictionary = old->dictionary;
	wa_column_sum_up(column);
	return column;
}
