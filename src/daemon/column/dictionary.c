/*
 * dictionary.c
 *		Numbering texts; see dictionary.h.
 *
 * Who asks for many texts goes from shard to shard, and comes back later to those
 * that others are at.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "core/words.h"
#include "daemon/column/dictionary.h"

#define FIRST_SLOTS       32 /* of a shard */
#define FIRST_ARENA_BYTES ((size_t) 4096)
#define ARENA_BYTES       ((size_t) 1 << 20)

/* Questions for which the memory is asked before they are answered. */
#define SLOTS_AHEAD 12

/*
 * What a shard has in stock, of codes and of memory, is this part of all that the
 * dictionary has, up to the limit.
 */
#define STOCK_DIVISOR   8192
#define MOST_CODES      64
#define MOST_ROOM_BYTES 16384

/* A text that is longer than this part of a stock is none of it. */
#define ROOM_DIVISOR 32

/* As many texts as the tables have room for. */
#define MAX_COUNT \
	((((uint32_t) 1 << WA_DICTIONARY_TABLES) - 1) * WA_DICTIONARY_FIRST)

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
	uint64_t state = dictionary->number ^ length;

	if (length < sizeof(uint64_t))
		state = wa_mix64(state, load(data, length));
	else
	{
		/* The last bytes once more, with what is left. */
		const char *last = data + length - sizeof(uint64_t);

		for (; data < last; data += sizeof(uint64_t))
			state = wa_mix64(state, wa_load64(data));
		state = wa_mix64(state, wa_load64(last));
	}
	state = wa_mix64(state, dictionary->number);
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

/* Returns the entry of a code, to be filled in. */
static WaDictionaryEntry *
entry_of(const WaDictionary *dictionary, uint32_t code)
{
	return (WaDictionaryEntry *) wa_dictionary_entry(dictionary,
													 (int32_t) code);
}

/* Returns the number of the table that a code's entry is in. */
static int
table_of(uint32_t code)
{
	return 31 - __builtin_clz(code / WA_DICTIONARY_FIRST + 1);
}

/* Returns how many codes the tables up to one have entries for. */
static uint32_t
end_of_table(int table)
{
	return (((uint32_t) 2 << table) - 1) * WA_DICTIONARY_FIRST;
}

/* Returns the least of three numbers. */
static uint32_t
least(uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t less = a < b ? a : b;

	return less < c ? less : c;
}

/* Gets codes with empty entries for a shard; the caller has both locks. */
static bool
stock_codes(WaDictionary *dictionary, const void *user,
			WaDictionaryShard *shard)
{
	static const WaDictionaryEntry empty = {.data = ""};
	const uint32_t first = dictionary->count;
	uint32_t count = first / STOCK_DIVISOR > 0 ? first / STOCK_DIVISOR : 1;
	int table;

	if (first >= MAX_COUNT)
		return false;
	table = table_of(first);
	if (dictionary->tables[table] == NULL)
		dictionary->tables[table] =
			get_memory(dictionary, user, table_bytes(table));
	if (dictionary->tables[table] == NULL)
		return false;
	count = least(count, MOST_CODES, end_of_table(table) - first);
	for (uint32_t i = 0; i < count; i++)
		*entry_of(dictionary, first + i) = empty;
	shard->next_code = first;
	shard->end_code = first + count;
	__atomic_store_n(&dictionary->count, first + count, __ATOMIC_RELEASE);
	return true;
}

