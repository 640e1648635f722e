/*
 * test_dictionary.c
 *		Dictionaries: codes of texts, memory, and several threads that add texts at
 *		the same time.
 *
 *	test_dictionary [TEXTS]
 *
 * TEXTS: so many each thread adds.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/column/dictionary.h"
#include "test/unit/check.h"

#define PLENTY ((uint64_t) 1 << 40)

/* Memory with room for plenty. */
#define MEMORY                             \
	{                                      \
		.ledger.limit = {                  \
			[WA_MEMORY_RESIDENT] = PLENTY, \
			[WA_MEMORY_ALL] = PLENTY       \
		}                                  \
	}
#define THREADS    6
#define TEXT_BYTES 400
#define MOST_ASKED 3000

/* Asks a dictionary for the code of a text; false if there is no memory. */
static bool
find_code(WaDictionary *dictionary, const char *text, size_t length,
		  int32_t *code)
{
	WaDictionaryQuestion question = {.data = text, .length = (uint32_t) length};

	question.hash = wa_dictionary_hash(dictionary, text, length);
	if (!wa_dictionary_add_all(dictionary, NULL, &question, 1))
		return false;
	*code = question.code;
	return true;
}

/* Texts of all lengths that are asked for together, each of them twice. */
static bool
test_questions(void)
{
	WaMemory memory = MEMORY;
	WaDictionary *dictionary = wa_dictionary_make(&memory, NULL);
	WaDictionaryQuestion questions[102];
	bool seen[51] = {false};
	char text[] = "0123456789 0123456789 0123456789 0123456789 012345";

	EXPECT(dictionary != NULL);
	for (uint32_t i = 0; i < 102; i++)
	{
		questions[i] = (WaDictionaryQuestion){.data = text, .length = i / 2};
		questions[i].hash =
			wa_dictionary_hash(dictionary, text, questions[i].length);
	}
	EXPECT(wa_dictionary_add_all(dictionary, NULL, questions, 102));
	EXPECT(wa_dictionary_count(dictionary) == 51);
	EXPECT(questions[0].code == WA_DICTIONARY_EMPTY);
	for (uint32_t i = 0; i < 102; i++)
	{
		const int32_t code = questions[i].code;
		const WaText known = wa_dictionary_text(dictionary, code);

		EXPECT(code >= 0 && code < 51 && seen[code] == (i % 2 == 1));
		seen[code] = true;
		EXPECT(code == questions[i / 2 * 2].code);
		EXPECT(known.length == questions[i].length &&
			   memcmp(known.data, text, known.length) == 0);
	}
	wa_dictionary_release(dictionary);
	EXPECT(wa_memory_used(&memory) == 0);
	return true;
}

/* A few texts get all codes from 1 on. */
static bool
test_few(void)
{
	WaMemory memory = MEMORY;
	WaDictionary *dictionary = wa_dictionary_make(&memory, NULL);
	char text[32];
	int32_t code;

	EXPECT(dictionary != NULL && wa_dictionary_count(dictionary) == 1);
	for (int round = 0; round < 2; round++)
		for (int i = 1; i < 8000; i++)
		{
			size_t length = (size_t) snprintf(text, sizeof(text), "%x", i);

			EXPECT(find_code(dictionary, text, length, &code));
			EXPECT(code == i);
		}
	EXPECT(wa_dictionary_count(dictionary) == 8000);
	wa_dictionary_release(dictionary);
	EXPECT(wa_memory_used(&memory) == 0);
	return true;
}

