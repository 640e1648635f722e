/*
 * column.c
 *		Copying columns out of parcels, and checking their values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column.h"
#include "daemon/column_values.h"

/* Codes of late texts that are tried before the dictionary is asked. */
#define RECENT_CODES 4096

/* Texts for which the dictionary is asked at once. */
#define TEXT_BATCH 256

/* Returns where the next array of a column begins after so many bytes. */
static size_t
aligned(size_t bytes)
{
	return (bytes + WA_MEMORY_ALIGNMENT - 1) / WA_MEMORY_ALIGNMENT *
		   WA_MEMORY_ALIGNMENT;
}

/*
 * Makes the record of a column with the arrays that it needs, all in one piece
 * of memory; or returns NULL.
 */
static WaColumn *
make_column(WaMemory *memory, const void *user, const WaExtentColumn *column,
			uint32_t nrows)
{
	const WaForm form = (WaForm) column->form;
	const bool has_display =
		wa_form_kind(form) == WA_VECTOR_DECIMAL && column->display != 0;
	const size_t values = aligned(sizeof(WaColumn));
	const size_t validity = values + aligned(nrows * wa_form_width(form));
	const size_t display =
		validity + (column->validity != 0 ? aligned(nrows) : 0);
	const size_t bytes = display + (has_display ? aligned(nrows) : 0);
	WaColumn *made = wa_memory_get(memory, user, bytes);

	if (made == NULL)
		return NULL;
	memset(made, 0, sizeof(*made));
	made->memory = memory;
	made->bytes = bytes;
	made->references = 1;
	made->nrows = nrows;
	made->name = column->name;
	made->form = form;
	made->scale = (uint8_t) column->scale;
	made->values = (char *) made + values;
	if (column->validity != 0)
		made->validity = (uint8_t *) made + validity;
	if (has_display)
		made->display = (uint8_t *) made + display;
	return made;
}

/*
 * What a text column is read from, the codes met lately, by hash, and the texts
 * that the dictionary is to be asked for.
 */
typedef struct TextReader
{
	WaDictionary *dictionary;
	const void *user;
	const char *text;             /* a copy of our own */
	int32_t recent[RECENT_CODES]; /* at first all the empty text's */
	size_t npending;
	uint32_t rows[TEXT_BATCH]; /* of those that are pending */
	WaDictionaryQuestion pending[TEXT_BATCH];
} TextReader;

/* Asks the dictionary for what is pending; returns false if there is no memory. */
static bool
ask_dictionary(TextReader *reader, uint32_t *values)
{
	if (!wa_dictionary_add_all(reader->dictionary, reader->user,
							   reader->pending, reader->npending))
		return false;
	for (size_t i = 0; i < reader->npending; i++)
	{
		const WaDictionaryQuestion *question = &reader->pending[i];

		values[reader->rows[i]] = (uint32_t) question->code;
		reader->recent[question->hash % RECENT_CODES] = question->code;
	}
	reader->npending = 0;
	return true;
}

/* Stores the code of a row's text, or makes the text pending. */
static void
encode_text(TextReader *reader, uint32_t *values, uint32_t row, uint32_t begin,
			uint32_t length)
{
	const char *text = reader->text + begin;
	const uint32_t hash = wa_dictionary_hash(reader->dictionary, text, length);
	const int32_t recent = reader->recent[hash % RECENT_CODES];
	const WaDictionaryEntry *entry =
		wa_dictionary_entry(reader->dictionary, recent);

	if (entry->hash == hash && entry->length == length &&
		memcmp(entry->data, text, length) == 0)
	{
		values[row] = (uint32_t) recent;
		return;
	}
	reader->rows[reader->npending] = row;
	reader->pending[reader->npending++] =
		(WaDictionaryQuestion){.data = text, .length = length, .hash = hash};
}

/*
 * Makes codes of the ends of texts that are in the place of the column's values.
 * The text of a NULL does not matter.
 */
