/*
 * column.c
 *		Copying columns out of parcels, and checking their values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column/column.h"
#include "daemon/column/column_texts.h"
#include "daemon/column/column_values.h"

/* Booleans that are packed at once, a multiple of 64. */
#define BOOLS 4096

/* Returns where the next array of a column begins after so many bytes. */
static size_t
aligned(size_t bytes)
{
	return (bytes + WA_MEMORY_ALIGNMENT - 1) / WA_MEMORY_ALIGNMENT *
		   WA_MEMORY_ALIGNMENT;
}

WaColumn *
wa_column_make(WaMemory *memory, const void *user, const WaColumn *like,
			   bool has_validity, bool has_display)
{
	const uint32_t nrows = like->nrows;
	const size_t values = aligned(sizeof(WaColumn));
	const size_t validity = values + aligned(wa_form_bytes(like->form, nrows));
	const size_t display = validity + (has_validity ? aligned(nrows) : 0);
	const size_t bytes = display + (has_display ? aligned(nrows) : 0);
	WaColumn *made = wa_memory_get(memory, user, bytes);

	if (made == NULL)
		return NULL;
	memset(made, 0, sizeof(*made));
	made->memory = memory;
	made->bytes = bytes;
	made->references = 1;
	made->nrows = nrows;
	made->name = like->name;
	made->family_attribute = like->family_attribute;
	made->form = like->form;
	made->scale = like->scale;
	made->values = (char *) made + values;
	if (has_validity)
		made->validity = (uint8_t *) made + validity;
	if (has_display)
		made->display = (uint8_t *) made + display;
	memcpy(made->odd, like->odd, sizeof(made->odd));
	for (int i = 0; i < WA_EXTENT_WORDS; i++)
		made->has_odd |= made->odd[i] != 0;
	return made;
}

/* Makes a column for one of a parcel, or returns NULL. */
static WaColumn *
make_column(WaMemory *memory, const void *user, const WaExtentColumn *column,
			uint32_t nrows)
{
	WaColumn like = {.name = column->name,
					 .family_attribute = (int16_t) column->family_attribute,
					 .form = (WaForm) column->form,
					 .scale = (uint8_t) column->scale,
					 .nrows = nrows};

	memcpy(like.odd, column->odd, sizeof(like.odd));
	return wa_column_make(memory, user, &like, column->validity != 0,
						  wa_form_kind(like.form) == WA_VECTOR_DECIMAL &&
							  column->display != 0);
}

/*
 * Copies booleans, those of NULLs as false, and tells whether all can be.  Only
 * what has been copied is looked at.
 */
static bool
copy_bools(const WaColumn *made, const uint8_t *from)
{
	uint64_t *to = (uint64_t *) made->values;
	uint8_t some[BOOLS];

	for (size_t first = 0; first < made->nrows; first += BOOLS)
	{
		const size_t count =
			made->nrows - first < BOOLS ? made->nrows - first : BOOLS;

		memcpy(some, from + first, count);
		if (wa_values_largest_byte(some, count) > 1)
			return false;
		if (made->validity != NULL)
			wa_values_clear_nulls(made->form, some, made->validity + first,
								  count);
		wa_bits_pack(some, count, to + first / 64);
	}
	return true;
}

/* Copies the values of a column, and tells whether they can be. */
static bool
copy_values(const WaColumn *made, const uint8_t *from)
{
	if (made->form == WA_FORM_BOOL)
		return copy_bools(made, from);
	memcpy((void *) made->values, from,
		   made->nrows * wa_form_width(made->form));
	return true;
}

/* Copies the arrays of a column, and tells whether their bytes can be. */
static bool
copy_arrays(WaColumn *made, const WaExtentColumn *column, const uint8_t *parcel)
{
	const size_t nrows = made->nrows;

	if (made->validity != NULL)
		memcpy((void *) made->validity, parcel + column->validity, nrows);
	if (made->display != NULL)
		memcpy((void *) made->display, parcel + column->display, nrows);
	return (made->validity == NULL ||
			wa_values_largest_byte(made->validity, nrows) <= 1) &&
		   (made->display == NULL ||
			wa_values_largest_byte(made->display, nrows) <= made->scale) &&
		   copy_values(made, parcel + column->values) &&
		   (made->form != WA_FORM_DECIMAL128 ||
			wa_values_are_decimals(made->values, nrows));
}

void
wa_column_sum_up(WaColumn *column)
{
	wa_values_find_bounds(column->form, column->values, column->validity,
						  column->nrows, &column->smallest, &column->largest);
	column->has_large = column->form == WA_FORM_DECIMAL128 &&
						wa_values_have_large(column->values, column->nrows);
}