/* Many different texts get codes of their own, that stay; few are left over. */
static bool
test_many(void)
{
	const int count = 300000;
	WaMemory memory = MEMORY;
	WaDictionary *dictionary = wa_dictionary_make(&memory, NULL);
	int *number_of = calloc((size_t) count * 2, sizeof(*number_of));
	uint64_t text_bytes = 0;
	char text[32];
	int32_t code;

	EXPECT(dictionary != NULL && number_of != NULL);
	for (int round = 0; round < 2; round++)
		for (int i = 1; i < count; i++)
		{
			size_t length = (size_t) snprintf(text, sizeof(text), "%x", i);

			EXPECT(find_code(dictionary, text, length, &code));
			EXPECT(code > 0 && code < 2 * count);
			EXPECT(number_of[code] == (round == 0 ? 0 : i));
			number_of[code] = i;
			text_bytes += round == 0 ? length : 0;
		}
	EXPECT(wa_dictionary_count(dictionary) >= (uint32_t) count);
	EXPECT(wa_dictionary_count(dictionary) <= (uint32_t) count * 101 / 100);
	EXPECT(wa_dictionary_bytes(dictionary) <= wa_memory_used(&memory));
	EXPECT(wa_dictionary_bytes(dictionary) >=
		   text_bytes + (uint64_t) count * 32);
	EXPECT(wa_dictionary_bytes(dictionary) <=
		   text_bytes * 101 / 100 + (uint64_t) count * 64 + 32768);
	for (uint32_t i = 0; i < wa_dictionary_count(dictionary); i++)
	{
		const WaText known = wa_dictionary_text(dictionary, (int32_t) i);
		size_t length = (size_t) snprintf(text, sizeof(text), "%x",
										  (unsigned) number_of[i]);

		EXPECT(known.length == (number_of[i] == 0 ? 0 : length) &&
			   memcmp(known.data, text, known.length) == 0);
	}
	free(number_of);
	wa_dictionary_release(dictionary);
	EXPECT(wa_memory_used(&memory) == 0);
	return true;
}

/* Without memory no text is added, and those that are there are found. */
static bool
test_no_memory(void)
{
	WaMemory memory = MEMORY;
	WaDictionary *dictionary = wa_dictionary_make(&memory, NULL);
	char text[32];
	int32_t code = 0;
	int32_t again;
	int failures = 0;

	EXPECT(dictionary != NULL);
	for (int i = 0; i < 100000; i++)
	{
		size_t length = (size_t) snprintf(text, sizeof(text), "text %d", i);

		if (i % 100 == 0)
			wa_ledger_set_limit(&memory.ledger, wa_memory_used(&memory) + 2000);
		if (!find_code(dictionary, text, length, &code))
		{
			EXPECT(!wa_dictionary_find(dictionary, text, length, &again));
			wa_ledger_set_limit(&memory.ledger, PLENTY);
			EXPECT(find_code(dictionary, text, length, &code));
			failures++;
		}
		EXPECT(wa_dictionary_find(dictionary, text, length, &again));
		EXPECT(code == again);
	}
	EXPECT(failures > 20);
	wa_dictionary_release(dictionary);
	EXPECT(wa_memory_used(&memory) == 0);
	wa_ledger_set_limit(&memory.ledger, 1000);
	EXPECT(wa_dictionary_make(&memory, NULL) == NULL);
	EXPECT(wa_memory_used(&memory) == 0);
	return true;
}

/* What the threads of test_threads have in common. */
static WaDictionary *shared;
static int shared_texts = 60000;
static bool shared_failed;
static bool shared_is_full;

/* Writes a text of a number, from 0; returns its length. */
static size_t
make_text(uint32_t number, char *text)
{
	const size_t length = (size_t) snprintf(text, TEXT_BYTES, "%u.", number);
	const size_t more = number % 64 == 0 ? 300 : number % 31;

	memset(text + length, 'a' + (int) (number % 26), more);
	return length + more;
}

/* Tells whether a code is that of a number's text. */
static bool
is_code_of(uint32_t number, int32_t code)
{
	char text[TEXT_BYTES];
	const size_t length = make_text(number, text);
	const WaText known = wa_dictionary_text(shared, code);

	return code > 0 && (uint32_t) code < wa_dictionary_count(shared) &&
		   known.length == length && memcmp(known.data, text, length) == 0;
}