static WaStatus
encode_texts(TextReader *reader, WaColumn *column, uint64_t text_bytes)
{
	uint32_t *values = (uint32_t *) column->values;
	uint32_t begin = 0;

	for (uint32_t row = 0; row < column->nrows; row++)
	{
		const uint32_t end = values[row];

		if (end < begin || end > text_bytes)
			return WA_BAD_REQUEST;
		values[row] = WA_DICTIONARY_EMPTY;
		if (end > begin &&
			(column->validity == NULL || column->validity[row] != 0))
			encode_text(reader, values, row, begin, end - begin);
		begin = end;
		if (reader->npending == TEXT_BATCH && !ask_dictionary(reader, values))
			return WA_OUT_OF_MEMORY;
	}
	return ask_dictionary(reader, values) ? WA_OK : WA_OUT_OF_MEMORY;
}

/* Turns a column of TEXT, whose values are ends as yet, into codes. */
static WaStatus
take_texts(WaColumn *column, const void *user, const uint8_t *text,
		   uint64_t text_bytes, WaDictionary *dictionary)
{
	TextReader reader = {.dictionary = dictionary, .user = user};
	char *copy = malloc(text_bytes > 0 ? text_bytes : 1);
	WaStatus status;

	wa_dictionary_retain(dictionary);
	column->dictionary = dictionary;
	if (copy == NULL)
		return WA_OUT_OF_MEMORY;
	memcpy(copy, text, text_bytes);
	reader.text = copy;
	status = encode_texts(&reader, column, text_bytes);
	free(copy);
	return status;
}

/* Copies the arrays of a column, and tells whether their bytes can be. */
static bool
copy_arrays(WaColumn *made, const WaExtentColumn *column, const uint8_t *parcel)
{
	const size_t nrows = made->nrows;

	memcpy((void *) made->values, parcel + column->values,
		   nrows * wa_form_width(made->form));
	if (made->validity != NULL)
		memcpy((void *) made->validity, parcel + column->validity, nrows);
	if (made->display != NULL)
		memcpy((void *) made->display, parcel + column->display, nrows);
	return (made->validity == NULL ||
			wa_values_largest_byte(made->validity, nrows) <= 1) &&
		   (made->display == NULL ||
			wa_values_largest_byte(made->display, nrows) <= made->scale) &&
		   (made->form != WA_FORM_BOOL ||
			wa_values_largest_byte(made->values, nrows) <= 1);
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
		status = take_texts(made, user, parcel + column->text,
							column->text_bytes, dictionary);
	else if (status == WA_OK && made->validity != NULL)
		wa_values_clear_nulls(made->form, (void *) made->values, made->validity,
							  made->nrows);
	if (status == WA_OK)
	{
		wa_values_find_bounds(made->form, made->values, made->validity,
							  made->nrows, &made->smallest, &made->largest);
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
	wa_mirror_forget_column(column);
	wa_dictionary_release(column->dictionary);
	wa_memory_free(column->memory, column, column->bytes);
}

WaShape *
wa_shape_make(WaMemory *memory, const void *user, const WaExtentHead *head)
{
	WaShape *shape = wa_memory_get(memory, user, sizeof(*shape));

	if (shape == NULL)
		return NULL;
	memset(shape, 0, sizeof(*shape));
	shape->memory = memory;
	shape->references = 1;
	shape->nblocks = head->nblocks;
	shape->nrows = head->nrows;
	memcpy(shape->block_lsn, head->block_lsn,
		   head->nblocks * sizeof(head->block_lsn[0]));
	memcpy(shape->row_end, head->row_end,
		   head->nblocks * sizeof(head->row_end[0]));
	return shape;
}

void
wa_shape_retain(WaShape *shape)
{
	(void) __atomic_fetch_add(&shape->references, 1, __ATOMIC_RELAXED);
}

void
wa_shape_release(WaShape *shape)
{
	if (shape == NULL ||
		__atomic_fetch_sub(&shape->references, 1, __ATOMIC_ACQ_REL) != 1)
		return;
	wa_mirror_forget_shape(shape);
	wa_memory_free(shape->memory, shape, sizeof(*shape));
}

bool
wa_shape_is_in_use(const WaShape *shape)
{
	return __atomic_load_n(&shape->references, __ATOMIC_ACQUIRE) > 1;
}

bool
wa_shape_is_of(const WaShape *shape, const WaExtentHead *head)
{
	return shape->nblocks == head->nblocks && shape->nrows == head->nrows &&
		   memcmp(shape->block_lsn, head->block_lsn,
				  head->nblocks * sizeof(head->block_lsn[0])) == 0 &&
		   memcmp(shape->row_end, head->row_end,
				  head->nblocks * sizeof(head->row_end[0])) == 0;
}
