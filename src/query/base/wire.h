/*
 * wire.h
 *		Messages of words: written into growing memory, read with care.
 *
 * A message is a number of words of 64 bits, in the byte order of the machine:
 * it goes between processes of one machine and one version of warpagg.  Bytes
 * are filled up with zeros to whole words.
 */
#ifndef WA_QUERY_WIRE_H
#define WA_QUERY_WIRE_H

#include "core/must_check.h"
#include "core/vector.h"
#include "query/base/arena.h"

/* A message that is being written; it is of no use if the arena has failed. */
typedef struct WaWriter
{
	WaArena *arena;
	uint64_t *words;
	size_t nwords;
	size_t capacity;
} WaWriter;

/* Makes *writer one of an empty message. */
extern void wa_writer_init(WaWriter *writer, WaArena *arena);

/* Makes room for so many words more; returns false if it cannot. */
extern WA_MUST_CHECK bool wa_writer_reserve(WaWriter *writer, size_t nwords);

/* Appends words, and bytes. */
extern void wa_writer_words(WaWriter *writer, const void *words, size_t nwords);
extern void wa_writer_bytes(WaWriter *writer, const void *bytes, size_t length);

/* Appends a word. */
static inline void
wa_writer_word(WaWriter *writer, uint64_t word)
{
	if (writer->nwords < writer->capacity || wa_writer_reserve(writer, 1))
		writer->words[writer->nwords++] = word;
}

/* A message that is being read, which nobody changes meanwhile. */
typedef struct WaReader
{
	const uint64_t *words;
	size_t nwords; /* that are left */
	bool failed;   /* more was read than there is, or what cannot be there */
} WaReader;

/*
 * Makes *reader one of the message, which fails if that is not aligned to words
 * or does not consist of words.
 */
extern void wa_reader_init(WaReader *reader, const void *message, size_t bytes);

/* Reads words, which stay where they are; returns NULL if they are not there. */
extern const uint64_t *wa_reader_words(WaReader *reader, size_t nwords);

/*
 * Reads bytes, which stay where they are.  Returns an empty text, never one at
 * NULL, if they are not there.
 */
extern WaText wa_reader_bytes(WaReader *reader, size_t length);

/* Reads a word; 0 if there is none. */
static inline uint64_t
wa_reader_word(WaReader *reader)
{
	if (reader->failed || reader->nwords == 0)
	{
		reader->failed = true;
		return 0;
	}
	reader->nwords--;
	return *reader->words++;
}

#endif /* WA_QUERY_WIRE_H */
