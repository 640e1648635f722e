/*
 * group_dictionary.c
 *		Codes of distinct byte strings; see group_dictionary.h.
 *
 * A hash table with open addressing leads from a string to its entry, which has
 * the string's first eight bytes, so that short ones are compared as words.  The
 * strings lie one after the other in large blocks.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/group_dictionary.h"
#include "scan/group_hash.h"

/* Slots of a new table; at most half of them are taken. */
#define FIRST_SLOTS 256

/* Blocks for strings: the first, and the largest unless a string is larger. */
#define FIRST_BLOCK_BYTES 1024
#define MAX_BLOCK_BYTES   ((Size) 1024 * 1024)

typedef struct Entry
{
	uint64 head; /* the first bytes, as head_of has them */
	struct varlena *shown;
	uint32 length;
	uint32 hash; /* the low half */
} Entry;

struct WaDictionary
{
	MemoryContext context;
	Entry *entries;
	uint32 nentries;
	uint32 capacity;
	uint64 *slots; /* as of wa_hash_slot, with the code + 1 */
	uint64 mask;   /* number of slots - 1 */
	char *block;   /* where the next string goes */
	Size block_room;
	Size block_bytes;              /* of the last block */
	uint64 hashes[WA_VECTOR_ROWS]; /* of strings that are looked up */
};

static inline uint64
load64(const char *data)
{
	uint64 word;

	memcpy(&word, data, sizeof(word));
	return word;
}

