/*
 * partial_groups.c
 *		Groups on their way from one process to another; see partial_groups.h.
 */
#include <string.h>

#include "query/message/partial_groups.h"
#include "query/message/value_wire.h"

/* To be changed with the format, that of records included. */
#define VERSION UINT64_C(0x5761477270000003)

/* Where the number of groups is, in words. */
#define COUNT_WORD 1

/* Flags of a cell's first word; below them are its rows. */
#define HAS_REST  (UINT64_C(1) << 63)
#define HAS_BYTES (UINT64_C(1) << 62)

/* Words of the rest of a DECIMAL. */
#define WIDE_WORDS (sizeof(WaWideRest) / sizeof(uint64_t))

/* Returns the operations whose sums a rest has. */
static inline WaOpSet
rest_ops(WaOpSet ops)
{
	return ops & (WA_OP_BIT(WA_OP_SUM) | WA_OP_BIT(WA_OP_SQUARES));
}

static inline uint64_t
key_word(const WaQueryKey *key)
{
	return (uint64_t) key->kind | (uint64_t) key->blank_padded << 8 |
		   (uint64_t) key->keeps_zeros << 9;
}

static inline uint64_t
column_word(const WaPartialColumn *column, int scale)
{
	return (uint64_t) column->kind | (uint64_t) column->ops << 8 |
		   (uint64_t) scale << 32;
}

/* Returns the word that has all numbers. */
static inline uint64_t
count_word(const WaPartialShape *shape, uint32_t ngroups)
{
	return ngroups | (uint64_t) shape->nkeys << 32 |
		   (uint64_t) shape->ncolumns << 48;
}

void
wa_partial_begin(WaWriter *writer, const WaPartialShape *shape)
{
	writer->nwords = 0;
	wa_writer_word(writer, VERSION);
	wa_writer_word(writer, count_word(shape, 0));
	for (int i = 0; i < shape->nkeys; i++)
		wa_writer_word(writer, key_word(&shape->keys[i]));
	for (int i = 0; i < shape->ncolumns; i++)
		wa_writer_word(
			writer, column_word(&shape->columns[i], shape->columns[i].scale));
}

void
wa_partial_put_key(WaWriter *writer, const WaQueryKey *key,
				   const WaQueryValue *value)
{
	wa_value_write(writer, key->kind, value);
}

/* Appends the rest of a record. */
static void
put_rest(WaWriter *writer, WaOpSet ops, const WaExactPart *rest)
{
	uint8_t bytes[WA_PARTIAL_MAX_BYTES];
	WaPartial partial = {.exact = (WaExactPart *) (uintptr_t) rest};
	size_t length =
		wa_partial_encode(&partial, WA_FLOAT8, rest_ops(ops), bytes);

	wa_writer_word(writer, length);
	wa_writer_bytes(writer, bytes, length);
}

void
wa_partial_put_record(WaWriter *writer, const WaPartialColumn *column,
					  const WaRecord *record)
{
	uint64_t rows = record->words[0];
	int words = wa_record_words(column->kind, column->ops);
	bool has_rest = record->rest != NULL || record->wide != NULL;

	if (rows == 0)
	{
		wa_writer_word(writer, 0);
		return;
	}
	wa_writer_word(writer, rows | (has_rest ? HAS_REST : 0));
	wa_writer_words(writer, record->words + 1, (size_t) words - 1);
	if (record->rest != NULL)
		put_rest(writer, column->ops, record->rest);
	if (record->wide != NULL)
		wa_writer_words(writer, (const uint64_t *) record->wide, WIDE_WORDS);
}

void
wa_partial_put_bytes(WaWriter *writer, const void *bytes, size_t length)
{
	wa_writer_word(writer, HAS_BYTES);
	wa_writer_word(writer, length);
	wa_writer_bytes(writer, bytes, length);
}

void
wa_partial_end(WaWriter *writer, uint32_t ngroups)
{
	if (!writer->arena->failed)
		writer->words[COUNT_WORD] |= ngroups;
}

/* Returns the words that stand before the groups. */
static inline size_t
front_words(const WaPartialShape *shape)
{
	return COUNT_WORD + 1 + (size_t) shape->nkeys + (size_t) shape->ncolumns;
}

size_t
wa_partial_joined_words(const WaPartialShape *shape, const WaWriter *messages,
						size_t nmessages)
{
	const size_t front = front_words(shape);
	size_t nwords = front;

	for (size_t i = 0; i < nmessages; i++)
		nwords += messages[i].nwords - front;
	return nwords;
}

void
wa_partial_join(const WaPartialShape *shape, const WaWriter *messages,
				size_t nmessages, uint64_t *place)
{
	const size_t front = front_words(shape);
	uint32_t ngroups = 0;

	memcpy(place, messages[0].words, front * sizeof(uint64_t));
	for (size_t i = 0; i < nmessages; i++)
		ngroups += (uint32_t) messages[i].words[COUNT_WORD];
	place[COUNT_WORD] = count_word(shape, ngroups);
	place += front;
	for (size_t i = 0; i < nmessages; i++)
	{
		const size_t nwords = messages[i].nwords - front;

		memcpy(place, messages[i].words + front, nwords * sizeof(uint64_t));
		place += nwords;
	}
}

