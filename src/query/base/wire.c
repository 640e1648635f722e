/*
 * wire.c
 *		Messages of words; see wire.h.
 */
#include <string.h>

#include "query/base/wire.h"

#define FIRST_WORDS 512

/* Returns the words that bytes fill. */
static inline size_t
words_of(size_t bytes)
{
	return bytes / sizeof(uint64_t) + (bytes % sizeof(uint64_t) != 0);
}

void
wa_writer_init(WaWriter *writer, WaArena *arena)
{
	memset(writer, 0, sizeof(*writer));
	writer->arena = arena;
}

bool
wa_writer_reserve(WaWriter *writer, size_t nwords)
{
	size_t capacity = writer->capacity == 0 ? FIRST_WORDS : writer->capacity;

	if (nwords <= writer->capacity - writer->nwords)
		return true;
	if (nwords > SIZE_MAX / 32 || writer->nwords > SIZE_MAX / 32)
	{
		writer->arena->failed = true;
		return false;
	}
	while (capacity - writer->nwords < nwords)
		capacity *= 2;
	if (!wa_arena_resize(writer->arena, &writer->words,
						 capacity * sizeof(uint64_t)))
		return false;
	writer->capacity = capacity;
	return true;
}

void
wa_writer_words(WaWriter *writer, const void *words, size_t nwords)
{
	wa_writer_bytes(writer, words, nwords * sizeof(uint64_t));
}

void
wa_writer_bytes(WaWriter *writer, const void *bytes, size_t length)
{
	size_t nwords = words_of(length);

	if (nwords == 0 || !wa_writer_reserve(writer, nwords))
		return;
	writer->words[writer->nwords + nwords - 1] = 0;
	memcpy(writer->words + writer->nwords, bytes, length);
	writer->nwords += nwords;
}

void
wa_reader_init(WaReader *reader, const void *message, size_t bytes)
{
	reader->words = message;
	reader->nwords = bytes / sizeof(uint64_t);
	reader->failed = bytes % sizeof(uint64_t) != 0 ||
					 (uintptr_t) message % sizeof(uint64_t) != 0;
}

const uint64_t *
wa_reader_words(WaReader *reader, size_t nwords)
{
	const uint64_t *words = reader->words;

	if (reader->failed || nwords > reader->nwords)
	{
		reader->failed = true;
		return NULL;
	}
	reader->words += nwords;
	reader->nwords -= nwords;
	return words;
}

WaText
wa_reader_bytes(WaReader *reader, size_t length)
{
	const uint64_t *words = wa_reader_words(reader, words_of(length));

	if (words == NULL)
		return (WaText){"", 0};
	return (WaText){(const char *) words, length};
}