/* Makes sure that a shard has a code; the caller has its lock. */
static bool
have_code(WaDictionary *dictionary, const void *user, WaDictionaryShard *shard)
{
	bool stocked;

	if (shard->next_code < shard->end_code)
		return true;
	(void) pthread_mutex_lock(&dictionary->lock);
	stocked = stock_codes(dictionary, user, shard);
	(void) pthread_mutex_unlock(&dictionary->lock);
	return stocked;
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

/* Makes sure that less than half of a shard's slots are taken. */
static bool
have_slots(WaDictionary *dictionary, const void *user, WaDictionaryShard *shard)
{
	const uint32_t nslots =
		shard->nslots == 0 ? FIRST_SLOTS : 2 * shard->nslots;
	WaDictionarySlot *slots;

	if (shard->ntexts < shard->nslots / 2)
		return true;
	slots = get_memory(dictionary, user, nslots * sizeof(*slots));
	if (slots == NULL)
		return false;
	memset(slots, 0, nslots * sizeof(*slots));
	for (uint32_t i = 0; i < shard->nslots; i++)
		if (shard->slots[i].code != 0)
			fill_slot(slots, nslots, shard->slots[i]);
	free_memory(dictionary, shard->slots, shard->nslots * sizeof(*slots));
	__atomic_store_n(&shard->slots, slots, __ATOMIC_RELAXED);
	__atomic_store_n(&shard->nslots, nslots, __ATOMIC_RELAXED);
	return true;
}

/* Returns memory for texts, or NULL; the caller has the dictionary's lock. */
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
	dictionary->text_bytes += length;
	return (char *) arena + arena->used - length;
}

/*
 * Gets memory for a text that a shard has no room for: for it alone, or as a new
 * stock.  The caller has both locks.
 */
static char *
get_more_room(WaDictionary *dictionary, const void *user,
			  WaDictionaryShard *shard, size_t length)
{
	size_t stock = dictionary->text_bytes / STOCK_DIVISOR;
	char *place;

	stock = stock < MOST_ROOM_BYTES ? stock : MOST_ROOM_BYTES;
	if (length > stock / ROOM_DIVISOR)
		return get_text_memory(dictionary, user, length);
	place = get_text_memory(dictionary, user, stock);
	if (place != NULL)
	{
		shard->room = place + length;
		shard->room_bytes = stock - length;
	}
	return place;
}

/* Returns a copy of a text, or NULL; the caller has the shard's lock. */
static const char *
copy_text(WaDictionary *dictionary, const void *user, WaDictionaryShard *shard,
		  const WaDictionaryQuestion *question)
{
	const size_t length = question->length;
	char *place = shard->room;

	if (length <= shard->room_bytes)
	{
		shard->room += length;
		shard->room_bytes -= length;
	}
	else
	{
		(void) pthread_mutex_lock(&dictionary->lock);
		place = get_more_room(dictionary, user, shard, length);
		(void) pthread_mutex_unlock(&dictionary->lock);
	}
	return place == NULL ? NULL : memcpy(place, question->data, length);
}

/* Adds a text that is not there; the caller has the shard's lock. */
static bool
append(WaDictionary *dictionary, const void *user, WaDictionaryShard *shard,
	   WaDictionaryQuestion *question)
{
	WaDictionaryEntry *entry;
	const char *copy;

	if (!have_slots(dictionary, user, shard) ||
		!have_code(dictionary, user, shard))
		return false;
	copy = copy_text(dictionary, user, shard, question);
	if (copy == NULL)
		return false;
	entry = entry_of(dictionary, shard->next_code);
	__atomic_store_n(&entry->data, copy, __ATOMIC_RELAXED);
	entry->hash = question->hash;
	__atomic_store_n(&entry->length, question->length, __ATOMIC_RELEASE);
	(void) __atomic_fetch_add(&dictionary->added, 1, __ATOMIC_RELEASE);
	fill_slot(
		shard->slots, shard->nslots,
		(WaDictionarySlot){.code = shard->next_code, .hash = question->hash});
	shard->ntexts++;
	question->code = (int32_t) shard->next_code++;
	return true;
}

