/*
 * fuzz.h
 *		What the targets of libFuzzer share: see README.
 *
 * An input is a number of words of 64 bits, as what it stands for is: queries,
 * groups, heads of extents, messages.  Bytes behind the last whole word are not
 * looked at.
 */
#ifndef WA_TEST_FUZZ_H
#define WA_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/protocol.h"

/* Ends the process, which is what libFuzzer takes for a fault, unless it holds. */
#define FUZZ_EXPECT(condition)                                        \
	do                                                                \
	{                                                                 \
		if (!(condition))                                             \
		{                                                             \
			(void) fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, \
						   __LINE__, #condition);                     \
			abort();                                                  \
		}                                                             \
	} while (0)

/* Has MemorySanitizer, where it watches, see that bytes have been written. */
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define FUZZ_EXPECT_WRITTEN(place, bytes) \
	__msan_check_mem_is_initialized((place), (bytes))
#else
#define FUZZ_EXPECT_WRITTEN(place, bytes) ((void) (place), (void) (bytes))
#endif

/* The functions that libFuzzer calls, and the one that it has. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
							   unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
								 const uint8_t *data2, size_t size2,
								 uint8_t *out, size_t max_out, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* An input that is being read. */
typedef struct FuzzInput
{
	uint64_t *words; /* a copy, of its own size */
	size_t nwords;
	size_t next;
} FuzzInput;

/*
 * A step of an input that is a script: a word with what to do and two numbers, and
 * the words that belong to it.
 */
typedef struct FuzzStep
{
	uint8_t what;
	uint8_t a;
	uint32_t b;
	size_t nwords;
	const uint64_t *words;
} FuzzStep;

/* Begins to read an input, which has to be closed. */
void fuzz_open(FuzzInput *input, const uint8_t *data, size_t size);
void fuzz_close(FuzzInput *input);

/* Returns the next word, 0 if there is none. */
uint64_t fuzz_word(FuzzInput *input);

/* Returns how many words are left, and where they are. */
size_t fuzz_rest(const FuzzInput *input, const uint64_t **words);

/* Reads the next step; returns false if there is none. */
bool fuzz_next_step(FuzzInput *input, FuzzStep *step);

/* Returns the word that a step begins with. */
uint64_t fuzz_step_word(uint8_t what, uint8_t a, size_t nwords, uint32_t b);

/* Returns a copy of words, of its own size, for sanitizers to watch; never NULL. */
uint64_t *fuzz_copy(const uint64_t *words, size_t nwords);

/* Returns a random number, and one below a bound. */
uint64_t fuzz_random(uint64_t *state);
uint64_t fuzz_below(uint64_t *state, uint64_t bound);

/* Changes words of an input, as LLVMFuzzerCustomMutator does. */
size_t fuzz_mutate_words(uint8_t *data, size_t size, size_t max_size,
						 unsigned seed);

/*
 * Makes *message one of a type, whatever else its bytes say, that has the length
 * which is right for it: the words are what follows the header.  All that a header
 * has to say of a message is filled in here.
 */
void fuzz_message_make(WaMessage *message, uint32_t type, const uint64_t *words,
					   size_t nwords);

#endif /* WA_TEST_FUZZ_H */
