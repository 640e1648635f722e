/*
 * column_texts.c
 *		From the numbers of texts in a parcel to codes; see column_texts.h.
 *
 * The dictionary is asked for a batch of texts at a time, of which a copy has been
 * made, as the parcel's bytes may change.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon/column/column_texts.h"
#include "daemon/column/column_values.h"

/* Texts of a batch. */
#define BATCH_TEXTS WA_DICTIONARY_BATCH

/* Where the texts come from, and a batch of them. */
typedef struct TextReader
{
	const uint8_t *text;
	const uint8_t *ends;
	uint32_t bytes; /* of all texts */
	uint32_t begin; /* of the next text */
	uint32_t next_ends[BATCH_TEXTS];
	WaDictionaryQuestion questions[BATCH_TEXTS];
	char copy[WA_MAX_TEXT_BYTES];
} TextReader;

/*
 * Copies the texts from `first` on, at most `limit`, that the batch has room for.
 * Returns how many, or 0 if the ends are out of bounds.
 */
static uint32_t
copy_texts(TextReader *reader, uint32_t first, uint32_t limit)
{
	uint32_t before = reader->begin;
	uint32_t count = limit < BATCH_TEXTS ? limit : BATCH_TEXTS;
	uint32_t copied = 0;

	memcpy(reader->next_ends, reader->ends + (size_t) first * sizeof(uint32_t),
		   count * sizeof(uint32_t));
	for (; copied < count; copied++)
	{
		const uint32_t end = reader->next_ends[copied];

		if (end < before || end > reader->bytes)
			return 0;
		if (end - reader->begin > WA_MAX_TEXT_BYTES)
			break;
		before = end;
	}
	memcpy(reader->copy, reader->text + reader->begin, before - reader->begin);
	return copied;
}

/* Asks for the codes of the texts of a batch. */
static bool
ask_dictionary(TextReader *reader, WaDictionary *dictionary, const void *user,
			   uint32_t count)
{
	uint32_t begin = reader->begin;

	for (uint32_t i = 0; i < count; i++)
	{
		WaDictionaryQuestion *question = &reader->questions[i];

		question->data = reader->copy + (begin - reader->begin);
		question->length = reader->next_ends[i] - begin;
		question->hash =
			wa_dictionary_hash(dictionary, question->data, question->length);
		begin = reader->next_ends[i];
	}
	reader->begin = begin;
	return wa_dictionary_add_all(dictionary, user, reader->questions, count);
}

/* Stores the codes of the column's texts. */
static WaStatus
find_codes(WaDictionary *dictionary, const void *user,
		   const WaExtentColumn *column, const uint8_t *parcel, uint32_t *codes)
{
	const uint32_t ntexts = (uint32_t) column->ntexts;
	uint32_t count;
	TextReader reader;

	reader.text = parcel + column->text;
	reader.ends = parcel + column->text_ends;
	reader.bytes = (uint32_t) column->text_bytes;
	reader.begin = 0;
	for (uint32_t done = 0; done < ntexts; done += count)
	{
		count = copy_texts(&reader, done, ntexts - done);
		if (count == 0)
			return WA_BAD_REQUEST;
		if (!ask_dictionary(&reader, dictionary, user, count))
			return WA_OUT_OF_MEMORY;
		for (uint32_t i = 0; i < count; i++)
			codes[done + i] = (uint32_t) reader.questions[i].code;
	}
	return WA_OK;
}

WaStatus
wa_column_take_texts(WaDictionary *dictionary, const void *user,
					 const WaExtentColumn *column, const uint8_t *parcel,
					 uint32_t *values, uint32_t nrows)
{
	uint32_t *codes;
	WaStatus status;

	if (nrows == 0)
		return WA_OK;
	if (wa_values_largest_number(values, nrows) >= column->ntexts)
		return WA_BAD_REQUEST;
	codes = malloc(column->ntexts * sizeof(*codes));
	if (codes == NULL)
		return WA_OUT_OF_MEMORY;
	status = find_codes(dictionary, user, column, parcel, codes);
	for (uint32_t i = 0; i < nrows && status == WA_OK; i++)
		values[i] = codes[values[i]];
	free(codes);
	return status;
}
