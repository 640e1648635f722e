/*
 * table_wire.c
 *		Look-up tables as messages; see table_wire.h.
 */
#include <stdlib.h>
#include <string.h>

#include "query/message/table_wire.h"

/* To be changed with the format. */
#define VERSION UINT64_C(0x5761546162000001)

/* Words of a table beside its entries and texts. */
#define HEAD_WORDS 7

void
wa_table_write(WaWriter *writer, const WaLookupTable *table)
{
	wa_writer_word(writer, (uint64_t) table->base);
	wa_writer_word(writer, table->width);
	wa_writer_word(writer, table->nentries);
	wa_writer_word(writer, (uint64_t) table->scale |
							   (uint64_t) table->results << 8 |
							   (uint64_t) table->null_has_value << 16 |
							   (uint64_t) table->is_total << 17);
	wa_writer_word(writer, (uint64_t) table->null_value);
	wa_writer_word(writer, table->dictionary);
	wa_writer_word(writer, table->ntexts);
	wa_writer_words(writer, table->values, table->nentries);
	wa_writer_bytes(writer, table->known, table->nentries);
	for (uint32_t i = 0; i < table->ntexts; i++)
	{
		wa_writer_word(writer, table->texts[i].length);
		wa_writer_bytes(writer, table->texts[i].data, table->texts[i].length);
	}
}

void
wa_table_read_head(WaReader *reader, WaLookupTable *table)
{
	uint64_t word;

	table->base = (int64_t) wa_reader_word(reader);
	table->width = wa_reader_word(reader);
	table->nentries = wa_reader_word(reader);
	word = wa_reader_word(reader);
	table->scale = (uint8_t) word;
	table->results = (uint8_t) (word >> 8);
	table->null_has_value = (word >> 16 & 1) != 0;
	table->is_total = (word >> 17 & 1) != 0;
	if (word >> 18 != 0)
		reader->failed = true;
	table->null_value = (int64_t) wa_reader_word(reader);
	table->dictionary = wa_reader_word(reader);
	word = wa_reader_word(reader);
	if (word > UINT32_MAX)
		reader->failed = true;
	table->ntexts = (uint32_t) word;
}

void
wa_table_message_write(WaWriter *writer, const WaLookupTable *table)
{
	wa_writer_word(writer, VERSION);
	wa_table_write(writer, table);
}

/* Returns how many words so many bytes take. */
static uint64_t
words_of(uint64_t bytes)
{
	return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

uint64_t
wa_table_message_bytes(const WaLookupTable *table)
{
	uint64_t words =
		1 + HEAD_WORDS + table->nentries + words_of(table->nentries);

	for (uint32_t i = 0; i < table->ntexts; i++)
		words += 1 + words_of(table->texts[i].length);
	return words * sizeof(uint64_t);
}

/* Reads the texts of a table into an array, which is stored if there is one. */
static void
read_texts(WaReader *reader, WaLookupTable *table, WaText **texts)
{
	if (reader->failed || table->ntexts == 0)
		return;
	/* Each takes a word at least. */
	if (table->ntexts <= reader->nwords)
		*texts = malloc(table->ntexts * sizeof(WaText));
	if (*texts == NULL)
	{
		reader->failed = true;
		return;
	}
	for (uint32_t i = 0; i < table->ntexts && !reader->failed; i++)
		(*texts)[i] = wa_reader_bytes(reader, wa_reader_word(reader));
	table->texts = *texts;
}

bool
wa_table_message_read(const void *message, size_t bytes, WaLookupTable *table,
					  WaText **texts)
{
	WaReader reader;

	memset(table, 0, sizeof(*table));
	*texts = NULL;
	wa_reader_init(&reader, message, bytes);
	if (wa_reader_word(&reader) != VERSION)
		return false;
	wa_table_read_head(&reader, table);
	table->values = (const int64_t *) wa_reader_words(&reader, table->nentries);
	table->known =
		(const uint8_t *) wa_reader_bytes(&reader, table->nentries).data;
	read_texts(&reader, table, texts);
	if (!reader.failed && reader.nwords == 0 &&
		wa_lookup_table_may_be_kept(table))
		return true;
	free(*texts);
	*texts = NULL;
	return false;
}
