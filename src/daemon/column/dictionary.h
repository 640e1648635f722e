/*
 * dictionary.h
 *		The texts of a column, numbered: equal texts have equal codes.
 *
 * A dictionary only grows, and nothing in it moves, so who has a code and a
 * reference reads its text without a lock.  It goes with its last reference.
 *
 * Texts are looked for in shards, by their hashes, so that threads that add texts
 * seldom wait for each other.  A shard has some codes, and memory for texts, in
 * stock: codes that are in no use yet, less than one in a hundred, have the empty
 * text, and a few may never get another one.
 */
#ifndef WA_DAEMON_DICTIONARY_H
#define WA_DAEMON_DICTIONARY_H

#include <pthread.h>

#include "core/must_check.h"
#include "core/vector.h"
#include "daemon/base/memory.h"
#include "query/base/column_rows.h"

/* Texts lie in tables that double in size: this many in the first. */
#define WA_DICTIONARY_FIRST  1024
#define WA_DICTIONARY_TABLES 21

/* Threads that add texts wait for each other in one of so many. */
#define WA_DICTIONARY_SHARD_BITS 5
#define WA_DICTIONARY_SHARDS     (1 << WA_DICTIONARY_SHARD_BITS)

/* Texts that it is best asked for together. */
#define WA_DICTIONARY_BATCH 1024

/* The code of the empty text, which is always there. */
#define WA_DICTIONARY_EMPTY 0

/*
 * A text of a dictionary; constant once its code is known to anybody.  Before, it
 * is empty until length is stored, which is the last.
 */
typedef struct WaDictionaryEntry
{
	const char *data;
	uint32_t length;
	uint32_t hash;
} WaDictionaryEntry;

/* A place where a text is looked for.  code 0: it is free. */
typedef struct WaDictionarySlot
{
	uint32_t code;
	uint32_t hash;
} WaDictionarySlot;

/* A piece of memory that texts are put into. */
typedef struct WaDictionaryArena
{
	struct WaDictionaryArena *next; /* the one before it */
	size_t bytes;                   /* of the whole piece */
	size_t used;
} WaDictionaryArena;

/*
 * The texts whose hashes begin with the same bits.  lock guards all; slots and
 * nslots are also read without it, atomically, to have memory fetched.
 */
typedef struct WaDictionaryShard
{
	pthread_mutex_t lock;
	uint32_t nslots;         /* a power of two, or 0 */
	uint32_t ntexts;         /* in the slots */
	WaDictionarySlot *slots; /* by hash, linear probing */
	uint32_t next_code;      /* codes in stock: from this one ... */
	uint32_t end_code;       /* ... to the one before this */
	char *room;              /* memory in stock */
	size_t room_bytes;
} __attribute__((aligned(64))) WaDictionaryShard;

/*
 * lock, which is taken by who may have a shard's, guards arenas, text_bytes and the
 * making of tables.  count is changed under the lock and read atomically; added,
 * bytes and references are changed atomically; memory and number are constant.
 */
typedef struct WaDictionary
{
	WaDictionaryShard shards[WA_DICTIONARY_SHARDS];
	pthread_mutex_t lock;
	WaMemory *memory;
	uint64_t
		number; /* by chance, not 0: no other has it; hashes begin with it */
	uint64_t added; /* texts, the empty one not counted */
	uint32_t references;
	uint32_t count;
	uint64_t bytes;      /* of all memory that it takes */
	uint64_t text_bytes; /* of texts and stocks of memory for them */
	WaDictionaryEntry *tables[WA_DICTIONARY_TABLES];
	WaDictionaryArena *arenas;
	struct WaDictionary *next; /* for who collects dictionaries to release */
} WaDictionary;

/*
 * Makes a dictionary with the empty text and one reference.  Returns NULL if
 * there is no memory for it.
 */
WaDictionary *wa_dictionary_make(WaMemory *memory, const void *user);

/* Takes another reference. */
void wa_dictionary_retain(WaDictionary *dictionary);

/* Gives up a reference; NULL is nothing. */
void wa_dictionary_release(WaDictionary *dictionary);

/* Returns the hash of a text in this dictionary. */
uint32_t wa_dictionary_hash(const WaDictionary *dictionary, const char *data,
							size_t length);

/* A text and its hash; and what is found out of it. */
typedef struct WaDictionaryQuestion
{
	const char *data;
	uint32_t length;
	uint32_t hash;
	int32_t code;
} WaDictionaryQuestion;

/*
 * Finds texts or adds them, and stores their codes.  Returns false, with some of
 * the codes undefined, if there is no memory for one.
 */
WA_MUST_CHECK bool wa_dictionary_add_all(WaDictionary *dictionary,
										 const void *user,
										 WaDictionaryQuestion *questions,
										 size_t count);

/* Finds the code of a text; returns false if it is not there. */
WA_MUST_CHECK bool wa_dictionary_find(const WaDictionary *dictionary,
									  const char *data, size_t length,
									  int32_t *code);

/* Returns the texts by their codes, as long as the dictionary lives. */
WaTextCodes wa_dictionary_codes(const WaDictionary *dictionary);

/*
 * Returns a number that all codes known to anybody are less than.  All less than
 * it have entries: see above.
 */
uint32_t wa_dictionary_count(const WaDictionary *dictionary);

/*
 * Returns how many texts have been added.  Who asks before looking at texts has
 * seen all of them.
 */
uint64_t wa_dictionary_added(const WaDictionary *dictionary);

/* Returns the bytes of memory that it takes. */
uint64_t wa_dictionary_bytes(const WaDictionary *dictionary);

/* Returns the entry of a code, which must be one of this dictionary's. */
static inline const WaDictionaryEntry *
wa_dictionary_entry(const WaDictionary *dictionary, int32_t code)
{
	const uint32_t place = (uint32_t) code / WA_DICTIONARY_FIRST + 1;
	const int table = 31 - __builtin_clz(place);
	const uint32_t first = (((uint32_t) 1 << table) - 1) * WA_DICTIONARY_FIRST;

	return &dictionary->tables[table][(uint32_t) code - first];
}

/* Returns the text of a code, which must be one of this dictionary's. */
static inline WaText
wa_dictionary_text(const WaDictionary *dictionary, int32_t code)
{
	const WaDictionaryEntry *entry = wa_dictionary_entry(dictionary, code);
	const uint32_t length = __atomic_load_n(&entry->length, __ATOMIC_ACQUIRE);
	const WaText text = {__atomic_load_n(&entry->data, __ATOMIC_RELAXED),
						 length};

	return text;
}

#endif /* WA_DAEMON_DICTIONARY_H */
