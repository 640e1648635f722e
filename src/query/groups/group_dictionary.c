/*
 * group_dictionary.c
 *		Codes of distinct byte strings; see group_dictionary.h.
 *
 * A hash table with open addressing leads from a string to its entry, which has
 * the string's first eight bytes, so that short ones are compared as words.  The
 * strings lie one after the other in large blocks.
 */
#include <string.h>

#include "core/words.h"
#include "query/groups/group_dictionary.h"
#include "query/groups/group_hash.h"

/* Slots of a new table; at most half of them are taken. */
#define FIRST_SLOTS 256

/*
 * Blocks for strings: the first, and the largest unless a string is larger, which
 * takes no more than this part of the memory.
 */
#define FIRST_BLOCK_BYTES 1024
#define MAX_BLOCK_BYTES   ((size_t) 1024 * 1024)
#define BLOCK_PART        32

/*
 * Strings stand behind headers that begin where a word could: the bytes of both, times what
 * PostgreSQL multiplies them by.
 */
#define HEADER_BYTES  sizeof(uint32_t)
#define HEADER_FACTOR (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 4 : 1)

typedef struct Entry
{
	uint64_t head;     /* the first bytes, as wa_string_head has them */
	const char *shown; /* behind its header */
	uint32_t length;
	uint32_t hash; /* the low half */
} Entry;

struct WaKeyDictionary
{
	WaArena *arena;
	Entry *entries;
	bool is_closed; /* no string is added any more */
	uint32_t nentries;
	uint32_t capacity;
	uint64_t *slots; /* as of wa_hash_slot, with the code + 1 */
	uint64_t mask;   /* number of slots - 1 */
	char *block;     /* where the next string goes */
	size_t block_room;
	size_t block_bytes; /* of the last block */
	uint64_t *hashes;   /* of strings that are looked up */
};

/* Returns the hash of a string. */
static inline uint64_t
hash_of(const char *data, uint32_t length)
{
	uint64_t hash = wa_hash_word(length, wa_string_head(data, length));

	if (length > 8)
	{
		for (uint32_t at = 8; at + 8 < length; at += 8)
			hash = wa_hash_word(hash, wa_load64(data + at));
		hash = wa_hash_word(hash, wa_load64(data + length - 8));
	}
	return wa_hash_finish(hash);
}

WaKeyDictionary *
wa_key_dictionary_make(WaArena *arena)
{
	WaKeyDictionary *dictionary =
		wa_arena_alloc_zero(arena, sizeof(WaKeyDictionary));

	if (dictionary == NULL)
		return NULL;
	dictionary->arena = arena;
	dictionary->slots =
		wa_arena_alloc_zero(arena, FIRST_SLOTS * sizeof(uint64_t));
	dictionary->hashes =
		wa_arena_alloc_vector(arena, WA_VECTOR_ROWS * sizeof(uint64_t));
	dictionary->mask = FIRST_SLOTS - 1;
	dictionary->capacity = FIRST_SLOTS / 2;
	/* Zeroed, so that the first has the length 0 even if it is not there. */
	dictionary->entries =
		wa_arena_alloc_zero(arena, dictionary->capacity * sizeof(Entry));
	return arena->failed ? NULL : dictionary;
}

/* Puts a slot of another table into the first free place. */
static inline void
put_slot(WaKeyDictionary *dictionary, uint64_t slot)
{
	const Entry *entry = &dictionary->entries[(uint32_t) slot - 1];
	uint64_t place = entry->hash & dictionary->mask;

	while (dictionary->slots[place] != 0)
		place = (place + 1) & dictionary->mask;
	dictionary->slots[place] = slot;
}

/* Doubles the table; returns false, with it as it was, if it cannot. */
static bool
grow(WaKeyDictionary *dictionary)
{
	const size_t nbefore = dictionary->mask + 1;
	const size_t nslots = nbefore * 2;
	uint64_t *before = dictionary->slots;
	uint64_t *slots;

	if (!wa_arena_resize(dictionary->arena, &dictionary->entries,
						 (size_t) dictionary->capacity * 2 * sizeof(Entry)))
		return false;
	slots = wa_arena_alloc_zero(dictionary->arena, nslots * sizeof(uint64_t));
	if (slots == NULL)
		return false;
	dictionary->slots = slots;
	dictionary->mask = nslots - 1;
	dictionary->capacity *= 2;
	for (uint64_t i = 0; i < nbefore; i++)
		if (before[i] != 0)
			put_slot(dictionary, before[i]);
	wa_arena_free(dictionary->arena, before);
	return true;
}

/* Returns the bytes of the next block for strings, one of which has so many. */
static size_t
next_block_bytes(const WaKeyDictionary *dictionary, size_t bytes)
{
	const size_t part = dictionary->arena->limit / BLOCK_PART;
	size_t next = dictionary->block_bytes * 2;

	if (next > part)
		next = part;
	if (next > MAX_BLOCK_BYTES)
		next = MAX_BLOCK_BYTES;
	if (next < FIRST_BLOCK_BYTES)
		next = FIRST_BLOCK_BYTES;
	return next < bytes ? bytes : next;
}

/* Returns room for so many bytes among the strings, NULL if there is none. */
static char *
take_room(WaKeyDictionary *dictionary, size_t bytes)
{
	char *room;

	bytes = (bytes + 7) & ~(size_t) 7;
	if (bytes > dictionary->block_room)
	{
		const size_t next = next_block_bytes(dictionary, bytes);

		room = wa_arena_alloc(dictionary->arena, next);
		if (room == NULL)
			return NULL;
		dictionary->block_bytes = next;
		dictionary->block_room = next;
		dictionary->block = room;
	}
	room = dictionary->block;
	dictionary->block += bytes;
	dictionary->block_room -= bytes;
	return room;
}