bool
wa_partial_reader_init(WaPartialReader *reader, WaArena *arena,
					   const WaPartialShape *shape)
{
	size_t nkeys = (size_t) shape->nkeys + 1;
	size_t ncolumns = (size_t) shape->ncolumns + 1;

	memset(reader, 0, sizeof(*reader));
	reader->shape = shape;
	reader->keys = wa_arena_alloc_zero(arena, nkeys * sizeof(WaQueryValue));
	reader->scales = wa_arena_alloc_zero(arena, ncolumns * sizeof(int));
	reader->cells =
		wa_arena_alloc_zero(arena, ncolumns * sizeof(WaPartialCell));
	for (int i = 0; i < shape->ncolumns && !arena->failed; i++)
		if (shape->columns[i].kind == WA_VECTOR_FLOAT &&
			rest_ops(shape->columns[i].ops) != 0)
			reader->cells[i].rest = wa_arena_alloc(arena, sizeof(WaExactPart));
	return !arena->failed;
}

bool
wa_partial_open(WaPartialReader *reader, const void *message, size_t bytes)
{
	const WaPartialShape *shape = reader->shape;
	WaReader *words = &reader->reader;
	uint64_t counts;

	wa_reader_init(words, message, bytes);
	if (wa_reader_word(words) != VERSION)
		words->failed = true;
	counts = wa_reader_word(words);
	reader->ngroups = (uint32_t) counts;
	/* Without keys there is one group; of nothing, there would be any number. */
	if (counts != count_word(shape, reader->ngroups) ||
		(shape->nkeys == 0 && reader->ngroups > 1))
		words->failed = true;
	for (int i = 0; i < shape->nkeys; i++)
		if (wa_reader_word(words) != key_word(&shape->keys[i]))
			words->failed = true;
	for (int i = 0; i < shape->ncolumns; i++)
	{
		uint64_t word = wa_reader_word(words);

		reader->scales[i] = (int) (word >> 32 & 0xff);
		if (word != column_word(&shape->columns[i], reader->scales[i]))
			words->failed = true;
	}
	return !words->failed;
}

/* Tells whether the counts of a rest, which are not negative, may be right. */
static bool
counts_are_sound(const WaExactSum *sum, uint64_t rows)
{
	const int64_t most = (int64_t) rows;

	return sum->positive_infinities <= most &&
		   sum->negative_infinities <= most && sum->nans <= most &&
		   sum->negative_zeros <= most;
}

/* Reads what a record has of wide rows into the cell. */
static bool
read_wide(WaReader *reader, WaPartialCell *cell)
{
	const uint64_t *words = wa_reader_words(reader, WIDE_WORDS);

	if (words == NULL)
		return false;
	memcpy(&cell->wide, words, sizeof(cell->wide));
	cell->record.wide = &cell->wide;
	return wa_wide_rest_is_sound(&cell->wide, cell->words[0]);
}

/* Reads the rest of a record into the cell. */
static bool
read_rest(WaReader *reader, const WaPartialColumn *column, WaPartialCell *cell)
{
	WaPartial partial;
	WaText bytes;

	if (column->kind == WA_VECTOR_DECIMAL && column->ops != 0)
		return read_wide(reader, cell);
	bytes = wa_reader_bytes(reader, wa_reader_word(reader));
	if (reader->failed || cell->rest == NULL)
		return false;
	wa_partial_init(&partial, cell->rest);
	cell->record.rest = cell->rest;
	return wa_partial_decode(&partial, WA_FLOAT8, rest_ops(column->ops),
							 (const uint8_t *) bytes.data, bytes.length) &&
		   counts_are_sound(&cell->rest->sum, cell->words[0]);
}

/* Reads a record, of which the first word has been read, into the cell. */
static bool
read_record(WaReader *reader, const WaPartialColumn *column, uint64_t first,
			WaPartialCell *cell)
{
	size_t nwords = (size_t) wa_record_words(column->kind, column->ops);
	const uint64_t *words = wa_reader_words(reader, nwords - 1);

	if (words == NULL)
		return false;
	cell->words[0] = first & ~HAS_REST;
	memcpy(cell->words + 1, words, (nwords - 1) * sizeof(uint64_t));
	cell->record.words = cell->words;
	return wa_record_is_sound(column->kind, column->ops, &cell->record) &&
		   ((first & HAS_REST) == 0 || read_rest(reader, column, cell));
}

/* Reads a cell. */
static bool
read_cell(WaPartialReader *reader, int number)
{
	WaPartialCell *cell = &reader->cells[number];
	uint64_t first = wa_reader_word(&reader->reader);

	cell->record = (WaRecord){.scale = reader->scales[number]};
	cell->bytes = (WaText){NULL, 0};
	if (first == 0)
		return true;
	if (first != HAS_BYTES)
		return read_record(&reader->reader, &reader->shape->columns[number],
						   first, cell);
	cell->bytes =
		wa_reader_bytes(&reader->reader, wa_reader_word(&reader->reader));
	return true;
}

bool
wa_partial_next(WaPartialReader *reader)
{
	const WaPartialShape *shape = reader->shape;
	WaReader *words = &reader->reader;

	if (reader->ngroups == 0 && words->nwords != 0)
		words->failed = true;
	if (reader->ngroups == 0 || words->failed)
		return false;
	reader->ngroups--;
	for (int i = 0; i < shape->nkeys; i++)
	{
		wa_value_read(words, shape->keys[i].kind, &reader->keys[i]);
		if (shape->keys[i].kind == WA_VECTOR_TEXT &&
			!shape->keys[i].blank_padded && !reader->keys[i].is_null &&
			reader->keys[i].shown != 0)
			words->failed = true;
	}
	for (int i = 0; i < shape->ncolumns && !words->failed; i++)
		if (!read_cell(reader, i))
			words->failed = true;
	return !words->failed;
}
