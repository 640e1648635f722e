/*
 * dictionary.c
 *		Numbering texts; see dictionary.h.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/dictionary.h"

#define FIRST_SLOTS       1024
#define FIRST_ARENA_BYTES ((size_t) 4096)
#define ARENA_BYTES       ((size_t) 1 << 20)

/* Slots that the memory is asked for before they are needed. */
#define SLOTS_AHEAD 16

/* As many texts as the tables have room for. */
#define MAX_COUNT \
	((((uint32_t) 1 << WA_DICTIONARY_TABLES) - 1) * WA_DICTIONARY_FIRST)

/* Mixes 64 bits into a state, by a 128-bit product. */
static inline uint64_t
mix(uint64_t state, uint64_t bits)
{
	const unsigned __int128 product =
		(unsigned __int128) (state ^ bits) * UINT64_C(0x9E3779B97F4A7C15);

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

/* Returns `bytes` bytes, at most 8, in a word. */
static inline uint64_t
load(const char *data, size_t bytes)
{
	uint64_t word = 0;

	for (size_t i = 0; i < bytes; i++)
		word = word << 8 | (uint8_t) data[i];
	return word;
}

uint32_t
wa_dictionary_hash(const WaDictionary *dictionary, const char *data,
				   size_t length)
{
	uint64_t state = dictionary->seed ^ length;
	uint64_t bits;

	if (length < sizeof(bits))
		state = mix(state, load(data, length));
	else
	{
		/* The last bytes once more, with what is left. */
		const char *last = data + length - sizeof(bits);

		for (; data < last; data += sizeof(bits))
		{
			memcpy(&bits, data, sizeof(bits));
			state = mix(state, bits);
		}
		memcpy(&bits, last, sizeof(bits));
		state = mix(state, bits);
	}
	state = mix(state, dictionary->seed);
	return (uint32_t) (state ^ state >> 32);
}

/* Gets memory and adds it to what the dictionary takes. */
static void *
get_memory(WaDictionary *dictionary, const void *user, size_t bytes)
{
	void *place = wa_memory_get(dictionary->memory, user, bytes);

	if (place != NULL)
		(void) __atomic_fetch_add(&dictionary->bytes, bytes, __ATOMIC_RELAXED);
	return place;
}

/* Frees memory of the dictionary. */
static void
free_memory(WaDictionary *dictionary, void *place, size_t bytes)
{
	if (place == NULL)
		return;
	wa_memory_free(dictionary->memory, place, bytes);
	(void) __atomic_fetch_sub(&dictionary->bytes, bytes, __ATOMIC_RELAXED);
}

/* Returns the bytes of a table of entries. */
static size_t
table_bytes(int table)
{
	return ((size_t) WA_DICTIONARY_FIRST << table) * sizeof(WaDictionaryEntry);
}

/* Makes sure that there is a table for the next entry. */
static bool
have_table(WaDictionary *dictionary, const void *user)
{
	const uint32_t place = dictionary->count / WA_DICTIONARY_FIRST + 1;
	const int table = 31 - __builtin_clz(place);

	if (dictionary->tables[table] == NULL)
		dictionary->tables[table] =
			get_memory(dictionary, user, table_bytes(table));
	return dictionary->tables[table] != NULL;
}

/* Puts a code into the slots, where it is not yet. */
static void
fill_slot(WaDictionarySlot *slots, uint32_t nslots, WaDictionarySlot slot)
{
	uint32_t place = slot.hash & (nslots - 1);

	while (slots[place].code != 0)
		place = (place + 1) & (nslots - 1);
	slots[place] = slot;
}

/* Makes sure that less than half of the slots are taken. */
static bool
have_slots(WaDictionary *dictionary, const void *user)
{
	const uint32_t nslots =
		dictionary->nslots == 0 ? FIRST_SLOTS : 2 * dictionary->nslots;
	WaDictionarySlot *slots;

	if (dictionary->count < dictionary->nslots / 2)
		return true;
	slots = get_memory(dictionary, user, nslots * sizeof(*slots));
	if (slots == NULL)
		return false;
	memset(slots, 0, nslots * sizeof(*slots));
	for (uint32_t i = 0; i < dictionary->nslots; i++)
		if (dictionary->slots[i].code != 0)
			fill_slot(slots, nslots, dictionary->slots[i]);
	free_memory(dictionary, dictionary->slots,
				dictionary->nslots * sizeof(*slots));
	dictionary->slots = slots;
	dictionary->nslots = nslots;
	return true;
}

/* Returns memory for so many bytes of text, or NULL. */
static char *
get_text_memory(WaDictionary *dictionary, const void *user, size_t length)
{
	WaDictionaryArena *arena = dictionary->arenas;
	size_t bytes = FIRST_ARENA_BYTES;

	if (arena == NULL || length > arena->bytes - arena->used)
	{
		if (arena != NULL)
			bytes =
				arena->bytes < ARENA_BYTES / 2 ? 2 * arena->bytes : ARENA_BYTES;
		if (bytes < sizeof(*arena) + length)
			bytes = sizeof(*arena) + length;
		arena = get_memory(dictionary, user, bytes);
		if (arena == NULL)
			return NULL;
		arena->bytes = bytes;
		arena->used = sizeof(*arena);
		arena->next = dictionary->arenas;
		dictionary->arenas = arena;
	}
	arena->used += length;
	return (char *) arena + arena->used - length;
}

/* Adds a text that is not there; the caller has the lock. */
static bool
append(WaDictionary *dictionary, const void *user, const char *data,
	   size_t length, uint32_t hash)
{
	WaDictionaryEntry *entry;
	char *copy;

	if (dictionary->count == MAX_COUNT || !have_table(dictionary, user) ||
		!have_slots(dictionary, user))
		return false;
	copy = get_text_memory(dictionary, user, length);
	if (copy == NULL)
		return false;
	memcpy(copy, data, length);
	entry = (WaDictionaryEntry *) wa_dictionary_entry(
		dictionary, (int32_t) dictionary->count);
	entry->data = copy;
	entry->length = (uint32_t) length;
	entry->hash = hash;
	if (length > 0) /* the empty text is found without a slot */
		fill_slot(dictionary->slots, dictionary->nslots,
				  (WaDictionarySlot){.code = dictionary->count, .hash = hash});
	__atomic_store_n(&dictionary->count, dictionary->count + 1,
					 __ATOMIC_RELEASE);
	return true;
}

/* Returns the code of a text, not empty, or 0; the caller has the lock. */
static uint32_t
find(const WaDictionary *dictionary, const char *data, size_t length,
	 uint32_t hash)
{
	const uint32_t mask = dictionary->nslots - 1;

	for (uint32_t place = hash & mask;; place = (place + 1) & mask)
	{
		const WaDictionarySlot slot = dictionary->slots[place];
		const WaDictionaryEntry *entry;

		if (slot.code == 0)
			return 0;
		if (slot.hash != hash)
			continue;
		entry = wa_dictionary_entry(dictionary, (int32_t) slot.code);
		if (entry->length == length && memcmp(entry->data, data, length) == 0)
			return slot.code;
	}
}

/* Has the memory begin to fetch the slot where a text is looked for first. */
static inline void
prefetch_slot(const WaDictionary *dictionary, uint32_t hash)
{
	__builtin_prefetch(&dictionary->slots[hash & (dictionary->nslots - 1)]);
}

/* Finds or adds a text; the caller has the lock. */
static bool
answer(WaDictionary *dictionary, const void *user,
	   WaDictionaryQuestion *question)
{
	const char *data = question->data;
	const size_t length = question->length;
	const uint32_t hash = question->hash;

	question->code = (int32_t) find(dictionary, data, length, hash);
	if (question->code != 0)
		return true;
	question->code = (int32_t) dictionary->count;
	return append(dictionary, user, data, length, hash);
}

bool
wa_dictionary_add_all(WaDictionary *dictionary, const void *user,
					  WaDictionaryQuestion *questions, size_t count)
{
	bool found = true;

	(void) pthread_mutex_lock(&dictionary->lock);
	for (size_t i = 0; i < count && i < SLOTS_AHEAD; i++)
		prefetch_slot(dictionary, questions[i].hash);
	for (size_t i = 0; found && i < count; i++)
	{
		if (i + SLOTS_AHEAD < count)
			prefetch_slot(dictionary, questions[i + SLOTS_AHEAD].hash);
		found = answer(dictionary, user, &questions[i]);
	}
	(void) pthread_mutex_unlock(&dictionary->lock);
	return found;
}

bool
wa_dictionary_find(const WaDictionary *dictionary, const char *data,
				   size_t length, int32_t *code)
{
	/* The lock is the one thing that changes. */
	pthread_mutex_t *lock = (pthread_mutex_t *) &dictionary->lock;

	*code = WA_DICTIONARY_EMPTY;
	if (length == 0)
		return true;
	(void) pthread_mutex_lock(lock);
	*code = (int32_t) find(dictionary, data, length,
						   wa_dictionary_hash(dictionary, data, length));
	(void) pthread_mutex_unlock(lock);
	return *code != WA_DICTIONARY_EMPTY;
}

/* Frees a dictionary that nobody refers to. */
static void
free_dictionary(WaDictionary *dictionary)
{
	WaDictionaryArena *arena;

	while ((arena = dictionary->arenas) != NULL)
	{
		dictionary->arenas = arena->next;
		free_memory(dictionary, arena, arena->bytes);
	}
	for (int i = 0; i < WA_DICTIONARY_TABLES; i++)
		free_memory(dictionary, dictionary->tables[i], table_bytes(i));
	free_memory(dictionary, dictionary->slots,
				dictionary->nslots * sizeof(*dictionary->slots));
	(void) pthread_mutex_destroy(&dictionary->lock);
	wa_memory_free(dictionary->memory, dictionary, sizeof(*dictionary));
}

WaDictionary *
wa_dictionary_make(WaMemory *memory, const void *user)
{
	WaDictionary *dictionary = wa_memory_get(memory, user, sizeof(*dictionary));

	if (dictionary == NULL)
		return NULL;
	memset(dictionary, 0, sizeof(*dictionary));
	(void) pthread_mutex_init(&dictionary->lock, NULL);
	dictionary->memory = memory;
	dictionary->references = 1;
	dictionary->bytes = sizeof(*dictionary);
	if (getrandom(&dictionary->seed, sizeof(dictionary->seed), GRND_NONBLOCK) <
		0)
		dictionary->seed = (uintptr_t) dictionary; /* still better than 0 */
	if (append(dictionary, user, "", 0, 0))
		return dictionary;
	free_dictionary(dictionary);
	return NULL;
}

void
wa_dictionary_retain(WaDictionary *dictionary)
{
	(void) __atomic_fetch_add(&dictionary->references, 1, __ATOMIC_RELAXED);
}

void
wa_dictionary_release(WaDictionary *dictionary)
{
	if (dictionary != NULL &&
		__atomic_fetch_sub(&dictionary->references, 1, __ATOMIC_ACQ_REL) == 1)
		free_dictionary(dictionary);
}

uint32_t
wa_dictionary_count(const WaDictionary *dictionary)
{
	return __atomic_load_n(&dictionary->count, __ATOMIC_ACQUIRE);
}

uint64_t
wa_dictionary_bytes(const WaDictionary *dictionary)
{
	return __atomic_load_n(&dictionary->bytes, __ATOMIC_RELAXED);
}
