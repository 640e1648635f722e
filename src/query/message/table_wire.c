/*
 * table_wire.c
 *		Look-up tables as messages; see table_wire.h.
 */
#include <stdlib.h>
#include <string.h>

#include "query/message/table_wire.h"

/* To be changed with the format. */
#define VERSION UINT64_C(0x5761546162000003)

/* Words of a slot. */
#define SLOT_WORDS (sizeof(WaLookupSlot) / sizeof(uint64_t))

/* Words of a table beside its entries and texts. */
#define HEAD_WORDS 7

/* Writes what a table has beside its entries, in a form, and texts. */
static void
write_head(WaWriter *writer, const WaLookupTable *table, WaTableForm form)
{
	wa_writer_word(writer, (uint64_t) table->base);
	wa_writer_word(writer, table->width);
	wa_writer_word(writer, table->nentries);
	wa_writer_word(
		writer, (uint64_t) table->scale | (uint64_t) table->results << 8 |
					(uint64_t) table->null_has_value << 16 |
					(uint64_t) table->is_total << 17 | (uint64_t) form << 18);
	wa_writer_word(writer, (uint64_t) table->null_value);
	wa_writer_word(writer, table->dictionary);
	wa_writer_word(writer, table->ntexts);
}

/* Writes the texts of a table. */
static void
write_texts(WaWriter *writer, const WaLookupTable *table)
{
	for (uint32_t i = 0; i < table->ntexts; i++)
	{
		wa_writer_word(writer, table->texts[i].length);
		wa_writer_bytes(writer, table->texts[i].data, table->texts[i].length);
	}
}

/* Writes entries as narrow ones, two to a word. */
static void
write_narrow(WaWriter *writer, const WaLookupTable *table)
{
	for (uint64_t i = 0; i < table->nentries; i += 2)
	{
		int32_t pair[2] = {0, 0};
		uint64_t word;

		for (uint64_t j = i; j < i + 2 && j < table->nentries; j++)
		{
			int64_t value;

			pair[j - i] =
				wa_lookup_table_entry(table, j, &value) == WA_ENTRY_NULL
					? WA_NARROW_NULL
					: (int32_t) value;
		}
		memcpy(&word, pair, sizeof(word));
		wa_writer_word(writer, word);
	}
}

/* Writes entries in a form; those of another one can be narrow. */
static void
write_entries(WaWriter *writer, const WaLookupTable *table, WaTableForm form)
{
	switch (form)
	{
		case WA_TABLE_SLOTS:
			wa_writer_words(writer, table->slots, SLOT_WORDS * table->nentries);
			break;
		case WA_TABLE_NARROW:
			write_narrow(writer, table);
			break;
		default:
			wa_writer_words(writer, table->values, table->nentries);
			wa_writer_bytes(writer, table->known, table->nentries);
			break;
	}
}

/* Writes a table with entries in a form. */
static void
write_table(WaWriter *writer, const WaLookupTable *table, WaTableForm form)
{
	write_head(writer, table, form);
	write_entries(writer, table, form);
	write_texts(writer, table);
}

/* Returns the form that a table has. */
static WaTableForm
form_of(const WaLookupTable *table)
{
	if (table->slots != NULL)
		return WA_TABLE_SLOTS;
	return table->narrow != NULL ? WA_TABLE_NARROW : WA_TABLE_WIDE;
}

void
wa_table_write(WaWriter *writer, const WaLookupTable *table)
{
	write_table(writer, table, form_of(table));
}

WaTableForm
wa_table_read_head(WaReader *reader, WaLookupTable *table)
{
	uint64_t word;
	uint64_t form;

	table->base = (int64_t) wa_reader_word(reader);
	table->width = wa_reader_word(reader);
	table->nentries = wa_reader_word(reader);
	word = wa_reader_word(reader);
	table->scale = (uint8_t) word;
	table->results = (uint8_t) (word >> 8);
	table->null_has_value = (word >> 16 & 1) != 0;
	table->is_total = (word >> 17 & 1) != 0;
	form = word >> 18;
	if (form > WA_TABLE_SLOTS)
		reader->failed = true;
	table->null_value = (int64_t) wa_reader_word(reader);
	table->dictionary = wa_reader_word(reader);
	word = wa_reader_word(reader);
	if (word > UINT32_MAX)
		reader->failed = true;
	table->ntexts = (uint32_t) word;
	return (WaTableForm) form;
}

/* Returns the form of a table's entries in a message of its own: the smallest. */
static WaTableForm
message_form(const WaLookupTable *table)
{
	return wa_lookup_table_can_be_narrow(table) ? WA_TABLE_NARROW
												: form_of(table);
}

void
wa_table_message_write(WaWriter *writer, const WaLookupTable *table)
{
	wa_writer_word(writer, VERSION);
	write_table(writer, table, message_form(table));
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
	uint64_t words = 1 + HEAD_WORDS;

	switch (message_form(table))
	{
		case WA_TABLE_NARROW:
			words += words_of(table->nentries * sizeof(int32_t));
			break;
		case WA_TABLE_SLOTS:
			words += SLOT_WORDS * table->nentries;
			break;
		default:
			words += table->nentries + words_of(table->nentries);
			break;
	}
	for (uint32_t i = 0; i < table->ntexts; i++)
		words += 1 + words_of(table->texts[i].length);
	return words * sizeof(uint64_t);
}

/* Finds the entries of a table in a message, of a form. */
static void
find_entries(WaReader *reader, WaTableForm form, WaLookupTable *table)
{
	const uint64_t nentries = table->nentries;

	/* So that no product is too large. */
	if (nentries > WA_MAX_KEPT_ENTRIES)
		reader->failed = true;
	else if (form == WA_TABLE_SLOTS)
		table->slots = (const WaLookupSlot *) (const void *) wa_reader_words(
			reader, SLOT_WORDS * nentries);
	else if (form == WA_TABLE_NARROW)
		table->narrow = (const int32_t *) (const void *) wa_reader_words(
			reader, words_of(nentries * sizeof(int32_t)));
	else
	{
		table->values = (const int64_t *) wa_reader_words(reader, nentries);
		table->known = (const uint8_t *) wa_reader_bytes(reader, nentries).data;
	}
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
	find_entries(&reader, wa_table_read_head(&reader, table), table);
	read_texts(&reader, table, texts);
	if (!reader.failed && reader.nwords == 0 &&
		wa_lookup_table_may_be_kept(table))
		return true;
	free(*texts);
	*texts = NULL;
	return false;
}