/* Returns the code of a text, not empty, or 0; the caller has the shard's lock. */
static uint32_t
find(const WaDictionary *dictionary, const WaDictionaryShard *shard,
	 const char *data, size_t length, uint32_t hash)
{
	const uint32_t mask = shard->nslots - 1;

	if (shard->nslots == 0)
		return 0;
	for (uint32_t place = hash & mask;; place = (place + 1) & mask)
	{
		const WaDictionarySlot slot = shard->slots[place];
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

/* Finds or adds a text; the caller has the shard's lock. */
static bool
answer(WaDictionary *dictionary, const void *user, WaDictionaryShard *shard,
	   WaDictionaryQuestion *question)
{
	question->code = (int32_t) find(dictionary, shard, question->data,
									question->length, question->hash);
	return question->code != 0 || question->length == 0 ||
		   append(dictionary, user, shard, question);
}

/* Returns the number of the shard that a text of a hash is looked for in. */
static inline uint32_t
shard_of(uint32_t hash)
{
	return hash >> (32 - WA_DICTIONARY_SHARD_BITS);
}

/* Some questions, by shards: those of shard i are order[ends[i - 1]] and so on. */
typedef struct Sorted
{
	WaDictionaryQuestion *questions;
	uint32_t ends[WA_DICTIONARY_SHARDS + 1]; /* of shard i - 1 */
	uint16_t order[WA_DICTIONARY_BATCH];
} Sorted;

/* Sorts questions, at most WA_DICTIONARY_BATCH. */
static void
sort(Sorted *sorted, WaDictionaryQuestion *questions, size_t count)
{
	uint32_t next[WA_DICTIONARY_SHARDS];

	sorted->questions = questions;
	memset(sorted->ends, 0, sizeof(sorted->ends));
	for (size_t i = 0; i < count; i++)
		sorted->ends[shard_of(questions[i].hash) + 1]++;
	for (uint32_t i = 0; i < WA_DICTIONARY_SHARDS; i++)
	{
		next[i] = sorted->ends[i];
		sorted->ends[i + 1] += sorted->ends[i];
	}
	for (size_t i = 0; i < count; i++)
		sorted->order[next[shard_of(questions[i].hash)]++] = (uint16_t) i;
}

/*
 * Has the memory begin to fetch the slot where the text of a question, by its place
 * in the order, is looked for first.  One by one, in time: many at once, before the
 * first is looked at, were measured to take longer.
 */
static inline void
prefetch_slot(const WaDictionary *dictionary, const Sorted *sorted,
			  uint32_t place)
{
	const uint32_t hash = sorted->questions[sorted->order[place]].hash;
	const WaDictionaryShard *shard = &dictionary->shards[shard_of(hash)];
	const uintptr_t slots =
		(uintptr_t) __atomic_load_n(&shard->slots, __ATOMIC_RELAXED);
	const uint32_t nslots = __atomic_load_n(&shard->nslots, __ATOMIC_RELAXED);

	/* The place may be none, or none any more: it is no pointer's then. */
	__builtin_prefetch((const void *) (slots + (hash & (nslots - 1)) *
												   sizeof(WaDictionarySlot)));
}

/* Answers the questions for a shard, and lets go of its lock. */
static bool
answer_shard(WaDictionary *dictionary, const void *user, Sorted *sorted,
			 uint32_t number)
{
	WaDictionaryShard *shard = &dictionary->shards[number];
	const uint32_t count = sorted->ends[WA_DICTIONARY_SHARDS];
	bool found = true;

	for (uint32_t i = sorted->ends[number];
		 found && i < sorted->ends[number + 1]; i++)
	{
		prefetch_slot(dictionary, sorted, (i + SLOTS_AHEAD) % count);
		found = answer(dictionary, user, shard,
					   &sorted->questions[sorted->order[i]]);
	}
	(void) pthread_mutex_unlock(&shard->lock);
	return found;
}

/*
 * Answers questions, those for shards that others are at after the rest.  Begins
 * with a shard by chance, so that threads do not follow each other.
 */
static bool
answer_sorted(WaDictionary *dictionary, const void *user, Sorted *sorted)
{
	const uint32_t first = sorted->questions[0].hash;
	uint32_t later[WA_DICTIONARY_SHARDS];
	uint32_t nlater = 0;
	bool found = true;

	for (uint32_t i = 0; found && i < WA_DICTIONARY_SHARDS; i++)
	{
		const uint32_t number = (first + i) % WA_DICTIONARY_SHARDS;

		if (sorted->ends[number] == sorted->ends[number + 1])
			continue;
		if (pthread_mutex_trylock(&dictionary->shards[number].lock) == 0)
			found = answer_shard(dictionary, user, sorted, number);
		else
			later[nlater++] = number;
	}
	for (uint32_t i = 0; found && i < nlater; i++)
	{
		(void) pthread_mutex_lock(&dictionary->shards[later[i]].lock);
		found = answer_shard(dictionary, user, sorted, later[i]);
	}
	return found;
}

bool
wa_dictionary_add_all(WaDictionary *dictionary, const void *user,
					  WaDictionaryQuestion *questions, size_t count)
{
	size_t some;

	for (; count > 0; questions += some, count -= some)
	{
		Sorted sorted;

		some = count < WA_DICTIONARY_BATCH ? count : WA_DICTIONARY_BATCH;
		sort(&sorted, questions, some);
		if (!answer_sorted(dictionary, user, &sorted))
			return false;
	}
	return true;
}

bool
wa_dictionary_find(const WaDictionary *dictionary, const char *data,
				   size_t length, int32_t *code)
{
	const uint32_t hash = wa_dictionary_hash(dictionary, data, length);
	const WaDictionaryShard *shard = &dictionary->shards[shard_of(hash)];
	/* The lock is the one thing that changes. */
	pthread_mutex_t *lock = (pthread_mutex_t *) &shard->lock;

	*code = WA_DICTIONARY_EMPTY;
	if (length == 0)
		return true;
	(void) pthread_mutex_lock(lock);
	*code = (int32_t) find(dictionary, shard, data, length, hash);
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
	for (int i = 0; i < WA_DICTIONARY_SHARDS; i++)
	{
		WaDictionaryShard *shard = &dictionary->shards[i];

		free_memory(dictionary, shard->slots,
					shard->nslots * sizeof(*shard->slots));
		(void) pthread_mutex_destroy(&shard->lock);
	}
	(void) pthread_mutex_destroy(&dictionary->lock);
	wa_memory_free(dictionary->memory, dictionary, sizeof(*dictionary));
}

/*
 * Returns a number that no dictionary has had, in this process or another: but for
 * a chance of nothing, as it is a random one.
 */
static uint64_t
new_number(const WaDictionary *dictionary)
{
	struct timespec now;
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) !=
		(ssize_t) sizeof(number))
	{
		(void) clock_gettime(CLOCK_REALTIME, &now);
		number = wa_mix64((uint64_t) now.tv_nsec ^ (uintptr_t) dictionary,
						  (uint64_t) now.tv_sec);
	}
	return number | 1;
}

