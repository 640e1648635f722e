/*
 * fuzz_seeds.h
 *		Writing the inputs that fuzzing begins with.
 */
#ifndef WA_TEST_FUZZ_SEEDS_H
#define WA_TEST_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "query/base/wire.h"

/* Words of an input that is being made. */
#define FUZZ_SEED_WORDS 8192

typedef struct FuzzSeed
{
	size_t nwords;
	uint64_t words[FUZZ_SEED_WORDS];
} FuzzSeed;

/* Appends a word; bytes, filled up to whole words; a step and its words. */
void fuzz_seed_word(FuzzSeed *seed, uint64_t word);
void fuzz_seed_bytes(FuzzSeed *seed, const void *bytes, size_t length);
void fuzz_seed_step(FuzzSeed *seed, uint8_t what, uint8_t a, uint32_t b,
					const void *bytes, size_t length);

/* Writes a seed of a target to a file of its own, and empties it. */
void fuzz_seed_write(FuzzSeed *seed, const char *target);

/* Write those of a target. */
void fuzz_seeds_query(void);
void fuzz_seeds_answer(void);
void fuzz_seeds_extent(void);
void fuzz_seeds_request(void);

/* Queries, all over the same inputs; the last are random ones. */
#define FUZZ_SEED_QUERIES       16
#define FUZZ_SEED_PLAIN_QUERIES 12

/* Tells whether rows of a query become tables: of one key, or of all. */
static inline bool
fuzz_seed_makes(int number)
{
	return number == 1 || number == 5;
}

/* Writes the message of a query. */
void fuzz_seed_query(int number, WaWriter *writer);

#endif /* WA_TEST_FUZZ_SEEDS_H */