WaStatus
wa_column_copy(WaMemory *memory, const void *user, const WaExtentColumn *column,
			   uint32_t nrows, const uint8_t *parcel, WaDictionary *dictionary,
			   WaColumn **copy, char *error, size_t error_bytes)
{
	WaColumn *made = make_column(memory, user, column, nrows);
	WaStatus status = made == NULL ? WA_OUT_OF_MEMORY : WA_OK;

	if (made != NULL && !copy_arrays(made, column, parcel))
		status = WA_BAD_REQUEST;
	if (status == WA_OK && made->form == WA_FORM_TEXT)
	{
		wa_dictionary_retain(dictionary);
		made->dictionary = dictionary;
		status = wa_column_take_texts(dictionary, user, column, parcel,
									  (uint32_t *) made->values, nrows);
	}
	if (status == WA_OK && made->validity != NULL && made->form != WA_FORM_BOOL)
		wa_values_clear_nulls(made->form, (void *) made->values, made->validity,
							  made->nrows);
	if (status == WA_OK)
	{
		wa_column_sum_up(made);
		*copy = made;
		return WA_OK;
	}
	(void) snprintf(error, error_bytes,
					status == WA_BAD_REQUEST
						? "values of attribute %d are out of bounds"
						: "not enough memory for attribute %d",
					column->name.attribute);
	wa_column_release(made);
	return status;
}

void
wa_column_retain(WaColumn *column)
{
	(void) __atomic_fetch_add(&column->references, 1, __ATOMIC_RELAXED);
}

void
wa_column_release(WaColumn *column)
{
	if (column == NULL ||
		__atomic_fetch_sub(&column->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	if (column->copy.flat != NULL)
		column->copy.forget(column);
	wa_dictionary_release(column->dictionary);
	wa_memory_free(column->memory, column, column->bytes);
}

WaLayout *
wa_layout_begin(WaMemory *memory, const void *user, const WaFamily *family,
				uint32_t nblocks, uint32_t nrows, const uint32_t *row_end)
{
	WaLayout *layout = wa_memory_get(memory, user, sizeof(*layout));

	if (layout == NULL)
		return NULL;
	memset(layout, 0, sizeof(*layout));
	layout->memory = memory;
	layout->references = 1;
	layout->family = *family;
	layout->nblocks = nblocks;
	layout->nrows = nrows;
	memcpy(layout->row_end, row_end, nblocks * sizeof(row_end[0]));
	return layout;
}

WaLayout *
wa_layout_make(WaMemory *memory, const void *user, const WaExtentHead *head)
{
	WaLayout *layout = wa_layout_begin(
		memory, user, &head->family, head->nblocks, head->nrows, head->row_end);

	if (layout == NULL)
		return NULL;
	memcpy(layout->block_lsn, head->block_lsn,
		   head->nblocks * sizeof(head->block_lsn[0]));
	wa_layout_take_xids(layout, head);
	return layout;
}

void
wa_deciders_add(WaDeciders *deciders, const WaDeciders *others)
{
	if (others->settled > deciders->settled)
		deciders->settled = others->settled;
	if (others->first_xid != 0 &&
		(deciders->first_xid == 0 || others->first_xid < deciders->first_xid))
		deciders->first_xid = others->first_xid;
	if (others->last_xid > deciders->last_xid)
		deciders->last_xid = others->last_xid;
}

void
wa_layout_sum_xids(WaLayout *layout)
{
	WaDeciders sum = {.settled = layout->deciders.settled};

	for (uint32_t i = 0; i < layout->nblocks; i++)
	{
		const WaDeciders block = {.first_xid = layout->first_xid[i],
								  .last_xid = layout->last_xid[i]};

		wa_deciders_add(&sum, &block);
	}
	layout->deciders = sum;
}

void
wa_layout_take_xids(WaLayout *layout, const WaExtentHead *head)
{
	const size_t bytes = head->nblocks * sizeof(head->first_xid[0]);

	if (head->settled < layout->deciders.settled)
		return;
	memcpy(layout->first_xid, head->first_xid, bytes);
	memcpy(layout->last_xid, head->last_xid, bytes);
	layout->deciders.settled = head->settled;
	wa_layout_sum_xids(layout);
}

void
wa_layout_retain(WaLayout *layout)
{
	(void) __atomic_fetch_add(&layout->references, 1, __ATOMIC_RELAXED);
}

void
wa_layout_release(WaLayout *layout)
{
	if (layout == NULL ||
		__atomic_fetch_sub(&layout->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	if (layout->run != NULL)
		layout->forget(layout);
	wa_memory_free(layout->memory, layout, sizeof(*layout));
}

bool
wa_layout_is_in_use(const WaLayout *layout)
{
	return __atomic_load_n(&layout->references, __ATOMIC_ACQUIRE) > 1;
}

bool
wa_layout_is_of(const WaLayout *layout, const WaExtentHead *head)
{
	return layout->nblocks == head->nblocks && layout->nrows == head->nrows &&
		   memcmp(layout->block_lsn, head->block_lsn,
				  head->nblocks * sizeof(head->block_lsn[0])) == 0 &&
		   memcmp(layout->row_end, head->row_end,
				  head->nblocks * sizeof(head->row_end[0])) == 0;
}