WaDictionary *
wa_dictionary_make(WaMemory *memory, const void *user)
{
	WaDictionary *dictionary = wa_memory_get(memory, user, sizeof(*dictionary));
	WaDictionaryShard nobody = {.nslots = 0};

	if (dictionary == NULL)
		return NULL;
	memset(dictionary, 0, sizeof(*dictionary));
	(void) pthread_mutex_init(&dictionary->lock, NULL);
	for (int i = 0; i < WA_DICTIONARY_SHARDS; i++)
		(void) pthread_mutex_init(&dictionary->shards[i].lock, NULL);
	dictionary->memory = memory;
	dictionary->references = 1;
	dictionary->bytes = sizeof(*dictionary);
	dictionary->number = new_number(dictionary);
	/* The first code, whose text stays empty. */
	if (stock_codes(dictionary, user, &nobody))
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
wa_dictionary_added(const WaDictionary *dictionary)
{
	return __atomic_load_n(&dictionary->added, __ATOMIC_ACQUIRE);
}

uint64_t
wa_dictionary_bytes(const WaDictionary *dictionary)
{
	return __atomic_load_n(&dictionary->bytes, __ATOMIC_RELAXED);
}

/* Returns the text of a code: of a WaTextCodes. */
static WaText
text_of_code(const void *dictionary, int32_t code)
{
	return wa_dictionary_text(dictionary, code);
}

/* Finds the code of a text, likewise. */
static bool
code_of_text(const void *dictionary, WaText text, int32_t *code)
{
	return wa_dictionary_find(dictionary, text.data, text.length, code);
}

WaTextCodes
wa_dictionary_codes(const WaDictionary *dictionary)
{
	return (WaTextCodes){.ncodes = wa_dictionary_count(dictionary),
						 .context = dictionary,
						 .text = text_of_code,
						 .find = code_of_text};
}