/* Asks for some texts at once: numbers of which every second is everybody's. */
static bool
ask(uint32_t thread, uint32_t first, uint32_t count, uint32_t step)
{
	static const uint32_t own = 1 << 24;
	WaDictionaryQuestion *questions = calloc(count, sizeof(*questions));
	uint32_t *numbers = calloc(count, sizeof(*numbers));
	char *texts = calloc(count, TEXT_BYTES);

	for (uint32_t i = 0; i < count; i++)
	{
		const uint32_t place = (uint32_t) ((uint64_t) (first + i) * step %
										   (uint32_t) shared_texts);

		numbers[i] = place % 2 == 0 ? place : place + own * (thread + 1);
		questions[i].data = texts + (size_t) i * TEXT_BYTES;
		questions[i].length =
			(uint32_t) make_text(numbers[i], texts + (size_t) i * TEXT_BYTES);
		questions[i].hash =
			wa_dictionary_hash(shared, questions[i].data, questions[i].length);
	}
	EXPECT(wa_dictionary_add_all(shared, NULL, questions, count));
	for (uint32_t i = 0; i < count; i++)
		EXPECT(is_code_of(numbers[i], questions[i].code));
	free(questions);
	free(numbers);
	free(texts);
	return true;
}

/* Adds texts, in an order of its own. */
static void *
adding_thread(void *arg)
{
	static const uint32_t steps[THREADS] = {1, 7, 11, 13, 17, 19};
	const uint32_t thread = (uint32_t) (uintptr_t) arg;
	uint64_t state = 5 + thread;
	uint32_t count;

	for (uint32_t done = 0; done < (uint32_t) shared_texts; done += count)
	{
		count = 1 + (uint32_t) (next_random(&state) % MOST_ASKED);
		if (!ask(thread, done, count, steps[thread]))
			__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Reads all texts there are, again and again. */
static void *
reading_thread(void *arg)
{
	(void) arg;
	while (!__atomic_load_n(&shared_is_full, __ATOMIC_RELAXED))
		for (uint32_t i = 0; i < wa_dictionary_count(shared); i++)
		{
			const WaText text = wa_dictionary_text(shared, (int32_t) i);

			if (text.length > 0 && (text.data[0] < '0' || text.data[0] > '9'))
				__atomic_store_n(&shared_failed, true, __ATOMIC_RELAXED);
		}
	return NULL;
}

/* Tells whether each text has a code of its own. */
static bool
codes_are_right(void)
{
	const uint32_t count = wa_dictionary_count(shared);
	const uint32_t distinct = 1 + (uint32_t) shared_texts / 2 * (THREADS + 1);
	uint32_t ntexts = 1;

	EXPECT(count >= distinct && count <= distinct + distinct / 100 + 1);
	for (uint32_t i = 1; i < count; i++)
	{
		const WaText text = wa_dictionary_text(shared, (int32_t) i);
		int32_t code;

		if (text.length == 0)
			continue;
		EXPECT(wa_dictionary_find(shared, text.data, text.length, &code));
		EXPECT(code == (int32_t) i);
		ntexts++;
	}
	EXPECT(ntexts == distinct);
	return true;
}

/* Several threads add texts, some the same and some their own. */
static bool
test_threads(void)
{
	WaMemory memory = MEMORY;
	pthread_t threads[THREADS];
	pthread_t reader;

	wa_chunks_init(&memory.chunks);
	shared = wa_dictionary_make(&memory, NULL);
	EXPECT(shared != NULL);
	EXPECT(pthread_create(&reader, NULL, reading_thread, NULL) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		EXPECT(pthread_create(&threads[i], NULL, adding_thread, (void *) i) ==
			   0);
	for (int i = 0; i < THREADS; i++)
		(void) pthread_join(threads[i], NULL);
	__atomic_store_n(&shared_is_full, true, __ATOMIC_RELAXED);
	(void) pthread_join(reader, NULL);
	EXPECT(!shared_failed);
	EXPECT(codes_are_right());
	wa_dictionary_release(shared);
	EXPECT(wa_memory_used(&memory) == 0);
	return true;
}

static const struct
{
	const char *name;
	bool (*run)(void);
} tests[] = {
	{"questions", test_questions}, {"few texts", test_few},
	{"many texts", test_many},     {"no memory", test_no_memory},
	{"threads", test_threads},
};

int
main(int argc, char **argv)
{
	if (argc > 1)
		shared_texts = atoi(argv[1]);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		check(tests[i].run(), tests[i].name);
	return finish_checks();
}