static inline uint32
load32(const char *data)
{
	uint32 word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/* Returns the first eight bytes of a string; of a shorter one, zeros after it. */
static inline uint64
head_of(const char *data, uint32 length)
{
	const uint8 *bytes = (const uint8 *) data;

	if (length >= 8)
		return load64(data);
	/* Pieces that overlap have the same bits where they do. */
	if (length >= 4)
		return load32(data) | (uint64) load32(data + length - 4)
								  << ((length - 4) * 8);
	if (length == 0)
		return 0;
	return (uint64) bytes[0] | (uint64) bytes[length / 2] << (length / 2 * 8) |
		   (uint64) bytes[length - 1] << ((length - 1) * 8);
}

/* Returns the hash of a string. */
static inline uint64
hash_of(const char *data, uint32 length)
{
	uint64 hash = wa_hash_word(length, head_of(data, length));

	if (length > 8)
	{
		for (uint32 at = 8; at + 8 < length; at += 8)
			hash = wa_hash_word(hash, load64(data + at));
		hash = wa_hash_word(hash, load64(data + length - 8));
	}
	return wa_hash_finish(hash);
}

WaDictionary *
wa_dictionary_make(MemoryContext context)
{
	WaDictionary *dictionary =
		MemoryContextAllocZero(context, sizeof(WaDictionary));

	dictionary->context = context;
	dictionary->slots =
		MemoryContextAllocZero(context, FIRST_SLOTS * sizeof(uint64));
	dictionary->mask = FIRST_SLOTS - 1;
	dictionary->capacity = FIRST_SLOTS / 2;
	dictionary->entries =
		MemoryContextAlloc(context, dictionary->capacity * sizeof(Entry));
	return dictionary;
}

/* Doubles the table. */
static void
grow(WaDictionary *dictionary)
{
	Size nslots = (dictionary->mask + 1) * 2;

	pfree(dictionary->slots);
	dictionary->slots =
		MemoryContextAllocExtended(dictionary->context, nslots * sizeof(uint64),
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	dictionary->mask = nslots - 1;
	dictionary->capacity *= 2;
	dictionary->entries = repalloc_huge(
		dictionary->entries, (Size) dictionary->capacity * sizeof(Entry));
	for (uint32 code = 0; code < dictionary->nentries; code++)
	{
		const Entry *entry = &dictionary->entries[code];
		const char *data = VARDATA(entry->shown);
		uint64 hash = hash_of(data, entry->length);
		uint64 place = hash & dictionary->mask;

		while (dictionary->slots[place] != 0)
			place = (place + 1) & dictionary->mask;
		dictionary->slots[place] = wa_hash_slot(hash, code + 1);
	}
}

/* Returns room for so many bytes among the strings. */
static char *
take_room(WaDictionary *dictionary, Size bytes)
{
	char *room;

	bytes = MAXALIGN(bytes);
	if (bytes > dictionary->block_room)
	{
		Size next = Min(dictionary->block_bytes * 2, MAX_BLOCK_BYTES);

		dictionary->block_bytes = Max(Max(next, FIRST_BLOCK_BYTES), bytes);
		dictionary->block_room = dictionary->block_bytes;
		dictionary->block = MemoryContextAllocHuge(dictionary->context,
												   dictionary->block_bytes);
	}
	room = dictionary->block;
	dictionary->block += bytes;
	dictionary->block_room -= bytes;
	return room;
}

/* Adds a string whose slot is to be the given one; returns its code. */
static uint32
add(WaDictionary *dictionary, const WaDictionaryKey *key, uint64 hash,
	uint64 place)
{
	uint32 code = dictionary->nentries;
	Entry *entry = &dictionary->entries[code];
	Size bytes = VARHDRSZ + (Size) key->shown_length;

	entry->shown = (struct varlena *) take_room(dictionary, bytes);
	SET_VARSIZE(entry->shown, bytes);
	memcpy(VARDATA(entry->shown), key->data, key->shown_length);
	entry->head = head_of(key->data, key->length);
	entry->length = key->length;
	entry->hash = (uint32) hash;
	dictionary->nentries++;
	dictionary->slots[place] = wa_hash_slot(hash, code + 1);
	if (dictionary->nentries == dictionary->capacity)
		grow(dictionary);
	return code;
}

/* Tells whether two strings of a length above 8 have the same bytes after 8. */
static inline bool
tails_match(const char *a, const char *b, uint32 length)
{
	return load64(a + length - 8) == load64(b + length - 8) &&
		   (length <= 16 || memcmp(a + 8, b + 8, length - 16) == 0);
}

/* Tells whether the entry is of the string, which has the hash. */
static inline bool
is_entry_of(const Entry *entry, const WaDictionaryKey *key, uint64 hash)
{
	return entry->hash == (uint32) hash && entry->length == key->length &&
		   entry->head == head_of(key->data, key->length) &&
		   (key->length <= 8 ||
			tails_match(VARDATA(entry->shown), key->data, key->length));
}

/* Returns the code of a string with the hash, which is added if need be. */
static inline uint32
find(WaDictionary *dictionary, const WaDictionaryKey *key, uint64 hash)
{
	uint64 place = hash & dictionary->mask;
	uint64 slot;

	while ((slot = dictionary->slots[place]) != 0)
	{
		uint32 code = (uint32) slot - 1;

		if (wa_hash_slot_matches(slot, hash) &&
			is_entry_of(&dictionary->entries[code], key, hash))
			return code;
		place = (place + 1) & dictionary->mask;
	}
	return add(dictionary, key, hash, place);
}

uint32
wa_dictionary_code(WaDictionary *dictionary, const WaDictionaryKey *key)
{
	return find(dictionary, key, hash_of(key->data, key->length));
}

void
wa_dictionary_codes(WaDictionary *dictionary, const WaDictionaryKey *keys,
					const uint16 *rows, size_t nkeys, uint64 *words)
{
	uint64 *hashes = dictionary->hashes;

	for (size_t i = 0; i < nkeys; i++)
	{
		hashes[i] = hash_of(keys[i].data, keys[i].length);
		__builtin_prefetch(&dictionary->slots[hashes[i] & dictionary->mask]);
	}
	for (size_t i = 0; i < nkeys; i++)
	{
		if (i + WA_PREFETCH_ROWS < nkeys)
		{
			uint64 place = hashes[i + WA_PREFETCH_ROWS] & dictionary->mask;
			uint32 number = (uint32) dictionary->slots[place];

			if (number != 0)
				__builtin_prefetch(&dictionary->entries[number - 1]);
		}
		words[rows[i]] = find(dictionary, &keys[i], hashes[i]);
	}
}

struct varlena *
wa_dictionary_shown(const WaDictionary *dictionary, uint32 code)
{
	return dictionary->entries[code].shown;
}

uint32
wa_dictionary_length(const WaDictionary *dictionary, uint32 code)
{
	return dictionary->entries[code].length;
}