/*
 * Returns a string as it is kept, behind its header; NULL if there is not enough
 * memory.
 */
static const char *
keep_string(WaKeyDictionary *dictionary, const WaKeyString *key)
{
	const size_t bytes = HEADER_BYTES + (size_t) key->shown_length;
	const uint32_t header = (uint32_t) (bytes * HEADER_FACTOR);
	char *room;

	room = take_room(dictionary, bytes);
	if (room == NULL)
		return NULL;
	memcpy(room, &header, HEADER_BYTES);
	memcpy(room + HEADER_BYTES, key->data, key->length);
	memset(room + HEADER_BYTES + key->length, ' ',
		   key->shown_length - key->length);
	return room + HEADER_BYTES;
}

/* Returns the length of a string that is kept. */
static inline size_t
kept_length(const char *kept)
{
	return wa_load32(kept - HEADER_BYTES) / HEADER_FACTOR - HEADER_BYTES;
}

/*
 * Adds a string whose slot is to be the given one; returns its code, or 0 if
 * there is not enough memory.
 */
static uint32_t
add(WaKeyDictionary *dictionary, const WaKeyString *key, uint64_t hash,
	uint64_t place)
{
	uint32_t code = dictionary->nentries;
	const char *shown;
	Entry *entry;

	if (dictionary->nentries == dictionary->capacity)
		return 0; /* growing has failed */
	shown = keep_string(dictionary, key);
	if (shown == NULL)
		return 0;
	entry = &dictionary->entries[code];
	entry->shown = shown;
	entry->head = wa_string_head(key->data, key->length);
	entry->length = key->length;
	entry->hash = (uint32_t) hash;
	dictionary->nentries++;
	dictionary->slots[place] = wa_hash_slot(hash, code + 1);
	if (dictionary->nentries == dictionary->capacity)
		(void) grow(dictionary);
	return code;
}

/* Tells whether two strings of a length above 8 have the same bytes after 8. */
static inline bool
tails_match(const char *a, const char *b, uint32_t length)
{
	return wa_load64(a + length - 8) == wa_load64(b + length - 8) &&
		   (length <= 16 || memcmp(a + 8, b + 8, length - 16) == 0);
}

/* Tells whether the entry is of the string, which has the hash. */
static inline bool
is_entry_of(const Entry *entry, const WaKeyString *key, uint64_t hash)
{
	return entry->hash == (uint32_t) hash && entry->length == key->length &&
		   entry->head == wa_string_head(key->data, key->length) &&
		   (key->length <= 8 ||
			tails_match(entry->shown, key->data, key->length));
}

/*
 * Returns the code of a string with the hash, which is added if need be and the
 * dictionary is not closed.
 */
static inline uint32_t
find(WaKeyDictionary *dictionary, const WaKeyString *key, uint64_t hash)
{
	uint64_t place = hash & dictionary->mask;
	uint64_t slot;

	while ((slot = dictionary->slots[place]) != 0)
	{
		uint32_t code = (uint32_t) slot - 1;

		if (wa_hash_slot_matches(slot, hash) &&
			is_entry_of(&dictionary->entries[code], key, hash))
			return code;
		place = (place + 1) & dictionary->mask;
	}
	if (dictionary->is_closed)
		return WA_NO_CODE;
	return add(dictionary, key, hash, place);
}

uint32_t
wa_key_dictionary_code(WaKeyDictionary *dictionary, const WaKeyString *key)
{
	return find(dictionary, key, hash_of(key->data, key->length));
}

void
wa_key_dictionary_codes(WaKeyDictionary *dictionary, const WaKeyString *keys,
						const uint16_t *rows, size_t nkeys, uint64_t *words)
{
	uint64_t *hashes = dictionary->hashes;

	for (size_t i = 0; i < nkeys; i++)
	{
		hashes[i] = hash_of(keys[i].data, keys[i].length);
		__builtin_prefetch(&dictionary->slots[hashes[i] & dictionary->mask]);
	}
	for (size_t i = 0; i < nkeys; i++)
	{
		if (i + WA_PREFETCH_ROWS < nkeys)
		{
			uint64_t place = hashes[i + WA_PREFETCH_ROWS] & dictionary->mask;
			uint32_t number = (uint32_t) dictionary->slots[place];

			if (number != 0)
				__builtin_prefetch(&dictionary->entries[number - 1]);
		}
		words[rows[i]] = find(dictionary, &keys[i], hashes[i]);
	}
}

void
wa_key_dictionary_close(WaKeyDictionary *dictionary)
{
	dictionary->is_closed = true;
}

WaText
wa_key_dictionary_shown(const WaKeyDictionary *dictionary, uint32_t code)
{
	const char *shown = dictionary->entries[code].shown;
	WaText text = {shown, 0};

	if (shown != NULL)
		text.length = kept_length(shown);
	return text;
}

const void *
wa_key_dictionary_headed(const char *kept, size_t length)
{
	return length == kept_length(kept) ? kept - HEADER_BYTES : NULL;
}

uint32_t
wa_key_dictionary_length(const WaKeyDictionary *dictionary, uint32_t code)
{
	return dictionary->entries[code].length;
}

uint32_t
wa_key_dictionary_hash(const WaKeyDictionary *dictionary, uint32_t code)
{
	return dictionary->entries[code].hash;
}
