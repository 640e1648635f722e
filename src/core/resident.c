/*
 * resident.c
 *		Checking the head of an extent before anything in it is believed.
 */
#include "core/resident.h"
#include "core/checksum.h"

/* All that is named by offsets begins at multiples of this. */
#define PARCEL_ALIGNMENT 64

/* Tells whether so many bytes from offset on lie in the parcel. */
static bool
lies_in_parcel(uint64_t offset, uint64_t bytes, uint64_t parcel_bytes)
{
	return offset % PARCEL_ALIGNMENT == 0 && offset <= parcel_bytes &&
		   bytes <= parcel_bytes - offset;
}

/* Tells whether a relation may have the blocks that the extent has. */
static bool
blocks_are_sound(const WaExtentHead *head)
{
	const uint64_t end =
		(uint64_t) head->number * WA_EXTENT_BLOCKS + head->nblocks;

	return head->nblocks > 0 && head->nblocks <= WA_EXTENT_BLOCKS &&
		   end <= UINT32_MAX;
}

/* Tells whether the transactions of the blocks can be. */
static bool
xids_are_sound(const WaExtentHead *head)
{
	for (uint32_t i = 0; i < WA_EXTENT_BLOCKS; i++)
	{
		const uint64_t first = head->first_xid[i];
		const uint64_t last = head->last_xid[i];

		if (first == 0 ? last >= head->settled && last != 0
					   : first < head->settled || first > last)
			return false;
		if (last != 0 && head->block_lsn[i] == 0)
			return false;
	}
	return true;
}

/* Tells whether the blocks' rows follow each other up to the last row. */
static bool
rows_are_sound(const WaExtentHead *head)
{
	uint32_t before = 0;

	if (head->nrows > WA_MAX_EXTENT_ROWS)
		return false;
	for (uint32_t i = 0; i < head->nblocks; i++)
	{
		const uint32_t end = head->row_end[i];

		if (end < before || (end > before && head->block_lsn[i] == 0))
			return false;
		before = end;
	}
	return before == head->nrows;
}

/* Tells whether the texts of a column, and their ends, lie in the parcel. */
static bool
texts_are_sound(const WaExtentColumn *column, uint64_t parcel_bytes)
{
	return column->text_bytes <= UINT32_MAX &&
		   column->ntexts <= WA_MAX_EXTENT_TEXTS &&
		   lies_in_parcel(column->text, column->text_bytes, parcel_bytes) &&
		   lies_in_parcel(column->text_ends, column->ntexts * sizeof(uint32_t),
						  parcel_bytes);
}

/* Tells whether a column is of a known form and lies in the parcel. */
static bool
column_is_sound(const WaExtentColumn *column, uint64_t nrows,
				uint64_t parcel_bytes)
{
	WaForm form;

	if (column->form >= WA_FORM_COUNT ||
		!wa_column_name_is_sound(&column->name))
		return false;
	form = (WaForm) column->form;
	if (column->scale >
		(form == WA_FORM_DECIMAL128 ? WA_WIDE_MAX_SCALE : WA_DECIMAL_MAX_SCALE))
		return false;
	if (wa_form_kind(form) != (WaVectorKind) column->name.kind)
		return false;
	if (form == WA_FORM_TEXT && !texts_are_sound(column, parcel_bytes))
		return false;
	return lies_in_parcel(column->values, nrows * wa_form_width(form),
						  parcel_bytes) &&
		   lies_in_parcel(column->validity, nrows, parcel_bytes) &&
		   lies_in_parcel(column->display, nrows, parcel_bytes);
}

/* Tells whether a column may have its number in the family, if there is one. */
static bool
family_attribute_is_sound(const WaExtentHead *head, uint32_t column)
{
	const int32_t attribute = head->columns[column].family_attribute;

	return head->columns[column].unused == 0 && attribute >= 0 &&
		   attribute <= (head->family.root == 0 ? 0 : INT16_MAX);
}

/*
 * Tells whether no column before this one is of the same attribute, or has the same
 * number in the family.
 */
static bool
attribute_is_new(const WaExtentHead *head, uint32_t column)
{
	const WaExtentColumn *this = &head->columns[column];

	for (uint32_t i = 0; i < column; i++)
		if (head->columns[i].name.attribute == this->name.attribute ||
			(this->family_attribute != 0 &&
			 head->columns[i].family_attribute == this->family_attribute))
			return false;
	return true;
}

/* Tells whether only columns that there are have been asked for. */
static bool
asked_is_sound(const WaExtentHead *head)
{
	return head->ncolumns >= 64 || head->asked >> head->ncolumns == 0;
}

bool
wa_extent_is_sound(const WaExtentHead *head, uint64_t parcel_bytes)
{
	if (!wa_relation_is_sound(&head->relation) ||
		!wa_family_is_sound(&head->family, &head->relation) ||
		head->position == 0 || head->settled == 0 || head->is_patch > 1 ||
		head->ncolumns > WA_MAX_RESIDENT_COLUMNS || !asked_is_sound(head) ||
		!blocks_are_sound(head) || !rows_are_sound(head) ||
		!xids_are_sound(head))
		return false;
	for (uint32_t i = 0; i < head->ncolumns; i++)
		if (!column_is_sound(&head->columns[i], head->nrows, parcel_bytes) ||
			!family_attribute_is_sound(head, i) || !attribute_is_new(head, i))
			return false;
	return true;
}

/* Returns the checksum with that of what lies at an offset, 0: of nothing. */
static uint32_t
add_part(uint32_t checksum, const void *parcel, uint64_t offset, uint64_t bytes)
{
	if (offset == 0)
		return checksum;
	return wa_checksum(checksum, (const char *) parcel + offset, bytes);
}

/* The same of a column. */
static uint32_t
add_column(uint32_t checksum, const WaExtentColumn *column, uint64_t nrows,
		   const void *parcel)
{
	const uint64_t bytes = nrows * wa_form_width((WaForm) column->form);

	checksum = add_part(checksum, parcel, column->values, bytes);
	checksum = add_part(checksum, parcel, column->validity, nrows);
	checksum = add_part(checksum, parcel, column->display, nrows);
	if (column->form != WA_FORM_TEXT)
		return checksum;
	checksum = add_part(checksum, parcel, column->text, column->text_bytes);
	return add_part(checksum, parcel, column->text_ends,
					column->ntexts * sizeof(uint32_t));
}

uint32_t
wa_extent_checksum(const WaExtentHead *head, const void *parcel)
{
	uint32_t checksum = wa_checksum(0, head, offsetof(WaExtentHead, columns));

	checksum = wa_checksum(checksum, head->columns,
						   head->ncolumns * sizeof(head->columns[0]));
	for (uint32_t i = 0; i < head->ncolumns; i++)
		checksum = add_column(checksum, &head->columns[i], head->nrows, parcel);
	return checksum;
}
